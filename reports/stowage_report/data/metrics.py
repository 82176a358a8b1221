"""What strategies are compared by: the figure of a cell with its interval, and how two cells are compared.

Times are compared round by round, exact counts as they are, quantiles of frames by their intervals.
"""

import math
from dataclasses import dataclass
from typing import Callable, Iterable, Mapping, Sequence

from stowage_report.data import wording
from stowage_report.data.estimates import (
    Estimate, estimate_mean_ratio, estimate_ratio, judged_together, mean_ratio, of_one_process, quotient, standing_of,
)
from stowage_report.data.model import Block, Cell, is_hand_written


@dataclass(frozen=True)
class Metric:
    """Less is better of each."""

    name: str  # of its counter, as in results.json
    title: str  # in a word or two
    unit: str
    text: Callable[[float], str]  # of a figure, if it is clear of what
    tick: Callable[[float], str]  # of an axis whose label says the unit
    value: Callable[[Cell], Estimate | None]  # None if the cell does not have it
    ratio: Callable[[Cell, Cell, int], Estimate]  # of two cells that have it; how many comparisons are judged together

    def mean_ratio(self, pairs: Sequence[tuple[Cell, Cell]], comparisons: int = 1) -> Estimate:
        """The geometric mean over blocks, of each of which there are two cells that have it."""
        if self is TIME:
            return estimate_mean_ratio([(cell.samples, base.samples) for cell, base in pairs], comparisons)
        return mean_ratio([self.ratio(cell, base, comparisons) for cell, base in pairs])


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(value: float) -> str:
    """Of a tick: short enough for the margin of a chart."""
    if value < 1e5:
        return f"{value:g}"
    factor, exponent = f"{value:e}".split("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    return power if float(factor) == 1 else f"{float(factor):g}\N{MIDDLE DOT}{power}"


def _of_frames(name: str, title: str, unit: str) -> Metric:
    def value(cell: Cell) -> Estimate | None:
        figures = (cell.counters.get(name + end) for end in ("", "_low", "_high"))
        return Estimate(*figures) if name in cell.counters else None

    def ratio(cell: Cell, base: Cell, comparisons: int) -> Estimate:
        return of_one_process(quotient(value(cell), value(base)), comparisons)

    return Metric(name, title, unit, wording.duration, wording.duration, value, ratio)


def _counted(name: str, title: str, unit: str) -> Metric:
    def value(cell: Cell) -> Estimate | None:
        return Estimate(*3 * (cell.counters[name],)) if name in cell.counters else None

    def ratio(cell: Cell, base: Cell, _: int) -> Estimate:
        one, other = cell.counters[name], base.counters[name]
        return Estimate(*3 * (one / other if other else 1.0 if one == other else math.inf,))

    return Metric(name, title, unit, lambda count: f"{wording.figure(count)} {title}", plain, value, ratio)


TIME = Metric("ns_per_item", "time", "ns per item", lambda value: f"{wording.number(value)} ns", plain,
              lambda cell: cell.ns_per_item,
              lambda cell, base, comparisons: estimate_ratio(cell.samples, base.samples, comparisons))
MISSES = _counted("l1d_misses_per_item", "misses", "first-level misses per item")
INSTRUCTIONS = _counted("instructions_per_item", "instructions", "instructions per item")
BYTES = _counted("bytes_per_entity", "bytes", "bytes per entity")
FRAME_P99 = _of_frames("frame_p99_ns", "frame-time p99", "frame-time p99")
SPIKE = _of_frames("frame_spike_ns", "spike", "time of the frame with a creation spike")


def candidates(block: Block, *metrics: Metric) -> list[Cell]:
    """Strategies to choose from that have all of these figures."""
    return [cell for cell in block.cells.values()
            if not is_hand_written(cell.strategy) and all(metric.value(cell) for metric in metrics)]


def comparisons(metric: Metric, rivals: int, cells: Iterable[Cell]) -> int:
    """How many share what may be wrong if so many rivals of the best are judged. Times are looked at after each further
    visit; measuring longer adds no frames."""
    looks = max((cell.looks for cell in cells), default=0) if metric is TIME else 0
    return judged_together(rivals, looks) if looks else max(1, rivals)


def ratios_to_best(block: Block, metric: Metric) -> Mapping[str, Estimate]:
    """Of every candidate; the best has 1 by definition."""
    if metric is TIME:
        return {name: ratio for name, ratio in block.ratios_to_best.items() if not is_hand_written(name)}
    cells = candidates(block, metric)
    best = min(cells, key=lambda cell: metric.value(cell).median, default=None)
    ratios = {cell.strategy: metric.ratio(cell, best, comparisons(metric, len(cells) - 1, cells)) for cell in cells}
    return ratios | ({best.strategy: Estimate(1.0)} if best else {})


def leaders(block: Block, metric: Metric) -> list[str]:
    """The best strategy and all that may be, in the order of the block: that says nothing of rank."""
    if metric is TIME:
        return block.leaders
    return [name for name, ratio in ratios_to_best(block, metric).items() if standing_of(ratio).may_be_best]
