"""Where two strategies change places: interpolated, with what is not known said."""

import math

import pytest

from stowage_report.data.crossing import Crossing, RatioCurve
from stowage_report.data.estimates import Estimate

SHARES = (1, 10, 100)


def curve(*medians: float, spread: float = 1.1) -> RatioCurve:
    return RatioCurve(SHARES, [Estimate(median, median / spread, median * spread) for median in medians])


def test_is_interpolated_in_the_logarithm_of_the_place():
    (crossing,) = curve(4, 2, 0.5).crossings()
    assert crossing.at == pytest.approx(math.sqrt(10 * 100))


@pytest.mark.parametrize("medians", [(4, 2, 0.5), (0.25, 0.5, 2)])
def test_lies_between_where_the_ends_of_the_interval_cross(medians):
    (crossing,) = curve(*medians).crossings()
    # 2 / 1.1 to 0.5 / 1.1 is 1 at log(2 / 1.1) / log(4) of the decade between 10 and 100, and so on
    assert crossing.low == pytest.approx(10 * 10 ** (math.log(2 / 1.1) / math.log(4)))
    assert crossing.high == pytest.approx(10 * 10 ** (math.log(2 * 1.1) / math.log(4)))


def test_wider_intervals_make_wider_ranges():
    (narrow,), (wide,) = curve(4, 2, 0.5).crossings(), curve(4, 2, 0.5, spread=1.5).crossings()
    assert wide.low < narrow.low < narrow.at < narrow.high < wide.high


def test_a_tie_in_the_middle_widens_the_range_over_it():
    (crossing,) = curve(4, 1.05, 0.25).crossings()
    assert crossing.low < 10 < crossing.at < crossing.high


@pytest.mark.parametrize("medians", [(4, 2, 1.5), (0.5, 0.25, 0.5), (2, 1.05, 2)])
def test_no_crossing_in_range(medians):
    assert curve(*medians).crossings() == []


def test_equal_ones_do_not_cross_however_their_medians_do():
    ratio = curve(1.02, 0.98, 1.03)
    assert ratio.crossings() == [] and not any(ratio.sides)


def test_a_crossing_that_may_lie_beyond_the_range_says_so():
    (late,), (early,) = curve(4, 2, 0.98).crossings(), curve(1.02, 0.5, 0.25).crossings()
    assert late.high is None and 10 < late.low < late.at < 100
    assert early.low is None and 1 < early.at < early.high < 10


def test_places_may_change_twice():
    assert len(curve(2, 0.5, 2).crossings()) == 2


def test_figures_without_intervals_cross_where_their_medians_do():
    ratio = RatioCurve(SHARES, [Estimate(4), Estimate(2), Estimate(0.5)])
    assert ratio.crossings() == [Crossing(pytest.approx(math.sqrt(1000)), None, None)]


def test_without_places_nothing_is_said():
    assert RatioCurve([], []).crossings() == []
