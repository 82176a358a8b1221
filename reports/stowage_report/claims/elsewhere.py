"""Claims of Nomad's article on component managers (NG), of several articles, and of a paper (CGVC 2025)."""

from __future__ import annotations

from stowage_report.claims.evidence import FLOOR, INSTRUCTIONS, MISSES, TIME, Evidence, Missing, Where, where
from stowage_report.claims.ruling import Claim, Ruling, Verdict
from stowage_report.claims.shapes import Trend, if_known, longer_elsewhere, more_than, takes_longer
from stowage_report.data import wording
from stowage_report.data.estimates import quotient

BANDWIDTH = "reference.bandwidth"
MAP, HASH, SECTIONS = "indirection_map", "hash_index", "archetype_sections"
#: Nomad's component manager; `hash_index` is the same design in arrays that grow.
FIXED = f"{HASH}.fixed_capacity"
#: Of the speed-up that memory allows: a fifth is left for handing out chunks and for waiting on the last of them.
NEARLY_ALL = 0.8


def _ordered_is_dearer(evidence: Evidence) -> Ruling:
    return longer_elsewhere(evidence, (FIXED, where("removal", rows="ordered")), (FIXED, where("removal", rows="any")),
                             "a removal in order takes {} as long as one that moves the last row into the hole")


def _growth_costs(evidence: Evidence) -> Ruling:
    return longer_elsewhere(evidence, (HASH, where("create", how="single", memory="growing", components="4")),
                             (FIXED, where("create", how="single", memory="reserved", components="4")),
                             "a creation takes {} as long in arrays that grow as with all room from the beginning")


def _cheaper_change(evidence: Evidence) -> Ruling:
    return takes_longer(evidence, SECTIONS, MAP, where("structural", others="4", sets="1", grouped="no"),
                        "a structural change, 4 other components, takes {} as long in sections as in pools")


def _poorer_scaling(evidence: Evidence) -> Ruling:
    """Pools are behind with many entities, and further than with few."""
    place = where("join", order="unrelated", via="each")
    points = evidence.time_ratios(MAP, SECTIONS, place)
    if len(points) < 2:
        raise Missing(f"{TIME} of {MAP} and {SECTIONS} in {place} at two sizes")
    trend, few, many = Trend(points), points[0][1], points[-1][1]
    told = trend.told("a join, orders unrelated, takes {} as long in pools as in sections")
    told += f", {wording.number(few.median)} with the fewest and {wording.number(many.median)} with the most"
    known = few.has_interval and many.has_interval
    if known and many.low > max(1, few.high):
        ruling = Ruling(Verdict.HOLDS, told, trend.interval)
    elif known and (many.high < 1 or many.high < few.low):
        ruling = Ruling(Verdict.REFUTED, told, trend.interval)
    else:
        ruling = Ruling(Verdict.UNDECIDED, f"{told}; needs narrower intervals: --preset full", trend.interval)

    def counted() -> str:
        largest = evidence.at_largest(MISSES, [MAP, SECTIONS], place)
        pools, sections = evidence.counts(MISSES, [MAP, SECTIONS], largest)
        return (f"misses an entity {wording.figure(pools)} and {wording.figure(sections)}, floor "
                f"{wording.figure(evidence.count(FLOOR, MAP, largest))}")

    return ruling.beside(if_known(evidence, counted))


def _speed_up(evidence: Evidence) -> Ruling:
    """Of packed arrays, as a share of what memory gains by as many threads: ratios of one block at each number of them,
    so that what else the machine does cancels."""
    place = where("point_mass_parallel")
    against_memory = dict(evidence.time_ratios(MAP, BANDWIDTH, place, "threads"))
    if 1 not in against_memory or len(against_memory) == 1:
        raise Missing(f"{TIME} of {MAP} and {BANDWIDTH} in {place} threads:2")
    beaten = [threads for threads, ratio in against_memory.items() if ratio.high < NEARLY_ALL]
    if beaten:
        raise Missing(f"a {BANDWIDTH} that is the limit: with threads:{beaten[0]:g} {MAP} takes less than "
                      f"{NEARLY_ALL:g} times as long")
    shares = [(threads, quotient(against_memory[1], ratio)) for threads, ratio in against_memory.items() if threads > 1]
    each = ", ".join(f"{wording.number(share.median)} with {threads:g}" for threads, share in shares)
    return more_than(NEARLY_ALL, Trend(shares, "threads"), "the speed-up is {} that of the memory bandwidth").beside(
        f"by threads {each}")


CLAIMS = (
    Claim(
        id="C20",
        source="NG",
        heading="Contiguous array of data",
        quote="changing size would be an expensive operation",
        statement="swap-and-pop beats order-keeping erase, and preallocation avoids the cost of growth",
        test=(
            "`removal`: a removal that keeps the order takes longer than one that moves the last row. `create` one by "
            "one: the hash index takes longer while it grows than the same with all room from the beginning."
        ),
        why=(
            "The manager is Nomad's, a hash map before arrays of a fixed size. The article sets its removal against "
            "`vec.erase()`, after which all indices shift, and its arrays against ones that grow."
        ),
        refuted_by="a size at which removal in order, or creation while growing, is as fast",
        parts=(_ordered_is_dearer, _growth_costs),
    ),
    Claim(
        id="C25",
        source="B2, WE",
        heading="Component Updates",
        quote="easy to profile, vectorize and parallelize",
        statement="loops over linear arrays parallelise trivially",
        test=(
            "`point_mass_parallel`, packed arrays: with every number of threads that the run has at least 80 % of the "
            "speed-up of a loop that only reads and writes the same bytes (`reference.bandwidth`), which is all that "
            "memory allows."
        ),
        why=(
            "The loop is B2's `simulate()`, by the parallel for that WE names. That it is easy, the code shows; what "
            "can fail is the gain. More threads than memory can feed are not held against the claim, and a fifth is "
            "left for handing out the work."
        ),
        refuted_by="less than four fifths of the speed-up that memory allows",
        parts=(_speed_up,),
    ),
    Claim(
        id="C26",
        source="CGVC 2025, doi 10.2312/cgvc.20251224",
        heading="abstract",
        quote="cheaper entity modifications but scale poorly during iteration",
        statement="sparse sets change structure more cheaply and iterate with poorer scaling; archetypes the reverse",
        test=(
            "`indirection_map` and `archetype_sections`. `structural`, four other components: sections take longer at "
            "every size. `join` via:each in unrelated orders: with the most entities pools take longer, and by a "
            "larger factor than with the fewest."
        ),
        why=(
            "The paper compares an implementation of each by iteration and by changes of the component set. "
            "\"Scale\" is about how the difference grows, so that the smallest and the largest size are compared."
        ),
        refuted_by="changes as fast in sections, or joins whose factor does not grow",
        parts=(_cheaper_change, _poorer_scaling),
    ),
)
