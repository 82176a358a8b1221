"""Tables as CSV: as files beside the page, and as links inside it that hold the same."""

import csv
import io
from base64 import b64encode
from dataclasses import dataclass
from gzip import compress
from itertools import chain, count
from pathlib import Path
from typing import Iterable, Sequence
from urllib.parse import quote

from stowage_report.charts.canvas import file_name
from stowage_report.data.model import Block, Cell, Run, Sweep

TABLES = "tables"
#: What a URI of this kind may hold as it is, and what is safe in an attribute besides.
_PLAIN = "!$()*+,/:;=?@[]|"


@dataclass(frozen=True)
class Download:
    name: str  # of its file
    text: str

    @property
    def link(self) -> tuple[str, str]:
        """To the table inside the page, with the name that it is saved by. Packed if that is shorter, as it is for all but
        the smallest; the page's script unpacks it again."""
        plain = f"data:text/csv;charset=utf-8,{quote(self.text, safe=_PLAIN)}"
        bytes_of_gzip = b64encode(compress(self.text.encode(), mtime=0)).decode()  # no time: equal tables, equal pages
        packed = f"data:application/gzip;base64,{bytes_of_gzip}"
        return (plain, self.name) if len(plain) <= len(packed) else (packed, f"{self.name}.gz")


class Downloads:
    """Of one page; no two have one name."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def add(self, text: str, *name: str) -> Download:
        stem = file_name(*name)
        names = chain([f"{stem}.csv"], (f"{stem}-{number}.csv" for number in count(2)))
        free = next(each for each in names if each not in self._texts)
        self._texts[free] = text
        return Download(free, text)

    def write(self, directory: Path) -> None:
        (directory / TABLES).mkdir()
        for name, text in self._texts.items():
            (directory / TABLES / name).write_text(text, encoding="utf-8")


_FIRST = ["workload", "strategy", "entities"]
#: Of times; the pages' scripts take what follows the last one for counters.
_FIGURES = ("ns_per_item", "ratio_to_reference", "ratio_to_contract", "ratio_to_best")


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
    names = [name for name in _FIGURES if name != "ratio_to_contract" or any(name in row for row in rows)]
    figures = [name + suffix for name in names for suffix in ("", "_low", "_high")]
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
    row: dict[str, object] = {"workload": block.workload, "strategy": cell.strategy, "entities": block.entities,
                              "standing": cell.standing.value, "error": cell.error}
    row |= {f"parameter:{key}": value for key, value in block.parameters}
    if cell.samples:
        row["repetitions"] = len(cell.samples)
    estimates = (cell.ns_per_item, cell.ratio_to_reference, cell.ratio_to_contract,
                 block.ratios_to_best.get(cell.strategy))
    for name, estimate in zip(_FIGURES, estimates):
        if estimate:
            row[name] = _compact(estimate.median)
            if estimate.has_interval:
                row |= {f"{name}_low": _compact(estimate.low), f"{name}_high": _compact(estimate.high)}
    return row | {key: _compact(value) for key, value in cell.counters.items()}


def _compact(value: float) -> str:
    """Seven digits: more than any clock gives, and integers whole."""
    return str(int(value)) if float(value).is_integer() else f"{value:.7g}"
