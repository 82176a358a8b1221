"""Rates from observations: how often each kind of verdict was right or wrong, with an interval, and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Callable, Iterable, Sequence

from stowage_report.calibrate.observe import LARGE_REGRET, SLOWDOWNS, UNDECIDED
from stowage_report.compare.comparison import Verdict
from stowage_report.data.estimates import CONFIDENCE

#: Of the conditions, in the order in which they are shown.
CONDITIONS = {"quiet": "quiet", "relaid": "code laid out anew", "neighbour": "one busy neighbour",
              "busy": "all processors busy"}
UNQUIET = "unquiet"  # other programs than ours were running
PRECISIONS = ("quick", "standard")


@dataclass(frozen=True)
class Rate:
    """`count` of `of` cases; with the 95 % interval of Wilson (1927)."""

    count: int
    of: int

    @property
    def share(self) -> float:
        return self.count / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
        middle = (self.count + z * z / 2) / (self.of + z * z)
        reach = z / (self.of + z * z) * math.sqrt(self.count * (self.of - self.count) / self.of + z * z / 4)
        return max(0.0, middle - reach), min(1.0, middle + reach)

    def __str__(self) -> str:
        """`96.0 % (93.1 to 98.0, 192 of 200)`."""
        if not self.of:
            return "not measured"
        low, high = self.interval
        return f"{100 * self.share:.1f} % ({100 * low:.1f} to {100 * high:.1f}; {self.count:,} of {self.of:,})"


@dataclass(frozen=True)
class Line:
    """One row of the table: what is counted, the aim if there is one, and a rate for each condition."""

    name: str
    aim: str
    rate: Callable[[Sequence[dict]], Rate]


def _total(pairs: Iterable[dict], key: str) -> int:
    return sum(pair[key] for pair in pairs)


def _covered(kind: str, size: str = "") -> Callable[[Sequence[dict]], Rate]:
    def rate(observations: Sequence[dict]) -> Rate:
        counts = [counted for each in observations for its_size, counted in each.get(kind, {}).items()
                  if size in ("", its_size)]
        return Rate(sum(count for count, _ in counts), sum(of for _, of in counts))

    return rate


def _pairs(observations: Sequence[dict]) -> list[dict]:
    return [each for each in observations if "cells" in each]


def _of_pairs(is_counted: Callable[[dict], bool]) -> Callable[[Sequence[dict]], Rate]:
    return lambda observations: Rate(sum(map(is_counted, _pairs(observations))), len(_pairs(observations)))


def _of_totals(count: str, of: str) -> Callable[[Sequence[dict]], Rate]:
    return lambda observations: Rate(_total(_pairs(observations), count), _total(_pairs(observations), of))


def _strategy_is(percent: int, verdict: str) -> Callable[[Sequence[dict]], Rate]:
    return _of_pairs(lambda pair: pair["slowed"][str(percent)]["verdict"] == verdict)


def _cells_are(percent: int, verdict: str, size: str = "") -> Callable[[Sequence[dict]], Rate]:
    def rate(observations: Sequence[dict]) -> Rate:
        cells = [verdicts for pair in _pairs(observations)
                 for its_size, verdicts in pair["slowed"][str(percent)]["cells"].items() if size in ("", its_size)]
        return Rate(sum(each.get(verdict, 0) for each in cells), sum(sum(each.values()) for each in cells))

    return rate


def _answers(key: str, is_counted: Callable) -> Callable[[Sequence[dict]], Rate]:
    def rate(observations: Sequence[dict]) -> Rate:
        known = [each[key] for each in observations if each.get(key) is not None]
        return Rate(sum(map(is_counted, known)), len(known))

    return rate


def _picks(*outcomes: str) -> Callable[[Sequence[dict]], Rate]:
    def rate(observations: Sequence[dict]) -> Rate:
        picks = [pair["picks"] for pair in _pairs(observations)]
        return Rate(sum(each.get(outcome, 0) for each in picks for outcome in outcomes),
                    sum(sum(each.values()) for each in picks))

    return rate


def lines(sizes: Sequence[str] = ()) -> list[Line]:
    """All rows; those on cells also for each of `sizes`."""
    of_sizes = {"": "", **{size: f", {size} entities" for size in sizes}}
    found = [Line(f"equal cells whose 95 % interval has 1, {precision}{words}", "" if size else "at least 93 %",
                  _covered(f"equal_{precision}", size)) for precision in PRECISIONS for size, words in of_sizes.items()]
    found += [
        Line("equal runs: a strategy is called changed", "at most 1 %", _of_pairs(lambda pair: pair["strategies_named"] > 0)),
        Line("equal runs: any cell is called changed", "at most 5 %", _of_pairs(lambda pair: pair["cells_named"] > 0)),
        Line("equal runs: cells called changed", "", _of_totals("cells_named", "cells")),
    ]
    strategy_aims, cell_aims = {5: "at least 95 %", 3: "at least 80 %"}, {10: "at least 90 %"}
    for percent in SLOWDOWNS:
        slower = f"a strategy {percent} % slower"
        found += [
            Line(f"{slower}: called slower", strategy_aims.get(percent, ""), _strategy_is(percent, Verdict.SLOWER.value)),
            Line(f"{slower}: undecided", "", _strategy_is(percent, UNDECIDED)),
            *(Line(f"{slower}: its cells called slower{words}", "" if size else cell_aims.get(percent, ""),
                   _cells_are(percent, Verdict.SLOWER.value, size))
              for size, words in of_sizes.items() if not size or percent in cell_aims),
            Line(f"{slower}: its cells undecided", "", _cells_are(percent, UNDECIDED)),
        ]
    found += [
        Line("a slower strategy: another is named, too", "",
             lambda observations: Rate(sum(each["others_named"] > 0 for pair in _pairs(observations)
                                           for each in pair["slowed"].values()),
                                       len(SLOWDOWNS) * len(_pairs(observations)))),
        Line("the pick of a kind of work is that of the other run, equal to it, or open", "at least 99 %",
             _picks("same", "equal or open")),
        Line("the pick of a kind of work is the same", "", _picks("same")),
        Line(f"the best of a block is not that of the other run, nor equal to it or open, and costs over {100 * LARGE_REGRET:.0f} "
             "% more there", "below 1 %",
             _of_totals("blocks_with_regret", "blocks")),
        Line("the winner of a recommendation is that of another one, equal to it, or open", "at least 99 %",
             _answers("answer", lambda outcome: outcome in ("same", "equal or open"))),
        Line("the winner of a recommendation is the same", "", _answers("answer", lambda outcome: outcome == "same")),
        Line(f"the winner of a recommendation costs over {100 * LARGE_REGRET:.0f} % more than the other's", "below 1 %",
             _answers("answer_regret", lambda regret: regret > LARGE_REGRET)),
    ]
    return found


def of_condition(observations: Sequence[dict], condition: str) -> list[dict]:
    return [each for each in observations if each["condition"] == condition]
