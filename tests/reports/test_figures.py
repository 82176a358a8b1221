"""Figures: intervals of medians, of blocks and of processes, correlations, crossings, numbers as people read them, ticks."""

import math
from math import exp
from random import Random
from statistics import fmean

import pytest

from make_figures import INTERVALS, INTERVAL_SAMPLES, samples
from stowage_report.charts.axes import decade_ticks, with_room
from stowage_report.charts.canvas import file_name
from stowage_report.charts.scaling import cache_lines, typical_bytes_per_entity
from stowage_report.data import wording
from stowage_report.data.crossing import Crossing, RatioCurve
from stowage_report.data.estimates import (
    Estimate, Intervals, Samples, Scatter, estimate_mean_ratio, estimate_of_processes, estimate_ratio, mean_ratio,
    scatter_between, shared_part,
)
from stowage_report.data.metrics import plain
from stowage_report.data.model import Cache
from stowage_report.findings.clock import spearman


def test_intervals_are_those_of_the_file_which_says_nothing_of_five_samples_or_of_too_many_comparisons():
    assert not INTERVALS.median([1, 2, 3, 4, 5]).has_interval
    assert INTERVALS.median(range(11, 0, -1)) == Estimate(6, 2, 10)
    assert [INTERVALS.median(range(1, 12), comparisons).low for comparisons in (1, 4, 8)] == [2, 2, 1]
    assert INTERVALS.median(range(1, 8), 40) == Estimate(4, 1, 7)  # the whole range at most
    with pytest.raises(ValueError):
        INTERVALS.median(range(1, 12), 1000)


def test_ratio_cancels_what_slows_both_sides_of_a_round():
    baseline = [1.0, 2.0, 1.5, 3.0, 1.0, 8.0, 1.2]
    ratio = estimate_ratio(samples([3 * sample for sample in baseline]), baseline)
    assert (ratio.median, ratio.low, ratio.high) == pytest.approx((3, 3, 3))


@pytest.mark.parametrize("xs, ys, rank", [
    ([1, 2, 3, 4, 5], [10, 100, 1000, 1e4, 1e5], 1),
    ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], -1),
    ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8),  # 1 - 6 * 4 / (5 * 24)
    ([0, 0, 0, 1, 2], [1, 2, 3, 4, 5], 8 / (8 * 10) ** 0.5),  # three share rank 2
    ([1, 2, 3, 4], [1, 2, 3, 4], None), ([1] * 6, [1, 2, 3, 4, 5, 6], None), ([], [], None),  # too few, or all equal
])
def test_correlations_are_of_ranks_in_any_order_of_the_pairs(xs, ys, rank):
    expected = rank if rank is None else pytest.approx(rank)
    assert spearman(xs, ys) == expected and spearman(xs[::-1], ys[::-1]) == expected


# ---- where two strategies change places

SHARES = (1, 10, 100)


def curve(*medians: float, spread: float = 1.1) -> RatioCurve:
    return RatioCurve(SHARES, [Estimate(median, median / spread, median * spread) for median in medians])


@pytest.mark.parametrize("medians", [(4, 2, 0.5), (0.25, 0.5, 2)])
def test_a_crossing_is_interpolated_in_the_logarithm_of_the_place_and_so_are_its_ends(medians):
    (crossing,) = curve(*medians).crossings()
    assert crossing.at == pytest.approx(math.sqrt(10 * 100))
    # 2 / 1.1 to 0.5 / 1.1 is 1 at log(2 / 1.1) / log(4) of the decade between 10 and 100, and so on
    assert crossing.low == pytest.approx(10 * 10 ** (math.log(2 / 1.1) / math.log(4)))
    assert crossing.high == pytest.approx(10 * 10 ** (math.log(2 * 1.1) / math.log(4)))
    (wide,) = curve(*medians, spread=1.5).crossings()
    assert wide.low < crossing.low < crossing.at < crossing.high < wide.high


def test_a_tie_in_the_middle_widens_the_range_over_it():
    (crossing,) = curve(4, 1.05, 0.25).crossings()
    assert crossing.low < 10 < crossing.at < crossing.high


@pytest.mark.parametrize("medians, count", [((4, 2, 1.5), 0), ((0.5, 0.25, 0.5), 0), ((2, 1.05, 2), 0), ((2, 0.5, 2), 2),
                                            ((1.02, 0.98, 1.03), 0), ((), 0)])
def test_only_what_is_certain_on_both_sides_crosses(medians, count):
    found = RatioCurve(SHARES[:len(medians)], [Estimate(each, each / 1.1, each * 1.1) for each in medians])
    assert len(found.crossings()) == count
    assert any(found.sides) == (medians not in ((), (1.02, 0.98, 1.03)))


