"""What runs of several machines say together: for each kind of work which storage wins where, and what holds everywhere.

Nothing is measured or averaged across machines. Each run gives the verdicts of its own report, with their intervals, and
these are compared: a strategy is among the best of a run if it is the best there, equal to it, or open.
"""

import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Mapping, Sequence

from stowage_report.claims import Evaluation, Verdict as Ruled, evaluate
from stowage_report.data import wording
from stowage_report.data.environment import architecture
from stowage_report.data.model import Run
from stowage_report.data.verdicts import KINDS, Contender, Kind, Verdict, by_size, verdicts


class Agreement(Enum):
    """Of the runs that decide."""

    HOLDS = "holds"  # one strategy is certainly ahead in every run
    EQUAL = "equal"  # one strategy or several are certainly the best or equal to it in every run
    OPEN = "open"  # one strategy or several are among the best in every run
    DEPENDS = "depends"  # none is, of the strategies that every run measured
    INCOMPARABLE = "incomparable"  # none is, and what is in one was not measured in another
    UNDECIDED = "undecided"  # fewer than two runs have a verdict


@dataclass(frozen=True)
class Cell:
    """What one run says of one kind of work."""

    verdict: Verdict | None  # None if the run did not measure it

    @property
    def is_decided(self) -> bool:
        return self.verdict is not None and self.verdict.has_intervals

    @cached_property
    def answers(self) -> list[Verdict]:
        """One, or one for each size if these have different winners; none if the run decides nothing."""
        return by_size([self.verdict]) if self.is_decided else []

    @cached_property
    def leaders(self) -> list[str]:
        """What may be the best at every size; empty if the run decides nothing."""
        possible = [[each.strategy for each in (its.pick, *its.others)] for its in self.answers]
        return [name for name in possible[0] if all(name in names for names in possible)] if possible else []

    @property
    def is_certain(self) -> bool:
        """One strategy alone is ahead, at every size."""
        return bool(self.leaders) and not any(its.others for its in self.answers)

    def ratios_if_worse(self, name: str) -> list[float]:
        """By how many times the best, in each answer; empty if it is not worse in all of them."""
        ratios = [each.to_best.median for its in self.answers for each in its.worse if each.strategy == name]
        return ratios if len(ratios) == len(self.answers) else []

    @cached_property
    def by_strategy(self) -> Mapping[str, Contender]:
        return {each.strategy: each for each in self.verdict.contenders} if self.verdict else {}


@dataclass(frozen=True)
class Row:
    """A kind of work in every run."""

    kind: Kind
    cells: tuple[Cell, ...]  # one of each run

    @cached_property
    def decided(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.is_decided]

    @cached_property
    def everywhere(self) -> list[str]:
        """Among the best in every run that decides; the one that costs least where it costs most comes first."""
        if not self.decided:
            return []
        common = [name for name in self.decided[0].leaders if all(name in cell.leaders for cell in self.decided)]
        return sorted(common, key=lambda name: max(cell.by_strategy[name].to_best.median for cell in self.decided))

    @cached_property
    def not_everywhere_measured(self) -> list[str]:
        """What is among the best in a run that decides and was not measured in another."""
        leaders = dict.fromkeys(name for cell in self.decided for name in cell.leaders)
        return [name for name in leaders if not all(name in cell.by_strategy for cell in self.decided)]

    @cached_property
    def agreement(self) -> Agreement:
        if len(self.decided) < 2:
            return Agreement.UNDECIDED
        if not self.everywhere:
            return Agreement.INCOMPARABLE if self.not_everywhere_measured else Agreement.DEPENDS
        if all(cell.is_certain for cell in self.decided):
            return Agreement.HOLDS
        is_open = any(its.open for cell in self.decided for its in cell.answers)
        return Agreement.OPEN if is_open else Agreement.EQUAL

    @property
    def most_often(self) -> tuple[str, int] | None:
        """What is among the best in the most runs that decide, and in how many."""
        return next(iter(Counter(name for cell in self.decided for name in cell.leaders).most_common(1)), None)

    @property
    def told(self) -> str:
        """Why, in a sentence."""
        if self.agreement is Agreement.UNDECIDED:
            return f"{wording.plural(len(self.decided), 'run')} decided, and it takes two."
        if self.agreement is Agreement.INCOMPARABLE:
            names = wording.listing(self.not_everywhere_measured)
            return f"not comparable: other strategies were measured; not every run has {names}."
        runs = f"every run{self.that_decide}"
        alone = sum(cell.is_certain for cell in self.decided)
        if self.agreement is Agreement.HOLDS:
            return f"certainly ahead in {runs}."
        if self.agreement in (Agreement.EQUAL, Agreement.OPEN):
            return f"among the best in {runs}; certainly ahead {f'in {alone}' if alone else 'in none'}."
        return f"no storage is among the best in {runs}."

    @property
    def that_decide(self) -> str:
        """After "every run": how many decide, if not all of them do."""
        decided, runs = len(self.decided), len(self.cells)
        return f" that decides ({decided} of {runs})" if decided < runs else ""

    @cached_property
    def never(self) -> list[tuple[str, float, float]]:
        """Worse in every run that decides: by how many times the best, at least and at most."""
        found = {name: [cell.ratios_if_worse(name) for cell in self.decided] for name in self.strategies}
        return [(name, min(map(min, its)), max(map(max, its))) for name, its in found.items() if its and all(its)]

    @property
    def strategies(self) -> list[str]:
        return list(dict.fromkeys(name for cell in self.cells for name in cell.by_strategy))


