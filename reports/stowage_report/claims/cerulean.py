"""Claims of Cerulean Skies' article on cache-friendly entity component systems (CS)."""

from __future__ import annotations

from stowage_report.claims.evidence import (BYTES, FLOOR, INDEX, INSTRUCTIONS, MISSES, SLACK, TIME, Evidence, Missing,
                                            Where, where)
from stowage_report.claims.ruling import Claim, Prediction, Ruling, Verdict, apart
from stowage_report.claims.shapes import (ABOUT, MUCH, SAME, Trend, exactly, holds_if, if_known, more_than, ratio_beside,
                                          takes_longer)
from stowage_report.data import wording
from stowage_report.data.crossing import RatioCurve
from stowage_report.data.estimates import Estimate, quotient
from stowage_report.data.metrics import SPIKE
from stowage_report.data.model import ENTITIES

MAP, HASH, SECTIONS = "indirection_map", "hash_index", "archetype_sections"
#: The article's: key and value together in a flat array; the hash is not given. A modern one is Boost's.
TABLE, BY_IDENTITY, BOOST = f"{HASH}.linear", f"{HASH}.linear_identity", f"{HASH}.flat_map"
NODES = f"{HASH}.node_hash"
#: What engines wrote instead of the article's objects: one object, with its components as fields.
INLINE = "naive_objects.inline_fields"
#: The article's sections: growing, with a stream of bytes that a lookup walks; of a fixed size, with a free list.
STREAM, FIXED = f"{SECTIONS}.byte_stream", f"{SECTIONS}.fixed_32k_free_list"
KIBIBYTES = (4, 16, 32, 128)
SIZES = tuple(f"{SECTIONS}.fixed_{size}k" for size in KIBIBYTES)
SINGLE, ALL_FOUR = where("lookup", components="1"), where("lookup", components="4")
#: Of an entity of point_mass.
ROW_BYTES = 40
ORDERS = ("same", "unrelated")
#: The article's record, with four bytes for each offset.
OFFSETS = "offset_table"

#: A loop over a list of entities reads of each its handle, and of heap objects the pointer at that handle's index: both
#: 8 bytes in a line of 64, which in unrelated orders is a line of its own. The articles walk a list of pointers.
LISTED = 8 / 64
POINTER = 1.0


def _misses_again(evidence: Evidence) -> Ruling:
    def misses(strategy: str) -> list[float]:
        places = (where("streams", components=components) for components in ("1", "16"))
        common = evidence.at_largest_common(MISSES, *(([strategy], place) for place in places))
        return [evidence.count(MISSES, strategy, place) for place in common]

    def spread() -> str:
        return f"{' and '.join(map(wording.figure, misses(f'{MAP}.vectors')))} if arrays begin at different distances"

    one, sixteen = misses("reference.vectors")
    return holds_if(sixteen > one * (1 + SAME), f"misses a component {wording.figure(one)} in a loop over one and "
                    f"{wording.figure(sixteen)} over 16, with an allocation each",
                    sixteen / one).beside(if_known(evidence, spread))


def _record_grows(evidence: Evidence) -> Ruling:
    """Of offsets with four bytes: twice as much is allowed as of the article's two."""
    few, many = evidence.at_largest_common(
        BYTES, *(([OFFSETS, HASH], where("wide", do="100_systems", types=types)) for types in ("8", "300")))
    held, other = evidence.counts(BYTES, [OFFSETS, HASH], many)
    at_few, at_many = (Trend(evidence.count_ratios(BYTES, OFFSETS, HASH, place)).ratios[-1][1].median
                       for place in (few, many))
    return holds_if(at_many > 2 * MUCH and at_many > at_few,
                    f"{OFFSETS} holds {wording.number(at_few)} times the bytes of {HASH} with 8 types and "
                    f"{wording.number(at_many)} times with 300 ({wording.figure(held)} and {wording.figure(other)} an "
                    "entity)", at_few, at_many).beside(
        ratio_beside(evidence, TIME, OFFSETS, HASH, many, "100 systems take {} as long"))


def _loop(order: str) -> Where:
    return where("join", order=order, via="find")


def _three_misses(evidence: Evidence) -> Ruling:
    counted = evidence.count(MISSES, "naive_objects", _loop("unrelated"))
    return _predicted("naive_objects", 3, {"unrelated": counted - POINTER},
                      f"{wording.number(counted)} misses per entity, without the pointer behind a handle "
                      ).beside(if_known(evidence, lambda: _inline(evidence)))


