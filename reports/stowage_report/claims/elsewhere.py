"""Claims of Nomad's article on component managers (NG), of several articles, and of a paper (CGVC 2025)."""

from __future__ import annotations

from stowage_report.claims.evidence import FLOOR, INSTRUCTIONS, MISSES, TIME, Evidence, Missing, where
from stowage_report.claims.ruling import Claim, Ruling
from stowage_report.claims.shapes import SAME, Trend, holds_if, more_than
from stowage_report.data import wording
from stowage_report.data.estimates import quotient

BANDWIDTH = "reference.bandwidth"
MAP, HASH, SECTIONS = "indirection_map", "hash_index", "archetype_sections"
#: A clear difference, in exact counts.
CLEARLY = 1.5
#: Of the speed-up that memory allows.
NEARLY_ALL = 0.8


def _ordered_is_dearer(evidence: Evidence) -> Ruling:
    """Of the component manager that Nomad has: a hash map before packed arrays."""
    places = evidence.at_largest_common(
        INSTRUCTIONS, *(([HASH], where("removal", rows=rows)) for rows in ("ordered", "any")))
    ordered, swapped = (evidence.count(INSTRUCTIONS, HASH, place) for place in places)
    return holds_if(ordered > swapped * (1 + SAME),
                    f"instructions a removal: {wording.figure(swapped)} with the last row moved into the hole, "
                    f"{wording.figure(ordered)} in order", ordered / swapped)


def _growth_costs(evidence: Evidence) -> Ruling:
    """Nomad's fixed arrays against the same design in arrays that grow."""
    fixed = f"{HASH}.fixed_capacity"
    from_nothing, in_room = evidence.at_largest_common(
        INSTRUCTIONS, ([HASH], where("create", how="single", memory="growing")),
        ([fixed], where("create", how="single", memory="reserved")))
    growing = evidence.count(INSTRUCTIONS, HASH, from_nothing)
    reserved = evidence.count(INSTRUCTIONS, fixed, in_room)
    return holds_if(growing > reserved * (1 + SAME), f"instructions a creation: {wording.figure(growing)} growing, "
                    f"{wording.figure(reserved)} with all room from the beginning", growing / reserved)


def _cheaper_change(evidence: Evidence) -> Ruling:
    place = where("structural", others="4", sets="1", grouped="no")
    pools, sections = evidence.counts(INSTRUCTIONS, [MAP, SECTIONS], place)
    return holds_if(sections > CLEARLY * pools, f"instructions a structural change, 4 other components: "
                    f"{wording.figure(pools)} in pools, {wording.figure(sections)} in sections", sections / pools)


def _poorer_iteration(evidence: Evidence) -> Ruling:
    """In cache both need the same; beyond it pools in unrelated orders fetch a line an entity, sections do not."""
    place = evidence.at_largest(MISSES, [MAP, SECTIONS], where("join", order="unrelated", via="each"))
    pools, sections = evidence.counts(MISSES, [MAP, SECTIONS], place)
    floor = evidence.count(FLOOR, MAP, place)
    return holds_if(pools > CLEARLY * sections,
                    f"misses an entity of a join, orders unrelated: {wording.figure(pools)} in pools, "
                    f"{wording.figure(sections)} in sections (floor {wording.figure(floor)})", pools / sections)


def _speed_up(evidence: Evidence) -> Ruling:
    """Of packed arrays, as a share of what memory gains by as many threads: ratios of one block at each number of them,
    so that what else the machine does cancels."""
    place = where("point_mass_parallel")
    against_memory = dict(evidence.time_ratios(MAP, BANDWIDTH, place, "threads"))
    if 1 not in against_memory or len(against_memory) == 1:
        raise Missing(f"{TIME} of {MAP} and {BANDWIDTH} in {place} threads:2")
    beaten = [threads for threads, ratio in against_memory.items() if ratio.high < NEARLY_ALL]
    if beaten:
        raise Missing(f"a {BANDWIDTH} that is the limit: with threads:{beaten[0]} {MAP} takes less than "
                      f"{NEARLY_ALL:g} times as long")
    shares = [(threads, quotient(against_memory[1], ratio)) for threads, ratio in against_memory.items() if threads > 1]
    return more_than(NEARLY_ALL, Trend(shares, "threads"), "the speed-up is {} that of the memory bandwidth")


CLAIMS = (
    Claim(
        id="C20",
        source="NG",
        statement="swap-and-pop beats order-keeping erase, and preallocation avoids the cost of growth",
        test=(
            "`removal`: a removal that keeps the order executes more instructions than one that moves the last row. "
            "`create` one by one: the hash index executes more while it grows than with all room from the beginning."
        ),
        refuted_by="as few instructions in order, or while growing",
        parts=(_ordered_is_dearer, _growth_costs),
    ),
    Claim(
        id="C25",
        source="B2, WE",
        statement="loops over linear arrays parallelise trivially",
        test=(
            "`point_mass_parallel`, packed arrays: with every number of threads at least 80 % of the speed-up of a "
            "loop that only reads and writes the same bytes (`reference.bandwidth`), which is all that memory allows."
        ),
        refuted_by="less than four fifths of the speed-up that memory allows",
        parts=(_speed_up,),
    ),
    Claim(
        id="C26",
        source="CGVC 2025, doi 10.2312/cgvc.20251224",
        statement="sparse sets change structure more cheaply and iterate with poorer scaling; archetypes the reverse",
        test=(
            "`indirection_map` and `archetype_sections`. `structural`, four other components: sections execute more "
            "than 1.5 times the instructions. `join` via:each in unrelated orders, at the largest size: pools miss "
            "more than 1.5 times as much."
        ),
        refuted_by="changes as cheap in sections, or joins as cheap in pools",
        parts=(_cheaper_change, _poorer_iteration),
    ),
)
