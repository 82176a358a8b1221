"""The tables of docs/decisions-for-games.md: what some storages take for some work."""

from dataclasses import dataclass
from itertools import product
from typing import Callable, Mapping, Sequence

from peers import COUNTS, marked
from stowage_report.data import wording
from stowage_report.data.model import ENTITIES, REFERENCE, Block, Cell, Run
from tables import NONE, quoted, table


def instructions(cell: Cell) -> str:
    return wording.number(cell.counters[COUNTS[0]])


def with_misses(cell: Cell) -> str:
    return ", ".join(wording.number(cell.counters[key]) for key in COUNTS)


def time(cell: Cell) -> str:
    return marked(cell.ratio_to_reference)


@dataclass(frozen=True)
class Table:
    """What stands in the first columns of a row, between bars, and the workload with its parameters; the name of a column,
    and the strategy, with parameters if they differ between columns."""

    record: str
    corner: str
    rows: Mapping[str, str]
    columns: Mapping[str, str]
    figure: Callable[[Cell], str] = instructions
    is_race: bool = False  # the least of a row is bold; each strategy has all cells

    def made(self, runs: Sequence[Run]) -> str:
        blocks = [block for run in runs if bool(run.caches) == (self.figure is time) for block in run.blocks]
        rows = [[*name.split(" | "), *self._figures(blocks, work)] for name, work in self.rows.items()]
        return "\n".join(table([*self.corner.split(" | "), *self.columns], rows))

    def _figures(self, blocks: Sequence[Block], work: str) -> list[str]:
        cells = [cell_of(blocks, work, who) for who in self.columns.values()]
        texts = [self.figure(cell) if cell else NONE for cell in cells]
        if not self.is_race:
            return texts
        least = texts[cells.index(min(cells, key=lambda cell: cell.counters[COUNTS[0]]))]
        return [f"**{text}**" if text == least else text for text in texts]


def cell_of(blocks: Sequence[Block], work: str, who: str) -> Cell | None:
    """With 16k entities if they are not named. ValueError unless there is one block of that work."""
    workload, *parameters = work.split()
    strategy, *more = who.split()
    wanted = {ENTITIES: "16384"} | dict(each.split(":") for each in [*more, *parameters])
    (block,) = [block for block in blocks if block.workload == workload
                and wanted.items() <= (dict(block.parameters) | {ENTITIES: str(block.entities)}).items()]
    return block.cells.get(strategy)


def by_name(*names: str) -> dict[str, str]:
    return dict(zip(quoted(names), names))


def sizes(rows: Mapping[str, str]) -> dict[str, str]:
    return {f"{name}, {size}": f"{work} {ENTITIES}:{entities}"
            for (name, work), (size, entities) in product(rows.items(), {"16k": 16384, "256k": 262144}.items())}


SECTIONS, POOLS, DIRECT, OBJECTS = "archetype_sections", "indirection_map", "sparse_direct", "naive_objects"
NAMES = {"`naive_objects`": OBJECTS, "direct rows": DIRECT, "pools": POOLS, "`hash_index`": "hash_index",
         "`interleaved_pairs`": "interleaved_pairs", "sections": SECTIONS}

