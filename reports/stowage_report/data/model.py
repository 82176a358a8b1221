"""What a run measured, as the charts, the tables and the page see it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Callable, Iterable, Mapping, Sequence

from stowage_report.data import grouped
from stowage_report.data.estimates import Estimate, Samples, Standing

REFERENCE = "reference"
#: Of pools, sections, direct rows and interleaved rows: which of these a cell is compared with is in the results file.
CONTRACT_FLOORS = ("reference.store", "reference.contract", "reference.sections", "reference.direct",
                   "reference.interleaved")
#: Measured whatever is selected.
FLOORS = (REFERENCE, *CONTRACT_FLOORS)
#: How the number of entities is called where it stands among parameters.
ENTITIES = "entities"
#: A parameter with fewer different values makes no curve.
FEWEST_OF_AN_AXIS = 3

Parameters = tuple[tuple[str, str], ...]


def is_hand_written(strategy: str) -> bool:
    """The floor and other loops to compare with: shown, but nothing that one could choose."""
    return strategy == REFERENCE or strategy.startswith(REFERENCE + ".") or is_form(strategy)


def is_form(strategy: str) -> bool:
    """A form of a hierarchy by itself, beside the storages that hold one."""
    return strategy.startswith("form.")


def _rank(strategy: str) -> int:
    return FLOORS.index(strategy) if strategy in FLOORS else len(FLOORS)


def family_of(strategy: str) -> str:
    """`hash_index.node_hash` -> `hash_index`: what its variants share."""
    return strategy.partition(".")[0]


def is_headline(strategy: str) -> bool:
    """The base form of a family, which stands for it if not all can be shown."""
    return strategy == family_of(strategy)


def frame_bin_ns(index: int) -> float:
    """Where a bin of a frame histogram begins, as harness/measure/frames.hpp makes them: 8 for each factor of 10 from 100 ns
    on; the last has all that is longer."""
    return 100 * 10 ** (index / 8)


@dataclass(frozen=True)
class Cell:
    """One strategy in one block: either figures or the error that took their place.

    A cell that only passes beside the clock have taken has counters and no times.
    """

    name: str
    strategy: str
    ns_per_item: Estimate | None = None
    samples: Samples | tuple[()] = ()  # ns per item
    ratio_to_reference: Estimate | None = None
    ratio_to_best: Estimate | None = None  # of the best itself 1 without an interval, which is so by definition
    standing: Standing = Standing.UNTIMED
    counters: Mapping[str, float] = field(default_factory=dict)  # what does not apply or was not counted is absent
    frames: tuple[int, ...] = ()  # how many took how long, by frame_bin_ns()
    error: str = ""
    layouts: tuple[int, ...] = ()  # of the code, for each sample
    ratio_to_contract: Estimate | None = None  # files of older versions have none
    contract_floor: str = ""  # the strategy that it is relative to
    timed_s: float = 0.0  # what all of its repetitions took
    looks: int = 0  # after which its block was judged; 0 if that is judged once, by repetitions of one process

    @property
    def cost(self) -> float:
        """What cells of a block are ordered by: the ratio to the reference or, if there is none, the time."""
        return (self.ratio_to_reference or self.ns_per_item).median


@dataclass(frozen=True)
class Block:
    """One workload with one parameter set: the cells that were measured interleaved and may be compared."""

    workload: str
    entities: int
    parameters: Parameters
    cells: Mapping[str, Cell]
    host: str = field(default="", compare=False)  # that measured it, if merged from several; a submission renames it

    def value(self, axis: str) -> float:
        """Of the number of entities or of a parameter."""
        return self.entities if axis == ENTITIES else float(dict(self.parameters)[axis])

    def time_of(self, strategy: str) -> Estimate | None:
        """None if it has no cell here, or that has no times."""
        return self.cells[strategy].ns_per_item if strategy in self.cells else None

    @property
    def population(self) -> str:
        """Which it was measured on, if others were, too; else empty."""
        return next((cell.samples.population for cell in self.measured), "")

    @property
    def measured(self) -> list[Cell]:
        """Those with times."""
        return [cell for cell in self.cells.values() if cell.ns_per_item]

    @cached_property
    def ratios_to_best(self) -> Mapping[str, Estimate]:
        """Of every measured cell, if there is something to choose."""
        return {name: cell.ratio_to_best for name, cell in self.cells.items() if cell.ratio_to_best}

    @cached_property
    def leaders(self) -> list[str]:
        """The best strategy and all that may be: those that are equal to it, or open."""
        return [name for name, cell in self.cells.items() if cell.standing.may_be_best]

    @property
    def is_decided(self) -> bool:
        """Every strategy is equal to the best, or worse."""
        return bool(self.leaders) and not any(cell.standing is Standing.OPEN for cell in self.cells.values())


@dataclass(frozen=True)
class Sweep:
    """The blocks of one workload that differ in one thing alone, in its order."""

    workload: str
    parameters: Parameters  # that all of its blocks share; with the number of entities if that is not the axis
    blocks: tuple[Block, ...]
    axis: str = ENTITIES  # what they differ in: the number of entities, or a parameter with a number for a value

    @property
    def strategies(self) -> list[str]:
        """The floors first, then in the order of the blocks: it says nothing of rank."""
        return sorted(dict.fromkeys(name for block in self.blocks for name in block.cells), key=_rank)

    @property
    def cells(self) -> list[Cell]:
        """Block by block."""
        return [cell for block in self.blocks for cell in block.cells.values()]

    @property
    def values(self) -> list[float]:
        return [block.value(self.axis) for block in self.blocks]

    @property
    def of_each_host(self) -> list[Sweep]:
        """Times of different hosts make no curve."""
        return [replace(self, blocks=tuple(its)) for its in grouped(self.blocks, lambda block: block.host).values()]

    def covers(self, workload: str, entities: int, parameters: Parameters) -> bool:
        return self.workload == workload and self.parameters == _without(self.axis, entities, parameters)

    def largest_with(self, figures: Callable[[Cell], bool]) -> Block | None:
        """The largest of the blocks of whose cells the most have certain figures; not all have a cell in each."""
        def share(block: Block) -> float:
            return sum(map(figures, block.cells.values())) / len(block.cells)

        return max(filter(share, self.blocks), key=lambda block: (share(block), block.value(self.axis)), default=None)


def sweeps_along(axis: str, blocks: Iterable[Block]) -> list[Sweep]:
    """Groups blocks that differ along `axis` alone; each has the parameter that it is."""
    groups = grouped(blocks, lambda block: (block.workload, _without(axis, block.entities, block.parameters)))
    return [Sweep(workload, parameters, tuple(sorted(its, key=lambda block: block.value(axis))), axis)
            for (workload, parameters), its in groups.items()]


def _without(axis: str, entities: int, parameters: Parameters) -> Parameters:
    if axis == ENTITIES:
        return parameters
    return ((ENTITIES, str(entities)), *(item for item in parameters if item[0] != axis))


def widest_axis(blocks: Sequence[Block]) -> str:
    """Of one workload's blocks: what they have most different values of; of equally many, what its author added."""
    values: dict[str, set[str]] = {}
    for block in blocks:
        for key, value in block.parameters:
            values.setdefault(key, set()).add(value)
    numeric = {key: len(its) for key, its in values.items()
               if len(its) >= FEWEST_OF_AN_AXIS and all(re.fullmatch(r"\d+(\.\d+)?", each) for each in its)}
    best = max(numeric, key=numeric.__getitem__, default=ENTITIES)
    return best if numeric.get(best, 0) >= len({block.entities for block in blocks}) else ENTITIES


