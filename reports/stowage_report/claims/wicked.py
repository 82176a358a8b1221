"""Claims of Wicked Engine's article on its entity-component system (WE), and of its comments."""

from __future__ import annotations

from typing import Sequence

from stowage_report.claims import computed
from stowage_report.claims.evidence import FLOOR, INSTRUCTIONS, MISSES, TIME, Evidence, Missing, Points, Where, where
from stowage_report.claims.ruling import Claim, Part, Ruling, Verdict, apart
from stowage_report.claims.shapes import (MUCH, Trend, at_most, crossing_ends, crossing_text, holds_if, if_known,
                                          longer_elsewhere, ratio_beside, takes_longer)
from stowage_report.data import wording
from stowage_report.data.crossing import RatioCurve

MAP = "indirection_map"
PAIRED = f"{MAP}.paired"
#: The array as published, with two lookups a node; the same without lookups; a list of rows for each depth.
LINEAR, SORTED, LEVELS = "form.wicked", "form.sorted", "form.levels"
POINTERS = ("form.recursion", "form.stack")
#: The article's component manager.
MANAGER = "hash_index.node_hash_vectors"
ORDERS_MADE = {"kept": "level by level", "chains": "chain by chain"}
#: A figure that is at its floor, counted exactly.
AT_FLOOR = 1.05


def _joined_without_look_up(evidence: Evidence) -> Ruling:
    place, apart = evidence.at_largest_common(
        MISSES, *(([PAIRED], where("join", order=order, via="each")) for order in ("grouped", "unrelated")))
    misses, floor = (evidence.count(metric, PAIRED, place) for metric in (MISSES, FLOOR))
    apart_misses = evidence.count(MISSES, PAIRED, apart)
    instructions, apart_instructions = (evidence.count(INSTRUCTIONS, PAIRED, each) for each in (place, apart))
    return holds_if(misses <= AT_FLOOR * floor < apart_misses and instructions < apart_instructions,
                    f"misses an entity {wording.figure(misses)} paired (floor {wording.figure(floor)}), "
                    f"{wording.figure(apart_misses)} in unrelated orders; instructions "
                    f"{wording.figure(instructions)} and {wording.figure(apart_instructions)}", misses / floor)


def _depths(order: str = "kept") -> Where:
    return where("hierarchy_deep", order=order, dirty="100")


def _best(curves: Sequence[Points]) -> Points:
    """The lowest of several ratios, wherever all of them are known."""
    known = [dict(points) for points in curves]
    return [(place, min((ratios[place] for ratios in known), key=lambda ratio: ratio.median))
            for place in sorted(set.intersection(*map(set, known)))]


def _flat_and_deep(evidence: Evidence) -> Ruling:
    """Times of the pointer tree, in the better of its forms and made in the order that suits it better, against the
    linear one, along the depth of chains."""
    made = {words: _pointers_against(LINEAR, evidence, order) for order, words in ORDERS_MADE.items()}
    points = _best(list(made.values()))
    if not points:
        raise Missing(f"{TIME} of {' and '.join(POINTERS)} in {_depths()} and {_depths('chains')}")
    trend = Trend(points, "depth")
    curve = RatioCurve([place for place, _ in points], [ratio for _, ratio in points])
    told = "; ".join(Trend(its, "depth").told(f"the pointer tree, made {words}, takes {{}} as long as the linear array")
                     for words, its in made.items())
    without_lookups = if_known(evidence, lambda: Trend(_pointers_against(SORTED, evidence, "chains"), "depth").told(
        f"made chain by chain {{}} as long as {SORTED}, which looks nothing up"))
    return _ruled_by_depth(curve, trend, told).beside(without_lookups)


def _pointers_against(form: str, evidence: Evidence, order: str) -> Points:
    return _best([evidence.time_ratios(pointers, form, _depths(order), "depth") for pointers in POINTERS])


def _ruled_by_depth(curve: RatioCurve, trend: Trend, told: str) -> Ruling:
    if curve.sides[0] == 0 or len(trend.ratios) < 2:
        return Ruling(Verdict.UNDECIDED, f"{told}; needs narrower intervals: --preset full", trend.interval)
    if curve.sides[0] < 0 or -1 not in curve.sides:
        loses = "the pointer tree is ahead when flat" if curve.sides[0] < 0 else "the pointer tree is nowhere ahead"
        return Ruling(Verdict.REFUTED, f"{told}; {loses}", trend.interval)
    crossing = curve.crossings()[0]
    return Ruling(Verdict.HOLDS, f"{told}; the winner changes at {crossing_text(crossing, trend)}",
                  crossing_ends(crossing, trend))


