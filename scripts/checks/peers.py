"""Writes the tables of docs/peers.md between the two markers: times and counts beside the hand-written loop."""

from __future__ import annotations

import sys
from pathlib import Path

from section import replace_section
from stowage_report.console import UserError
from stowage_report.data import wording
from stowage_report.data.document import read_json
from stowage_report.data.load import load_run
from stowage_report.data.model import REFERENCE, Block, Run, is_hand_written

PAGE = Path(__file__).resolve().parents[2] / "docs/peers.md"
#: Of the tables of most workloads, and of those that a third argument names.
BEGIN, END = "<!-- tables{}: made by scripts/checks/peers -->", "<!-- end of tables{} -->"
NONE, BREAK = "-", "<br>"
#: Of an interval, from one end to the other: what is beyond that is marked.
WIDE, MARK = 1.5, "~"


def main(arguments: list[str]) -> int:
    try:
        if len(arguments) not in (2, 3):
            raise UserError("name a run directory, a file of `stowage cache --format json`, and perhaps which tables")
        which = f" {arguments[2]}" if len(arguments) == 3 else ""
        run = load_run(Path(arguments[0]))
        counts = counts_in(Path(arguments[1]))
        replace_section(PAGE, BEGIN.format(which), END.format(which), f"\n{tables(run, counts)}")
    except UserError as error:
        print(f"peers: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def counts_in(file: Path) -> dict[str, tuple[float, float]]:
    """Of each cell, by name, instructions and misses."""
    entries = read_json(file, "give what `stowage cache --format json` prints")["benchmarks"]
    return {entry["name"].removesuffix("_median"): (entry["instructions_per_item"], entry["l1d_misses_per_item"])
            for entry in entries if "instructions_per_item" in entry}


def tables(run: Run, counted: dict[str, tuple[float, float]]) -> str:
    def count(block: Block, name: str) -> str:
        figures = counted.get(block.cells[name].name) if name in block.cells else None
        return ", ".join(map(wording.number, figures)) if figures else NONE

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
