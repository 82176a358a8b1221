"""Rows of bars below headings: what the charts with one line for each strategy of a block share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from stowage_report.canvas import POINTS_PER_INCH, WIDTH, add_axes
from stowage_report.estimates import Estimate
from stowage_report.marks import mark
from stowage_report.model import Cell
from stowage_report.style import ALARM, INK, MUTED

_TOP = 44  # points
_BOTTOM = 26
_HEADER = 24
_GAP = 7  # between groups
_CHARACTER = 6.2  # of a strategy's name, at most
_LONGEST_LINE = 28
_END = 6  # of an interval, high
_NARROWEST_NAMES = 80  # the headings stand in this column too


@dataclass(frozen=True)
class Group:
    """The rows of one block, and what is to be known of all of them."""

    heading: str
    remark: str
    cells: list[Cell]
    bold: list[str] = field(default_factory=list)  # strategies
    family: str = ""  # that the heading names, so that the rows need not


class Rows:
    """Where everything stands: names at the left, bars between, the figures that they draw at the right."""

    def __init__(self, groups: list[Group], *, row: float, figures: float, footer: float = 0):
        """In points: the height of a row, the width of the figures, and what is free below the scale."""
        self._row = row
        self._figures = figures
        self._bottom = _BOTTOM + footer
        self._starts: list[tuple[float, Group]] = []  # of a group's rows; its heading stands above
        y = 0.0
        for group in groups:
            self._starts.append((y + _HEADER, group))
            y += _HEADER + len(group.cells) * row + _GAP
        self._depth = y - _GAP

    @property
    def height(self) -> float:
        return _TOP + self._depth + self._bottom

    def extent_of(self, group: Group) -> tuple[float, float]:
        """Of its rows, from the upper edge of the first to the lower edge of the last."""
        return next((y, y + len(group.cells) * self._row) for y, other in self._starts if other is group)

    def draw(self, figure: Figure, draw_bar: Callable[[Axes, float, Cell], str]) -> Axes:
        """Lets `draw_bar` draw at the given height and say the figure in words; the scale is left to the caller."""
        left, right = self._name_column(), WIDTH - self._figures
        area = (left / WIDTH, self._bottom / self.height, (right - left) / WIDTH, self._depth / self.height)
        axes = add_axes(figure, area)
        axes.set_ylim(self._depth, 0)
        axes.set_yticks([])
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(length=0)
        for start, group in self._starts:
            self._draw_group(axes, start, group, draw_bar)
        return axes

    def _draw_group(self, axes: Axes, start: float, group: Group, draw_bar: Callable[[Axes, float, Cell], str]) -> None:
        middle = start - _HEADER / 2
        _write(axes, "figure", 0, middle, 8, group.heading, fontsize=10.5, fontweight="bold")
        _write(axes, "figure", 1, middle, -8, group.remark, ha="right", fontsize=9.5, color=MUTED.light)
        for index, cell in enumerate(group.cells):
            y = start + (index + 0.5) * self._row
            name = _label(group, cell)
            weight = "bold" if cell.strategy in group.bold else "normal"
            _write(axes, "axes", 0, y, -8, name, ha="right", fontsize=8 if "\n" in name else 10, fontweight=weight)
            if cell.error:
                _write(axes, "axes", 1, y, 8, "ERROR", color=ALARM.light, fontweight="bold")
            else:
                _write(axes, "axes", 1, y, 8, draw_bar(axes, y, cell), fontsize=9.5, fontweight=weight)
            self._cover(axes, y, cell)

    def _cover(self, axes: Axes, y: float, cell: Cell) -> None:
        """What can be pointed at, and painted over to hide the row."""
        across = blended_transform_factory(axes.figure.transFigure, axes.transData)
        cover = Rectangle((0.01, y - self._row / 2), 0.98, self._row, transform=across, facecolor="none",
                          edgecolor="none", clip_on=False, zorder=10)
        mark(axes.add_artist(cover), cell.strategy, [cell])

    def _name_column(self) -> float:
        lines = [line for _, group in self._starts for cell in group.cells for line in _label(group, cell).split("\n")]
        return 16 + max(_CHARACTER * max(map(len, lines)), _NARROWEST_NAMES)


def draw_interval(axes: Axes, y: float, estimate: Estimate) -> None:
    """A line with an end at either side, as one path: there are some thousand of them in a page."""
    if not estimate.has_interval:
        return
    low, high, nowhere, end = estimate.low, estimate.high, math.nan, _END / 2
    axes.add_artist(Line2D([low, low, nowhere, low, high, nowhere, high, high],
                           [y - end, y + end, nowhere, y, y, nowhere, y - end, y + end], color=INK.light, linewidth=1.2))


def _write(axes: Axes, area: str, x: float, y: float, offset: float, text: str, **options: object) -> None:
    """At `x` of the area's width, `offset` points beside it."""
    across = axes.figure.transFigure if area == "figure" else axes.transAxes
    beside = ScaledTranslation(offset / POINTS_PER_INCH, 0, axes.figure.dpi_scale_trans)
    axes.text(x, y, text, transform=blended_transform_factory(across, axes.transData) + beside, va="center",
              linespacing=0.9, **({"fontsize": 10} | options))


def _label(group: Group, cell: Cell) -> str:
    return _broken(cell.strategy.removeprefix(group.family))


def _broken(name: str) -> str:
    """A variant's name over two lines where one would leave no room for the bars."""
    return name.replace(".", "\n.", 1) if len(name) > _LONGEST_LINE else name
