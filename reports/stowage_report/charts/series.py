"""Which strategies a chart shows if it has no room for all: the one rule for all charts.

Up to READABLE series are all shown. Beyond that a chart shows the base form of each family, and its best variant if
that beats the base form in the figure of the chart. Hand-written code is always shown: it is what the others are compared with, or a user asked for it.
The charts of each family, the tables and the CSV have all variants.
"""

import math
from statistics import fmean, median
from typing import Callable, Iterable, Sequence

from stowage_report.data import grouped, wording
from stowage_report.data.model import CONTRACT_FLOORS, Block, Cell, Sweep, family_of, is_hand_written, is_headline

#: Curves of one chart that a reader can follow, beside those of contract floors.
READABLE = 9
#: Groups of rows that are drawn all, and how many of more than those.
READABLE_BLOCKS, FEW_BLOCKS = 3, 3

#: What a chart is about; None if a cell does not have it.
Figure = Callable[[Cell], float | None]


def time(cell: Cell) -> float | None:
    return cell.ns_per_item.median if cell.ns_per_item else None


def counter(name: str) -> Figure:
    return lambda cell: cell.counters.get(name)


def shown(strategies: Sequence[str], blocks: Iterable[Block], figure: Figure) -> list[str]:
    """In the order given."""
    if not are_many(strategies):
        return list(strategies)
    blocks = list(blocks)
    kept = {name for name in strategies if is_headline(name) or is_hand_written(name)}
    kept |= {best(members, blocks, figure) for members in families(strategies).values()}
    return [name for name in strategies if name in kept]


def are_many(strategies: Sequence[str]) -> bool:
    return sum(name not in CONTRACT_FLOORS for name in strategies) > READABLE


def families(strategies: Iterable[str]) -> dict[str, list[str]]:
    """Those that have variants among `strategies`, which are not hand-written."""
    members = grouped((name for name in strategies if not is_hand_written(name)), family_of)
    return {family: names for family, names in members.items() if len(names) > 1 or not is_headline(names[0])}


def some_of(blocks: Sequence[Block]) -> list[Block]:
    """For a chart with a group of rows for each block: both ends and some between, if all would be too many."""
    if len(blocks) <= READABLE_BLOCKS:
        return list(blocks)
    step = (len(blocks) - 1) / (FEW_BLOCKS - 1)
    return [blocks[round(index * step)] for index in range(FEW_BLOCKS)]


def notes(sweep: Sweep, blocks: Sequence[Block], strategies: Sequence[str], drawn: Sequence[str]) -> tuple[str, ...]:
    """Say what of a chart with a group of rows for each block is not drawn, if anything."""
    missing = [block for block in blocks if block not in some_of(blocks)]
    note = (f"Not drawn: {wording.places(sweep.axis, missing)}; the table has them.",) if missing else ()
    return (*note, *strategies_note(strategies, drawn))


def strategies_note(strategies: Sequence[str], drawn: Sequence[str]) -> tuple[str, ...]:
    missing = len(strategies) - len(drawn)
    if not missing:
        return ()
    return (f"Each family is shown by its base form, and by its best variant if that is faster or smaller. "
            f"The table has {wording.plural(missing, 'other variant')}.",)


def best(members: Sequence[str], blocks: Iterable[Block], figure: Figure) -> str:
    """Of a family; its base form if no variant beats it."""
    costs = _costs(members, blocks, figure)
    return min(sorted(members, key=lambda name: not is_headline(name)), key=lambda name: costs.get(name, math.inf))


def _costs(members: Sequence[str], blocks: Iterable[Block], figure: Figure) -> dict[str, float]:
    """The mean over blocks of how many times the block's median each takes, as a logarithm."""
    parts: dict[str, list[float]] = {}
    for block in blocks:
        known = {name: figure(block.cells[name]) for name in members if name in block.cells}
        positive = {name: max(value, 1e-9) for name, value in known.items() if value is not None}
        middle = median(positive.values()) if positive else 1.0
        for name, value in positive.items():
            parts.setdefault(name, []).append(math.log(value / middle))
    return {name: fmean(values) for name, values in parts.items()}
