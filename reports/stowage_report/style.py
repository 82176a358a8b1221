"""How things look: one place for fonts, neutral colours, and the look of each strategy.

A strategy's look is computed from its name alone, so it is the same in every chart, report and run, whichever other
strategies take part, and a new strategy needs no entry here. Colour is never the only difference: markers differ
between stems, and tone, dash and marker between the variants of a stem. There are more names than colours, though:
where two strategies of one report would share colour and marker, `Looks` gives the later one another marker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Iterable

from stowage_report.model import REFERENCE, is_hand_written


@dataclass(frozen=True)
class Colour:
    """As `#rrggbb`. Charts are drawn in `light`; the page shows `dark` instead where the reader prefers that."""

    light: str
    dark: str

    def mixed(self, other: Colour, share: float) -> Colour:
        return Colour(mix(self.light, other.light, share), mix(self.dark, other.dark, share))


def mix(colour: str, other: str, share: float) -> str:
    channels = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in channels)


INK = Colour("#1f2328", "#e6e9ed")
MUTED = Colour("#59636e", "#9aa5b1")
GRID = Colour("#dde2e7", "#30363e")
PAPER = Colour("#fefefe", "#14181d")
ALARM = Colour("#b3261e", "#ff8a80")
NEUTRALS = {"ink": INK, "muted": MUTED, "grid": GRID, "paper": PAPER, "alarm": ALARM}

#: Hues of Okabe-Ito and of Paul Tol's schemes, so chosen that in both themes every pair stays apart for readers with
#: normal, protan, deutan and tritan sight (CIE76 distance of 12 or more; a test computes it).
HUES = (
    Colour("#0077bb", "#3ba7f7"),  # blue
    Colour("#332288", "#6a6af5"),  # indigo
    Colour("#117733", "#12b32c"),  # green
    Colour("#882255", "#ce529b"),  # wine
    Colour("#999933", "#f0e020"),  # olive
    Colour("#009e73", "#2df5bb"),  # bluish green
    Colour("#cc79a7", "#f6b6e1"),  # pink
    Colour("#d55e00", "#d48860"),  # vermilion
)
_LIGHTER = Colour("#ffffff", "#ffffff")
_DARKER = Colour("#000000", "#000000")

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", "p")
#: The same shapes as text; U+FE0E keeps browsers from making emoji of them.
GLYPHS = dict(zip((*MARKERS, "."), (f"{glyph}\ufe0e" for glyph in "●■▲◆▼✚✖★◀⬟•")))
Dash = tuple[float, tuple[float, ...]]
SOLID: Dash = (0, ())
_REFERENCE_DASH: Dash = (0, (4, 2))
_VARIANT_DASHES: tuple[Dash, ...] = ((0, (6, 1.5)), (0, (1.5, 1.5)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1, 1, 1, 1, 1)))

#: With this salt all stems of the suite have different hues and different markers.
_SALT = "115432"


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
        return {"*": 10.5, "P": 7.5, "X": 7.5, "D": 5.5, ".": 7}.get(self.marker, 6.5)

    @property
    def glyph(self) -> str:
        return GLYPHS[self.marker]


@lru_cache(maxsize=None)
def look_of(strategy: str) -> Look:
    stem, _, variant = strategy.partition(".")
    if strategy == REFERENCE:
        return Look(INK, ".", _REFERENCE_DASH)
    hue = MUTED if is_hand_written(strategy) else HUES[_pick("hue", stem, len(HUES))]
    if not variant:
        return Look(hue, MARKERS[_pick("marker", stem, len(MARKERS))], SOLID)
    tone = (_LIGHTER, _DARKER)[_pick("tone", strategy, 2)]
    return Look(
        hue.mixed(tone, 0.3),
        MARKERS[_pick("marker", strategy, len(MARKERS))],
        _VARIANT_DASHES[_pick("dash", strategy, len(_VARIANT_DASHES))],
    )


class Looks:
    """Of the strategies of one report: no two have both colour and marker in common while markers last."""

    def __init__(self, strategies: Iterable[str]):
        self._looks: dict[str, Look] = {}
        for strategy in dict.fromkeys(strategies):
            self._looks[strategy] = self._unlike_the_others(look_of(strategy))

    def __getitem__(self, strategy: str) -> Look:
        return self._looks[strategy]

    def colours(self) -> list[Colour]:
        return list(dict.fromkeys(look.colour for look in self._looks.values()))

    def of_one_colour(self) -> list[list[str]]:
        """Strategies that only their markers tell apart."""
        groups: dict[Colour, list[str]] = {}
        for strategy, look in self._looks.items():
            groups.setdefault(look.colour, []).append(strategy)
        return [group for group in groups.values() if len(group) > 1]

    def _unlike_the_others(self, look: Look) -> Look:
        taken = {other.marker for other in self._looks.values() if other.colour == look.colour}
        if look.marker not in taken:
            return look
        first = MARKERS.index(look.marker)
        free = [marker for marker in (*MARKERS[first:], *MARKERS[:first]) if marker not in taken]
        return replace(look, marker=free[0]) if free else look


#: Of SVG text in the page: what the reader's system looks best in. Files have what matplotlib measured text with.
PAGE_FONTS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Roboto, 'Helvetica Neue', Arial, sans-serif"

MATPLOTLIB_SETTINGS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 11,
    "xtick.labelsize": 10.5,
    "ytick.labelsize": 10.5,
    "legend.fontsize": 10.5,
    "text.color": INK.light,
    "axes.edgecolor": MUTED.light,
    "axes.labelcolor": INK.light,
    "axes.titlecolor": INK.light,
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
