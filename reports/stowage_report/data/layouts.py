"""How much of a figure's scatter is where its code lies: of runs with `--layouts`."""

import math
from collections import defaultdict
from statistics import fmean
from typing import Iterator

from stowage_report.data.model import REFERENCE, Block, Cell, Run, is_hand_written


def shares_of_layout(run: Run) -> dict[str, float]:
    """By cell, the share of the variance between repetitions that is one of code layouts; the rest is within a layout.
    Hand-written loops have one layout."""
    return {cell.name: share for block in run.blocks for cell in block.measured
            if not is_hand_written(cell.strategy) and (share := _share(list(_by_layout(block, cell)))) is not None}


def _by_layout(block: Block, cell: Cell) -> Iterator[list[float]]:
    """Logarithms of the ratios to the reference; of times where there is none."""
    reference = block.cells.get(REFERENCE)
    others = reference.samples if reference and reference.samples else [1.0] * len(cell.samples)
    groups = defaultdict(list)
    for layout, sample, other in zip(cell.layouts, cell.samples, others):
        groups[layout].append(math.log(sample / other))
    yield from groups.values()


def _share(groups: list[list[float]]) -> float | None:
    """The intraclass correlation of a one-way analysis of variance. None without two layouts and a spare repetition."""
    count = sum(map(len, groups))
    if len(groups) < 2 or count <= len(groups):
        return None
    middle = fmean(value for group in groups for value in group)
    between = sum(len(group) * (fmean(group) - middle) ** 2 for group in groups) / (len(groups) - 1)
    within = sum((value - fmean(group)) ** 2 for group in groups for value in group) / (count - len(groups))
    usual = (count - sum(len(group) ** 2 for group in groups) / count) / (len(groups) - 1)
    of_layout = max(0.0, (between - within) / usual)
    return of_layout / (of_layout + within) if of_layout + within > 0 else 0.0
