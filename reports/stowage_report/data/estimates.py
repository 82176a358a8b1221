"""Figures with their intervals, and what follows of several: ratios of cells, and means over blocks."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from operator import itemgetter, sub, truediv
from statistics import fmean, median, stdev
from typing import Iterable, Mapping, Sequence

from stowage_report.data import grouped
from stowage_report.data.student import t_with

CONFIDENCE = 0.95
#: As harness/statistics/process_scatter.hpp has them: the least scatter that is expected between processes, and that which
#: is assumed if nothing is known; the degrees of freedom of what the other figures of a run show of it; and how many
#: processes an interval includes whole.
_SMALLEST_SCATTER, _LARGEST_SCATTER, _FREEDOM_OF_SCATTER, _PROCESSES_INCLUDED = 0.01, 0.03, 5, 3
#: How far from the median of its block a process counts for a mean over blocks, and for the interval of that mean: in
#: usual scatters, or in typical ones of these blocks if they scatter more. So the interval is as wide as the errors of the
#: mean are, whether scatter is normal or a few processes are far off.
_FARTHEST_FOR_A_MEAN, _FARTHEST_FOR_ITS_INTERVAL = 2, 5
#: Costs that differ by no more than this factor are equal: a reader may take either.
EQUAL_WITHIN = 1.05
#: With fewer samples than this, not even their whole range holds the median with that confidence.
FEWEST_SAMPLES = 6


@dataclass(frozen=True)
class Estimate:
    """A median and where the true one lies; no interval if there were too few repetitions to know."""

    median: float
    low: float | None = None
    high: float | None = None

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def ends(self) -> tuple[float, float]:
        """Of the interval; without one both are the median."""
        return (self.low, self.high) if self.has_interval else (self.median, self.median)

    @property
    def relative_width(self) -> float:
        return (self.high - self.low) / self.median if self.has_interval else 0.0

    @property
    def reach(self) -> float:
        """From the median to the farther end of the interval, as a part of the median."""
        return max(self.high - self.median, self.median - self.low) / self.median if self.has_interval else 0.0


class Intervals:
    """Which of the sorted samples are the ends of an interval of their median.

    A results file says it as `interval_samples`, so that the rule has one place, harness/statistics/estimates.hpp: for 1,
    2, ... comparisons that are judged together, the least number of samples of which 0, 1, 2, ... may be cut off at each
    end. For one comparison that is 6, 9, 12, 15, 17, ...

    If it says too how ratios `scatter` between the processes that measured them, samples of several processes have the
    interval that holds between processes.
    """

    def __init__(self, samples: Sequence[Sequence[int]], scatter: float | None = None):
        self._samples = samples
        self._scatter = scatter
        self.shared: dict[str, float] = {}  # by population, shared_part() of its blocks

    @property
    def hold_between_processes(self) -> bool:
        return self._scatter is not None

    @property
    def usual_scatter(self) -> Scatter:
        """Of a process in any block, as across_processes() of the harness has it: it weighs like some more processes."""
        return Scatter(self._scatter, _FREEDOM_OF_SCATTER)

    def logs_of_processes(self, ratios: Iterable[float], processes: Sequence[int]) -> dict[int, float]:
        """Of ratios per round, each with the number of the process that measured it; none if the file does not say how
        processes scatter, or if there was only one."""
        medians = medians_by_process(ratios, processes)
        known = self.hold_between_processes and len(medians) > 1
        return {process: math.log(value) for process, value in medians.items()} if known else {}

    def ratio(self, ratios: Sequence[float], processes: Sequence[int], comparisons: int = 1) -> Estimate:
        """The estimate from all of them, with an interval that holds for other processes, too.

        What one process has measured was looked at once, so `samples` has a row for all of its comparisons, one for each
        strategy, though other blocks were looked at more often.
        """
        logs = list(self.logs_of_processes(ratios, processes).values())
        pooled = self.median(ratios, 1 if logs else min(comparisons, len(self._samples)))
        if not logs or not pooled.has_interval:
            return pooled
        scatter = scatter_between([logs], self.usual_scatter)
        reach = scatter.deviation / math.sqrt(len(logs)) * _student(comparisons, scatter.freedom)
        low = pooled.median * math.exp(-math.hypot(math.log(pooled.median / pooled.low), reach))
        high = pooled.median * math.exp(math.hypot(math.log(pooled.high / pooled.median), reach))
        if len(logs) > _PROCESSES_INCLUDED:
            return Estimate(pooled.median, low, high)
        return Estimate(pooled.median, min(low, math.exp(min(logs))), max(high, math.exp(max(logs))))

    def median(self, samples: Sequence[float], comparisons: int = 1) -> Estimate:
        """One of several `comparisons` gets its share of what may be wrong, the whole range at most."""
        ordered = sorted(samples)
        if len(ordered) < FEWEST_SAMPLES:
            return Estimate(median(ordered))
        if comparisons > len(self._samples):
            raise ValueError(f"`interval_samples` has {len(self._samples)} comparisons, and {comparisons} are made")
        outside = max(0, bisect_right(self._samples[comparisons - 1], len(ordered)) - 1)  # may be cut off at each end
        return Estimate(median(ordered), ordered[outside], ordered[-1 - outside])


def medians_by_process(values: Iterable[float], processes: Iterable[int]) -> dict[int, float]:
    """Of values per round, each with the number of the process that measured it."""
    by_process = grouped(zip(values, processes), itemgetter(1))
    return {process: median(value for value, _ in its) for process, its in by_process.items()}


class Samples(tuple):
    """Of a cell; the n-th belongs to the block's n-th round, which the n-th of `processes` measured."""

    intervals: Intervals
    processes: Sequence[int]
    population: str  # which several blocks were measured on; empty if the block had its own

    def __new__(cls, values: Iterable[float], intervals: Intervals | None = None, processes: Sequence[int] = (),
                population: str = "") -> Samples:  # a copy gets them later
        samples = super().__new__(cls, values)
        samples.intervals = intervals
        samples.processes = processes
        samples.population = population
        return samples


