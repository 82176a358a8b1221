"""Rates from observations: how often each kind of verdict was right or wrong, with an interval, and in words."""

import math
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from stowage_report.calibrate.observe import BETTER, EQUAL, SLOWER, UNDECIDED
from stowage_report.compare.comparison import Verdict
from stowage_report.data.estimates import CONFIDENCE, Standing


@dataclass(frozen=True)
class Rate:
    """`count` of `of` cases; with the 95 % interval of Wilson (1927) if each is a run, because cases that share a run are
    not independent."""

    count: int
    of: int
    are_runs: bool = field(default=False, compare=False)

    @property
    def share(self) -> float:
        return self.count / self.of if self.of else math.nan

    @property
    def told(self) -> str:
        return f"{self.count:,} of {self.of:,}"

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
        middle = (self.count + z * z / 2) / (self.of + z * z)
        reach = z / (self.of + z * z) * math.sqrt(self.count * (self.of - self.count) / self.of + z * z / 4)
        return max(0.0, middle - reach), min(1.0, middle + reach)

    def __str__(self) -> str:
        """`96.0 % (93.1 to 98.0; 192 of 200)`, or `96.0 % (192 of 200)`."""
        if not self.of:
            return "not measured"
        low, high = self.interval
        interval = f"{100 * low:.1f} to {100 * high:.1f}; " if self.are_runs else ""
        return f"{100 * self.share:.1f} % ({interval}{self.told})"


@dataclass(frozen=True)
class Line:
    """One row of a table: what is counted, the aim if there is one, and the rate."""

    name: str
    aim: str
    rate: Rate


def _sum(counts: Iterable[Sequence[int]]) -> Rate:
    """Of pairs, `n of m` each."""
    return Rate(*map(sum, zip((0, 0), *counts)))


def _share(found: Iterable[bool]) -> Rate:
    known = list(found)
    return Rate(sum(known), len(known))


def decided(runs: Sequence[dict]) -> list[Line]:
    return [Line("comparisons with the best that are equal or worse, not open", "at least 75 %",
                 _sum(run["comparisons"] for run in runs)),
            Line("blocks in which nothing is open", "at least 50 %", _sum(run["blocks"] for run in runs))]


def copies(runs: Sequence[dict]) -> list[Line]:
    """Verdicts on an equal copy and on one that is 5 % slower. A wrong one excludes the truth: an equal copy is neither worse
    nor better, and one that is 5 % slower is not within 5 %."""
    equal, slower = ([run["copies"][str(percent)] for run in runs] for percent in (EQUAL, SLOWER))
    wrong = {EQUAL: (Standing.WORSE.value, BETTER), SLOWER: (Standing.EQUAL.value, BETTER)}

    def together(its: Sequence[dict], *among: str) -> Rate:
        return Rate(sum(each["together"] in among for each in its), len(its), are_runs=True)

    def by_block(its: Sequence[dict], *among: str) -> Rate:
        return _sum((sum(each["blocks"].get(name, 0) for name in among), sum(each["blocks"].values())) for each in its)

    looks = max((len(run["equal"]) for run in runs), default=0)
    return [
        *(Line(f"equal copies whose 95 % interval has 1, after look {look + 1}", "at least 93 %",
               _sum(run["equal"][look] for run in runs if look < len(run["equal"]))) for look in range(looks)),
        Line(f"all blocks together: {SLOWER} % slower is called worse", "at least 95 %", together(slower, Standing.WORSE.value)),
        Line("all blocks together: equal is called worse", "at most 1 %", together(equal, Standing.WORSE.value)),
        Line("all blocks together: equal is called equal", "", together(equal, Standing.EQUAL.value)),
        Line("one block: equal is called worse or better", "at most 1 %", by_block(equal, *wrong[EQUAL])),
        Line(f"one block: {SLOWER} % slower is called equal or better", "at most 1 %", by_block(slower, *wrong[SLOWER])),
        Line("one block: equal is called equal", "", by_block(equal, Standing.EQUAL.value)),
        Line(f"one block: {SLOWER} % slower is called worse", "", by_block(slower, Standing.WORSE.value)),
    ]


REPEATED = "lines that both runs decide: the pick is the pick of the next run, or equal to it there"


def repetition(runs: Sequence[dict]) -> list[Line]:
    """Of the lines of the screen, in runs of equal strategies."""
    def contradict(one: Mapping, other: Mapping) -> bool:
        return one["decided"] and other["decided"] and not set(one["winners"]) & set(other["winners"])

    consecutive = [both for one, other in pairwise(runs) for both in _common_lines(one, other)]
    return [
        Line("two runs have different certain winners of a line", "none",
             _share(any(contradict(*both) for both in _common_lines(*pair)) for pair in combinations(runs, 2))),
        Line(REPEATED, "at least 99 %",
             _share(one["pick"] in other["winners"] for one, other in consecutive if one["decided"] and other["decided"])),
        Line("the same of all lines, decided or open", "", _share(one["pick"] in other["winners"] for one, other in consecutive)),
        Line("lines that are decided", "", _share(line["decided"] for run in runs for line in run["lines"].values())),
    ]


def _common_lines(one: dict, other: dict) -> Iterator[tuple[Mapping, Mapping]]:
    return ((line, other["lines"][name]) for name, line in one["lines"].items() if name in other["lines"])


STRATEGY_CHANGED, CELL_CHANGED = "equal runs: a strategy is called changed", "equal runs: any cell is called changed"
STRATEGY_SLOWER = f"a strategy {SLOWER} % slower: called slower"


def comparison(runs: Sequence[dict]) -> list[Line]:
    """What `compare` says of a run and the one before it."""
    pairs = [run["pair"] for run in runs if "pair" in run]
    slower = [pair["slower"] for pair in pairs]

    def cells(verdict: str) -> Rate:
        return _sum((each["cells"].get(verdict, 0), sum(each["cells"].values())) for each in slower)

    return [
        Line(STRATEGY_CHANGED, "at most 1 %", _share(pair["strategies"][0] > 0 for pair in pairs)),
        Line(CELL_CHANGED, "at most 5 %", _share(pair["cells"][0] > 0 for pair in pairs)),
        Line("equal runs: cells called changed", "", _sum(pair["cells"] for pair in pairs)),
        Line(STRATEGY_SLOWER, "at least 95 %", _share(each["verdict"] == Verdict.SLOWER.value for each in slower)),
        Line(f"a strategy {SLOWER} % slower: undecided", "", _share(each["verdict"] == UNDECIDED for each in slower)),
        Line(f"a strategy {SLOWER} % slower: its cells called slower", "", cells(Verdict.SLOWER.value)),
        Line("a slower strategy: another is named, too", "", _share(each["others"] > 0 for each in slower)),
    ]


#: The tables, by what they are about.
TABLES: dict[str, Callable[[Sequence[dict]], list[Line]]] = {
    "What `quick` decides": decided, "Verdicts on copies": copies, "Two runs": repetition, "`compare`": comparison}


def of_quiet_runs(observations: Sequence[dict]) -> list[dict]:
    return [each for each in observations if each["quiet"]]


def lines(runs: Sequence[dict]) -> list[Line]:
    return [line for of_runs in TABLES.values() for line in of_runs(runs)]
