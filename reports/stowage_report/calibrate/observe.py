"""What two equal runs tell of the verdicts on them. Both have copies of one strategy, one equal and others slower by
known shares; see harness/doctor/calibration.hpp."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from stowage_report.compare.comparison import Comparison, TimeChange, Verdict
from stowage_report.compare.read import MeasuredFile, load_measured_file
from stowage_report.data import wording
from stowage_report.data.estimates import estimate_ratio
from stowage_report.data.load import load_run
from stowage_report.data.model import Run, is_hand_written
from stowage_report.data.verdicts import verdicts

#: Percentages by which the copies are slower: as in harness/doctor/calibration.hpp, which names them `strategy+5%`.
SLOWDOWNS = (2, 3, 5, 10)
LARGE_REGRET = 0.05
COPIES = "copies"
#: What stands for the verdict of a change without an interval.
UNDECIDED = "undecided"


@dataclass(frozen=True)
class MeasuredRun:
    """One run as it was stored."""

    directory: Path
    strategy: str  # the one that has copies

    @cached_property
    def file(self) -> MeasuredFile:
        return load_measured_file(str(self.directory))

    @cached_property
    def copies(self) -> MeasuredFile:
        return load_measured_file(str(self.directory / COPIES))

    def slowed(self, percent: int) -> MeasuredFile:
        """The run as if the strategy had been that much slower: the cells of the copy under its name."""
        copy = f"{self.strategy}+{percent}%"
        copies = {cell.name.replace(f"/{copy}/", f"/{self.strategy}/"): cell
                  for cell in self.copies.cells if f"/{copy}/" in cell.name}
        return replace(self.file, cells=[replace(copies.get(cell.name, cell), name=cell.name)
                                         for cell in self.file.cells])


def observe_pair(first: MeasuredRun, second: MeasuredRun) -> dict:
    """Counts, of which the rates are sums; the runs must not share anything."""
    equal = Comparison(first.file, second.file)
    found = {
        "cells": len(equal.cells), "cells_named": len(equal.significant),
        "strategies": len(equal.strategies), "strategies_named": len(_named(equal)),
        "slowed": {str(percent): _observe_slowed(Comparison(first.file, second.slowed(percent)), first.strategy)
                   for percent in SLOWDOWNS},
    }
    runs = load_run(first.directory), load_run(second.directory)
    return found | _observe_picks(*runs) | observe_regret(*runs)


def observe_equal_cells(run: MeasuredRun) -> dict[str, list[int]]:
    """By number of entities, in how many blocks the 95 % interval of the ratio of two equal cells has 1, of how many."""
    found: dict[str, list[int]] = {}
    for block in load_run(run.directory / COPIES).blocks:
        one, other = block.cells.get(run.strategy), block.cells.get(f"{run.strategy}+0%")
        if not (one and other and one.samples and other.samples):
            continue
        ratio = estimate_ratio(other.samples, one.samples)
        counts = found.setdefault(wording.entities(block.entities), [0, 0])
        counts[0] += not ratio.has_interval or ratio.low <= 1 <= ratio.high
        counts[1] += 1
    return found


def observe_answers(before: dict, after: dict) -> dict:
    """Of two answers for one game, as `recommend --format json` gives them. The regret is unknown if the second had no
    time for the winner of the first."""
    winner = before["winner"]
    outcome = "same" if winner == after["winner"] else "equal or open" if after["winner"] in before["tied"] else "other"
    regrets = [each["ratio_to_winner"] - 1 for each in after["ranking"] if each["strategy"] == winner]
    return {"answer": outcome, "answer_regret": round(regrets[0], 4) if regrets else None}


def _named(comparison: Comparison) -> list[str]:
    return [each.strategy for each in comparison.strategies if each.verdict in (Verdict.SLOWER, Verdict.FASTER)]


def _judged(change: TimeChange) -> str:
    return change.verdict.value if change.interval else UNDECIDED


def _observe_slowed(comparison: Comparison, strategy: str) -> dict:
    """How the slower strategy and, by number of entities, its cells were judged, and how many others were named with
    it."""
    verdict = next(_judged(each) for each in comparison.strategies if each.strategy == strategy)
    cells: dict[str, Counter] = defaultdict(Counter)
    for each in comparison.cells:
        if each.pair.strategy == strategy:
            cells[wording.entities(each.pair.entities)][_judged(each)] += 1
    return {"verdict": verdict, "cells": {size: dict(verdicts) for size, verdicts in cells.items()},
            "others_named": len([name for name in _named(comparison) if name != strategy])}


def _observe_picks(before: Run, after: Run) -> dict:
    """For each kind of work, whether the pick of one run is that of the other, equal to it, or open."""
    picks = Counter()
    later = {verdict.kind.name: verdict for verdict in verdicts(after)}
    for verdict in verdicts(before):
        other = later.get(verdict.kind.name)
        if other is None:
            continue
        is_same = verdict.pick.strategy == other.pick.strategy
        may_be_best = other.pick.strategy in [each.strategy for each in verdict.others]
        picks["same" if is_same else "equal or open" if may_be_best else "other"] += 1
    return {"picks": dict(picks)}


def observe_regret(before: Run, after: Run) -> dict:
    """Of each block, what the best of one run costs in the other, above the best of that; nothing if that was called equal
    to it or open."""
    later = {(block.workload, block.entities, block.parameters): block for block in after.blocks}
    regrets = []
    for block in before.blocks:
        costs = {cell.strategy: cell.cost for cell in later[block.workload, block.entities, block.parameters].measured
                 if not is_hand_written(cell.strategy)}
        chosen = [cell for cell in block.measured if cell.strategy in costs]
        if chosen:
            best = min(chosen, key=lambda cell: cell.cost).strategy
            later_best = min(costs, key=costs.__getitem__)
            regrets.append(0.0 if later_best in block.leaders else costs[best] / costs[later_best] - 1)
    return {"blocks": len(regrets), "blocks_with_regret": sum(regret > LARGE_REGRET for regret in regrets),
            "largest_regret": round(max(regrets, default=0), 4)}
