"""Claims of Bitsquid's articles on entities (B1) and on components (B2)."""

import math
from dataclasses import replace
from typing import Mapping

from stowage_report.claims import computed
from stowage_report.claims.evidence import (BYTES, INDEX, INSTRUCTIONS, LAST_LEVEL_MISSES, MISSES, SLACK, TIME,
                                            Evidence, Missing, where)
from stowage_report.claims.ruling import Part, Ruling, Verdict, apart
from stowage_report.claims.shapes import (SAME, Trend, at_most, holds_if, if_known, longer, longer_apart, more_than,
                                          ratio_beside, span, takes_longer)
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import ENTITIES

DIRECT, MAP, HASH, OBJECTS = "sparse_direct", "indirection_map", "hash_index", "naive_objects"
#: Bitsquid's own hash, and the standard library's beside it.
LISTED, NODES = f"{HASH}.list_in_array", f"{HASH}.node_hash"
#: Bitsquid's arrays, with an allocation for each, and all in one: of all entities, or of 16.
VECTORS, BUFFER, OF_16 = "reference.vectors", "reference.buffer", "_of_16"
#: Registries alone, with handles of 8 and of 4 bytes.
WIDE, NARROW = "reference.registry_published_wide", "reference.registry_published"
CALLED, COLLECTING, CHURN = "reference.managers_called", "reference.managers_collecting", where("churn", payload="64")
LOOK_UP = where("lookup", components="1")
#: "Pretty fast", in ns: about one access to main memory, which a lookup of data that are in no cache cannot avoid.
#: As many lookups as a scene of 16k has entities then take a tenth of a frame at 60 Hz.
PRETTY_FAST = 100
#: Instructions: four probes of a few dozen each.
NEARLY_NOTHING = 200
#: "Quickly": this share of the dead, within the frames of `despawn`, which are about a second. Of the dead in percent.
NEARLY_ALL, FRAMES, ROWS, DEAD = 0.9, 64, (16_384, 100_000), (50, 90, 99)
PROBING, COLLECTED = f"{MAP}.lazy_probing", "collected_rows_per_frame"
MORE = {MISSES: f"{DIRECT} misses {{}} as often as {MAP}", BYTES: f"{DIRECT} takes {{}} the bytes of {MAP}"}
#: Of the measured build; scripts/cmake/StowageOptions.cmake says what they do.
SIMD_OPTIONS = {"-fno-math-errno", "-fno-trapping-math"}
#: Of owners in percent: what is not "almost every" entity by any reading, and what is not "near-universal".
HALF, THREE_QUARTERS = 50, 75
SHARES = (1, 5, 10, 25, 50, THREE_QUARTERS)
#: What every packed row has beside its entry in an index.
OWNER_AND_GENERATION = 4 + 4
#: For each entity: an `unsigned`. Our first pool has it beside the generation in the registry; others keep the generation
#: with it once more.
BYTES_OF_MAP = 4


def _good_where_all_have_it(evidence: Evidence) -> Ruling:
    place = where("point_mass")
    (direct_misses, map_misses), (direct_bytes, map_bytes) = (
        evidence.counts(metric, [DIRECT, MAP], place) for metric in (MISSES, BYTES))
    return holds_if(direct_misses <= map_misses * (1 + SAME) and direct_bytes <= map_bytes,
                    f"if all entities have it, {wording.figure(direct_misses)} misses and {wording.number(direct_bytes)} bytes "
                    f"per entity, and {wording.figure(map_misses)} and {wording.number(map_bytes)} in {MAP}",
                    direct_misses)


def _wasteful(metric: str) -> Part:
    """Direct rows take more than the map at every share of owners up to a half."""
    def part(evidence: Evidence) -> Ruling:
        place = where("occupancy")
        points = evidence.ratios(metric, DIRECT, MAP, place, "share")
        trend = Trend([(share, ratio) for share, ratio in points if share <= HALF], "share")
        if not trend.ratios or trend.ratios[-1][0] < HALF:
            raise Missing(f"{metric} of {DIRECT} and {MAP} in occupancy share:{HALF}")
        ruling = more_than(1 + SAME, trend, MORE[metric])
        return ruling if metric == BYTES else ruling.beside(
            ratio_beside(evidence, TIME, DIRECT, MAP, place, f"{DIRECT} takes {{}} as long", "share"))
    return part


