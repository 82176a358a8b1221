"""Claims of Cerulean Skies' article on cache-friendly entity component systems (CS)."""

from dataclasses import replace
from typing import Mapping

from stowage_report.claims.evidence import (BYTES, FLOOR, INDEX, INSTRUCTIONS, MISSES, SLACK, TIME, Evidence, Missing,
                                            Where, where)
from stowage_report.claims.ruling import Part, Prediction, Ruling, Verdict, apart, somewhere
from stowage_report.claims.shapes import (ABOUT, MUCH, SAME, Trend, at_most, beside_rival, everywhere, exactly, holds_if, if_known,
                                          more_than, ratio_beside, slower, takes_longer)
from stowage_report.data import wording
from stowage_report.data.crossing import RatioCurve
from stowage_report.data.estimates import Estimate
from stowage_report.data.metrics import SPIKE
from stowage_report.data.model import ENTITIES

MAP, HASH, SECTIONS = "indirection_map", "hash_index", "archetype_sections"
#: The article's: key and value together in a flat array; the hash is not given. A modern one is Boost's.
TABLE, BY_IDENTITY, BOOST = (f"{HASH}.{form}" for form in ("linear", "linear_identity", "flat_map"))
#: The article's table with either hash, because it does not say which.
HASHES = {"a hash that mixes": TABLE, "a hash that is the number itself": BY_IDENTITY}
NODES = f"{HASH}.node_hash"
#: What engines wrote instead of the article's objects: one object, with its components as fields.
INLINE = "naive_objects.inline_fields"
#: The article's sections have a stream of bytes that a lookup walks. They grow, or have a fixed size and a free list;
#: the last is that with columns.
STREAM, PUBLISHED, FIXED = f"{SECTIONS}.byte_stream", f"{SECTIONS}.published", f"{SECTIONS}.fixed_32k_free_list"
#: The article's loops, without generations: over the streams of a section by four bytes of metadata, and by a map.
PUBLISHED_STREAMS = {"a stream of two components": "reference.byte_stream",
                     "the first two of eight": "reference.byte_stream_first",
                     "the last two of eight": "reference.byte_stream_last"}
PUBLISHED_MAPS = dict(zip(HASHES, ("reference.hash_map", "reference.hash_map_identity")))
BEFORE_AND_AFTER = [(f"{which}, {hashed}", stream, table) for hashed, table in PUBLISHED_MAPS.items()
                    for which, stream in PUBLISHED_STREAMS.items()]
KIBIBYTES = (4, 16, 32, 128)
SIZES = tuple(f"{SECTIONS}.fixed_{size}k" for size in KIBIBYTES)
#: The second has them next to each other. A row of `fragmented` has 12 bytes and 4 of its owner.
APART, TOGETHER = f"{SECTIONS}.fixed_32k", f"{SECTIONS}.fixed_32k_arena"
ROWS_OF_A_SECTION = 32 * 1024 / (12 + 4)
SINGLE, ALL_FOUR = where("lookup", components="1"), where("lookup", components="4")
#: Of an entity of point_mass.
ROW_BYTES = 40
ORDERS = ("same", "unrelated")
#: The article's record, with two bytes for each offset.
OFFSETS = "offset_table.16bit"

#: A loop over a list of entities reads of each its handle, and of heap objects the pointer at that handle's index: 8
#: bytes, which in unrelated orders is a line of its own. The articles walk a list of pointers.
LISTED_BYTES = 8
POINTER = 1.0


def _misses_again(evidence: Evidence) -> Ruling:
    """The article says that they may, and not where its arrays begin."""
    arrays = {"arrays at equal distances from a page": "reference.vectors",
              "arrays at different distances": f"{MAP}.vectors"}
    return somewhere({named: _more_with_16(evidence, strategy) for named, strategy in arrays.items()})


def _more_with_16(evidence: Evidence, strategy: str) -> Ruling:
    places = (where("streams", components=components) for components in ("1", "16"))
    common = evidence.at_largest(MISSES, *(([strategy], place) for place in places))
    one, sixteen = (evidence.count(MISSES, strategy, place) for place in common)
    return holds_if(sixteen > one * (1 + SAME), f"{wording.figure(one)} misses per component in a loop over one and "
                    f"{wording.figure(sixteen)} over 16", sixteen / one)


def _record_grows(evidence: Evidence) -> Ruling:
    few, many = evidence.at_largest(
        BYTES, *(([OFFSETS, HASH], where("wide", do="100_systems", types=types)) for types in ("8", "300")))
    held, other = evidence.counts(BYTES, [OFFSETS, HASH], many)
    at_few, at_many = (evidence.ratios(BYTES, OFFSETS, HASH, place)[-1][1].median for place in (few, many))
    return holds_if(at_many > MUCH and at_many > at_few,
                    f"{OFFSETS} takes {wording.number(at_few)} times the bytes of {HASH} with 8 types and "
                    f"{wording.number(at_many)} times with 300 ({wording.figure(held)} and {wording.figure(other)} "
                    "per entity)", at_few, at_many).beside(
        ratio_beside(evidence, TIME, OFFSETS, HASH, many, "100 systems take {} as long"))


