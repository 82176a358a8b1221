"""Speed-up over threads: what is drawn and told of it, with two processors and with many."""

import pytest

from make_catalogue import STRATEGIES, WORKLOADS
from stowage_report.charts.canvas import Canvas
from stowage_report.charts.style import Looks
from stowage_report.findings.threads import BANDWIDTH, share_of_bandwidth, speed_up, threads

MANY = WORKLOADS["point_mass_parallel"].axes["threads"]


def run_with(make_run, counts, strategies=(*STRATEGIES, BANDWIDTH), **options):
    return make_run(sizes=(262144, 1 << 20), axes={"point_mass_parallel": {"threads": counts}}, strategies=strategies,
                    **options)


def finding_of(run, tmp_path):
    return threads(Canvas(tmp_path, "plots", Looks(run.strategies)), run)


@pytest.mark.parametrize("counts", [MANY[:2], MANY])
def test_every_size_has_a_chart_and_a_table(make_run, tmp_path, counts):
    finding = finding_of(run_with(make_run, counts), tmp_path)
    assert [chart.name for chart in finding.charts] == [f"threads-point_mass_parallel-{size}"
                                                        for size in (262144, 1 << 20)]
    assert [len(table.rows) for table in finding.tables] == [len(STRATEGIES) + 1] * 2
    for name in (*STRATEGIES, BANDWIDTH):
        assert f">{name}</text>" in finding.charts[0].svg
    assert f">{counts[-1]}</text>" in finding.charts[0].svg


def test_speed_up_is_that_over_one_thread_with_the_intervals_of_both(make_run):
    run = run_with(make_run, MANY)
    (sweep,) = [sweep for sweep in run.sweeps if dict(sweep.parameters)["entities"] == "262144"]
    first, last = sweep.blocks[0], sweep.blocks[-1]
    alone, together = (block.cells["indirection_map"].ns_per_item for block in (first, last))
    gain = speed_up(sweep, last, "indirection_map")
    assert gain.median == pytest.approx(alone.median / together.median)
    assert gain.low == pytest.approx(alone.low / together.high) and gain.high == pytest.approx(alone.high / together.low)
    assert speed_up(sweep, first, "indirection_map").median == 1
    assert not speed_up(sweep, first, "indirection_map").has_interval
    assert speed_up(sweep, last, "unknown") is None
    memory = last.cells[BANDWIDTH].ns_per_item.median
    assert share_of_bandwidth(last, "indirection_map") == pytest.approx(memory / together.median)


def test_the_largest_size_is_told_beside_what_memory_does(make_run, tmp_path):
    prose = finding_of(run_with(make_run, MANY), tmp_path).prose
    assert "With 64 threads and 1M entities here: memory" in prose and "GB fetched in a second" in prose


def test_without_the_yardstick_the_share_is_absent_and_nothing_is_told_of_memory(make_run, tmp_path):
    finding = finding_of(run_with(make_run, MANY[:2], strategies=tuple(STRATEGIES)), tmp_path)
    assert "here: memory" not in finding.prose
    assert {row[-1] for row in finding.tables[0].rows} == {"\N{EN DASH}"}


@pytest.mark.parametrize("counts", [("1",), ("2", "4")])
def test_without_one_thread_and_more_there_is_no_speed_up(make_run, tmp_path, counts):
    assert finding_of(run_with(make_run, counts), tmp_path) is None


def test_a_failed_cell_is_left_out_of_the_curves(make_run, tmp_path):
    failing = ("point_mass_parallel/hash_index/entities:262144/threads:1",)
    finding = finding_of(run_with(make_run, MANY[:2], failing=failing), tmp_path)
    (row,) = [row for row in finding.tables[0].rows if row[0] == "`hash_index`"]
    assert row[1] == row[3] == "\N{EN DASH}"
