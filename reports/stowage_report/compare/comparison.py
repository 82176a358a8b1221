"""What changed from one run to another: pairs of cells, their times, their exact counts."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from statistics import median
from typing import Callable, Mapping, Sequence

from stowage_report.compare.change import (
    FEWEST_CELLS, LARGEST_RUN_SCATTER, LARGEST_RUN_SCATTER_OF_LARGE, SMALL_ENTITIES, SMALLEST_RUN_SCATTER, LogChange,
    chance, discoveries, log_median, ratio_interval, run_scatter, typical_change,
)
from stowage_report.compare.read import MeasuredCell, MeasuredFile, Round
from stowage_report.data import grouped
from stowage_report.data.estimates import EQUAL_WITHIN, FEWEST_SAMPLES, Estimate, Intervals
from stowage_report.data.model import REFERENCE

#: A repetition takes less than this share longer than its processor time if no other program is on the processor.
_LARGEST_WAIT = 0.02
#: Figures that should be small, in the order in which they are shown, and the least amount of each that matters: a
#: second miss in a thousand lookups is no doubling.
_COSTS = {"instructions_per_item": 1, "l1d_misses_per_item": 1 / 16, "ll_misses_per_item": 1 / 16,
          "bytes_per_entity": 1, "peak_bytes_per_entity": 1, "allocations": 1}
#: Why a cell is open although it has an interval.
_TOO_WIDE = f"the interval reaches beyond {100 * (EQUAL_WITHIN - 1):g}%"
#: Why single cells are no evidence.
_BEYOND_CHANCE = "cells{1} typically differ by more than {0:g}%: most of them changed, or the machine was busy"
#: How a heap rounds depends on all that went through it before: no two runs agree to the byte.
_NOT_EXACT = "allocator_overhead_bytes_per_entity"


class Verdict(Enum):
    SLOWER = "slower"
    FASTER = "faster"
    EQUAL = "equal"  # the interval lies within EQUAL_WITHIN
    OPEN = "open"  # none of these is certain, or there is no interval


@dataclass(frozen=True)
class Pair:
    """A cell that was measured in both files."""

    before: MeasuredCell
    after: MeasuredCell
    strategy: str = ""  # part of the name; other programs name their benchmarks as they like
    block: str = ""  # the name without the strategy

    @property
    def name(self) -> str:
        return self.before.name

    @property
    def is_large(self) -> bool:
        """False if the name does not say how many entities there are."""
        found = re.search(r"/entities:(\d+)", self.name)
        return found is not None and int(found[1]) > SMALL_ENTITIES


@dataclass
class TimeChange:
    """What became of the time of one cell, or of all cells of a strategy."""

    ratio: float = 1.0  # after / before; of a strategy that of its cells together
    interval: tuple[float, float] | None = None  # at 95 %
    verdict: Verdict = Verdict.OPEN

    @property
    def is_within_equality(self) -> bool:
        return self.interval is not None and 1 / EQUAL_WITHIN <= self.interval[0] and self.interval[1] <= EQUAL_WITHIN


@dataclass
class CellChange(TimeChange):
    pair: Pair | None = None
    is_of_ratios: bool = False  # of the ratios to the reference within each run, else of absolute times
    before: float = 0.0  # that ratio, or nanoseconds
    after: float = 0.0
    chance: float | None = None  # the probability of such a change if there is none, before all are judged together
    reason: str = ""  # why it is open
    logs: LogChange | None = None


@dataclass
class StrategyChange(TimeChange):
    strategy: str = ""
    verdicts: Counter[Verdict] = field(default_factory=Counter)  # of its cells
    logs: list[LogChange] = field(default_factory=list)  # of the ratios to the reference

    @property
    def cells(self) -> int:
        return sum(self.verdicts.values())


@dataclass(frozen=True)
class CountChange:
    """A counted figure that is not what it was. Of exact counts any difference is one."""

    pair: Pair
    figure: str
    before: float
    after: float
    growth: float | None  # relative; None of a figure that is part of another one, or need not be small


@dataclass
class Counts:
    changes: list[CountChange] = field(default_factory=list)  # by figure, those that have a growth first; grown most first
    not_compared: list[str] = field(default_factory=list)  # what the files have and why it says nothing
    cells: int = 0  # that have something to compare
    figures: int = 0  # of all cells together
    only_one_has: int = 0  # figures of cells in both files that one of them lacks


class Comparison:
    """Of two files. Each part is what the other says of it:

    - Times are compared as ratios to the reference if both sides have them: absolute times of two runs differ by what
      else the machine did. A round in which the processor was taken away from the cell or from its reference (real time
      above processor time) is left out; if fewer than FEWEST_SAMPLES are left, nothing is decided.
    - The medians' logarithms are compared as `change` says.
    - The reference may be what changed. So a cell has changed only if it did both against the reference and against the
      others of its block, reference included: the larger of the two probabilities counts (an intersection-union test),
      and a block that moved as one is left to the next step.
    - A strategy has changed if its cells together did, by more than SMALLEST_RUN_SCATTER: see typical_change(). Of ratios
      to the reference alone, so that what all strategies share is seen here.
    """

    def __init__(self, before: MeasuredFile, after: MeasuredFile):
        self.before, self.after = before, after
        self._cells_before = {cell.name: cell for cell in before.cells}
        self._cells_after = {cell.name: cell for cell in after.cells}
        are_of_stowage = before.is_of_stowage and after.is_of_stowage
        self.pairs = [_pair(cell, self._cells_after[cell.name], are_of_stowage) for cell in before.cells
                      if cell.name in self._cells_after and _ran(cell) and _ran(self._cells_after[cell.name])]
        self._references = {pair.block: pair for pair in self.pairs if pair.strategy == REFERENCE}
        #: Of small cells and of large ones.
        self.run_scatter = {False: LARGEST_RUN_SCATTER, True: LARGEST_RUN_SCATTER_OF_LARGE}
        changes = [change for pair in self.pairs if not _is_constant(pair) if (change := self._change(pair))]
        self._judge([change for change in changes if change.logs])
        self.strategies = _worst_first(self._strategy_changes(changes))
        self.cells = _worst_first(changes)  # slowed down most first; those without an interval last
        self.counts = _compare_counts(before, after, self.pairs)

    @cached_property
    def apart(self) -> dict[str, list[str]]:
        """Names of cells that are not compared, or not in time, by what JSON calls them. What failed or was skipped `after`
        did not before."""
        before, after = self._cells_before, self._cells_after

        def newly(what: Callable[[MeasuredCell], object]) -> list[str]:
            return [name for name, cell in after.items() if what(cell) and name in before and not what(before[name])]

        return {
            "only_before": [name for name in before if name not in after],
            "only_after": [name for name in after if name not in before],
            "failed_before": [name for name, cell in before.items() if cell.error],
            "failed_after": newly(lambda cell: cell.error),
            "skipped_before": [name for name, cell in before.items() if cell.is_skipped],
            "skipped_after": newly(lambda cell: cell.is_skipped),
            "time_only_before": [pair.name for pair in self.pairs if _times(pair.before) and not _times(pair.after)],
            "time_only_after": [pair.name for pair in self.pairs if _times(pair.after) and not _times(pair.before)],
            "without_figures": [pair.name for pair in self.pairs
                                if not any(_times(cell) or cell.figures for cell in (pair.before, pair.after))],
            "repeated_names": [*dict.fromkeys([*self.before.repeated_names, *self.after.repeated_names])],
        }

    @cached_property
    def differences(self) -> list[tuple[str, str, str]]:
        """What figures depend on and that differs, with both values."""
        names = dict.fromkeys([*self.before.facts, *self.after.facts])
        values = [(name, *(file.facts.get(name) or "not said" for file in (self.before, self.after))) for name in names]
        return [(name, before, after) for name, before, after in values if before != after]

    @cached_property
    def references(self) -> Estimate | None:
        """How many times as long the references took, absolutely: the machine's state, which cancels in ratios, or a
        change of theirs, which does not. None if there are too few, or neither file has the samples of intervals."""
        ratios = [median(_times(pair.after)) / median(_times(pair.before)) for pair in self.pairs if _is_constant(pair)]
        tables = self.before.interval_samples, self.after.interval_samples  # either knows as many samples as it has blocks
        if len(ratios) < FEWEST_SAMPLES or not any(tables):
            return None
        return Intervals(max(tables, key=lambda table: (len(table), max(map(len, table), default=0)))).median(ratios)

    @property
    def significant(self) -> list[CellChange]:
        return [change for change in self.cells if change.verdict in (Verdict.SLOWER, Verdict.FASTER)]

    def count(self, verdict: Verdict) -> int:
        return sum(change.verdict is verdict for change in self.cells)

    def _change(self, pair: Pair) -> CellChange | None:
        """None if a side has no time."""
        before, after, are_ratios, are_disturbed = self._samples(pair)
        if not before or not after:
            return None
        middle = median(before), median(after)
        change = CellChange(middle[1] / middle[0], pair=pair, is_of_ratios=are_ratios, before=middle[0], after=middle[1])
        if are_disturbed:
            change.reason = "the processor was taken away in too many rounds"
        elif not _enough(before, after):
            change.reason = f"fewer than {FEWEST_SAMPLES} repetitions"
        else:
            change.logs = LogChange(log_median(before), log_median(after))
        return change

    def _samples(self, pair: Pair) -> tuple[list[float], list[float], bool, bool]:
        """Of both sides; whether they are ratios; whether too few rounds were left alone. Then all of them: their
        medians are shown, though nothing follows from them."""
        if not _has_ratios(pair.before) or not _has_ratios(pair.after):
            return _times(pair.before), _times(pair.after), False, False
        before, after = ([round.ratio for round in cell.rounds] for cell in (pair.before, pair.after))
        if "/threads:" in pair.block:  # threads wait for each other, which is theirs to answer for
            return before, after, True, False
        reference = self._references.get(pair.block)
        quiet = (_quiet_ratios(pair.before, reference and reference.before),
                 _quiet_ratios(pair.after, reference and reference.after))
        if _enough(*quiet):
            return *quiet, True, False
        return before, after, True, _enough(before, after)

    def _judge(self, changes: Sequence[CellChange]) -> None:
        for is_large, largest in self.run_scatter.items():
            of_size = [change for change in changes if change.pair.is_large == is_large]
            scatter = run_scatter([change.logs for change in of_size], largest, _moves_of_strategies(of_size))
            self.run_scatter[is_large] = scatter
            is_beyond_chance = len(of_size) >= FEWEST_CELLS and scatter >= largest
            for change in of_size:
                change.logs = replace(change.logs, scatter=scatter)
                if is_beyond_chance and change.pair.strategy:  # all cells of a strategy together still are evidence
                    change.reason = _BEYOND_CHANCE.format(100 * largest, " with many entities" if is_large else "")
        moves = _moves_of_others(changes)
        judged = [(change, move) for change, move in zip(changes, moves) if not change.reason]
        for change, move in judged:
            against_others = change.logs.value - move
            agree = (change.logs.value > 0) == (against_others > 0)
            distance = min(abs(change.logs.value), abs(against_others)) if agree else 0.0
            change.chance = chance(distance, change.logs)
            change.interval = ratio_interval(change.logs)
        for (change, _), is_found in zip(judged, discoveries([change.chance for change, _ in judged])):
            if is_found:
                change.verdict = Verdict.SLOWER if change.ratio > 1 else Verdict.FASTER
            elif change.is_within_equality:
                change.verdict = Verdict.EQUAL
            else:
                change.reason = _TOO_WIDE

    def _strategy_changes(self, cells: Sequence[CellChange]) -> list[StrategyChange]:
        strategies = grouped((cell for cell in cells if cell.pair.strategy), lambda cell: cell.pair.strategy)
        return [self._strategy_change(name, strategies[name], len(strategies)) for name in sorted(strategies)]

    def _strategy_change(self, strategy: str, cells: Sequence[CellChange], comparisons: int) -> StrategyChange:
        change = StrategyChange(strategy=strategy, verdicts=Counter(cell.verdict for cell in cells),
                                logs=[cell.logs for cell in cells if cell.is_of_ratios and cell.logs])
        found = typical_change(change.logs, comparisons)
        if found is None:
            change.ratio = math.exp(median(each.value for each in change.logs)) if change.logs else 1.0
            return change
        change.ratio, low, high = found
        change.interval = low, high
        if low > 1 + SMALLEST_RUN_SCATTER:
            change.verdict = Verdict.SLOWER
        elif high < 1 / (1 + SMALLEST_RUN_SCATTER):
            change.verdict = Verdict.FASTER
        elif change.is_within_equality:
            change.verdict = Verdict.EQUAL
        return change


@dataclass(frozen=True)
class Excess:
    """What `--fail-above` looks for: what is certainly slower and seems so by more than `limit`, which may lie in
    the interval, and counts that grew by more."""

    limit: float  # 0.05: 5 %
    strategies: list[StrategyChange]
    cells: list[CellChange]
    counts: list[CountChange]
    failures: list[str]  # of what did not fail before

    def __bool__(self) -> bool:
        return bool(self.strategies or self.cells or self.counts or self.failures)


def excess_of(comparison: Comparison, limit: float) -> Excess:
    def are_too_slow(changes: Sequence[TimeChange]) -> list:
        return [change for change in changes if change.verdict is Verdict.SLOWER and change.ratio > 1 + limit]

    return Excess(limit, are_too_slow(comparison.strategies), are_too_slow(comparison.cells),
                  [change for change in comparison.counts.changes if (change.growth or 0) > limit],
                  comparison.apart["failed_after"])


def _pair(before: MeasuredCell, after: MeasuredCell, are_of_stowage: bool) -> Pair:
    parts = before.name.split("/", 2)
    if not are_of_stowage or len(parts) < 3:
        return Pair(before, after)
    return Pair(before, after, parts[1], f"{parts[0]}/{parts[2]}")


def _times(cell: MeasuredCell) -> list[float]:
    times = [round.real_ns for round in cell.rounds]
    return times or ([cell.median_ns] if cell.median_ns else [])


def _ran(cell: MeasuredCell) -> bool:
    return not cell.error and not cell.is_skipped


def _has_ratios(cell: MeasuredCell) -> bool:
    return bool(cell.rounds) and all(round.ratio for round in cell.rounds)


def _is_constant(pair: Pair) -> bool:
    """The reference's own ratio is 1 in every round: nothing to compare."""
    return pair.strategy == REFERENCE and _has_ratios(pair.before) and _has_ratios(pair.after)


