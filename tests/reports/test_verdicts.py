"""What to take for which kind of work: decided by all blocks of that kind, and by nothing that is not certain."""

from pathlib import Path

import pytest

from make_blocks import JITTER, make_block, make_cell, run_of, samples_of
from stowage_report.console import Terminal
from stowage_report.data import metrics
from stowage_report.data.estimates import Estimate, mean_ratio
from stowage_report.data.model import Block
from stowage_report.data.verdicts import KINDS, other_verdicts, verdicts
from stowage_report.pages.screen import screen_text
from stowage_report.pages.summary import summary


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
    assert found.best.strategy == "first"  # 2 x 4 is less than 3 x 3
    assert found.best.to_floor.median == pytest.approx(8**0.5)
    assert found.behind[0].strategy == "second" and found.behind[0].to_best.median == pytest.approx((9 / 8)**0.5)
    assert [(block.entities, names) for block, names in found.exceptions] == [(16384, ("second",))]
    assert "among the best in 1 of 2 blocks" in found.how_sure and "`second` is ahead at point_mass" in found.how_sure


def test_a_verdict_on_ties_has_no_second_family():
    found = only(run_of(point_mass(1024, first=2, equal=2, slow=4)))
    assert {found.best.strategy, *(each.strategy for each in found.tied)} == {"first", "equal"}
    assert [each.strategy for each in found.behind] == ["slow"]
    assert found.how_sure.startswith("Tied with 1 other")


def test_of_those_that_are_tied_the_pick_is_tied_most_often():
    dense = make_block("point_mass", 1024, named({"first": 2, "second": 2.05, "slow": 3}, jitter=("second",)))
    lookups = make_block("lookup", 1024, named({"first": 3, "second": 2, "slow": 4}))
    assert only(run_of(dense)).best.strategy == "first"
    assert [found.best.strategy for found in verdicts(run_of(dense, lookups))] == ["second", "second"]
    behind = make_block("point_mass", 1024, named({"first": 2, "second": 2.5, "slow": 3}))
    assert [found.best.strategy for found in verdicts(run_of(behind, lookups))] == ["first", "second"]


def test_a_wide_interval_makes_no_pick_of_what_takes_longer():
    wide = [1.2, 0.8, 1.1, 1.3, 0.9, 1.25, 1.18]
    dense = make_block("point_mass", 1024, {"first": samples_of(2), "second": samples_of(2.2, wide), "slow": samples_of(9)})
    lookups = make_block("lookup", 1024, named({"first": 3, "second": 2, "slow": 4}))
    found = verdicts(run_of(dense, lookups))[0]
    assert found.best.strategy == "first" and [each.strategy for each in found.tied] == ["second"]


def test_of_a_base_form_and_its_variant_that_are_tied_the_base_form_is_picked():
    tied = make_block("point_mass", 1024, named({"form_a.variant": 2, "form_a": 2.05, "slow": 3}, jitter=("form_a",)))
    assert only(run_of(tied)).best.strategy == "form_a"


def test_a_difference_that_one_block_cannot_show_several_can():
    """Intervals of independent blocks become narrower on the mean."""
    noisy = [1.2, 0.99, 1.1, 1.3, 1.15, 1.25, 1.18]
    blocks = [make_block("point_mass", 2**size, {"first": samples_of(1), "slow": samples_of(1, noisy)})
              for size in range(10, 19)]
    assert only(run_of(blocks[0])).tied and not only(run_of(*blocks)).tied


def test_without_intervals_nothing_is_certain():
    found = only(run_of(make_block("point_mass", 1024, {"first": samples_of(1, rounds=3),
                                                        "slow": samples_of(9, rounds=3)})))
    assert not found.has_intervals and found.tied and "nothing is certain" in found.how_sure


def test_the_reference_and_other_loops_are_nothing_to_choose():
    found = only(run_of(point_mass(1024, reference=0.5, **{"reference.store": 0.4, "form.levels": 0.3}, first=2,
                                   second=3)))
    assert {each.strategy for each in found.contenders} == {"first", "second"}


def test_a_strategy_without_all_blocks_is_no_contender():
    whole, part = point_mass(1024, a=1, b=2, c=3, d=4, e=0.1), point_mass(16384, a=1, b=2, c=3, d=4)
    found = only(run_of(whole, part))
    assert found.best.strategy == "a" and "e" not in {each.strategy for each in found.contenders}


