"""Claims of Bitsquid's articles on entities (B1) and on components (B2)."""

from __future__ import annotations

from stowage_report.claims import computed
from stowage_report.claims.evidence import BYTES, INSTRUCTIONS, MISSES, Evidence, Missing, where
from stowage_report.claims.ruling import Claim, Part, Ruling
from stowage_report.claims.shapes import MUCH, SAME, Trend, at_most, holds_if, more_than, span
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate

DIRECT, MAP, HASH = "sparse_direct", "indirection_map", "hash_index"
LOOK_UP = f"a lookup in {HASH} takes {{}} as long as in {MAP}"
#: Instructions: four probes of a few dozen each.
NEARLY_NOTHING = 200
#: "Quickly": this share of the dead, within a second of frames, of as many rows as the workloads have at least.
NEARLY_ALL, SECOND, ROWS = 0.9, 60, 16_384
MORE = {MISSES: "{one} misses {{}} as often as {other}", BYTES: "{one} holds {{}} the bytes of {other}"}
#: Of owners in percent: what is not "almost every" entity by any reading, and what is not "near-universal".
HALF, THREE_QUARTERS = 50, 75


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
    return more_than(1, Trend(evidence.time_ratios(HASH, MAP, where("lookup", components="1"))),
                     LOOK_UP)


def _less_memory(evidence: Evidence) -> Ruling:
    points = evidence.count_ratios(BYTES, HASH, MAP, where("occupancy"), "share")
    return at_most(1, Trend(points, "share"), MORE[BYTES].format(one=HASH, other=MAP))


def _pretty_fast(evidence: Evidence) -> Ruling:
    return at_most(MUCH, Trend(evidence.time_ratios(HASH, MAP, where("lookup", components="1"))),
                   LOOK_UP)


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
    points = evidence.count_ratios(MISSES, "interleaved_pairs", MAP, where("point_mass_subset"), "bytes")
    return more_than(1 + SAME, Trend(points, "bytes"), f"for 8 bytes interleaved_pairs misses {{}} as often as {MAP}")


def _fewer_instructions(evidence: Evidence) -> Ruling:
    columns, lanes = evidence.counts(INSTRUCTIONS, [MAP, f"{MAP}.lanes"], where("point_mass"))
    return holds_if(columns > lanes * (1 + SAME), f"instructions an entity: {wording.figure(columns)} in columns, "
                    f"{wording.figure(lanes)} in lanes ({wording.number(columns / lanes)} times)", columns / lanes)


def _nearly_free(evidence: Evidence) -> Ruling:
    """Of frames without deaths: what collecting adds to storages that have nothing to do."""
    lazy, eager = evidence.counts(INSTRUCTIONS, [f"{MAP}.lazy", MAP], where("despawn", dead="0"))
    more = max(0.0, lazy - eager)
    return holds_if(more <= NEARLY_NOTHING, f"{wording.figure(more)} instructions per frame without deaths", more)


