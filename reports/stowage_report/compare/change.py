"""Whether a figure changed between two runs that were not interleaved.

Both sides are medians of logarithms, whose difference is the logarithm of a ratio. Two things make it uncertain:
 - within each run, how its repetitions scatter: the distribution-free standard error of a median, from the distance of
   two order statistics and the exact binomial probability between them (Price and Bonett 2001; for ratios of medians
   Bonett and Price 2002), which outliers on one side do not move;
 - between the runs, what one process has for all of its repetitions and the next has not: where its memory lies,
   whether pages are huge. Repetitions cannot tell (Kalibera and Jones 2013), but the other cells can: most are expected
   not to have changed, so the scatter between runs is what their changes typically exceed their errors by. Cells with
   many entities have one of their own: they are built once a visit, and share their caches with other programs.
Both are added as variances, and a change is compared with Student's t with Welch's degrees of freedom. Few degrees are
given to the scatter between runs, because some cells jump much further than most.

Thousands of cells are judged together, so the false discovery rate is controlled (Benjamini and Hochberg 1995): of all
changes that are called significant, 5 % are expected not to be any.
"""

import math
import sys
from dataclasses import dataclass
from statistics import NormalDist, median
from typing import Sequence

from stowage_report.data.estimates import CONFIDENCE, FEWEST_SAMPLES
from stowage_report.data.student import beyond_t, t_with

#: The share of the changes called significant that may be none.
FALSE_DISCOVERY_RATE = 0.05
#: However well the cells agree, two processes are not expected to agree better than this. Of logarithms, as all here.
SMALLEST_RUN_SCATTER = 0.01
#: Cells that differ by more than this have changed: so much is not put down to chance. Also what is assumed for fewer
#: cells than FEWEST_CELLS, which are too few to ask.
LARGEST_RUN_SCATTER = 0.03
#: The same for cells with more than SMALL_ENTITIES entities.
LARGEST_RUN_SCATTER_OF_LARGE = 0.1
SMALL_ENTITIES = 32 * 1024
FEWEST_CELLS = 10
#: Degrees of freedom of the scatter between runs. With 5, a cell that jumps by five times the typical scatter is no
#: rarity.
_FREEDOM_OF_RUN_SCATTER = 5
#: A cell is far from the others of its strategy beyond so many of its standard errors. 95 % as efficient as the mean if
#: none is.
_FAR = 1.345
_LARGEST_LOGARITHM = math.log(sys.float_info.max)
#: The median of the square of a standard normal variable.
_MEDIAN_OF_CHI_SQUARE = 0.454936


@dataclass(frozen=True)
class LogMedian:
    """A median of logarithms with its standard error and the degrees of freedom of that."""

    value: float
    error: float
    freedom: float


@dataclass(frozen=True)
class LogChange:
    before: LogMedian
    after: LogMedian
    scatter: float = 0.0  # between the runs

    @property
    def value(self) -> float:
        return self.after.value - self.before.value

    @property
    def variance(self) -> float:
        """That the repetitions account for."""
        return self.before.error**2 + self.after.error**2


def log_median(samples: Sequence[float]) -> LogMedian | None:
    """Of positive samples; none of fewer than FEWEST_SAMPLES."""
    count = len(samples)
    if count < FEWEST_SAMPLES:
        return None
    logs = sorted(map(math.log, samples))
    # The order statistic that is nearest to two standard errors from the middle, counted from 1: twice it, so that the
    # tail probabilities stay away from the centre, where the distance says least (Price and Bonett).
    rank = max(1, math.floor((count + 1) / 2 - math.sqrt(count) + 0.5))
    beyond = sum(math.comb(count, below) for below in range(rank)) / 2**count
    errors_between = NormalDist().inv_cdf(1 - beyond)
    return LogMedian(median(logs), (logs[count - rank] - logs[rank - 1]) / 2 / errors_between, count - 1)


