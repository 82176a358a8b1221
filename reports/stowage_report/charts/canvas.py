"""The canvas: draws a figure and returns it as a Chart for the page, and if asked also saves it as SVG and PNG.

Equal input gives equal bytes: no dates, no random ids. `mark` records which strategy an artist belongs to, so that the
page can hide a series and show the figures of a point. A Finding is a section of the page made of charts and tables.
"""

import math
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Collection, Mapping, Sequence

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stowage_report.charts.style import INK, MATPLOTLIB_SETTINGS, MUTED, Looks
from stowage_report.charts.svg import PageRenderer
from stowage_report.data import wording
from stowage_report.data.model import Cell, Sweep

matplotlib.use("agg")
warnings.filterwarnings("ignore", "Glyph ")  # which would have the glyph as it is, on the terminal

POINTS_PER_INCH = 72
_PNG_SCALE = 2  # pixels per point


def mark(artist: Artist, strategy: str, cells: Sequence[Cell] = ()) -> None:
    """`cells` are of each marker its own, or one for all that is drawn; none for a legend."""
    artist.set_gid(" ".join((strategy, *(cell.name for cell in cells))))


#: One width for all charts that share a row, so that on a phone text of 11 points is still read without zooming.
WIDTH = 440


@dataclass(frozen=True)
class Chart:
    name: str  # of files with it, without the suffix
    title: str
    description: str  # for readers who cannot see it
    notes: tuple[str, ...]  # what is missing from it, and why
    width: float  # points
    height: float
    svg: str  # its elements, for InlineCharts


def file_name(*parts: str) -> str:
    """A name that every file system takes: `scaling-join-order-same`."""
    return "-".join(filter(None, (re.sub(r"[^A-Za-z0-9_.]+", "-", part).strip("-") for part in parts)))


def chart_name(kind: str, sweep: Sweep) -> str:
    return file_name(kind, sweep.workload, wording.parameters(sweep.parameters))


class Canvas:
    """Keeps one figure for all charts: making a new one costs more than drawing most of them."""

    def __init__(self, output: Path | None, folder: str, looks: Looks):
        """Without an output no files are saved."""
        self.looks = looks
        self._directory = output / folder if output else None
        if self._directory:
            self._directory.mkdir(parents=True, exist_ok=True)
        matplotlib.rcParams.update(matplotlib.rcParamsDefault)
        matplotlib.rcParams.update(MATPLOTLIB_SETTINGS)
        self._figure = Figure(dpi=POINTS_PER_INCH)
        self._renderer = PageRenderer()

    def chart(self, name: str, title: str, description: str, draw: Callable[[Figure], None], *, height: float,
              width: float = WIDTH, notes: tuple[str, ...] = ()) -> Chart:
        """Lets `draw` fill an empty figure of `width` x `height` points."""
        for axes in list(self._figure.axes):
            self._figure.delaxes(axes)  # or they would all be cleared first, which takes as long as making new ones
        self._figure.clear()
        self._figure.set_size_inches(width / POINTS_PER_INCH, height / POINTS_PER_INCH)
        draw(self._figure)
        self._figure.patch.set_visible(False)  # the page has its own paper
        self._renderer.begin(width, height)
        self._figure.draw(self._renderer)
        if self._directory:
            self._save(self._directory / name, f"{title}: {description}")
        return Chart(name, title, description, notes, width, height, self._renderer.picture())

    def _save(self, path: Path, title: str) -> None:
        for artist in self._figure.findobj():
            artist.set_gid(None)  # marks are for the page; ids in a file have to be unique
        self._figure.patch.set_visible(True)
        self._figure.savefig(f"{path}.svg", metadata={"Date": None, "Creator": None, "Title": title})
        self._figure.savefig(f"{path}.png", dpi=POINTS_PER_INCH * _PNG_SCALE, metadata={"Software": None})


def add_axes(figure: Figure, left: float, top: float, width: float, height: float, label: float = 0,
             **options: object) -> Axes:
    """In points from the upper left corner. The label of the horizontal axis stands `label` points above its foot: to
    find the place itself, matplotlib measures all tick labels again whenever it draws."""
    wide, high = figure.get_size_inches() * POINTS_PER_INCH
    axes = figure.add_axes((left / wide, 1 - (top + height) / high, width / wide, height / high), **options)
    axes.xaxis.set_label_coords(0.5, label / height)
    axes.yaxis.set_label_coords(0, 0.5)
    return axes


