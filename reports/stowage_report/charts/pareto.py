"""One metric against another: which strategies are on the frontier for certain, and which may be."""

from dataclasses import replace
from enum import Enum
from typing import Iterator, Mapping, Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stowage_report.charts import series
from stowage_report.charts.axes import decade_ticks
from stowage_report.charts.canvas import WIDTH, Canvas, Chart, chart_name, draw_legend, headline, legend_height, mark
from stowage_report.charts.rows import Plot, Ruler, amounts
from stowage_report.charts.style import GRID, INK, MUTED, Looks
from stowage_report.data import metrics, wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.metrics import BYTES, TIME, Metric
from stowage_report.data.model import Block, Cell, Run, Sweep

_TOP = 46  # points
_PLOT = 250
_LEFT, _RIGHT = 52, WIDTH - 14
_AXIS = 42
_STRETCH = 1.15  # of a logarithmic scale, beyond what is drawn
#: A scale is logarithmic if its figures differ by more: small ones would look equal.
_LINEAR_UP_TO = 12
_FADED = 0.4


class Place(Enum):
    FRONTIER = "on the frontier"  # certainly better in one of both than whatever may be as good in the other
    OPEN = "open"  # none is better for certain, and some may be
    WORSE = "worse"  # some other is better in one and no worse in the other


def pareto_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """Time against bytes at the largest of the blocks with the most complete figures; None if there is nothing to choose
    between."""
    block = sweep.largest_with(lambda cell: _has_both(cell, BYTES, TIME))
    if block is None:
        return None
    place = wording.place(sweep.axis, block)
    notes = [f"Shown is the largest of the blocks with the most complete figures, {place}."] if len(sweep.blocks) > 1 else []
    name = chart_name("pareto", sweep)
    title = wording.title(sweep.workload, sweep.parameters)
    return frontier_chart(canvas, block, BYTES, TIME, name, title, place, notes)


def frontier_chart(canvas: Canvas, block: Block, across: Metric, up: Metric, name: str, title: str, place: str,
                   notes: Sequence[str] = ()) -> Chart | None:
    """None if fewer than two strategies have both figures."""
    places = places_of(block, across, up)
    if len(places) < 2:
        return None
    cells = [cell for cell in block.cells.values() if _has_both(cell, across, up)]
    named = _named(block, cells, places, up)
    rulers = _ruler(across, cells), _ruler(up, cells)

    def draw(figure: Figure) -> None:
        headline(figure, title, f"{up.unit} against {across.unit}, {place}")
        plot = _Plane(figure, *rulers)
        plot.draw_scale()
        plot.write((_LEFT + _RIGHT) / 2, _TOP + _PLOT + 28, across.unit, "center", 11)
        corners = _staircase([(across.value(cell).median, up.value(cell).median) for cell in cells
                              if cell.strategy in places], *rulers)
        plot.line(corners, color=INK.light, linewidth=1.1, zorder=1)
        for cell in cells:
            _draw_cell(plot, cell, across.value(cell), up.value(cell), places.get(cell.strategy), canvas.looks,
                       cell.strategy in named)
        draw_legend(figure, named, canvas.looks, lines=False,
                    bold=[name for name, its in places.items() if its is Place.FRONTIER])

    return canvas.chart(
        name, f"{up.title.capitalize()} against {across.title} of {title}",
        f"At {place}: {'; '.join(_in_words(cells, places, across, up))}.", draw,
        height=_TOP + _PLOT + _AXIS + legend_height(named),
        notes=(*_notes(places, across, up), *notes,
               *[f"Dots: {wording.plural(len(cells) - len(named), 'more variant')}, in the hue of the family."] *
               (len(cells) > len(named))))


def places_of(block: Block, across: Metric = BYTES, up: Metric = TIME) -> Mapping[str, Place]:
    """Of every strategy with both figures; hand-written code cannot be chosen."""
    cells = metrics.candidates(block, across, up)
    compared = {metric: _compared(block, metric) for metric in (across, up)}
    return {cell.strategy: _place(cell, cells, compared) for cell in cells}


def _compared(block: Block, metric: Metric) -> int:
    """All comparisons of a strategy are judged together, as those with the best of the block are."""
    cells = metrics.candidates(block, metric)
    return metrics.comparisons(metric, len(cells) - 1, cells)


def _place(cell: Cell, cells: Sequence[Cell], compared: Mapping[Metric, int]) -> Place:
    place = Place.FRONTIER
    for other in cells:
        if other is cell:
            continue
        ratios = [metric.ratio(cell, other, comparisons) for metric, comparisons in compared.items()]
        known = [ratio for ratio in ratios if ratio.has_interval]
        if len(known) == 2 and all(ratio.low >= 1 for ratio in known) and any(ratio.low > 1 for ratio in known):
            return Place.WORSE
        are_equal = len(known) == 2 and all(ratio.low == ratio.high == 1 for ratio in known)  # for certain, as counts can be
        if not are_equal and not any(ratio.high < 1 for ratio in known):
            place = Place.OPEN
    return place