def test_a_crossing_that_may_lie_beyond_the_range_says_so():
    (late,), (early,) = curve(4, 2, 0.98).crossings(), curve(1.02, 0.5, 0.25).crossings()
    assert late.high is None and 10 < late.low < late.at < 100
    assert early.low is None and 1 < early.at < early.high < 10


def test_figures_without_intervals_cross_where_their_medians_do():
    ratio = RatioCurve(SHARES, [Estimate(4), Estimate(2), Estimate(0.5)])
    assert ratio.crossings() == [Crossing(pytest.approx(math.sqrt(1000)), None, None)]


# ---- as people read them

NUMBERS = {0.01234: "0.0123", 0.999: "0.999", 0.9996: "1.00", 1.234: "1.23", 9.996: "10.0", 12.34: "12.3", 99.96: "100",
           999.4: "999", 999.6: "1,000", 1234: "1,230", 1234567: "1,230,000"}
COUNTERS = {0: "0", 7.0: "7", 32768: "32,768", 0.5625: "0.5625", 56.2: "56.2", 2.71828: "2.72", 0.0821234: "0.082",
            0.0004: "<0.001", None: wording.ABSENT}
TIMES = {12.3: ("12.3 ns", "12.3 ns"), 1234: ("1.23 \xb5s", "1.23 \xb5s"), 999_900: ("1.00 ms", "1 ms"),
         2.5e9: ("2.50 s", "2.5 s"), 850: ("850 ns", "850 ns")}


@pytest.mark.parametrize("told, texts", [
    (wording.number, NUMBERS),  # three significant digits and no exponent
    (wording.figure, COUNTERS),  # exact if that is short
    (wording.entities, {1: "1", 1000: "1,000", 1024: "1k", 16384: "16k", 3 << 20: "3M"}),
    (lambda ns: (wording.time(ns), wording.duration(ns)), TIMES),  # three digits, or as few as say as much
    (wording.size, {64: "64 B", 48 << 10: "48 KiB", 5 << 19: "2.5 MiB", 8 << 30: "8 GiB"}),
    (lambda names: wording.listing(list(names)), {(): "", ("a",): "a", ("a", "b", "c"): "a, b and c"}),
    (lambda low: wording.interval_beside_one(Estimate(1.05, low, 1.1)),  # what is no tie does not read like one
     {1.0044: "1.004\u20131.10", 1.012: "1.01\u20131.10", 1.0: "1.00\u20131.10", 1.0004: "1.0004\u20131.10"}),
    (plain, {0.5: "0.5", 30000: "30000", 1e5: "10⁵", 2.5e5: "2.5·10⁵", 3e6: "3·10⁶", 1e12: "10¹²"}),  # fits into a margin
], ids=["number", "counter", "entities", "time", "size", "listing", "interval", "tick"])
def test_values_are_written_as_people_read_them(told, texts):
    assert {value: told(value) for value in texts} == texts


def test_an_estimate_without_an_interval_says_so():
    assert wording.interval(Estimate(1.0)) == "no interval"


def test_file_names_are_plain():
    assert file_name("scaling", "join", "order:same via:each") == "scaling-join-order-same-via-each"
    assert file_name("a/../b", "") == "a-..-b"


# ---- of charts; how they look is for eyes

CACHES = (Cache("Data", 1, 48 << 10, 1), Cache("Instruction", 1, 32 << 10, 1), Cache("Unified", 2, 2 << 20, 1))


def test_a_cache_is_drawn_where_the_data_outgrow_it_if_that_was_measured():
    assert cache_lines(CACHES, 48, [512, 1 << 20]) == {"L1d 48 KiB": (48 << 10) / 48, "L2 2 MiB": (2 << 20) / 48}
    assert list(cache_lines(CACHES, 48, [16384, 1 << 20])) == ["L2 2 MiB"]


def test_without_bytes_per_entity_of_strategies_there_are_no_cache_lines(make_run, run):
    assert typical_bytes_per_entity(run.sweeps[0]) == pytest.approx(57.5)
    uncounted = make_run(sizes=(1024, 2048), axes={"join": {}}, passes=())
    assert typical_bytes_per_entity(uncounted.sweeps[0]) is None and cache_lines(CACHES, None, [1024]) == {}


@pytest.mark.parametrize("low, high", [(0.9, 1.2), (0.2, 35), (0.001, 3e5)])
def test_ticks_are_few_and_inside_and_have_room(low, high):
    ticks = decade_ticks(low, high)
    assert ticks == sorted(ticks) and all(low <= tick <= high for tick in ticks) and len(ticks) <= 9
    assert with_room([1, 1.1, 10, 100], 1, 100, 0.2) == [1, 10, 100]  # earlier ones stay


