"""Rows of bars below headings: what the charts with one line for each strategy of a block share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation, Transform, blended_transform_factory

from stowage_report.charts.canvas import POINTS_PER_INCH, WIDTH, add_axes, mark
from stowage_report.charts.style import ALARM, INK, MUTED
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Cell

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

    def draw(self, figure: Figure, draw_bar: Callable[[Axes, float, Cell], str],
             interval_of: Callable[[Cell], Estimate | None] = lambda cell: None) -> Axes:
        """Lets `draw_bar` draw at the given height and say the figure in words; the scale is left to the caller."""
        left, right = self._name_column(), WIDTH - self._figures
        area = (left / WIDTH, self._bottom / self.height, (right - left) / WIDTH, self._depth / self.height)
        axes = add_axes(figure, area)
        axes.set_ylim(self._depth, 0)
        axes.yaxis.set_visible(False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(length=0)
        self._draw_intervals(axes, interval_of)  # first: who draws a marker in a row draws it above
        columns = _Columns(axes)
        for start, group in self._starts:
            self._draw_group(axes, columns, start, group, draw_bar)
        return axes

    def _draw_group(self, axes: Axes, columns: _Columns, start: float, group: Group,
                    draw_bar: Callable[[Axes, float, Cell], str]) -> None:
        middle = start - _HEADER / 2
        columns.write("left edge", middle, group.heading, fontsize=10.5, fontweight="bold")
        columns.write("right edge", middle, group.remark, fontsize=9.5, color=MUTED.light)
        for index, cell in enumerate(group.cells):
            y = self._middle(start, index)
            name = _label(group, cell)
            weight = "bold" if cell.strategy in group.bold else "normal"
            columns.write("names", y, name, fontsize=8 if "\n" in name else 10, fontweight=weight)
            if cell.error:
                columns.write("figures", y, "ERROR", color=ALARM.light, fontweight="bold")
            else:
                columns.write("figures", y, draw_bar(axes, y, cell), fontsize=9.5, fontweight=weight)
            columns.cover(y, self._row, cell)

    def _draw_intervals(self, axes: Axes, interval_of: Callable[[Cell], Estimate | None]) -> None:
        """Each is a line with an end at either side, and all are one path: there are some thousand of them in a page."""
        xs, ys, nowhere, end = [], [], math.nan, _END / 2
        for start, group in self._starts:
            for index, cell in enumerate(group.cells):
                interval, y = interval_of(cell), self._middle(start, index)
                if interval and interval.has_interval:
                    low, high = interval.low, interval.high
                    xs += [low, low, nowhere, low, high, nowhere, high, high, nowhere]
                    ys += [y - end, y + end, nowhere, y, y, nowhere, y - end, y + end, nowhere]
        if xs:
            axes.add_artist(Line2D(xs, ys, color=INK.light, linewidth=1.2))

    def _middle(self, start: float, index: int) -> float:
        return start + (index + 0.5) * self._row

    def _name_column(self) -> float:
        lines = [line for _, group in self._starts for cell in group.cells for line in _label(group, cell).split("\n")]
        return 16 + max(_CHARACTER * max(map(len, lines)), _NARROWEST_NAMES)


class _Columns:
    """What stands beside the bars. All of it belongs to the figure and shares few transforms: text in axes gets a
    clipping area of its own, and there are some ten thousand texts in a page."""

    def __init__(self, axes: Axes):
        self._figure = axes.figure
        self._rows = axes.transData
        self._whole_width = blended_transform_factory(self._figure.transFigure, self._rows)
        self._places = {  # where along the width, how many points to its right, and which end of the text is there
            "left edge": (0, self._beside(self._figure.transFigure, 8), "left"),
            "names": (0, self._beside(axes.transAxes, -8), "right"),
            "figures": (1, self._beside(axes.transAxes, 8), "left"),
            "right edge": (1, self._beside(self._figure.transFigure, -8), "right"),
        }

    def write(self, place: str, y: float, text: str, **options: object) -> None:
        x, transform, end = self._places[place]
        self._figure.text(x, y, text, transform=transform, ha=end, va="center", linespacing=0.9,
                          **({"fontsize": 10} | options))

    def cover(self, y: float, height: float, cell: Cell) -> None:
        """What can be pointed at, and painted over to hide the row."""
        cover = Rectangle((0.01, y - height / 2), 0.98, height, transform=self._whole_width, facecolor="none",
                          edgecolor="none", zorder=10)
        mark(self._figure.add_artist(cover, clip=False), cell.strategy, [cell])

    def _beside(self, across: Transform, offset: float) -> Transform:
        return (blended_transform_factory(across, self._rows)
                + ScaledTranslation(offset / POINTS_PER_INCH, 0, self._figure.dpi_scale_trans))


def _label(group: Group, cell: Cell) -> str:
    return _broken(cell.strategy.removeprefix(group.family))


def _broken(name: str) -> str:
    """A variant's name over two lines where one would leave no room for the bars."""
    return name.replace(".", "\n.", 1) if len(name) > _LONGEST_LINE else name