@dataclass(frozen=True)
class Panels:
    """Of a chart with panels below each other, in points: above the first, what a panel and the space below it take."""

    plot: float
    top: float = 44
    gap: float = 22
    foot: float = 24


#: Above a panel that has a name, and beside all of them.
_NAME, _LEFT, _RIGHT = 22, 52, 14


def panels_chart(canvas: Canvas, name: str, title: str, subtitle: str, description: str,
                 panels: Mapping[str, Callable[[Axes], None]], size: Panels, drawn: Sequence[str] = (), *,
                 bold: Collection[str] = (), lines: bool = True, notes: tuple[str, ...] = ()) -> Chart:
    """Each panel is drawn below its name; the last alone has a label of the axis. `drawn` are named in the legend."""
    above = _NAME if any(panels) else 0
    step = above + size.plot + size.gap
    height = size.top + len(panels) * step + size.foot + legend_height(drawn)

    def draw(figure: Figure) -> None:
        headline(figure, title, subtitle)
        for place, (called, draw_panel) in enumerate(panels.items(), 1):
            top = size.top + (place - 1) * step + above
            axes = add_axes(figure, _LEFT, top, WIDTH - _LEFT - _RIGHT, size.plot, label=-24)
            if called:
                axes.set_title(called, fontsize=10.5, pad=5)
            draw_panel(axes)
            if place < len(panels):
                axes.set_xlabel("")
        draw_legend(figure, drawn, canvas.looks, lines=lines, bold=bold)

    return canvas.chart(name, title, description, draw, height=height, notes=notes)


def headline(figure: Figure, title: str, subtitle: str) -> None:
    """At the top left of the figure, where it cannot collide with what is drawn."""
    width, height = figure.get_size_inches() * POINTS_PER_INCH
    figure.text(8 / width, 1 - 18 / height, title, fontsize=12, fontweight="bold", color=INK.light)
    figure.text(8 / width, 1 - 34 / height, subtitle, fontsize=10, color=MUTED.light)


_ROW = 17  # points
_COLUMNS = 2
_MARGIN = 8
_LINE, _MARK = 30, 14  # wide
_CHARACTER = 6.1  # of a name, at most


def legend_height(strategies: Sequence[str]) -> float:
    return math.ceil(len(strategies) / _COLUMNS) * _ROW


def draw_legend(figure: Figure, strategies: Sequence[str], looks: Looks, *, lines: bool,
                bold: Collection[str] = ()) -> None:
    width, height = figure.get_size_inches() * POINTS_PER_INCH
    rows = math.ceil(len(strategies) / _COLUMNS)
    handle = _LINE if lines else _MARK
    second = _MARGIN + handle + 16 + _CHARACTER * max(map(len, strategies[:rows]), default=0)
    for index, strategy in enumerate(strategies):
        column, row = divmod(index, rows)
        left, y = _MARGIN + column * (second - _MARGIN), (rows - row - 0.5) * _ROW + 3
        look = looks[strategy]
        xs = [left, left + handle / 2, left + handle] if lines else [left + handle / 2]
        sample = figure.add_artist(Line2D(
            [x / width for x in xs], [y / height] * len(xs), color=look.colour.light, marker=look.marker,
            linestyle=look.dash if lines else "none", markevery=[len(xs) // 2], markersize=look.marker_size))
        text = figure.text((left + handle + 6) / width, y / height, strategy, va="center_baseline", fontsize=10.5,
                           color=INK.light, fontweight="bold" if strategy in bold else "normal")
        mark(sample, strategy)
        mark(text, strategy)


def foot_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """In one line at the foot of the figure, of what carries its own label."""
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 0), ncol=len(handles), frameon=False,
                  fontsize=9.5, handlelength=1.6, columnspacing=1.2, borderaxespad=0.3, labelcolor=INK.light)


@dataclass(frozen=True)
class FindingTable:
    caption: str
    head: list[str]
    rows: list[list[str]]  # the first of each names its row


@dataclass(frozen=True)
class Finding:
    anchor: str
    title: str
    prose: str  # what is shown, and what follows from it here
    charts: list[Chart]
    tables: list[FindingTable]
    workloads: tuple[str, ...]  # it is made of their cells
    command: str = ""  # that measures it again, if it is not `run`
