"""Bars against the reference: how many times the hand-written floor each strategy takes, at each size."""

from __future__ import annotations

import math
from typing import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report import wording
from stowage_report.canvas import WIDTH, Canvas, Chart, file_name, headline
from stowage_report.model import REFERENCE, Block, Cell, Sweep
from stowage_report.style import ALARM, INK, MUTED, look_of
from stowage_report.ticks import decade_ticks, with_room

_TOP = 44  # points
_BOTTOM = 26
_ROW = 16.5
_HEADER = 24
_GAP = 7  # between the sizes
_FIGURES = 104  # the column of ratios at the right
_CHARACTER = 6.2  # of a strategy's name, at most
_LONGEST_LINE = 28
_NARROWEST_NAMES = 80  # the sizes stand in this column too


def bars_chart(canvas: Canvas, sweep: Sweep) -> Chart | None:
    """None where no cell has a ratio: `reference` was not measured, or failed."""
    blocks = [block for block in sweep.blocks if _has_ratios(block)]
    if not blocks:
        return None
    title = wording.sweep_title(sweep.workload, sweep.parameters)
    rows = list(_rows(blocks))
    depth = rows[-1].y + _ROW / 2
    height = _TOP + depth + _BOTTOM

    def draw(figure: Figure) -> None:
        headline(figure, title, "times the reference, 95 % intervals; bold: best or tied for best")
        left, right = _name_column(sweep), WIDTH - _FIGURES
        axes = figure.add_axes((left / WIDTH, _BOTTOM / height, (right - left) / WIDTH, depth / height))
        axes.set_ylim(depth, 0)
        _draw_scale(axes, blocks)
        for row in rows:
            row.draw(axes)

    return canvas.chart(
        file_name("bars", sweep.workload, wording.parameters(sweep.parameters)),
        f"Ratio to the reference of {title}",
        " ".join(_description(block) for block in blocks),
        draw,
        height=height,
        notes=_notes(sweep, blocks),
    )


def _has_ratios(block: Block) -> bool:
    floor = block.cells.get(REFERENCE)
    return bool(floor and floor.ns_per_item) and any(cell.ratio_to_reference for cell in _strategies(block))


def _strategies(block: Block) -> list[Cell]:
    return [cell for cell in block.cells.values() if cell.strategy != REFERENCE]


class _HeaderRow:
    """Which size the rows below belong to, and what 1 means there."""

    def __init__(self, y: float, block: Block):
        self.y = y
        self._block = block

    def draw(self, axes: Axes) -> None:
        floor = self._block.cells[REFERENCE].ns_per_item
        text = f"{wording.entities(self._block.entities)} entities"
        axes.annotate(text, (0, self.y), xycoords=("figure fraction", "data"), xytext=(8, 0),
                      textcoords="offset points", va="center", fontsize=10.5, fontweight="bold")
        axes.annotate(f"reference: {wording.number(floor.median)} ns ({wording.interval(floor)})", (1, self.y),
                      xycoords=("figure fraction", "data"), xytext=(-8, 0), textcoords="offset points", ha="right",
                      va="center", fontsize=9.5, color=MUTED.light)


class _CellRow:
    def __init__(self, y: float, cell: Cell, leads: bool):
        self.y = y
        self._cell = cell
        self._weight = "bold" if leads else "normal"

    def draw(self, axes: Axes) -> None:
        name = _broken(self._cell.strategy)
        self._write(axes, 0, -8, name, ha="right", fontsize=8 if "\n" in name else 10)
        if self._cell.error:
            self._write(axes, 1, 8, "ERROR", color=ALARM.light, fontweight="bold")
        elif self._cell.ratio_to_reference:
            self._draw_bar(axes)

    def _draw_bar(self, axes: Axes) -> None:
        ratio = self._cell.ratio_to_reference
        axes.barh(self.y, ratio.median - 1, left=1, height=_ROW * 0.62, color=look_of(self._cell.strategy).colour.light)
        self._write(axes, 1, 8, f"{wording.times(ratio.median)} {wording.interval(ratio)}", fontsize=9.5)
        if ratio.has_interval:
            axes.plot([ratio.low, ratio.high], [self.y, self.y], color=INK.light, linewidth=1.2, marker="|",
                      markersize=6, markeredgewidth=1.2, solid_capstyle="butt")

    def _write(self, axes: Axes, x: float, offset: float, text: str, **options: object) -> None:
        """Beside the bars: at `x` of the axes' width."""
        options = {"fontsize": 10, "fontweight": self._weight, "va": "center", "linespacing": 0.9} | options
        axes.annotate(text, (x, self.y), xycoords=("axes fraction", "data"), xytext=(offset, 0),
                      textcoords="offset points", **options)


def _rows(blocks: list[Block]) -> Iterator[_HeaderRow | _CellRow]:
    y = 0.0
    for block in blocks:
        yield _HeaderRow(y + _HEADER / 2, block)
        y += _HEADER + _ROW / 2
        for cell in _strategies(block):
            yield _CellRow(y, cell, cell.strategy in block.leaders)
            y += _ROW
        y += _GAP - _ROW / 2


def _name_column(sweep: Sweep) -> float:
    lines = [line for name in sweep.strategies for line in _broken(name).split("\n")]
    return 16 + max(_CHARACTER * max(map(len, lines)), _NARROWEST_NAMES)


def _broken(name: str) -> str:
    """A variant's name over two lines where one would leave no room for the bars."""
    return name.replace(".", "\n.", 1) if len(name) > _LONGEST_LINE else name


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
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    axes.axvline(1, color=INK.light, linewidth=1.2, zorder=3)


def _description(block: Block) -> str:
    ratios = [
        f"{cell.strategy} {wording.times(cell.ratio_to_reference.median)} ({wording.interval(cell.ratio_to_reference)})"
        for cell in _strategies(block)
        if cell.ratio_to_reference
    ]
    return f"At {wording.entities(block.entities)} entities: {', '.join(ratios)}."


def _notes(sweep: Sweep, blocks: list[Block]) -> tuple[str, ...]:
    missing = [wording.entities(block.entities) for block in sweep.blocks if block not in blocks]
    if not missing:
        return ()
    return (f"No bars at {wording.listing(missing)}: the reference has no figure there.",)