def test_blocks_with_few_strategies_have_a_verdict_of_their_own():
    found = only(run_of(point_mass(1024, a=1, b=2, c=3, d=4), point_mass(1 << 18, a=9, b=2),
                        point_mass(1 << 20, a=9, b=2)))
    assert [block.entities for block in found.blocks] == [1024] and found.best.strategy == "a"
    assert [block.entities for block in found.beyond.blocks] == [1 << 18, 1 << 20]
    assert found.how_sure.endswith("At 256k to 1M entities, 2 strategies: b.")


def test_where_all_take_part_everywhere_there_is_nothing_beyond():
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


def test_memory_is_exact_so_that_equal_is_tied_and_a_byte_decides():
    sizes = {"a": {"bytes_per_entity": 50, "payload_bytes_per_entity": 40},
             "b": {"bytes_per_entity": 50, "payload_bytes_per_entity": 40},
             "c": {"bytes_per_entity": 50.5, "payload_bytes_per_entity": 40}}
    run = run_of(make_block("point_mass", 1024, named({"a": 3, "b": 2, "c": 1}), sizes))
    (memory,) = [found for found in verdicts(run) if found.kind.metric is metrics.BYTES]
    assert {memory.best.strategy, memory.tied[0].strategy} == {"a", "b"} and memory.behind[0].strategy == "c"
    assert memory.best.to_floor.median == pytest.approx(50 / 40)


def test_a_strategy_without_bytes_is_no_contender():
    sizes = {name: {"bytes_per_entity": size} for name, size in {"a": 50, "b": 60, "c": 0}.items()}
    run = run_of(make_block("point_mass", 1024, named({"a": 3, "b": 2, "c": 1}), sizes))
    (memory,) = [found for found in verdicts(run) if found.kind.metric is metrics.BYTES]
    assert [each.strategy for each in memory.contenders] == ["a", "b"] and memory.best.to_floor is None


def test_frames_whose_intervals_overlap_are_tied():
    def cell(name, ns):
        return make_cell(name, samples_of(1), frame_p99_ns=ns, frame_p99_ns_low=0.9 * ns, frame_p99_ns_high=1.1 * ns)

    block = Block("churn", 1024, (), {name: cell(name, ns) for name, ns in {"a": 1000, "b": 1100, "c": 2000}.items()})
    (frames,) = [found for found in verdicts(run_of(block)) if found.kind.metric is metrics.FRAME_P99]
    assert {frames.best.strategy, frames.tied[0].strategy} == {"a", "b"} and frames.behind[0].strategy == "c"


def test_every_other_workload_speaks_for_itself():
    run = run_of(point_mass(1024, a=1, b=2), make_block("of_a_user", 1024, named({"a": 3, "b": 2})))
    (other,) = other_verdicts(run)
    assert other.kind.name == "of_a_user" and other.best.strategy == "b"


def test_leaders_of_a_block_are_the_same_by_any_road():
    block = point_mass(1024, reference=0.5, first=2, equal=2, slow=4)
    assert metrics.leaders(block, metrics.TIME) == block.leaders == ["first", "equal"]


def test_a_mean_of_ratios_without_an_interval_has_none():
    assert mean_ratio([Estimate(2, 2, 2), Estimate(8, 8, 8)]) == Estimate(*3 * (pytest.approx(4),))
    assert not mean_ratio([Estimate(2, 1, 3), Estimate(8)]).has_interval
    one, many = mean_ratio([Estimate(2, 1, 4)]), mean_ratio([Estimate(2, 1, 4)] * 4)
    assert (one.low, one.high) == (pytest.approx(1), pytest.approx(4))
    assert many.low == pytest.approx(2**0.5) and many.high == pytest.approx(8**0.5)


def test_a_figure_that_may_be_twice_as_much_picks_nothing():
    wild = (1.0, 4.0, 0.5, 3.5, 0.6, 3.0, 1.1)
    block = make_block("point_mass", 1024, {"reference": samples_of(1), "first": samples_of(2, wild),
                                            "second": samples_of(2, wild[::-1])})
    run = run_of(block)
    assert only(run).is_noise and "no pick" in only(run).how_sure
    (row,) = summary(run, []).advice
    assert row.best == "" and set(row.tied) == {"first", "second"}
    (line,) = [line for line in screen_text(run, Path("run"), None, Terminal()).splitlines() if line.startswith("Iter")]
    assert line.split()[2] == "none" and " noisy " in line