def _loop(order: str) -> Where:
    return where("join", order=order, via="find")


def _three_misses(evidence: Evidence) -> Ruling:
    counted = evidence.count(MISSES, "naive_objects", _loop("unrelated"))

    def inline() -> str:
        misses = evidence.count(MISSES, INLINE, _loop("unrelated")) - POINTER
        return f"{wording.number(misses)} with the components inside the object"

    return _predicted("naive_objects", 3, {"unrelated": counted - POINTER},
                      f"{wording.number(counted)} misses per entity, without the pointer behind a handle "
                      ).beside(if_known(evidence, inline))


def _one_miss(evidence: Evidence) -> Ruling:
    return _predicted("object_indices", 1,
                      {"scattered": _beyond_streaming(evidence, "object_indices", "scattered") - POINTER},
                      "misses per entity, beyond a plain scan: ")


def _no_miss(evidence: Evidence) -> Ruling:
    def beyond(table: str) -> dict[str, float]:
        return {order: max(0.0, _beyond_streaming(evidence, table, order, INDEX, SLACK)) for order in ORDERS}

    ruling = apart({named: _predicted(table, 0, beyond(table), "misses per entity, beyond a plain scan: ")
                    for named, table in HASHES.items()}).beside(
        if_known(evidence, lambda: f"{_by_order(beyond(BOOST))} with Boost's flat map"))
    return replace(ruling, short=f"with a hash that mixes, the loop adds {_by_order(beyond(TABLE))} misses per entity")


def _beyond_streaming(evidence: Evidence, strategy: str, order: str, *streamed: str) -> float:
    """What the loop misses more than both components, the list and the bytes of these kinds, each read once from
    beginning to end, would."""
    (place,) = evidence.at_largest(MISSES, ([strategy], _loop(order)))
    counted, floor, *more_bytes = (evidence.count(metric, strategy, place) for metric in (MISSES, FLOOR, *streamed))
    return counted - floor - (LISTED_BYTES + sum(more_bytes)) / evidence.line_bytes


def _predicted(subject: str, predicted: float, counted: dict[str, float], what: str) -> Ruling:
    """By the order in which things were made: within a quarter (of a miss, at least) of what was predicted.

    If one order is beyond that and another is not, or lies on the other side, it depends on the order.
    """
    room = ABOUT * max(1.0, predicted)
    sides = {(count > predicted + room) - (count < predicted - room) for count in counted.values()}
    verdict = Verdict.DEPENDS if len(sides) > 1 else Verdict.HOLDS if sides == {0} else Verdict.REFUTED
    return Ruling(verdict, f"{what}{_by_order(counted)}, predicted {predicted:g}", exactly(*counted.values()),
                  Prediction(subject, predicted, room, counted))


def _by_order(counted: dict[str, float]) -> str:
    return " and ".join(f"{wording.number(count)} (order:{order})" for order, count in counted.items())


def _unsuitable(evidence: Evidence) -> Ruling:
    """The node-based map against the flat one, with either hash."""
    rulings = {named: _dearer_nodes(evidence, table) for named, table in HASHES.items()}
    name, ruling = next(iter(rulings.items()))
    return replace(apart(rulings), short=f"compared with open addressing and {name}, {ruling.sentence}").beside(
        ratio_beside(evidence, TIME, NODES, BOOST, SINGLE, "a lookup takes {} as long as in Boost's flat map"))


def _dearer_nodes(evidence: Evidence, table: str) -> Ruling:
    """In all that an allocation for each entity makes dearer."""
    what = "takes {} as long"
    rulings = {
        "creation": takes_longer(evidence, NODES, table, where("create", how="single", memory="growing", components="4"), what),
        "destruction": takes_longer(evidence, NODES, table, where("destroy", how="each_shuffled"), what),
        "a lookup": takes_longer(evidence, NODES, table, SINGLE, what),
        "a lookup after 1000 frames of churn": takes_longer(
            evidence, NODES, table, where("aging", work="lookup", frames="1000", defragment="no"), what),
        "memory": more_than(1 + SAME, Trend(evidence.ratios(BYTES, NODES, table, SINGLE)), "takes {} the bytes"),
    }
    return replace(apart(rulings), short=f"a lookup in the node-based map {rulings['a lookup'].figure}, and "
                   f"destruction {rulings['destruction'].figure}")


