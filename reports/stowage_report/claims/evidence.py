"""The figures of stored runs that a claim asks for. `Evidence` remembers what was asked: a command has to repeat it.

`wishes_of` finds out what a claim would ask for if a run had every figure.
"""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from operator import attrgetter, truediv
from statistics import fmean
from typing import Callable, Hashable, Mapping, Sequence

from stowage_report.claims.ruling import Part
from stowage_report.data import passes
from stowage_report.data.estimates import (FEWEST_SAMPLES, Estimate, Intervals, Samples, Scatter, estimate_of_processes,
                                           medians_by_process)
from stowage_report.data.metrics import SPIKE
from stowage_report.data.model import ENTITIES, Block, Cell, Parameters, Run

TIME = "ns_per_item"
MISSES, LAST_LEVEL_MISSES, INSTRUCTIONS = "l1d_misses_per_item", "ll_misses_per_item", "instructions_per_item"
FLOOR = "floor_lines_per_item"
BYTES, SLACK, INDEX = "bytes_per_entity", "slack_bytes_per_entity", "index_bytes_per_entity"

MEDIAN_FRAME, SLOW_FRAME = "frame_p50_ns", "frame_p99_ns"

#: What differs from process to process.
TIMED = frozenset({TIME, SPIKE.name, MEDIAN_FRAME, SLOW_FRAME})
#: Counted exactly if the caches were simulated, and only estimated if the processor counted.
SIMULATED = frozenset({MISSES, LAST_LEVEL_MISSES, INSTRUCTIONS})
#: What `stowage cache` gives.
EXACT = SIMULATED | {FLOOR}

#: The parameter of cells that are measured in the world of a profile.
WORLD = "world"

#: With fewer entities a first-level cache holds most of what a workload goes through: its misses say nothing of layouts.
LEAST_TELLING = 16_384

#: Of times: with fewer processes nothing is decided, and from so many on no more are added.
FEWEST_PROCESSES, MOST_PROCESSES = 3, 12
#: Three processes of a single place have no more. They say too little of the scatter to decide anything.
_TOO_FEW_DEGREES_OF_FREEDOM = 2
#: Times depend on the process more than ratios within one do, as harness/statistics/process_scatter.hpp has it.
_LEAST_SCATTER_OF_TIMES = 0.03

#: Ratios at places of an axis, ascending.
Points = list[tuple[float, Estimate]]
#: A run, by its number, and the host of a block: one run may be merged from several.
Source = tuple[int, str]
#: A figure in each process, by its source and the number of the process in it.
ByProcess = Mapping[tuple[Source, int], float]


@dataclass(frozen=True)
class OfProcesses(Estimate):
    """Each process is one observation."""

    processes: int = 0


@dataclass(frozen=True)
class Where:
    """A workload with some of its parameters, at some number of entities or at any.

    A parameter that a run does not have is none that it could differ in: it was made before there was that axis. A
    `world` is named without the digits that its cells have of its profile.
    """

    workload: str
    parameters: Parameters = ()
    entities: int | None = None

    def covers(self, block: Block) -> bool:
        measured = dict(block.parameters)
        return (self.world == world_named(measured.get(WORLD, "")) and block.workload == self.workload and self.entities in (None, block.entities)
                and all(measured.get(key, value) == value for key, value in self.parameters if key != WORLD))

    @property
    def world(self) -> str:
        """None for a workload that makes its own population."""
        return world_named(dict(self.parameters).get(WORLD, ""))

    def __str__(self) -> str:
        size = () if self.entities is None else ((ENTITIES, str(self.entities)),)
        return " ".join([self.workload, *(f"{key}:{value}" for key, value in (*size, *self.parameters))])


def world_named(value: str) -> str:
    """`typical` of `typical-a7021141`."""
    return value.rpartition("-")[0] or value


def where(workload: str, entities: int | None = None, **parameters: str) -> Where:
    return Where(workload, tuple(parameters.items()), entities)


class Missing(Exception):
    """The runs lack figures that a claim is decided by."""


@dataclass(frozen=True)
class Asked:
    place: Where
    strategies: tuple[str, ...]
    metric: str


