"""Misses against the floor: how often each strategy waits for a line, beside how often any layout must."""

from __future__ import annotations

from typing import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stowage_report.charts import series
from stowage_report.charts.canvas import Canvas, Chart, file_name, headline
from stowage_report.charts.rows import Group, Rows
from stowage_report.charts.shares import LEGEND_HEIGHT, draw_share_legend, draw_shares
from stowage_report.charts.style import INK
from stowage_report.data import passes, wording
from stowage_report.data.model import Block, Cell, Run, Sweep

LEVELS = {"l1d": "first level", "ll": "last level"}

_ROW = 19.5  # points
_FIGURES = 92
#: Height and centre of a bar as shares of its row: the last level is the thin one below.
_BARS = {"l1d": (0.42, -0.14), "ll": (0.18, 0.24)}
#: Where no strategy misses this often, bars and floor would say no more than that everything is cached.
_WORTH_DRAWING = 0.01
#: Misses below this share of the floor are below it, and not its rounding.
_BELOW = 0.98


def misses_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None where the cache pass has taken no cell of this sweep."""
    counted = [block for block in sweep.blocks if _most(block) is not None]
    worth_drawing = [block for block in counted if _most(block) >= _WORTH_DRAWING] or counted[-1:]
    if not worth_drawing:
        return None
    blocks = series.some_of(worth_drawing)
    title = wording.title(sweep.workload, sweep.parameters)
    drawn = series.shown(sweep.strategies, blocks, lambda cell: misses(cell, "l1d"))
    groups = [_group(sweep, block, drawn) for block in blocks]
    rows = Rows(groups, row=_ROW, figures=_FIGURES, footer=LEGEND_HEIGHT)

    def draw_bar(axes: Axes, y: float, cell: Cell) -> str:
        for level, (height, centre) in _BARS.items():
            colour = canvas.looks[cell.strategy].colour
            draw_shares(axes, y + centre * _ROW, height * _ROW, _shares(cell, level), colour)
        return " / ".join(wording.figure(misses(cell, level)) for level in LEVELS)

    def draw(figure: Figure) -> None:
        headline(figure, title, f"misses per item: thick first level, thin last; {passes.source(run, passes.CACHE)}")
        axes = rows.draw(figure, draw_bar)
        axes.set_xlim(0, max(max(_most(block), floor_of(block) or 0) for block in blocks) * 1.03 or 1)
        axes.locator_params(axis="x", nbins=5)
        for block, group in zip(blocks, groups):
            if floor_of(block) is not None:
                axes.plot([floor_of(block)] * 2, rows.extent_of(group), color=INK.light, linewidth=1.4, zorder=4)
        draw_share_legend(figure, "not told apart", Line2D([], [], color=INK.light, linewidth=1.4, label="floor"))

    return canvas.chart(
        file_name("misses", sweep.workload, wording.parameters(sweep.parameters)),
        f"Misses of {title}",
        " ".join(_description(block, group) for block, group in zip(blocks, groups)),
        draw,
        height=rows.height,
        notes=(*_notes(run, sweep, counted, worth_drawing),
               *series.notes(sweep, worth_drawing, sweep.strategies, drawn)),
    )


def misses(cell: Cell, level: str) -> float | None:
    return cell.counters.get(f"{level}_misses_per_item")


def floor_of(block: Block) -> float | None:
    """Lines per item: every verified cell of a block has the same."""
    floors = (cell.counters.get("floor_lines_per_item") for cell in block.cells.values())
    return next((floor for floor in floors if floor is not None), None)


def _most(block: Block) -> float | None:
    figures = [misses(cell, level) for cell in block.cells.values() for level in LEVELS]
    return max((figure for figure in figures if figure is not None), default=None)


def _shares(cell: Cell, level: str) -> tuple[float, float, float]:
    """What the source could not tell apart is all in the last one."""
    payload = cell.counters.get(f"{level}_misses_payload_per_item", 0.0)
    index = cell.counters.get(f"{level}_misses_index_per_item", 0.0)
    return payload, index, max(0.0, (misses(cell, level) or 0.0) - payload - index)


def _group(sweep: Sweep, block: Block, drawn: list[str]) -> Group:
    floor = floor_of(block)
    remark = "" if floor is None else f"floor: {wording.figure(floor)} lines"
    cells = [block.cells[name] for name in drawn if name in block.cells]
    cells = [cell for cell in cells if cell.error or any(misses(cell, level) is not None for level in LEVELS)]
    return Group(wording.place(sweep.axis, block), remark, cells)


def _description(block: Block, group: Group) -> str:
    figures = [f"{cell.strategy} {wording.figure(misses(cell, 'l1d'))} and {wording.figure(misses(cell, 'll'))}"
               for cell in group.cells if not cell.error]
    return (f"First- and last-level misses per item at {group.heading}, floor "
            f"{wording.figure(floor_of(block))}: {', '.join(figures)}.")


def _notes(run: Run, sweep: Sweep, counted: list[Block], drawn: list[Block]) -> Iterator[str]:
    yield from _below_the_floor(run, sweep, drawn)
    cached = [block for block in counted if block not in drawn]
    if cached:
        yield (f"Not drawn: {wording.places(sweep.axis, cached)}, where no strategy misses as often as once in "
               f"{1 / _WORTH_DRAWING:.0f} items, because the caches hold everything.")
    yield from passes.left_out(run, passes.CACHE, sweep)
    yield from passes.limits(run, passes.CACHE)


def _below_the_floor(run: Run, sweep: Sweep, blocks: list[Block]) -> Iterator[str]:
    places = []
    for level, name in LEVELS.items():
        below = [block for block in blocks if _is_below_the_floor(block, level)]
        if below:
            places.append(f"{wording.places(sweep.axis, below)} ({name})")
    if places:
        reasons = ["a cache still holds what fits into it from the pass before"]
        if any("lanes" in cell.strategy for block in blocks for cell in block.cells.values()):
            reasons.append("lanes leave out those parts of a component that nobody reads")
        if passes.is_hardware(run):
            reasons.append("a prefetcher takes misses upon itself")
        yield f"Below the floor at {' and '.join(places)}: {wording.listing(reasons)}."


def _is_below_the_floor(block: Block, level: str) -> bool:
    floor = floor_of(block)
    figures = [misses(cell, level) for cell in block.cells.values()]
    return floor is not None and any(figure is not None and figure < _BELOW * floor for figure in figures)