def _heavier(evidence: Evidence) -> Ruling:
    """The workload calls it attach if parents come late in the order, and detach if they need not move."""
    def against(form: str, work: str) -> tuple[str, str, Where, str]:
        return form, POINTERS[0], where("hierarchy_attach", work=work), f"{form} takes {{}} as long as the pointer tree"

    return apart({when: takes_longer(evidence, *against(LINEAR, work)).beside(
                      ratio_beside(evidence, TIME, *against(SORTED, work)))
                  for work, when in (("attach", "rows that have to move"), ("detach", "rows that need not"))})


def _no_parallel_for(evidence: Evidence) -> Ruling:
    """Nodes of one depth do not need each other, so a level can be shared by threads if it is long enough."""
    ratios = evidence.time_ratios(LEVELS, f"{LEVELS}_parallel", _depths(), "depth")
    return at_most(1, Trend(ratios, "depth"), "one thread takes {} as long as all threads that share each level")


def _cheap(what: str) -> Part:
    """In itself, against the same bytes copied once by a hand-written loop. By dumping, against objects that are
    gathered, or made, one by one."""
    def part(evidence: Evidence) -> Ruling:
        place = where("serialize", what=what, ids="none")
        told = f"to {what} takes {{}} as long as one copy of the same bytes"
        copy = at_most(MUCH, Trend(evidence.time_ratios(LINEAR, "reference", place)), told).beside(
            ratio_beside(evidence, TIME, MAP, "reference", place, f"{MAP}, with checksums, {{}}"))
        arrays, objects = evidence.counts(INSTRUCTIONS, [LINEAR, "naive_objects"], place)
        gathered = holds_if(objects > MUCH * arrays, f"instructions an entity to {what}: {wording.figure(arrays)} by "
                            f"arrays, {wording.figure(objects)} by heap objects", objects / arrays)
        return apart({"in itself": copy, "by dumping": gathered})
    return part


def _remap_affordable(evidence: Evidence) -> Ruling:
    """Against ids that are made others by a seed, for which nothing is looked up."""
    remapped, seeded = (where("serialize", what="load", ids=ids) for ids in ("remap", "xor"))

    def ours() -> str:
        ratios = evidence.time_ratios_apart((MAP, remapped), (MAP, seeded))
        return Trend(ratios).told(f"{MAP}, whose table is an array, {{}}")

    ratios = evidence.time_ratios_apart((LINEAR, remapped), (LINEAR, seeded))
    return at_most(MUCH, Trend(ratios), "to load takes {} as long with the remap table as with a seed").beside(
        if_known(evidence, ours))


def _looked_up_is_dearer(evidence: Evidence) -> Ruling:
    one, other = ((MANAGER, where("duplicated", read=how)) for how in ("lookup", "copy"))
    return longer_elsewhere(evidence, one, other, "looking up takes {} as long as keeping a copy", "writes")


def _collide(evidence: Evidence) -> Ruling:
    likely, many = computed.ids_until_a_collision_is_likely(), computed.MANY_ENTITIES
    return holds_if(likely < many, f"equal random ids are more likely than not from {likely:,} entities on, "
                    f"{likely / computed.RANDOM_IDS:.4%} of all ids", likely)


def _remapped_do_not(evidence: Evidence) -> Ruling:
    distinct = evidence.is_verified(MAP, where("serialize", what="twice", ids="remap"))
    return holds_if(distinct, f"entities of a file loaded twice through the remap table: "
                    f"{'all' if distinct else 'not all'} distinct", 0.0)


