import pytest

from make_figures import INTERVALS, samples
from stowage_report.data.estimates import Estimate, estimate_ratio


def test_has_no_interval_from_five_samples():
    assert not INTERVALS.median([1, 2, 3, 4, 5]).has_interval


def test_takes_the_second_and_the_tenth_of_eleven():
    assert INTERVALS.median(range(11, 0, -1)) == Estimate(6, 2, 10)


def test_one_of_several_comparisons_has_the_wider_interval_at_most_the_whole_range():
    assert [INTERVALS.median(range(1, 12), comparisons).low for comparisons in (1, 4, 8)] == [2, 2, 1]
    assert INTERVALS.median(range(1, 8), 40) == Estimate(4, 1, 7)


def test_what_the_file_does_not_say_is_not_guessed():
    with pytest.raises(ValueError):
        INTERVALS.median(range(1, 12), 1000)


def test_ratio_cancels_what_slows_both_sides_of_a_round():
    baseline = [1.0, 2.0, 1.5, 3.0, 1.0, 8.0, 1.2]
    ratio = estimate_ratio(samples([3 * sample for sample in baseline]), baseline)
    assert (ratio.median, ratio.low, ratio.high) == pytest.approx((3, 3, 3))
