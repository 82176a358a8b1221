"""Rows of bars below headings: what the charts with one line for each strategy of a block share.

There are some thousand rows in a page, so they are drawn in points from the upper left corner, without the axes of
matplotlib: these take longer than all that is drawn in them.
"""

import math
from dataclasses import dataclass, field
from typing import Callable, Iterable, Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D

from stowage_report.charts.axes import ratio_ticks, with_room
from stowage_report.charts.canvas import POINTS_PER_INCH, WIDTH, Canvas, Chart, headline, mark
from stowage_report.charts.style import ALARM, GRID, INK, MUTED
from stowage_report.data.estimates import Estimate
from stowage_report.data.metrics import plain
from stowage_report.data.model import Cell

_TOP = 44  # points
_BOTTOM = 26
_HEADER = 24
_GAP = 7  # between groups
_CHARACTER = 6.2  # of a strategy's name, at most
_LONGEST_LINE = 28
_END = 6  # of an interval, high
_NARROWEST_NAMES = 80  # the headings stand in this column too
_BASELINE = 0.36  # of the size of a font, below the middle of its line


@dataclass(frozen=True)
class Group:
    """The rows of one block, and what is to be known of all of them."""

    heading: str
    remark: str
    cells: list[Cell]
    bold: list[str] = field(default_factory=list)  # strategies
    family: str = ""  # that the heading names, so that the rows need not


@dataclass(frozen=True)
class Ruler:
    """Where values stand along the bars."""

    low: float
    high: float
    ticks: Sequence[float]
    label: Callable[[float], str]
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Of the width, from the left."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def amounts(most: float) -> Ruler:
    """From 0 on."""
    high = most * 1.03 or 1
    ticks = [tick for tick in MaxNLocator(nbins=5, steps=(1, 2, 2.5, 5, 10)).tick_values(0, high) if tick <= high]
    return Ruler(0, high, ticks, plain)


def ratios(low: float, high: float) -> Ruler:
    ticks = with_room(sorted(ratio_ticks(low, high), key=lambda tick: abs(math.log(tick))), low, high, 0.17)
    return Ruler(low, high, ticks, lambda tick: f"{tick:g}\N{MULTIPLICATION SIGN}", logarithmic=True)


class Plot:
    """Lengths in points from the upper left corner of the figure, and values along a ruler."""

    def __init__(self, figure: Figure, ruler: Ruler, left: float, right: float, top: float, bottom: float):
        _, height = figure.get_size_inches()
        self._figure, self.ruler = figure, ruler
        self._left, self._width, self._top, self._bottom = left, right - left, top, bottom
        self._points = (Affine2D().scale(1 / POINTS_PER_INCH, -1 / POINTS_PER_INCH).translate(0, height)
                        + figure.dpi_scale_trans)

    def x(self, value: float) -> float:
        return self._left + self._width * self.ruler.share(value)

    def add(self, artist: Artist) -> Artist:
        artist.set_transform(self._points)
        return self._figure.add_artist(artist, clip=False)

    def bar(self, y: float, start: float, end: float, height: float, **look: object) -> None:
        self.add(Rectangle((self.x(start), y - height / 2), self.x(end) - self.x(start), height, **look))

    def marker(self, value: float, y: float, **look: object) -> None:
        self.add(Line2D([self.x(value)], [y], linestyle="none", **look))

    def upright(self, value: float, top: float, bottom: float, **look: object) -> None:
        self.add(Line2D([self.x(value)] * 2, [top, bottom], **look))

    def draw_scale(self) -> None:
        for tick in self.ruler.ticks:
            self.upright(tick, self._top, self._bottom, color=GRID.light, linewidth=0.8, zorder=0)
            self.write(self.x(tick), self._bottom + 12, self.ruler.label(tick), "center", 10.5)

    def write(self, x: float, y: float, text: str, side: str = "left", size: float = 10, **look: object) -> None:
        """With the middle of its line at `y`."""
        self._figure.text(x, y + _BASELINE * size, text, transform=self._points, ha=side, fontsize=size, **look)


