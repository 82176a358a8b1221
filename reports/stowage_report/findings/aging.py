"""Aging: what churn does to times and misses, whether defragmenting repairs it, and what a mass despawn leaves."""

from dataclasses import replace
from functools import partial
from typing import Callable, Iterator

from matplotlib.axes import Axes

from stowage_report.charts import series
from stowage_report.charts.axes import Scale, draw_axis, draw_cost_axis, draw_curve
from stowage_report.charts.canvas import Canvas, Chart, Finding, Panels, file_name, panels_chart
from stowage_report.charts.counters import BYTES, bytes_chart, misses
from stowage_report.charts.style import SOLID
from stowage_report.data import grouped, passes, wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block, Cell, Run, Sweep, is_hand_written

_WORKLOAD = "aging"
_AXIS = "frames"
_DESPAWN = "despawn"

_DASHED = (0, (4, 2))

#: Of a cell, as a curve has it.
Figures = Callable[[Cell], Estimate | None]


def aging(canvas: Canvas, run: Run) -> Finding | None:
    """None if nothing was aged."""
    charts: list[Chart] = []
    told: list[str] = []
    blocks = run.blocks_of(_WORKLOAD)
    for size in sorted({block.entities for block in blocks}):
        mine = [block for block in blocks if block.entities == size and _value(block, "work") != _DESPAWN]
        works = grouped(mine, _work)
        works = {work: its for work, its in works.items() if len({block.value(_AXIS) for block in its}) > 1}
        if works:
            charts += filter(None, (_times(canvas, size, works), _misses(canvas, run, size, works)))
            told = list(_told(size, works))  # of the largest size
        charts += filter(None, [_despawn(canvas, run, size, blocks)])
    prose = ("Churn wears a storage: rows leave the order in which entities were made, holes stay, and the orders of pools "
             "drift apart.")
    return Finding("aging", "Aging", " ".join([prose, *told]), charts, [], (_WORKLOAD, _DESPAWN)) if charts else None


def _work(block: Block) -> str:
    """With the host that measured it, if there are several: their times make no curve."""
    return f"{_value(block, 'work')} on {block.host}" if block.host else _value(block, "work")


def _value(block: Block, key: str) -> str:
    return dict(block.parameters)[key]


def _times(canvas: Canvas, size: int, works: dict[str, list[Block]]) -> Chart | None:
    return _curves(canvas, f"aging-time-{size}", f"Aging, {wording.size_title(size)}: time",
                   "ns per item; dashed: defragmented or collected in every frame", works,
                   lambda cell: cell.ns_per_item, series.time, (), logarithmic=True)


def _misses(canvas: Canvas, run: Run, size: int, works: dict[str, list[Block]]) -> Chart | None:
    def figures(cell: Cell) -> Estimate | None:
        count = misses(cell, "l1d")
        return None if count is None else Estimate(count)

    return _curves(canvas, f"aging-misses-{size}", f"Aging, {wording.size_title(size)}: misses",
                   f"first-level misses per item, {passes.source(run, passes.CACHE)}; dashed: defragmented", works,
                   figures, series.counter("l1d_misses_per_item"), tuple(passes.limits(run, passes.CACHE)),
                   logarithmic=False)


def _curves(canvas: Canvas, name: str, title: str, subtitle: str, works: dict[str, list[Block]], figures: Figures,
            figure_of: series.Figure, notes: tuple[str, ...], *, logarithmic: bool) -> Chart | None:
    """A panel for each work; None if no cell has such figures."""
    blocks = [block for its in works.values() for block in its]
    strategies = list(dict.fromkeys(name for block in blocks for name, cell in block.cells.items() if figures(cell)))
    if not strategies:
        return None
    drawn = _drawn(strategies, blocks, figure_of)
    scale = Scale([block.value(_AXIS) for block in blocks])

    def draw(axes: Axes, its: list[Block]) -> None:
        for name in drawn:
            plain, tidied = (_points(its, name, defragment, figures, scale) for defragment in ("no", "yes"))
            draw_curve(axes, plain, replace(canvas.looks[name], dash=SOLID), name=name)
            if not is_hand_written(name) and tidied:
                fresh = [point for point in plain if point[0] < tidied[0][0]][:1]  # nothing to tidy up yet: the same cell
                draw_curve(axes, fresh + tidied, replace(canvas.looks[name], dash=_DASHED), name=name)
        if logarithmic:
            draw_cost_axis(axes)
        else:
            axes.set_ylim(0, 1.06 * axes.get_ylim()[1])
            axes.locator_params(axis="y", nbins=5)
        by_frames = {block.value(_AXIS): block for block in its}
        draw_axis(axes, Sweep(_WORKLOAD, (), tuple(by_frames[frames] for frames in sorted(by_frames)), _AXIS), scale)

    return panels_chart(
        canvas, file_name(name), title, subtitle,
        " ".join(_description(work, its, drawn, figures, scale) for work, its in works.items()),
        {work: partial(draw, its=its) for work, its in works.items()}, Panels(plot=140, gap=20), drawn, lines=False,
        notes=(*notes, *series.strategies_note(strategies, drawn)))


