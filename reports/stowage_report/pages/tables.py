"""The times of a sweep as a table along its axis."""

from __future__ import annotations

from dataclasses import dataclass

from stowage_report.data import wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import REFERENCE, Block, Standing, Sweep


@dataclass(frozen=True)
class Figure:
    """A median and its interval, ready to print."""

    value: str
    interval: str


@dataclass(frozen=True)
class TableCell:
    name: str  # of the cell
    mark: str  # says in words what bold type says to the eye
    ns_per_item: Figure | None = None
    ratio: Figure | None = None
    error: str = ""


@dataclass(frozen=True)
class Table:
    places: list[str]
    rows: list[tuple[str, list[TableCell | None]]]  # by strategy; None where it took no part in the time pass


_MARKS = {Standing.BEST: "best", Standing.TIED: "tie", Standing.FAILED: "ERROR"}


def table_of(sweep: Sweep) -> Table:
    places = [wording.place(sweep.axis, block) for block in sweep.blocks]
    return Table(places, [(name, [_cell(block, name) for block in sweep.blocks]) for name in sweep.strategies])


def _cell(block: Block, strategy: str) -> TableCell | None:
    cell = block.cells.get(strategy)
    standing = block.standing(strategy) if cell else Standing.UNTIMED
    if standing is Standing.UNTIMED:
        return None
    return TableCell(
        cell.name,
        _MARKS.get(standing, ""),
        _figure(cell.ns_per_item, " ns"),
        _figure(cell.ratio_to_reference, "\N{MULTIPLICATION SIGN}") if strategy != REFERENCE else None,
        cell.error,
    )


def _figure(estimate: Estimate | None, unit: str) -> Figure | None:
    return Figure(wording.number(estimate.median) + unit, wording.interval(estimate)) if estimate else None
