"""What changed between two runs, of files whose truth is known."""

import copy
import math
import random
from typing import Callable, Sequence

import pytest

from make_figures import INTERVAL_SAMPLES
from stowage_report.compare.change import (
    LARGEST_RUN_SCATTER, SMALLEST_RUN_SCATTER, LogChange, LogMedian, chance, discoveries, log_median,
    ratio_interval, run_scatter, typical_change,
)
from stowage_report.compare.comparison import Comparison, Verdict, excess_of
from stowage_report.compare.read import MeasuredCell, MeasuredFile, Round
from stowage_report.data.student import beyond_t

# ---- results files, drawn from seeds

STRATEGIES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
BLOCKS = 24

#: By how much longer a cell takes than it would: of a strategy in a block.
Factor = Callable[[str, int], float]


def cell_name(strategy: str, block: int) -> str:
    return f"walk/{strategy}/entities:{1024 + block}"


def round_of(ns: float) -> Round:
    """Of a cell whose reference took 100."""
    return Round(ns, ns, ns / 100)


def slow(strategy: str, factor: float) -> Factor:
    return lambda name, _: factor if name == strategy else 1.0


def run_of(seed: int, factor: Factor = lambda *_: 1.0, strategies: Sequence[str] = STRATEGIES, blocks: int = BLOCKS,
           rounds: int = 9, run_scatter: float = 0.01) -> MeasuredFile:
    """`run_scatter` is what one process has for all of a cell's repetitions."""
    rng = random.Random(seed)
    cells = []
    for block in range(blocks):
        cells.append(MeasuredCell(cell_name("reference", block), [round_of(100.0)] * rounds))
        for strategy in strategies:
            typical = 150 * factor(strategy, block) * math.exp(run_scatter * rng.gauss(0, 1))
            cells.append(MeasuredCell(cell_name(strategy, block),
                                      [round_of(typical * math.exp(_noise(rng))) for _ in range(rounds)]))
    return MeasuredFile("a run", True, interval_samples=INTERVAL_SAMPLES, cells=cells)


def _noise(rng: random.Random) -> float:
    """Of a timing: mostly small, always upwards when it is large."""
    return 0.01 * rng.gauss(0, 1) + (0.2 * rng.random() if rng.random() < 0.1 else 0)


def counts_of(cells: dict[str, dict[str, float]], seed: str = "1", **passes: str) -> MeasuredFile:
    """Counted figures by cell."""
    figures = {"floor": ["floor_lines_per_item"], "frames": ["frame_p99_ns"],
               "cache": ["instructions_per_item", "l1d_misses_per_item", "l1d_misses_index_per_item", "line_use_share"],
               "memory": ["bytes_per_entity", "slack_bytes_per_entity", "allocator_overhead_bytes_per_entity"]}
    return MeasuredFile("a run", True, {"seed": seed}, {"floor": "lines of 64 bytes", "cache": "L1d 48 KiB", "memory": "counted"} | passes, figures,
                        INTERVAL_SAMPLES, [MeasuredCell(name, figures=dict(its)) for name, its in cells.items()])


def cell(comparison: Comparison, name: str):
    return next(change for change in comparison.cells if change.pair.name == name)


def strategy(comparison: Comparison, name: str):
    return next(change for change in comparison.strategies if change.strategy == name)


# ---- what is found in them

SEEDS = 40
ALPHA = cell_name("alpha", 0)


def changed_others(comparison):
    return [change.strategy for change in comparison.strategies
            if change.strategy != "alpha" and change.verdict in (Verdict.SLOWER, Verdict.FASTER)]


def change_of(value, error=0.01, freedom=1e9, scatter=0.0):
    return LogChange(LogMedian(0, error, freedom), LogMedian(value, error, freedom), scatter)


