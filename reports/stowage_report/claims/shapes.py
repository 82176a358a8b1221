"""The shapes that tests of claims have: slower than a rival, more than a bar, and how they are put into words.

Each place of a claim's range is decided by itself, with the words of the suite: of a rival it is *worse* (slower),
*equal*, ahead, or *open*; of a bar above it, below it, or open. A claim that speaks of *everywhere* holds or is refuted if
all of its places are decided that way. If two of them differ, it depends, and the boundary between them is its figure. If
one is open, it is undecided. A claim that speaks of *somewhere* needs one place (`somewhere_slower`).
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Callable, Mapping, Sequence

from stowage_report.claims.evidence import (BYTES, INSTRUCTIONS, MISSES, MOST_PROCESSES, TIME, Evidence, Missing, OfProcesses,
                                            Where)
from stowage_report.claims.ruling import Interval, Part, Ruling, Verdict, hull, interval_text
from stowage_report.data import wording
from stowage_report.data.crossing import Crossing, RatioCurve
from stowage_report.data.estimates import Estimate, Standing, standing_of, times_as_much
from stowage_report.data.model import ENTITIES

#: Of a figure that is said to be about so much: a quarter more or less.
ABOUT = 0.25
#: No longer "cheap": twice.
MUCH = 2
#: Differences in exact counts below this are not meant by more or less.
SAME = 0.02
_NOUNS = {INSTRUCTIONS: "instructions", MISSES: "misses", BYTES: "bytes"}


@dataclass(frozen=True)
class Trend:
    """How many times as much one thing takes as another, or how much it takes, along an axis."""

    ratios: Sequence[tuple[float, Estimate]]  # by place, ascending
    axis: str = ENTITIES
    unit: str = "times"

    @property
    def interval(self) -> Interval | None:
        """From the lowest end to the highest; None if one of them is not known."""
        return hull([(ratio.low, ratio.high) if ratio.has_interval else None for _, ratio in self.ratios])

    def told(self, what: str) -> str:
        """`a takes {} as long as b` -> `a takes 1.2 to 3.4 times as long as b (1k to 1M entities)`."""
        places = self.places((self.ratios[0][0], self.ratios[-1][0]), " to ")
        return f"{what.format(span([ratio.median for _, ratio in self.ratios]) + ' ' + self.unit)} ({places})"

    def places(self, values: Sequence[float], joint: str = " and ") -> str:
        """`1k and 16k entities`, `share:10 and 50`."""
        named = joint.join(dict.fromkeys(_place(value, self.axis) for value in values))
        return f"{named} entities" if self.axis == ENTITIES else f"{self.axis}:{named}"


def slower(trend: Trend, what: str) -> Ruling:
    """Holds if one thing is certainly slower than its rival at every place. One that is equal is no slower.

    `what` says of what: `a takes {} as long as b`.
    """
    return everywhere(trend, what, [beside_rival(ratio) for _, ratio in trend.ratios])


def no_slower(trend: Trend, what: str) -> Ruling:
    return _opposite(slower(trend, what), trend)


def more_than(bar: float, trend: Trend, what: str) -> Ruling:
    """Holds if the ratio is certainly above the bar at every place."""
    return everywhere(trend, what, [_beside_bar(ratio, bar) for _, ratio in trend.ratios], bar)


def at_most(bar: float, trend: Trend, what: str) -> Ruling:
    return _opposite(more_than(bar, trend, what), trend, bar)


def somewhere_slower(trends: Mapping[str, Trend], what: str) -> Ruling:
    """Of several curves, each by what it is of: holds if one place is certainly slower, refuted if none is."""
    told = "; ".join(f"{named}: {trend.told(what)}" for named, trend in trends.items())
    sides = {named: [beside_rival(ratio) for _, ratio in trend.ratios] for named, trend in trends.items()}
    interval = hull([trend.interval for trend in trends.values()])
    found = [f"{named}, at {trend.places([place for (place, _), side in zip(trend.ratios, sides[named]) if side > 0])}"
             for named, trend in trends.items() if 1 in sides[named]]
    if found:
        where = "; ".join(found)
        return Ruling(Verdict.HOLDS, f"{told}; certainly {where}", interval, short=f"certainly {where}")
    if not any(0 in its for its in sides.values()):
        return Ruling(Verdict.REFUTED, f"{told}; nowhere slower", interval)
    open_ones = [ratio for named, trend in trends.items() for (_, ratio), side in zip(trend.ratios, sides[named]) if not side]
    return undecided(f"{told}; nowhere certain", interval, [max(open_ones, key=lambda ratio: ratio.low or 0)])


def beside_rival(ratio: Estimate) -> int:
    """1 if it is certainly worse, -1 if it is equal or certainly ahead, 0 if it is open."""
    standing = standing_of(ratio)
    if standing is Standing.OPEN:
        return -1 if ratio.has_interval and ratio.high < 1 else 0
    return 1 if standing is Standing.WORSE else -1


def _beside_bar(ratio: Estimate, bar: float) -> int:
    """1 if it is certainly above, -1 if it is certainly not, 0 if it is open."""
    if not ratio.has_interval:
        return 0
    return 1 if ratio.low > bar else -1 if ratio.high <= bar else 0


def everywhere(trend: Trend, what: str, sides: list[int], bar: float | None = None) -> Ruling:
    """`sides` has 1 for each place that speaks for the claim, -1 against it, 0 if it is open."""
    told = trend.told(what)
    open_ones = [point for point, side in zip(trend.ratios, sides) if not side]
    open_told = f", open at {trend.places([place for place, _ in open_ones])}" if open_ones else ""
    against = _beyond(trend, lambda ratio: (bar or 1) / ratio.high)
    if 1 in sides and -1 in sides:
        return replace(_depends(trend, told, open_told, sides, bar), against=against)
    if open_ones:
        return undecided(f"{told}{open_told}", trend.interval, [ratio for _, ratio in open_ones], bar)
    return Ruling(Verdict.HOLDS if sides[0] > 0 else Verdict.REFUTED, told, trend.interval, against=against)


def _beyond(trend: Trend, times: Callable[[Estimate], float]) -> float:
    """The largest of all places, by the end of an interval that is certain."""
    return max([1.0, *(times(ratio) for _, ratio in trend.ratios if ratio.has_interval)])


def undecided(told: str, interval: Interval | None, open_ones: Sequence[OfProcesses], bar: float | None = None) -> Ruling:
    """With what would decide it. Each run of a command adds some processes."""
    fewest = min(ratio.processes for ratio in open_ones)
    if all(ratio.has_interval for ratio in open_ones):
        needed = max(ratio.processes * _times_as_much(ratio, bar) for ratio in open_ones)
        needs = (f"still open with {MOST_PROCESSES} processes" if needed > MOST_PROCESSES else
                 f"needs about {max(fewest + 1, math.ceil(needed))} processes, and has {fewest}")
    else:
        needs = f"needs more processes than {fewest}"
    return Ruling(Verdict.UNDECIDED, f"{told}; {needs}", interval, wants_processes=fewest < MOST_PROCESSES)


def _times_as_much(ratio: OfProcesses, bar: float | None) -> float:
    """How many times as many processes decide it."""
    if bar is None:
        return times_as_much(ratio)
    away = abs(math.log(ratio.median / bar))
    return (math.log(ratio.high / ratio.low) / 2 / away) ** 2 if away else math.inf


def inverted(ratio: OfProcesses) -> OfProcesses:
    """Of b / a, if it is of a / b."""
    ends = (1 / ratio.high, 1 / ratio.low) if ratio.has_interval else (None, None)
    return OfProcesses(1 / ratio.median, *ends, ratio.processes)


def _opposite(ruling: Ruling, trend: Trend, bar: float = 1) -> Ruling:
    opposite = {Verdict.HOLDS: Verdict.REFUTED, Verdict.REFUTED: Verdict.HOLDS}
    return replace(ruling, verdict=opposite.get(ruling.verdict, ruling.verdict),
                   against=_beyond(trend, lambda ratio: ratio.low / bar))


def takes_longer(evidence: Evidence, one: str, other: str, place: Where, what: str, *, axis: str = ENTITIES,
                 counted: str = INSTRUCTIONS) -> Ruling:
    """Speed is decided by time. What was counted of both is printed beside it."""
    ruling = slower(Trend(evidence.ratios(TIME, one, other, place, axis), axis), what)
    return ruling.beside(ratio_beside(evidence, counted, one, other, place, f"{_NOUNS[counted]} {{}}", axis))


def longer(*of: Any, **options: str) -> Part:
    """`takes_longer` by itself as a part of a claim."""
    return lambda evidence: takes_longer(evidence, *of, **options)


def longer_apart(one: tuple[str, Where], other: tuple[str, Where], what: str, axis: str = ENTITIES) -> Part:
    """As `longer`, of cells of different blocks."""
    def counted(evidence: Evidence) -> str:
        places = evidence.at_largest(INSTRUCTIONS, *(([strategy], place) for strategy, place in (one, other)))
        counts = [evidence.count(INSTRUCTIONS, strategy, place) for (strategy, _), place in zip((one, other), places)]
        return f"instructions {' and '.join(map(wording.figure, counts))}"

    return lambda evidence: slower(Trend(evidence.time_ratios_apart(one, other, axis), axis), what).beside(
        if_known(evidence, lambda: counted(evidence)))


def ratio_beside(evidence: Evidence, metric: str, one: str, other: str, place: Where, what: str,
                 axis: str = ENTITIES) -> str:
    """`what` of one / other, to be printed beside a figure; empty if the run does not have it."""
    def told() -> str:
        points = evidence.ratios(metric, one, other, place, axis)
        return Trend(points, axis).told(what) if points else ""
    return if_known(evidence, told)


def if_known(evidence: Evidence, tell: Callable[[], str]) -> str:
    """What stands beside a figure is no reason to leave it undecided, and is not asked for if it is not there. It says
    nothing of how processes scatter either."""
    asked, processes = len(evidence.asked), dict(evidence.processes)
    try:
        return tell()
    except Missing:
        del evidence.asked[asked:]
        return ""
    finally:
        evidence.processes = processes


def _depends(trend: Trend, told: str, open_told: str, sides: list[int], bar: float | None) -> Ruling:
    """With the boundary between each two neighbours that differ, which passes over places that are open."""
    decided = [index for index, side in enumerate(sides) if side]
    boundaries = [_boundary(trend, before, after, bar or 1) for before, after in pairwise(decided)
                  if sides[before] != sides[after]]
    level = "break-even" if bar is None else f"reaches {bar:g} {trend.unit}"
    interval = interval_text(trend.interval)
    certain = f" [{interval}]" if interval not in ("", "exact") else ""
    return Ruling(Verdict.DEPENDS, f"{told}{certain}, {level} {' and '.join(text for text, _ in boundaries)}{open_told}",
                  hull([ends for _, ends in boundaries]), tells_interval=True)


def _boundary(trend: Trend, before: int, after: int, bar: float) -> tuple[str, Interval]:
    """Where the ratio crosses the bar between two places, or these if it need not: a rival that is equal at one of them
    may be ahead there."""
    points = trend.ratios[before:after + 1]
    curve = RatioCurve([place for place, _ in points], [_over(ratio, bar) for _, ratio in points])
    if points[0][0] <= 0 or curve.sides[0] * curve.sides[-1] >= 0:
        return f"between {trend.places([points[0][0], points[-1][0]])}", (points[0][0], points[-1][0])
    (crossing,) = curve.crossings()
    ends = _ends(crossing, trend)
    return f"at {trend.places([crossing.at])} ({' to '.join(_place(end, trend.axis) for end in ends)})", ends


def _ends(crossing: Crossing, trend: Trend) -> Interval:
    """Of exact figures the measured places around it, because between these it is interpolated."""
    if crossing.low == crossing.high:
        places = [place for place, _ in trend.ratios]
        return (max(place for place in places if place <= crossing.at),
                min(place for place in places if place >= crossing.at))
    return (crossing.low, crossing.high)


def _place(value: float, axis: str) -> str:
    if float(value).is_integer():  # one that was measured
        return wording.axis_value(axis, value)
    return wording.number(value)


def holds_if(condition: bool, figure: str, *values: float) -> Ruling:
    """Of exact figures: they fulfil the condition, or they do not."""
    return Ruling(Verdict.HOLDS if condition else Verdict.REFUTED, figure, exactly(*values))


def exactly(*values: float) -> Interval:
    return (min(values), max(values))


def span(values: Sequence[float]) -> str:
    """`1.2 to 3.4`, or `1.2` if that is all."""
    low, high = wording.number(min(values)), wording.number(max(values))
    return low if low == high else f"{low} to {high}"


def _over(ratio: Estimate, times: float) -> Estimate:
    """Without an interval nothing is certain: it might be anything."""
    low, high = (ratio.low, ratio.high) if ratio.has_interval else (1e-9, 1e9)
    return Estimate(ratio.median / times, low / times, high / times)
