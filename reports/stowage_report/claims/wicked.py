"""Claims of Wicked Engine's article on its entity-component system (WE), and of its comments."""

from typing import Callable, Mapping

from stowage_report.claims import computed
from stowage_report.claims.evidence import FLOOR, INSTRUCTIONS, MISSES, TIME, Evidence, Missing, Where, where
from stowage_report.claims.ruling import Part, Ruling, apart
from stowage_report.claims.shapes import (MUCH, Trend, at_most, holds_if, if_known, inverted, longer_apart, no_slower,
                                          ratio_beside, slower, somewhere_slower, takes_longer)
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import ENTITIES

MAP = "indirection_map"
PAIRED = f"{MAP}.paired"
#: The array as published, with two lookups a node; the same without lookups; a list of rows for each depth.
LINEAR, SORTED, LEVELS = "form.wicked", "form.sorted", "form.levels"
#: What a thread takes at once of a level.
ROWS_OF_A_CHUNK = 1024
POINTERS = ("form.recursion", "form.stack")
FLAT = 1  # node in a chain
#: Its rival: the same managers and maps, with an object for each component.
OBJECTS = "form.wicked_objects"
#: ns that a disk with 0.5 GB/s (SATA) needs for what a file has of an entity: 40 bytes of components, and its number with
#: each of four.
DISK_NS = (40 + 4 * 4) / 0.5
#: The article's component manager.
MANAGER = "hash_index.node_hash_vectors"
#: How the objects of a chain are made, and those of a flat tree.
ORDERS_DEEP = {"kept": "level by level", "chains": "chain by chain"}
ORDERS_FLAT = {"kept": "in the order of the children", "scattered": "at random"}
#: A figure that is at its floor, counted exactly.
AT_FLOOR = 1.05


def _joined_without_look_up(evidence: Evidence) -> Ruling:
    """Against the article's managers, with rows in equal orders: they differ in the lookups alone."""
    in_pairs, in_order = (where("join", order=order, via="each") for order in ("grouped", "same"))
    paired, looked_up = evidence.at_largest(MISSES, ([PAIRED], in_pairs), ([MANAGER], in_order))
    floor = evidence.count(FLOOR, PAIRED, paired)
    (misses, instructions), (more_misses, more_instructions) = (
        [evidence.count(metric, strategy, place) for metric in (MISSES, INSTRUCTIONS)]
        for strategy, place in ((PAIRED, paired), (MANAGER, looked_up)))
    return holds_if(misses <= AT_FLOOR * floor < more_misses and instructions < more_instructions,
                    f"{wording.figure(misses)} misses per entity paired (floor {wording.figure(floor)}), and "
                    f"{wording.figure(more_misses)} with a lookup; {wording.figure(instructions)} and "
                    f"{wording.figure(more_instructions)} instructions", misses / floor).beside(
        if_known(evidence, lambda: Trend(evidence.time_ratios_apart((MANAGER, in_order), (PAIRED, in_pairs))).told(
            "a join with lookups takes {} as long")))


def _depths(order: str = "kept") -> Where:
    return where("hierarchy_deep", order=order, dirty="100")


def _against_pointers(evidence: Evidence, orders: Mapping[str, str], is_meant: Callable[[float], bool]) -> dict[str, Trend]:
    """Times of pointer trees against the linear array along the depths that are meant, by how they are made and walked."""
    trends = {f"made {words}, {walk}": Trend([point for point in evidence.ratios(TIME, walk, LINEAR, _depths(order), "depth")
                                              if is_meant(point[0])], "depth")
              for order, words in orders.items() for walk in POINTERS}
    if not all(trend.ratios for trend in trends.values()):
        raise Missing(f"{TIME} of {LINEAR} in {_depths()} with each order and depth")
    return trends


def _faster_when_flat(evidence: Evidence) -> Ruling:
    """Everywhere: in either order of creation, against either way to walk the pointers."""
    flat = _against_pointers(evidence, ORDERS_FLAT, lambda depth: depth == FLAT)
    return apart({named: slower(trend, "the pointer tree takes {} as long as the linear array")
                  for named, trend in flat.items()})


def _beaten_when_deep(evidence: Evidence) -> Ruling:
    """Somewhere: the pointers can win, so that one depth, order of creation and walk is enough."""
    deep = {named: Trend([(depth, inverted(ratio)) for depth, ratio in trend.ratios], "depth")
            for named, trend in _against_pointers(evidence, ORDERS_DEEP, lambda depth: depth > FLAT).items()}

    def without_lookups() -> str:
        trends = {walk: Trend(evidence.ratios(TIME, walk, SORTED, _depths("chains"), "depth"), "depth") for walk in POINTERS}
        return "; ".join(trend.told(f"{walk}, made chain by chain, takes {{}} as long as {SORTED}, which looks nothing up")
                         for walk, trend in trends.items())

    return somewhere_slower(deep, "the linear array takes {} as long as the pointer tree").beside(
        if_known(evidence, without_lookups))