# The tables of Student's t at 5 % and at 1 %, both ways.
@pytest.mark.parametrize("t, freedom, beyond", [(2.5706, 5, 0.05), (4.0321, 5, 0.01), (12.7062, 1, 0.05), (2.2281, 10, 0.05),
                                                (1.959964, 1e9, 0.05), (0.0, 3, 1.0), (1.0, 1, 0.5)])
def test_student_s_t_is_that_of_the_tables(t, freedom, beyond):
    assert beyond_t(t, freedom) == pytest.approx(beyond, rel=2e-4)


def test_chance_and_interval_agree_on_what_is_no_change_and_scatter_between_the_runs_widens_both():
    distance = 1.959964 * math.sqrt(2) * 0.01
    assert chance(distance, change_of(distance)) == chance(-distance, change_of(-distance)) == pytest.approx(0.05, rel=1e-3)
    low, high = ratio_interval(change_of(distance))
    assert low == pytest.approx(1, rel=1e-4) and high == pytest.approx(math.exp(2 * distance), rel=1e-4)
    (low, high), (lower, higher) = ratio_interval(change_of(0.1)), ratio_interval(change_of(0.1, scatter=0.02))
    assert lower < low and high < higher
    assert chance(0.1, change_of(0.1, scatter=0.02)) > chance(0.1, change_of(0.1))
    certain = LogMedian(0, 0, 8)  # no scatter in the repetitions is no certainty about the run
    assert chance(0.01, LogChange(certain, certain, SMALLEST_RUN_SCATTER)) > 0.3
    assert chance(0.5, LogChange(certain, certain, SMALLEST_RUN_SCATTER)) < 1e-6


def test_a_median_of_logarithms_needs_six_samples_and_knows_its_error():
    assert log_median([1.0] * 5) is None
    # of 9 the second and the eighth; 10 of 512 outcomes are beyond one of them, 2.0652 standard errors from the middle
    nine = log_median([math.exp(place) for place in range(9)])
    assert (nine.value, nine.freedom) == (pytest.approx(4), 8)
    assert nine.error == pytest.approx(3 / 2.0652, rel=1e-3)


def test_the_scatter_stays_within_its_limits_and_is_found_from_the_cells_although_a_third_of_them_changed():
    for changes, scatter in (([0.0] * 100, SMALLEST_RUN_SCATTER), ([0.7] * 100, LARGEST_RUN_SCATTER),
                             ([0.0] * 9, LARGEST_RUN_SCATTER), ([], LARGEST_RUN_SCATTER)):
        assert run_scatter(list(map(change_of, changes))) == pytest.approx(scatter, abs=2e-6)
    rng = random.Random(7)
    moves = [math.hypot(0.02, math.sqrt(2) * 0.01) * rng.gauss(0, 1) for _ in range(3000)]
    assert run_scatter(list(map(change_of, moves))) == pytest.approx(0.02, rel=0.1)
    assert run_scatter([change_of(move + (place % 3 == 0)) for place, move in enumerate(moves)]) <= LARGEST_RUN_SCATTER


# The example of Benjamini and Hochberg's paper, section 3.2: Bonferroni finds three of these 15, their procedure four.
def test_the_false_discovery_rate_is_that_of_the_step_up_procedure_in_any_order():
    chances = [0.5719, 0.0095, 1.0, 0.0001, 0.0459, 0.0298, 0.0019, 0.7590, 0.0201, 0.3240, 0.4262, 0.0344, 0.0004,
               0.6528, 0.0278]
    assert discoveries(chances) == [each < 0.01 for each in chances]
    assert discoveries([0.04, 0.045, 0.049]) == [True] * 3  # one of a higher rank is small enough
    assert discoveries([]) == [] and discoveries([1.0] * 3) == [False] * 3