def _interleaving(evidence: Evidence) -> Ruling:
    return _fewer_misses_interleaved(evidence).beside(
        ratio_beside(evidence, TIME, MAP, "interleaved_pairs", ALL_FOUR, "a lookup of four takes {} as long in columns"),
        ratio_beside(evidence, TIME, MAP, "interleaved_pairs", where("join", order="grouped", via="each"), "the loop {}"))


def _fewer_misses_interleaved(evidence: Evidence) -> Ruling:
    """By lookup along the number of components, and by iteration over entities of which all is used."""
    points = evidence.ratios(MISSES, MAP, "interleaved_pairs", where("lookup"), "components")
    columns, interleaved = evidence.counts(MISSES, [MAP, "interleaved_pairs"],
                                           where("join", order="grouped", via="each"))
    by_look_up, by_loop = points[-1][1].median, columns / interleaved
    wins = [ratio > 1 + SAME for ratio in (by_look_up, by_loop)]
    told = (f"columns have {wording.number(by_look_up)} times the misses of interleaved rows in a lookup of "
            f"{points[-1][0]:g} components, and {wording.number(by_loop)} times in a loop over all")
    if all(wins) or not any(wins):
        return holds_if(all(wins), told, by_look_up, by_loop)
    crossings = RatioCurve([place for place, _ in points], [ratio for _, ratio in points]).crossings()
    if not crossings:
        return Ruling(Verdict.DEPENDS, told, exactly(by_look_up, by_loop))
    return Ruling(Verdict.DEPENDS, f"{told}; in lookups columns miss more above components:{crossings[0].at:.2g}",
                  (points[0][0], points[-1][0]), short=told)


def _section_is_quicker(evidence: Evidence) -> Ruling:
    loops = {named: takes_longer(evidence, table, stream, _loop("same"), "the map takes {} as long")
             for named, stream, table in BEFORE_AND_AFTER}
    return apart(loops).beside(
        ratio_beside(evidence, TIME, TABLE, STREAM, SINGLE, f"a shuffled lookup in {TABLE} takes {{}} as long as in {STREAM}"))


def _no_more_misses(evidence: Evidence) -> Ruling:
    return apart({named: at_most(1 + SAME, Trend(evidence.ratios(MISSES, stream, table, _loop("same"))),
                                 "{} the misses of the map") for named, stream, table in BEFORE_AND_AFTER})


def _no_spike(evidence: Evidence) -> Ruling:
    place = where("spike", memory="growing")
    ratios = evidence.ratios(SPIKE.name, STREAM, PUBLISHED, place)
    return slower(Trend(ratios), "the frame of the spike takes {} as long with growing sections as with fixed ones").beside(
        ratio_beside(evidence, SPIKE.name, SECTIONS, FIXED, place, "{} as long with columns"))


def _thin_sets_waste(evidence: Evidence) -> Ruling:
    growing, fixed = evidence.counts(SLACK, [STREAM, PUBLISHED], where("fragmented", 16384, sets="64"))
    return holds_if(fixed > growing, f"unused bytes per entity with 64 sets of 256: {wording.number(fixed)} fixed, "
                    f"{wording.number(growing)} growing", fixed)


def _one_pass(evidence: Evidence) -> Ruling:
    """Four components in one `find` against four of one each, which no cell measures together.

    Four lookups take four times what one does, but for what is done once for all of them: at most as much as the whole
    hand-written lookup. So four passes take 4 x one - 3 x hand-written at least, but no less than one, and 4 x one at most.
    """
    one, by_hand, together = evidence.apart(ENTITIES, (STREAM, SINGLE), ("reference", SINGLE), (STREAM, ALL_FOUR))
    least = Trend(evidence.combined("four passes", lambda one, once, four: max(one, 4 * one - 3 * once) / four,
                                    one, by_hand, together))
    most = Trend(evidence.combined("four passes", lambda one, _, four: 4 * one / four, one, by_hand, together))
    if not least.ratios:
        raise Missing(f"{TIME} of {STREAM} in {SINGLE} and in {ALL_FOUR} with as many entities, in one run")
    bounds = [(low, high) for (_, low), (_, high) in zip(least.ratios, most.ratios)]
    sides = [1 if beside_rival(low) > 0 else min(0, beside_rival(high)) for low, high in bounds]
    ruling = everywhere(least, "four passes take at least {} as long as one", sides)
    at_most_told = most.told("four passes take at most {} as long as one")
    if ruling.verdict is Verdict.REFUTED:
        ruling = replace(ruling, figure=at_most_told, interval=most.interval)
    elif ruling.verdict is Verdict.UNDECIDED and any(low.median <= 1 <= high.median for low, high in bounds):
        ruling = replace(ruling, figure=f"{ruling.figure}; {at_most_told}; between the two it needs the time of four lookups")
    return ruling.beside(if_known(evidence, lambda: _instructions_of_one_pass(evidence)))


