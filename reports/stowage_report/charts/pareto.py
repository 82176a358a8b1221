"""Any two metrics against each other: which strategies no other beats in both, and which only seem to be among them."""

from __future__ import annotations

import math
from enum import Enum
from typing import Iterator, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from stowage_report.charts import series
from stowage_report.charts.axes import decade_ticks
from stowage_report.charts.canvas import (
    Canvas, Chart, draw_legend, file_name, headline, legend_height, mark, plot_area,
)
from stowage_report.charts.style import INK, MUTED, Looks
from stowage_report.data import metrics, wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.metrics import BYTES, TIME, Metric
from stowage_report.data.model import Block, Cell, Run, Sweep, is_hand_written

_TOP = 46  # points
_PLOT = 250
_AXIS = 42
_STRETCH = 1.15  # of a logarithmic scale, beyond what is drawn
#: A scale is logarithmic if its figures differ by more: small ones would look equal.
_LINEAR_UP_TO = 12
_FADED = 0.4


class Place(Enum):
    FRONTIER = "on the frontier"  # certainly better in one of both than whatever may be as good in the other
    TIED = "tied with the frontier"  # none is better for certain, and some may be
    BEHIND = "behind"  # some other is better in one and no worse in the other


def pareto_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """Time against bytes at the largest block that has both; None where that leaves nothing to choose between."""
    block = sweep.largest_with(lambda cell: _has_both(cell, BYTES, TIME))
    if block is None:
        return None
    place = wording.place(sweep.axis, block)
    notes = [f"Shown is the largest block that has both figures, {place}."] if len(sweep.blocks) > 1 else []
    name = file_name("pareto", sweep.workload, wording.parameters(sweep.parameters))
    title = wording.title(sweep.workload, sweep.parameters)
    return frontier_chart(canvas, block, BYTES, TIME, name, title, place, notes)


def frontier_chart(canvas: Canvas, block: Block, across: Metric, up: Metric, name: str, title: str, place: str,
                   notes: Sequence[str] = ()) -> Chart | None:
    """None where fewer than two strategies have both figures."""
    places = places_of(block, across, up)
    if len(places) < 2:
        return None
    cells = [cell for cell in block.cells.values() if _has_both(cell, across, up)]
    named = _named(block, cells, places, up)
    scales = [_Scale(metric, cells) for metric in (across, up)]

    def draw(figure: Figure) -> None:
        headline(figure, title, f"{up.unit} against {across.unit}, {place}")
        axes = plot_area(figure, _TOP, _PLOT)
        for scale, axis in zip(scales, (axes.xaxis, axes.yaxis)):
            scale.apply(axis)
        axes.set_xlabel(across.unit)
        axes.plot(*zip(*_staircase(cells, places, scales)), color=INK.light, linewidth=1.1, zorder=1)
        for cell in cells:
            _draw_cell(axes, cell, scales, places.get(cell.strategy), canvas.looks, cell.strategy in named)
        draw_legend(figure, named, canvas.looks, lines=False,
                    bold=[name for name, its in places.items() if its is Place.FRONTIER])

    return canvas.chart(
        name, f"{up.title.capitalize()} against {across.title} of {title}",
        f"At {place}: {'; '.join(_in_words(cells, places, across, up))}.", draw,
        height=_TOP + _PLOT + _AXIS + legend_height(named),
        notes=(*_notes(places, across, up), *notes, *_unnamed([cell.strategy for cell in cells], named)))


def places_of(block: Block, across: Metric = BYTES, up: Metric = TIME) -> Mapping[str, Place]:
    """Of every strategy with both figures; what was written by hand is nothing to choose."""
    cells = metrics.candidates(block, across, up)
    return {cell.strategy: _place(cell, cells, across, up) for cell in cells}


def _place(cell: Cell, cells: Sequence[Cell], across: Metric, up: Metric) -> Place:
    """All comparisons of a strategy are judged together, as where ties for the best are judged."""
    place = Place.FRONTIER
    for other in cells:
        if other is cell:
            continue
        ratios = [metric.ratio(cell, other, len(cells) - 1) for metric in (across, up)]
        if all(map(_is_no_better, ratios)) and any(map(_is_worse, ratios)):
            return Place.BEHIND
        if not any(map(_is_better, ratios)) and not all(map(_is_equal, ratios)):
            place = Place.TIED
    return place


def _is_worse(ratio: Estimate) -> bool:
    return ratio.has_interval and ratio.low > 1


def _is_no_better(ratio: Estimate) -> bool:
    return ratio.has_interval and ratio.low >= 1


def _is_better(ratio: Estimate) -> bool:
    return ratio.has_interval and ratio.high < 1


def _is_equal(ratio: Estimate) -> bool:
    """For certain, as counts can be."""
    return ratio.has_interval and ratio.low == ratio.high == 1


