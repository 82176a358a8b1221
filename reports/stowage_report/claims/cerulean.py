"""Claims of Cerulean Skies' article on cache-friendly entity component systems (CS)."""

from __future__ import annotations

from stowage_report.claims.evidence import FLOOR, INSTRUCTIONS, MISSES, SLACK, Evidence, Where, where
from stowage_report.claims.ruling import Claim, Prediction, Ruling, Verdict
from stowage_report.claims.shapes import ABOUT, SAME, Trend, exactly, holds_if, more_than
from stowage_report.data import wording
from stowage_report.data.crossing import RatioCurve
from stowage_report.data.metrics import SPIKE

MAP, HASH, SECTIONS = "indirection_map", "hash_index", "archetype_sections"
FIXED = f"{SECTIONS}.fixed_32k"
SIZES = tuple(f"{SECTIONS}.fixed_{size}k" for size in (4, 16, 32, 128))
ORDERS = ("same", "unrelated")

#: A loop over a list of entities reads of each its handle, and of heap objects the pointer at that handle's index: both
#: 8 bytes in a line of 64, which in unrelated orders is a line of its own. The articles walk a list of pointers.
LISTED = 8 / 64
POINTER = {"same": 8 / 64, "unrelated": 1.0}


def _loop(order: str) -> Where:
    return where("join", order=order, via="find")


def _three_misses(evidence: Evidence) -> Ruling:
    counted = evidence.count(MISSES, "naive_objects", _loop("unrelated"))
    return _predicted("naive_objects", 3, {"unrelated": counted - POINTER["unrelated"]},
                      f"{wording.number(counted)} misses an entity, without that of the pointer behind a handle ")


def _one_miss(evidence: Evidence) -> Ruling:
    return _predicted("object_indices", 1,
                      {order: _beyond_streaming(evidence, "object_indices", order) - POINTER[order]
                       for order in ORDERS}, "misses an entity beyond streaming: ")


def _no_miss(evidence: Evidence) -> Ruling:
    return _predicted(HASH, 0, {order: _beyond_streaming(evidence, HASH, order) for order in ORDERS},
                      "misses an entity beyond streaming: ")


def _beyond_streaming(evidence: Evidence, strategy: str, order: str) -> float:
    """What the loop misses more than both components and the list, read one after the other, would."""
    place = evidence.at_largest(MISSES, [strategy], _loop(order))
    counted, floor = (evidence.count(metric, strategy, place) for metric in (MISSES, FLOOR))
    return counted - floor - LISTED


def _predicted(subject: str, predicted: float, counted: dict[str, float], what: str) -> Ruling:
    """By the order in which things were made: within a quarter (of a miss, at least) of what was predicted.

    If one order is beyond that and another is not, or lies on the other side, it depends on the order.
    """
    room = ABOUT * max(1.0, predicted)
    sides = {(count > predicted + room) - (count < predicted - room) for count in counted.values()}
    verdict = Verdict.DEPENDS if len(sides) > 1 else Verdict.HOLDS if sides == {0} else Verdict.REFUTED
    told = " and ".join(f"{wording.number(count)} (order:{order})" for order, count in counted.items())
    return Ruling(verdict, f"{what}{told}, predicted {predicted:g}", exactly(*counted.values()),
                  Prediction(subject, predicted, room, counted))


def _nodes_are_slower(evidence: Evidence) -> Ruling:
    points = evidence.time_ratios(f"{HASH}.node_hash", HASH, where("lookup", components="1"))
    return more_than(1, Trend(points), "a lookup in `std::unordered_map` takes {} as long as by open addressing")


def _interleaving(evidence: Evidence) -> Ruling:
    """By lookup along the number of components, and by iteration over entities of which all is used."""
    points = evidence.count_ratios(MISSES, MAP, "interleaved_pairs", where("lookup"), "components")
    columns, interleaved = evidence.counts(MISSES, [MAP, "interleaved_pairs"],
                                           where("join", order="grouped", via="each"))
    by_look_up, by_loop = points[-1][1].median, columns / interleaved
    wins = [ratio > 1 + SAME for ratio in (by_look_up, by_loop)]
    told = (f"columns miss {wording.number(by_look_up)} times as often as interleaved rows by lookup of "
            f"{points[-1][0]:g} components, {wording.number(by_loop)} times in a loop over all")
    if all(wins) or not any(wins):
        return holds_if(all(wins), told, by_look_up, by_loop)
    crossings = RatioCurve([place for place, _ in points], [ratio for _, ratio in points]).crossings()
    if not crossings:
        return Ruling(Verdict.DEPENDS, told, exactly(by_look_up, by_loop))
    return Ruling(Verdict.DEPENDS, f"{told}; by lookup more often from {crossings[0].at:.2g} components on",
                  (points[0][0], points[-1][0]))


