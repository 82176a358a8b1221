"""Scaling curves: ns per item against the number of entities, with interval bands and this machine's caches."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Iterable

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report import wording
from stowage_report.canvas import WIDTH, Canvas, Chart, file_name, headline
from stowage_report.legend import draw_legend, legend_height
from stowage_report.model import Cache, Run, Sweep, is_hand_written
from stowage_report.style import MUTED, Looks
from stowage_report.ticks import decade_ticks, with_room

_TOP = 56  # points: headline, and the names of the caches
_PLOT = 290


@dataclass(frozen=True)
class CacheLine:
    name: str
    entities: float  # whose data fill this cache


def scaling_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None where fewer than two sizes were timed, and so there is no curve."""
    if sum(bool(block.measured) for block in sweep.blocks) < 2:
        return None
    bytes_per_entity = typical_bytes_per_entity(sweep)
    lines = cache_lines(run.caches, bytes_per_entity, [block.entities for block in sweep.blocks])
    title = wording.sweep_title(sweep.workload, sweep.parameters)
    item = run.workload_cards[sweep.workload].item if sweep.workload in run.workload_cards else ""
    height = _TOP + _PLOT + 44 + legend_height(sweep.strategies)

    def draw(figure: Figure) -> None:
        headline(figure, title, f"{wording.per_item(item)}; bands: 95 % intervals")
        left, right, bottom = 52, WIDTH - 14, height - _TOP - _PLOT
        axes = figure.add_axes((left / WIDTH, bottom / height, (right - left) / WIDTH, _PLOT / height))
        _draw_curves(axes, sweep, canvas.looks)
        _draw_scales(axes, sweep)
        _draw_cache_lines(axes, lines)
        draw_legend(figure, sweep.strategies, canvas.looks, lines=True)

    return canvas.chart(
        file_name("scaling", sweep.workload, wording.parameters(sweep.parameters)),
        f"Scaling of {title}",
        _description(sweep),
        draw,
        height=height,
        notes=tuple(_notes(sweep, bytes_per_entity, lines)),
    )


def typical_bytes_per_entity(sweep: Sweep) -> float | None:
    """Of the strategy in the middle, at the largest size; None where the run did not count bytes."""
    cells = sweep.blocks[-1].measured
    counted = [cell.counters["bytes_per_entity"] for cell in cells
               if "bytes_per_entity" in cell.counters and not is_hand_written(cell.strategy)]
    return median(counted) if counted else None


def cache_lines(caches: Iterable[Cache], bytes_per_entity: float | None, sizes: list[int]) -> list[CacheLine]:
    """Where the data outgrow each data cache, if that is between the smallest and the largest size."""
    if not bytes_per_entity:
        return []
    lines = [
        CacheLine(f"{cache.name} {wording.size(cache.size_bytes)}", cache.size_bytes / bytes_per_entity)
        for cache in caches
        if cache.type != "Instruction"
    ]
    return [line for line in lines if min(sizes) <= line.entities <= max(sizes)]


def _draw_curves(axes: Axes, sweep: Sweep, looks: Looks) -> None:
    for strategy in sweep.strategies:
        look = looks[strategy]
        colour = look.colour.light
        points = [(block.entities, block.cells[strategy].ns_per_item) for block in sweep.blocks
                  if strategy in block.cells and block.cells[strategy].ns_per_item]
        sizes = [size for size, _ in points]
        lows = [estimate.low if estimate.has_interval else estimate.median for _, estimate in points]
        highs = [estimate.high if estimate.has_interval else estimate.median for _, estimate in points]
        axes.fill_between(sizes, lows, highs, color=colour, alpha=0.18, linewidth=0)
        medians = [estimate.median for _, estimate in points]
        axes.plot(sizes, medians, color=colour, marker=look.marker, markersize=look.marker_size, linestyle=look.dash)


def _draw_scales(axes: Axes, sweep: Sweep) -> None:
    sizes = [block.entities for block in sweep.blocks]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    labelled = with_room([sizes[-1], *sizes], sizes[0], sizes[-1], 0.1)
    axes.set_xticks(labelled, [wording.entities(size) for size in labelled])
    low, high = axes.get_ylim()
    ticks = decade_ticks(low, high)
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.set_yticklabels([f"{tick:g}" for tick in ticks])
    axes.set_ylim(low, high)
    axes.set_xlabel("entities")


def _draw_cache_lines(axes: Axes, lines: list[CacheLine]) -> None:
    for line in lines:
        axes.axvline(line.entities, color=MUTED.light, linewidth=1, dashes=(2, 2), zorder=1)
        axes.annotate(line.name, (line.entities, 1), xycoords=("data", "axes fraction"), xytext=(0, 3),
                      textcoords="offset points", ha="center", fontsize=9, color=MUTED.light)


def _description(sweep: Sweep) -> str:
    """The curves' ends in words."""
    first, last = sweep.blocks[0], sweep.blocks[-1]
    curves = []
    for strategy in sweep.strategies:
        ends = [block.cells[strategy].ns_per_item for block in (first, last) if strategy in block.cells]
        if len(ends) == 2 and all(ends):
            curves.append(f"{strategy} {wording.number(ends[0].median)} to {wording.number(ends[1].median)}")
    sizes = f"from {wording.entities(first.entities)} to {wording.entities(last.entities)} entities"
    return f"median ns per item {sizes}, both axes logarithmic. {'; '.join(curves)}."


def _notes(sweep: Sweep, bytes_per_entity: float | None, lines: list[CacheLine]) -> Iterable[str]:
    if bytes_per_entity is None:
        yield "Cache sizes are not drawn: this run did not count bytes per entity."
    elif lines:
        yield f"Dotted: where the data, at {wording.number(bytes_per_entity)} bytes per entity, outgrow that cache."
    failed = sorted({cell.strategy for block in sweep.blocks for cell in block.cells.values() if cell.error})
    if failed:
        yield f"Points are missing where verification failed: {wording.listing(failed)}."
