"""Any two metrics against each other: which strategies no other beats in both, and which only seem to be among them."""

from __future__ import annotations

import math
from enum import Enum
from itertools import pairwise
from typing import Iterator, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from stowage_report.charts import labels, series
from stowage_report.charts.axes import decade_ticks
from stowage_report.charts.canvas import (
    WIDTH, Canvas, Chart, draw_legend, file_name, headline, legend_height, mark, plot_area,
)
from stowage_report.charts.style import INK, MUTED, Looks
from stowage_report.data import metrics, wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.metrics import BYTES, TIME, Metric
from stowage_report.data.model import Block, Cell, Run, Sweep, is_hand_written

_TOP = 46  # points
_PLOT = 250
_AXIS = 42
_SIDES = 52, 14
_WIDE = WIDTH - sum(_SIDES)
_STRETCH = 1.15  # of a logarithmic scale, beyond what is drawn
#: A scale is logarithmic where its figures differ by more, or nobody could tell the small ones apart.
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
    drawing = _Drawing(cells, places, named, across, up)
    height = _TOP + _PLOT + _AXIS + legend_height(drawing.unlabelled)

    def draw(figure: Figure) -> None:
        headline(figure, title, f"{up.unit} against {across.unit}, {place}")
        axes = plot_area(figure, _TOP, _PLOT, *_SIDES)
        drawing.draw(axes, canvas.looks)
        draw_legend(figure, drawing.unlabelled, canvas.looks, lines=False)

    return canvas.chart(
        name, f"{up.title.capitalize()} against {across.title} of {title}",
        f"At {place}: {'; '.join(_in_words(cells, places, across, up))}.", draw, height=height,
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
    """One axis: linear from 0, or logarithmic where the figures are far apart."""

    def __init__(self, metric: Metric, cells: Sequence[Cell]):
        self._metric = metric
        ends = [end for cell in cells for end in _ends(metric.value(cell))]
        self._is_log = min(ends) > 0 and max(ends) > _LINEAR_UP_TO * min(ends)
        self.low = min(ends) / _STRETCH if self._is_log else 0.0
        self.high = max(ends) * (_STRETCH if self._is_log else 1.08) or 1.0

    def share(self, value: float) -> float:
        """Of the axis, from its beginning to that value."""
        if self._is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return value / self.high

    def apply(self, axis: Axis) -> None:
        if self._is_log:
            axis.axes.set(**{f"{axis.axis_name}scale": "log"})
            axis.set_minor_locator(NullLocator())
            axis.set_major_locator(FixedLocator(decade_ticks(self.low, self.high)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: self._metric.tick(value)))
        axis.axes.set(**{f"{axis.axis_name}lim": (self.low, self.high)})


def _ends(value: Estimate) -> tuple[float, float]:
    return (value.low, value.high) if value.has_interval else (value.median, value.median)


class _Drawing:
    def __init__(self, cells: Sequence[Cell], places: Mapping[str, Place], named: Sequence[str], across: Metric,
                 up: Metric):
        self._cells, self._places, self._named = cells, places, named
        self._across, self._up = across, up
        self._scales = _Scale(across, cells), _Scale(up, cells)
        self._labels = self._placed_labels()
        #: Who has no room for a name beside it.
        self.unlabelled = [name for name in named if name not in self._labels]

    def draw(self, axes: Axes, looks: Looks) -> None:
        for scale, axis in zip(self._scales, (axes.xaxis, axes.yaxis)):
            scale.apply(axis)
        axes.set_xlabel(self._across.unit)
        self._draw_frontier(axes)
        for cell in self._cells:
            self._draw_cell(axes, cell, looks)

    def _at(self, cell: Cell) -> tuple[float, float]:
        return self._across.value(cell).median, self._up.value(cell).median

    def _steps(self) -> list[tuple[float, float]]:
        """By the medians what nothing is better than in both, from left to right."""
        steps: list[tuple[float, float]] = []
        for x, y in sorted(self._at(cell) for cell in self._cells if cell.strategy in self._places):
            if not steps or y < steps[-1][1]:
                steps.append((x, y))
        return steps

    def _corners(self) -> list[tuple[float, float]]:
        """Of the staircase through them: whatever lies above it and to the right is beaten in both."""
        steps = self._steps()
        corners = [(steps[0][0], self._scales[1].high)]
        for x, y in steps:
            corners += [(x, corners[-1][1]), (x, y)]
        return [*corners, (self._scales[0].high, steps[-1][1])]

    def _draw_frontier(self, axes: Axes) -> None:
        axes.plot(*zip(*self._corners()), color=INK.light, linewidth=1.1, zorder=1)

    def _lines(self) -> list[labels.Box]:
        """What labels have to keep clear of: the staircase, and the intervals of those that have them drawn."""
        corners = [self._in_points(*corner) for corner in self._corners()]
        boxes = [labels.segment(*ends) for ends in pairwise(corners)]
        for cell in self._cells:
            if cell.strategy in self._named:
                (left, right), (bottom, top) = (_ends(metric.value(cell)) for metric in (self._across, self._up))
                x, y = self._at(cell)
                boxes += [labels.segment(self._in_points(left, y), self._in_points(right, y)),
                          labels.segment(self._in_points(x, bottom), self._in_points(x, top))]
        return boxes

    def _draw_cell(self, axes: Axes, cell: Cell, looks: Looks) -> None:
        place, look = self._places.get(cell.strategy), looks[cell.strategy]
        colour, alpha = look.colour.light, _FADED if place is Place.BEHIND else 1.0
        x, y = self._at(cell)
        if cell.strategy not in self._named:
            self._draw_marker(axes, cell, colour, ".", 5, _FADED)
            return
        (left, right), (bottom, top) = (_ends(metric.value(cell)) for metric in (self._across, self._up))
        for xs, ys in (((left, right), (y, y)), ((x, x), (bottom, top))):
            if xs[0] < xs[1] or ys[0] < ys[1]:
                mark(*axes.plot(xs, ys, color=colour, alpha=alpha, linewidth=1.2, zorder=2), cell.strategy)
        if place is Place.TIED:
            mark(*axes.plot([x], [y], marker="o", markersize=13, markerfacecolor="none", markeredgecolor=MUTED.light,
                            markeredgewidth=1.2, linestyle="none", zorder=2), cell.strategy)
        self._draw_marker(axes, cell, colour, look.marker, look.marker_size + 1, alpha)
        if cell.strategy in self._labels:
            self._draw_label(axes, cell, place)

    def _draw_marker(self, axes: Axes, cell: Cell, colour: str, marker: str, size: float, alpha: float) -> None:
        x, y = self._at(cell)
        (point,) = axes.plot([x], [y], color=colour, marker=marker, markersize=size, alpha=alpha, linestyle="none",
                             zorder=3)
        mark(point, cell.strategy, [cell])

    def _draw_label(self, axes: Axes, cell: Cell, place: Place | None) -> None:
        label = self._labels[cell.strategy]
        x, y = self._in_points(*self._at(cell))
        if label.distance > labels.FAR:  # a line to it, from where the name is nearest
            end = min(max(x, label.x), label.x + labels.CHARACTER * len(cell.strategy))
            mark(*axes.plot([x / _WIDE, end / _WIDE], [y / _PLOT, label.y / _PLOT], transform=axes.transAxes,
                            color=MUTED.light, linewidth=0.6, zorder=1), cell.strategy)
        mark(axes.text(label.x / _WIDE, label.y / _PLOT, cell.strategy, transform=axes.transAxes, fontsize=9,
                       va="center", color=MUTED.light if place is Place.BEHIND else INK.light,
                       fontweight="bold" if place is Place.FRONTIER else "normal"), cell.strategy)

    def _in_points(self, x: float, y: float) -> labels.Point:
        """From the lower left of the plot."""
        return self._scales[0].share(x) * _WIDE, self._scales[1].share(y) * _PLOT

    def _placed_labels(self) -> dict[str, labels.Label]:
        """The frontier first, then those that are tied with it: who is behind has room last."""
        order = [Place.FRONTIER, Place.TIED, None, Place.BEHIND]
        points = {cell.strategy: self._in_points(*self._at(cell)) for cell in self._cells}
        names = sorted(self._named, key=lambda name: order.index(self._places.get(name)))
        return labels.placed({name: points[name] for name in names}, list(points.values()),
                             labels.Box(0, 0, _WIDE + 8, _PLOT), self._lines())


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