@pytest.mark.parametrize("scatter, rounds", [(0.0, 15), (0.01, 7), (0.02, 11), (0.03, 9)])
def test_of_two_runs_of_the_same_at_most_5_percent_of_the_cells_differ(scatter, rounds):
    false_cells = cells = false_runs = 0
    for seed in range(SEEDS):
        found = Comparison(*(run_of(2 * seed + which, rounds=rounds, run_scatter=scatter) for which in (0, 1)))
        assert len(found.significant) <= len(found.cells) / 20
        false_cells += len(found.significant)
        cells += len(found.cells)
        false_runs += bool(changed_others(found))
    assert false_cells <= cells / 200 and false_runs <= SEEDS / 20


def test_a_strategy_that_became_10_percent_slower_is_found_in_every_pair_of_runs_and_hardly_any_other():
    hits = false_cells = covered = 0
    for seed in range(SEEDS):
        found = Comparison(run_of(2 * seed), run_of(2 * seed + 1, slow("alpha", 1.1)))
        alpha = found.strategies[0]
        assert (alpha.strategy, alpha.verdict) == ("alpha", Verdict.SLOWER)
        covered += alpha.interval[0] < 1.1 < alpha.interval[1]
        hits += alpha.verdicts[Verdict.SLOWER]
        false_cells += len(found.significant) - alpha.verdicts[Verdict.SLOWER]
        assert not changed_others(found)
    assert hits >= SEEDS * BLOCKS / 2 and false_cells <= hits / 10 and covered >= 0.95 * SEEDS
    found = Comparison(run_of(4), run_of(5, slow("alpha", 1 / 1.1)))
    assert strategy(found, "alpha").verdict is Verdict.FASTER and found.strategies[-1].strategy == "alpha"
    assert not excess_of(found, 0)


def test_what_is_not_certain_is_equal_within_5_percent_and_open_beyond():
    found = Comparison(run_of(4), run_of(5))
    assert {change.verdict for change in found.cells} == {Verdict.EQUAL, Verdict.OPEN}
    for change in found.cells:
        is_within = 1 / 1.05 <= change.interval[0] and change.interval[1] <= 1.05
        assert (change.verdict is Verdict.EQUAL) == is_within == (not change.reason)


def test_what_all_strategies_share_is_seen_and_a_block_that_moved_as_one_is_its_reference_s_doing():
    found = Comparison(run_of(6), run_of(7, lambda *_: 1.1))
    assert {change.verdict for change in found.strategies} == {Verdict.SLOWER}
    found = Comparison(run_of(8), run_of(9, lambda _, block: 4.0 if block == 3 else 1.0))
    assert found.significant == [] and cell(found, cell_name("alpha", 3)).ratio > 3


def test_a_strategy_alone_with_its_reference_is_judged_but_not_by_too_few_cells():
    found = Comparison(run_of(10, strategies=("alpha",)), run_of(11, slow("alpha", 1.25), strategies=("alpha",)))
    assert found.count(Verdict.SLOWER) > BLOCKS / 2 and found.strategies[0].verdict is Verdict.SLOWER
    found = Comparison(run_of(20, blocks=5), run_of(21, blocks=5))
    assert {(change.verdict, change.interval) for change in found.strategies} == {(Verdict.OPEN, None)}


def slowed(measured, rounds, name=ALPHA):
    """So many rounds of a cell took six times as long, and had the processor for a sixth of that."""
    its = next(each for each in measured.cells if each.name == name)
    for index in range(rounds):
        old = its.rounds[index]
        its.rounds[index] = type(old)(6 * old.real_ns, old.cpu_ns, 6 * old.ratio)
    return measured


def test_rounds_in_which_another_program_had_the_processor_do_not_count():
    before = run_of(12)
    alpha = cell(Comparison(before, slowed(run_of(13), 3)), ALPHA)
    assert alpha.verdict is Verdict.EQUAL and alpha.ratio == pytest.approx(1, abs=0.1)
    # a fourth round that is the reference's: five are left
    after = slowed(run_of(13), 3)
    after.cells[0].rounds = [*after.cells[0].rounds[:5], type(round_of(1))(600, 100, 1.0), *after.cells[0].rounds[6:]]
    found = Comparison(before, after)
    alpha = cell(found, ALPHA)
    assert alpha.verdict is Verdict.OPEN and alpha.interval is None and "processor" in alpha.reason
    assert found.cells[-1] is alpha


