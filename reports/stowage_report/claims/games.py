"""Claims about whole games: the mixture of CS, a paper (arXiv 2606.14919) and an article (moonside.games). The worlds are
those of profiles, where a frame has systems, lookups, changes, creations and destructions of one game."""

from dataclasses import replace
from functools import partial
from operator import truediv
from typing import Callable, Mapping

from stowage_report.claims.evidence import MEDIAN_FRAME, SLOW_FRAME, Evidence, Missing, Where, where
from stowage_report.claims.ruling import Part, Ruling, Verdict, all_of, most_of, somewhere
from stowage_report.claims.shapes import Trend, if_known, longer, slower
from stowage_report.data.model import ENTITIES

MAP, SECTIONS, OBJECTS = "indirection_map", "archetype_sections", "naive_objects.inline_fields"
MIXTURE, INTERLEAVED = f"{SECTIONS}.mixed_lanes", f"{SECTIONS}.interleaved"
#: Recorded from running games, of which each has groups of components that its systems use together.
RECORDED = ("archers", "tower_defense")
GAMES = ("typical", *RECORDED, "gardn", "island_war")


def frames(world: str) -> Where:
    return where("world.frame", world=world, age="aged")


def _best_somewhere(evidence: Evidence) -> Ruling:
    """One recorded game is enough in which it is certainly ahead of both of which it is a mixture. No system of a game
    reads single scalars, for which it has arrays of these, so that games in which it loses do not refute it."""
    ruling = somewhere({world: all_of([
        longer(rival, MIXTURE, frames(world), f"a frame takes {{}} as long in {rival} as in {MIXTURE}")(evidence)
        for rival in (SECTIONS, INTERLEAVED)]) for world in RECORDED})
    if ruling.verdict is not Verdict.REFUTED:
        return ruling
    return replace(ruling, verdict=Verdict.UNDECIDED, figure=f"{ruling.figure}; no system of these games reads single scalars")


def _beside_objects(than: Callable[[str], Part]) -> Part:
    """Arrays of structs decide. Our objects have a field for each of 31 components, as no class of a game has."""
    return lambda evidence: than(INTERLEAVED)(evidence).beside(if_known(
        evidence, lambda: f"objects with a field for each component: {than(OBJECTS)(evidence).figure}"))


def _higher_than(rival: str) -> Part:
    return longer(rival, SECTIONS, frames("tower_defense"), "a frame takes {} as long as with archetypes")


def _steadier_than(rival: str, evidence: Evidence) -> Ruling:
    """How much longer a slow frame takes than a usual one, compared: of each process both."""
    place = frames("tower_defense")
    slow, usual = (evidence.by_process(metric, (rival, SECTIONS), place, ENTITIES) for metric in (SLOW_FRAME, MEDIAN_FRAME))
    trend = Trend(evidence.combined(f"steadiness of {rival}", truediv, slow, usual))
    if not trend.ratios:
        raise Missing(f"{SLOW_FRAME} and {MEDIAN_FRAME} of {rival} and {SECTIONS} in {place}, in one run")
    return slower(trend, "a p99 frame is, of the median, {} as long as with archetypes")


def _sparse_sets_win(evidence: Evidence) -> Ruling:
    return most_of({world: longer(SECTIONS, MAP, frames(world), f"a frame takes {{}} as long in {SECTIONS} as in {MAP}")(evidence)
                    for world in GAMES})


PARTS: dict[str, Part | Mapping[str, Part]] = {
    "C36": _best_somewhere,
    "C37": {"frame rate": _beside_objects(_higher_than),
            "stability": _beside_objects(lambda rival: partial(_steadier_than, rival))},
    "C38": _sparse_sets_win,
}
