"""Claims of Nomad's article on component managers (NG), of several articles, and of a paper (CGVC 2025)."""

from dataclasses import replace
from operator import truediv
from typing import Mapping

from stowage_report.claims.evidence import FLOOR, MISSES, TIME, Evidence, Missing, OfProcesses, Points, Where, where
from stowage_report.claims.ruling import Part, Ruling, Verdict, apart
from stowage_report.claims.shapes import Trend, beside_rival, if_known, longer_apart, more_than, takes_longer, undecided
from stowage_report.data import wording
from stowage_report.data.estimates import quotient

BANDWIDTH = "reference.bandwidth"
MAP, HASH, SECTIONS = "indirection_map", "hash_index", "archetype_sections"
#: Nomad's component manager; `hash_index` is the same design in arrays that grow.
FIXED = f"{HASH}.fixed_capacity"
#: Of the speed-up that memory allows: a fifth is left for handing out chunks and for waiting on the last of them.
NEARLY_ALL = 0.8


def _cheaper_changes(evidence: Evidence) -> Ruling:
    """At every size, with each number of other components."""
    return apart({f"others:{others}": takes_longer(
        evidence, SECTIONS, MAP, where("structural", others=others, sets="1", grouped="no"),
        "a structural change takes {} as long in sections as in pools") for others in ("1", "4", "8")})


def _poorer_scaling(evidence: Evidence) -> Ruling:
    """The paper does not say in which order its entities were made."""
    joins = {named: where("join", order=order, via="each")
             for named, order in (("equal orders", "same"), ("unrelated orders", "unrelated"))}
    ratios = {named: evidence.ratios(TIME, MAP, SECTIONS, place) for named, place in joins.items()}
    return apart({f"rows in {named}": _further_behind(evidence, place, ratios[named]) for named, place in joins.items()})


def _further_behind(evidence: Evidence, place: Where, points: Points) -> Ruling:
    """Pools are behind with many entities, and further than with few."""
    if len(points) < 2:
        raise Missing(f"{TIME} of {MAP} and {SECTIONS} in {place} at two sizes")
    trend, few, many = Trend(points), points[0][1], points[-1][1]
    growth = quotient(many, few)
    told = trend.told("a join takes {} as long in pools as in sections")
    told += f", {wording.number(few.median)} with the fewest entities and {wording.number(many.median)} with the most"
    deciding = [many, OfProcesses(growth.median, growth.low, growth.high, min(few.processes, many.processes))]
    sides = [beside_rival(ratio) for ratio in deciding]
    if -1 in sides or 0 not in sides:
        ruling = Ruling(Verdict.REFUTED if -1 in sides else Verdict.HOLDS, told, trend.interval)
    else:
        ruling = undecided(told, trend.interval, [ratio for ratio, side in zip(deciding, sides) if side == 0])

    def counted() -> str:
        (largest,) = evidence.at_largest(MISSES, ([MAP, SECTIONS], place))
        pools, sections = evidence.counts(MISSES, [MAP, SECTIONS], largest)
        return (f"{wording.figure(pools)} and {wording.figure(sections)} misses per entity, floor "
                f"{wording.figure(evidence.count(FLOOR, MAP, largest))}")

    return ruling.beside(if_known(evidence, counted))


def _speed_up(evidence: Evidence) -> Ruling:
    """Of packed arrays, as a share of what memory gains by as many threads: ratios of one block at each number of them,
    so that what else the machine does cancels."""
    place = where("point_mass_parallel")
    against_memory = evidence.by_process(TIME, (MAP, BANDWIDTH), place, "threads")
    alone = against_memory.pop(1, {})
    shares = Trend(evidence.combined("share", truediv, dict.fromkeys(against_memory, alone), against_memory), "threads")
    if not shares.ratios:
        raise Missing(f"{TIME} of {MAP} and {BANDWIDTH} in {place} threads:2")
    beaten = [threads for threads, ratios in ({1: alone} | against_memory).items() if max(ratios.values()) < NEARLY_ALL]
    if beaten:
        raise Missing(f"a {BANDWIDTH} that is the limit: with threads:{beaten[0]:g} {MAP} takes less than "
                      f"{NEARLY_ALL:g} times as long")
    ruling = more_than(NEARLY_ALL, shares, "the speed-up is {} that of the memory bandwidth")
    if len(shares.ratios) == 1:
        ruling = replace(ruling, verdict=Verdict.UNDECIDED, wants_processes=False, figure=(
            f"{ruling.figure}; only one number of threads was measured: needs a machine with more processors"))
    return ruling.beside(if_known(evidence, lambda: _absolute_speed_up(evidence)))


def _absolute_speed_up(evidence: Evidence) -> str:
    times = evidence.by_process(TIME, (MAP,), where("point_mass_parallel"), "threads")
    alone = times.pop(1)
    speed_ups = evidence.combined("speed-up", truediv, dict.fromkeys(times, alone), times)
    each = [f"{wording.number(speed_up.median)} times as fast with {threads:g} threads" for threads, speed_up in speed_ups]
    return f"the loop is {wording.listing(each)}" if each else ""


PARTS: dict[str, Part | Mapping[str, Part]] = {
    "C20": {"removal": longer_apart((FIXED, where("removal", rows="ordered")), (FIXED, where("removal", rows="any")),
                         "a removal in order takes {} as long as one that moves the last row into the hole"),
            "growth": longer_apart((HASH, where("create", how="single", memory="growing", components="4")),
                         (FIXED, where("create", how="single", memory="reserved", components="4")),
                         "a creation takes {} as long in arrays that grow as with all room from the beginning")},
    "C25": _speed_up,
    "C26": {"changes": _cheaper_changes, "iteration": _poorer_scaling},
}
