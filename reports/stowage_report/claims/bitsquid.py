"""Claims of Bitsquid's articles on entities (B1) and on components (B2)."""

from __future__ import annotations

from stowage_report.claims import computed
from stowage_report.claims.evidence import (BYTES, INDEX, INSTRUCTIONS, MISSES, SLACK, TIME, Evidence, Missing,
                                            where)
from stowage_report.claims.ruling import Claim, Part, Ruling, apart
from stowage_report.claims.shapes import (SAME, Trend, at_most, holds_if, if_known, longer_elsewhere, more_than,
                                          ratio_beside, span, takes_longer)
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import ENTITIES

DIRECT, MAP, HASH = "sparse_direct", "indirection_map", "hash_index"
#: Bitsquid's own hash, and the standard library's beside it.
LISTED, NODES = f"{HASH}.list_in_array", f"{HASH}.node_hash"
LOOK_UP = where("lookup", components="1")
#: "Pretty fast", in ns: about one access to main memory, which a lookup of data that are in no cache cannot avoid.
#: As many lookups as a scene of 16k has entities then take a tenth of a frame at 60 Hz.
PRETTY_FAST = 100
#: Instructions: four probes of a few dozen each.
NEARLY_NOTHING = 200
#: "Quickly": this share of the dead, within a second of frames, of as many rows as the workloads have at least.
NEARLY_ALL, SECOND, ROWS = 0.9, 60, 16_384
MORE = {MISSES: "{one} misses {{}} as often as {other}", BYTES: "{one} holds {{}} the bytes of {other}"}
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
    return holds_if(direct_misses <= map_misses * (1 + 2 * SAME) and direct_bytes <= map_bytes,
                    f"if all have it, {wording.figure(direct_misses)} misses and {wording.number(direct_bytes)} "
                    f"bytes an entity against {wording.figure(map_misses)} and {wording.number(map_bytes)} of {MAP}",
                    direct_misses)


def _wasteful(metric: str, one: str, other: str, up_to: float) -> Part:
    """`one` takes more than `other` at every share of owners up to that one, in percent."""
    def part(evidence: Evidence) -> Ruling:
        points = evidence.count_ratios(metric, one, other, where("occupancy"), "share")
        trend = Trend([(share, ratio) for share, ratio in points if share <= up_to], "share")
        if not trend.ratios or trend.ratios[-1][0] < up_to:
            raise Missing(f"{metric} of {one} and {other} in occupancy share:{up_to}")
        return more_than(1 + SAME, trend, MORE[metric].format(one=one, other=other))
    return part


def _looked_up_faster(evidence: Evidence) -> Ruling:
    return takes_longer(evidence, LISTED, MAP, LOOK_UP, f"a lookup in {LISTED} takes {{}} as long as in {MAP}")


def _less_memory(evidence: Evidence) -> Ruling:
    """A map has an entry for every entity, a hash index for every owner of the component."""
    index, slack = (evidence.count(metric, LISTED, where("occupancy", share="100")) for metric in (INDEX, SLACK))
    entry = max(1.0, index + slack - OWNER_AND_GENERATION)

    def of_hash(bytes_of_map: int) -> Trend:
        ratios = [(share, 100 * bytes_of_map / (share * entry)) for share in SHARES]
        return Trend([(share, Estimate(ratio, ratio, ratio)) for share, ratio in ratios], "share")

    told = (f"at {BYTES_OF_MAP} bytes an entity against {wording.number(entry)} an owner, the article's map takes {{}} "
            f"the bytes of {LISTED}")
    beside = of_hash(2 * BYTES_OF_MAP).told(f"{{}} in {MAP}, but for its first pool")
    return more_than(1 + SAME, of_hash(BYTES_OF_MAP), told).beside(beside)


def _pretty_fast(evidence: Evidence) -> Ruling:
    times = Trend(evidence.times(LISTED, LOOK_UP, ENTITIES), unit="ns")
    others = ((NODES, "the node-based map of the standard library"), (HASH, HASH), (MAP, MAP))
    return at_most(PRETTY_FAST, times, f"a lookup in {LISTED} takes {{}}").beside(
        *(ratio_beside(evidence, TIME, LISTED, other, LOOK_UP, f"{{}} that of {named}") for other, named in others))


