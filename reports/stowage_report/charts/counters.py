"""Bars of what the cache and memory passes counted: misses against the floor, instructions, and bytes per entity.

Misses and bytes are made of payload, index and the rest. The three differ by texture.
"""

from typing import Iterator, Mapping

from matplotlib.artist import Artist
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from stowage_report.charts import series
from stowage_report.charts.canvas import Canvas, Chart, chart_name, foot_legend
from stowage_report.charts.rows import Group, Plot, Rows, amounts
from stowage_report.charts.style import INK, MUTED, Colour
from stowage_report.data import passes, wording
from stowage_report.data.metrics import BYTES as HELD, INSTRUCTIONS
from stowage_report.data.model import Block, Cell, Run, Sweep

#: They differ by texture, because the colour already says which strategy it is.
_TEXTURES = ({"alpha": 1}, {"alpha": 0, "hatch": "/////"}, {"alpha": 0.25})

_LEGEND_HEIGHT = 20  # points
_FIGURES = 98  # wide, of misses and of bytes


def _draw_shares(plot: Plot, y: float, height: float, shares: tuple[float, float, float], colour: Colour) -> None:
    """Of payload, index and the rest, one after the other from 0 on."""
    left = 0.0
    for share, texture in zip(shares, _TEXTURES):
        if share > 0:
            plot.bar(y, left, left + share, height, **_look(colour, **texture))
        left += share


def _draw_share_legend(figure: Figure, rest: str, mark: Artist) -> None:
    patches = [Patch(label=label, **_look(MUTED, **texture))
               for label, texture in zip(("payload", "index", rest), _TEXTURES)]
    foot_legend(figure, [*patches, mark])


def _look(colour: Colour, *, alpha: float, hatch: str = "") -> dict[str, object]:
    return {"facecolor": to_rgba(colour.light, alpha), "edgecolor": colour.light, "linewidth": 0.6, "hatch": hatch}


LEVELS = {"l1d": "first level", "ll": "last level"}

_MISSES_ROW = 19.5  # points
#: Height and centre of a bar as shares of its row: the last level is the thin one below.
_LEVEL_BARS = {"l1d": (0.42, -0.14), "ll": (0.18, 0.24)}
#: If all strategies miss less often, everything is cached, and there is nothing to compare.
_WORTH_DRAWING = 0.01
#: Misses below this share of the floor are below it, and not its rounding.
_BELOW = 0.98