class Evidence:
    """Of several runs the first that has a block with all of the cells in question answers. Of times, all runs of its
    machine, build and preset that have these cells answer together: each adds its processes.

    What is not there raises Missing. A cell that failed its verification is not there.

    The process is the unit of all that was timed. An interval needs to know how far processes scatter, which all places
    of a claim show together: so a claim is asked twice, first without `scatter`, to fill `processes`, and then with it.
    `comparisons` are the claims among which this one is judged.
    """

    def __init__(self, runs: Sequence[Run], scatter: Scatter | None = None, comparisons: int = 1):
        self._blocks = [(run, block) for run in runs for block in run.blocks]
        self._simulated = {id(run): not passes.is_hardware(run) for run in runs}
        self._numbers = {id(run): number for number, run in enumerate(runs)}
        self._scatter, self._comparisons = scatter, comparisons
        #: Of all runs, because `stowage run` always simulates the same caches.
        self.line_bytes = next((run.line_bytes for run in runs), 64)
        self.asked: list[Asked] = []
        #: The logarithms of each timed figure that was asked for, in its processes.
        self.processes: dict[Hashable, list[float]] = {}
        self.preset = next((str(run.record["preset"]) for run in runs if run.record.get("preset")), "standard")

    def count(self, metric: str, strategy: str, place: Where) -> float:
        return self.counts(metric, [strategy], place)[0]

    def counts(self, metric: str, strategies: Sequence[str], place: Where) -> list[float]:
        """A counter of cells of one block, the largest at which all of them have it."""
        block = self._largest(metric, strategies, place)
        self._remember(metric, strategies, Where(place.workload, block.parameters, block.entities))
        return [block.cells[name].counters[metric] for name in strategies]

    def at_largest(self, metric: str, *cells: tuple[Sequence[str], Where]) -> list[Where]:
        """The places of the cells with the largest number of entities at which all of them have the figure."""
        sizes = [{block.entities for block in self._blocks_with(metric, *each)} for each in cells]
        common = set.intersection(*sizes)
        if not common:
            raise Missing(f"{metric} of {' and of '.join(str(place) for _, place in cells)} with as many entities")
        return [replace(place, entities=max(common)) for _, place in cells]

    def flags(self, metric: str, strategies: Sequence[str], place: Where) -> list[str]:
        """What the cells with the largest number of entities were compiled with."""
        return str(self._run_of(self._largest(metric, strategies, place)).record.get("flags", "")).split()

    def is_verified(self, strategy: str, place: Where) -> bool:
        """Whether every such cell gave the same result as its block's others."""
        cells = [block.cells[strategy] for _, block in self._blocks if place.covers(block) and strategy in block.cells]
        self._remember(TIME, [strategy], place)
        if not cells:
            raise Missing(f"{strategy} in {place}")
        return not any(cell.error for cell in cells)

    def ratios(self, metric: str, one: str, other: str, place: Where, axis: str = ENTITIES) -> Points:
        """one / other along an axis: of times round by round, of counts exact, so that their intervals are points."""
        if metric in TIMED:
            return self.combined((metric, one, other, place), lambda ratio: ratio,
                                 self.by_process(metric, (one, other), place, axis))
        pairs = [(value, *(block.cells[name].counters[metric] for name in (one, other)))
                 for value, block in self._along(axis, metric, (one, other), place)]
        return [(value, Estimate(*3 * (first / second,))) for value, first, second in pairs if first > 0 and second > 0]

    def times(self, strategy: str, place: Where, axis: str) -> Points:
        """ns per item along an axis."""
        return [(value, self._estimate((strategy, place, value), times, _LEAST_SCATTER_OF_TIMES))
                for value, times in self.by_process(TIME, (strategy,), place, axis).items()]

    def time_ratios_apart(self, one: tuple[str, Where], other: tuple[str, Where], axis: str = ENTITIES) -> Points:
        """Of cells of different blocks, along an axis, process by process: what slowed one slowed both."""
        points = self.combined((one, other), truediv, *self.apart(axis, one, other))
        if not points:
            raise Missing(f"{TIME} of {one[0]} in {one[1]} and of {other[0]} in {other[1]} with as much {axis}, in one run")
        return points

    def apart(self, axis: str, *cells: tuple[str, Where]) -> list[dict[float, ByProcess]]:
        """Times of cells of different blocks along an axis: of the first runs alike of which a process has all
        of them at one place."""
        for bench in dict.fromkeys(_bench(run) for run, _ in self._blocks):
            asked = len(self.asked)
            with suppress(Missing):
                found = [self.by_process(TIME, (strategy,), place, axis, bench) for strategy, place in cells]
                if _in_common(found):
                    return found
            del self.asked[asked:]  # of runs that do not answer
        return [self.by_process(TIME, (strategy,), place, axis) for strategy, place in cells]

    def by_process(self, metric: str, strategies: tuple[str, ...], place: Where, axis: str,
                   bench: tuple | None = None) -> dict[float, ByProcess]:
        """By place along an axis: of one strategy its times, of two their ratios, each the median of its process."""
        found: dict[float, ByProcess] = {}
        for value, block in self._along(axis, metric, strategies, place, bench):
            found.setdefault(value, self._of_processes(metric, strategies, block))
        return found

    def combined(self, figure: Hashable, combine: Callable[..., float], *times: Mapping[float, ByProcess]) -> Points:
        """What `combine` makes of figures of each process that has all of them, wherever one does. Figures of the same
        name are the same processes, which show their scatter once."""
        return [(value, self._estimate((figure, value), {
                    process: combine(*(each[value][process] for each in times)) for process in common}))
                for value, common in _in_common(times).items()]

    def _estimate(self, figure: Hashable, of_processes: ByProcess, least_scatter: float = 0.0) -> OfProcesses:
        """Processes are added until a claim is decided: three for each look at it, or one if a run times frames in one. So
        that all looks together err no more often than one, look k gets 1 / (k (k + 1)) of what may be wrong, as in
        harness/statistics/standing.hpp."""
        count, logs = len(of_processes), [math.log(value) for value in of_processes.values()]
        self.processes.setdefault(figure, logs)
        if self._scatter is None or self._scatter.freedom <= _TOO_FEW_DEGREES_OF_FREEDOM or count < FEWEST_PROCESSES:
            return OfProcesses(math.exp(fmean(logs)), processes=count)
        runs = len({source for source, _ in of_processes})
        looks = max(math.ceil(count / FEWEST_PROCESSES), runs - FEWEST_PROCESSES + 1)
        scatter = replace(self._scatter, deviation=max(self._scatter.deviation, least_scatter))
        known = estimate_of_processes(logs, scatter, self._comparisons * looks * (looks + 1))
        return OfProcesses(known.median, known.low, known.high, count)

    def _of_processes(self, metric: str, strategies: Sequence[str], block: Block) -> ByProcess:
        found: dict[tuple[Source, int], float] = {}
        for source, its in self._repeated(metric, strategies, block):
            cells = [its.cells[name] for name in strategies]
            if metric == TIME:
                rounds = [reduce(truediv, values) for values in zip(*(cell.samples for cell in cells))]
                medians = medians_by_process(rounds, cells[0].samples.processes)
                found |= {(source, process): value for process, value in medians.items()}
            else:  # what the frames pass counts, which a run makes once
                found[source, 0] = reduce(truediv, (cell.counters[metric] for cell in cells))
        return found

    def _repeated(self, metric: str, strategies: Sequence[str], block: Block) -> list[tuple[Source, Block]]:
        """The block in every run like the one that it is from, if it is of the same host."""
        like = _bench(self._run_of(block))
        key = attrgetter("workload", "entities", "parameters", "host")
        return [((self._numbers[id(run)], other.host), other) for run, other in self._blocks if key(other) == key(block)
                and _bench(run) == like and all(self._has(run, other.cells.get(name), metric) for name in strategies)]

    def _run_of(self, block: Block) -> Run:
        return next(run for run, other in self._blocks if other is block)

    def _largest(self, metric: str, strategies: Sequence[str], place: Where) -> Block:
        return max(self._blocks_with(metric, strategies, place), key=lambda block: block.entities)

    def _along(self, axis: str, metric: str, strategies: Sequence[str], place: Where,
               bench: tuple | None = None) -> list[tuple[float, Block]]:
        """If the number of entities is not the axis, at that with the most places; of several such the largest."""
        blocks = self._blocks_with(metric, strategies, place, bench)
        if axis == ENTITIES:
            self._remember(metric, strategies, Where(place.workload, blocks[0].parameters))
        else:
            sizes = Counter(block.entities for block in blocks)
            entities = max(sizes, key=lambda size: (sizes[size], size))
            blocks = [block for block in blocks if block.entities == entities]
            others = tuple((key, value) for key, value in blocks[0].parameters if key != axis)
            self._remember(metric, strategies, Where(place.workload, others, entities))
        return sorted(((block.value(axis), block) for block in blocks), key=lambda item: item[0])

    def _blocks_with(self, metric: str, strategies: Sequence[str], place: Where, bench: tuple | None = None) -> list[Block]:
        found: dict[tuple, Block] = {}
        for run, block in self._blocks:
            if (metric == MISSES and block.entities < LEAST_TELLING) or bench not in (None, _bench(run)):
                continue
            if place.covers(block) and all(self._has(run, block.cells.get(name), metric) for name in strategies):
                found.setdefault((block.entities, block.parameters), block)
        if not found:
            self._remember(metric, strategies, place)
            size = f" with {LEAST_TELLING:,} entities or more" if metric == MISSES and place.entities is None else ""
            raise Missing(f"{metric} of {' and '.join(strategies)} in {place}{size}")
        return list(found.values())

    def _has(self, run: Run, cell: Cell | None, metric: str) -> bool:
        if cell is None or cell.error:
            return False
        if metric == TIME:
            return bool(cell.samples)
        return metric in cell.counters and (metric not in SIMULATED or self._simulated[id(run)])

    def _remember(self, metric: str, strategies: Sequence[str], place: Where) -> None:
        self.asked.append(Asked(place, tuple(strategies), metric))


