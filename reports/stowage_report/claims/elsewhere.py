"""Claims of Nomad's article on component managers (NG), of several articles, and of a paper (CGVC 2025)."""

from stowage_report.claims.evidence import FLOOR, MISSES, TIME, Evidence, Missing, where
from stowage_report.claims.ruling import Part, Ruling, Verdict
from stowage_report.claims.shapes import Trend, if_known, longer, longer_apart, more_than
from stowage_report.data import wording
from stowage_report.data.estimates import quotient

BANDWIDTH = "reference.bandwidth"
MAP, HASH, SECTIONS = "indirection_map", "hash_index", "archetype_sections"
#: Nomad's component manager; `hash_index` is the same design in arrays that grow.
FIXED = f"{HASH}.fixed_capacity"
#: Of the speed-up that memory allows: a fifth is left for handing out chunks and for waiting on the last of them.
NEARLY_ALL = 0.8


def _poorer_scaling(evidence: Evidence) -> Ruling:
    """Pools are behind with many entities, and further than with few."""
    place = where("join", order="unrelated", via="each")
    points = evidence.ratios(TIME, MAP, SECTIONS, place)
    if len(points) < 2:
        raise Missing(f"{TIME} of {MAP} and {SECTIONS} in {place} at two sizes")
    trend, few, many = Trend(points), points[0][1], points[-1][1]
    told = trend.told("a join in unrelated orders takes {} as long in pools as in sections")
    told += f", {wording.number(few.median)} with the fewest entities and {wording.number(many.median)} with the most"
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
        return (f"{wording.figure(pools)} and {wording.figure(sections)} misses per entity, floor "
                f"{wording.figure(evidence.count(FLOOR, MAP, largest))}")

    return ruling.beside(if_known(evidence, counted))


def _speed_up(evidence: Evidence) -> Ruling:
    """Of packed arrays, as a share of what memory gains by as many threads: ratios of one block at each number of them,
    so that what else the machine does cancels."""
    place = where("point_mass_parallel")
    against_memory = dict(evidence.ratios(TIME, MAP, BANDWIDTH, place, "threads"))
    if 1 not in against_memory or len(against_memory) == 1:
        raise Missing(f"{TIME} of {MAP} and {BANDWIDTH} in {place} threads:2")
    beaten = [threads for threads, ratio in against_memory.items() if ratio.high < NEARLY_ALL]
    if beaten:
        raise Missing(f"a {BANDWIDTH} that is the limit: with threads:{beaten[0]:g} {MAP} takes less than "
                      f"{NEARLY_ALL:g} times as long")
    shares = [(threads, quotient(against_memory[1], ratio)) for threads, ratio in against_memory.items() if threads > 1]
    each = ", ".join(f"{wording.number(share.median)} times with {threads:g} threads" for threads, share in shares)
    return more_than(NEARLY_ALL, Trend(shares, "threads"), "the speed-up is {} that of the memory bandwidth").beside(
        each)


PARTS: dict[str, tuple[Part, ...]] = {
    "C20": (longer_apart((FIXED, where("removal", rows="ordered")), (FIXED, where("removal", rows="any")),
                         "a removal in order takes {} as long as one that moves the last row into the hole"),
            longer_apart((HASH, where("create", how="single", memory="growing", components="4")),
                         (FIXED, where("create", how="single", memory="reserved", components="4")),
                         "a creation takes {} as long in arrays that grow as with all room from the beginning")),
    "C25": (_speed_up,),
    "C26": (longer(SECTIONS, MAP, where("structural", others="4", sets="1", grouped="no"),
                   "a structural change with 4 other components takes {} as long in sections as in pools"),
            _poorer_scaling),
}