def estimate_mean_ratio(pairs: Sequence[tuple[Samples, Samples]], comparisons: int = 1) -> Estimate:
    """The geometric mean of the ratios of several blocks, one pair of cells for each.

    Each process of each block is one observation, and the blocks show together how far processes scatter in them. Adding
    the intervals of the blocks instead, each of which allows for three processes alone, makes one that is several times as
    wide. What a process did in one block says nothing of another, unless they share a population, and so the addresses of
    all entities: then they err together, as far as shared_part() of the run says.

    A process that is far from the median of its block counts as if it were less far (Huber 1964).
    """
    blocks = [samples.intervals.logs_of_processes(map(truediv, samples, baseline), samples.processes)
              for samples, baseline in pairs]
    if len(pairs) < 2 or not all(blocks) or min(len(samples) for samples, _ in pairs) < FEWEST_SAMPLES:
        return mean_ratio([estimate_ratio(*pair, comparisons) for pair in pairs])
    intervals = pairs[0][0].intervals
    medians = [math.log(median(map(truediv, *pair))) for pair in pairs]
    typical = max(intervals.usual_scatter.deviation, median(stdev(logs.values()) for logs in blocks))

    def drawn_in(farthest: float) -> list[dict[int, float]]:
        reach = farthest * typical
        return [{process: min(max(value, middle - reach), middle + reach) for process, value in logs.items()}
                for logs, middle in zip(blocks, medians)]

    means = [fmean(logs.values()) for logs in drawn_in(_FARTHEST_FOR_A_MEAN)]
    errors = list(map(_errors_of, drawn_in(_FARTHEST_FOR_ITS_INTERVAL)))
    populations = grouped(range(len(pairs)), lambda block: pairs[block][0].population or block)
    scatter = _pooled([_sum_of_means([errors[block] for block in its], intervals.shared.get(population, 1.0))
                       for population, its in populations.items()], intervals.usual_scatter)
    reach = scatter.deviation / len(blocks) * _student(comparisons, scatter.freedom)
    return Estimate(*(math.exp(fmean(means) + sign * reach) for sign in (0, -1, 1)))


def _errors_of(logs: Mapping[int, float]) -> dict[int, float]:
    """Of each process, how far it is from the mean of them."""
    mean = fmean(logs.values())
    return {process: value - mean for process, value in logs.items()}


@dataclass(frozen=True)
class _Variance:
    """Of the sum of the blocks' means in a population."""

    expected: float  # if a process in one block has a variance of 1
    seen: float
    freedom: int  # of what was seen


