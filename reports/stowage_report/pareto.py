"""Time against memory: which strategies no other beats in both, and which only seem to be among them."""

from __future__ import annotations

from enum import Enum
from typing import Iterator, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report import series, wording
from stowage_report.canvas import Canvas, Chart, file_name, headline, plot_area
from stowage_report.estimates import estimate_ratio, is_tie
from stowage_report.legend import draw_legend, legend_height
from stowage_report.memory import BYTES
from stowage_report.model import Block, Cell, Run, Sweep, is_hand_written
from stowage_report.style import INK, MUTED, Looks
from stowage_report.ticks import decade_ticks

_TOP = 46  # points
_PLOT = 230
_AXIS = 42
_NARROWEST = 4  # times from the lowest to the highest time of the scale, so that it has ticks to read


class Place(Enum):
    FRONTIER = "on the frontier"  # faster than whatever needs no more bytes
    TIED = "tied with the frontier"  # some that need no more bytes cannot be told from it in time, and none is faster
    BEHIND = "behind"  # some that needs no more bytes is faster


def pareto_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At the largest block that has both figures; None where that leaves nothing to choose between."""
    block = sweep.largest_with(_has_both)
    places = places_of(block) if block else {}
    if len(places) < 2:
        return None
    title = wording.title(sweep.workload, sweep.parameters)
    cells = [cell for cell in block.cells.values() if _has_both(cell)]
    strategies = [cell.strategy for cell in cells]
    named = series.shown(strategies, [block], series.time)
    named = [name for name in strategies if name in named or places.get(name) is Place.FRONTIER]
    height = _TOP + _PLOT + _AXIS + legend_height(named)
    place = wording.place(sweep.axis, block)

    def draw(figure: Figure) -> None:
        headline(figure, title, f"ns per item against bytes per entity, {place}")
        axes = plot_area(figure, _TOP, _PLOT)
        _draw_scales(axes, cells)
        _draw_frontier(axes, [cell for cell in cells if cell.strategy in places])
        for cell in cells:
            if cell.strategy in named:
                _draw_cell(axes, cell, places.get(cell.strategy), canvas.looks)
            else:
                _draw_unnamed(axes, cell, canvas.looks)
        bold = [name for name, place in places.items() if place is Place.FRONTIER]
        draw_legend(figure, named, canvas.looks, lines=False, bold=bold)

    return canvas.chart(
        file_name("pareto", sweep.workload, wording.parameters(sweep.parameters)),
        f"Time against memory of {title}",
        f"At {place}: {'; '.join(_in_words(cells, places))}.",
        draw,
        height=height,
        notes=(*_notes(sweep, block, places), *_unnamed(strategies, named)),
    )


def places_of(block: Block) -> Mapping[str, Place]:
    """Of every strategy with both figures; what was written by hand is nothing to choose."""
    cells = [cell for cell in block.cells.values() if _has_both(cell) and not is_hand_written(cell.strategy)]
    return {cell.strategy: _place(cell, cells) for cell in cells}


def _place(cell: Cell, cells: list[Cell]) -> Place:
    """All comparisons of a strategy are judged together, as where ties for the best are judged."""
    place = Place.FRONTIER
    for other in cells:
        if other is cell or other.counters[BYTES] > cell.counters[BYTES]:
            continue
        if not is_tie(estimate_ratio(cell.samples, other.samples, len(cells) - 1)):
            return Place.BEHIND
        if is_tie(estimate_ratio(other.samples, cell.samples, len(cells) - 1)):
            place = Place.TIED
    return place


def _has_both(cell: Cell) -> bool:
    return bool(cell.ns_per_item) and BYTES in cell.counters


def _draw_scales(axes: Axes, cells: list[Cell]) -> None:
    axes.set_yscale("log")
    lows = [cell.ns_per_item.low or cell.ns_per_item.median for cell in cells]
    highs = [cell.ns_per_item.high or cell.ns_per_item.median for cell in cells]
    stretch = max(1.15, (_NARROWEST * min(lows) / max(highs)) ** 0.5)
    low, high = min(lows) / stretch, max(highs) * stretch
    axes.set_ylim(low, high)
    axes.set_xlim(0, max(cell.counters[BYTES] for cell in cells) * 1.08 or 1)
    axes.yaxis.set_minor_locator(NullLocator())
    ticks = decade_ticks(low, high)
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.set_yticklabels([f"{tick:g}" for tick in ticks])
    axes.set_xlabel("bytes per entity")


def _draw_frontier(axes: Axes, cells: list[Cell]) -> None:
    """A staircase by the medians: whatever lies above it and to the right is beaten in both."""
    steps: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: (cell.counters[BYTES], cell.ns_per_item.median)):
        if not steps or cell.ns_per_item.median < steps[-1][1]:
            steps.append((cell.counters[BYTES], cell.ns_per_item.median))
    xs = [steps[0][0], *(x for x, _ in steps), axes.get_xlim()[1]]
    ys = [axes.get_ylim()[1], *(y for _, y in steps), steps[-1][1]]
    axes.plot(xs, ys, drawstyle="steps-post", color=INK.light, linewidth=1.1, zorder=1)


def _draw_cell(axes: Axes, cell: Cell, place: Place | None, looks: Looks) -> None:
    look, time = looks[cell.strategy], cell.ns_per_item
    x = cell.counters[BYTES]
    if time.has_interval:
        axes.plot([x, x], [time.low, time.high], color=look.colour.light, linewidth=1.2, zorder=2)
    if place is Place.TIED:
        axes.plot([x], [time.median], marker="o", markersize=14, markerfacecolor="none", markeredgecolor=MUTED.light,
                  markeredgewidth=1.2, linestyle="none", zorder=2)
    axes.plot([x], [time.median], color=look.colour.light, marker=look.marker, markersize=look.marker_size + 1,
              linestyle="none", zorder=3)


def _draw_unnamed(axes: Axes, cell: Cell, looks: Looks) -> None:
    axes.plot([cell.counters[BYTES]], [cell.ns_per_item.median], color=looks[cell.strategy].colour.light, marker=".",
              markersize=5, alpha=0.7, linestyle="none", zorder=2)


def _unnamed(strategies: list[str], named: list[str]) -> tuple[str, ...]:
    others = len(strategies) - len(named)
    return (f"Dots: {wording.plural(others, 'more variant')}, in the hue of the family.",) if others else ()


def _in_words(cells: list[Cell], places: Mapping[str, Place]) -> Iterator[str]:
    for cell in cells:
        place = f", {places[cell.strategy].value}" if cell.strategy in places else ""
        yield (f"{cell.strategy} {wording.number(cell.ns_per_item.median)} ns and "
               f"{wording.figure(cell.counters[BYTES])} bytes{place}")


def _notes(sweep: Sweep, shown: Block, places: Mapping[str, Place]) -> Iterator[str]:
    names = {place: [f"`{name}`" for name, its in places.items() if its is place] for place in Place}
    if names[Place.FRONTIER]:
        yield (f"Bold: on the frontier for certain, faster than whatever needs no more bytes "
               f"({wording.listing(names[Place.FRONTIER])}).")
    if names[Place.TIED]:
        yield (f"Ring: tied in time with one that needs no more bytes ({wording.listing(names[Place.TIED])}).")
    if len(sweep.blocks) > 1:
        yield f"Shown is the largest block that has both figures, {wording.place(sweep.axis, shown)}."