def _instructions_of_one_pass(evidence: Evidence) -> str:
    at_one, at_four = evidence.at_largest(INSTRUCTIONS, ([STREAM], SINGLE), ([STREAM], ALL_FOUR))
    one, four = (evidence.count(INSTRUCTIONS, STREAM, place) for place in (at_one, at_four))
    return f"{wording.figure(four)} instructions in one pass over four, {wording.figure(one)} in one over one"


def _fewer_misses_when_bigger(evidence: Evidence) -> Ruling:
    """By as much as the article says: one miss for each section that a larger size does away with."""
    counts = evidence.counts(MISSES, SIZES, where("point_mass"))
    fewer_jumps = ROW_BYTES / 1024 * (1 / KIBIBYTES[0] - 1 / KIBIBYTES[-1])
    saved = (counts[0] - counts[-1]) / fewer_jumps
    time = ratio_beside(evidence, TIME, SIZES[0], SIZES[-1], where("point_mass"),
                        f"sections of {KIBIBYTES[0]} KiB take {{}} as long as sections of {KIBIBYTES[-1]}")
    return holds_if(_never_rises(counts) and saved >= 1, f"misses per entity from 4 to 128 KiB: {_steps(counts)}, and "
                    f"each section less saves {wording.number(max(0.0, saved))}", *counts).beside(time)


def _more_waste_when_bigger(evidence: Evidence) -> Ruling:
    slack = evidence.counts(SLACK, SIZES, where("fragmented", 16384, sets="64"))
    return holds_if(_never_rises(slack[::-1]) and slack[-1] > slack[0],
                    f"unused bytes per entity, 64 sets: {_steps(slack)}", *slack)


def _never_rises(values: list[float]) -> bool:
    return all(later <= earlier for earlier, later in zip(values, values[1:]))


def _steps(values: list[float]) -> str:
    return ", ".join(map(wording.figure, values))


def _survivors(evidence: Evidence) -> Ruling:
    """Of sections in which holes stay, as published: lines a survivor costs, before and after."""
    places = [where("aging", work="despawn", frames="0", defragment=each) for each in ("no", "yes")]
    left, tidied = evidence.at_largest(MISSES, *(([FIXED], place) for place in places))
    before, floor = (evidence.count(metric, FIXED, left) for metric in (MISSES, FLOOR))
    after = evidence.count(MISSES, FIXED, tidied)
    if not after:
        raise Missing(f"misses of {FIXED} in {tidied}, because all lies in the cache")
    return holds_if(before > 1.5 * floor and after < 1.1 * floor,
                    f"misses per survivor if nine tenths are gone: {wording.figure(before)}, after "
                    f"defragmentation {wording.figure(after)} (floor {wording.figure(floor)})", before / after).beside(
        if_known(evidence, lambda: Trend(evidence.time_ratios_apart(*((FIXED, place) for place in places))).told(
            "survivors take {} as long before it")))


def _apart_and_together(evidence: Evidence, metric: str) -> Trend:
    """By the number of component sets, which take their sections by turns. Those of a single set are neighbours anyway, and
    with more than 64 a set has no second section."""
    place = where("fragmented", 262_144)
    several = [point for point in evidence.ratios(metric, APART, TOGETHER, place, "sets") if 1 < point[0] <= 64]
    if not several:
        raise Missing(f"{metric} of {APART} and {TOGETHER} in {place} sets:4")
    return Trend(several, "sets")


def _misses_between(evidence: Evidence) -> Ruling:
    saved = []
    for sets, _ in _apart_and_together(evidence, MISSES).ratios:
        apart_misses, together = evidence.counts(MISSES, [APART, TOGETHER], where("fragmented", 262_144, sets=f"{sets:g}"))
        each = max(1 / ROWS_OF_A_SECTION, (apart_misses - together) * ROWS_OF_A_SECTION)
        saved.append((sets, Estimate(each, each, each)))
    return more_than(1 - SAME, Trend(saved, "sets", "misses"), "sections side by side save {} for each section")


def _time_between(evidence: Evidence) -> Ruling:
    return slower(_apart_and_together(evidence, TIME), "sections with an allocation each take {} as long")


PARTS: dict[str, Part | Mapping[str, Part]] = {
    "C10": _three_misses,
    "C11": _one_miss,
    "C12": _no_miss,
    "C13": _unsuitable,
    "C14": _interleaving,
    "C15": {"speed": _section_is_quicker, "misses": _no_more_misses},
    "C16": {"spikes": _no_spike, "waste": _thin_sets_waste},
    "C17": _one_pass,
    "C18": {"misses": _fewer_misses_when_bigger, "waste": _more_waste_when_bigger},
    "C19": _survivors,
    "C31": _misses_again,
    "C32": _record_grows,
    "C35": {"misses": _misses_between, "time": _time_between},
}
