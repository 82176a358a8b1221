"""Axes, ticks and curves: what all charts with an axis share."""

import math
from itertools import pairwise
from typing import Callable, Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from stowage_report.charts.canvas import mark
from stowage_report.charts.style import INK, Look
from stowage_report.data import wording
from stowage_report.data.crossing import time_ratio
from stowage_report.data.estimates import Estimate
from stowage_report.data.metrics import plain
from stowage_report.data.model import Block, Cell, Sweep


def decade_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... between the limits; fewer steps a decade if that would be too many to read."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= 9:
            break
    return ticks


def ratio_ticks(low: float, high: float) -> list[float]:
    """Of an axis around 1, which is among them: the finer, the narrower the axis is."""
    for factors in ((1.1, 1.25, 1.5, 2), (1.25, 1.5, 2, 3), (2, 5, 10)):
        ticks = sorted({1.0, *factors, *(round(1 / factor, 2) for factor in factors)})
        if low >= ticks[0] and high <= ticks[-1]:
            inside = [tick for tick in ticks if low <= tick <= high]
            return with_room(sorted(inside, key=lambda tick: abs(math.log(tick))), low, high, 0.13)
    return sorted({1.0, *decade_ticks(low, high)})


def with_room(candidates: Iterable[float], low: float, high: float, share: float) -> list[float]:
    """Those that keep `share` of the axis to each other; earlier candidates win."""
    room = (high / low) ** share
    chosen: list[float] = []
    for tick in candidates:
        if all(max(tick, other) / min(tick, other) >= room for other in chosen):
            chosen.append(tick)
    return sorted(chosen)


#: Of a strategy in a block; None if it has no figure there.
Figure = Callable[[Block, str], Estimate | None]


class Scale:
    """Positions of values along an axis: by their logarithm, and 0 one step before the smallest of the others."""

    def __init__(self, values: Iterable[float]):
        self._logs = sorted(math.log2(value) for value in set(values) if value > 0)
        steps = [after - before for before, after in zip(self._logs, self._logs[1:])]
        self._zero = (self._logs[0] if self._logs else 1.0) - min(steps, default=1.0)

    def __call__(self, value: float) -> float:
        return math.log2(value) if value > 0 else self._zero


def draw_curve(axes: Axes, points: Sequence[tuple[float, Estimate]], look: Look, *, name: str, faint: bool = False,
               cells: Sequence[Cell] = ()) -> None:
    """Of estimates at their positions; the page can hide it by its name, and say the figures of its points."""
    if not points:
        return
    colour = look.colour.light
    xs = [x for x, _ in points]
    lows, highs = zip(*(estimate.ends for _, estimate in points))
    (band,) = axes.fill(xs + xs[::-1], lows + highs[::-1], color=colour, alpha=0.08 if faint else 0.18, linewidth=0)
    (line,) = axes.plot(xs, [estimate.median for _, estimate in points], color=colour, marker=look.marker,
                        markersize=look.marker_size, linestyle=look.dash)
    mark(band, name)
    mark(line, name, cells)


def points_of(sweep: Sweep, strategy: str, figure: Figure, scale: Scale) -> list[tuple[float, Estimate]]:
    known = [(block.value(sweep.axis), figure(block, strategy)) for block in sweep.blocks if strategy in block.cells]
    return [(scale(value), estimate) for value, estimate in known if estimate]


def draw_axis(axes: Axes, sweep: Sweep, scale: Scale) -> None:
    """The sweep's axis at the bottom."""
    values = sweep.values
    axes.xaxis.set_minor_locator(NullLocator())
    room = with_room([2 ** scale(value) for value in (values[-1], *values)], 2 ** scale(values[0]),
                     2 ** scale(values[-1]), 0.1)
    ticks = [value for value in values if any(math.isclose(2 ** scale(value), tick) for tick in room)]
    axes.set_xticks([scale(value) for value in ticks],
                    [wording.axis_value(sweep.axis, value) for value in ticks])
    first, last = scale(values[0]), scale(values[-1])
    axes.set_xlim(first - (last - first) * 0.05, last + (last - first) * 0.05)
    axes.set_xlabel(wording.axis_label(sweep.axis))


def draw_cost_axis(axes: Axes) -> None:
    """Logarithmic, at the left, with the limits that were reached by drawing."""
    axes.set_yscale("log")
    axes.yaxis.set_minor_locator(NullLocator())
    low, high = axes.get_ylim()
    ticks = decade_ticks(low, high)
    axes.set_yticks(ticks, map(plain, ticks))
    axes.set_ylim(low, high)


def shade_crossings(axes: Axes, sweep: Sweep, leaders: Sequence[str], scale: Scale) -> None:
    """A dashed line at each crossing of two successive leaders, and grey over its range."""
    for one, other in pairwise(leaders):
        for crossing in time_ratio(sweep, one, other).crossings():
            axes.axvspan(*map(scale, crossing.within(sweep.values[0], sweep.values[-1])), color=INK.light, alpha=0.07, linewidth=0)
            axes.axvline(scale(crossing.at), color=INK.light, linewidth=1, dashes=(3, 2))