def _was_taken_away(round: Round) -> bool:
    return round.cpu_ns > 0 and round.real_ns > (1 + _LARGEST_WAIT) * round.cpu_ns


def _quiet_ratios(cell: MeasuredCell, reference: MeasuredCell | None) -> list[float]:
    """Of the rounds that no other program disturbed."""
    others = reference.rounds if reference else []
    return [round.ratio for index, round in enumerate(cell.rounds)
            if not _was_taken_away(round) and not (index < len(others) and _was_taken_away(others[index]))]


def _enough(before: Sequence[float], after: Sequence[float]) -> bool:
    return min(len(before), len(after)) >= FEWEST_SAMPLES


def _moves_of_strategies(changes: Sequence[CellChange]) -> list[float]:
    """For each cell, what its strategy typically did, if it has enough cells to tell."""
    strategies = grouped(changes, lambda change: change.pair.strategy)
    moves = {name: median(change.logs.value for change in its) for name, its in strategies.items()
             if name and len(its) >= FEWEST_SAMPLES}
    return [moves.get(change.pair.strategy, 0.0) for change in changes]


def _moves_of_others(changes: Sequence[CellChange]) -> list[float]:
    """For each cell, what the others of its block typically did; 0 stands for the reference, in relation to which all
    are. Absolute times have nothing to be compared with."""
    blocks = grouped((change for change in changes if change.is_of_ratios), lambda change: change.pair.block)
    return [median([0.0, *(other.logs.value for other in blocks[change.pair.block] if other is not change)])
            if change.is_of_ratios else 0.0 for change in changes]