def _section_is_quicker(evidence: Evidence) -> Ruling:
    points = evidence.time_ratios(HASH, SECTIONS, where("lookup", components="1"))
    return more_than(1, Trend(points), f"a lookup in {HASH} takes {{}} as long as in {SECTIONS}")


def _at_equal_misses(evidence: Evidence) -> Ruling:
    of_map, of_section = evidence.counts(MISSES, [HASH, SECTIONS], where("lookup", components="1"))
    return holds_if(abs(of_map / of_section - 1) <= ABOUT, f"{wording.number(of_section)} misses a lookup against "
                    f"{wording.number(of_map)} of {HASH}, {wording.number(of_map / of_section)} times as many",
                    of_map / of_section)


def _no_spike(evidence: Evidence) -> Ruling:
    ratios = evidence.ratios(SPIKE, SECTIONS, FIXED, where("spike", memory="growing"))
    return more_than(1, Trend(ratios),
                     "the frame of the spike takes {} as long with growing sections as with fixed ones")


def _thin_sets_waste(evidence: Evidence) -> Ruling:
    growing, fixed = evidence.counts(SLACK, [SECTIONS, FIXED], where("fragmented", 16384, sets="64"))
    return holds_if(fixed > growing, f"unused bytes an entity with 64 sets of 256: {wording.number(fixed)} fixed, "
                    f"{wording.number(growing)} growing", fixed)


def _one_pass(evidence: Evidence) -> Ruling:
    """Four components in one `find` against four of one each, by instructions.

    Four lookups of one component execute four times what one does, but for what the loop itself does once: at most as
    much as the whole hand-written lookup executes. So four passes take at least `least`, and 4 x one at most.
    """
    rulings = {}
    for strategy in (SECTIONS, f"{SECTIONS}.byte_stream"):
        at_one, at_four = evidence.at_largest_common(
            INSTRUCTIONS, ([strategy, "reference"], where("lookup", components="1")),
            ([strategy], where("lookup", components="4")))
        one, loop = evidence.counts(INSTRUCTIONS, [strategy, "reference"], at_one)
        four = evidence.count(INSTRUCTIONS, strategy, at_four)
        rulings[strategy] = (four, 4 * (one - loop) + loop, 4 * one)
    told = "; ".join(f"{strategy}: {wording.figure(four)} instructions in one pass, {wording.figure(least)} to "
                     f"{wording.figure(most)} in four" for strategy, (four, least, most) in rulings.items())
    ratios = [bound / four for four, least, most in rulings.values() for bound in (least, most)]
    if all(four < least for four, least, _ in rulings.values()):
        return Ruling(Verdict.HOLDS, told, exactly(*ratios))
    refuted = any(four > most for four, _, most in rulings.values())
    return Ruling(Verdict.REFUTED if refuted else Verdict.UNDECIDED,
                  told if refuted else f"{told}; needs a count of four lookups", exactly(*ratios))


def _fewer_misses_when_bigger(evidence: Evidence) -> Ruling:
    counts = evidence.counts(MISSES, SIZES, where("point_mass"))
    return holds_if(_falls(counts), f"misses an entity from 4 to 128 KiB: {_steps(counts)}", *counts)


def _more_waste_when_bigger(evidence: Evidence) -> Ruling:
    slack = evidence.counts(SLACK, SIZES, where("fragmented", 16384, sets="64"))
    return holds_if(_falls(slack[::-1]), f"unused bytes an entity, 64 sets: {_steps(slack)}", *slack)


def _falls(values: list[float]) -> bool:
    """Never rises, and ends clearly lower."""
    return all(later <= earlier for earlier, later in zip(values, values[1:])) and values[-1] < values[0] / (1 + SAME)


def _steps(values: list[float]) -> str:
    return ", ".join(map(wording.figure, values))


def _survivors(evidence: Evidence) -> Ruling:
    """Of sections in which holes stay, as published: lines a survivor costs, before and after."""
    strategy = f"{FIXED}_free_list"
    left, tidied = evidence.at_largest_common(
        MISSES, *(([strategy], where("aging", work="despawn", frames="0", defragment=each)) for each in ("no", "yes")))
    before, floor = (evidence.count(metric, strategy, left) for metric in (MISSES, FLOOR))
    after = evidence.count(MISSES, strategy, tidied)
    return holds_if(before > 1.5 * floor and after < 1.1 * floor,
                    f"misses a survivor of nine tenths gone: {wording.figure(before)}, defragmented "
                    f"{wording.figure(after)} (floor {wording.figure(floor)})", before / after)