def _better_for_both(evidence: Evidence) -> Ruling:
    return apart({"the allocator": _fewer_blocks(evidence), "the cache": _better_for_the_cache(evidence)})


def _better_for_the_cache(evidence: Evidence) -> Ruling:
    ratios = []
    for place in (where("point_mass"), where("lookup", components="4")):
        one, other = evidence.counts(MISSES, [f"{MAP}.vectors", MAP], place)
        ratios.append(one / other)
    return holds_if(max(ratios) > 1 + SAME and min(ratios) > 1 - SAME,
                    f"misses with an allocation per array against one, loop and lookup: {span(ratios)} times", *ratios)


def _fewer_blocks(evidence: Evidence) -> Ruling:
    one, other = evidence.counts("allocations", [f"{MAP}.vectors", MAP], where("point_mass"))
    return holds_if(other < one, f"blocks held: {other:.0f} against {one:.0f}", other)


def _fetches_the_rest_along(evidence: Evidence) -> Ruling:
    return takes_longer(evidence, "interleaved_pairs", MAP, where("point_mass_subset"),
                        f"for 8 bytes interleaved_pairs takes {{}} as long as {MAP}", axis="bytes", counted=MISSES)


def _faster_in_lanes(evidence: Evidence) -> Ruling:
    return takes_longer(evidence, MAP, f"{MAP}.lanes", where("point_mass_mixed"),
                        "arrays of vectors take {} as long as an array per scalar").beside(
        ratio_beside(evidence, TIME, MAP, f"{MAP}.lanes", where("point_mass"), "{} if x, y and z are treated alike"))


def _nearly_free(evidence: Evidence) -> Ruling:
    """Of frames without deaths: what collecting adds to storages that have nothing to do."""
    def more(collector: str) -> float:
        lazy, eager = evidence.counts(INSTRUCTIONS, [collector, MAP], where("despawn", dead="0"))
        return max(0.0, lazy - eager)

    published = more(f"{MAP}.lazy_probing")
    return holds_if(published <= NEARLY_NOTHING, f"{wording.figure(published)} instructions per frame without deaths",
                    published).beside(if_known(
                        evidence, lambda: f"{wording.figure(more(f'{MAP}.lazy'))} with a count of dead rows"))