def test_threads_that_wait_for_each_other_took_that_long():
    before, after = run_of(12), slowed(run_of(13), 9)
    for measured in (before, after):
        for each in measured.cells:
            each.name += "/threads:2"
    assert cell(Comparison(before, after), f"{ALPHA}/threads:2").verdict is Verdict.SLOWER


def test_what_has_no_ratios_is_compared_in_absolute_time_and_its_strategies_are_not():
    before = run_of(16)
    for each in before.cells:
        each.rounds = [type(round)(round.real_ns, round.cpu_ns) for round in each.rounds]
    found = Comparison(before, run_of(17, slow("alpha", 2)))
    alpha = cell(found, ALPHA)
    assert not alpha.is_of_ratios and alpha.before == pytest.approx(150, rel=0.1) and alpha.verdict is Verdict.SLOWER
    assert strategy(found, "alpha").verdict is Verdict.OPEN
    assert cell(found, cell_name("reference", 0)).verdict is Verdict.EQUAL
    before = run_of(18)  # no ratio shows a change of the references
    after = copy.deepcopy(before)
    for each in after.cells:
        each.rounds = [type(round)(1.5 * round.real_ns, 1.5 * round.cpu_ns, round.ratio) for round in each.rounds]
    found = Comparison(before, after)
    assert found.significant == [] and found.references.median == pytest.approx(1.5)


def changes_of(*values):
    return [change_of(value, freedom=8, scatter=0.01) for value in values]


@pytest.mark.parametrize("odd", (-0.5, -0.05, 0.5))
def test_one_odd_cell_neither_hides_nor_makes_a_change(odd):
    around = [0.01 * math.sin(place) for place in range(9)]
    slower, low, high = typical_change(changes_of(*(0.1 + each for each in around), odd), 8)
    assert 1.02 < low < slower < high < 1.2
    same, low, high = typical_change(changes_of(*around, odd), 8)
    assert low < 1 < high and same == pytest.approx(1, abs=0.01)


def test_a_certain_cell_counts_more_than_an_uncertain_one_and_few_cells_are_nothing():
    certain = changes_of(*[0.1] * 6)
    uncertain = [change_of(0.0, error=0.2, freedom=8, scatter=0.01)] * 6
    assert typical_change(certain + uncertain, 1)[0] > 1.09
    assert typical_change(changes_of(*[0.1] * 6), 8) == pytest.approx([math.exp(0.1)] * 3)
    assert typical_change(changes_of(*[0.1] * 5), 8) is None


def test_large_cells_that_scatter_more_between_runs_do_not_hide_what_became_of_small_ones():
    def is_large(block):
        return block % 2 == 0

    def run(seed, factor):
        rng = random.Random(seed)
        moves = {(name, block): math.exp(0.04 * rng.gauss(0, 1)) if is_large(block) else 1.0
                 for name in STRATEGIES for block in range(BLOCKS)}
        found = run_of(seed, lambda name, block: factor * moves[name, block] if name == "alpha" else moves[name, block])
        for each in found.cells:
            strategy_and_before, block = each.name.rsplit(":", 1)
            if is_large(int(block) - 1024):
                each.name = f"{strategy_and_before}:{(1 << 18) + int(block)}"
        return found

    found = Comparison(run(1, 1.0), run(2, 1.1))
    assert found.run_scatter[False] < 0.02 and 0.03 < found.run_scatter[True] < 0.1
    assert all(change.interval for change in found.cells)
    small = [change for change in found.cells if not change.pair.is_large]
    assert {change.pair.strategy for change in small if change.verdict is Verdict.SLOWER} == {"alpha"}
    assert sum(change.verdict is Verdict.SLOWER for change in small) >= BLOCKS / 4
    assert sum(change in found.significant for change in found.cells if change.pair.is_large) <= 1