#: THE list.
TABLES = {
    "toggle": Table(
        "games", "rate a frame | loops a frame",
        {f"{rate} % | {loops}": f"toggle rate:{rate} loops:{loops}"
         for rate, loops in product(("0.1", "1", "5", "20"), ("1", "10"))},
        {"added and removed: sections": f"{SECTIONS} as:component", "pools": f"{POOLS} as:component",
         "direct rows": f"{DIRECT} as:component", "apart (`hybrid`)": "hybrid as:component",
         "switched off (`.enable_bits`)": f"{SECTIONS}.enable_bits as:component",
         "a flag that all have": f"{SECTIONS} as:flag"}, is_race=True),
    "changed": Table(
        "games", "written in a frame",
        {"none": "changed changed:none", "one": "changed changed:one", "all of one component set": "changed changed:set",
         "half, drawn at random": "changed changed:half", "all": "changed changed:all"},
        {"a tick per row (`indirection_map.changed`)": f"{POOLS}.changed how:record",
         "a tick per section (`archetype_sections.changed`)": f"{SECTIONS}.changed how:record",
         "a version in the component: pools": f"{POOLS} how:record", "a version: sections": f"{SECTIONS} how:record",
         "recompute all: pools": f"{POOLS} how:everything", "recompute all: sections": f"{SECTIONS} how:everything"},
        is_race=True),
    "filters": Table(
        "means", "", sizes({"`Without<C>`": "filters filter:without", "`Optional<C>`": "filters filter:optional"}),
        {"sections": SECTIONS, "`flecs`": "flecs", "direct rows": DIRECT, "pools": POOLS, "`entt`": "entt"}, time),
    "deferred": Table(
        "means", "", sizes({"a list of handles, one change after the other": "deferred how:list",
                            "commands, summed up for each entity": "deferred how:batched"}),
        by_name(POOLS, SECTIONS, "entt", "flecs"), time),
    "sorted": Table(
        "games", "",
        {"keys and handles are collected and sorted (`std::sort`) in each frame": "sorted how:collected",
         "a sorted list beside the storage is repaired": "sorted how:index",
         "the storage keeps its rows in that order": "sorted how:in_place"},
        {"hand-written": REFERENCE, "pools": POOLS, "hash index": "hash_index", "sections": SECTIONS,
         "direct rows": DIRECT, "heap objects": OBJECTS}, with_misses),
    "observed": Table(
        "games", "listeners",
        {"no code for them": "observed listeners:0 how:none"} |
        {f"{listeners}": f"observed listeners:{listeners}" for listeners in ("0", "1", "4", "16")},
        {f"{name}: {told}": f"{strategy} how:{how}" for name, strategy in (("pools", POOLS), ("sections", SECTIONS))
         for told, how in (("a call for each event", "called"), ("a list, once a frame", "collected"))}),
    "calls": Table(
        "games", " | entities",
        {f"{name} | {entities}": f"{work} entities:{entities}" for name, work in
         (("a loop", "point_mass"), ("lookups of a list", "lookup components:1")) for entities in ("1", "16")},
        {"hand-written": REFERENCE} | NAMES),
    "wide": Table(
        "wide", "types | ",
        {f"{types} | {name}": f"wide do:{do} types:{types}" for do, name in
         (("100_systems", "a system"), ("destroy", "a destroyed entity")) for types in ("8", "300")},
        {"floor": REFERENCE, "hand-written sections": "reference.sections"} |
        by_name(SECTIONS, f"{SECTIONS}.dynamic") | {"hand-written pools": "reference.store"} |
        by_name(DIRECT, POOLS, f"{POOLS}.dynamic")),
    "schema": Table(
        "libraries", "",
        {"a loop over four components (`point_mass`)": "point_mass", "lookup of one component": "lookup components:1",
         "lookup of four components": "lookup components:4",
         "creation, four components, reserved": "create how:single memory:reserved components:4",
         "destruction, in order": "destroy how:each",
         "one of five components added or removed": "structural others:4 sets:1 grouped:no"},
        by_name(SECTIONS, f"{SECTIONS}.dynamic", POOLS, f"{POOLS}.dynamic")),
    "snapshot": Table(
        "games", "changed since",
        {f"{share} %": f"snapshot changed:{share}" for share in ("1", "10", "50")} |
        {"all: into a new storage": "snapshot changed:all"},
        {"hand-written with handles": "reference.store"} | by_name(SECTIONS, POOLS, OBJECTS)),
    "prefab": Table(
        "games", "entities of a template | ",
        {f"{nodes} | {name}": f"prefab how:{how} nodes:{nodes}" for nodes in ("8", "64")
         for name, how in (("one by one", "single"), ("in bulk", "bulk"))},
        {"floor": REFERENCE, "hand-written with handles": "reference.store"} | by_name(SECTIONS, POOLS, OBJECTS)),
}