def _inline(evidence: Evidence) -> str:
    counted = evidence.count(MISSES, INLINE, _loop("unrelated"))
    return f"{wording.number(counted - POINTER)} with the components inside the object"


def _one_miss(evidence: Evidence) -> Ruling:
    return _predicted("object_indices", 1,
                      {"scattered": _beyond_streaming(evidence, "object_indices", "scattered") - POINTER},
                      "misses per entity, beyond those of a plain scan: ")


def _no_miss(evidence: Evidence) -> Ruling:
    def beyond(table: str) -> dict[str, float]:
        return {order: max(0.0, _beyond_streaming(evidence, table, order, INDEX, SLACK)) for order in ORDERS}

    def modern() -> str:
        counted = [f"{wording.number(count)} (order:{order})" for order, count in beyond(BOOST).items()]
        return f"{wording.listing(counted)} with Boost's flat map"

    hashes = {"a hash that mixes": TABLE, "a hash that is the number itself": BY_IDENTITY}
    return apart({named: _predicted(table, 0, beyond(table), "misses per entity, beyond a plain scan: ")
                  for named, table in hashes.items()}).beside(if_known(evidence, modern))


def _beyond_streaming(evidence: Evidence, strategy: str, order: str, *streamed: str) -> float:
    """What the loop misses more than both components, the list and the bytes of these kinds, each read once from
    beginning to end, would."""
    place = evidence.at_largest(MISSES, [strategy], _loop(order))
    counted, floor, *more_bytes = (evidence.count(metric, strategy, place) for metric in (MISSES, FLOOR, *streamed))
    return counted - floor - LISTED - sum(more_bytes) / 64


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


def _unsuitable(evidence: Evidence) -> Ruling:
    """The node-based map against the flat one, in all that an allocation for each entity makes dearer."""
    what = "takes {} as long"
    held = Trend(evidence.count_ratios(BYTES, NODES, TABLE, SINGLE))
    return apart({
        "creation": takes_longer(evidence, NODES, TABLE, where("create", how="single", memory="growing", components="4"), what),
        "destruction": takes_longer(evidence, NODES, TABLE, where("destroy", how="each_shuffled"), what),
        "a lookup": takes_longer(evidence, NODES, TABLE, SINGLE, what),
        "a lookup after 1000 frames of churn": takes_longer(
            evidence, NODES, TABLE, where("aging", work="lookup", frames="1000", defragment="no"), what),
        "memory": more_than(1, held, "holds {} the bytes"),
    }).beside(ratio_beside(evidence, TIME, NODES, BOOST, SINGLE, "a lookup takes {} as long as in Boost's flat map"))


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
    return Ruling(Verdict.DEPENDS, f"{told}; by lookup, columns miss more from {crossings[0].at:.2g} components on",
                  (points[0][0], points[-1][0]))


def _section_is_quicker(evidence: Evidence) -> Ruling:
    ruling = takes_longer(evidence, TABLE, STREAM, SINGLE, f"a lookup in {TABLE} takes {{}} as long as in {STREAM}")
    return ruling.beside(
        ratio_beside(evidence, TIME, TABLE, SECTIONS, SINGLE, f"{{}} as long as in {SECTIONS}, which has columns"),
        ratio_beside(evidence, TIME, BOOST, STREAM, SINGLE, "Boost's flat map takes {} as long as the stream"))


def _no_more_misses(evidence: Evidence) -> Ruling:
    of_map, of_section = evidence.counts(MISSES, [TABLE, STREAM], SINGLE)
    return holds_if(of_section <= of_map * (1 + SAME), f"{wording.number(of_section)} misses a lookup against "
                    f"{wording.number(of_map)} of {TABLE}", of_section / of_map)


def _no_spike(evidence: Evidence) -> Ruling:
    ratios = evidence.ratios(SPIKE, SECTIONS, FIXED, where("spike", memory="growing"))
    return more_than(1, Trend(ratios),
                     "the frame of the spike takes {} as long with growing sections as with fixed ones")


def _thin_sets_waste(evidence: Evidence) -> Ruling:
    growing, fixed = evidence.counts(SLACK, [SECTIONS, FIXED], where("fragmented", 16384, sets="64"))
    return holds_if(fixed > growing, f"unused bytes an entity with 64 sets of 256: {wording.number(fixed)} fixed, "
                    f"{wording.number(growing)} growing", fixed)