def _heavier(evidence: Evidence) -> Ruling:
    """The workload calls it attach if parents come late in the order, and detach if they need not move."""
    def against(form: str, work: str) -> tuple[str, str, Where, str]:
        return form, POINTERS[0], where("hierarchy_attach", work=work), f"{form} takes {{}} as long as the pointer tree"

    return apart({when: takes_longer(evidence, *against(LINEAR, work)).beside(
                      ratio_beside(evidence, TIME, *against(SORTED, work)))
                  for work, when in (("attach", "rows that have to move"), ("detach", "rows that need not"))})


def _no_parallel_for(evidence: Evidence) -> Ruling:
    """The article's loop. Rows of one depth do not need each other, so threads can share them if they are many enough: where
    no level has more rows than a chunk, there is nothing to share, and both run the same loop."""
    parallel = f"{LINEAR}_parallel"
    (largest,) = evidence.at_largest(TIME, ([LINEAR, parallel], _depths()))
    ratios = [(depth, ratio if largest.entities > ROWS_OF_A_CHUNK * depth else Estimate(1.0, 1.0, 1.0))
              for depth, ratio in evidence.ratios(TIME, LINEAR, parallel, _depths(), "depth")]
    return no_slower(Trend(ratios, "depth"), "one thread takes {} as long as all threads that share each level").beside(
        f"1 stands for depths whose levels have at most {ROWS_OF_A_CHUNK:,} rows, at which both run the same loop",
        ratio_beside(evidence, TIME, LEVELS, f"{LEVELS}_parallel", _depths(), f"{{}} in {LEVELS}, which looks nothing up", "depth"))


def _cheap(what: str) -> Part:
    """Against the disk that the bytes are for, and against objects behind equal maps, gathered or made one by one."""
    def part(evidence: Evidence) -> Ruling:
        place = where("serialize", what=what, ids="none")
        disk = at_most(DISK_NS, Trend(evidence.times(LINEAR, place, ENTITIES), unit="ns"),
                       f"takes {{}} per entity, and such a disk {DISK_NS:g}").beside(
            ratio_beside(evidence, TIME, LINEAR, "reference", place, "{} as long as one copy of the bytes"),
            ratio_beside(evidence, TIME, MAP, "reference", place, f"{MAP}, with checksums, {{}}"))
        return apart({"compared with a disk": disk,
                      "compared with objects": takes_longer(evidence, OBJECTS, LINEAR, place, "objects take {} as long")})
    return part


def _remap_affordable(evidence: Evidence) -> Ruling:
    """Against ids that are made others by a seed, for which nothing is looked up."""
    remapped, seeded = (where("serialize", what="load", ids=ids) for ids in ("remap", "xor"))

    def ours() -> str:
        ratios = evidence.time_ratios_apart((MAP, remapped), (MAP, seeded))
        return Trend(ratios).told(f"{MAP}, whose table is an array, {{}}")

    ratios = evidence.time_ratios_apart((LINEAR, remapped), (LINEAR, seeded))
    return at_most(MUCH, Trend(ratios), "loading takes {} as long with the remap table as with a seed").beside(
        if_known(evidence, ours))


def _collide(evidence: Evidence) -> Ruling:
    likely, many = computed.ids_until_a_collision_is_likely(), computed.MANY_ENTITIES
    return holds_if(likely < many, f"equal random ids are more likely than not from {likely:,} entities on, "
                    f"{likely / computed.RANDOM_IDS:.4%} of all ids", likely)


def _remapped_do_not(evidence: Evidence) -> Ruling:
    def distinct(form: str) -> bool:
        return evidence.is_verified(form, where("serialize", what="twice", ids="remap"))

    def told(form: str) -> str:
        return f"{form}: {'all' if distinct(form) else 'not all'} distinct"

    return holds_if(distinct(LINEAR), f"entities of a file loaded twice through the remap table, {told(LINEAR)}", 0.0).beside(
        if_known(evidence, lambda: told(MAP)))


PARTS: dict[str, Part | Mapping[str, Part]] = {
    "C21": {"flat": _faster_when_flat, "deep": _beaten_when_deep},
    "C22": _heavier,
    "C23": {"saving": _cheap("save"), "loading": _cheap("load"), "the remap table": _remap_affordable},
    "C24": _joined_without_look_up,
    "C27": _no_parallel_for,
    "C28": {"random ids": _collide, "remapped ids": _remapped_do_not},
    "C30": longer_apart((MANAGER, where("duplicated", read="lookup")), (MANAGER, where("duplicated", read="copy")),
                        "looking up takes {} as long as keeping a copy", "writes"),
}