def test_on_a_busy_machine_strategies_exceed_a_limit_and_single_cells_do_not():
    busy = {"run_scatter": 0.3}
    found = Comparison(run_of(8, **busy), run_of(9, **busy))
    assert found.count(Verdict.OPEN) == len(found.cells) > 0 and not excess_of(found, 0.05)
    assert "the machine was busy" in found.cells[0].reason
    slower = Comparison(run_of(8, **busy), run_of(9, lambda *_: 3.0, **busy))
    assert len(excess_of(slower, 0.05).strategies) == len(STRATEGIES)


COUNTS = {"w/a/1": {"instructions_per_item": 40, "l1d_misses_per_item": 0.002},
          "w/b/1": {"instructions_per_item": 20, "bytes_per_entity": 56}, "w/c/1": {}}


def counts(after=COUNTS, before=COUNTS, **others):
    return Comparison(counts_of(before), counts_of(after, **others)).counts


def with_figures(**cells):
    return {name: its | cells.get(name[2], {}) for name, its in COUNTS.items()}


def test_equal_counts_are_equal_and_counted_and_the_smallest_difference_is_one_with_its_size():
    same = counts()
    assert (same.changes, same.figures, same.cells, same.not_compared) == ([], 4, 2, [])
    (change,) = counts(with_figures(b={"instructions_per_item": math.nextafter(20, 21)})).changes
    assert change.pair.name == "w/b/1" and change.before == 20 and change.growth > 0


def test_differences_are_grouped_by_figure_grown_most_first():
    found = counts(with_figures(a={"instructions_per_item": 38}, b={"instructions_per_item": 25, "bytes_per_entity": 112}))
    assert [(change.figure, change.growth) for change in found.changes] == [
        ("instructions_per_item", 0.25), ("instructions_per_item", -0.05), ("bytes_per_entity", 1)]
    (change,) = counts(with_figures(a={"l1d_misses_per_item": 0.004})).changes
    assert change.growth == pytest.approx(0.002 * 16)  # a second miss beside hardly one is no doubling


def test_what_is_part_of_another_figure_or_need_not_be_small_differs_without_growing():
    parts = ("l1d_misses_index_per_item", "line_use_share", "slack_bytes_per_entity", "floor_lines_per_item")
    found = counts(with_figures(a=dict.fromkeys(parts, 0.75)), with_figures(a=dict.fromkeys(parts, 0.5)))
    assert len(found.changes) == 4 and {change.growth for change in found.changes} == {None}


def test_what_is_no_exact_count_or_what_one_of_them_lacks_is_not_compared():
    for figure in ("allocator_overhead_bytes_per_entity", "frame_p99_ns"):
        assert counts(with_figures(a={figure: 2}), with_figures(a={figure: 1})).changes == []
    found = counts({**COUNTS, "w/b/1": {"bytes_per_entity": 56}})
    assert found.changes == [] and found.only_one_has == 1
    after = counts_of(with_figures(a={"instructions_per_item": 41}))
    del after.exact_passes["cache"]  # counted by the hardware
    found = Comparison(counts_of(COUNTS), after).counts
    assert found.changes == [] and "not exact counts" in found.not_compared[0]


@pytest.mark.parametrize("after, others, figures, word", [
    ({**COUNTS, "w/b/1": {"instructions_per_item": 20}}, {}, 3, "memory pass"),
    (with_figures(b={"instructions_per_item": 21}), {"cache": "L1d 32 KiB"}, 1, "32 KiB"),
    (with_figures(b={"instructions_per_item": 21}), {"seed": "2"}, 0, "seeds differ"),
])
def test_counts_of_something_else_are_not_compared_with_the_reason(after, others, figures, word):
    found = counts(after, **others)
    assert (found.changes, found.figures) == ([], figures) and word in found.not_compared[0]