def misses_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None if the cache pass measured no cell of this sweep."""
    counted = [block for block in sweep.blocks if _most(block) is not None]
    worth_drawing = [block for block in counted if _most(block) >= _WORTH_DRAWING] or counted[-1:]
    if not worth_drawing:
        return None
    blocks = series.some_of(worth_drawing)
    title = wording.title(sweep.workload, sweep.parameters)
    drawn = series.shown(sweep.strategies, blocks, lambda cell: misses(cell, "l1d"))
    groups = [_group_of_misses(sweep, block, drawn) for block in blocks]
    rows = Rows(groups, row=_MISSES_ROW, figures=_FIGURES, footer=_LEGEND_HEIGHT)

    def draw_bar(plot: Plot, y: float, cell: Cell) -> str:
        for level, (height, centre) in _LEVEL_BARS.items():
            payload, index = (cell.counters.get(f"{level}_misses_{part}_per_item", 0.0) for part in ("payload", "index"))
            # all in the last one if the source does not separate payload from index
            shares = payload, index, max(0.0, (misses(cell, level) or 0.0) - payload - index)
            _draw_shares(plot, y + centre * _MISSES_ROW, height * _MISSES_ROW, shares, canvas.looks[cell.strategy].colour)
        return " / ".join(wording.figure(misses(cell, level)) for level in LEVELS)

    def draw_floors(figure: Figure, plot: Plot) -> None:
        for block, group in zip(blocks, groups):
            if floor_of(block) is not None:
                plot.upright(floor_of(block), *rows.extent_of(group), color=INK.light, linewidth=1.4)
        _draw_share_legend(figure, "not separated", Line2D([], [], color=INK.light, linewidth=1.4, label="floor"))

    return rows.chart(
        canvas, chart_name("misses", sweep), f"Misses of {title}", title,
        f"misses per item (thick: first level, thin: last); {passes.source(run, passes.CACHE)}",
        " ".join(_misses_in_words(block, group) for block, group in zip(blocks, groups)),
        amounts(max(max(_most(block), floor_of(block) or 0) for block in blocks)), draw_bar, beside=draw_floors,
        notes=(*_notes_on_misses(run, sweep, counted, worth_drawing),
               *series.notes(sweep, worth_drawing, sweep.strategies, drawn)))


def misses(cell: Cell, level: str) -> float | None:
    return cell.counters.get(f"{level}_misses_per_item")


def floor_of(block: Block) -> float | None:
    """Lines per item: every verified cell of a block has the same."""
    floors = (cell.counters.get("floor_lines_per_item") for cell in block.cells.values())
    return next((floor for floor in floors if floor is not None), None)


def _most(block: Block) -> float | None:
    figures = [misses(cell, level) for cell in block.cells.values() for level in LEVELS]
    return max((figure for figure in figures if figure is not None), default=None)


def _group_of_misses(sweep: Sweep, block: Block, drawn: list[str]) -> Group:
    floor = floor_of(block)
    remark = "" if floor is None else f"floor: {wording.figure(floor)} lines"
    cells = [block.cells[name] for name in drawn if name in block.cells]
    cells = [cell for cell in cells if cell.error or any(misses(cell, level) is not None for level in LEVELS)]
    return Group(wording.place(sweep.axis, block), remark, cells)


def _misses_in_words(block: Block, group: Group) -> str:
    figures = [f"{cell.strategy} {wording.figure(misses(cell, 'l1d'))} and {wording.figure(misses(cell, 'll'))}"
               for cell in group.cells if not cell.error]
    return (f"First- and last-level misses per item at {group.heading}, floor "
            f"{wording.figure(floor_of(block))}: {', '.join(figures)}.")


def _notes_on_misses(run: Run, sweep: Sweep, counted: list[Block], drawn: list[Block]) -> Iterator[str]:
    yield from _below_the_floor(run, sweep, drawn)
    cached = [block for block in counted if block not in drawn]
    if cached:
        yield (f"Not drawn: {wording.places(sweep.axis, cached)}. There every strategy misses less than once in "
               f"{1 / _WORTH_DRAWING:.0f} items, because the caches hold everything.")
    yield from passes.left_out(run, passes.CACHE, sweep)
    yield from passes.limits(run, passes.CACHE)


def _below_the_floor(run: Run, sweep: Sweep, blocks: list[Block]) -> Iterator[str]:
    def is_below(block: Block, level: str) -> bool:
        figures = [misses(cell, level) for cell in block.cells.values()]
        return any(figure is not None and figure < _BELOW * (floor_of(block) or 0) for figure in figures)

    below = {name: [block for block in blocks if is_below(block, level)] for level, name in LEVELS.items()}
    places = [f"{wording.places(sweep.axis, its)} ({name})" for name, its in below.items() if its]
    if places:
        reasons = ["a cache still holds lines from the pass before"]
        if any("lanes" in cell.strategy for block in blocks for cell in block.cells.values()):
            reasons.append("lanes do not fetch the fields that the loop does not read")
        if passes.is_hardware(run):
            reasons.append("a prefetcher hides misses")
        yield f"Below the floor at {' and '.join(places)}: {wording.listing(reasons)}."


_INSTRUCTIONS_ROW = 16.5  # points


def instructions_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At both ends of what was counted; None if nothing was."""
    instructions = series.counter(INSTRUCTIONS.name)
    counted = [block for block in sweep.blocks if any(instructions(cell) is not None for cell in block.cells.values())]
    if not counted:
        return None
    shown = counted[:1] + counted[1:][-1:]
    drawn = series.shown(sweep.strategies, shown, instructions)
    cells = [[block.cells[name] for name in drawn if name in block.cells and (
        block.cells[name].error or instructions(block.cells[name]) is not None)] for block in shown]
    groups = [Group(wording.place(sweep.axis, block), "", its) for block, its in zip(shown, cells)]
    title = wording.title(sweep.workload, sweep.parameters)

    def draw_bar(plot: Plot, y: float, cell: Cell) -> str:
        plot.bar(y, 0, instructions(cell), _INSTRUCTIONS_ROW * 0.62, color=canvas.looks[cell.strategy].colour.light,
                 linewidth=0)
        return wording.figure(instructions(cell))

    told = [f"At {group.heading}: " + ", ".join(f"{cell.strategy} {wording.figure(instructions(cell))}"
                                               for cell in group.cells if not cell.error) for group in groups]
    note = "Shown are the smallest and the largest block; the table has the others."
    return Rows(groups, row=_INSTRUCTIONS_ROW, figures=70).chart(
        canvas, chart_name("instructions", sweep), f"Instructions of {title}", title,
        f"instructions per item, {passes.source(run, passes.CACHE)}", f"{'. '.join(told)}.",
        amounts(max(instructions(cell) or 0 for its in cells for cell in its)), draw_bar,
        notes=(*[note] * (len(counted) > len(shown)), *series.strategies_note(sweep.strategies, drawn)))


