"""Bytes per entity: what the components need, what finding them costs, and what is allocated and not in use."""

from __future__ import annotations

from typing import Iterator, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stowage_report.charts import series
from stowage_report.charts.canvas import Canvas, Chart, file_name, headline
from stowage_report.charts.rows import Group, Rows
from stowage_report.charts.shares import LEGEND_HEIGHT, draw_share_legend, draw_shares
from stowage_report.charts.style import INK
from stowage_report.data import passes, wording
from stowage_report.data.model import Block, Cell, Run, Sweep

BYTES = "bytes_per_entity"
_PEAK = "peak_bytes_per_entity"
_SHARES = ("payload_bytes_per_entity", "index_bytes_per_entity", "slack_bytes_per_entity")

_ROW = 17.5  # points
_FIGURES = 92
_PEAK_MARK = {"color": INK.light, "marker": "|", "markersize": 10, "markeredgewidth": 1.6, "linestyle": "none"}


def memory_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At the largest block that was counted; None where none was."""
    block = sweep.largest_with(lambda cell: BYTES in cell.counters)
    if block is None:
        return None
    strategies = [cell.strategy for cell in block.cells.values() if cell.error or BYTES in cell.counters]
    drawn = series.shown(strategies, [block], series.counter(BYTES))
    return bytes_chart(
        canvas, run,
        file_name("memory", sweep.workload, wording.parameters(sweep.parameters)),
        wording.title(sweep.workload, sweep.parameters),
        {wording.place(sweep.axis, block): [block.cells[name] for name in drawn]},
        (*_notes(run, sweep, block), *series.notes(sweep, [block], strategies, drawn)),
    )


def bytes_chart(canvas: Canvas, run: Run, name: str, title: str, groups: Mapping[str, list[Cell]],
                notes: tuple[str, ...]) -> Chart:
    """Of groups of cells, by their headings."""
    cells = [cell for its in groups.values() for cell in its]
    rows = Rows([Group(heading, "bytes (peak)", its) for heading, its in groups.items()], row=_ROW, figures=_FIGURES,
                footer=LEGEND_HEIGHT)

    def draw_bar(axes: Axes, y: float, cell: Cell) -> str:
        draw_shares(axes, y, _ROW * 0.6, _shares(cell), canvas.looks[cell.strategy].colour)
        peak = cell.counters.get(_PEAK)
        if peak is not None:
            axes.add_artist(Line2D([peak], [y], **_PEAK_MARK))
        return wording.figure(cell.counters[BYTES]) + ("" if peak is None else f" ({wording.figure(peak)})")

    def draw(figure: Figure) -> None:
        headline(figure, title, f"bytes per entity, {passes.source(run, passes.MEMORY)}")
        axes = rows.draw(figure, draw_bar)
        axes.set_xlim(0, max(max(cell.counters.get(name, 0) for name in (BYTES, _PEAK)) for cell in cells) * 1.03 or 1)
        axes.locator_params(axis="x", nbins=5)
        draw_share_legend(figure, "slack", Line2D([], [], label="peak", **_PEAK_MARK))

    told = [f"at {heading}: {'; '.join(_in_words(its))}" for heading, its in groups.items()]
    return canvas.chart(name, f"Memory of {title}", f"Bytes per entity {'. '.join(told)}.", draw, height=rows.height,
                        notes=notes)


def _shares(cell: Cell) -> tuple[float, float, float]:
    """All in the last one where only the sum is known."""
    if not any(name in cell.counters for name in _SHARES):
        return 0.0, 0.0, cell.counters[BYTES]
    payload, index, slack = (cell.counters.get(name, 0.0) for name in _SHARES)
    return payload, index, slack


def _in_words(cells: list[Cell]) -> Iterator[str]:
    for cell in cells:
        if BYTES in cell.counters:
            shares = ", ".join(f"{name.partition('_')[0]} {wording.figure(cell.counters.get(name))}"
                               for name in (*_SHARES, _PEAK))
            yield f"{cell.strategy} {wording.figure(cell.counters[BYTES])} ({shares})"


def _notes(run: Run, sweep: Sweep, shown: Block) -> Iterator[str]:
    if len(sweep.blocks) > 1:
        yield f"Shown is the largest block that was counted, {wording.place(sweep.axis, shown)}; the table has all."
    yield from passes.left_out(run, passes.MEMORY, sweep)
    yield from passes.limits(run, passes.MEMORY)
