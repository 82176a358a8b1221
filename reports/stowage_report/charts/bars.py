"""Bars against the reference: how many times the hand-written floor each strategy takes, at each place of a sweep."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report.charts import series
from stowage_report.charts.axes import ratio_ticks, with_room
from stowage_report.charts.canvas import Canvas, Chart, file_name, headline
from stowage_report.charts.rows import Group, Rows
from stowage_report.charts.style import INK
from stowage_report.data import wording
from stowage_report.data.model import REFERENCE, Block, Cell, Run, Sweep

_ROW = 16.5  # points
_FIGURES = 120


def bars_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None where no cell has a ratio: `reference` was not measured, or failed."""
    blocks = [block for block in sweep.blocks if _has_ratios(block)]
    if not blocks:
        return None
    title = wording.title(sweep.workload, sweep.parameters)
    strategies = [name for name in sweep.strategies if name != REFERENCE]
    drawn = series.shown(strategies, blocks, series.time)
    shown = series.some_of(blocks)
    rows = Rows([_group(sweep, block, drawn) for block in shown], row=_ROW, figures=_FIGURES)

    def draw_bar(axes: Axes, y: float, cell: Cell) -> str:
        ratio = cell.ratio_to_reference
        if not ratio:
            return ""
        axes.add_artist(Rectangle((1, y - _ROW * 0.31), ratio.median - 1, _ROW * 0.62,
                                  color=canvas.looks[cell.strategy].colour.light))
        return f"{wording.times(ratio.median)} {wording.interval(ratio)}"

    def draw(figure: Figure) -> None:
        headline(figure, title, "times the reference, 95 % intervals; bold: best or tied for best")
        axes = rows.draw(figure, draw_bar, lambda cell: cell.ratio_to_reference)
        _draw_scale(axes, [cell for block in shown for cell in _cells(block, drawn)])

    return canvas.chart(
        file_name("bars", sweep.workload, wording.parameters(sweep.parameters)),
        f"Ratio to the reference of {title}",
        " ".join(_description(sweep, block, drawn) for block in shown),
        draw,
        height=rows.height,
        notes=(*_notes(sweep, blocks), *series.notes(sweep, blocks, strategies, drawn)),
    )


def _has_ratios(block: Block) -> bool:
    floor = block.cells.get(REFERENCE)
    return bool(floor and floor.ns_per_item) and any(cell.ratio_to_reference for cell in block.measured
                                                     if cell.strategy != REFERENCE)


def _cells(block: Block, drawn: list[str]) -> list[Cell]:
    return [block.cells[name] for name in drawn if name in block.cells]


def _group(sweep: Sweep, block: Block, drawn: list[str]) -> Group:
    floor = block.cells[REFERENCE].ns_per_item
    remark = f"reference: {wording.number(floor.median)} ns ({wording.interval(floor)})"
    return Group(wording.place(sweep.axis, block), remark, _cells(block, drawn), block.leaders)


def _draw_scale(axes: Axes, cells: list[Cell]) -> None:
    ratios = [cell.ratio_to_reference for cell in cells if cell.ratio_to_reference]
    low = min([1.0, *(ratio.low or ratio.median for ratio in ratios)])
    high = max([1.0, *(ratio.high or ratio.median for ratio in ratios)])
    room = max((high / low) ** 0.03, 1.01)
    axes.set_xscale("log")
    axes.set_xlim(low / room, max(high * room, low * 1.5))
    axes.xaxis.set_minor_locator(NullLocator())
    low, high = axes.get_xlim()
    ticks = with_room(sorted(ratio_ticks(low, high), key=lambda tick: abs(math.log(tick))), low, high, 0.17)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.set_xticklabels([f"{tick:g}\N{MULTIPLICATION SIGN}" for tick in ticks])
    axes.axvline(1, color=INK.light, linewidth=1.2, zorder=3)


def _description(sweep: Sweep, block: Block, drawn: list[str]) -> str:
    ratios = [
        f"{cell.strategy} {wording.times(cell.ratio_to_reference.median)} ({wording.interval(cell.ratio_to_reference)})"
        for cell in _cells(block, drawn)
        if cell.ratio_to_reference
    ]
    return f"At {wording.place(sweep.axis, block)}: {', '.join(ratios)}."


def _notes(sweep: Sweep, blocks: list[Block]) -> tuple[str, ...]:
    missing = [block for block in sweep.blocks if block not in blocks]
    if not missing:
        return ()
    return (f"No bars at {wording.places(sweep.axis, missing)}: the reference has no figure there.",)
