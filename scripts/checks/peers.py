"""Writes the tables of docs/peers.md between the two markers: times and counts beside the hand-written loop."""

from __future__ import annotations

import sys
from pathlib import Path

from stowage_report.console import UserError
from stowage_report.data import wording
from stowage_report.data.estimates import estimate_ratio
from stowage_report.data.load import load_run
from stowage_report.data.model import REFERENCE, Block, Run, is_hand_written

PAGE = Path(__file__).resolve().parents[2] / "docs/peers.md"
BEGIN, END = "<!-- tables: made by scripts/checks/peers -->", "<!-- end of tables -->"
NONE = "-"
#: Of an interval: then the table has it in place of the median.
WIDE = 1.5


def main(arguments: list[str]) -> int:
    try:
        if len(arguments) != 1:
            raise UserError("name one run directory")
        run = load_run(Path(arguments[0]))
        page = PAGE.read_text(encoding="utf-8")
        before, found, rest = page.partition(BEGIN)
        _, ended, after = rest.partition(END)
        if not (found and ended):
            raise UserError(f"{PAGE} has no section between '{BEGIN}' and '{END}'")
    except UserError as error:
        print(f"peers: {error}", file=sys.stderr)
        return error.exit_code
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables(run)}\n{END}{after}", encoding="utf-8")
    return 0


def tables(run: Run) -> str:
    names = [name for name in dict.fromkeys(name for block in run.blocks for name in block.cells)
             if not is_hand_written(name)]
    times = table(run, "time, ratio to `reference`", names, time)
    counts = table(run, "instructions, misses per item", [REFERENCE, *names], count)
    return "\n".join([*times, "", *counts, ""])


def table(run: Run, corner: str, names: list[str], cell_text) -> list[str]:
    rows = []
    for block in run.blocks:
        texts = [cell_text(block, name) for name in names]
        if set(texts) != {NONE}:
            place = " ".join([f"`{block.workload}`", *(f"{key}:{value}" for key, value in block.parameters)])
            rows.append(" | ".join(["", place, wording.entities(block.entities), *texts, ""]).strip())
    return [" | ".join(["", corner, "entities", *(f"`{name}`" for name in names), ""]).strip(),
            "| --- |" + " ---: |" * (len(names) + 1), *rows]


def time(block: Block, name: str) -> str:
    cell, base = block.cells.get(name), block.cells.get(REFERENCE)
    if not (cell and base and cell.samples and base.samples) or cell.error:
        return NONE
    ratio = estimate_ratio(cell.samples, base.samples)
    if ratio.has_interval and ratio.high > WIDE * ratio.low:
        return f"{wording.number(ratio.low)} to {wording.number(ratio.high)}"
    return wording.number(ratio.median)


def count(block: Block, name: str) -> str:
    cell = block.cells.get(name)
    figures = [cell.counters.get(counter) for counter in ("instructions_per_item", "l1d_misses_per_item")] if cell else []
    return ", ".join(map(wording.number, figures)) if figures and None not in figures else NONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
