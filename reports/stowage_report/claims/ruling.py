"""What can be said of a claim: a verdict, and the figure with its interval that it rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Callable, Mapping

if TYPE_CHECKING:
    from stowage_report.claims.evidence import Evidence

#: Of the figure, or of the crossover; an end is None if it may lie beyond what was measured. Exact figures have
#: both ends at the same place, several of them the smallest and the largest.
Interval = tuple[float | None, float | None]


class Verdict(Enum):
    HOLDS = "holds"
    REFUTED = "refuted"
    DEPENDS = "depends"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Prediction:
    """A figure that the article gives, and what was counted in its place."""

    subject: str  # the strategy that it is about
    predicted: float
    room: float  # by which a count may differ from it
    counted: Mapping[str, float]  # by the order in which things were made


@dataclass(frozen=True)
class Ruling:
    verdict: Verdict
    figure: str  # that decides
    interval: Interval | None = None
    prediction: Prediction | None = None
    others: tuple[str, ...] = ()  # figures that decide nothing
    short: str = ""  # one sentence with the figure that tells most; see `sentence`

    @property
    def sentence(self) -> str:
        """For a reader who wants one figure: the README."""
        return self.short or self.figure

    @property
    def told(self) -> str:
        """Everything."""
        return f"{self.figure} (beside it: {'; '.join(self.others)})" if self.others else self.figure

    def beside(self, *told: str) -> Ruling:
        """With figures that decide nothing; an empty one is none."""
        return replace(self, others=(*self.others, *filter(None, told)))


#: One thing that a claim says: what the figures say to it.
Part = Callable[["Evidence"], Ruling]


@dataclass(frozen=True)
class Claim:
    id: str
    source: str
    heading: str  # of the article, below which the words stand
    quote: str  # at most a dozen words of it
    statement: str
    test: str  # how the words are read: which cells decide, and by how much
    why: str  # this test is the article's: its structure, its words and its conditions
    refuted_by: str
    parts: tuple[Part, ...]


def all_of(rulings: list[Ruling]) -> Ruling:
    """A claim of several parts is as good as the worst of them: what is refuted in one is refuted.

    What is not known of one part cannot mend another, so a refuted part outweighs one that is undecided.
    """
    for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.DEPENDS, Verdict.HOLDS):
        deciding = [ruling for ruling in rulings if ruling.verdict is verdict]
        if deciding:
            others = [ruling for ruling in rulings if ruling.verdict not in (verdict, Verdict.UNDECIDED)]
            said = (*deciding, *others)
            return Ruling(verdict, "; ".join(ruling.figure for ruling in said), deciding[0].interval,
                          deciding[0].prediction, tuple(other for ruling in said for other in ruling.others),
                          deciding[0].sentence)
    raise ValueError("a claim without parts")


def apart(rulings: Mapping[str, Ruling]) -> Ruling:
    """Of several things that are said at once, or of several readings: the verdict that all of them share, else it
    depends on which is meant. Each is named, with its verdict."""
    verdicts = {ruling.verdict for ruling in rulings.values()}
    verdict = verdicts.pop() if len(verdicts) == 1 else (
        Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.DEPENDS)
    figure = "; ".join(f"{name} ({ruling.verdict.value}): {ruling.figure}" for name, ruling in rulings.items())
    others = tuple(f"{name}: {other}" for name, ruling in rulings.items() for other in ruling.others)
    first = next(iter(rulings.values()))
    name = next((name for name, ruling in rulings.items() if ruling.verdict is Verdict.REFUTED), next(iter(rulings)))
    return Ruling(verdict, figure, first.interval, first.prediction, others, f"{name}: {rulings[name].sentence}")
