"""The variants of each family beside its plain form: how many times as long each of them takes."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report.charts import series
from stowage_report.charts.axes import ratio_ticks, with_room
from stowage_report.charts.canvas import Canvas, Chart, file_name, headline
from stowage_report.charts.rows import Group, Rows
from stowage_report.charts.style import INK
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate, estimate_ratio
from stowage_report.data.model import Block, Cell, Run, Sweep, family_of

_ROW = 16.5  # points
_FIGURES = 120
#: The scale shows at least what is between these ratios, so that noise does not look like a difference.
_NARROWEST = (0.8, 1.25)


def variants_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At the largest block with most of them. None where the chart of the sweep has room for all, or where no family
    has a plain form to compare with."""
    block = sweep.largest_with(lambda cell: bool(cell.ns_per_item))
    if len(sweep.strategies) <= series.READABLE or block is None:
        return None
    groups = _groups(block)
    if not groups:
        return None
    title, place = wording.title(sweep.workload, sweep.parameters), wording.place(sweep.axis, block)
    rows = Rows(groups, row=_ROW, figures=_FIGURES)
    ratios = {cell.strategy: ratio_to_plain(block, cell.strategy) for group in groups for cell in group.cells}

    def draw_row(axes: Axes, y: float, cell: Cell) -> str:
        ratio, look = ratios[cell.strategy], canvas.looks[cell.strategy]
        axes.plot([ratio.median], [y], color=look.colour.light, marker=look.marker, markersize=look.marker_size)
        return f"{wording.times(ratio.median)} {wording.interval(ratio)}"

    def draw(figure: Figure) -> None:
        headline(figure, f"{title}: variants", f"times the plain form of the family at {place}, 95 % intervals")
        _draw_scale(rows.draw(figure, draw_row, lambda cell: ratios[cell.strategy]), list(ratios.values()))

    return canvas.chart(
        file_name("variants", sweep.workload, wording.parameters(sweep.parameters)),
        f"Variants on {title}",
        f"At {place}, {' '.join(_description(group, ratios) for group in groups)}",
        draw,
        height=rows.height,
        notes=(f"Shown is {place}; the table has the others.",) * (len(sweep.blocks) > 1),
    )


def ratio_to_plain(block: Block, strategy: str) -> Estimate | None:
    """None where either has no times in this block."""
    cell, plain = block.cells.get(strategy), block.cells.get(family_of(strategy))
    if not (cell and plain and cell.samples and plain.samples):
        return None
    return estimate_ratio(cell.samples, plain.samples)


def _groups(block: Block) -> list[Group]:
    """A family each, without its plain form, which is 1 by definition."""
    members = {family: [block.cells[name] for name in names if name != family and ratio_to_plain(block, name)]
               for family, names in series.families(block.cells).items()}
    return [Group(family, "", cells, family=family) for family, cells in members.items() if cells]


def _draw_scale(axes: Axes, ratios: list[Estimate]) -> None:
    low = min([_NARROWEST[0], *((ratio.low or ratio.median) / 1.05 for ratio in ratios)])
    high = max([_NARROWEST[1], *((ratio.high or ratio.median) * 1.05 for ratio in ratios)])
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_minor_locator(NullLocator())
    ticks = with_room(sorted(ratio_ticks(low, high), key=lambda tick: abs(math.log(tick))), low, high, 0.17)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.set_xticklabels([f"{tick:g}\N{MULTIPLICATION SIGN}" for tick in ticks])
    axes.axvline(1, color=INK.light, linewidth=1.2, zorder=1)


def _description(group: Group, ratios: dict[str, Estimate]) -> str:
    told = [f"{cell.strategy} {wording.times(ratios[cell.strategy].median)} "
            f"({wording.interval(ratios[cell.strategy])})" for cell in group.cells]
    return f"beside {group.heading}: {', '.join(told)}."