# ---- estimates over blocks and processes


def pairs_of_equal_cells(random: Random, blocks: int, odd_ones: int = 1, far_off: float = 0,
                         usual: float = 0.05) -> list[tuple[Samples, Samples]]:
    """Of three processes with seven rounds each. Every third block scatters `odd_ones` times as much as the others, and a
    share of the processes is `far_off`: 20 times as far as the others."""
    def place(scatter: float) -> float:
        return exp(random.gauss(0, scatter / 2**0.5) * (20 if random.random() < far_off else 1))

    def cell(scatter: float) -> Samples:
        processes = [place(scatter) for _ in range(3)]
        return Samples([of_process * exp(random.gauss(0, 0.02)) for of_process in processes for _ in range(7)],
                       Intervals(INTERVAL_SAMPLES, usual), [process for process in range(3) for _ in range(7)])

    return [tuple(cell(0.05 * (odd_ones if block % 3 == 2 else 1)) for _ in range(2)) for block in range(blocks)]


@pytest.mark.parametrize("blocks, like, least", [
    *((blocks, *each) for blocks in (2, 4, 34) for each in (({}, 0.93), ({"odd_ones": 2}, 0.9), ({"far_off": 0.02}, 0.93))),
    (34, {"far_off": 0.02, "usual": 0.0125}, 0.93),  # these blocks scatter more than is usual: then few processes are far off
])
def test_the_mean_over_blocks_of_equal_cells_has_1_in_its_interval_as_often_as_it_says(blocks, like, least):
    random = Random(2)
    means = [estimate_mean_ratio(pairs_of_equal_cells(random, blocks, **like)) for _ in range(400)]
    assert sum(mean.low <= 1 <= mean.high for mean in means) >= least * len(means)


def test_a_few_processes_that_are_far_off_hardly_widen_the_mean_over_blocks():
    random = Random(2)
    widths = [fmean(estimate_mean_ratio(pairs_of_equal_cells(random, 34, far_off=share)).relative_width for _ in range(50))
              for share in (0, 0.02)]
    assert widths[1] < 1.6 * widths[0]  # 2.4 times as wide if each counted as it is


def population_of_equal_cells(random: Random, blocks: int, shared: float) -> list[dict[str, Samples]]:
    """Of eight strategies in three processes. Each process places the entities of a strategy elsewhere, which is `shared` of
    the variance between processes; the rest is of each block by itself."""
    intervals, processes = Intervals(INTERVAL_SAMPLES, 0.05), [process for process in range(3) for _ in range(7)]

    def cell(placed: list[float]) -> Samples:
        moved = [exp(place * shared**0.5 + random.gauss(0, 0.035) * (1 - shared)**0.5) for place in placed]
        return Samples([moved[process] * exp(random.gauss(0, 0.02)) for process in processes], intervals, processes, "small aged")

    placed = {name: [random.gauss(0, 0.035) for _ in range(3)] for name in "abcdefgh"}
    cells = [{name: cell(its) for name, its in placed.items()} for _ in range(blocks)]
    intervals.shared["small aged"] = shared_part(cells)
    return cells


@pytest.mark.parametrize("shared, blocks, width", [(0, 3, 0.081), (0, 15, 0.037), (0.3, 3, 0.098), (0.3, 15, 0.078), (1, 15, 0.133)])
def test_blocks_of_one_population_count_for_as_much_as_they_do_not_share(shared, blocks, width):
    random = Random(4)
    runs = [population_of_equal_cells(random, blocks, shared) for _ in range(200)]
    assert fmean(map(shared_part, runs)) == pytest.approx(shared, abs=0.1)
    means = [estimate_mean_ratio([(block["a"], block["b"]) for block in run]) for run in runs]
    assert sum(mean.low <= 1 <= mean.high for mean in means) >= 0.93 * len(means)
    assert fmean(mean.relative_width for mean in means) == pytest.approx(width, rel=0.1)


def test_blocks_of_one_population_err_together_wholly_where_nothing_shows_how_far():
    [cells] = population_of_equal_cells(Random(4), 1, 0.5)
    one_process = {name: Samples(its[:7], its.intervals, its.processes[:7]) for name, its in cells.items()}
    assert shared_part([cells]) == shared_part([one_process, one_process]) == 1
    assert shared_part([dict.fromkeys("ab", cells["a"])] * 2) == 1  # all agree


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
