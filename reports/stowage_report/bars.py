"""Bars against the reference: how many times the hand-written floor each strategy takes, at each size."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report import wording
from stowage_report.canvas import Canvas, Chart, file_name, headline
from stowage_report.model import REFERENCE, Block, Cell, Sweep
from stowage_report.rows import Group, Rows
from stowage_report.style import INK
from stowage_report.ticks import decade_ticks, with_room

_ROW = 16.5  # points
_FIGURES = 120


def bars_chart(canvas: Canvas, sweep: Sweep) -> Chart | None:
    """None where no cell has a ratio: `reference` was not measured, or failed."""
    blocks = [block for block in sweep.blocks if _has_ratios(block)]
    if not blocks:
        return None
    title = wording.sweep_title(sweep.workload, sweep.parameters)
    rows = Rows([_group(block) for block in blocks], row=_ROW, figures=_FIGURES)

    def draw_bar(axes: Axes, y: float, cell: Cell) -> str:
        ratio = cell.ratio_to_reference
        if not ratio:
            return ""
        axes.barh(y, ratio.median - 1, left=1, height=_ROW * 0.62, color=canvas.looks[cell.strategy].colour.light)
        if ratio.has_interval:
            axes.plot([ratio.low, ratio.high], [y, y], color=INK.light, linewidth=1.2, marker="|", markersize=6,
                      markeredgewidth=1.2, solid_capstyle="butt")
        return f"{wording.times(ratio.median)} {wording.interval(ratio)}"

    def draw(figure: Figure) -> None:
        headline(figure, title, "times the reference, 95 % intervals; bold: best or tied for best")
        _draw_scale(rows.draw(figure, draw_bar), blocks)

    return canvas.chart(
        file_name("bars", sweep.workload, wording.parameters(sweep.parameters)),
        f"Ratio to the reference of {title}",
        " ".join(_description(block) for block in blocks),
        draw,
        height=rows.height,
        notes=_notes(sweep, blocks),
    )


def _has_ratios(block: Block) -> bool:
    floor = block.cells.get(REFERENCE)
    return bool(floor and floor.ns_per_item) and any(cell.ratio_to_reference for cell in _strategies(block))


def _strategies(block: Block) -> list[Cell]:
    return [cell for cell in block.cells.values() if cell.strategy != REFERENCE]


def _group(block: Block) -> Group:
    floor = block.cells[REFERENCE].ns_per_item
    remark = f"reference: {wording.number(floor.median)} ns ({wording.interval(floor)})"
    return Group(wording.size_title(block.entities), remark, _strategies(block), block.leaders)


def _draw_scale(axes: Axes, blocks: list[Block]) -> None:
    ratios = [cell.ratio_to_reference for block in blocks for cell in _strategies(block) if cell.ratio_to_reference]
    low = min([1.0, *(ratio.low or ratio.median for ratio in ratios)])
    high = max([1.0, *(ratio.high or ratio.median for ratio in ratios)])
    room = max((high / low) ** 0.03, 1.01)
    axes.set_xscale("log")
    axes.set_xlim(low / room, max(high * room, low * 1.5))
    axes.xaxis.set_minor_locator(NullLocator())
    low, high = axes.get_xlim()
    from_one = sorted([1.0, *decade_ticks(low, high)], key=lambda tick: abs(math.log(tick)))
    ticks = with_room(from_one, low, high, 0.17)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.set_xticklabels([f"{tick:g}\N{MULTIPLICATION SIGN}" for tick in ticks])
    axes.axvline(1, color=INK.light, linewidth=1.2, zorder=3)


def _description(block: Block) -> str:
    ratios = [
        f"{cell.strategy} {wording.times(cell.ratio_to_reference.median)} ({wording.interval(cell.ratio_to_reference)})"
        for cell in _strategies(block)
        if cell.ratio_to_reference
    ]
    return f"At {wording.size_title(block.entities)}: {', '.join(ratios)}."


def _notes(sweep: Sweep, blocks: list[Block]) -> tuple[str, ...]:
    missing = [wording.entities(block.entities) for block in sweep.blocks if block not in blocks]
    if not missing:
        return ()
    return (f"No bars at {wording.listing(missing)}: the reference has no figure there.",)
