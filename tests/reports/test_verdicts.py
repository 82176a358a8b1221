"""What to take for which kind of work: decided by all blocks of that kind, and by nothing that is not certain."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from make_blocks import JITTER, make_block, make_cell, run_of, samples_of
from make_figures import INTERVAL_SAMPLES, samples
from stowage_report.charts.heatmap import cell_colour
from stowage_report.data import metrics
from stowage_report.data.estimates import (Estimate, Intervals, Samples, Standing, mean_ratio, of_one_process, standing_of,
                                           times_as_much)
from stowage_report.data.model import Block, Cell, Sweep
from stowage_report.data.verdicts import KINDS, other_verdicts, verdicts
from stowage_report.pages.views import table_of


def named(strategy_ns, jitter=("equal",)):
    return {name: samples_of(ns, JITTER if name in jitter else None) for name, ns in strategy_ns.items()}


def point_mass(entities, **strategy_ns):
    return make_block("point_mass", entities, named(strategy_ns))


def only(run):
    (found,) = verdicts(run)
    return found


def test_the_best_has_the_lowest_mean_over_all_blocks():
    found = only(run_of(point_mass(1024, reference=1, first=2, second=3), point_mass(16384, reference=1, first=4,
                                                                                     second=3)))
    assert found.pick.strategy == "first"  # 2 x 4 is less than 3 x 3
    assert found.pick.to_floor.median == pytest.approx(8**0.5)
    assert found.worse[0].strategy == "second" and found.worse[0].to_best.median == pytest.approx((9 / 8)**0.5)
    assert found.pick.leads == 1 and "among the best in 1 of 2 blocks" in found.how_sure
    assert found.answer() == "1k: first, certainly; 16k: second, certainly"


def test_the_best_of_one_block_is_the_best_of_its_kind():
    """Slow rounds of the machine decide which has the lower median time; as ratios to the reference they cancel."""
    times = {"reference": [0.5, 0.5, 0.5, 0.5, 1, 1, 1], "by ns": [1.5, 1.5, 1.5, 1.5, 1, 1, 1],
             "by ratio": [1, 1, 1, 2, 2, 2, 2]}
    block = make_block("point_mass", 1024, {name: samples(its) for name, its in times.items()})
    assert block.cells["by ns"].ns_per_item.median < block.cells["by ratio"].ns_per_item.median
    best = next(each for each in only(run_of(block)).contenders if each.standing is Standing.BEST)
    assert block.cells[best.strategy].standing is Standing.BEST
    assert best.strategy == "by ratio" and best.value == pytest.approx(2)  # in ns


def test_among_equals_the_pick_has_the_fewest_bytes_then_it_is_the_first_of_the_list():
    def equals(**sizes):
        counters = {name: {"bytes_per_entity": size} for name, size in sizes.items()}
        times = named({"first": 2, "equal": 2, "small_and_slow": 4})
        return verdicts(run_of(make_block("point_mass", 1024, times, counters)))[0]  # the other is of bytes

    found = equals()
    assert found.pick.strategy == "first" and [each.strategy for each in found.worse] == ["small_and_slow"]
    assert found.answer() == "any of first, equal (equal within 5 %)"
    found = equals(first=50, equal=40, small_and_slow=10)
    assert found.pick.strategy == "equal" and found.pick.bytes_per_entity == 40
    assert found.answer() == "any of equal, first (equal within 5 %)"


WIDE = [1.2, 0.8, 1.1, 1.3, 0.9, 1.25, 1.18]
COUNTS = {"instructions_per_item": 9.0, "l1d_misses_per_item": 0.5, "ll_misses_per_item": 0.25}


def open_block(second=COUNTS, **more):
    """With what a minute of measuring took."""
    times = {"first": samples_of(2), "second": samples_of(2.2, WIDE), **more}
    block = make_block("point_mass", 1024, times, {"first": {**COUNTS, "bytes_per_entity": 50}, "second": second})
    return replace(block, cells={name: replace(cell, timed_s=30.0) for name, cell in block.cells.items()})


def test_what_is_open_is_no_pick_for_its_bytes_and_says_how_much_longer_it_takes():
    found = verdicts(run_of(open_block({**COUNTS, "bytes_per_entity": 10}, slow=samples_of(9))))[0]
    assert found.pick.strategy == "first" and [each.strategy for each in found.open] == ["second"]
    assert found.answer() == "first or second: open (same work), about 3 min more"
    several = only(run_of(open_block(third=samples_of(2.2, WIDE), equal=samples_of(2, JITTER)))).answer(most=1)
    assert several.startswith("any of first +1 more (equal within 5 %), second or 1 more: open,")
    slow = replace(open_block(), cells={name: replace(cell, timed_s=3600.0) for name, cell in open_block().cells.items()})
    assert "this machine cannot tell" in only(run_of(slow)).answer()


def test_one_that_seems_better_than_the_best_is_decided_as_soon_as_the_best_beside_it():
    """The best has the lowest costs; round by round, another of a noisy block may have lower ones."""
    assert times_as_much(Estimate(0.42, 0.03, 8.8)) == pytest.approx(times_as_much(Estimate(1 / 0.42, 1 / 8.8, 1 / 0.03)))


def test_a_further_look_takes_the_time_of_its_repetitions_and_of_what_they_are_measured_on():
    """Only the time pass is repeated; results of older versions only say how long all passes took. Blocks of one population
    make it anew, whichever of them are open."""
    def look_s(*blocks, **record):
        return verdicts(run_of(*blocks, **record))[0].look_s

    def on(population, block):
        return replace(block, cells={
            name: replace(cell, samples=Samples(cell.samples, cell.samples.intervals, cell.samples.processes, population))
            for name, cell in block.cells.items()})

    block = open_block()  # 60 s
    assert look_s(block, wall_s=267, time_pass_s=108) == pytest.approx(108)
    assert look_s(block, wall_s=267) == pytest.approx(267)
    other = replace(block, workload="lookup")
    assert look_s(block, other, time_pass_s=180) == pytest.approx(60 + 60 / 2)
    assert look_s(on("small", block), on("large", other), time_pass_s=180) == pytest.approx(60 + 60 / 2)
    assert look_s(on("small", block), on("small", other), time_pass_s=180) == pytest.approx(60 + 60)
    twice = replace(block, cells={name: replace(cell, looks=2) for name, cell in block.cells.items()})
    assert look_s(twice, time_pass_s=108) == pytest.approx(54)


@pytest.mark.parametrize("counter, other, is_same", [
    ("instructions_per_item", 9.04, True), ("instructions_per_item", 9.1, False), ("l1d_misses_per_item", 0.509, True),
    ("ll_misses_per_item", 0.2, False), ("ll_misses_per_item", None, False)])
def test_an_open_pair_with_the_same_counts_is_the_same_work(counter, other, is_same):
    counts = {**COUNTS, counter: other}
    found = only(run_of(open_block({name: count for name, count in counts.items() if count is not None})))
    assert found.open and ("same work" in found.answer()) is is_same


def test_sizes_with_different_certain_winners_have_one_each():
    assert only(run_of(point_mass(1024, first=2, second=3))).answer() == "first, certainly"
    small, large = point_mass(1024, first=1, second=2, equal=1), point_mass(16384, first=4, second=2, equal=4)
    found = only(run_of(small, large))
    assert found.answer() == "1k: any of first, equal (equal within 5 %); 16k: second, certainly"
    agreed = only(run_of(small, point_mass(16384, first=2, second=4, equal=4)))
    assert not agreed.sizes_apart  # `first` is among the winners of both


def test_sizes_of_which_one_rules_out_what_may_be_best_at_the_other_have_a_verdict_each():
    small = make_block("point_mass", 1024, {"a": samples_of(1), "b": samples_of(1.5), "c": samples_of(1.02, WIDE)})
    found = only(run_of(small, point_mass(16384, a=1.4, b=1, c=1.45)))
    assert found.open and re.fullmatch(r"1k: a or c: open\b.*; 16k: b, certainly", found.answer())


def test_a_certain_winner_that_seems_surpassed_at_one_size_hides_nothing():
    def at_16k(second_ns):
        large = make_block("point_mass", 16384, {"first": samples_of(2), "second": samples_of(second_ns, WIDE)})
        return only(run_of(point_mass(1024, first=1, second=4), large))

    assert at_16k(1.9).answer() == "first, certainly"  # what may be equal surpasses nothing
    assert re.fullmatch(r"1k: first, certainly; 16k: second or first: open\b.*", at_16k(1.58).answer())


def test_a_difference_that_one_block_cannot_show_several_can():
    """Intervals of independent blocks become narrower on the mean."""
    unsteady = [1.2, 0.99, 1.1, 1.3, 1.15, 1.25, 1.18]
    blocks = [make_block("point_mass", 2**size, {"first": samples_of(1), "slow": samples_of(1, unsteady)})
              for size in range(10, 19)]
    assert only(run_of(blocks[0])).open and not only(run_of(*blocks)).open


def test_a_strategy_without_all_blocks_is_no_contender_and_blocks_with_few_have_a_verdict_of_their_own():
    whole, part = point_mass(1024, a=1, b=2, c=3, d=4, e=0.1), point_mass(16384, a=1, b=2, c=3, d=4)
    found = only(run_of(whole, part))
    assert found.pick.strategy == "a" and "e" not in {each.strategy for each in found.contenders}
    found = only(run_of(point_mass(1024, a=1, b=2, c=3, d=4), point_mass(1 << 18, a=9, b=2),
                        point_mass(1 << 20, a=9, b=2)))
    assert [block.entities for block in found.blocks] == [1024] and found.pick.strategy == "a"
    assert [block.entities for block in found.beyond.blocks] == [1 << 18, 1 << 20]
    assert found.how_sure.endswith("At 256k to 1M entities, 2 strategies: b, certainly.")
    found = only(run_of(point_mass(1024, a=1, b=2), point_mass(1 << 20, a=1, b=2), point_mass(1 << 22, a=1)))
    assert found.beyond is None and found.picks_beyond == "" and "At " not in found.how_sure


def test_the_second_family_is_of_none_of_the_best():
    found = only(run_of(point_mass(1024, **{"map": 1, "map.lanes": 2, "hash": 3, "hash.node": 2.5})))
    assert found.second_family.strategy == "hash.node"


def test_parameters_choose_the_kind():
    kinds = {kind.name: kind for kind in KINDS}
    apart = make_block("join", 1024, named({"a": 1, "b": 2}), order="unrelated", via="each")
    found = make_block("join", 1024, named({"a": 1, "b": 2}), order="same", via="find")
    assert only(run_of(apart, found)).kind is kinds["Join (unrelated order)"]
    assert verdicts(run_of(found)) == []
    alone = make_block("point_mass_parallel", 1024, named({"a": 1, "b": 2}), threads="1")
    assert verdicts(run_of(alone)) == []


def test_memory_is_exact_and_within_5_percent_the_fewest_bytes_are_picked_and_no_bytes_are_no_contender():
    def memory_of(sizes, **more):
        counters = {name: {"bytes_per_entity": size, **more} for name, size in sizes.items()}
        run = run_of(make_block("point_mass", 1024, named({"a": 3, "b": 2, "c": 1}), counters))
        return next(found for found in verdicts(run) if found.kind.metric is metrics.BYTES)

    memory = memory_of({"a": 50, "b": 50, "c": 53}, payload_bytes_per_entity=40)
    assert memory.answer() == "any of a, b (equal within 5 %)" and memory.worse[0].strategy == "c"
    assert memory.pick.to_floor.median == pytest.approx(50 / 40)
    memory = memory_of({"a": 50, "b": 60, "c": 0})
    assert [each.strategy for each in memory.contenders] == ["a", "b"] and memory.pick.to_floor is None


def test_frames_whose_intervals_overlap_are_open():
    def cell(name, ns):
        return make_cell(name, samples_of(1), frame_p99_ns=ns, frame_p99_ns_low=0.9 * ns, frame_p99_ns_high=1.1 * ns)

    block = Block("churn", 1024, (), {name: cell(name, ns) for name, ns in {"a": 1000, "b": 1100, "c": 2000}.items()})
    (frames,) = [found for found in verdicts(run_of(block)) if found.kind.metric is metrics.FRAME_P99]
    assert frames.answer() == "a or b: open" and frames.worse[0].strategy == "c"
    few = {name: make_cell(name, samples_of(1), frame_p99_ns=ns) for name, ns in {"a": 1, "b": 9}.items()}
    (frames,) = [found for found in verdicts(run_of(replace(block, cells=few))) if found.kind.metric is metrics.FRAME_P99]
    assert frames.answer() == "a or b: open, too few frames for an interval"


@pytest.mark.parametrize("looks", [1, 5])
def test_frames_are_judged_as_in_their_block_however_often_its_times_were_looked_at(looks):
    def cell(name, ns):
        frames = dict(frame_p99_ns=ns, frame_p99_ns_low=0.98 * ns, frame_p99_ns_high=1.02 * ns)
        return replace(make_cell(name, samples_of(1), **frames), looks=looks)

    block = Block("churn", 1024, (), {name: cell(name, ns) for name, ns in {"a": 1000, "b": 1150, "c": 2000}.items()})
    (frames,) = [found for found in verdicts(run_of(block)) if found.kind.metric is metrics.FRAME_P99]
    assert [each.strategy for each in frames.worse] == ["b", "c"]
    alone = metrics.ratios_to_best(block, metrics.FRAME_P99)["b"]
    assert frames.worse[0].to_best.ends == pytest.approx(alone.ends)


def test_every_other_workload_speaks_for_itself_and_leaders_of_a_block_are_equal_by_any_road():
    run = run_of(point_mass(1024, a=1, b=2), make_block("of_a_user", 1024, named({"a": 3, "b": 2})))
    (other,) = other_verdicts(run)
    assert other.kind.name == "of_a_user" and other.pick.strategy == "b"
    block = point_mass(1024, reference=0.5, first=2, equal=2, slow=4)
    assert metrics.leaders(block, metrics.TIME) == block.leaders == ["first", "equal"]


def test_what_one_process_measured_is_certain_only_beyond_how_processes_scatter():
    assert of_one_process(Estimate(1.05, 1.04, 1.06), 1).low < 1 < of_one_process(Estimate(1.2, 1.19, 1.21), 1).low
    wide = of_one_process(Estimate(4, 1, 16), 1)
    assert 0.9 < wide.low < 1 and 16 < wide.high < 17
    assert of_one_process(Estimate(2), 1) == Estimate(2)


def test_a_mean_of_ratios_without_an_interval_has_none():
    assert mean_ratio([Estimate(2, 2, 2), Estimate(8, 8, 8)]) == Estimate(*3 * (pytest.approx(4),))
    assert not mean_ratio([Estimate(2, 1, 3), Estimate(8)]).has_interval
    one, many = mean_ratio([Estimate(2, 1, 4)]), mean_ratio([Estimate(2, 1, 4)] * 4)
    assert (one.low, one.high) == (pytest.approx(1), pytest.approx(4))
    assert many.low == pytest.approx(2**0.5) and many.high == pytest.approx(8**0.5)


# ---- best, equal, worse or open: by the rule of the harness, and said in tables and charts


VECTORS = json.loads((Path(__file__).parents[1] / "files/verdicts.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["ratios"], ids=lambda vector: vector["why"])
def test_a_ratio_is_judged_as_the_harness_judges_it(vector):
    assert standing_of(Estimate(1.0, *(vector["interval"] or ()))).value == vector["standing"]


@pytest.mark.parametrize("vector", VECTORS["blocks"], ids=lambda vector: vector["why"])
def test_a_kind_of_work_is_judged_as_a_block_is(vector):
    visits = vector.get("visits", ())
    intervals = Intervals(INTERVAL_SAMPLES, vector.get("scatter"))
    times = {name: Samples(its, intervals, visits) for name, its in vector["times"].items()}
    block = make_block("point_mass", 1024, times)
    looks = math.ceil((1 + max(visits)) / 3) if visits else 0
    cells = {name: replace(cell, looks=looks) for name, cell in block.cells.items()}
    (found,) = verdicts(run_of(replace(block, cells=cells)))
    told = {each.strategy: each.standing.value for each in found.contenders}
    assert told == {name: word for name, word in vector["standing"].items() if word != "hand-written"}


def test_the_table_says_so_and_keeps_the_order_of_the_run_and_equal_strategies_have_one_colour():
    times = {"reference": samples_of(0.5), "first": samples_of(1), "equal": samples_of(1, JITTER), "slower": samples_of(1.2)}
    made = make_block("join", 1024, times)
    broken = Cell("join/broken/entities:1024", "broken", standing=Standing.FAILED, error="checksum differs")
    block = replace(made, cells={**made.cells, "broken": broken})
    assert block.ratios_to_best["reference"].median == pytest.approx(0.5)
    assert replace(block, cells={"broken": broken}).leaders == []
    colours = {cell_colour(block.cells[name].standing, block.ratios_to_best[name]) for name in ("first", "equal")}
    assert len(colours) == 1
    table = table_of(Sweep("join", (), (block,)))
    assert [(name, cells[0].mark) for name, cells in table.rows] == [
        ("reference", ""), ("first", "best"), ("equal", "equal"), ("slower", ""), ("broken", "ERROR"),
    ]


def test_a_block_of_one_process_among_blocks_of_several_has_an_interval_too():
    """As after an interrupted visit: its comparisons are those of one look."""
    intervals = Intervals(INTERVAL_SAMPLES[:7], scatter=0.03)
    assert intervals.ratio([1.0 + i / 100 for i in range(18)], [0] * 18, 35).has_interval