CLAIMS = (
    Claim(
        id="C21",
        source="WE",
        heading="Scene Graph",
        quote="the pointer based tree traversal can beat the ECS implementation",
        statement="the linear hierarchy beats the pointer tree when flat; the pointer tree can win when deep",
        test=(
            "`hierarchy_deep`, chains of 1 to 4096 nodes: the published array (`form.wicked`) against the better of "
            "recursion and an explicit stack. Nodes are made level by level (order:kept), which scatters the objects "
            "of a chain, and chain by chain (order:chains), which puts them side by side: at each depth the order "
            "counts that suits the pointers better. Faster with chains of 1, and somewhere certainly slower."
        ),
        why=(
            "The hierarchy is the article's, with two map lookups a node and the second matrix product. Flat is its "
            "\"one parent has many children\". It says that the pointers can win, so one depth, and the order that "
            "suits them, are enough."
        ),
        refuted_by="a pointer tree that is ahead when flat, or nowhere ahead",
        parts=(_flat_and_deep,),
    ),
    Claim(
        id="C22",
        source="WE",
        heading="Scene Graph",
        quote="more heavy than with a pointer based approach",
        statement="order-keeping operations make attach and detach heavier than with pointers",
        test=(
            "`hierarchy_attach`, a tree attached and detached: the published array (`form.wicked`) takes longer than "
            "the pointer tree if rows have to move (work:attach) and if they need not (work:detach), with the sizes "
            "that it can do, up to 1000 nodes."
        ),
        why=(
            "Attach scans and moves items, detach removes in order, as in the article. Rows that need not move are "
            "measured apart, because a scene can be built bottom-up."
        ),
        refuted_by="an array that is as fast, whether or not rows move",
        parts=(_heavier,),
    ),
    Claim(
        id="C23",
        source="WE",
        heading="Serialization",
        quote="We can just easily dump the array contents",
        statement="dumping arrays makes save and load cheap, and the remap table is an affordable price",
        test=(
            "`serialize`, the published component managers. Cheap in itself: to save and to load (ids:none) takes at "
            "most twice as long as one copy of the same bytes. Cheap by dumping: less than half of the instructions of "
            "heap objects. The words name no rival, so both count: if one is true and the other is not, it depends on "
            "the reading. Affordable: a load with the remap table (ids:remap) takes less than twice as long as one "
            "that makes other ids by a seed (ids:xor)."
        ),
        why=(
            "The managers, their maps and the `std::unordered_map` of entities are the article's (`form.wicked`). They "
            "sum up no checksums, as the copy does not. The article sets the remap table against its own earlier ids "
            "by a random seed, and so does this."
        ),
        refuted_by=(
            "more than twice the time of a copy and more than half the instructions of objects; or twice the time of "
            "seeded ids"
        ),
        parts=(_cheap("save"), _cheap("load"), _remap_affordable),
    ),
    Claim(
        id="C24",
        source="WE",
        heading="comment 3",
        quote="indexing is the same between them to avoid hash lookups",
        statement="equal order in paired pools removes the cost of lookups from joins",
        test=(
            "`join` via:each of paired pools, whose complete groups lie in the same order: no more than 5 % above the "
            "floor's lines, and fewer instructions than in unrelated orders, in which each second component is "
            "looked up."
        ),
        why=(
            "The pattern is the author's, pools with the same entities in the same order. A lookup costs lines of the "
            "index and instructions: if both are gone, so is its cost."
        ),
        refuted_by="misses above the floor, or as many instructions",
        parts=(_joined_without_look_up,),
    ),
    Claim(
        id="C27",
        source="WE",
        heading="Scene Graph",
        quote="multithreading is still not possible with a parallel for loop",
        statement="the linear hierarchy update cannot use a parallel for, because order matters",
        test=(
            "`hierarchy_deep`, chains of 1 to 4096 nodes: an update by levels on one thread takes no longer than one "
            "in which all threads of the machine share each level in chunks of 1024 nodes (`form.levels_parallel`, "
            "verified equal)."
        ),
        why=(
            "The article's reason is the order, and levels are what the order leaves free. That the loop over the "
            "article's array cannot be split follows from it; that no parallel for helps does not, and is what is "
            "measured. The deeper the chains, the shorter the levels, so the verdict is the depth at which it changes."
        ),
        refuted_by="threads that are faster at every depth of chains",
        parts=(_no_parallel_for,),
    ),
    Claim(
        id="C28",
        source="WE",
        heading="comment 4",
        quote="the more entities, the bigger the chance",
        statement=(
            "random 31-bit entity ids collide sooner than one thinks when many are made or files are merged; "
            "monotonic ids with a remap table do not"
        ),
        test=(
            "Computed: a collision is more likely than not among the entities of a large scene (262,144). "
            "`serialize`: a file loaded twice through the remap table gives distinct entities, by verified checksums."
        ),
        why=(
            "Ids are 1 to INT_MAX, drawn uniformly, as the article makes them when it finds collisions \"unlikely\" "
            "\"very soon\". Sooner is read as: within one scene, though it uses a tiny share of all ids."
        ),
        refuted_by="more than 262,144 ids before a collision is likely, or remapped entities that are equal",
        parts=(_collide, _remapped_do_not),
    ),
    Claim(
        id="C30",
        source="WE",
        heading="ComponentManager",
        quote="often better to duplicate data in an ECS",
        statement="duplicating data is better than looking it up when the lookup would be frequent",
        test=(
            "`duplicated`: a value read through a lookup, and from a copy that every write keeps true. The lookup "
            "takes longer, with no writes and up to as many writes as reads."
        ),
        why=(
            "The article weighs map lookups in a loop against a copy. It leaves out the price of keeping the copy "
            "true, so the share of writes at which that is as much is the verdict."
        ),
        refuted_by="a copy that is slower though nothing is written",
        parts=(_looked_up_is_dearer,),
    ),
)