BYTES, _PEAK = HELD.name, "peak_bytes_per_entity"
_SHARES_OF_BYTES = ("payload_bytes_per_entity", "index_bytes_per_entity", "slack_bytes_per_entity")

_BYTES_ROW = 17.5  # points
_PEAK_MARK = {"color": INK.light, "marker": "|", "markersize": 10, "markeredgewidth": 1.6}


def memory_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At the largest of the blocks with the most complete figures; None if none was."""
    block = sweep.largest_with(lambda cell: BYTES in cell.counters)
    if block is None:
        return None
    strategies = [cell.strategy for cell in block.cells.values() if cell.error or BYTES in cell.counters]
    drawn = series.shown(strategies, [block], series.counter(BYTES))
    place = wording.place(sweep.axis, block)
    note = f"Shown is the largest of the blocks with the most complete figures, {place}; the table has all."
    return bytes_chart(
        canvas, run, chart_name("memory", sweep), wording.title(sweep.workload, sweep.parameters),
        {place: [block.cells[name] for name in drawn]},
        (*[note] * (len(sweep.blocks) > 1), *passes.left_out(run, passes.MEMORY, sweep),
         *passes.limits(run, passes.MEMORY), *series.notes(sweep, [block], strategies, drawn)))


def bytes_chart(canvas: Canvas, run: Run, name: str, title: str, groups: Mapping[str, list[Cell]],
                notes: tuple[str, ...]) -> Chart:
    """Of groups of cells, by their headings."""
    def draw_bar(plot: Plot, y: float, cell: Cell) -> str:
        _draw_shares(plot, y, _BYTES_ROW * 0.6, _shares_of_bytes(cell), canvas.looks[cell.strategy].colour)
        peak = cell.counters.get(_PEAK)
        if peak is not None:
            plot.marker(peak, y, **_PEAK_MARK)
        return wording.figure(cell.counters[BYTES]) + ("" if peak is None else f" ({wording.figure(peak)})")

    def draw_legend(figure: Figure, _: Plot) -> None:
        _draw_share_legend(figure, "slack", Line2D([], [], label="peak", linestyle="none", **_PEAK_MARK))

    most = max(cell.counters.get(name, 0) for its in groups.values() for cell in its for name in (BYTES, _PEAK))
    told = [f"at {heading}: {'; '.join(_bytes_in_words(its))}" for heading, its in groups.items()]
    return Rows([Group(heading, "bytes (peak)", its) for heading, its in groups.items()], row=_BYTES_ROW, figures=_FIGURES,
                footer=_LEGEND_HEIGHT).chart(
        canvas, name, f"Memory of {title}", title, f"bytes per entity, {passes.source(run, passes.MEMORY)}",
        f"Bytes per entity {'. '.join(told)}.", amounts(most), draw_bar, beside=draw_legend, notes=notes)


def _shares_of_bytes(cell: Cell) -> tuple[float, float, float]:
    """All in the last one if only the sum is known."""
    if not any(name in cell.counters for name in _SHARES_OF_BYTES):
        return 0.0, 0.0, cell.counters[BYTES]
    payload, index, slack = (cell.counters.get(name, 0.0) for name in _SHARES_OF_BYTES)
    return payload, index, slack


def _bytes_in_words(cells: list[Cell]) -> Iterator[str]:
    for cell in cells:
        if BYTES in cell.counters:
            shares = ", ".join(f"{name.partition('_')[0]} {wording.figure(cell.counters.get(name))}"
                               for name in (*_SHARES_OF_BYTES, _PEAK))
            yield f"{cell.strategy} {wording.figure(cell.counters[BYTES])} ({shares})"
