from math import exp
from random import Random

import pytest

from make_figures import INTERVAL_SAMPLES, samples
from stowage_report.data.estimates import (Intervals, Samples, Scatter, estimate_mean_ratio, estimate_of_processes,
                                           estimate_ratio, mean_ratio, scatter_between)


def pairs_of_equal_cells(random: Random, blocks: int, odd_ones: int = 1) -> list[tuple[Samples, Samples]]:
    """Of three processes with seven rounds each. Every third block scatters `odd_ones` times as much as the others."""
    def cell(scatter: float) -> Samples:
        processes = [exp(random.gauss(0, scatter / 2**0.5)) for _ in range(3)]
        return Samples([of_process * exp(random.gauss(0, 0.02)) for of_process in processes for _ in range(7)],
                       Intervals(INTERVAL_SAMPLES, 0.05), [process for process in range(3) for _ in range(7)])

    return [tuple(cell(0.05 * (odd_ones if block % 3 == 2 else 1)) for _ in range(2)) for block in range(blocks)]


@pytest.mark.parametrize("odd_ones, least", [(1, 0.93), (2, 0.9)])
@pytest.mark.parametrize("blocks", [2, 4, 34])
def test_the_mean_over_blocks_of_equal_cells_has_1_in_its_interval_as_often_as_it_says(blocks, odd_ones, least):
    random = Random(2)
    means = [estimate_mean_ratio(pairs_of_equal_cells(random, blocks, odd_ones)) for _ in range(400)]
    assert sum(mean.low <= 1 <= mean.high for mean in means) >= least * len(means)


def test_the_mean_over_blocks_is_surer_than_the_sum_of_their_intervals():
    pairs = pairs_of_equal_cells(Random(2), 34)
    together, one_by_one = estimate_mean_ratio(pairs), mean_ratio([estimate_ratio(*pair) for pair in pairs])
    assert together.median == pytest.approx(one_by_one.median, rel=0.02)
    assert together.relative_width < 0.8 * one_by_one.relative_width


def test_places_of_a_claim_show_together_how_far_processes_scatter():
    random = Random(3)
    places = [[[random.gauss(0, 0.05) for _ in range(3)] for _ in range(4)] for _ in range(1000)]
    estimates = [estimate_of_processes(claim[0], scatter_between(claim)) for claim in places]
    assert 0.94 <= sum(each.low <= 1 <= each.high for each in estimates) / len(places)
    alone = scatter_between(places[0][:1])
    assert alone.freedom == 2 and scatter_between(places[0]).freedom == 8
    assert scatter_between([[0.0, 0.0], [1.0, 1.0]]).deviation == 0.01  # the least that is expected
    one = estimate_of_processes([-0.2, 0.0, 0.2], Scatter(0.05, 8))
    assert (one.low, one.high) == pytest.approx((exp(-0.2), exp(0.2)))  # what was seen is never left out


def test_the_mean_over_blocks_of_a_single_process_adds_their_intervals():
    pairs = [(samples(range(8, 19)), samples([10] * 11)), (samples([20] * 11), samples([10] * 11))]
    assert estimate_mean_ratio(pairs) == mean_ratio([estimate_ratio(*pair) for pair in pairs])