def run_scatter(changes: Sequence[LogChange], largest: float = LARGEST_RUN_SCATTER,
                moves: Sequence[float] | None = None) -> float:
    """The typical scatter between the two runs, from cells of all strategies: what makes the median of the squared
    standardised changes that of a standard normal; SMALLEST_RUN_SCATTER at least. `moves` are what is known to have
    happened to each cell's strategy. Robust while less than half of the cells changed otherwise."""
    if len(changes) < FEWEST_CELLS:
        return largest
    left = [(change.value - move)**2 for change, move in zip(changes, moves or [0.0] * len(changes))]

    def is_exceeded(scatter: float) -> bool:
        return median(square / (change.variance + scatter**2)
                      for square, change in zip(left, changes)) > _MEDIAN_OF_CHI_SQUARE

    low, high = SMALLEST_RUN_SCATTER, largest
    if not is_exceeded(low):
        return low
    while high - low > 1e-6:  # the more scatter, the smaller the squares: one root between the limits, or none
        middle = (low + high) / 2
        low, high = (middle, high) if is_exceeded(middle) else (low, middle)
    return high


def chance(distance: float, change: LogChange) -> float:
    """The probability of a difference of `distance` logarithms or more, either way, if nothing but chance is at work."""
    error, freedom = _uncertainty(change)
    return beyond_t(abs(distance) / error, freedom)


def typical_change(changes: Sequence[LogChange], comparisons: int) -> tuple[float, float, float] | None:
    """What became of a strategy, from all of its cells: the ratio and the ends of its interval, at 95 % for so many
    `comparisons` together (Bonferroni). None of fewer than FEWEST_SAMPLES.

    Huber's estimate of location (1964): each cell counts by its own certainty, and one that is further from the others
    than chance explains counts as if it were not. Its error comes from how the cells really scatter (the sandwich)."""
    if len(changes) < FEWEST_SAMPLES:
        return None
    values = [change.value for change in changes]
    errors = [math.hypot(math.sqrt(change.variance), change.scatter) for change in changes]
    middle = median(values)
    for _ in range(100):
        weights = [min(1.0, _FAR * error / max(abs(value - middle), 1e-12)) / error**2
                   for value, error in zip(values, errors)]
        step = sum(weight * (value - middle) for weight, value in zip(weights, values)) / sum(weights)
        middle += step
        if abs(step) < 1e-10:
            break
    near = sum(1 / error**2 for value, error in zip(values, errors) if abs(value - middle) <= _FAR * error)
    if near == 0:
        return None
    count = len(values)
    squares = sum((weight * (value - middle)) ** 2 for weight, value in zip(weights, values))
    reach = math.sqrt(squares * count / (count - 1)) / near * t_with((1 - CONFIDENCE) / comparisons, count - 1)
    return _exp(middle), _exp(middle - reach), _exp(middle + reach)


def ratio_interval(change: LogChange) -> tuple[float, float]:
    """The ends of the ratio after / before, at 95 %, for this one change by itself."""
    error, freedom = _uncertainty(change)
    reach = error * t_with(1 - CONFIDENCE, freedom)
    return _exp(change.value - reach), _exp(change.value + reach)


def discoveries(chances: Sequence[float]) -> list[bool]:
    """Which of the hypotheses with these probabilities are discoveries at FALSE_DISCOVERY_RATE (Benjamini and
    Hochberg's step-up procedure)."""
    allowed = [each for rank, each in enumerate(sorted(chances), 1) if each <= FALSE_DISCOVERY_RATE * rank / len(chances)]
    largest = max(allowed, default=-1.0)
    return [each <= largest for each in chances]


def _exp(logarithm: float) -> float:
    """The largest double if that is too large for one: an interval may reach anywhere."""
    return math.exp(logarithm) if logarithm < _LARGEST_LOGARITHM else sys.float_info.max


def _uncertainty(change: LogChange) -> tuple[float, float]:
    """The standard error of both kinds together, and its degrees of freedom after Welch and Satterthwaite."""
    variance = change.variance + change.scatter**2
    parts = ((change.before.error, change.before.freedom), (change.after.error, change.after.freedom),
             (change.scatter, _FREEDOM_OF_RUN_SCATTER))
    return math.sqrt(variance), variance**2 / sum(error**4 / freedom for error, freedom in parts)
