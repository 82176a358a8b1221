"""Which marker and line is whose: the same at the foot of every chart whose marks have no name beside them.

Laid out here, by the length of the names: matplotlib's own legend measures every text anew each time.
"""

from __future__ import annotations

import math
from typing import Collection, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stowage_report.charts.canvas import POINTS_PER_INCH
from stowage_report.charts.marks import mark
from stowage_report.charts.style import INK, Looks

_ROW = 17  # points
_COLUMNS = 2
_MARGIN = 8
_LINE, _MARK = 30, 14  # wide
_CHARACTER = 6.1  # of a name, at most


def legend_height(strategies: Sequence[str]) -> float:
    return math.ceil(len(strategies) / _COLUMNS) * _ROW


def draw_legend(figure: Figure, strategies: Sequence[str], looks: Looks, *, lines: bool,
                bold: Collection[str] = (), bottom: float = 0, family: str = "") -> None:
    """With its foot `bottom` points above the figure's; the variants of a `family` go without the family's name."""
    width, height = figure.get_size_inches() * POINTS_PER_INCH
    names = [strategy.removeprefix(family) for strategy in strategies]
    rows = math.ceil(len(strategies) / _COLUMNS)
    handle = _LINE if lines else _MARK
    second = _MARGIN + handle + 16 + _CHARACTER * max(map(len, names[:rows]), default=0)
    for index, (strategy, name) in enumerate(zip(strategies, names)):
        column, row = divmod(index, rows)
        left, y = _MARGIN + column * (second - _MARGIN), bottom + (rows - row - 0.5) * _ROW + 3
        look = looks[strategy]
        xs = [left, left + handle / 2, left + handle] if lines else [left + handle / 2]
        sample = figure.add_artist(Line2D(
            [x / width for x in xs], [y / height] * len(xs), color=look.colour.light, marker=look.marker,
            linestyle=look.dash if lines else "none", markevery=[len(xs) // 2], markersize=look.marker_size))
        text = figure.text((left + handle + 6) / width, y / height, name, va="center_baseline", fontsize=10.5,
                           color=INK.light, fontweight="bold" if strategy in bold else "normal")
        mark(sample, strategy)
        mark(text, strategy)
