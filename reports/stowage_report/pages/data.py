"""All figures of cells as CSV: what the charts and tables show, to be worked on elsewhere."""

from __future__ import annotations

import csv
import io
from typing import Iterable, Sequence

from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block, Cell, Run, Sweep

_FIRST = ["workload", "strategy", "entities"]
_FIGURES = ("ns_per_item", "ratio_to_reference", "ratio_to_best")


def csv_text(runs: Iterable[Run]) -> str:
    """One line for each cell; a column for each parameter and each counter that any cell has."""
    return _as_csv(["run", *_FIRST], [{"run": run.name} | _row(block, cell) for run in runs for block in run.blocks
                                      for cell in block.cells.values()])


def sweep_csv(sweep: Sweep) -> str:
    """The same of one sweep, in the order of its `cells`."""
    return _as_csv(_FIRST, [_row(block, cell) for block in sweep.blocks for cell in block.cells.values()])


def table_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerows([head, *rows])
    return output.getvalue()


def _as_csv(first: list[str], rows: list[dict[str, object]]) -> str:
    last = ["standing", "error"]
    figures = [name + suffix for name in _FIGURES for suffix in ("", "_low", "_high")]
    known = {*first, *last, *figures, "repetitions"}
    parameters = dict.fromkeys(key for row in rows for key in row if key.startswith("parameter:"))
    counters = sorted({key for row in rows for key in row} - known - set(parameters))
    columns = [*first, *parameters, "repetitions", *figures, *counters, *last]
    output = io.StringIO()
    writer = csv.DictWriter(output, columns, restval="", lineterminator="\n")
    writer.writerow({column: column.removeprefix("parameter:") for column in columns})
    writer.writerows(rows)
    return output.getvalue()


def _row(block: Block, cell: Cell) -> dict[str, object]:
    row: dict[str, object] = {
        "workload": block.workload,
        "strategy": cell.strategy,
        "entities": block.entities,
        "standing": block.standing(cell.strategy).value,
        "error": cell.error,
    }
    row |= {f"parameter:{key}": value for key, value in block.parameters}
    if cell.samples:
        row["repetitions"] = len(cell.samples)
    estimates = (cell.ns_per_item, cell.ratio_to_reference, block.ratios_to_best.get(cell.strategy))
    for name, estimate in zip(_FIGURES, estimates):
        row |= _columns(name, estimate)
    return row | {key: _compact(value) for key, value in cell.counters.items()}


def _columns(name: str, estimate: Estimate | None) -> dict[str, str]:
    if estimate is None:
        return {}
    columns = {name: _compact(estimate.median)}
    if estimate.has_interval:
        columns |= {f"{name}_low": _compact(estimate.low), f"{name}_high": _compact(estimate.high)}
    return columns


def _compact(value: float) -> str:
    """Seven digits: more than any clock gives, and integers whole."""
    return str(int(value)) if float(value).is_integer() else f"{value:.7g}"
