"""Bars of ratios: each strategy against the hand-written reference, and each variant against the base form of its
family."""

from typing import Callable, Iterable, Sequence

from stowage_report.charts import series
from stowage_report.charts.canvas import Canvas, Chart, chart_name
from stowage_report.charts.rows import Group, Plot, Rows, Ruler, ratios
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate, estimate_ratio
from stowage_report.data.model import FLOORS, REFERENCE, Block, Cell, Run, Sweep, family_of

_ROW = 16.5  # points
#: The scale of variants shows at least what is between these ratios, so that noise does not look like a difference.
_NARROWEST = (0.8, 1.25)


def bars_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None if no cell has a ratio: `reference` was not measured, or failed."""
    blocks = [block for block in sweep.blocks if _has_ratios(block)]
    if not blocks:
        return None
    title = wording.title(sweep.workload, sweep.parameters)
    strategies = [name for name in sweep.strategies if name not in FLOORS]
    if not any(name in block.cells for name in strategies for block in blocks):
        return None
    drawn = series.shown(strategies, blocks, series.time)
    groups = [_group(sweep, block, drawn) for block in series.some_of(blocks)]
    low, high = _ends([cell.ratio_to_reference for group in groups for cell in group.cells])
    room = max((high / low) ** 0.03, 1.01)

    def draw_bar(plot: Plot, y: float, cell: Cell, ratio: Estimate) -> None:
        plot.bar(y, 1, ratio.median, _ROW * 0.62, color=canvas.looks[cell.strategy].colour.light, linewidth=0)

    missing = [block for block in sweep.blocks if block not in blocks]
    note = f"No bars at {wording.places(sweep.axis, missing)}: the reference has no figure there."
    return _chart(canvas, chart_name("bars", sweep), f"Ratio to the reference of {title}", title,
                  "times the reference, 95 % intervals; bold: best, equal or open", groups, "At ",
                  lambda cell: cell.ratio_to_reference, ratios(low / room, max(high * room, low * 1.5)), draw_bar,
                  (*[note] * bool(missing), *series.notes(sweep, blocks, strategies, drawn)))


def variants_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At the largest block with most of them. None if the chart of the sweep has room for all, or if no family has a
    base form to compare with."""
    block = sweep.largest_with(lambda cell: bool(cell.ns_per_item))
    if not series.are_many(sweep.strategies) or block is None:
        return None
    # A family each, without its base form, which is 1 by definition.
    members = {family: [block.cells[name] for name in names if name != family and ratio_to_plain(block, name)]
               for family, names in series.families(block.cells).items()}
    groups = [Group(family, "", cells, family=family) for family, cells in members.items() if cells]
    if not groups:
        return None
    title, place = wording.title(sweep.workload, sweep.parameters), wording.place(sweep.axis, block)
    found = {cell.strategy: ratio_to_plain(block, cell.strategy) for group in groups for cell in group.cells}
    low, high = _ends(found.values())

    def draw_marker(plot: Plot, y: float, cell: Cell, ratio: Estimate) -> None:
        look = canvas.looks[cell.strategy]
        plot.marker(ratio.median, y, color=look.colour.light, marker=look.marker, markersize=look.marker_size)

    return _chart(canvas, chart_name("variants", sweep), f"Variants on {title}", f"{title}: variants",
                  f"times the base form of the family at {place}, 95 % intervals", groups, "against ",
                  lambda cell: found[cell.strategy], ratios(min(low / 1.05, _NARROWEST[0]), max(high * 1.05, _NARROWEST[1])),
                  draw_marker, (f"Shown is {place}; the table has the others.",) * (len(sweep.blocks) > 1),
                  beginning=f"At {place}: ")


def _chart(canvas: Canvas, name: str, called: str, title: str, subtitle: str, groups: list[Group], word: str,
           ratio_of: Callable[[Cell], Estimate | None], ruler: Ruler,
           draw_ratio: Callable[[Plot, float, Cell, Estimate], None], notes: Iterable[str], beginning: str = "") -> Chart:
    def draw_row(plot: Plot, y: float, cell: Cell) -> str:
        if not (ratio := ratio_of(cell)):
            return ""
        draw_ratio(plot, y, cell, ratio)
        return f"{wording.times(ratio.median)} {wording.interval(ratio)}"

    def told(group: Group) -> str:
        return ", ".join(f"{cell.strategy} {wording.times(ratio.median)} ({wording.interval(ratio)})" for cell in group.cells
                         if (ratio := ratio_of(cell)))

    return Rows(groups, row=_ROW, figures=150).chart(
        canvas, name, called, title, subtitle,
        beginning + " ".join(f"{word}{group.heading}: {told(group)}." for group in groups), ruler, draw_row,
        interval_of=ratio_of, notes=notes)


def ratio_to_plain(block: Block, strategy: str) -> Estimate | None:
    """None if either has no times in this block."""
    cell, plain = block.cells.get(strategy), block.cells.get(family_of(strategy))
    if not (cell and plain and cell.samples and plain.samples):
        return None
    return estimate_ratio(cell.samples, plain.samples)


def _has_ratios(block: Block) -> bool:
    return block.time_of(REFERENCE) is not None and any(cell.ratio_to_reference for cell in block.measured
                                                        if cell.strategy != REFERENCE)


def _group(sweep: Sweep, block: Block, drawn: list[str]) -> Group:
    floor = block.time_of(REFERENCE)
    remark = f"reference: {wording.number(floor.median)} ns ({wording.interval(floor)})"
    cells = [block.cells[name] for name in drawn if name in block.cells]
    return Group(wording.place(sweep.axis, block), remark, cells, block.leaders)


def _ends(found: Sequence[Estimate | None]) -> tuple[float, float]:
    """Of all intervals, with 1 among them."""
    lows, highs = zip((1.0, 1.0), *(ratio.ends for ratio in found if ratio))
    return min(lows), max(highs)