def _one_pass(evidence: Evidence) -> Ruling:
    """Four components in one `find` against four of one each, which no cell measures together.

    Four lookups take four times what one does, but for what is done once for all of them: at most as much as the whole
    hand-written lookup. So four passes take 4 x one - 3 x hand-written at least, and 4 x one at most.
    """
    one, by_hand, together = (dict(evidence.times(strategy, place, ENTITIES)) for strategy, place in (
        (STREAM, SINGLE), ("reference", SINGLE), (STREAM, ALL_FOUR)))
    sizes = sorted(one.keys() & by_hand.keys() & together.keys())
    if not sizes:
        raise Missing(f"{TIME} of {STREAM} in {SINGLE} and in {ALL_FOUR} with as many entities")
    least = Trend([(size, quotient(_four(one[size], by_hand[size]), together[size])) for size in sizes])
    most = Trend([(size, quotient(_four(one[size], Estimate(0, 0, 0)), together[size])) for size in sizes])
    wins = more_than(1, least, "four passes take at least {} as long as one")
    loses = more_than(1, most, "four passes take at most {} as long as one")
    counts = if_known(evidence, lambda: _instructions_of_one_pass(evidence))
    if wins.verdict is Verdict.HOLDS:
        return wins.beside(counts)
    if loses.verdict is Verdict.REFUTED:
        return loses.beside(counts)
    return Ruling(Verdict.UNDECIDED, f"{wins.figure}; {loses.figure}; needs the time of four lookups").beside(counts)


def _four(one: Estimate, once: Estimate) -> Estimate:
    """Times of four lookups that share what takes so long once; no fewer than one."""
    median = max(one.median, 4 * one.median - 3 * once.median)
    if not (one.has_interval and once.has_interval):
        return Estimate(median)
    return Estimate(median, max(one.low, 4 * one.low - 3 * once.high), max(one.high, 4 * one.high - 3 * once.low))


def _instructions_of_one_pass(evidence: Evidence) -> str:
    at_one, at_four = evidence.at_largest_common(INSTRUCTIONS, ([STREAM], SINGLE), ([STREAM], ALL_FOUR))
    one, four = (evidence.count(INSTRUCTIONS, STREAM, place) for place in (at_one, at_four))
    return f"{wording.figure(four)} instructions in one pass over four, {wording.figure(one)} in one over one"


def _fewer_misses_when_bigger(evidence: Evidence) -> Ruling:
    """By as much as the article says: one miss for each section that a larger size does away with."""
    counts = evidence.counts(MISSES, SIZES, where("point_mass"))
    fewer_jumps = ROW_BYTES / 1024 * (1 / KIBIBYTES[0] - 1 / KIBIBYTES[-1])
    saved = (counts[0] - counts[-1]) / fewer_jumps
    time = ratio_beside(evidence, TIME, SIZES[0], SIZES[-1], where("point_mass"),
                        f"sections of {KIBIBYTES[0]} KiB take {{}} as long as of {KIBIBYTES[-1]}")
    return holds_if(_never_rises(counts) and saved >= 1, f"misses an entity from 4 to 128 KiB: {_steps(counts)}, "
                    f"{wording.number(max(0.0, saved))} for each section less", *counts).beside(time)


def _more_waste_when_bigger(evidence: Evidence) -> Ruling:
    slack = evidence.counts(SLACK, SIZES, where("fragmented", 16384, sets="64"))
    return holds_if(_never_rises(slack[::-1]) and slack[-1] > slack[0],
                    f"unused bytes an entity, 64 sets: {_steps(slack)}", *slack)


def _never_rises(values: list[float]) -> bool:
    return all(later <= earlier for earlier, later in zip(values, values[1:]))


def _steps(values: list[float]) -> str:
    return ", ".join(map(wording.figure, values))


def _survivors(evidence: Evidence) -> Ruling:
    """Of sections in which holes stay, as published: lines a survivor costs, before and after."""
    left, tidied = evidence.at_largest_common(
        MISSES, *(([FIXED], where("aging", work="despawn", frames="0", defragment=each)) for each in ("no", "yes")))
    before, floor = (evidence.count(metric, FIXED, left) for metric in (MISSES, FLOOR))
    after = evidence.count(MISSES, FIXED, tidied)
    return holds_if(before > 1.5 * floor and after < 1.1 * floor,
                    f"misses per survivor if nine tenths are gone: {wording.figure(before)}, after "
                    f"defragmentation {wording.figure(after)} (floor {wording.figure(floor)})", before / after)