def _less_memory(evidence: Evidence) -> Ruling:
    """A map has an entry for every entity, a hash index for every owner of the component."""
    index, slack = (evidence.count(metric, LISTED, where("occupancy", share="100")) for metric in (INDEX, SLACK))
    entry = max(1.0, index + slack - OWNER_AND_GENERATION)

    def of_hash(bytes_of_map: int) -> Trend:
        ratios = [(share, 100 * bytes_of_map / (share * entry)) for share in SHARES]
        return Trend([(share, Estimate(ratio, ratio, ratio)) for share, ratio in ratios], "share")

    told = (f"the article's map, with {BYTES_OF_MAP} bytes per entity, takes {{}} the bytes of {LISTED}, with "
            f"{wording.number(entry)} bytes per owner")
    beside = of_hash(2 * BYTES_OF_MAP).told(f"the map of {MAP}, with {2 * BYTES_OF_MAP} bytes per entity but none for "
                                            "the first pool, takes {} as much")
    ruling = more_than(1 + SAME, of_hash(BYTES_OF_MAP), told).beside(beside)
    return replace(ruling, short=of_hash(BYTES_OF_MAP).told(told))


def _pretty_fast(evidence: Evidence) -> Ruling:
    times = Trend(evidence.times(LISTED, LOOK_UP, ENTITIES), unit="ns")
    others = ((NODES, "the node-based map of the standard library"), (HASH, HASH), (MAP, MAP))
    return at_most(PRETTY_FAST, times, f"a lookup in {LISTED} takes {{}}").beside(
        *(ratio_beside(evidence, TIME, LISTED, other, LOOK_UP, f"{{}} as long as in {named}") for other, named in others))


def _better_for_the_cache(evidence: Evidence) -> Ruling:
    """Of the article's loop. What is in a line with the ends of an array matters if arrays are short."""
    def fewer(of: str) -> Ruling:
        ratios = evidence.ratios(MISSES, VECTORS + of, BUFFER + of, where("point_mass"))
        return more_than(1 + SAME, Trend(ratios), "with an allocation per array {} the misses").beside(
            ratio_beside(evidence, TIME, VECTORS + of, BUFFER + of, where("point_mass"), "{} as long"))

    return apart({"all entities in one manager": fewer(""), "16 in each manager": fewer(OF_16)}).beside(
        ratio_beside(evidence, MISSES, f"{MAP}.vectors", MAP, where("lookup", components="4"),
                     f"{{}} the misses of {MAP} in lookups of four components, with an allocation per array"))


def _fewer_blocks(evidence: Evidence) -> Ruling:
    one, other = evidence.counts("allocations", [VECTORS, BUFFER], where("point_mass"))
    return holds_if(other < one, f"{other:.0f} blocks instead of {one:.0f}", other)


def _faster_in_lanes(evidence: Evidence) -> Ruling:
    """Of a build with these options the verdict is about them, because without them the compiler makes no SIMD of square
    roots. A build without them speaks for itself."""
    mixed = where("point_mass_mixed")
    lanes = f"{MAP}.lanes"
    ruling = takes_longer(evidence, MAP, lanes, mixed, "arrays of vectors take {} as long as an array per scalar").beside(
        ratio_beside(evidence, TIME, MAP, lanes, where("point_mass"), "{} if x, y and z are treated alike"))
    if ruling.verdict is not Verdict.HOLDS or not SIMD_OPTIONS <= set(evidence.flags(TIME, [MAP, lanes], mixed)):
        return ruling
    figure = (f"with {' and '.join(sorted(SIMD_OPTIONS))} {ruling.figure}, and without these options square roots are "
              "taken one by one, with nothing to gain")
    return replace(ruling, verdict=Verdict.DEPENDS, figure=figure)


def _nearly_free(evidence: Evidence) -> Ruling:
    """Of frames without deaths: what collecting adds to storages that have nothing to do."""
    def more(collector: str) -> float:
        lazy, eager = evidence.counts(INSTRUCTIONS, [collector, MAP], where("despawn", dead="0"))
        return max(0.0, lazy - eager)

    published = more(PROBING)
    return holds_if(published <= NEARLY_NOTHING, f"{wording.figure(published)} instructions per frame without deaths",
                    published).beside(if_known(
                        evidence, lambda: f"{wording.figure(more(f'{MAP}.lazy'))} instructions with a count of dead rows"))