def _worst_first(changes: list) -> list:
    """The slowest first; what has no interval says nothing and goes last."""
    return sorted(changes, key=lambda change: (change.interval is None, -change.ratio))


def _compare_counts(before: MeasuredFile, after: MeasuredFile, pairs: Sequence[Pair]) -> Counts:
    """What the simulator and the allocator counted, and the floors. Not figures of different caches or lines, not
    hardware counters and what the C library rounds up, which are no exact figures, and nothing if the seeds differ:
    other inputs are other work."""
    counts = Counts()
    if before.facts.get("seed") != after.facts.get("seed"):
        counts.not_compared.append("counts are not compared: the seeds differ, so the inputs do")
        return counts
    obstacles = {name: _obstacle(before, after, name) for name in ("floor", "cache", "memory")}
    counts.not_compared += filter(None, obstacles.values())
    figures = dict.fromkeys(figure for name, obstacle in obstacles.items() if not obstacle for file in (before, after)
                            for figure in file.figures.get(name, ()) if figure != _NOT_EXACT)
    for pair in pairs:
        _compare_cell(pair, figures, counts)
    order = {figure: place for place, figure in enumerate(_COSTS)}
    counts.changes.sort(key=lambda change: (order.get(change.figure, len(order)), change.figure, -(change.growth or 0)))
    return counts


