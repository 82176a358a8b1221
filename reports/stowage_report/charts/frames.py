"""Frame times: how they are distributed, and how long the worst one took and what it did."""

from __future__ import annotations

import math
from typing import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report.charts import series
from stowage_report.charts.axes import decade_ticks, with_room
from stowage_report.charts.canvas import Canvas, Chart, file_name, headline
from stowage_report.charts.rows import Group, Rows
from stowage_report.charts.style import ALARM, INK, MUTED, Colour
from stowage_report.data import wording
from stowage_report.data.model import Block, Cell, Run, Sweep

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

_MOVED = "rows_moved_per_frame"

_ROW = 27  # points
_FIGURES = 122
_TALLEST = 0.62  # of a row, for the fullest bin
_LEGEND = 20


def frames_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """Of the largest block with frames; None where there is none."""
    block = sweep.largest_with(lambda cell: WORST in cell.counters)
    if block is None:
        return None
    strategies = [cell.strategy for cell in block.cells.values() if WORST in cell.counters]
    drawn = series.shown(strategies, [block], series.counter(WORST))
    cells = [block.cells[name] for name in drawn]
    title, place = wording.title(sweep.workload, sweep.parameters), wording.place(sweep.axis, block)
    rows = Rows([Group(place, "worst frame", cells)], row=_ROW, figures=_FIGURES, footer=_LEGEND)

    def draw_row(axes: Axes, y: float, cell: Cell) -> str:
        _draw_distribution(axes, y, cell, canvas.looks[cell.strategy].colour)
        return "\n".join(filter(None, (wording.duration(cell.counters[WORST]), _deed(cell))))

    def draw(figure: Figure) -> None:
        headline(figure, title, "time of one frame, logarithmic: how many frames took how long")
        axes = rows.draw(figure, draw_row)
        _draw_scale(axes, cells)
        _draw_legend(figure)

    return canvas.chart(
        file_name("frames", sweep.workload, wording.parameters(sweep.parameters)),
        f"Frame times of {title}",
        f"At {place}: {'; '.join(_in_words(cells))}.",
        draw,
        height=rows.height,
        notes=(*_notes(sweep, place, cells), *_moved(block), *series.strategies_note(strategies, drawn)),
    )


def _draw_distribution(axes: Axes, y: float, cell: Cell, colour: Colour) -> None:
    """The histogram stands on the row's line, by the root of counts: a single frame is seen among thousands."""
    foot = y + _ROW * 0.32
    if cell.frames:
        fullest = max(cell.frames.counts)
        outline = [(cell.frames.edge_ns(0), foot)]
        for index, count in enumerate(cell.frames.counts):
            top = foot - _ROW * _TALLEST * math.sqrt(count / fullest)
            outline += [(cell.frames.edge_ns(index), top), (cell.frames.edge_ns(index + 1), top)]
        outline.append((outline[-1][0], foot))
        axes.add_artist(Polygon(outline, closed=True, facecolor=colour.light, alpha=0.55, linewidth=0))
    for name, marker in ((_MEDIAN, "|"), (_TAIL, "2")):
        if name in cell.counters:
            axes.add_artist(_mark(cell.counters[name], foot - _ROW * 0.12, marker, INK))
    axes.add_artist(_mark(cell.counters[WORST], foot - _ROW * 0.12, "x", ALARM))


def _mark(x: float, y: float, marker: str, colour: Colour) -> Line2D:
    return Line2D([x], [y], marker=marker, color=colour.light, markersize=7, markeredgewidth=1.5, linestyle="none")


def _draw_scale(axes: Axes, cells: list[Cell]) -> None:
    low = min(cell.counters.get(_MEDIAN, cell.counters[WORST]) for cell in cells) / 2
    high = max(cell.counters[WORST] for cell in cells) * 1.5
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_minor_locator(NullLocator())
    ticks = with_room(decade_ticks(low, high), low, high, 0.24)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.set_xticklabels([wording.duration(tick) for tick in ticks])
    for label, budget in _BUDGETS.items():
        if low <= budget <= high:
            axes.axvline(budget, color=ALARM.light, linewidth=1, dashes=(4, 2), zorder=1)
            axes.annotate(label, (budget, 1), xycoords=("data", "axes fraction"), xytext=(0, -9),
                          textcoords="offset points", ha="right", fontsize=8.5, color=ALARM.light)


def _draw_legend(figure: Figure) -> None:
    handles = [Line2D([], [], marker=marker, color=colour.light, markersize=7, markeredgewidth=1.5, linestyle="none",
                      label=label)
               for marker, colour, label in (("|", INK, "median"), ("2", INK, "99 %"), ("x", ALARM, "worst frame"))]
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 0), ncol=3, frameon=False, fontsize=9.5,
                  handlelength=1.2, columnspacing=1.4, borderaxespad=0.3, labelcolor=MUTED.light)


def _deed(cell: Cell) -> str:
    """What the worst frame did; nothing where it did nothing, or where the storage does not say."""
    done = [(cell.counters.get(name, 0), words) for name, words in _EVENTS.items()]
    return ", ".join(wording.plural(int(count), *words) for count, words in done if count)


def _in_words(cells: list[Cell]) -> Iterator[str]:
    for cell in cells:
        figures = [f"{label} {wording.duration(cell.counters[name])}"
                   for name, label in ((_MEDIAN, "median"), (_TAIL, "99 %"), (_FAR_TAIL, "99.9 %"), (WORST, "worst"))
                   if name in cell.counters]
        deed = _deed(cell)
        yield f"{cell.strategy} {', '.join(figures)}{f' ({deed})' if deed else ''}"


def _moved(block: Block) -> Iterator[str]:
    """By whoever can be asked to, drawn or not: that is what their frames are for."""
    moved = [f"`{cell.strategy}` {wording.figure(cell.counters[_MOVED])}" for cell in block.cells.values()
             if _MOVED in cell.counters]
    if moved:
        yield f"Rows that defragmentation moved, which was called once a frame, on average: {wording.listing(moved)}."


def _notes(sweep: Sweep, place: str, cells: list[Cell]) -> Iterator[str]:
    frames = sorted({int(cell.counters["frames"]) for cell in cells if "frames" in cell.counters})
    if frames:
        yield (f"Frames of each strategy: {wording.listing([f'{count:,}' for count in frames])}; heights are roots of "
               "counts. Beside the worst frame: the growths of arrays, rehashes, new sections and rows ended late that "
               "fell into it, where the storage counts them.")
    if len(sweep.blocks) > 1:
        yield f"Shown is {place}; the table has all."
