"""Multithreading: how many times faster many threads are than one, beside the ideal and beside what memory can do."""

import math
from operator import attrgetter

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from stowage_report.charts import series
from stowage_report.charts.axes import Scale, draw_axis, draw_curve, points_of, with_room
from stowage_report.charts.canvas import Canvas, Chart, Finding, FindingTable, Panels, file_name, panels_chart
from stowage_report.charts.counters import floor_of
from stowage_report.charts.style import MUTED
from stowage_report.data import grouped, wording
from stowage_report.data.estimates import Estimate, quotient
from stowage_report.data.model import Block, Run, Sweep, sweeps_along

#: The yardstick that only reads and writes the bytes of the floor.
BANDWIDTH = "reference.bandwidth"
_AXIS = "threads"

#: Of the vertical axis: below and above what is drawn.
_MARGIN = 1.12


def threads(canvas: Canvas, run: Run) -> Finding | None:
    """None if nothing was timed with one thread and with more."""
    sweeps = [sweep for workload in run.workloads for sweep in _sweeps(run, workload)]
    if not sweeps:
        return None
    return Finding(
        "threads", "Multithreading",
        "Speed-up: the time of one thread divided by that of several, for the same loop in the same chunks. Dotted: "
        f"as many times as there are threads. Packed arrays follow it until memory is busy; `{BANDWIDTH}`, which "
        f"only reads and writes the same bytes, shows when that is. {_told(run, sweeps[-1])}",
        [_chart(canvas, sweep) for sweep in sweeps], [_table(sweep) for sweep in sweeps],
        tuple(dict.fromkeys(sweep.workload for sweep in sweeps)),
    )


def _sweeps(run: Run, workload: str) -> list[Sweep]:
    blocks = [block for block in run.blocks_of(workload) if _AXIS in dict(block.parameters) and block.measured]
    of_hosts = grouped(blocks, attrgetter("host")).values()  # of different hosts a speed-up would be that of machines
    sweeps = [sweep for its in of_hosts for sweep in sweeps_along(_AXIS, its)
              if len(sweep.blocks) > 1 and sweep.values[0] == 1]
    return sorted(sweeps, key=lambda sweep: sweep.blocks[0].entities)


def speed_up(sweep: Sweep, block: Block, strategy: str) -> Estimate | None:
    """Over one thread. The two were not measured in the same rounds, so the interval is that of both together."""
    alone, together = sweep.blocks[0].time_of(strategy), block.time_of(strategy)
    if not alone or not together:
        return None
    return Estimate(1.0) if block is sweep.blocks[0] else quotient(alone, together)


def share_of_bandwidth(block: Block, strategy: str) -> float | None:
    """The share of the memory bandwidth of these threads that a strategy uses; above 1 if bandwidth is not the limit."""
    memory, own = block.time_of(BANDWIDTH), block.time_of(strategy)
    return memory.median / own.median if memory and own else None


def _chart(canvas: Canvas, sweep: Sweep) -> Chart:
    drawn = series.shown(sweep.strategies, sweep.blocks, series.time)
    size = wording.size_title(sweep.blocks[0].entities)
    title = f"{sweep.workload}, {size}: speed-up"
    scale = Scale(sweep.values)

    def draw(axes: Axes) -> None:
        axes.plot([scale(value) for value in sweep.values], sweep.values, color=MUTED.light, linewidth=1.2,
                  dashes=(1, 2), zorder=1)
        for name in drawn:
            points = points_of(sweep, name, lambda block, strategy: speed_up(sweep, block, strategy), scale)
            draw_curve(axes, points, canvas.looks[name], faint=name != BANDWIDTH, name=name)
        draw_axis(axes, sweep, scale)
        _draw_speed_axis(axes)

    return panels_chart(canvas, file_name(_AXIS, sweep.workload, str(sweep.blocks[0].entities)), title,
                        "times as fast as one thread; bands: 95 % intervals; dotted: ideal", _description(sweep, drawn),
                        {"": draw}, Panels(plot=260), drawn, notes=series.strategies_note(sweep.strategies, drawn))


def _draw_speed_axis(axes: Axes) -> None:
    """Logarithmic like the threads, so that the ideal is a straight line; a slow-down has its place below 1."""
    low, high = (axes.dataLim.y0, axes.dataLim.y1)
    low, high = min(low, 1) / _MARGIN, max(high, 2) * _MARGIN
    axes.set_yscale("log", base=2)
    axes.yaxis.set_minor_locator(NullLocator())
    powers = [2.0**power for power in range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)]
    steps = powers if len(powers) > 4 else [*powers, *(power * 1.5 for power in powers)]
    ticks = [tick for tick in with_room(steps, low, high, 0.06) if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:g}\N{MULTIPLICATION SIGN}" for tick in ticks])
    axes.set_ylim(low, high)


def _description(sweep: Sweep, drawn: list[str]) -> str:
    last = sweep.blocks[-1]
    found = {name: speed_up(sweep, last, name) for name in drawn}
    return (f"Speed-up with {wording.place(_AXIS, last)} over one thread: "
            + "; ".join(f"{name} {wording.times(its.median)}" for name, its in found.items() if its) + ".")


def _told(run: Run, sweep: Sweep) -> str:
    """Of the largest size, in words; empty if the yardstick was not measured."""
    last = sweep.blocks[-1]
    memory = speed_up(sweep, last, BANDWIDTH)
    if memory is None or not last.leaders:
        return ""
    rate = ""
    if floor_of(last):
        fetched = floor_of(last) * run.line_bytes / last.time_of(BANDWIDTH).median
        rate = f", which is {wording.number(fetched)} GB fetched in a second"
    best = min(last.leaders, key=lambda name: last.cells[name].cost)
    own = speed_up(sweep, last, best)
    gain = "" if own is None else f"; `{best}`, the fastest, {wording.times(own.median)}"
    return (f"With {last.value(_AXIS):g} threads and {wording.size_title(last.entities)} here: memory "
            f"{wording.times(memory.median)}{rate}{gain}.")


def _table(sweep: Sweep) -> FindingTable:
    first, last = sweep.blocks[0], sweep.blocks[-1]
    rows = []
    for name in sweep.strategies:
        gain, share = speed_up(sweep, last, name), share_of_bandwidth(last, name)
        ends = first.time_of(name), last.time_of(name)
        rows.append([f"`{name}`", *(wording.number(end.median) if end else wording.ABSENT for end in ends),
                     f"{wording.times(gain.median)} ({wording.interval(gain)})" if gain else wording.ABSENT,
                     f"{share:.0%}" if share else wording.ABSENT])
    return FindingTable(
        f"{sweep.workload}, {wording.size_title(first.entities)}: ns per item, and the share of the memory bandwidth used",
        ["strategy", "1 thread", f"{last.value(_AXIS):g} threads", "speed-up", f"of `{BANDWIDTH}`"], rows)