def _cleared_quickly(evidence: Evidence) -> Ruling:
    """Counted: what share of the dead the published loop ends in the frames after the one in which they die."""
    def cleared(rows: int) -> Ruling:
        shares = []
        for percent in DEAD:
            ended = FRAMES * evidence.count(COLLECTED, PROBING, where("despawn", rows, dead=str(percent)))
            share = ended / (rows * percent // 100)
            shares.append((percent, Estimate(share, share, share)))
        return more_than(NEARLY_ALL, Trend(shares, "dead", "of the dead"), "the frames after it collect {}")

    return apart({f"{rows:,} rows": cleared(rows) for rows in ROWS})


def _returns_late(evidence: Evidence) -> Ruling:
    promised = 2**computed.GENERATION_BITS * computed.WAITING
    counted = computed.destructions_until_an_id_returns()
    return holds_if(counted >= promised, f"an id returns after {counted:,} destructions (promised: not before "
                    f"{promised:,}), in the order that brings it back soonest", counted).beside(
                    f"{computed.destructions_until_an_id_returns(waiting=computed.WAITING + 1):,} if more than "
                    f"{computed.WAITING} have to wait, as in the article's code")


def _system_by_system(evidence: Evidence) -> Ruling:
    """Of entities that are objects, as programs have them that update one at a time, and of the same arrays."""
    return apart({named: longer_apart((strategy, where("by_entity", by="entity")), (MAP, where("by_entity", by="system")),
                                      "three systems take {} as long if one entity is updated at a time")(evidence)
                  for named, strategy in (("heap objects", OBJECTS), ("the same arrays", MAP))})


def _fits_more(evidence: Evidence) -> Ruling:
    """Of checks without the list of handles: what is missed in the array of generations, in the level of the caches in
    which the two differ most. The article says "the cache", and an array of 8 MiB fits in no first level."""
    def ratio_in(metric: str, size: float) -> float:
        wide, narrow = evidence.counts(metric, [WIDE, NARROW], where("alive", int(size)))
        line = evidence.line_bytes
        return max(wide - 8 / line, 1 / line) / max(narrow - 4 / line, 1 / line)

    sizes = [size for size, _ in evidence.ratios(MISSES, WIDE, NARROW, where("alive"))]
    by_level = [[ratio_in(metric, size) for metric in (MISSES, LAST_LEVEL_MISSES)] for size in sizes]
    most = [max(levels, key=lambda ratio: abs(math.log(ratio))) for levels in by_level]
    first = span([levels[0] for levels in by_level])
    return more_than(1 + SAME, Trend([(size, Estimate(ratio, ratio, ratio)) for size, ratio in zip(sizes, most)]),
                     "generations of 32 bits miss {} as often as those of 8").beside(f"{first} times in the first level")


def _more_bytes_than_collecting(evidence: Evidence) -> Ruling:
    return more_than(1 + SAME, Trend(evidence.ratios(BYTES, CALLED, COLLECTING, CHURN, "rate"), "rate"),
                     "managers that are called take {} the bytes")


#: If a claim says several things, each has a verdict.
PARTS: dict[str, Part | Mapping[str, Part]] = {
    "C1": {"good if all have it": _good_where_all_have_it, "holes in the cache": _wasteful(MISSES),
           "holes in memory": _wasteful(BYTES)},
    "C2": {"memory": _less_memory, "holes in the cache": _wasteful(MISSES), "holes in memory": _wasteful(BYTES),
           "lookups": longer(LISTED, MAP, LOOK_UP, f"a lookup in {LISTED} takes {{}} as long as in {MAP}")},
    "C3": {"memory": _less_memory, "lookups": _pretty_fast},
    "C4": {"the allocator": _fewer_blocks, "the cache": _better_for_the_cache},
    "C5": longer("interleaved_pairs", MAP, where("point_mass_subset"),
                 f"for 8 bytes interleaved_pairs takes {{}} as long as {MAP}", axis="bytes", counted=MISSES),
    "C6": _faster_in_lanes,
    "C7": {"nothing died": _nearly_free, "much died": _cleared_quickly},
    "C8": longer("reference.registry_hash_set", NARROW, where("alive"),
                 "a check in the hash set takes {} as long as in the generation array"),
    "C9": _returns_late,
    "C29": _system_by_system,
    "C33": {"the cache": _fits_more,
            "speed": longer(WIDE, NARROW, where("alive"), "a check takes {} as long with 32 bits of generation as with 8")},
    "C34": {"effort": longer(CALLED, COLLECTING, CHURN, "managers that are called take {} as long as those that collect", axis="rate"),
            "memory": _more_bytes_than_collecting},
}