CLAIMS = (
    Claim(
        id="C10",
        source="CS",
        statement="naive objects: about 3 cache misses an entity in a loop over two components",
        test=(
            "`join` via:find at the largest size, objects and components made in unrelated orders, as the article has "
            "it. The line of the pointer behind each handle is taken off, because the article's list has pointers. "
            "Within a quarter of 3."
        ),
        refuted_by="fewer than 2.25 or more than 3.75 misses",
        parts=(_three_misses,),
    ),
    Claim(
        id="C11",
        source="CS",
        statement="indices into flat arrays: about 1 miss an entity remains, that of the heap entity",
        test=(
            "The same loop; counted is what exceeds the streaming of list and components, without the line of the "
            "pointer behind each handle. Within a quarter of 1, with everything made in the order of the loop (the "
            "article's components) and in unrelated orders (the article's entities)."
        ),
        refuted_by="more than 1.25 or fewer than 0.75 misses in both orders",
        parts=(_one_miss,),
    ),
    Claim(
        id="C12",
        source="CS",
        statement="a loop over flat arrays behind a hash map adds no cache miss an entity to streaming",
        test="The same loop; at most a quarter of a miss beyond the streaming of list and components.",
        refuted_by="more than a quarter of a miss an entity, even with everything made in the order of the loop",
        parts=(_no_miss,),
    ),
    Claim(
        id="C13",
        source="CS",
        statement="`std::unordered_map` is unsuitable as the index, and open addressing ideal",
        test=(
            "`lookup` of one component: the node-based map takes longer at every size. Each has the hash it comes "
            "with; the standard library's is the number itself, and indices of entities, which are consecutive, then "
            "never collide."
        ),
        refuted_by="sizes at which the node-based map is as fast",
        parts=(_nodes_are_slower,),
    ),
    Claim(
        id="C14",
        source="CS",
        statement="interleaving wins when many components are used together",
        test=(
            "Misses of columns against interleaved rows, if all components of a group are used: by `lookup` of "
            "four, and by iteration in `join` via:each of a group."
        ),
        refuted_by="as few misses from columns",
        parts=(_interleaving,),
    ),
    Claim(
        id="C15",
        source="CS",
        statement="a lookup in sections is faster than one in a hash map, with as many cache misses",
        test="`lookup` of one component: the hash index takes longer at every size, with misses within a quarter.",
        refuted_by=(
            "a size at which the map is as quick, or misses that differ by more than a quarter, whichever has fewer"
        ),
        parts=(_section_is_quicker, _at_equal_misses),
    ),
    Claim(
        id="C16",
        source="CS",
        statement=(
            "fixed-size sections avoid the time spikes of growing ones; they waste memory if many sets are thin"
        ),
        test=(
            "`spike` memory:growing: the frame in which a quarter more entities come takes longer with growing "
            "sections (median of such frames, with its interval). `fragmented`, 64 sets of 256 entities: fixed "
            "sections leave more bytes unused."
        ),
        refuted_by="a spike as long, or no more unused bytes",
        parts=(_no_spike, _thin_sets_waste),
    ),
    Claim(
        id="C17",
        source="CS",
        statement="fetching all components of an entity in one pass beats one pass for each",
        test=(
            "`lookup`, instructions of one `find` of four components against the least that four of one can take, in "
            "growing sections and in the self-describing byte stream that the article walks."
        ),
        refuted_by="one pass that executes more than four",
        parts=(_one_pass,),
    ),
    Claim(
        id="C18",
        source="CS",
        statement="bigger sections mean fewer misses per iteration and more waste",
        test=(
            "4, 16, 32 and 128 KiB: misses of `point_mass` never rise, unused bytes of `fragmented` with 64 sets "
            "never fall."
        ),
        refuted_by="a larger size that misses more or wastes less",
        parts=(_fewer_misses_when_bigger, _more_waste_when_bigger),
    ),
    Claim(
        id="C19",
        source="CS",
        statement="after a spike the survivors iterate poorly, and incremental defragmentation repairs it",
        test=(
            "`aging` work:despawn, nine tenths gone, sections with free lists: more than 1.5 times the floor's lines "
            "before, less than 1.1 times after `defragment()` until nothing moves. That it goes in steps of any budget "
            "is held by tests."
        ),
        refuted_by="survivors at the floor before, or above it after",
        parts=(_survivors,),
    ),
)