def _sum_of_means(blocks: Sequence[Mapping[int, float]], shared: float) -> _Variance:
    processes = set().union(*blocks)
    errors = {process: [errors[process] for errors in blocks if process in errors] for process in processes}
    weights = {process: sum(1 / len(errors) for errors in blocks if process in errors) for process in processes}
    freedom = len(processes) - 1
    seen = sum(fmean(its) ** 2 for its in errors.values()) / freedom
    return _Variance(sum(weights[process] ** 2 * (shared + (1 - shared) / len(its)) for process, its in errors.items()),
                     sum(weight**2 for weight in weights.values()) * seen, freedom)


def _pooled(populations: Sequence[_Variance], usual: Scatter) -> Scatter:
    """Of the sum over all of them. What is usual weighs by its own degrees of freedom, and what was seen by those that it
    has if the expected is true (Welch and Satterthwaite)."""
    expected, seen = (math.fsum(values) for values in zip(*((each.expected, each.seen) for each in populations)))
    freedom = expected**2 / sum(each.expected**2 / each.freedom for each in populations)
    variance = (usual.freedom * usual.deviation**2 * expected + freedom * seen) / (usual.freedom + freedom)
    return Scatter(math.sqrt(max(variance, _SMALLEST_SCATTER**2 * expected)), int(usual.freedom + freedom))


def shared_part(blocks: Sequence[Mapping[str, Samples]]) -> float:
    """How far the blocks of a population err together: of the variance between processes, the part that they have in
    common (the intraclass correlation). All strategies show it, by their times relative to the mean of their block. 1 if
    nothing does."""
    of_strategies: dict[str, list[dict[int, float]]] = {}
    for block in blocks:
        logs = {name: list(map(math.log, samples)) for name, samples in block.items()}
        of_rounds = list(map(fmean, zip(*logs.values())))
        for name, samples in block.items():
            medians = medians_by_process(map(sub, logs[name], of_rounds), samples.processes)
            of_strategies.setdefault(name, []).append(_errors_of(medians))
    known = [squares for errors in of_strategies.values() if (squares := _mean_squares(errors))]
    between, within, size = map(fmean, zip(*known)) if known else (0.0, 0.0, 1)
    return max(0.0, (between - within) / (between + (size - 1) * within)) if between > 0 else 1.0


def _mean_squares(blocks: Sequence[Mapping[int, float]]) -> tuple[float, float, int] | None:
    """Between the processes that measured all of several blocks, and within one process; and how many blocks these are."""
    processes, size = set.intersection(*map(set, blocks)), len(blocks)
    if size < 2 or len(processes) < 2:
        return None
    means = {process: fmean(errors[process] for errors in blocks) for process in processes}
    between = size * sum(mean**2 for mean in means.values())
    within = sum((errors[process] - mean) ** 2 for process, mean in means.items() for errors in blocks)
    return between / (len(processes) - 1), within / (len(processes) - 1) / (size - 1), size


def estimate_ratio(samples: Samples, baseline: Sequence[float], comparisons: int = 1) -> Estimate:
    """Of any two cells, by the ratios per round: what slowed the machine in one round slowed both and cancels. Those to
    the reference and to the best of a block are in the results file."""
    return samples.intervals.ratio(list(map(truediv, samples, baseline)), samples.processes, comparisons)


@lru_cache(maxsize=None)
def _student(comparisons: int, freedom: int) -> float:
    return t_with((1 - CONFIDENCE) / comparisons, freedom)


@dataclass(frozen=True)
class Scatter:
    """How far figures differ from process to process, and how well that is known."""

    deviation: float  # of their logarithms
    freedom: int  # degrees of freedom: how many independent differences show it


def scatter_between(figures: Iterable[Sequence[float]], usual: Scatter = Scatter(0, 0)) -> Scatter:
    """What several figures show together, each given by the logarithms of its values in the processes that measured it:
    their differences from the mean of the figure are pooled. `usual` is known beforehand, and weighs by its freedom."""
    squares, freedom = usual.freedom * usual.deviation**2, usual.freedom
    for logs in figures:
        middle = fmean(logs)
        squares += sum((value - middle) ** 2 for value in logs)
        freedom += len(logs) - 1
    return Scatter(max(math.sqrt(squares / max(1, freedom)), _SMALLEST_SCATTER), freedom)


