"""Where two strategies change places along an axis, and how well that is known."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Sequence

from stowage_report.data import wording
from stowage_report.data.estimates import Estimate, estimate_ratio
from stowage_report.data.model import Sweep


@dataclass(frozen=True)
class Crossing:
    """Beyond `at` the other one is ahead. The true place is between `low` and `high`: one of them is None if it may
    lie outside of what was measured, both are None if the ratios have no intervals."""

    at: float
    low: float | None
    high: float | None

    def within(self, first: float, last: float) -> tuple[float, float]:
        """Where the true place is, of the places from one to another."""
        return self.low or first, self.high or last


class RatioCurve:
    """The ratio of two costs at some places of an axis, which are positive and ascending.

    Between two places the logarithm of the ratio is taken as linear in the logarithm of the place, and so are the ends
    of its interval: a crossing is as early as the first of them may, and as late as the last must be on its other side.
    """

    def __init__(self, places: Sequence[float], ratios: Sequence[Estimate]):
        self._places = places
        self._medians = [math.log(ratio.median) for ratio in ratios]
        self._has_intervals = all(ratio.has_interval for ratio in ratios)
        self._lows = [math.log(ratio.low) for ratio in ratios] if self._has_intervals else self._medians
        self._highs = [math.log(ratio.high) for ratio in ratios] if self._has_intervals else self._medians
        #: 1 if the ratio is certainly above 1, -1 if it is certainly below, 0 if that is uncertain.
        self.sides = [(low > 0) - (high < 0) for low, high in zip(self._lows, self._highs)]

    def crossings(self) -> list[Crossing]:
        """Each from one side to the other, both certain; at either end of the places the median is enough."""
        certain = [index for index, side in enumerate(self.sides) if side]
        if not certain:
            return []
        first, last = certain[0], certain[-1]
        found = [self._crossing(before, after) for before, after in pairwise(certain)
                 if self.sides[before] != self.sides[after]]
        if self._medians[0] * self.sides[first] < 0:
            found.insert(0, self._crossing(None, first))
        if self._medians[-1] * self.sides[last] < 0:
            found.append(self._crossing(last, None))
        return found

    def _crossing(self, before: int | None, after: int | None) -> Crossing:
        """Between two places whose sides are certain; None is the end of all places."""
        falls = (self.sides[before] if before is not None else -self.sides[after]) > 0
        first, last = before or 0, len(self._places) - 1 if after is None else after
        changes = [index for index in range(first, last)
                   if (self._medians[index] > 0) != (self._medians[index + 1] > 0)]
        at = self._zero(self._medians, changes[0])
        if not self._has_intervals:
            return Crossing(at, None, None)
        early, late = (self._lows, self._highs) if falls else (self._highs, self._lows)
        return Crossing(at, None if before is None else self._zero(early, before),
                        None if after is None else self._zero(late, after - 1))

    def _zero(self, logs: Sequence[float], index: int) -> float:
        """Where it is between that place and the next."""
        share = logs[index] / (logs[index] - logs[index + 1])
        first, second = math.log(self._places[index]), math.log(self._places[index + 1])
        return math.exp(first + share * (second - first))


def time_ratio(sweep: Sweep, one: str, other: str) -> RatioCurve:
    """Of one / other, if both were timed."""
    blocks = [block for block in sweep.blocks if all(name in block.cells and block.cells[name].samples
                                                     for name in (one, other))]
    return RatioCurve([block.value(sweep.axis) for block in blocks],
                      [estimate_ratio(block.cells[one].samples, block.cells[other].samples) for block in blocks])


def in_words(sweep: Sweep, one: str, other: str, ratio: RatioCurve, unit: str = "") -> str:
    """Where they change places along the sweep, or which one is ahead."""
    if not ratio.sides:
        return wording.ABSENT
    found = ratio.crossings()
    if not any(ratio.sides):
        return f"open at every {sweep.axis}"
    if not found:
        return f"no crossing in range: `{one if min(ratio.sides) < 0 else other}` is ahead"
    return "; ".join(_crossing_in_words(crossing, sweep.values, unit) for crossing in found)


def _crossing_in_words(crossing: Crossing, places: Sequence[float], unit: str) -> str:
    if crossing.low is None and crossing.high is None:
        return f"at {wording.number(crossing.at)}{unit}"
    low = wording.number(crossing.low) if crossing.low else f"below {places[0]:g}"
    high = wording.number(crossing.high) if crossing.high else f"beyond {places[-1]:g}"
    return f"at {wording.number(crossing.at)}{unit} ({low} to {high})"
