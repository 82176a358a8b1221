"""Scaling curves: ns per item along the axis of a sweep, with interval bands and this machine's caches."""

from statistics import median
from typing import Iterable, Iterator

from matplotlib.axes import Axes

from stowage_report.charts import series
from stowage_report.charts.axes import Scale, draw_axis, draw_cost_axis, draw_curve, points_of
from stowage_report.charts.canvas import Canvas, Chart, Panels, chart_name, panels_chart
from stowage_report.charts.style import MUTED
from stowage_report.data import wording
from stowage_report.data.model import ENTITIES, Block, Cache, Run, Sweep, is_hand_written

_SIZE = Panels(plot=290, top=56)  # with the names of the caches above


def scaling_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None if fewer than two blocks were timed, because there is no curve then."""
    if sum(bool(block.measured) for block in sweep.blocks) < 2:
        return None
    bytes_per_entity = typical_bytes_per_entity(sweep)
    lines = cache_lines(run.caches, bytes_per_entity, sweep.values) if sweep.axis == ENTITIES else {}
    drawn = series.shown(sweep.strategies, sweep.blocks, series.time)
    title = wording.title(sweep.workload, sweep.parameters)
    scale = Scale(sweep.values)

    def draw(axes: Axes) -> None:
        for name in drawn:
            for part in sweep.of_each_host:
                cells = [block.cells[name] for block in part.blocks if block.time_of(name)]
                draw_curve(axes, points_of(part, name, Block.time_of, scale), canvas.looks[name], name=name, cells=cells)
        draw_axis(axes, sweep, scale)
        draw_cost_axis(axes)
        for name, entities in lines.items():
            axes.axvline(scale(entities), color=MUTED.light, linewidth=1, dashes=(2, 2), zorder=1)
            axes.annotate(name, (scale(entities), 1), xycoords=("data", "axes fraction"), xytext=(0, 3),
                          textcoords="offset points", ha="center", fontsize=9, color=MUTED.light)

    return panels_chart(
        canvas, chart_name("scaling", sweep), title,
        f"{wording.per_item(run.item_of(sweep.workload))}; bands: 95 % intervals", _description(sweep, drawn), {"": draw},
        _SIZE, drawn, notes=(*_notes(sweep, bytes_per_entity, lines), *series.strategies_note(sweep.strategies, drawn)))


def typical_bytes_per_entity(sweep: Sweep) -> float | None:
    """Of the strategy in the middle, at the end of the axis; None if the run did not count bytes."""
    cells = sweep.blocks[-1].measured
    counted = [cell.counters["bytes_per_entity"] for cell in cells
               if "bytes_per_entity" in cell.counters and not is_hand_written(cell.strategy)]
    return median(counted) if counted else None


def cache_lines(caches: Iterable[Cache], bytes_per_entity: float | None, sizes: list[float]) -> dict[str, float]:
    """By name, the number of entities at which the data outgrow each data cache, if that is between the smallest and the largest size."""
    if not bytes_per_entity:
        return {}
    return {f"{cache.name} {wording.size(cache.size_bytes)}": entities for cache in caches if cache.type != "Instruction"
            and min(sizes) <= (entities := cache.size_bytes / bytes_per_entity) <= max(sizes)}


def _description(sweep: Sweep, drawn: list[str]) -> str:
    """The curves' ends in words."""
    first, last = sweep.blocks[0], sweep.blocks[-1]
    curves = []
    for strategy in drawn:
        at_first, at_last = first.time_of(strategy), last.time_of(strategy)
        if at_first and at_last:
            curves.append(f"{strategy} {wording.number(at_first.median)} to {wording.number(at_last.median)}")
    ends = f"from {wording.place(sweep.axis, first)} to {wording.place(sweep.axis, last)}"
    return f"median ns per item {ends}, both axes logarithmic. {'; '.join(curves)}."


def _notes(sweep: Sweep, bytes_per_entity: float | None, lines: dict[str, float]) -> Iterator[str]:
    if bytes_per_entity is None and sweep.axis == ENTITIES:
        yield "Cache sizes are not drawn: this run did not count bytes per entity."
    elif lines:
        yield f"Dotted lines: the data outgrow that cache, at {wording.number(bytes_per_entity)} bytes per entity."
    if len(sweep.of_each_host) > 1:
        yield "Each host has a curve of its own: their times cannot be compared."
    failed = sorted({cell.strategy for block in sweep.blocks for cell in block.cells.values() if cell.error})
    if failed:
        yield f"Cells that failed verification have no points: {wording.listing(failed)}."
