"""Section size: bigger sections miss less often and leave more unused."""

import re
from dataclasses import dataclass
from functools import partial
from typing import Iterator

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from stowage_report.charts import series
from stowage_report.charts.axes import decade_ticks, with_room
from stowage_report.charts.canvas import Canvas, Chart, Finding, Panels, panels_chart
from stowage_report.charts.counters import floor_of, misses
from stowage_report.charts.style import INK, MUTED, Looks
from stowage_report.data import passes, wording
from stowage_report.data.model import ENTITIES, Block, Run

_GROWING = "archetype_sections"
_FIXED = re.compile(r"archetype_sections\.fixed_(\d+)k")
_SLACK = "slack_bytes_per_entity"
#: Workloads whose iteration a section's size decides about.
_WORKLOADS = ("fragmented", "point_mass", "join")
_JOINED = {("order", "unrelated"), ("via", "each")}
#: Of a trade-off; two points have no shape.
_FEWEST = 3


@dataclass(frozen=True)
class Point:
    label: str
    strategy: str
    slack_bytes: float
    cost: float  # first-level misses per item, or ns if these were not counted


@dataclass(frozen=True)
class Panel:
    title: str
    points: list[Point]  # by size, the growing one last
    floor: float | None


def section_sizes(canvas: Canvas, run: Run) -> Finding | None:
    """None if fewer than three sizes were both timed or simulated, and counted."""
    counted = any(misses(cell, "l1d") is not None for block in run.blocks for cell in block.cells.values())
    panels = list(_panels(run, counted))
    if not panels:
        return None
    told = " ".join(_told(panel, counted) for panel in panels[:2])
    return Finding("sections", "Section size",
                   "Fixed sections of 4 to 128 KiB and growing ones: a row of a larger section has more neighbours, and "
                   f"the last section of every component set is emptier. {told}",
                   [_chart(canvas, run, panels, counted)], [], _WORKLOADS)


def _panels(run: Run, counted: bool) -> Iterator[Panel]:
    for workload in _WORKLOADS:
        blocks = [block for block in run.blocks_of(workload) if len(_points(block, counted)) >= _FEWEST]
        largest = max((block.entities for block in blocks), default=0)
        for block in _chosen(workload, [block for block in blocks if block.entities == largest]):
            title = wording.title(workload, ((ENTITIES, str(block.entities)), *block.parameters))
            yield Panel(title, _points(block, counted), floor_of(block) if counted else None)


def _chosen(workload: str, blocks: list[Block]) -> list[Block]:
    """The fullest and the thinnest sections; of what has no component sets to vary, the loop that walks sections."""
    if workload == "fragmented":
        blocks = sorted(blocks, key=lambda block: block.value("sets"))
        return blocks if len(blocks) < 2 else [blocks[0], blocks[-1]]
    return [block for block in blocks if not block.parameters or _JOINED <= set(block.parameters)]


def _points(block: Block, counted: bool) -> list[Point]:
    sizes = {int(match[1]): name for name in block.cells if (match := _FIXED.fullmatch(name))}
    named = [(f"{size}k", sizes[size]) for size in sorted(sizes)]
    if _GROWING in block.cells:
        named.append(("growing", _GROWING))
    return [Point(label, name, block.cells[name].counters[_SLACK], cost) for label, name in named
            if _SLACK in block.cells[name].counters
            and (cost := misses(block.cells[name], "l1d") if counted else series.time(block.cells[name])) is not None]


def _told(panel: Panel, counted: bool) -> str:
    fixed = [point for point in panel.points if point.strategy != _GROWING]
    if len(fixed) < 2:
        return ""
    first, last = fixed[0], fixed[-1]
    what = "misses per item go" if counted else "ns per item go"
    return (f"`{panel.title}`: from {first.label} to {last.label} {what} from {wording.figure(first.cost)} to "
            f"{wording.figure(last.cost)}, and slack from {wording.figure(first.slack_bytes)} to "
            f"{wording.figure(last.slack_bytes)} bytes per entity.")


def _chart(canvas: Canvas, run: Run, panels: list[Panel], counted: bool) -> Chart:
    unit = f"first-level misses per item ({passes.source(run, passes.CACHE)})" if counted else "ns per item"
    points = [[f"{each.label} {wording.figure(each.cost)} at {wording.figure(each.slack_bytes)} bytes" for each in panel.points]
              for panel in panels]
    told = [f"{panel.title}: {', '.join(its)}" for panel, its in zip(panels, points)]
    notes = ("The line joins the fixed sections by size; a horizontal line is the floor.",
             *(passes.limits(run, passes.CACHE) if counted else ()))
    return panels_chart(canvas, "section-size", "Section size", f"{unit} against unused bytes", f"{'; '.join(told)}.",
                        {panel.title: partial(_draw_panel, panel=panel, looks=canvas.looks) for panel in panels},
                        Panels(plot=150, gap=36, foot=0), notes=notes)


def _draw_panel(axes: Axes, panel: Panel, looks: Looks) -> None:
    fixed = [point for point in panel.points if point.strategy != _GROWING]
    axes.plot([point.slack_bytes for point in fixed], [point.cost for point in fixed], color=MUTED.light, linewidth=1,
              zorder=1)
    for point in panel.points:
        look = looks[point.strategy]
        axes.plot([point.slack_bytes], [point.cost], color=look.colour.light, marker=look.marker,
                  markersize=look.marker_size + 1, linestyle="none", zorder=3)
        below = point.strategy == _GROWING  # clear of the fixed section that is nearest to it
        axes.annotate(point.label, (point.slack_bytes, point.cost), xytext=(0, -15) if below else (6, 5),
                      textcoords="offset points", fontsize=9.5, ha="center" if below else "left")
    slack = [point.slack_bytes for point in panel.points]
    costs = [point.cost for point in panel.points]
    if panel.floor is not None and panel.floor < max(costs):
        axes.axhline(panel.floor, color=INK.light, linewidth=1.2, zorder=1)
        costs.append(panel.floor)
    margin = (max(costs) - min(costs)) * 0.18 or max(costs) * 0.1
    axes.set_ylim(max(0.0, min(costs) - 1.5 * margin), max(costs) + margin * 1.5)
    if min(slack) > 0 and max(slack) > 20 * min(slack):
        axes.set_xscale("log")
        axes.set_xlim(min(slack) / 1.5, max(slack) * (max(slack) / min(slack)) ** 0.12)
        ticks = with_room(decade_ticks(*axes.get_xlim()), *axes.get_xlim(), 0.1)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    else:
        axes.set_xlim(0, max(slack) * 1.15 or 1)
    axes.locator_params(axis="y", nbins=5)
    axes.set_xlabel("unused bytes per entity (slack)")
