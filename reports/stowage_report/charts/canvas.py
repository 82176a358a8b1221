"""Draws charts for the page and, if asked, saves each as SVG and as PNG. Equal input gives equal bytes: no dates, no
random ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import matplotlib

matplotlib.use("agg")

from matplotlib.axes import Axes  # noqa: E402: the backend has to be chosen first
from matplotlib.figure import Figure  # noqa: E402

from stowage_report.charts import style  # noqa: E402
from stowage_report.charts.compact_svg import CompactSvg, compact  # noqa: E402
from stowage_report.charts.marks import PREFIX, Mark, MarkedFigure  # noqa: E402
from stowage_report.charts.two_pictures import POINTS_PER_INCH, svg_picture, two_pictures  # noqa: E402

#: One width for all charts that share a row, so that on a phone text of 11 points is still read without zooming.
WIDTH = 440


@dataclass(frozen=True)
class Chart:
    name: str  # of files with it, without the suffix
    title: str
    description: str  # what a reader who cannot see it should hear
    notes: tuple[str, ...]  # what is missing from it, and why
    picture: CompactSvg  # for the page; in it `data-m` says the place in `marks` of what is marked
    marks: tuple[Mark, ...] = ()

    @property
    def svg(self) -> str:
        """Its elements, before those that it may share with others."""
        return self.picture.body + "".join(self.picture.shared.values())


def file_name(*parts: str) -> str:
    """A name that every file system takes: `scaling-join-order-same`."""
    return "-".join(filter(None, (re.sub(r"[^A-Za-z0-9_.]+", "-", part).strip("-") for part in parts)))


class Canvas:
    """Keeps one figure for all charts: making a new one costs more than drawing most of them."""

    def __init__(self, output: Path | None, folder: str, looks: style.Looks):
        """Without an output no files are saved."""
        self.looks = looks
        self._directory = output / folder if output else None
        if self._directory:
            self._directory.mkdir(parents=True, exist_ok=True)
        matplotlib.rcParams.update(matplotlib.rcParamsDefault)
        matplotlib.rcParams.update(style.MATPLOTLIB_SETTINGS)
        self._figure = MarkedFigure(dpi=POINTS_PER_INCH)

    def chart(
        self,
        name: str,
        title: str,
        description: str,
        draw: Callable[[Figure], None],
        *,
        height: float,
        width: float = WIDTH,
        notes: tuple[str, ...] = (),
    ) -> Chart:
        """Lets `draw` fill an empty figure of `width` x `height` points."""
        for axes in list(self._figure.axes):
            self._figure.delaxes(axes)  # or they would all be cleared first, which takes as long as making new ones
        self._figure.clear()
        self._figure.set_size_inches(width / POINTS_PER_INCH, height / POINTS_PER_INCH)
        draw(self._figure)
        metadata = {"Date": None, "Creator": None, "Title": f"{title}: {description}"}
        if self._directory:
            svg, png = two_pictures(self._figure, metadata)
            (self._directory / f"{name}.svg").write_text(svg, encoding="utf-8")
            (self._directory / f"{name}.png").write_bytes(png)
        else:
            svg = svg_picture(self._figure, metadata)
        marks = tuple(self._figure.marks)
        names = {f"{PREFIX}{place}": f'data-m="{place}"' for place in range(len(marks))}
        return Chart(name, title, description, notes, compact(svg, names), marks)


def plot_area(figure: Figure, top: float, height: float, left: float = 52, right: float = 14) -> Axes:
    """Axes whose upper edge is `top` points below the figure's, with that much room at either side."""
    whole_width, whole_height = figure.get_size_inches() * POINTS_PER_INCH
    return add_axes(figure, (left / whole_width, 1 - (top + height) / whole_height,
                             (whole_width - left - right) / whole_width, height / whole_height), label=-20 / height)


def add_axes(figure: Figure, area: tuple[float, float, float, float], label: float = 0, **options: object) -> Axes:
    """The label of the horizontal axis stands at `label` of its height: to find the place itself, matplotlib measures
    all tick labels again whenever it draws."""
    axes = figure.add_axes(area, **options)
    axes.xaxis.set_label_coords(0.5, label)
    axes.yaxis.set_label_coords(0, 0.5)
    return axes


def headline(figure: Figure, title: str, subtitle: str) -> None:
    """At the top left of the figure, where it cannot collide with what is drawn."""
    width, height = figure.get_size_inches() * POINTS_PER_INCH
    figure.text(8 / width, 1 - 18 / height, title, fontsize=12, fontweight="bold", color=style.INK.light)
    figure.text(8 / width, 1 - 34 / height, subtitle, fontsize=10, color=style.MUTED.light)
