"""Which marker and line is whose: the same at the foot of every chart whose marks have no name beside them."""

from __future__ import annotations

import math
from typing import Collection, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stowage_report.style import INK, Looks

_ROW = 17  # points
_COLUMNS = 2


def legend_height(strategies: Sequence[str]) -> float:
    return math.ceil(len(strategies) / _COLUMNS) * _ROW


def draw_legend(figure: Figure, strategies: Sequence[str], looks: Looks, *, lines: bool,
                bold: Collection[str] = (), bottom: float = 0, family: str = "") -> None:
    """With its foot at `bottom` of the figure's height; the variants of a `family` go without the family's name."""
    handles = []
    for strategy in strategies:
        look = looks[strategy]
        handles.append(Line2D([], [], color=look.colour.light, marker=look.marker, markersize=look.marker_size,
                              linestyle=look.dash if lines else "none"))
    names = [strategy.removeprefix(family) for strategy in strategies]
    legend = figure.legend(handles, names, loc="lower left", bbox_to_anchor=(0, bottom), ncol=_COLUMNS, frameon=False,
                           handlelength=2.8 if lines else 1.4, columnspacing=1.2, labelspacing=0.35,
                           borderaxespad=0.3, labelcolor=INK.light)
    for text in legend.get_texts():
        if text.get_text() in bold:
            text.set_fontweight("bold")