def _has_both(cell: Cell, across: Metric, up: Metric) -> bool:
    return bool(across.value(cell) and up.value(cell))


def _named(block: Block, cells: Sequence[Cell], places: Mapping[str, Place], up: Metric) -> list[str]:
    strategies = [cell.strategy for cell in cells]
    shown = series.shown(strategies, [block], lambda cell: up.value(cell).median if up.value(cell) else None)
    return [name for name in strategies if name in shown or places.get(name) is Place.FRONTIER]


class _Scale:
    """One axis: linear from 0, or logarithmic if the figures are far apart."""

    def __init__(self, metric: Metric, cells: Sequence[Cell]):
        self.metric = metric
        ends = [end for cell in cells for end in self.ends(cell)]
        self._is_log = min(ends) > 0 and max(ends) > _LINEAR_UP_TO * min(ends)
        self.low = min(ends) / _STRETCH if self._is_log else 0.0
        self.high = max(ends) * (_STRETCH if self._is_log else 1.08) or 1.0

    def at(self, cell: Cell) -> float:
        return self.metric.value(cell).median

    def ends(self, cell: Cell) -> tuple[float, float]:
        value = self.metric.value(cell)
        return (value.low, value.high) if value.has_interval else (value.median, value.median)

    def apply(self, axis: Axis) -> None:
        if self._is_log:
            axis.axes.set(**{f"{axis.axis_name}scale": "log"})
            axis.set_minor_locator(NullLocator())
            axis.set_major_locator(FixedLocator(decade_ticks(self.low, self.high)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: self.metric.tick(value)))
        axis.axes.set(**{f"{axis.axis_name}lim": (self.low, self.high)})


def _staircase(cells: Sequence[Cell], places: Mapping[str, Place], scales: Sequence[_Scale]) -> list[tuple[float, float]]:
    """Its corners, by the medians: whatever lies above it and to the right is beaten in both."""
    across, up = scales
    steps: list[tuple[float, float]] = []
    for x, y in sorted((across.at(cell), up.at(cell)) for cell in cells if cell.strategy in places):
        if not steps or y < steps[-1][1]:
            steps.append((x, y))
    corners = [(steps[0][0], up.high)]
    for x, y in steps:
        corners += [(x, corners[-1][1]), (x, y)]
    return [*corners, (across.high, steps[-1][1])]


def _draw_cell(axes: Axes, cell: Cell, scales: Sequence[_Scale], place: Place | None, looks: Looks,
               is_named: bool) -> None:
    """A marker with its intervals; a dot for a variant that the legend does not name."""
    x, y = (scale.at(cell) for scale in scales)
    look = looks[cell.strategy]
    alpha = 1.0 if is_named and place is not Place.BEHIND else _FADED
    if is_named:
        (left, right), (bottom, top) = (scale.ends(cell) for scale in scales)
        if left < right or bottom < top:
            mark(*axes.plot([left, right, math.nan, x, x], [y, y, math.nan, bottom, top], color=look.colour.light,
                            alpha=alpha, linewidth=1.2, zorder=2), cell.strategy)
    if place is Place.TIED and is_named:
        mark(*axes.plot([x], [y], marker="o", markersize=13, markerfacecolor="none", markeredgecolor=MUTED.light,
                        markeredgewidth=1.2, linestyle="none", zorder=2), cell.strategy)
    mark(*axes.plot([x], [y], color=look.colour.light, marker=look.marker if is_named else ".",
                    markersize=look.marker_size + 1 if is_named else 5, alpha=alpha, linestyle="none", zorder=3),
         cell.strategy, [cell])


def _unnamed(strategies: Sequence[str], named: Sequence[str]) -> tuple[str, ...]:
    others = len(strategies) - len(named)
    return (f"Dots: {wording.plural(others, 'more variant')}, in the hue of the family.",) if others else ()


def _in_words(cells: Sequence[Cell], places: Mapping[str, Place], across: Metric, up: Metric) -> Iterator[str]:
    for cell in cells:
        place = f", {places[cell.strategy].value}" if cell.strategy in places else ""
        yield (f"{cell.strategy} {up.text(up.value(cell).median)} and {across.text(across.value(cell).median)}{place}")


def _notes(places: Mapping[str, Place], across: Metric, up: Metric) -> Iterator[str]:
    names = {place: [f"`{name}`" for name, its in places.items() if its is place] for place in Place}
    if names[Place.FRONTIER]:
        yield f"Bold: on the frontier for certain ({wording.listing(names[Place.FRONTIER])})."
    if names[Place.TIED]:
        yield f"Ring: tied with the frontier ({wording.listing(names[Place.TIED])})."
    if names[Place.BEHIND]:
        yield f"Pale: behind in {up.title} or {across.title}, and better in neither."