def _obstacle(before: MeasuredFile, after: MeasuredFile, name: str) -> str:
    """Why the figures of that pass cannot be compared; empty if they can be, or if neither has any."""
    has_before, has_after = (any(figure in cell.figures for cell in file.cells for figure in file.figures.get(name, ()))
                             for file in (before, after))
    if not has_before and not has_after:
        return ""
    if has_before != has_after:
        return f"only {'before' if has_before else 'after'} has figures of the {name} pass"
    if name not in before.exact_passes or name not in after.exact_passes:
        return f"the figures of the {name} pass are not exact counts in both"
    made = before.exact_passes[name], after.exact_passes[name]
    return "" if made[0] == made[1] else f"the figures of the {name} pass are of different things: {made[0]} | {made[1]}"


def _compare_cell(pair: Pair, figures: Mapping[str, None], counts: Counts) -> None:
    before, after = pair.before.figures, pair.after.figures
    common = [figure for figure in figures if figure in before and figure in after]
    counts.only_one_has += sum((figure in before) != (figure in after) for figure in figures)
    counts.figures += len(common)
    counts.cells += bool(common)
    for figure in common:
        was, now = before[figure], after[figure]
        if was != now:  # grown in relation to what it was, or to the least amount that matters
            growth = (now - was) / max(was, _COSTS[figure]) if figure in _COSTS else None
            counts.changes.append(CountChange(pair, figure, was, now, growth))
