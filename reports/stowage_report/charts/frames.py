"""Frame times: how they are distributed, and how long the worst one took and what it did."""

import math
from typing import Iterator

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from stowage_report.charts import series
from stowage_report.charts.axes import decade_ticks, with_room
from stowage_report.charts.canvas import Canvas, Chart, chart_name, foot_legend
from stowage_report.charts.rows import Group, Plot, Rows, Ruler
from stowage_report.charts.style import ALARM, INK, Colour
from stowage_report.data import wording
from stowage_report.data.model import Block, Cell, Run, Sweep, frame_bin_ns

WORST = "frame_max_ns"
_MEDIAN, _TAIL, _FAR_TAIL = "frame_p50_ns", "frame_p99_ns", "frame_p999_ns"
#: What the worst frame may have done, by the counter's name: one of it, and many.
_EVENTS = {
    "worst_frame_growths": ("growth", "growths"),
    "worst_frame_rehashes": ("rehash", "rehashes"),
    "worst_frame_sections": ("section", "sections"),
    "worst_frame_collected_rows": ("row ended", "rows ended"),
}
#: What a display leaves a frame, in ns, by its rate.
_BUDGETS = {"8.3 ms": 8.3e6, "16.6 ms": 16.6e6}

_MARKS = {label: {"marker": marker, "color": colour.light, "markersize": 7, "markeredgewidth": 1.5}
          for label, marker, colour in (("median", "|", INK), ("p99", "2", INK), ("worst frame", "x", ALARM))}

_MOVED = "rows_moved_per_frame"

_ROW = 27  # points
_TALLEST = 0.62  # of a row, for the fullest bin


def frames_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """Of the largest block with frames; None if there is none."""
    block = sweep.largest_with(lambda cell: WORST in cell.counters)
    if block is None:
        return None
    strategies = [cell.strategy for cell in block.cells.values() if WORST in cell.counters]
    drawn = series.shown(strategies, [block], series.counter(WORST))
    cells = [block.cells[name] for name in drawn]
    title, place = wording.title(sweep.workload, sweep.parameters), wording.place(sweep.axis, block)
    group = Group(place, "worst frame", cells)
    rows = Rows([group], row=_ROW, figures=122, footer=20)

    def draw_row(plot: Plot, y: float, cell: Cell) -> str:
        _draw_distribution(plot, y, cell, canvas.looks[cell.strategy].colour)
        return "\n".join(filter(None, (wording.duration(cell.counters[WORST]), _deed(cell))))

    def draw_beside(figure: Figure, plot: Plot) -> None:
        _draw_budgets(plot, *rows.extent_of(group))
        foot_legend(figure, [Line2D([], [], linestyle="none", label=label, **look) for label, look in _MARKS.items()])

    return rows.chart(
        canvas, chart_name("frames", sweep), f"Frame times of {title}", title, "distribution of frame times, logarithmic",
        f"At {place}: {'; '.join(_in_words(cells))}.", _ruler(cells), draw_row, beside=draw_beside,
        notes=(*_notes(sweep, place, cells), *_moved(block), *series.strategies_note(strategies, drawn)))


def _draw_distribution(plot: Plot, y: float, cell: Cell, colour: Colour) -> None:
    """The histogram stands on the row's line, by the root of counts: a single frame is seen among thousands."""
    foot = y + _ROW * 0.32
    if any(cell.frames):
        fullest = max(cell.frames)
        outline = []
        for index in _filled(cell):
            top = foot - _ROW * _TALLEST * math.sqrt(cell.frames[index] / fullest)
            outline += [(plot.x(frame_bin_ns(edge)), top) for edge in (index, index + 1)]
        outline = [(outline[0][0], foot), *outline, (outline[-1][0], foot)]
        plot.add(Polygon(outline, closed=True, facecolor=colour.light, alpha=0.55, linewidth=0))
    for name, look in zip((_MEDIAN, _TAIL, WORST), _MARKS.values()):
        if name in cell.counters:
            plot.marker(cell.counters[name], foot - _ROW * 0.12, **look)


def _filled(cell: Cell) -> range:
    """The bins of the histogram between the first and the last that has frames."""
    filled = [index for index, count in enumerate(cell.frames) if count]
    return range(filled[0], filled[-1] + 1)


def _ruler(cells: list[Cell]) -> Ruler:
    edges = [frame_bin_ns(edge) for cell in cells if any(cell.frames)
             for edge in (_filled(cell).start, _filled(cell).stop)]
    low = min(edges + [cell.counters.get(_MEDIAN, cell.counters[WORST]) for cell in cells]) / 1.2
    high = max(edges + [cell.counters[WORST] for cell in cells]) * 1.2
    ticks = with_room(decade_ticks(low, high), low, high, 0.24)
    return Ruler(low, high, ticks, wording.duration, logarithmic=True)


def _draw_budgets(plot: Plot, top: float, bottom: float) -> None:
    for label, budget in _BUDGETS.items():
        if 0 <= plot.ruler.share(budget) <= 1:
            plot.upright(budget, top, bottom, color=ALARM.light, linewidth=1, dashes=(4, 2))
            plot.write(plot.x(budget), top - 6, label, "right", 8.5, color=ALARM.light)


def _deed(cell: Cell) -> str:
    """What the worst frame did; empty if it did nothing, or if the storage does not count."""
    done = [(cell.counters.get(name, 0), words) for name, words in _EVENTS.items()]
    return ", ".join(wording.plural(int(count), *words) for count, words in done if count)


def _in_words(cells: list[Cell]) -> Iterator[str]:
    for cell in cells:
        figures = [f"{label} {wording.duration(cell.counters[name])}"
                   for name, label in ((_MEDIAN, "median"), (_TAIL, "p99"), (_FAR_TAIL, "p99.9"), (WORST, "worst"))
                   if name in cell.counters]
        deed = _deed(cell)
        yield f"{cell.strategy} {', '.join(figures)}{f' ({deed})' if deed else ''}"


def _moved(block: Block) -> Iterator[str]:
    """Of all strategies that can defragment, drawn or not."""
    moved = [f"`{cell.strategy}` {wording.figure(cell.counters[_MOVED])}" for cell in block.cells.values()
             if _MOVED in cell.counters]
    if moved:
        yield f"Defragmentation ran once per frame. Rows moved per frame on average: {wording.listing(moved)}."


def _notes(sweep: Sweep, place: str, cells: list[Cell]) -> Iterator[str]:
    frames = sorted({int(cell.counters["frames"]) for cell in cells if "frames" in cell.counters})
    if frames:
        yield (f"Frames of each strategy: {wording.listing([f'{count:,}' for count in frames])}; heights are "
               "square roots of counts. If the storage counts them, the events in the worst frame are listed: growth "
               "of arrays, rehashes, new sections, and rows whose end was delayed.")
    if len(sweep.blocks) > 1:
        yield f"Shown is {place}; the table has all."
