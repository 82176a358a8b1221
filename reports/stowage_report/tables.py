"""The figures of a sweep as a table: a row for each strategy, a column for each size."""

from __future__ import annotations

from dataclasses import dataclass

from stowage_report import wording
from stowage_report.estimates import Estimate
from stowage_report.model import REFERENCE, Block, Standing, Sweep


@dataclass(frozen=True)
class Figure:
    """A median and its interval, ready to print."""

    value: str
    interval: str


@dataclass(frozen=True)
class TableCell:
    mark: str  # says in words what bold type says to the eye
    ns_per_item: Figure | None = None
    ratio: Figure | None = None
    error: str = ""


@dataclass(frozen=True)
class Table:
    sizes: list[str]
    rows: list[tuple[str, list[TableCell | None]]]  # by strategy; None where it took no part


_MARKS = {Standing.BEST: "best", Standing.TIED: "tie", Standing.FAILED: "ERROR"}


def table_of(sweep: Sweep) -> Table:
    sizes = [wording.entities(block.entities) for block in sweep.blocks]
    return Table(sizes, [(name, [_cell(block, name) for block in sweep.blocks]) for name in sweep.strategies])


def _cell(block: Block, strategy: str) -> TableCell | None:
    cell = block.cells.get(strategy)
    if cell is None:
        return None
    standing = block.standing(strategy)
    return TableCell(
        _MARKS.get(standing, ""),
        _figure(cell.ns_per_item, " ns"),
        _figure(cell.ratio_to_reference, "\N{MULTIPLICATION SIGN}") if strategy != REFERENCE else None,
        cell.error,
    )


def _figure(estimate: Estimate | None, unit: str) -> Figure | None:
    return Figure(wording.number(estimate.median) + unit, wording.interval(estimate)) if estimate else None
