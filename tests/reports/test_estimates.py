import random

import pytest

from stowage_report.data.estimates import Estimate, estimate_median, estimate_ratio, is_tie, samples_outside


@pytest.mark.parametrize("samples, outside", [(5, None), (6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (20, 5), (100, 39)])
def test_cuts_off_what_the_tables_of_the_binomial_allow(samples, outside):
    assert samples_outside(samples) == outside


def test_has_no_interval_from_five_samples():
    assert not estimate_median([1, 2, 3, 4, 5]).has_interval


def test_takes_the_second_and_the_tenth_of_eleven():
    assert estimate_median(range(11, 0, -1)) == Estimate(6, 2, 10)


def test_interval_covers_the_true_median_as_often_as_promised():
    rng = random.Random(1)
    trials = 2000
    hits = 0
    for _ in range(trials):
        estimate = estimate_median([rng.expovariate(1.0) for _ in range(11)])
        hits += estimate.low <= 0.6931 <= estimate.high
    assert hits / trials > 0.95


def test_ratio_cancels_what_slows_both_sides_of_a_round():
    baseline = [1.0, 2.0, 1.5, 3.0, 1.0, 8.0, 1.2]
    ratio = estimate_ratio([3 * sample for sample in baseline], baseline)
    assert (ratio.median, ratio.low, ratio.high) == pytest.approx((3, 3, 3))


@pytest.mark.parametrize("ratio, tie", [(Estimate(1.02, 0.99, 1.05), True), (Estimate(1.02, 1.0, 1.05), True),
                                        (Estimate(1.02, 1.01, 1.05), False), (Estimate(9.0), True)])
def test_a_tie_is_what_the_data_do_not_exclude(ratio, tie):
    assert is_tie(ratio) is tie