def _cleared_quickly(_: Evidence) -> Ruling:
    """Computed: what share of the dead is gone after a second of frames."""
    shares = []
    for percent in (1, 10, 50, 75, 90, 95, 99):
        gone = sorted(computed.collected_share(ROWS, percent / 100, SECOND, seed) / NEARLY_ALL for seed in range(9))
        shares.append((percent, Estimate(gone[len(gone) // 2], gone[0], gone[-1])))
    return more_than(1, Trend(shares, "dead"), f"after {SECOND} frames the collected share of the dead "
                     f"among {ROWS:,} rows is {{}} the required {NEARLY_ALL:.0%}")


def _alive_faster(evidence: Evidence) -> Ruling:
    return takes_longer(evidence, "reference.registry_hash_set", "reference.registry_published", where("alive"),
                        "a check in the hash set takes {} as long as in the generation array")


def _entity_by_entity(evidence: Evidence) -> Ruling:
    one, other = ((MAP, where("by_entity", by=order)) for order in ("entity", "system"))
    return longer_elsewhere(evidence, one, other, "three systems take {} as long an entity at a time")


def _returns_late(evidence: Evidence) -> Ruling:
    promised = 2**computed.GENERATION_BITS * computed.WAITING
    counted = computed.destructions_until_an_id_returns()
    return holds_if(counted >= promised, f"an id returns after {counted:,} destructions (promised: not before "
                    f"{promised:,}), in the order that brings it back soonest", counted)


CLAIMS = (
    Claim(
        id="C1",
        source="B2",
        heading="Accessing Data",
        quote="This will waste memory, but also performance",
        statement=(
            "direct indexing is good only if almost every entity has the component; otherwise holes waste memory and "
            "cache"
        ),
        test=(
            "`point_mass`, in which all entities have the components: at most 4 % more misses and no more bytes than "
            "the map. `occupancy`: more misses and more bytes than the map at every share of owners up to 50 %."
        ),
        why=(
            "The article compares two ways to a row: the entity's index is the row, or an array maps the index to the "
            "row. Its condition is \"almost every entity\", and its reason is the cache. Half is not almost every by "
            "any reading."
        ),
        refuted_by="a share of 50 % or less at which direct rows miss as little, or hold as little, as packed ones",
        parts=(_good_where_all_have_it, _wasteful(MISSES, DIRECT, MAP, HALF), _wasteful(BYTES, DIRECT, MAP, HALF)),
    ),
    Claim(
        id="C2",
        source="B2",
        heading="Accessing Data",
        quote="if I was certain that the component was almost universal",
        statement=(
            "an indirection array is better than direct indexing, because only the map has holes; it is worth its "
            "memory only for near-universal components whose lookups are critical"
        ),
        test=(
            "`occupancy`: fewer misses and bytes than direct rows up to 50 % of owners. The article's map has 4 bytes for "
            "every entity, and the hash index what `occupancy` share:100 measures for every owner, with buckets and "
            "free room: up to 75 % of owners the map holds more. `lookup`: faster than the hash index at every size."
        ),
        why=(
            "The hash index is Bitsquid's own (`hash_index.list_in_array`). Three quarters are not near-universal by "
            "any reading, so up to there the map must be the one that holds more."
        ),
        refuted_by=(
            "direct rows that cost no more when half are holes; shares up to 75 % at which the map holds no more "
            "than the hash index; a size at which it is no faster"
        ),
        parts=(
            _less_memory,
            _wasteful(MISSES, DIRECT, MAP, HALF),
            _wasteful(BYTES, DIRECT, MAP, HALF),
            _looked_up_faster,
        ),
    ),
    Claim(
        id="C3",
        source="B2",
        heading="Accessing Data",
        quote="This uses less memory and lookups are still pretty fast.",
        statement="a hash index is the better default: less memory, and lookups still pretty fast",
        test=(
            "Up to 75 % of owners the hash index holds less than the map, of which the article's has 4 bytes for every "
            "entity. What an owner takes in the hash index, with buckets and free room, is measured in `occupancy` "
            "share:100. `lookup`, one component: at most 100 ns at every size."
        ),
        why=(
            "The hash index is Bitsquid's own (`hash_index.list_in_array`), and the shares are those for which the "
            "article recommends it: components that are not almost universal. It gives no number for \"pretty fast\". "
            "100 ns is about one access to main memory, which no index avoids if the data are in no cache; and one "
            "lookup for each of 16k entities then takes 1.6 ms, a tenth of a frame at 60 Hz."
        ),
        refuted_by="shares up to 75 % at which it holds as much as the map; lookups that take more than 100 ns",
        parts=(_less_memory, _pretty_fast),
    ),
    Claim(
        id="C4",
        source="B2",
        heading="Component Data Layout",
        quote="better both for the cache and the memory allocation system",
        statement="one allocation for all arrays is better for the cache and for the allocator than one for each",
        test=(
            "For the allocator: one allocation per array holds more blocks. For the cache: at the largest size, one "
            "allocation per array has over 2 % more misses in `point_mass` or in `lookup` of four components, and not "
            "fewer in the other. If one half is true and the other is not, it depends on the half."
        ),
        why=(
            "The two forms are the article's, an `Array` for each field and one buffer that the fields share, and "
            "differ in nothing else. It names two gains, so each is judged by itself."
        ),
        refuted_by="as many blocks and equal misses",
        parts=(_better_for_both,),
    ),
    Claim(
        id="C5",
        source="B2",
        heading="Component Data Layout",
        quote="waste precious cache space on the others",
        statement="a structure of arrays wins when only some of the fields are used",
        test="`point_mass_subset`, 8 bytes wanted of 16 to 256: interleaved rows take longer.",
        why=(
            "The loop processes one field and leaves the others, as in the article. What is won is time, so time "
            "decides; the misses, which are the article's reason, stand beside it."
        ),
        refuted_by="a width of components at which interleaved rows are as fast",
        parts=(_fetches_the_rest_along,),
    ),
    Claim(
        id="C6",
        source="B2",
        heading="Component Data Layout",
        quote="you can do more efficient SIMD calculations",
        statement="x[], y[] and z[] in arrays of their own give more efficient SIMD",
        test=(
            "`point_mass_mixed`, which slows velocities to a limit by a dot product, a square root and a division: "
            "arrays of vectors take longer than arrays of scalars at every size. Both are vectorised by the compiler."
        ),
        why=(
            "The article speaks of SIMD in general. Its own `simulate()` treats x, y and z alike, and there a flat "
            "loop over arrays of vectors is as good as any. Arrays of scalars are for work that mixes x, y and z, so "
            "such work decides. The figure of the article's own loop stands beside it."
        ),
        refuted_by="a size at which arrays of vectors are as fast",
        parts=(_faster_in_lanes,),
    ),
    Claim(
        id="C7",
        source="B2",
        heading="Destroying Components",
        quote="it cost almost nothing if there are no destroyed entities",
        statement="lazy collection costs almost nothing when nothing died, and clears quickly when much did",
        test=(
            "`despawn` dead:0: at most 200 instructions per frame more than in a storage that has nothing to collect, "
            "which is four probes of a few dozen each. Computed: the published loop is run on 16,384 rows of which 1 to "
            "99 % are dead. Nine tenths of the dead are gone after 60 calls. The interval goes from the smallest to the "
            "largest of nine seeds."
        ),
        why=(
            "\"Just four passes of the loop\" are the article's bar for almost nothing: 200 instructions are four "
            "probes of fifty. \"Quickly\" is read as within a second, at one call a frame. The loop is the published "
            "one, and the verdict is the range of shares over which it changes."
        ),
        refuted_by=(
            "more instructions in frames without deaths, or less than nine tenths gone after a second whatever share "
            "has died"
        ),
        parts=(_nearly_free, _cleared_quickly),
    ),
    Claim(
        id="C8",
        source="B1",
        heading="The EntityManager",
        quote="something that runs even faster than a set",
        statement="the generation array makes `alive` faster than a hash set",
        test="`alive`, both registries: the set takes longer at every size.",
        why=(
            "The generations are the article's: a byte for each index. The rival is a modern set, Boost's, which makes "
            "the claim harder to hold. No factor is given, so that any certain difference counts."
        ),
        refuted_by="a size at which the set is as fast",
        parts=(_alive_faster,),
    ),
    Claim(
        id="C9",
        source="B1",
        heading="The EntityManager",
        quote="at least 256 * 1024 entities until an ID can reappear",
        statement="with 22 + 8 bits and 1024 indices waiting, an id does not return before 256 x 1024 destructions",
        test=(
            "Computed: the published scheme runs until an id returns. Only one entity lives at a time, which brings "
            "its id back soonest: a freed index returns only after the 1023 others in the queue. A test counts the "
            "same in the library's registry. If the library runs out of indices, it drains the queue instead of "
            "failing. Then an id returns sooner."
        ),
        why=(
            "Bits, queue and length are the article's. Its text says that at least 1024 indices wait, its code that "
            "more than 1024 do; the text is taken, which returns an id sooner."
        ),
        refuted_by="fewer destructions",
        parts=(_returns_late,),
    ),
    Claim(
        id="C29",
        source="B1",
        heading="Entities and Components",
        quote="All this translates to huge performance benefits.",
        statement="updating one component manager at a time beats updating one entity at a time",
        test=(
            "`by_entity`: three systems use the same components. In one order each system handles all entities before "
            "the next system starts. In the other all three systems handle one entity before the next entity. The "
            "second order takes longer at every size."
        ),
        why=(
            "The article compares two orders of the same work. In the second a system finds its components by the "
            "entity's handle, as it must if it gets no arrays. Entities are visited in the order of their rows, "
            "which leaves the second order nothing but its own cost."
        ),
        refuted_by="a size at which an entity at a time is as fast",
        parts=(_entity_by_entity,),
    ),
)
