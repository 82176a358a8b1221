"""Bars of ratios: each strategy against the hand-written reference, and each variant against the plain form of its
family."""

from typing import Sequence

from matplotlib.figure import Figure

from stowage_report.charts import series
from stowage_report.charts.canvas import Canvas, Chart, file_name, headline
from stowage_report.charts.rows import Group, Plot, Rows, ratios
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate, estimate_ratio
from stowage_report.data.model import FLOORS, REFERENCE, Block, Cell, Run, Sweep, family_of

_ROW = 16.5  # points
_FIGURES = 120
#: The scale of variants shows at least what is between these ratios, so that noise does not look like a difference.
_NARROWEST = (0.8, 1.25)


def bars_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None if no cell has a ratio: `reference` was not measured, or failed."""
    blocks = [block for block in sweep.blocks if _has_ratios(block)]
    if not blocks:
        return None
    title = wording.title(sweep.workload, sweep.parameters)
    strategies = [name for name in sweep.strategies if name not in FLOORS]
    drawn = series.shown(strategies, blocks, series.time)
    groups = [_group(sweep, block, drawn) for block in series.some_of(blocks)]
    rows = Rows(groups, row=_ROW, figures=_FIGURES)
    low, high = _ends([cell.ratio_to_reference for group in groups for cell in group.cells])
    room = max((high / low) ** 0.03, 1.01)
    ruler = ratios(low / room, max(high * room, low * 1.5))

    def draw_bar(plot: Plot, y: float, cell: Cell) -> str:
        ratio = cell.ratio_to_reference
        if not ratio:
            return ""
        plot.bar(y, 1, ratio.median, _ROW * 0.62, color=canvas.looks[cell.strategy].colour.light, linewidth=0)
        return _in_words(ratio, "{} {}")

    def draw(figure: Figure) -> None:
        headline(figure, title, "times the reference, 95 % intervals; bold: best, equal or open")
        rows.draw(figure, ruler, draw_bar, lambda cell: cell.ratio_to_reference)

    return canvas.chart(
        file_name("bars", sweep.workload, wording.parameters(sweep.parameters)),
        f"Ratio to the reference of {title}",
        " ".join(f"At {group.heading}: {_told(group, lambda cell: cell.ratio_to_reference)}." for group in groups),
        draw,
        height=rows.height,
        notes=(*_notes(sweep, blocks), *series.notes(sweep, blocks, strategies, drawn)),
    )


def variants_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At the largest block with most of them. None if the chart of the sweep has room for all, or if no family has a
    plain form to compare with."""
    block = sweep.largest_with(lambda cell: bool(cell.ns_per_item))
    if not series.are_many(sweep.strategies) or block is None:
        return None
    groups = _families(block)
    if not groups:
        return None
    title, place = wording.title(sweep.workload, sweep.parameters), wording.place(sweep.axis, block)
    rows = Rows(groups, row=_ROW, figures=_FIGURES)
    found = {cell.strategy: ratio_to_plain(block, cell.strategy) for group in groups for cell in group.cells}
    low, high = _ends(found.values())
    ruler = ratios(min(low / 1.05, _NARROWEST[0]), max(high * 1.05, _NARROWEST[1]))

    def draw_row(plot: Plot, y: float, cell: Cell) -> str:
        ratio, look = found[cell.strategy], canvas.looks[cell.strategy]
        plot.marker(ratio.median, y, color=look.colour.light, marker=look.marker, markersize=look.marker_size)
        return _in_words(ratio, "{} {}")

    def draw(figure: Figure) -> None:
        headline(figure, f"{title}: variants", f"times the plain form of the family at {place}, 95 % intervals")
        rows.draw(figure, ruler, draw_row, lambda cell: found[cell.strategy])

    return canvas.chart(
        file_name("variants", sweep.workload, wording.parameters(sweep.parameters)),
        f"Variants on {title}",
        f"At {place}: " + " ".join(f"against {group.heading}: {_told(group, lambda cell: found[cell.strategy])}."
                                   for group in groups),
        draw,
        height=rows.height,
        notes=(f"Shown is {place}; the table has the others.",) * (len(sweep.blocks) > 1),
    )


def ratio_to_plain(block: Block, strategy: str) -> Estimate | None:
    """None if either has no times in this block."""
    cell, plain = block.cells.get(strategy), block.cells.get(family_of(strategy))
    if not (cell and plain and cell.samples and plain.samples):
        return None
    return estimate_ratio(cell.samples, plain.samples)


def _has_ratios(block: Block) -> bool:
    floor = block.cells.get(REFERENCE)
    return bool(floor and floor.ns_per_item) and any(cell.ratio_to_reference for cell in block.measured
                                                     if cell.strategy != REFERENCE)


def _group(sweep: Sweep, block: Block, drawn: list[str]) -> Group:
    floor = block.cells[REFERENCE].ns_per_item
    remark = f"reference: {wording.number(floor.median)} ns ({wording.interval(floor)})"
    cells = [block.cells[name] for name in drawn if name in block.cells]
    return Group(wording.place(sweep.axis, block), remark, cells, block.leaders)


def _families(block: Block) -> list[Group]:
    """A family each, without its plain form, which is 1 by definition."""
    members = {family: [block.cells[name] for name in names if name != family and ratio_to_plain(block, name)]
               for family, names in series.families(block.cells).items()}
    return [Group(family, "", cells, family=family) for family, cells in members.items() if cells]


def _ends(found: Sequence[Estimate | None]) -> tuple[float, float]:
    """Of all intervals, with 1 among them."""
    known = [ratio for ratio in found if ratio]
    return (min([1.0, *(ratio.low or ratio.median for ratio in known)]),
            max([1.0, *(ratio.high or ratio.median for ratio in known)]))


def _in_words(ratio: Estimate, form: str) -> str:
    return form.format(wording.times(ratio.median), wording.interval(ratio))


def _told(group: Group, ratio_of) -> str:
    return ", ".join(f"{cell.strategy} {_in_words(ratio, '{} ({})')}" for cell in group.cells
                     if (ratio := ratio_of(cell)))


def _notes(sweep: Sweep, blocks: list[Block]) -> tuple[str, ...]:
    missing = [block for block in sweep.blocks if block not in blocks]
    if not missing:
        return ()
    return (f"No bars at {wording.places(sweep.axis, missing)}: the reference has no figure there.",)
