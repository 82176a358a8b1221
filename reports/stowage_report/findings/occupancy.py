"""Occupancy: which strategy is best when only a share of the entities has the components, and where leaders change."""

from functools import partial
from itertools import combinations
from typing import Sequence

from matplotlib.axes import Axes

from stowage_report.charts import series
from stowage_report.charts.axes import (
    Figure as Curve, Scale, draw_axis, draw_cost_axis, draw_curve, points_of, shade_crossings, time_of,
)
from stowage_report.charts.canvas import Canvas, Chart, Finding, FindingTable, Panels, file_name, panels_chart
from stowage_report.charts.counters import BYTES
from stowage_report.charts.style import Looks
from stowage_report.data import wording
from stowage_report.data.crossing import RatioCurve, in_words, time_ratio
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block, Cell, Run, Sweep, is_hand_written, sweeps_along

_WORKLOAD = "occupancy"
_AXIS = "share"


def occupancy(canvas: Canvas, run: Run) -> Finding | None:
    """None if fewer than two shares were timed."""
    sweeps = [sweep for sweep in sweeps_along(_AXIS, run.blocks_of(_WORKLOAD))
              if sum(bool(block.measured) for block in sweep.blocks) > 1]
    if not sweeps:
        return None
    sweeps.sort(key=lambda sweep: sweep.blocks[0].entities)
    return Finding(
        "occupancy", "Occupancy",
        "How full an array with holes must be to pay off: cost per owning entity over the share of entities that own "
        "the components. Crossovers are interpolated in the logarithm of the share between measured shares. Their "
        "ranges come from the 95 % intervals of the ratio, round by round.",
        [_chart(canvas, sweep) for sweep in sweeps],
        [_leaders_table(sweep) for sweep in sweeps] + [_crossings_table(sweep) for sweep in sweeps],
        (_WORKLOAD,),
    )


def bytes_per_owner(block: Block, cell: Cell) -> float | None:
    """What the storage holds, divided by the items of the work: the entities that own the components."""
    if BYTES not in cell.counters or not cell.counters.get("items"):
        return None
    return cell.counters[BYTES] * block.entities / cell.counters["items"]


def time_leaders(sweep: Sweep) -> list[str]:
    """The strategies that are fastest at one share at least, in the order of the shares."""
    return list(dict.fromkeys(_fastest(block) for block in sweep.blocks if block.leaders))


def _fastest(block: Block) -> str:
    return min(block.leaders, key=lambda name: block.cells[name].cost)


def _smallest(block: Block) -> list[str]:
    sizes = {name: bytes_per_owner(block, cell) for name, cell in block.cells.items() if not is_hand_written(name)}
    known = {name: size for name, size in sizes.items() if size is not None}
    return [name for name, size in known.items() if size == min(known.values())]


def _bytes_ratio(sweep: Sweep, one: str, other: str) -> RatioCurve:
    """Bytes are counted, so only the interpolation between two shares is a guess."""
    sizes = [(block, *(bytes_per_owner(block, block.cells[name]) if name in block.cells else None
                       for name in (one, other))) for block in sweep.blocks]
    known = [(block.value(_AXIS), first / second) for block, first, second in sizes if first and second]
    return RatioCurve([share for share, _ in known], [Estimate(ratio) for _, ratio in known])


def _chart(canvas: Canvas, sweep: Sweep) -> Chart:
    drawn = set(series.shown(sweep.strategies, sweep.blocks, series.time)) | set(time_leaders(sweep))
    names = [name for name in sweep.strategies if name in drawn]
    title = f"Occupancy, {wording.size_title(sweep.blocks[0].entities)}"
    scale = Scale(sweep.values)

    def draw(axes: Axes, figure: Curve) -> None:
        for name in names:
            draw_curve(axes, points_of(sweep, name, figure, scale), canvas.looks[name], faint=True, name=name)
        draw_cost_axis(axes)
        draw_axis(axes, sweep, scale)
        if figure is time_of:
            _mark_fastest(axes, sweep, scale, canvas.looks)

    panels = {"ns per owning entity; marks at the foot: the fastest": partial(draw, figure=time_of)}
    if any(bytes_per_owner(block, cell) for block in sweep.blocks for cell in block.cells.values()):
        panels["bytes per owning entity"] = partial(draw, figure=_bytes)
    return panels_chart(
        canvas, file_name("occupancy", str(sweep.blocks[0].entities)), title,
        "bands: 95 % intervals; bold: the fastest somewhere",
        "Fastest: " + "; ".join(f"at {wording.place(_AXIS, block)} % {wording.listing(block.leaders)}"
                                for block in sweep.blocks) + ".",
        panels, Panels(plot=200), names, bold=time_leaders(sweep),
        notes=("Dashed lines across: shares at which the fastest strategy changes; grey: their intervals.",
               *series.strategies_note(sweep.strategies, names)),
    )


def _bytes(block: Block, strategy: str) -> Estimate | None:
    size = bytes_per_owner(block, block.cells[strategy])
    return Estimate(size) if size else None


def _mark_fastest(axes: Axes, sweep: Sweep, scale: Scale, looks: Looks) -> None:
    """At the foot of the panel, the mark of the fastest strategy at each share; the leaders' crossings between them."""
    for block in sweep.blocks:
        if block.leaders:
            look = looks[_fastest(block)]
            axes.plot([scale(block.value(_AXIS))], [0.035], transform=axes.get_xaxis_transform(), marker=look.marker,
                      markersize=look.marker_size, color=look.colour.light, linestyle="none", clip_on=False)
    shade_crossings(axes, sweep, time_leaders(sweep), scale)


def _leaders_table(sweep: Sweep) -> FindingTable:
    rows = [[f"{block.value(_AXIS):g} %", _names(block.leaders), _names(_smallest(block))] for block in sweep.blocks]
    size = wording.size_title(sweep.blocks[0].entities)
    return FindingTable(f"Best at each share, {size}; names in one cell are equal or open",
                        ["share", "fastest", "fewest bytes"], rows)


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or wording.ABSENT


def _crossings_table(sweep: Sweep) -> FindingTable:
    leaders = list(dict.fromkeys([*time_leaders(sweep), *(name for block in sweep.blocks
                                                          for name in _smallest(block)[:1])]))
    rows = [[f"`{one}` and `{other}`", in_words(sweep, one, other, time_ratio(sweep, one, other), " %"),
             in_words(sweep, one, other, _bytes_ratio(sweep, one, other), " %")]
            for one, other in combinations(leaders, 2)]
    return FindingTable(f"Crossovers, {wording.size_title(sweep.blocks[0].entities)}",
                        ["between", "in time", "in bytes"], rows)