def estimate_of_processes(logs: Sequence[float], scatter: Scatter, comparisons: int = 1) -> Estimate:
    """The geometric mean of what the processes measured, each of which is one observation, with an interval that holds for
    other processes, too. Of up to three processes it includes the value of each."""
    middle = fmean(logs)
    reach = scatter.deviation / math.sqrt(len(logs)) * _student(comparisons, scatter.freedom)
    included = logs if len(logs) <= _PROCESSES_INCLUDED else ()
    return Estimate(*map(math.exp, (middle, min([middle - reach, *included]), max([middle + reach, *included]))))


def judged_together(rivals: int, looks: int) -> int:
    """As harness/statistics/standing.hpp has it: how many comparisons share what may be wrong in a block that is looked
    at for so many times."""
    return math.ceil(2.5 * rivals * looks * (looks + 1))


class Standing(Enum):
    """What a strategy is beside the best."""

    BEST = "best"
    EQUAL = "equal"  # certainly within 5 % of it
    WORSE = "worse"  # certainly costs more
    OPEN = "open"  # neither is certain
    HAND_WRITTEN = "hand-written"
    UNTIMED = "not timed"
    FAILED = "ERROR"

    @property
    def may_be_best(self) -> bool:
        return self in (Standing.BEST, Standing.EQUAL, Standing.OPEN)


def standing_of(ratio_to_best: Estimate) -> Standing:
    """By the rule of harness/statistics/standing.hpp, which judges the blocks of a run: this one is for what spans blocks or
    runs. tests/files/verdicts.json has the cases that both pass."""
    if not ratio_to_best.has_interval:
        return Standing.OPEN
    if ratio_to_best.low >= 1 / EQUAL_WITHIN and ratio_to_best.high <= EQUAL_WITHIN:
        return Standing.EQUAL
    return Standing.WORSE if ratio_to_best.low > 1 else Standing.OPEN


def times_as_much(ratio: Estimate) -> float:
    """How many times as many rounds or processes decide it: an interval shrinks with the root of their number, until it
    lies above 1, below 1 (then this one is the best), or within what is equal, whichever is sooner."""
    if not ratio.has_interval:
        return 1.0
    away, within = math.log(ratio.median), math.log(EQUAL_WITHIN)
    below, above = math.log(ratio.median / ratio.low), math.log(ratio.high / ratio.median)
    apart = (below if away > 0 else above) / abs(away) if away else math.inf
    equal = max(above / (within - away), below / (within + away)) if abs(away) < within else math.inf
    return min(apart, equal) ** 2


def quotient(one: Estimate, other: Estimate) -> Estimate:
    """Of figures that were measured apart: their intervals add up."""
    if not (one.has_interval and other.has_interval):
        return Estimate(one.median / other.median)
    return Estimate(one.median / other.median, one.low / other.high, one.high / other.low)


def of_one_process(ratio: Estimate, comparisons: int) -> Estimate:
    """With an interval that holds for other processes, too, though one alone does not show how they scatter."""
    if not ratio.has_interval:
        return ratio
    between = _LARGEST_SCATTER * _student(comparisons, _FREEDOM_OF_SCATTER)
    below, above = (math.hypot(between, math.log(ratio.median / end)) for end in ratio.ends)
    return Estimate(ratio.median, ratio.median * math.exp(-below), ratio.median * math.exp(above))


def mean_ratio(ratios: Sequence[Estimate]) -> Estimate:
    """The geometric mean of ratios that were measured apart, one for each place.

    What is wrong with one says nothing of another, so that their intervals add up as independent errors do: by squares,
    in logarithms, either end by itself. One without an interval leaves the mean without.
    """
    middle = fmean(math.log(ratio.median) for ratio in ratios)
    if not all(ratio.has_interval for ratio in ratios):
        return Estimate(math.exp(middle))
    below = math.hypot(*(math.log(ratio.median / ratio.low) for ratio in ratios)) / len(ratios)
    above = math.hypot(*(math.log(ratio.high / ratio.median) for ratio in ratios)) / len(ratios)
    return Estimate(math.exp(middle), math.exp(middle - below), math.exp(middle + above))