@dataclass(frozen=True)
class WorkloadCard:
    name: str
    item: str = "item"
    setup: str = ""
    measured: str = ""
    checksum: str = ""
    favours: str = ""
    disadvantages: str = ""
    floor: str = ""


@dataclass(frozen=True)
class StrategyCard:
    name: str
    family: str = ""
    source: str = ""
    summary: str = ""
    semantics: Mapping[str, bool] = field(default_factory=dict)  # what it promises, and what it does not
    lacks: Mapping[str, str] = field(default_factory=dict)  # parts of the contract, and why
    not_offered: Mapping[str, str] = field(default_factory=dict)  # workloads without cells of it, or not all, and why
    form: str = ""  # `exact` as its source has it, `near`, `tuned` or `ours`


@dataclass(frozen=True)
class PassRecord:
    """How a pass beside the clock came to its figures."""

    name: str  # `cache`, `memory`
    source: str  # `simulated`, `hardware`, `counted`
    details: Mapping[str, str]


@dataclass(frozen=True)
class Omission:
    """A cell that a pass did not take, and why."""

    pass_name: str
    cell: str
    workload: str
    entities: int
    parameters: Parameters
    reason: str


@dataclass(frozen=True)
class Cache:
    type: str
    level: int
    size_bytes: int
    sharing: int

    @property
    def name(self) -> str:
        return f"L{self.level}" + {"Data": "d", "Instruction": "i"}.get(self.type, "")


@dataclass(frozen=True)
class Run:
    directory: Path
    host: Mapping[str, object]  # Google Benchmark's own part of the context
    record: Mapping[str, object]  # our part of it
    caches: tuple[Cache, ...]
    blocks: tuple[Block, ...]
    workload_cards: Mapping[str, WorkloadCard]
    strategy_cards: Mapping[str, StrategyCard]
    passes: tuple[PassRecord, ...] = ()  # beside the clock
    omissions: tuple[Omission, ...] = ()
    label: str = ""  # if it takes more than its directory's name to tell it from others

    @property
    def name(self) -> str:
        return self.label or self.directory.name

    @property
    def line_bytes(self) -> int:
        """Of the cache lines that misses and floors count. Runs of before there were others do not say it."""
        return self.record.get("line_bytes", 64)

    @cached_property
    def strategies(self) -> list[str]:
        """The floors first, then in the order in which they were registered."""
        measured = dict.fromkeys(name for block in self.blocks for name in block.cells)
        listed = [name for name in self.strategy_cards if name in measured]
        return sorted(dict.fromkeys(listed + list(measured)), key=_rank)

    @cached_property
    def sizes(self) -> list[int]:
        return sorted({block.entities for block in self.blocks})

    @cached_property
    def main_size(self) -> int:
        """The largest of those that most blocks have: the size to compare all blocks at."""
        counts = Counter(block.entities for block in self.blocks)
        return max(counts, key=lambda size: (counts[size], size))

    @cached_property
    def sweeps(self) -> list[Sweep]:
        """Of each workload along its widest axis."""
        by_workload = map(self.blocks_of, self.workloads)
        return [sweep for blocks in by_workload for sweep in sweeps_along(widest_axis(blocks), blocks)]

    def blocks_of(self, workload: str) -> list[Block]:
        return [block for block in self.blocks if block.workload == workload]

    @property
    def workloads(self) -> list[str]:
        return list(dict.fromkeys(block.workload for block in self.blocks))

    def item_of(self, workload: str) -> str:
        """What a cost is divided by; empty if the run did not record it."""
        return self.workload_cards[workload].item if workload in self.workload_cards else ""

    @property
    def errors(self) -> list[Cell]:
        return [cell for block in self.blocks for cell in block.cells.values() if cell.error]
