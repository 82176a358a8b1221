"""What can be said of a claim: a verdict, and the figure with its interval that it rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Callable, Iterable, Mapping, Sequence

from stowage_report.data import wording

if TYPE_CHECKING:
    from stowage_report.claims.evidence import Evidence

#: Of the figure at all of its places, or of the boundary between places that differ. Exact figures have both ends at the
#: same place, several of them the smallest and the largest.
Interval = tuple[float, float]


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
    tells_interval: bool = False  # within `figure`: of each of its places, or of each part
    wants_processes: bool = False  # further ones may decide it
    parts: frozenset[Verdict] = frozenset()  # verdicts of the things that it says, if these are several
    against: float = 1.0  # how many times beyond its bar a place certainly lies, on the side that contradicts the claim

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
    parts: tuple[tuple[str, Part], ...]  # by what each is about
    speaks_of: str = "everywhere"  # all of its places must agree; somewhere: one is enough


def hull(intervals: Sequence[Interval | None]) -> Interval | None:
    """From the lowest end to the highest; None if one is not known."""
    if not intervals or None in intervals:
        return None
    return (min(low for low, _ in intervals), max(high for _, high in intervals))


def interval_text(interval: Interval | None) -> str:
    """`1.2 to 3.4`; `exact` for one that is a point, because nothing was estimated."""
    if interval is None:
        return ""
    if interval[0] == interval[1]:
        return "exact"
    first, last = map(wording.beside_one, interval)
    return first if first == last else f"{first} to {last}"


def _beside_others(ruling: Ruling) -> str:
    """Its figure with its own interval, if that is not in it."""
    interval = interval_text(ruling.interval)
    return ruling.figure if ruling.tells_interval or interval in ("", "exact") else f"{ruling.figure} [{interval}]"


def all_of(rulings: list[Ruling]) -> Ruling:
    """Of one thing that needs several: it is as good as the worst of them, and what is refuted in one is refuted.

    What is not known of one part cannot mend another, so a refuted part outweighs one that is undecided.
    """
    for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.DEPENDS, Verdict.HOLDS):
        deciding = [ruling for ruling in rulings if ruling.verdict is verdict]
        if deciding:
            others = [ruling for ruling in rulings if ruling.verdict not in (verdict, Verdict.UNDECIDED)]
            said = (*deciding, *others)
            first = deciding[0]
            if len(said) == 1:
                return first
            return Ruling(verdict, "; ".join(map(_beside_others, said)), first.interval, first.prediction,
                          tuple(other for ruling in said for other in ruling.others), first.sentence, tells_interval=True,
                          wants_processes=any(ruling.wants_processes for ruling in deciding), against=_furthest(deciding))
    raise ValueError("nothing to judge")


def apart(rulings: Mapping[str, Ruling]) -> Ruling:
    """Of several things that are said at once, or of several readings: the verdict that all of them share, else it
    depends on which is meant. Each is named, with its verdict.

    If two of them certainly differ, one that is undecided cannot make them agree.
    """
    if len(rulings) == 1:
        return next(iter(rulings.values()))
    verdicts = frozenset().union(*(ruling.parts or {ruling.verdict} for ruling in rulings.values()))
    if len(verdicts) == 1:
        verdict = next(iter(verdicts))
    elif Verdict.DEPENDS in verdicts or {Verdict.HOLDS, Verdict.REFUTED} <= verdicts:
        verdict = Verdict.DEPENDS
    else:
        verdict = Verdict.UNDECIDED
    figure = "; ".join(f"{name} ({ruling.verdict.value}): {_beside_others(ruling)}" for name, ruling in rulings.items())
    others = tuple(f"{name}: {other}" for name, ruling in rulings.items() for other in ruling.others)
    tells_most = (verdict,) if verdict is Verdict.UNDECIDED else (Verdict.REFUTED, Verdict.DEPENDS, Verdict.HOLDS)
    name, telling = next(item for most in tells_most for item in rulings.items() if item[1].verdict is most)
    return Ruling(verdict, figure, telling.interval, next(iter(rulings.values())).prediction, others, f"{name}: {telling.sentence}",
                  tells_interval=True, parts=verdicts, against=_furthest(rulings.values()),
                  wants_processes=verdict is Verdict.UNDECIDED and any(ruling.wants_processes for ruling in rulings.values()))


def somewhere(rulings: Mapping[str, Ruling]) -> Ruling:
    """Of several things of which one is enough, each with its verdict."""
    told = apart(rulings)
    if any(ruling.verdict is Verdict.HOLDS for ruling in rulings.values()):
        told = replace(told, verdict=Verdict.HOLDS, wants_processes=False)
    return replace(told, parts=frozenset())


def most_of(rulings: Mapping[str, Ruling]) -> Ruling:
    """Of several things of which more than half decide, each with its verdict."""
    told = replace(apart(rulings), parts=frozenset())
    for verdict in (Verdict.HOLDS, Verdict.REFUTED):
        deciding = {name: ruling for name, ruling in rulings.items() if ruling.verdict is verdict}
        if 2 * len(deciding) > len(rulings):
            name, telling = next(iter(deciding.items()))
            return replace(told, verdict=verdict, interval=hull([ruling.interval for ruling in deciding.values()]),
                           short=f"in {len(deciding)} of {len(rulings)}, as in {name}: {telling.sentence}",
                           wants_processes=False)
    if all(ruling.verdict is not Verdict.UNDECIDED for ruling in rulings.values()):
        return told
    return replace(told, verdict=Verdict.UNDECIDED, wants_processes=any(ruling.wants_processes for ruling in rulings.values()))


def _furthest(rulings: Iterable[Ruling]) -> float:
    return max(ruling.against for ruling in rulings)