@dataclass(frozen=True)
class ClaimRow:
    """A claim, and the verdict of every run on it."""

    evaluations: tuple[Evaluation, ...]

    @property
    def claim(self):
        return self.evaluations[0].claim

    @property
    def decided(self) -> list[Ruled]:
        return [each.ruling.verdict for each in self.evaluations if each.ruling.verdict is not Ruled.UNDECIDED]

    @property
    def agrees(self) -> bool:
        """If two runs or more decide, and all alike."""
        return len(self.decided) > 1 and len(set(self.decided)) == 1


def rows_of(runs: Sequence[Run]) -> list[Row]:
    found = [{verdict.kind.name: verdict for verdict in verdicts(run)} for run in runs]
    rows = [Row(kind, tuple(Cell(by_kind.get(kind.name)) for by_kind in found)) for kind in KINDS]
    return [row for row in rows if any(cell.verdict for cell in row.cells)]


def claims_of(runs: Sequence[Run]) -> list[ClaimRow]:
    """Those that a run decides; each run decides alone."""
    rows = map(ClaimRow, zip(*(evaluate([run]) for run in runs)))
    return [row for row in rows if row.decided]


def _short(processor: str) -> str:
    """`Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz` -> `Intel Xeon Platinum 8370C`."""
    return re.sub(r"\((R|TM)\)| \d+-Core| CPU(?= @)| Processor| @ \S+", "", processor).strip()


def labels_of(runs: Sequence[Run]) -> list[str]:
    """Processor, compiler and architecture as far as they differ, and what else it takes to tell the runs apart."""
    def facts(run: Run) -> list[str]:
        record = run.record
        compiler, _, version = str(record.get("compiler", "")).partition(" ")
        name = {"GNU": "g++", "Clang": "clang++"}.get(compiler, compiler)
        return [_short(str(record.get("cpu_model"))), wording.plural(int(run.host.get("num_cpus") or 1), "processor"),
                f"{name} {version.split('.')[0]}", architecture(str(record.get("flags", ""))),
                f"{record.get('preset')}", f"{record.get('os')}", f"commit {record.get('commit')}",
                str(run.host.get("date"))[:16].replace("T", " "), run.name]

    table = [facts(run) for run in runs]
    differing = [place for place in range(len(table[0])) if len({line[place] for line in table}) > 1]
    told = [place for place in differing if place < 4] or [0, 2]
    for place in differing:
        labels = [", ".join(filter(None, (line[each] for each in told))) for line in table]
        if len(set(labels)) == len(labels):
            break
        told = sorted({*told, place})
    return [", ".join(filter(None, (line[each] for each in told))) for line in table]
