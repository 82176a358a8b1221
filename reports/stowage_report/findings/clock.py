"""Time against misses over all cells: how much of the times do the counted misses explain?"""

import math
from dataclasses import dataclass
from typing import Sequence

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from stowage_report.charts import series
from stowage_report.charts.axes import decade_ticks, with_room
from stowage_report.charts.canvas import WIDTH, Canvas, Chart, add_axes, draw_legend, headline, legend_height
from stowage_report.charts.style import Looks
from stowage_report.data import passes, wording
from stowage_report.data.metrics import plain
from stowage_report.data.model import Cell, Run, family_of

DRAWN = "l1d_misses_per_item"
#: What may explain the clock, by the counter's name.
FIGURES = {DRAWN: "first-level misses", "ll_misses_per_item": "last-level misses",
           "instructions_per_item": "instructions"}

_TOP = 60  # points
_PANEL = 150
_SCALE = 24  # below a panel
_TITLE = 22  # above the next
_COLUMNS = 2
_LEFT = 44
_GUTTER = 26
#: Misses per item below which a cell stands at the left edge: a logarithmic scale has no 0.
_FEWEST_MISSES = 1e-3
#: From these rank correlations on misses explain most of the clock's order, or part of it.
_MOST, _PART = 0.8, 0.5
#: A workload with fewer cells has no panel: a block or two of a quick run show nothing that the table does not.
_FEWEST_DRAWN = 20


@dataclass(frozen=True)
class Correlations:
    """Of a group of cells: the rank correlation of their time with each of FIGURES; None if it says nothing."""

    workload: str  # or what stands for all of them
    cells: int
    with_time: dict[str, float | None]


@dataclass(frozen=True)
class Explanation:
    chart: Chart
    verdict: str
    correlations: list[Correlations]  # over all cells, then within each workload


def explanation(canvas: Canvas, run: Run) -> Explanation | None:
    """None if too few cells have both a time and misses."""
    cells = {workload: [cell for block in run.blocks_of(workload) for cell in block.measured if DRAWN in cell.counters]
             for workload in run.workloads}
    panels = {"all workloads": [cell for its in cells.values() for cell in its]} if len(cells) > 1 else {}
    panels |= {workload: its for workload, its in cells.items() if its}
    correlations = [_correlations(name, its) for name, its in panels.items()]
    if not panels or correlations[0].cells < FEWEST_PAIRS:
        return None
    return Explanation(_chart(canvas, run, panels, correlations), _verdict(correlations), correlations)


def _correlations(name: str, cells: list[Cell]) -> Correlations:
    with_time = {}
    for figure in FIGURES:
        pairs = [(cell.counters[figure], cell.ns_per_item.median) for cell in cells if figure in cell.counters]
        with_time[figure] = spearman([count for count, _ in pairs], [time for _, time in pairs])
    return Correlations(name, len(cells), with_time)


def _verdict(correlations: list[Correlations]) -> str:
    overall, *workloads = correlations
    rank = overall.with_time[DRAWN]
    beginning = f"Over {overall.cells:,} cells"
    if rank is None:
        return f"{beginning} nothing can be said: all have equally many misses, or take equally long."
    judgement = ("misses explain most of the order of the times" if rank >= _MOST else
                 "misses explain part of the order of the times" if rank >= _PART else
                 "misses do not explain the order of the times")
    text = (f"{beginning} the rank correlation (Spearman) of time with first-level misses is "
            f"{wording.correlation(rank)}: {judgement}.")
    known = [item for item in workloads if item.with_time[DRAWN] is not None]
    if len(known) < 2:
        return text
    lowest, highest = (choice(known, key=lambda item: item.with_time[DRAWN]) for choice in (min, max))
    return (f"{text} Within a single workload it lies between {wording.correlation(lowest.with_time[DRAWN])} "
            f"(`{lowest.workload}`) and {wording.correlation(highest.with_time[DRAWN])} (`{highest.workload}`).")