def _drawn(strategies: list[str], blocks: list[Block], figure: series.Figure) -> list[str]:
    """Beside what is shown anyway, of those that can defragment the best of each family."""
    tidied = [block for block in blocks if _value(block, "defragment") == "yes"]
    tidy = [name for name in strategies if any(name in block.cells for block in tidied) and not is_hand_written(name)]
    shown = set(series.shown(strategies, blocks, figure))
    shown |= {series.best(names, tidied, figure) for names in series.families(tidy).values()}
    return [name for name in strategies if name in shown]


def _points(blocks: list[Block], name: str, defragment: str, figures: Figures,
            scale: Scale) -> list[tuple[float, Estimate]]:
    cells = [(block.value(_AXIS), block.cells[name]) for block in blocks
             if _value(block, "defragment") == defragment and name in block.cells]
    return [(scale(frames), figures(cell)) for frames, cell in sorted(cells, key=lambda pair: pair[0]) if figures(cell)]


def _description(work: str, blocks: list[Block], drawn: list[str], figures: Figures, scale: Scale) -> str:
    curves = []
    for name in drawn:
        points = _points(blocks, name, "no", figures, scale)
        if len(points) > 1:
            curves.append(f"{name} {wording.figure(points[0][1].median)} to {wording.figure(points[-1][1].median)}")
    return f"{work}, from the first to the last number of frames: {', '.join(curves) or 'no figures'}."


def _told(size: int, works: dict[str, list[Block]]) -> Iterator[str]:
    """The strategies that age least and most, of those without defragmentation."""
    for work, blocks in works.items():
        plain = sorted((block for block in blocks if _value(block, "defragment") == "no"),
                       key=lambda block: block.value(_AXIS))
        if len(plain) < 2:
            continue
        first, last = plain[0], plain[-1]
        worn = {name: last.time_of(name).median / first.time_of(name).median for name in last.cells
                if not is_hand_written(name) and last.time_of(name) and first.time_of(name)}
        if len(worn) > 1:
            least, most = (choice(worn, key=worn.__getitem__) for choice in (min, max))
            yield (f"At {wording.size_title(size)}, after {last.value(_AXIS):,.0f} frames, `{work}` takes between "
                   f"{wording.times(worn[least])} (`{least}`) and {wording.times(worn[most])} (`{most}`) the time after "
                   f"{first.value(_AXIS):,.0f}.")


def _despawn(canvas: Canvas, run: Run, size: int, blocks: list[Block]) -> Chart | None:
    """Memory footprint after most entities were destroyed at once."""
    headings = {"no": "left as it is", "yes": "defragmented or collected"}
    groups: dict[str, list[Cell]] = {}
    strategies: list[str] = []
    for block in blocks:
        if block.entities == size and _value(block, "work") == _DESPAWN:
            counted = [name for name, cell in block.cells.items() if BYTES in cell.counters]
            drawn = series.shown(counted, [block], series.counter(BYTES))
            strategies = strategies or counted
            if drawn:
                groups[headings[_value(block, "defragment")]] = [block.cells[name] for name in drawn]
    if not groups:
        return None
    notes = ("Per entity before the despawn; a tenth of them is left.", *passes.limits(run, passes.MEMORY),
             *series.strategies_note(strategies, [cell.strategy for cell in next(iter(groups.values()))]))
    return bytes_chart(canvas, run, f"aging-despawn-{size}", f"After the despawn, {wording.size_title(size)}", groups,
                       notes)
