"""How things look: one place for fonts, neutral colours, and the look of each strategy.

A strategy's look is computed from its name alone, so it is the same in every chart, report and run, whichever other
strategies take part, and a new one needs no entry here. A family (`hash_index` and all `hash_index.*`) has one hue.
Colour is never the only difference: markers differ between families, and tone, dash and marker between the variants of
one. There are more names than looks: if two strategies of one report would look alike, `Looks` gives the variant, or
the later one, another marker or line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Collection, Iterable, Sequence, TypeVar

from stowage_report.data import grouped
from stowage_report.data.model import REFERENCE, family_of, is_form, is_hand_written, is_headline

Choice = TypeVar("Choice")


#: What to mix a hue with, and how much of it, in the light theme and in the dark one.
Tone = tuple[tuple[str, float], tuple[str, float]]


@dataclass(frozen=True)
class Colour:
    """As `#rrggbb`. Charts are drawn in `light`; the page shows `dark` instead if the reader prefers that."""

    light: str
    dark: str

    def toned(self, tone: Tone) -> Colour:
        return Colour(mix(self.light, *tone[0]), mix(self.dark, *tone[1]))


def mix(colour: str, other: str, share: float) -> str:
    channels = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in channels)


INK = Colour("#1f2328", "#e6e9ed")
MUTED = Colour("#59636e", "#9aa5b1")
GRID = Colour("#dde2e7", "#30363e")
PAPER = Colour("#fefefe", "#14181d")
ALARM = Colour("#b3261e", "#ff8a80")
NEUTRALS = {"ink": INK, "muted": MUTED, "grid": GRID, "paper": PAPER, "alarm": ALARM}

#: Hues of Okabe-Ito and of Paul Tol's schemes, and two that lie far from all of these (brown and violet), so chosen
#: that in both themes every pair stays apart for readers with normal, protan, deutan and tritan sight (CIE76 distance
#: of 12 or more; a test computes it).
HUES = (
    Colour("#0077bb", "#3ba7f7"),  # blue
    Colour("#600000", "#b08880"),  # brown
    Colour("#882255", "#ce529b"),  # wine
    Colour("#c000f8", "#b858c0"),  # violet
    Colour("#cc79a7", "#f6b6e1"),  # pink
    Colour("#332288", "#6a6af5"),  # indigo
    Colour("#009e73", "#2df5bb"),  # bluish green
    Colour("#999933", "#f0e020"),  # olive
    Colour("#d55e00", "#d48860"),  # vermilion
    Colour("#117733", "#12b32c"),  # green
)
#: Of variants: as far from the hue as may be, with every tone still nearest to its own hue and clear of the page.
TONES: tuple[Tone, ...] = ((("#000000", 0.15), ("#ffffff", 0.22)), (("#000000", 0.3), ("#000000", 0.2)))

MARKERS = ("D", "o", "<", "X", "v", "s", "p", "*", "P", "^")
#: For families of more members than that: no name begins with one of these, so that more of them change no look.
SPARE_MARKERS = (">", "h", "d")
#: The same shapes as text; U+FE0E keeps browsers from making emoji of them.
GLYPHS = dict(zip((*MARKERS, *SPARE_MARKERS, "."), (f"{glyph}\ufe0e" for glyph in "◆●◀✖▼■⬟★✚▲▶⬢♦•")))
Dash = tuple[float, tuple[float, ...]]
SOLID: Dash = (0, ())
_REFERENCE_DASH: Dash = (0, (4, 2))
_VARIANT_DASHES: tuple[Dash, ...] = ((0, (6, 1.5)), (0, (1.5, 1.5)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1, 1, 1, 1, 1)),
                                     (0, (3, 2)))

#: With this salt all stems of the suite, and the peers, have different hues and different markers.
_SALT = "45566997"


def _pick(aspect: str, name: str, choices: int) -> int:
    digest = blake2b(f"{_SALT}/{aspect}/{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % choices


@dataclass(frozen=True)
class Look:
    colour: Colour
    marker: str
    dash: Dash

    @property
    def marker_size(self) -> float:
        """In points; thin shapes are drawn larger, so that all look alike in weight."""
        return {"*": 10.5, "d": 8, "P": 7.5, "X": 7.5, "D": 5.5, ".": 7}.get(self.marker, 6.5)

    @property
    def glyph(self) -> str:
        return GLYPHS[self.marker]


@lru_cache(maxsize=None)
def hue_of(strategy: str) -> Colour:
    """What all members of a family have in common."""
    if strategy == REFERENCE:
        return INK
    if is_form(strategy):  # what a chart of their own compares: a hue each
        return HUES[_pick("forms", strategy, len(HUES))]
    return MUTED if is_hand_written(strategy) else HUES[_pick("hue", family_of(strategy), len(HUES))]


@lru_cache(maxsize=None)
def look_of(strategy: str) -> Look:
    hue = hue_of(strategy)
    if strategy == REFERENCE:
        return Look(hue, ".", _REFERENCE_DASH)
    marker = MARKERS[_pick("marker", strategy, len(MARKERS))]
    if is_headline(strategy):
        return Look(hue, marker, SOLID)
    tone = TONES[_pick("tone", strategy, len(TONES))]
    return Look(hue.toned(tone), marker, _VARIANT_DASHES[_pick("dash", strategy, len(_VARIANT_DASHES))])


class Looks:
    """Of the strategies of one report: no two of one hue have the same marker, or the same tone and dash, while these
    last."""

    def __init__(self, strategies: Iterable[str]):
        self._looks: dict[str, Look] = {}
        names = list(dict.fromkeys(strategies))
        # which charts name even if only variants took part; forms are no variants of one thing
        families = dict.fromkeys(family_of(name) for name in names if not is_form(name))
        for strategy in (*families, *(name for name in names if name not in families)):
            self._looks[strategy] = self._unlike_the_others(strategy)

    def __getitem__(self, strategy: str) -> Look:
        return self._looks[strategy]

    @property
    def names(self) -> list[str]:
        return list(self._looks)

    def colours(self) -> list[Colour]:
        return list(dict.fromkeys(look.colour for look in self._looks.values()))

    def of_one_colour(self) -> list[list[str]]:
        """Families that only their markers tell apart."""
        groups = grouped(filter(is_headline, self._looks), lambda strategy: self._looks[strategy].colour)
        return [group for group in groups.values() if len(group) > 1]

    def _unlike_the_others(self, strategy: str) -> Look:
        look = look_of(strategy)
        others = [other for name, other in self._looks.items() if hue_of(name) == hue_of(strategy)]
        marker = _first_free(look.marker, (*MARKERS, *SPARE_MARKERS), {other.marker for other in others})
        lines = [(look.colour, look.dash)]
        if not is_headline(strategy):
            lines = [(hue_of(strategy).toned(tone), dash) for tone in TONES for dash in _VARIANT_DASHES]
        colour, dash = _first_free((look.colour, look.dash), lines, {(other.colour, other.dash) for other in others})
        return Look(colour, marker, dash)


def _first_free(wanted: Choice, choices: Sequence[Choice], taken: Collection[Choice]) -> Choice:
    """The first free choice from the wanted one on; the wanted one if none is free."""
    if wanted not in choices:
        return wanted
    first = choices.index(wanted)
    return next((choice for choice in (*choices[first:], *choices[:first]) if choice not in taken), wanted)


#: Of text in the page: the fonts of the reader's system. Files have the font that matplotlib measured text with.
PAGE_FONTS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Roboto, 'Helvetica Neue', Arial, sans-serif"

MATPLOTLIB_SETTINGS = {
    "text.parse_math": False,  # a name with $ is a name
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # else it is looked for anew in every drawing
    "xtick.labelsize": 10.5,
    "ytick.labelsize": 10.5,
    "text.color": INK.light,
    "axes.edgecolor": MUTED.light,
    "axes.labelcolor": INK.light,
    "xtick.color": MUTED.light,
    "ytick.color": MUTED.light,
    "xtick.labelcolor": INK.light,
    "ytick.labelcolor": INK.light,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID.light,
    "grid.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": PAPER.light,
    "axes.facecolor": "none",
    "lines.linewidth": 1.8,
    "lines.markeredgewidth": 0.0,
    "svg.fonttype": "none",  # text stays text: it can be searched, copied, read aloud, and set in the page's font
    "svg.hashsalt": "stowage",  # equal results give equal bytes
    "path.simplify": False,
}