def _chart(canvas: Canvas, run: Run, panels: dict[str, list[Cell]], correlations: list[Correlations]) -> Chart:
    everything = next(iter(panels.values()))
    present = {cell.strategy for cell in everything}
    group = family_of if len(present) > series.READABLE else str  # one by one they could not be found among so many
    groups = list(dict.fromkeys(group(name) for name in run.strategies if name in present))
    drawn = [(item, cells) for item, cells in zip(correlations, panels.values())
             if cells is everything or (item.cells >= _FEWEST_DRAWN and item.with_time[DRAWN] is not None)]
    columns = min(_COLUMNS, len(drawn))
    rows = math.ceil(len(drawn) / columns)
    height = _TOP + rows * (_PANEL + _SCALE + _TITLE) - _TITLE + 8 + legend_height(groups)
    width = (WIDTH - _LEFT - _GUTTER * columns) / columns

    def draw(figure: Figure) -> None:
        headline(figure, "Time against misses", f"ns per item against first-level misses per item, "
                                                f"{passes.source(run, passes.CACHE)}")
        for place, (item, cells) in enumerate(drawn):
            row, column = divmod(place, columns)
            left, top = _LEFT + column * (width + _GUTTER), _TOP + row * (_PANEL + _SCALE + _TITLE)
            axes = add_axes(figure, left, top, width, _PANEL)
            axes.set_title(f"{item.workload}, \N{GREEK SMALL LETTER RHO} = {wording.correlation(item.with_time[DRAWN])}",
                           fontsize=10.5, pad=5)
            _draw_cells(axes, [(group(cell.strategy), cell) for cell in cells], groups, canvas.looks)
            _draw_scales(axes, everything, labelled=column == 0)
        draw_legend(figure, groups, canvas.looks, lines=False)

    ranks = [f"{item.workload} {wording.correlation(item.with_time[DRAWN])}" for item in correlations]
    return canvas.chart("time-against-misses", "Time against misses of all cells",
                        f"Rank correlations of ns per item with first-level misses: {', '.join(ranks)}.",
                        draw, height=height, notes=_notes(run, everything, len(panels) - len(drawn)))


def _draw_cells(axes: Axes, cells: list[tuple[str, Cell]], groups: list[str], looks: Looks) -> None:
    for group in groups:
        look = looks[group]
        mine = [cell for its, cell in cells if its == group]
        axes.plot([max(_FEWEST_MISSES, cell.counters[DRAWN]) for cell in mine],
                  [cell.ns_per_item.median for cell in mine], color=look.colour.light, marker=look.marker,
                  markersize=look.marker_size * 0.75, linestyle="none", alpha=0.8)


def _draw_scales(axes: Axes, cells: list[Cell], labelled: bool) -> None:
    """The same in every panel, so that panels can be compared."""
    times = [cell.ns_per_item.median for cell in cells]
    most = max(max(cell.counters[DRAWN] for cell in cells), 10 * _FEWEST_MISSES)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(_FEWEST_MISSES / 1.5, most * 1.5)
    axes.set_ylim(min(times) / 1.5, max(times) * 1.5)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
    xs = with_room(decade_ticks(_FEWEST_MISSES, most * 1.5), *axes.get_xlim(), 0.16)
    axes.set_xticks(xs, [f"\N{LESS-THAN OR EQUAL TO}{x:g}" if x <= _FEWEST_MISSES else plain(x) for x in xs])
    ys = with_room(decade_ticks(*axes.get_ylim()), *axes.get_ylim(), 0.1)
    axes.set_yticks(ys, [plain(y) for y in ys] if labelled else [])


def _notes(run: Run, cells: list[Cell], not_drawn: int) -> tuple[str, ...]:
    cached = sum(cell.counters[DRAWN] <= _FEWEST_MISSES for cell in cells)
    edge = [f"At the left edge: {wording.plural(cached, 'cell')} that hardly ever miss, because the cache holds all of "
            "their data."] if cached else []
    few = [f"Not drawn: {wording.plural(not_drawn, 'workload')} with fewer than {_FEWEST_DRAWN} cells or without a "
           "correlation. The table has all of them."] if not_drawn else []
    return (*edge, *few, *passes.limits(run, passes.CACHE))


#: With fewer pairs than this a rank correlation says nothing.
FEWEST_PAIRS = 5


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """The correlation of the ranks; None if there are too few pairs, or if one side is all equal."""
    if len(xs) < FEWEST_PAIRS or len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    return float(numpy.corrcoef(_ranks(xs), _ranks(ys))[0, 1])


def _ranks(values: Sequence[float]) -> numpy.ndarray:
    """From 1 on; equal values share the mean of their ranks."""
    _, inverse, counts = numpy.unique(values, return_inverse=True, return_counts=True)
    last = numpy.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