def _has_both(cell: Cell, across: Metric, up: Metric) -> bool:
    return bool(across.value(cell) and up.value(cell))


def _named(block: Block, cells: Sequence[Cell], places: Mapping[str, Place], up: Metric) -> list[str]:
    strategies = [cell.strategy for cell in cells]
    shown = series.shown(strategies, [block], lambda cell: up.value(cell).median if up.value(cell) else None)
    return [name for name in strategies if name in shown or places.get(name) is Place.FRONTIER]


def _ruler(metric: Metric, cells: Sequence[Cell]) -> Ruler:
    """Linear from 0, or logarithmic if the figures are far apart."""
    ends = [end for cell in cells for end in metric.value(cell).ends]
    if min(ends) <= 0 or max(ends) <= _LINEAR_UP_TO * min(ends):
        return replace(amounts(max(ends) * 1.05), label=metric.tick)
    low, high = min(ends) / _STRETCH, max(ends) * _STRETCH
    return Ruler(low, high, decade_ticks(low, high), metric.tick, logarithmic=True)


class _Plane(Plot):
    """With a second ruler upwards."""

    def __init__(self, figure: Figure, across: Ruler, up: Ruler):
        super().__init__(figure, across, _LEFT, _RIGHT, _TOP, _TOP + _PLOT)
        self._up = up

    def y(self, value: float) -> float:
        return _TOP + _PLOT * (1 - self._up.share(value))

    def line(self, points: Sequence[tuple[float, float]], **look: object) -> Artist:
        return self.add(Line2D([self.x(x) for x, _ in points], [self.y(y) for _, y in points], **look))

    def draw_scale(self) -> None:
        super().draw_scale()
        for tick in self._up.ticks:
            self.line([(self.ruler.low, tick), (self.ruler.high, tick)], color=GRID.light, linewidth=0.8, zorder=0)
            self.write(_LEFT - 6, self.y(tick), self._up.label(tick), "right", 10.5)


def _staircase(points: Sequence[tuple[float, float]], across: Ruler, up: Ruler) -> list[tuple[float, float]]:
    """Its corners: whatever lies above it and to the right is beaten in both."""
    corners = [(min(points)[0], up.high)]
    for x, y in sorted(points):
        if y < corners[-1][1]:
            corners += [(x, corners[-1][1]), (x, y)]
    return [*corners, (across.high, corners[-1][1])]


def _draw_cell(plot: _Plane, cell: Cell, across: Estimate, up: Estimate, place: Place | None, looks: Looks,
               is_named: bool) -> None:
    """A marker with its intervals; a dot for a variant that the legend does not name."""
    x, y, look = across.median, up.median, looks[cell.strategy]
    alpha = 1.0 if is_named and place is not Place.WORSE else _FADED
    parts = []
    if is_named:
        (left, right), (bottom, top) = across.ends, up.ends
        for ends in ([(left, y), (right, y)], [(x, bottom), (x, top)]):
            if ends[0] != ends[1]:
                parts.append(plot.line(ends, color=look.colour.light, alpha=alpha, linewidth=1.2, zorder=2))
    if place is Place.OPEN and is_named:
        parts.append(plot.line([(x, y)], marker="o", markersize=13, markerfacecolor="none", zorder=2,
                               markeredgecolor=MUTED.light, markeredgewidth=1.2, linestyle="none"))
    for part in parts:
        mark(part, cell.strategy)
    point = plot.line([(x, y)], color=look.colour.light, marker=look.marker if is_named else ".", alpha=alpha,
                      markersize=look.marker_size + 1 if is_named else 5, linestyle="none", zorder=3)
    mark(point, cell.strategy, [cell])


def _in_words(cells: Sequence[Cell], places: Mapping[str, Place], across: Metric, up: Metric) -> Iterator[str]:
    for cell in cells:
        place = f", {places[cell.strategy].value}" if cell.strategy in places else ""
        yield f"{cell.strategy} {up.text(up.value(cell).median)} and {across.text(across.value(cell).median)}{place}"


def _notes(places: Mapping[str, Place], across: Metric, up: Metric) -> Iterator[str]:
    names = {place: [f"`{name}`" for name, its in places.items() if its is place] for place in Place}
    if names[Place.FRONTIER]:
        yield f"Bold: certainly on the frontier ({wording.listing(names[Place.FRONTIER])})."
    if names[Place.OPEN]:
        yield f"Ring: open, perhaps on the frontier ({wording.listing(names[Place.OPEN])})."
    if names[Place.WORSE]:
        yield f"Pale: worse in {up.title} or {across.title}, and better in neither."