def _in_common(times: Sequence[Mapping[float, ByProcess]]) -> dict[float, list[tuple[Source, int]]]:
    """By place the processes that have all of the figures, wherever there is one."""
    found = {value: [process for process in times[0][value] if all(process in each[value] for each in times)]
             for value in sorted(set.intersection(*map(set, times)))}
    return {value: processes for value, processes in found.items() if processes}


def _bench(run: Run) -> tuple:
    """Runs that share it measured the same program on the same machine, in the same way."""
    return (run.host.get("host_name"), *map(run.record.get, ("cpu_model", "commit", "compiler", "flags", "preset")))


#: Stands for any number of entities: none that was asked for.
_ANY = 1
#: Of a parameter that something is looked at along.
_VALUES = ("1", "2")


def wishes_of(part: Part) -> list[Asked]:
    """All figures that it can come to ask for."""
    wishes = Wishes()
    with suppress(Missing):  # what there never is, though everything is: the rest has been asked for
        part(wishes)
    return wishes.asked


class _Everything(dict):
    """A counter of any name."""

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, _: str) -> float:
        return 1.0

    def get(self, _: str, __: object = None) -> float:
        return 1.0


class Wishes(Evidence):
    """Has every figure, all of them 1, and remembers which claim asked for which."""

    def __init__(self) -> None:
        super().__init__([])

    def is_verified(self, strategy: str, place: Where) -> bool:
        self._wish("", [strategy], place)
        return True

    def _blocks_with(self, metric: str, strategies: Sequence[str], place: Where, _: tuple | None = None) -> list[Block]:
        self._wish(metric, strategies, place)
        return [_block(strategies, place)]

    def _along(self, axis: str, metric: str, strategies: Sequence[str], place: Where,
               _: tuple | None = None) -> list[tuple[float, Block]]:
        self._wish(metric, strategies, place)
        if axis == ENTITIES:
            return [(_ANY, _block(strategies, place))]
        return [(float(value), _block(strategies, place, (axis, value))) for value in _VALUES]

    def _repeated(self, metric: str, strategies: Sequence[str], block: Block) -> list[tuple[Source, Block]]:
        return [((0, ""), block)]

    def _wish(self, metric: str, strategies: Sequence[str], place: Where) -> None:
        entities = None if place.entities == _ANY else place.entities
        self.asked.append(Asked(Where(place.workload, place.parameters, entities), tuple(strategies), metric))

    def _remember(self, metric: str, strategies: Sequence[str], place: Where) -> None:
        """Records nothing: these blocks are made up, so no run has their places."""


def _block(strategies: Sequence[str], place: Where, *parameters: tuple[str, str]) -> Block:
    one = Estimate(1.0, 1.0, 1.0)
    samples = Samples((1.0,) * FEWEST_SAMPLES, Intervals([[FEWEST_SAMPLES]]), (0,) * FEWEST_SAMPLES)
    cells = {name: Cell(name, name, one, samples, one, counters=_Everything()) for name in strategies}
    return Block(place.workload, place.entities or _ANY, (*place.parameters, *parameters), cells)
