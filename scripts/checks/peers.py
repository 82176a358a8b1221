"""The tables of docs/record/peers.md: times beside the hand-written loop, and counts."""

from typing import Callable, Sequence

from stowage_report.data import wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import REFERENCE, Block, Run, is_hand_written
from tables import BREAK, NONE, place, quoted, table

COUNTS = ("instructions_per_item", "l1d_misses_per_item")
#: Of an interval, from one end to the other: what is beyond that is marked.
WIDE, MARK = 1.5, "~"


def tables(runs: Sequence[Run]) -> list[str]:
    """Times of runs, and below them counts of those that were not timed and so have no machine."""
    timed, counted = ([run for run in runs if bool(run.caches) == is_timed] for is_timed in (True, False))
    return [*rows_of(timed, "time, ratio to `reference`", [], time), "",
            *rows_of(counted, "instructions, misses per item", [REFERENCE], count)]


def rows_of(runs: Sequence[Run], corner: str, floors: list[str], text: Callable[[Block, str], str]) -> list[str]:
    """A row has all sizes of a workload with the same parameters, one below the other in each cell."""
    blocks = [block for run in runs for block in run.blocks]
    measured = dict.fromkeys(name for block in blocks for name in block.cells)
    names = floors + [name for name in measured if not is_hand_written(name)]
    rows: dict[str, list[list[str]]] = {}
    for block in blocks:
        texts = [text(block, name) for name in names]
        if set(texts) != {NONE}:
            rows.setdefault(place(block.workload, block.parameters), []).append([wording.entities(block.entities), *texts])
    return table([corner, "entities", *quoted(names)],
                 [[where, *map(BREAK.join, zip(*sizes))] for where, sizes in rows.items()])


def time(block: Block, name: str) -> str:
    cell = block.cells.get(name)
    return marked(cell.ratio_to_reference) if cell and cell.ratio_to_reference else NONE


def marked(ratio: Estimate) -> str:
    is_wide = not ratio.has_interval or ratio.high > WIDE * ratio.low
    return MARK * is_wide + wording.number(ratio.median)


def count(block: Block, name: str) -> str:
    figures = block.cells[name].counters if name in block.cells else {}
    return ", ".join(wording.number(figures[key]) for key in COUNTS) if COUNTS[0] in figures else NONE