def _cleared_quickly(_: Evidence) -> Ruling:
    """Computed: what share of the dead is gone after a second of frames."""
    shares = []
    for percent in (1, 10, 50, 75, 90, 95, 99):
        gone = sorted(computed.collected_share(ROWS, percent / 100, SECOND, seed) / NEARLY_ALL for seed in range(9))
        shares.append((percent, Estimate(gone[len(gone) // 2], gone[0], gone[-1])))
    return more_than(1, Trend(shares, "dead"), f"after {SECOND} frames {{}} {NEARLY_ALL:.0%} of what died "
                     f"among {ROWS:,} rows are gone")


def _alive_much_faster(evidence: Evidence) -> Ruling:
    points = evidence.time_ratios("reference.registry_hash_set", "reference.registry_22_8_1024", where("alive"))
    return more_than(MUCH, Trend(points), "a check in the hash set takes {} as long as in the generation array")


def _returns_late(evidence: Evidence) -> Ruling:
    promised = 2**computed.GENERATION_BITS * computed.WAITING
    counted = computed.destructions_until_an_id_returns()
    return holds_if(counted >= promised, f"an id returns after {counted:,} destructions (promised: not before "
                    f"{promised:,}), in the order that brings it back soonest", counted)


CLAIMS = (
    Claim(
        id="C1",
        source="B2",
        statement=(
            "direct indexing is good only if almost every entity has the component; otherwise holes waste memory and "
            "cache"
        ),
        test=(
            "`point_mass`, in which all entities have the components: at most 4 % more misses and no more bytes than "
            "the map. `occupancy`: more misses and more bytes than the map at every share of owners up to 50 %."
        ),
        refuted_by="a share of 50 % or less at which direct rows miss as little, or hold as little, as packed ones",
        parts=(_good_where_all_have_it, _wasteful(MISSES, DIRECT, MAP, HALF), _wasteful(BYTES, DIRECT, MAP, HALF)),
    ),
    Claim(
        id="C2",
        source="B2",
        statement=(
            "an indirection array is better than direct indexing, because only the map has holes; it is worth its "
            "memory only for near-universal components whose lookups are critical"
        ),
        test=(
            "`occupancy`: fewer misses and bytes than direct rows up to 50 % of owners, but more bytes than the hash "
            "index up to 75 %. `lookup`: faster than the hash index at every size."
        ),
        refuted_by=(
            "direct rows that cost no more when half are holes; shares up to 75 % at which the map holds no more "
            "than the hash index; a size at which it is no faster"
        ),
        parts=(
            _wasteful(BYTES, MAP, HASH, THREE_QUARTERS),
            _wasteful(MISSES, DIRECT, MAP, HALF),
            _wasteful(BYTES, DIRECT, MAP, HALF),
            _looked_up_faster,
        ),
    ),
    Claim(
        id="C3",
        source="B2",
        statement="a hash index is the better default: it takes less memory, and lookups are still pretty fast",
        test="`occupancy`: fewer bytes than the map. `lookup`, one component: at most twice the time of the map.",
        refuted_by="shares at which it holds more than the map; lookups that take more than twice as long",
        parts=(_less_memory, _pretty_fast),
    ),
    Claim(
        id="C4",
        source="B2",
        statement="one allocation for all arrays is better for the cache and for the allocator than one for each",
        test=(
            "`point_mass` and `lookup` of four components, at the largest size: an allocation per array misses more "
            "by over 2 %; and it holds more blocks."
        ),
        refuted_by="equal misses",
        parts=(_better_for_the_cache, _fewer_blocks),
    ),
    Claim(
        id="C5",
        source="B2",
        statement="a structure of arrays wins when only some of the fields are used",
        test="`point_mass_subset`, 8 bytes wanted of 16 to 256: interleaved rows miss more.",
        refuted_by="a width of components at which interleaved rows miss no more",
        parts=(_fetches_the_rest_along,),
    ),
    Claim(
        id="C6",
        source="B2",
        statement="x[], y[] and z[] in arrays of their own give more efficient SIMD",
        test=(
            "`point_mass` at the largest size: arrays of vectors execute over 2 % more instructions an entity than "
            "arrays of scalars. Both are vectorised by the compiler."
        ),
        refuted_by="as many instructions without the split",
        parts=(_fewer_instructions,),
    ),
    Claim(
        id="C7",
        source="B2",
        statement="lazy collection costs almost nothing when nothing died, and clears quickly when much did",
        test=(
            "`despawn` dead:0: at most 200 instructions a frame more than a storage that has nothing to collect (the "
            "library's does not even probe then; published, it does four times). Computed, the published loop on "
            "16,384 rows, for 1 to 99 % dead: nine tenths of the dead are gone after 60 calls, smallest to largest of "
            "nine seeds."
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
        statement="the generation array makes `alive` much faster than a hash set",
        test="`alive`, both registries as published: the set takes more than twice the time at every size.",
        refuted_by="a size at which the set takes no more than twice the time",
        parts=(_alive_much_faster,),
    ),
    Claim(
        id="C9",
        source="B1",
        statement="with 22 + 8 bits and 1024 indices waiting, an id does not return before 256 x 1024 destructions",
        test=(
            "Computed: the published scheme is run until an id returns, with one entity at a time, which brings it "
            "back soonest: an index passes the queue only behind 1023 others. The library's registry is counted by a "
            "test. If indices run out, the library drains the queue instead of failing. Then an id returns sooner."
        ),
        refuted_by="fewer destructions",
        parts=(_returns_late,),
    ),
)