class Rows:
    """Where everything stands: names at the left, bars between, the figures that they draw at the right."""

    def __init__(self, groups: list[Group], *, row: float, figures: float, footer: float = 0):
        """In points: the height of a row, the width of the figures, and what is free below the scale."""
        self._row = row
        self._right = WIDTH - figures
        lines = [line for group in groups for cell in group.cells for line in _label(group, cell)]
        self._left = 16 + max(_CHARACTER * max(map(len, lines)), _NARROWEST_NAMES)
        self._starts: list[tuple[float, Group]] = []  # of a group's rows; its heading stands above
        y = _TOP
        for group in groups:
            self._starts.append((y + _HEADER, group))
            y += _HEADER + len(group.cells) * row + _GAP
        self._end = y - _GAP
        self.height = self._end + _BOTTOM + footer

    def extent_of(self, group: Group) -> tuple[float, float]:
        """Of its rows, from the upper edge of the first to the lower edge of the last."""
        return next((y, y + len(group.cells) * self._row) for y, other in self._starts if other is group)

    def chart(self, canvas: Canvas, name: str, called: str, title: str, subtitle: str, description: str, ruler: Ruler,
              draw_row: Callable[[Plot, float, Cell], str], *,
              interval_of: Callable[[Cell], Estimate | None] = lambda cell: None,
              beside: Callable[[Figure, Plot], None] = lambda figure, plot: None, notes: Iterable[str] = ()) -> Chart:
        """`title` stands above the rows; by `called` the page and its readers know the chart. `draw_row` draws at the given
        height and says the figure in words; `beside` draws what else there is."""
        def draw(figure: Figure) -> None:
            headline(figure, title, subtitle)
            plot = Plot(figure, ruler, self._left, self._right, _TOP, self._end)
            plot.draw_scale()
            if ruler.logarithmic and ruler.low <= 1 <= ruler.high:
                plot.upright(1, _TOP, self._end, color=INK.light, linewidth=1.2)
            for start, group in self._starts:
                plot.write(8, start - _HEADER / 2, group.heading, size=10.5, fontweight="bold")
                plot.write(WIDTH - 8, start - _HEADER / 2, group.remark, "right", 9.5, color=MUTED.light)
                for index, cell in enumerate(group.cells):
                    self._draw_row(plot, start + (index + 0.5) * self._row, group, cell, draw_row)
            self._draw_intervals(plot, interval_of)
            beside(figure, plot)

        return canvas.chart(name, called, description, draw, height=self.height, notes=tuple(notes))

    def _draw_row(self, plot: Plot, y: float, group: Group, cell: Cell,
                  draw_row: Callable[[Plot, float, Cell], str]) -> None:
        weight = "bold" if cell.strategy in group.bold else "normal"
        name, *variant = _label(group, cell)
        for place, line in enumerate((name, *variant)):
            shift = 4.5 * (2 * place - 1) if variant else 0
            plot.write(self._left - 8, y + shift, line, "right", 8 if variant else 10, fontweight=weight)
        if cell.error:
            plot.write(self._right + 8, y, "ERROR", color=ALARM.light, fontweight="bold")
        else:
            lines = draw_row(plot, y, cell).split("\n")
            for place, line in enumerate(lines):
                shift = 11 * (place - (len(lines) - 1) / 2)
                plot.write(self._right + 8, y + shift, line, size=9.5, fontweight=weight)
        cover = Rectangle((4, y - self._row / 2), WIDTH - 8, self._row, facecolor="none", edgecolor="none",
                          zorder=10)
        mark(plot.add(cover), cell.strategy, [cell])  # what can be pointed at, and painted over to hide the row

    def _draw_intervals(self, plot: Plot, interval_of: Callable[[Cell], Estimate | None]) -> None:
        """Each is a line with an end at either side. All are one path: there are some thousand of them in a page."""
        xs, ys, nowhere, end = [], [], math.nan, _END / 2
        for start, group in self._starts:
            for index, cell in enumerate(group.cells):
                interval, y = interval_of(cell), start + (index + 0.5) * self._row
                if interval and interval.has_interval:
                    low, high = plot.x(interval.low), plot.x(interval.high)
                    xs += [low, low, nowhere, low, high, nowhere, high, high, nowhere]
                    ys += [y - end, y + end, nowhere, y, y, nowhere, y - end, y + end, nowhere]
        if xs:
            plot.add(Line2D(xs, ys, color=INK.light, linewidth=1.2, zorder=1.5))  # between bars and markers


def _label(group: Group, cell: Cell) -> list[str]:
    """A variant's name in two lines if one would leave no room for the bars."""
    name = cell.strategy.removeprefix(group.family)
    family, dot, variant = name.partition(".")
    return [family, dot + variant] if variant and family and len(name) > _LONGEST_LINE else [name]
