"""What a run tells of the verdicts in it, and two runs of each other. One strategy of each has an equal copy and a slower
one; see harness/doctor/calibration.hpp."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Iterator

from stowage_report.compare.comparison import Comparison, TimeChange, Verdict
from stowage_report.compare.read import MeasuredFile, load_measured_file
from stowage_report.data import metrics
from stowage_report.data.estimates import Estimate, Samples, Standing, estimate_mean_ratio, estimate_ratio, judged_together, standing_of
from stowage_report.data.load import load_run
from stowage_report.data.model import Cell, Run
from stowage_report.data.verdicts import Verdict as Answer, verdicts

#: Percentages by which copies are slower: as in harness/doctor/calibration.hpp, which names them `strategy+5%`.
EQUAL, SLOWER = 0, 5
COPIES = "copies"
#: What stands for the verdict of a change without an interval.
UNDECIDED = "undecided"
#: Of a copy beside its original, where a run would say that the original is worse.
BETTER = "better"


@dataclass(frozen=True)
class MeasuredRun:
    """One run as it was stored: with its copies, after all looks, and without them, after the first look."""

    directory: Path

    @cached_property
    def without_copies(self) -> Run:
        return load_run(self.directory)

    @cached_property
    def with_copies(self) -> Run:
        return load_run(self.directory / COPIES)

    @cached_property
    def strategy(self) -> str:
        """The one that has copies."""
        return next(name.partition("+")[0] for name in self.with_copies.strategies if name.endswith("%"))

    @cached_property
    def file(self) -> MeasuredFile:
        return load_measured_file(str(self.directory))

    def slowed(self) -> MeasuredFile:
        """The run as if the strategy had been slower: the cells of the slower copy under its name, as far as the first look
        goes."""
        copy = f"/{self.strategy}+{SLOWER}%/"
        copies = {cell.name.replace(copy, f"/{self.strategy}/"): cell
                  for cell in load_measured_file(str(self.directory / COPIES)).cells if copy in cell.name}

        def taken(cell):
            other = copies.get(cell.name)
            return replace(other, name=cell.name, rounds=other.rounds[:len(cell.rounds)]) if other else cell

        return replace(self.file, cells=list(map(taken, self.file.cells)))


def observe_run(run: MeasuredRun) -> dict:
    """Counts, of which the rates are sums. `n of m` is a pair of numbers."""
    standings = [[cell.standing for cell in block.cells.values() if cell.standing in
                  (Standing.EQUAL, Standing.WORSE, Standing.OPEN)] for block in run.without_copies.blocks]
    open_ones = [sum(each is Standing.OPEN for each in block) for block in standings if block]  # alone, nothing is to decide
    compared = sum(map(len, standings))
    return {
        "strategy": run.strategy,
        "comparisons": [compared - sum(open_ones), compared],
        "blocks": [open_ones.count(0), len(open_ones)],
        "equal": _observe_equal_copies(run),
        "copies": {str(percent): _observe_copies(run, percent) for percent in (EQUAL, SLOWER)},
        "lines": {name: {"pick": answer.pick.strategy, "winners": [each.strategy for each in answer.winners],
                         "decided": not answer.open} for name, answer in _lines(run.without_copies)},
    }


def observe_pair(before: MeasuredRun, after: MeasuredRun) -> dict:
    """What `compare` says of two runs that must not share anything: as they are, and with the slower copy in the second."""
    equal, slowed = Comparison(before.file, after.file), Comparison(before.file, after.slowed())
    verdict = next(_judged(each) for each in slowed.strategies if each.strategy == after.strategy)
    cells = Counter(_judged(each) for each in slowed.cells if each.pair.strategy == after.strategy)
    return {"cells": [len(equal.significant), len(equal.cells)],
            "strategies": [len(_named(equal)), len(equal.strategies)],
            "slower": {"verdict": verdict, "cells": dict(cells),
                       "others": sum(name != after.strategy for name in _named(slowed))}}


def _observe_equal_copies(run: MeasuredRun) -> list[list[int]]:
    """Of each look, in how many blocks the 95 % interval of the ratio of two equal cells has 1, of how many that have one."""
    visits = _visits(run.with_copies)
    pairs = list(_pairs_of_cells(run, EQUAL))
    found = []
    for look in range(1, 1 + max((original.looks for _, original, _ in pairs), default=0)):
        ratios = [ratio for copy, original, _ in pairs if look <= original.looks
                  and (ratio := estimate_ratio(_until(copy, look, visits), _until(original, look, visits))).has_interval]
        found.append([sum(ratio.low <= 1 <= ratio.high for ratio in ratios), len(ratios)])
    return found


def _observe_copies(run: MeasuredRun, percent: int) -> dict:
    """How often the copy is equal to its original, worse, better or open at the first look, judged as beside the best of a
    block: the blocks one by one, each among the rivals that it has, and all together, where the original is the only rival."""
    visits = _visits(run.with_copies)
    cells = list(_pairs_of_cells(run, percent))
    pairs = [(_until(copy, 1, visits), _until(original, 1, visits)) for copy, original, _ in cells]
    ratios = [estimate_ratio(*pair, judged_together(rivals, 1)) for pair, (*_, rivals) in zip(pairs, cells)]
    together = estimate_mean_ratio(pairs, judged_together(1, 1)) if pairs else Estimate(1.0)
    return {"blocks": dict(Counter(map(_beside_original, ratios))), "together": _beside_original(together)}


def _beside_original(ratio: Estimate) -> str:
    standing = standing_of(ratio)
    return BETTER if standing is Standing.OPEN and ratio.has_interval and ratio.high < 1 else standing.value


def _pairs_of_cells(run: MeasuredRun, percent: int) -> Iterator[tuple[Cell, Cell, int]]:
    """Of each block the copy, its original, and how many rivals the best has without copies."""
    for block in run.with_copies.blocks:
        copy, original = (block.cells.get(name) for name in (f"{run.strategy}+{percent}%", run.strategy))
        if copy and original and copy.samples and original.samples:
            own = sum(not cell.strategy.endswith("%") for cell in metrics.candidates(block, metrics.TIME))
            yield copy, original, max(1, own - 1)


def _until(cell: Cell, look: int, visits: int) -> Samples:
    known = [place for place, process in enumerate(cell.samples.processes) if process < look * visits]
    return Samples([cell.samples[place] for place in known], cell.samples.intervals,
                   [cell.samples.processes[place] for place in known], cell.samples.population)


def _visits(run: Run) -> int:
    return run.record.get("visits", 1)


def _lines(run: Run) -> Iterator[tuple[str, Answer]]:
    """The answers of the screen, by the kind of work and the size if each has its own."""
    for answer in verdicts(run):
        yield answer.kind.name, answer
        for each in answer.sizes_apart:
            yield each.kind.name, each


def _named(comparison: Comparison) -> list[str]:
    return [each.strategy for each in comparison.strategies if each.verdict in (Verdict.SLOWER, Verdict.FASTER)]


def _judged(change: TimeChange) -> str:
    return change.verdict.value if change.interval else UNDECIDED
