"""The figures of a sweep as tables: times along the sweep's axis, and every counter of every cell."""

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
    places: list[str]
    rows: list[tuple[str, list[TableCell | None]]]  # by strategy; None where it took no part in the time pass


@dataclass(frozen=True)
class CounterTable:
    axis: str
    groups: list[tuple[str, list[str]]]  # what their counters are divided by, and the counters' names without it
    rows: list[tuple[str, str, list[str]]]  # strategy, place on the axis, figures


#: What is not divided by anything comes last.
_DIVISORS = ("_per_item", "_per_entity", "")
_MARKS = {Standing.BEST: "best", Standing.TIED: "tie", Standing.FAILED: "ERROR"}


def table_of(sweep: Sweep) -> Table:
    places = [wording.place(sweep.axis, block) for block in sweep.blocks]
    return Table(places, [(name, [_cell(block, name) for block in sweep.blocks]) for name in sweep.strategies])


def counter_table(sweep: Sweep) -> CounterTable | None:
    """None where no pass but the clock has taken a cell. What a cell does not have is absent in its row."""
    cells = [(block, cell) for block in sweep.blocks for cell in block.cells.values() if cell.counters]
    counters = sorted({name for _, cell in cells for name in cell.counters}, key=_divisor_then_label)
    if not set(counters) - {"items"}:
        return None
    groups: dict[str, list[str]] = {}
    for name in counters:
        divisor, label = _divisor_then_label(name)
        groups.setdefault(_DIVISORS[divisor].strip("_").replace("_", " ") or "in all", []).append(label)
    rows = [(cell.strategy, wording.axis_value(sweep.axis, block.value(sweep.axis)),
             [wording.figure(cell.counters.get(name)) for name in counters]) for block, cell in cells]
    return CounterTable(sweep.axis, list(groups.items()), rows)


def _divisor_then_label(counter: str) -> tuple[int, str]:
    """`l1d_misses_per_item` -> the place of `_per_item` in _DIVISORS, and `l1d misses`."""
    place = next(place for place, divisor in enumerate(_DIVISORS) if divisor in counter)
    return place, counter.replace(_DIVISORS[place], "", 1).replace("_", " ")


def _cell(block: Block, strategy: str) -> TableCell | None:
    cell = block.cells.get(strategy)
    standing = block.standing(strategy) if cell else Standing.UNTIMED
    if standing is Standing.UNTIMED:
        return None
    return TableCell(
        _MARKS.get(standing, ""),
        _figure(cell.ns_per_item, " ns"),
        _figure(cell.ratio_to_reference, "\N{MULTIPLICATION SIGN}") if strategy != REFERENCE else None,
        cell.error,
    )


def _figure(estimate: Estimate | None, unit: str) -> Figure | None:
    return Figure(wording.number(estimate.median) + unit, wording.interval(estimate)) if estimate else None
