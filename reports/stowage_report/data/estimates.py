"""Medians with distribution-free intervals, and the test for a tie: the same rules as harness/statistics/."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from statistics import fmean, median
from typing import Sequence

CONFIDENCE = 0.95
#: With fewer samples than this, not even their whole range holds the median with that confidence.
FEWEST_SAMPLES = 6


@dataclass(frozen=True)
class Estimate:
    """A median and where the true one lies; no interval where there were too few repetitions to know."""

    median: float
    low: float | None = None
    high: float | None = None

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def relative_width(self) -> float:
        return (self.high - self.low) / self.median if self.has_interval else 0.0


@lru_cache(maxsize=None)
def samples_outside(samples: int, comparisons: int = 1) -> int | None:
    """How many samples may be cut off at each end of the sorted ones; None where there are too few of them.

    The number of samples below the true median is binomial(n, 1/2) whatever the distribution is. One of several
    `comparisons` that are judged together gets its share of what may be wrong, the whole range at most.
    """
    if samples < FEWEST_SAMPLES:
        return None
    outside, below = 0, 0.0
    for cut in range(samples):
        below += comb(samples, cut) / 2**samples
        if 2 * below > (1 - CONFIDENCE) / comparisons:
            break
        outside = cut
    return outside


def estimate_median(samples: Sequence[float], comparisons: int = 1) -> Estimate:
    ordered = sorted(samples)
    outside = samples_outside(len(ordered), comparisons)
    if outside is None:
        return Estimate(median(ordered))
    return Estimate(median(ordered), ordered[outside], ordered[-1 - outside])


def estimate_ratio(samples: Sequence[float], baseline: Sequence[float], comparisons: int = 1) -> Estimate:
    """Of the ratios per round: what slowed the machine in one round slowed both sides and cancels."""
    return estimate_median([sample / base for sample, base in zip(samples, baseline)], comparisons)


def is_tie(ratio_to_best: Estimate) -> bool:
    """The data do not exclude that the ratio is 1 or less."""
    return not ratio_to_best.has_interval or ratio_to_best.low <= 1


def quotient(one: Estimate, other: Estimate) -> Estimate:
    """Of figures that were measured apart: their intervals add up."""
    if not (one.has_interval and other.has_interval):
        return Estimate(one.median / other.median)
    return Estimate(one.median / other.median, one.low / other.high, one.high / other.low)


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
