"""The shapes that tests of claims have: more than so many times, about so much, and how they are put into words."""

from dataclasses import dataclass
from typing import Any, Callable, Sequence

from stowage_report.claims.evidence import BYTES, INSTRUCTIONS, MISSES, TIME, Evidence, Missing, Where
from stowage_report.claims.ruling import Interval, Part, Ruling, Verdict
from stowage_report.data import wording
from stowage_report.data.crossing import Crossing, RatioCurve
from stowage_report.data.estimates import Estimate
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
        """From the lowest end to the highest; None if there were too few rounds at every place."""
        known = [ratio for _, ratio in self.ratios if ratio.has_interval]
        return (min(ratio.low for ratio in known), max(ratio.high for ratio in known)) if known else None

    def told(self, what: str) -> str:
        """`a takes {} as long as b` -> `a takes 1.2 to 3.4 times as long as b (1k to 1M entities)`."""
        first, last = (wording.axis_value(self.axis, self.ratios[index][0]) for index in (0, -1))
        places = first if first == last else f"{first} to {last}"
        places = f"{places} entities" if self.axis == ENTITIES else f"{self.axis}:{places}"
        return f"{what.format(span([ratio.median for _, ratio in self.ratios]) + ' ' + self.unit)} ({places})"


def more_than(times: float, trend: Trend, what: str) -> Ruling:
    """Holds if the ratio is certainly above `times` wherever that can be told, at half of the places or more.

    `what` says of what: `a takes {} as long as b`.
    """
    curve = RatioCurve([place for place, _ in trend.ratios], [_over(ratio, times) for _, ratio in trend.ratios])
    above, below = curve.sides.count(1), curve.sides.count(-1)
    told = trend.told(what)
    if above and below:
        return _depends(curve, trend, times, told)
    if above + below == 0 or 2 * (above + below) < len(curve.sides):
        return Ruling(Verdict.UNDECIDED, f"{told}; needs narrower intervals: --preset full", trend.interval)
    certain = Trend([point for point, side in zip(trend.ratios, curve.sides) if side])
    return Ruling(Verdict.HOLDS if above else Verdict.REFUTED, told, certain.interval)


def at_most(times: float, trend: Trend, what: str) -> Ruling:
    """The opposite of `more_than`, crossing where that does."""
    opposite = {Verdict.HOLDS: Verdict.REFUTED, Verdict.REFUTED: Verdict.HOLDS}
    ruling = more_than(times, trend, what)
    return Ruling(opposite.get(ruling.verdict, ruling.verdict), ruling.figure, ruling.interval)


def takes_longer(evidence: Evidence, one: str, other: str, place: Where, what: str, *, axis: str = ENTITIES,
                 counted: str = INSTRUCTIONS) -> Ruling:
    """Speed is decided by time: that ratio is certainly above 1. What was counted of both is printed beside it.

    `what` says of what: `a takes {} as long as b`.
    """
    ruling = more_than(1, Trend(evidence.ratios(TIME, one, other, place, axis), axis), what)
    return ruling.beside(ratio_beside(evidence, counted, one, other, place, f"{_NOUNS[counted]} {{}}", axis))


def longer(*of: Any, **options: str) -> Part:
    """`takes_longer` by itself as a part of a claim."""
    return lambda evidence: takes_longer(evidence, *of, **options)


def longer_apart(one: tuple[str, Where], other: tuple[str, Where], what: str, axis: str = ENTITIES) -> Part:
    """As `longer`, of cells of different blocks."""
    def counted(evidence: Evidence) -> str:
        places = evidence.at_largest_common(INSTRUCTIONS, *(([strategy], place) for strategy, place in (one, other)))
        counts = [evidence.count(INSTRUCTIONS, strategy, place) for (strategy, _), place in zip((one, other), places)]
        return f"instructions {' and '.join(map(wording.figure, counts))}"

    return lambda evidence: more_than(1, Trend(evidence.time_ratios_apart(one, other, axis), axis), what).beside(
        if_known(evidence, lambda: counted(evidence)))


def ratio_beside(evidence: Evidence, metric: str, one: str, other: str, place: Where, what: str,
                 axis: str = ENTITIES) -> str:
    """`what` of one / other, to be printed beside a figure; empty if the run does not have it."""
    def told() -> str:
        points = evidence.ratios(metric, one, other, place, axis)
        return Trend(points, axis).told(what) if points else ""
    return if_known(evidence, told)


def if_known(evidence: Evidence, tell: Callable[[], str]) -> str:
    """What stands beside a figure is no reason to leave it undecided, and is not asked for if it is not there."""
    asked = len(evidence.asked)
    try:
        return tell()
    except Missing:
        del evidence.asked[asked:]
        return ""


def _depends(curve: RatioCurve, trend: Trend, times: float, told: str) -> Ruling:
    crossings = curve.crossings()
    places = "; ".join(crossing_text(crossing, trend) for crossing in crossings)
    level = "break-even" if times == 1 else f"and crosses {times:g} {trend.unit}"
    intervals = [crossing_ends(crossing, trend) for crossing in crossings]
    bounded = [interval for interval in intervals if None not in interval]
    return Ruling(Verdict.DEPENDS, f"{told}, {level} at {places}", (bounded or intervals)[0])


def crossing_text(crossing: Crossing, trend: Trend) -> str:
    """`9,300 entities (7,870 to 9,920)`."""
    low, high = (_place(end, trend.axis) for end in crossing_ends(crossing, trend))
    at = _place(crossing.at, trend.axis)
    return f"{at} entities ({low} to {high})" if trend.axis == ENTITIES else f"{trend.axis}:{at} ({low} to {high})"


def crossing_ends(crossing: Crossing, trend: Trend) -> Interval:
    """Of exact figures the measured places around it, because between these it is interpolated."""
    if crossing.low is not None and crossing.low == crossing.high:
        places = [place for place, _ in trend.ratios]
        return (max(place for place in places if place <= crossing.at),
                min(place for place in places if place >= crossing.at))
    return (crossing.low, crossing.high)


def _place(value: float | None, axis: str) -> str:
    if value is None:
        return "beyond what was measured"
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
