"""Looks come from names alone, differ, and can be told apart by readers with any colour vision."""

import itertools
import math
import subprocess
import sys

import pytest

from make_catalogue import ALL_STRATEGIES
from stowage_report.charts.style import GLYPHS, HUES, INK, MARKERS, TONES, Colour, Look, Looks, hue_of, look_of
from stowage_report.data.model import family_of

#: Other people's libraries, which are measured beside the suite.
PEERS = ["entt", "flecs"]
STEMS = PEERS + [name for name in ALL_STRATEGIES if name == family_of(name) and name != "reference"]
VARIANTS = ["entt.64bit", "entt.views", *(name for name in ALL_STRATEGIES if name != family_of(name))]


def test_strategies_of_one_report_differ_in_colour_or_marker_and_those_of_a_family_in_both_marker_and_line():
    names = [*STEMS, *VARIANTS, *(f"own_storage_{number}" for number in range(30))]
    looks, of_all = Looks(names), Looks(ALL_STRATEGIES)
    assert len({(looks[name].colour, looks[name].marker) for name in names}) == len(names)
    for family in STEMS:
        members = [of_all[name] for name in ALL_STRATEGIES if family_of(name) == family]
        assert len({look.marker for look in members}) == len(members)
        assert len({(look.colour, look.dash) for look in members}) == len(members)


def test_stems_differ_in_colour_and_in_marker_and_variants_do_not_change_their_look():
    looks = [look_of(name) for name in STEMS]
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == len(STEMS)
    assert all(Looks([*reversed(STEMS + VARIANTS)])[family] == look_of(family) for family in STEMS)


def test_a_variant_has_the_hue_of_its_family_is_dashed_and_has_another_tone_than_its_stem():
    for variant in VARIANTS:
        look, stem = look_of(variant), look_of(family_of(variant))
        assert look.dash != stem.dash and look.colour != stem.colour and hue_of(variant) == stem.colour, variant


def test_looks_are_the_same_in_every_process():
    program = f"from stowage_report.charts.style import look_of; print([look_of(name) for name in {STEMS + VARIANTS}])"
    outputs = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                       env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{[look_of(name) for name in STEMS + VARIANTS]}\n"}
    # looks that were published stay
    assert look_of("naive_objects") == Look(Colour("#0077bb", "#3ba7f7"), "*", (0, ()))
    assert look_of("archetype_sections") == Look(Colour("#d55e00", "#d48860"), "o", (0, ()))


def test_a_look_changes_only_where_it_was_taken():
    looks = Looks(["reference", *STEMS])
    assert all(looks[name] == look_of(name) for name in ["reference", *STEMS])
    twins = [name for name in (f"own_storage_{number}" for number in range(400))
             if look_of(name) == look_of("own_storage_0")]
    first, second = (Looks(twins)[name] for name in twins[:2])
    assert first == look_of(twins[0]) and second.colour == first.colour and second.marker != first.marker


def test_strategies_of_one_colour_are_named_to_the_reader():
    assert Looks(STEMS).of_one_colour() == []
    stem = STEMS[0]
    twin = next(name for name in (f"own_storage_{number}" for number in range(100))
                if look_of(name).colour == look_of(stem).colour)
    assert Looks([*STEMS, twin]).of_one_colour() == [[stem, twin]]
    alike = next(name for name in map("own_storage_{}".format, range(100)) if look_of(name).colour == look_of("form").colour)
    assert Looks([alike, "form.recursion"]).of_one_colour() == []


def test_more_strategies_than_markers_are_drawn_all_the_same_and_the_reference_is_neutral_and_dashed():
    names = [name for name in (f"own_storage_{number}" for number in range(400)) if look_of(name).colour == HUES[0]]
    assert len(names) > len(MARKERS) and all(Looks(names)[name].marker in GLYPHS for name in names)
    look = look_of("reference")
    assert look.colour == INK and look.dash != look_of("hash_index").dash


# ---- how colours look to readers with different colour vision: Machado, Oliveira and Fernandes (2009), full severity

SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE = (0.9505, 1.0, 1.089)


def _linear(colour: str) -> list[float]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def _times(matrix, vector) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def _lab(linear: list[float]) -> tuple[float, float, float]:
    ratios = [value / white for value, white in zip(_times(_TO_XYZ, linear), _WHITE)]
    x, y, z = (ratio ** (1 / 3) if ratio > 0.008856 else 7.787 * ratio + 16 / 116 for ratio in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, sight: str) -> float:
    """CIE76; 2.3 is what can just be noticed side by side."""
    seen = [[min(1.0, max(0.0, c)) for c in _times(SIGHTS[sight], _linear(colour))] for colour in (one, other)]
    return math.dist(_lab(seen[0]), _lab(seen[1]))


def contrast(one: str, other: str) -> float:
    """As WCAG defines it; graphics should have 3."""
    lighter, darker = sorted((_times(_TO_XYZ, _linear(colour))[1] for colour in (one, other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_hues_stay_apart(theme, sight):
    colours = [getattr(hue, theme) for hue in HUES]
    closest = min(distance(one, other, sight) for one, other in itertools.combinations(colours, 2))
    assert closest > 10


@pytest.mark.parametrize("theme, paper", [("light", "#fefefe"), ("dark", "#14181d")])
@pytest.mark.parametrize("tone", TONES)
def test_hues_and_tones_are_clear_of_the_page_and_tones_nearest_to_their_own_hue(tone, theme, paper):
    for hue in HUES:
        assert contrast(getattr(hue, theme), paper) > 2.9
        toned = getattr(hue.toned(tone), theme)
        apart = {other: distance(toned, getattr(other, theme), "normal") for other in HUES}
        assert min(apart, key=apart.__getitem__) == hue and apart[hue] > 7
        assert contrast(toned, paper) > 2.9