CLAIMS = (
    Claim(
        id="C10",
        source="CS",
        heading="introduction",
        quote="very likely to trigger three per entity each time around the loop",
        statement="naive objects: about 3 cache misses an entity in a loop over two components",
        test=(
            "`join` via:find at the largest size, objects and components made in unrelated orders, as the article has "
            "it. The line of the pointer behind each handle is taken off, because the article's list has pointers. "
            "Within a quarter of 3."
        ),
        why=(
            "Objects, pointers, virtual call and loop are the article's, and \"scattered around randomly\" is its "
            "condition. \"Likely\" is read as a quarter more or less."
        ),
        refuted_by="fewer than 2.25 or more than 3.75 misses",
        parts=(_three_misses,),
    ),
    Claim(
        id="C11",
        source="CS",
        heading="Mike Action-ing it",
        quote="one cache miss per loop iteration caused by the heap-allocated entity",
        statement="indices into flat arrays: about 1 miss an entity remains, that of the heap entity",
        test=(
            "The same loop with order:scattered, entities made in an order of their own and both components in the "
            "order of the loop; counted is what exceeds the streaming of list and components, without the line of the "
            "pointer behind each handle. Within a quarter of 1."
        ),
        why=(
            "The article's entities are scattered on the heap, and its loop goes \"through a contiguous chunk of "
            "memory as we access each component\": with components in unrelated orders it would be another loop."
        ),
        refuted_by="more than 1.25 or fewer than 0.75 misses",
        parts=(_one_miss,),
    ),
    Claim(
        id="C12",
        source="CS",
        heading="What is an entity?",
        quote="6 cache misses upfront and 0 cache misses per entity",
        statement="a loop through a hash map adds no cache miss per entity to a plain scan",
        test=(
            "`join` via:find, less the misses of one pass over the list, both components and all bytes of index and "
            "slack of both maps: at most a quarter of a miss per entity is left. Tested with everything made in the "
            "order of the loop and in unrelated orders, each with a hash that mixes and with one that is the number "
            "itself."
        ),
        why=(
            "The map is the article's, key and value together in a flat array by open addressing. It counts a map as "
            "one miss up front, so that reading it in order costs nothing here. It gives neither the hash nor the "
            "order of creation: if the verdict changes with these, it depends on them."
        ),
        refuted_by="more than a quarter of a miss per entity is left with both hashes and in both orders",
        parts=(_no_miss,),
    ),
    Claim(
        id="C13",
        source="CS",
        heading="What is an entity?",
        quote="not suitable here as its allocation strategy is poor",
        statement="`std::unordered_map` is unsuitable as the index, and open addressing ideal",
        test=(
            "Against the article's flat array the node-based map takes longer to create entities one by one while it "
            "grows, to destroy them in a shuffle, and to look one up, fresh and after 1000 frames of churn; and it "
            "holds more bytes. If some of that is true and some is not, it depends on the use."
        ),
        why=(
            "The complaint is about allocation, so creation, destruction, memory and what churn makes of the heap "
            "count beside the fresh lookup. Each map has the hash it comes with; the standard library's is the number "
            "itself, and indices of entities, which are consecutive, then never collide."
        ),
        refuted_by="a node-based map that is as fast and as small in all of these",
        parts=(_unsuitable,),
    ),
    Claim(
        id="C14",
        source="CS",
        heading="Interleaving our data",
        quote="accessing many components at the same time",
        statement="interleaving wins when many components are used together",
        test=(
            "Misses of columns against interleaved rows, if all components of a group are used: by `lookup` of "
            "four, and by iteration in `join` via:each of a group."
        ),
        why=(
            "The article gives \"fewer cache misses\" as the gain, so that counts decide. It says that it depends on "
            "the use; the two uses are the loop that it shows and the lookup for which it has the map."
        ),
        refuted_by="as few misses from columns",
        parts=(_interleaving,),
    ),
    Claim(
        id="C15",
        source="CS",
        heading="Removing the map",
        quote="almost certainly quicker here ... our cache performance does remain the same",
        statement="a lookup in sections is faster than one in a hash map, and misses no more",
        test=(
            "`lookup` of one component: the hash map takes longer at every size, and the section has no more misses "
            "(up to 2 % more count as equal)."
        ),
        why=(
            "Both are the article's: the flat array by open addressing, and the section whose stream of bytes "
            "`get_component` walks. Speed is decided by time, the cache by counts. Fewer misses are not held against "
            "a claim that there are as many."
        ),
        refuted_by="a size at which the map is as quick, or more misses in the section",
        parts=(_section_is_quicker, _no_more_misses),
    ),
    Claim(
        id="C16",
        source="CS",
        heading="Fixed-size sections",
        quote="we reduce times spikes from reallocating",
        statement=(
            "fixed-size sections avoid the time spikes of growing ones; they waste memory if many sets are thin"
        ),
        test=(
            "`spike` memory:growing: the frame in which a quarter more entities come takes longer with growing "
            "sections (median of such frames, with its interval). `fragmented`, 64 sets of 256 entities: fixed "
            "sections leave more bytes unused."
        ),
        why=(
            "The fixed sections are the article's, 32 KiB with a free list. A frame in which many entities come is "
            "where reallocation shows, and 64 sets of which each has few are its \"many possible components with few "
            "actually used\"."
        ),
        refuted_by="a spike of growing sections that is no longer, or fixed sections that leave no more bytes unused",
        parts=(_no_spike, _thin_sets_waste),
    ),
    Claim(
        id="C17",
        source="CS",
        heading="Taking it even further",
        quote="in one pass rather than taking multiple passes",
        statement="fetching all components of an entity in one pass beats one pass for each",
        test=(
            "`lookup`: one `find` of four components takes less time than four lookups of one component take at "
            "least. That lower bound is four times the time of one lookup, minus three times that of the hand-written "
            "lookup."
        ),
        why=(
            "The storage is the article's stream of bytes, which `get_component` walks for each component and "
            "`get_components` once. Four lookups of the same entity are no cell, so that they are bounded from both "
            "sides; between the bounds nothing is decided."
        ),
        refuted_by="one pass that takes longer than four lookups of one component",
        parts=(_one_pass,),
    ),
    Claim(
        id="C18",
        source="CS",
        heading="Fixed-size sections",
        quote="The bigger the section, the fewer cache misses you'll get per iteration",
        statement="bigger sections mean fewer misses per iteration and more waste",
        test=(
            "Sections of 4, 16, 32 and 128 KiB. `point_mass`: misses never rise with the size. The largest size saves "
            "at least one miss for each section of 40-byte rows that it has fewer than the smallest. `fragmented` "
            "with 64 sets: unused bytes never fall with the size, and the largest size leaves more than the smallest."
        ),
        why=(
            "The bar is the article's own: \"an additional cache miss every time iteration skips a chunk\". How little "
            "that is in an iteration, the figures show. The sections stay packed, because the published ones have one "
            "size only; freshly made, both are filled alike."
        ),
        refuted_by="a larger size that misses more or wastes less, or less than a miss saved for each section",
        parts=(_fewer_misses_when_bigger, _more_waste_when_bigger),
    ),
    Claim(
        id="C19",
        source="CS",
        heading="Taking it even further",
        quote="this could result in poor cache performance",
        statement="after a spike the survivors iterate poorly, and incremental defragmentation repairs it",
        test=(
            "`aging` work:despawn, nine tenths destroyed, sections with free lists. Before `defragment()`: more than "
            "1.5 times the floor's lines. After calls of `defragment()` until nothing moves: less than 1.1 times. "
            "Tests check that it works in steps of any budget."
        ),
        why=(
            "A few entities that outlive a spike are the article's condition, and its sections keep their holes. It "
            "gives no number: poor is half as many lines again as needed, repaired a tenth at most."
        ),
        refuted_by="survivors at the floor before, or above it after",
        parts=(_survivors,),
    ),
    Claim(
        id="C31",
        source="CS",
        heading="What is an entity?",
        quote="you access too many in the same loop",
        statement="a loop over flat arrays misses again if it uses too many components",
        test=(
            "`streams`, a `std::vector` for each component (`reference.vectors`): more misses a component in a loop "
            "over 16 than in a loop over one. Arrays that begin at different distances from a page stand beside it."
        ),
        why=(
            "The article warns of the number of components in one loop. Its flat arrays have an allocation each. "
            "Large allocations begin at the same offset in a page, so their lines compete for the ways of one cache "
            "set; our strategies avoid that, so they are not what the article speaks of."
        ),
        refuted_by="no more misses than streaming with 16 components",
        parts=(_misses_again,),
    ),
    Claim(
        id="C32",
        source="CS",
        heading="What is an entity?",
        quote="This may become problematic as your system grows.",
        statement="a record of offsets per entity becomes a problem as the number of component types grows",
        test=(
            "`wide`, entities with 2 to 5 of 8 or of 300 component types. With 300 the record of offsets holds more than "
            "four times the bytes of a hash map for each type, and that ratio has grown since 8 types. Four times, "
            "because our offsets have four bytes and the article's two."
        ),
        why=(
            "The article gives the cost, 2 bytes for each entity and possible component, and does not say when it is a "
            "problem. Here it is one when the record takes more than twice what it was meant to replace."
        ),
        refuted_by="300 types with which the record is about as small as the maps",
        parts=(_record_grows,),
    ),
)
