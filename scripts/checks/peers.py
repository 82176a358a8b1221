"""Writes the tables of docs/peers.md between the two markers: times and counts beside the hand-written loop."""

import sys
from pathlib import Path
from typing import Mapping

from section import BREAK, DOCS, NONE, counts_in, replace_section
from stowage_report.console import UserError, exit_code_of
from stowage_report.data import wording
from stowage_report.data.load import load_run
from stowage_report.data.model import REFERENCE, Block, Run, is_hand_written

PAGE = DOCS / "peers.md"
#: Of the tables of most workloads, and of those that a third argument names.
BEGIN, END = "<!-- tables{}: made by scripts/checks/peers -->", "<!-- end of tables{} -->"
COUNTS = ("instructions_per_item", "l1d_misses_per_item")
#: Of an interval, from one end to the other: what is beyond that is marked.
WIDE, MARK = 1.5, "~"


def main(arguments: list[str]) -> int:
    return exit_code_of(lambda: write(arguments))


def write(arguments: list[str]) -> None:
    if len(arguments) not in (2, 3):
        raise UserError("name a run directory, a file of `stowage cache --format json`, and perhaps which tables")
    which = f" {arguments[2]}" if len(arguments) == 3 else ""
    text = tables(load_run(Path(arguments[0])), counts_in(Path(arguments[1])))
    replace_section(PAGE, BEGIN.format(which), END.format(which), f"\n{text}")


def tables(run: Run, counted: Mapping[str, Mapping[str, float]]) -> str:
    def count(block: Block, name: str) -> str:
        figures = counted.get(block.cells[name].name, {}) if name in block.cells else {}
        return ", ".join(wording.number(figures[key]) for key in COUNTS) if COUNTS[0] in figures else NONE

    names = [name for name in dict.fromkeys(name for block in run.blocks for name in block.cells)
             if not is_hand_written(name)]
    times = table(run, "time, ratio to `reference`", names, time)
    counts = table(run, "instructions, misses per item", [REFERENCE, *names], count)
    return "\n".join([*times, "", *counts, ""])


def table(run: Run, corner: str, names: list[str], cell_text) -> list[str]:
    """A row has all sizes of a workload with the same parameters, one below the other in each cell."""
    rows: dict[str, list[list[str]]] = {}
    for block in run.blocks:
        texts = [cell_text(block, name) for name in names]
        if set(texts) != {NONE}:
            place = " ".join([f"`{block.workload}`", *(f"{key}:{value}" for key, value in block.parameters)])
            rows.setdefault(place, []).append([wording.entities(block.entities), *texts])
    return [" | ".join(["", corner, "entities", *(f"`{name}`" for name in names), ""]).strip(),
            "| --- |" + " ---: |" * (len(names) + 1),
            *(" | ".join(["", place, *map(BREAK.join, zip(*sizes)), ""]).strip() for place, sizes in rows.items())]


def time(block: Block, name: str) -> str:
    cell = block.cells.get(name)
    ratio = cell.ratio_to_reference if cell else None
    if not ratio:
        return NONE
    is_wide = not ratio.has_interval or ratio.high > WIDE * ratio.low
    return MARK * is_wide + wording.number(ratio.median)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
