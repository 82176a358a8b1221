"""Findings: aging, frame times, occupancy, depth, section size, threads: what is told of them, and when nothing can be."""

import re
from copy import deepcopy
from dataclasses import replace

import pytest

from make_blocks import make_block, of_three_processes
from make_catalogue import ALL_STRATEGIES, STRATEGIES, WORKLOADS
from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.charts.frames import frames_chart
from stowage_report.charts.scaling import scaling_chart
from stowage_report.data.crossing import time_ratio
from stowage_report.data.estimates import Estimate
from stowage_report.data.load import load_run
from stowage_report.data.model import family_of, frame_bin_ns, is_hand_written, sweeps_along
from stowage_report.findings.aging import aging
from stowage_report.findings.leaders import (
    bytes_per_owner, depth, fastest_forms, leading_forms, occupancy, time_leaders,
)
from stowage_report.findings.sections import section_sizes
from stowage_report.findings.threads import BANDWIDTH, share_of_bandwidth, speed_up, threads

SECTIONS = tuple(name for name in ALL_STRATEGIES
                 if family_of(name) in ("reference", "sparse_direct", "archetype_sections"))
AGED = Options(sizes=(16384,), strategies=(*SECTIONS, "indirection_map", "indirection_map.lazy"),
               axes={name: WORKLOADS[name].axes for name in ("aging", "occupancy", "spike", "despawn", "fragmented")})
GROWING = ("memory", "growing")


@pytest.fixture(scope="module")
def aged(tmp_path_factory):
    return load_run(write_run(tmp_path_factory.mktemp("aged"), AGED))


def sweep_of(run, workload, *parameters):
    return next(sweep for sweep in run.sweeps if sweep.workload == workload and set(parameters) <= set(sweep.parameters))


def test_aging_has_curves_of_time_and_misses_and_what_a_despawn_leaves(aged, canvas):
    finding = aging(canvas(aged), aged)
    assert [chart.name for chart in finding.charts] == ["aging-time-16384", "aging-misses-16384", "aging-despawn-16384"]
    times, misses, despawn = finding.charts
    for work in ("point_mass", "join", "join_grouped", "lookup"):
        assert f">{work}</text>" in times.svg and f">{work}</text>" in misses.svg
    assert ">left as it is<" in despawn.svg and ">defragmented or collected<" in despawn.svg
    assert ">despawn</text>" not in times.svg
    assert "after 1,000 frames" in finding.prose and "takes between" in finding.prose
    # some that can defragment are always there
    assert "indirection_map.lazy" in times.svg and "archetype_sections.fixed_" in times.svg


def test_hosts_of_a_merged_run_age_apart(aged, canvas):
    def on_host(block):
        host = "fast" if dict(block.parameters).get("frames") in ("0", "10") else "slow"
        cells = {name: replace(cell, ns_per_item=Estimate(100 * cell.ns_per_item.median)) for name, cell in block.cells.items()}
        return replace(block, host=host, cells=cells if host == "slow" else block.cells)

    merged = replace(aged, blocks=tuple(map(on_host, aged.blocks)))
    finding = aging(canvas(merged), merged)
    assert "after 10 frames, `lookup on fast` takes between" in finding.prose
    assert not re.search(r"[ (]\d\d+\N{MULTIPLICATION SIGN}", finding.prose)
    assert ">lookup on fast</text>" in finding.charts[0].svg and ">lookup on slow</text>" in finding.charts[0].svg


def test_hosts_of_a_merged_run_have_curves_of_their_own(run, canvas):
    sweep = run.sweeps[0]
    merged = replace(sweep, blocks=tuple(replace(block, host=host) for block, host in zip(sweep.blocks, "aba")))
    one, several = (scaling_chart(canvas(run), run, its) for its in (sweep, merged))
    assert "Each host has a curve of its own" in " ".join(several.notes) and several.svg.count("<path") > one.svg.count("<path")


def test_a_histogram_of_frames_is_read_with_its_bins(aged):
    cell = sweep_of(aged, "spike").blocks[0].cells["sparse_direct"]
    assert sum(cell.frames) == cell.counters["frames"] == 600
    assert frame_bin_ns(0) == 100 and frame_bin_ns(8) == pytest.approx(1000)
    assert "frame_histogram" not in cell.counters and "frame_p999_ns" not in cell.counters


def test_frames_are_labelled_by_what_the_worst_did_and_by_rows_moved_for_strategies_that_defragment(aged, canvas):
    chart = frames_chart(canvas(aged), aged, sweep_of(aged, "spike", GROWING))
    assert ">3 growths<" in chart.svg and "(3 growths)" in chart.description and "p99.9" not in chart.description
    assert not any("efragmentation" in note for note in chart.notes)
    notes = frames_chart(canvas(aged), aged, sweep_of(aged, "despawn")).notes
    (told,) = [note for note in notes if "efragmentation" in note]
    assert "`archetype_sections.fixed_32k` 12.4" in told and "indirection_map" not in told


def test_budgets_are_drawn_only_if_frames_come_near_them(aged, canvas):
    sweep = deepcopy(sweep_of(aged, "spike", GROWING))
    assert "8.3 ms" not in frames_chart(canvas(aged), aged, sweep).svg
    for cell in sweep.blocks[0].cells.values():
        cell.counters.update(frame_max_ns=cell.counters["frame_max_ns"] * 100)
    assert "8.3 ms" in frames_chart(canvas(aged), aged, sweep).svg


def test_bytes_are_per_owning_entity(aged):
    block = sweep_of(aged, "occupancy").blocks[2]
    cell = block.cells["sparse_direct"]
    assert dict(block.parameters) == {"share": "10"} and cell.counters["items"] == 1638
    assert bytes_per_owner(block, cell) == pytest.approx(cell.counters["bytes_per_entity"] * 16384 / 1638)


def test_says_which_strategy_is_best_at_which_share_and_where_leaders_change(aged, canvas):
    best, changes = occupancy(canvas(aged), aged).tables
    assert [row[0] for row in best.rows] == ["1 %", "5 %", "10 %", "25 %", "50 %", "75 %", "100 %"]
    assert best.rows[-1][1:] == ["`sparse_direct`", "`sparse_direct`"] and "sparse_direct" not in best.rows[0][1]
    leaders = time_leaders(sweep_of(aged, "occupancy"))
    assert leaders[-1] == "sparse_direct"
    row = next(row for row in changes.rows if leaders[0] in row[0] and "sparse_direct" in row[0])
    assert row[1].startswith("at ") and " to " in row[1]


def test_section_sizes_are_in_order_and_the_growing_one_is_beside_them(aged, canvas):
    (chart,) = section_sizes(canvas(aged), aged).charts
    panel = chart.description.partition(";")[0]
    places = [panel.index(f" {label} ") for label in ("4k", "16k", "32k", "128k", "growing")]
    assert places == sorted(places)
    assert "sets:1" in panel and "sets:64" in chart.description and "free_list" not in chart.description


@pytest.mark.parametrize("finding", [aging, occupancy, section_sizes, depth])
def test_without_such_cells_there_is_no_finding(finding, canvas, run):
    assert finding(canvas(run), run) is None and frames_chart(canvas(run), run, run.sweeps[0]) is None


# ---- depth of a hierarchy

LINEAR, POINTERS = "form.lazy_sorted", "form.recursion"
DEPTHS = ("1", "4", "16", "64", "256", "1024", "4096")


def deep_run(strategies=("reference", "indirection_map", LINEAR, POINTERS), orders=("kept",), dirty=("100",)):
    return Options(sizes=(65536,), strategies=strategies,
                   axes={"hierarchy_deep": {"depth": DEPTHS, "order": orders, "dirty": dirty}})


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    return load_run(write_run(tmp_path_factory.mktemp("deep"), deep_run()))


def test_forms_are_compared_with_each_other_and_are_nothing_to_choose(deep):
    assert is_hand_written(LINEAR)
    (sweep,) = sweeps_along("depth", deep.blocks)
    assert [fastest_forms(block)[0] for block in (sweep.blocks[0], sweep.blocks[-1])] == [LINEAR, POINTERS]
    assert leading_forms(sweep) == [LINEAR, POINTERS]
    assert all(block.leaders == ["indirection_map"] for block in sweep.blocks)


def test_forms_are_judged_by_the_error_rate_of_a_block():
    made = make_block("hierarchy_deep", 1024, {LINEAR: of_three_processes(1.0), POINTERS: of_three_processes(1.045)})
    assert fastest_forms(made) == [LINEAR]
    cells = {name: replace(cell, looks=1) for name, cell in made.cells.items()}
    assert fastest_forms(replace(made, cells=cells)) == [LINEAR, POINTERS]


def test_says_at_which_depth_the_fastest_form_changes_and_how_well_that_is_known(deep, canvas):
    finding = depth(canvas(deep), deep)
    fastest, changes = finding.tables
    assert [row[0] for row in fastest.rows] == list(DEPTHS)
    assert fastest.rows[0][1] == f"`{LINEAR}`" and f"`{POINTERS}`" in fastest.rows[-1][1]
    (sweep,) = sweeps_along("depth", deep.blocks)
    (crossing,) = time_ratio(sweep, LINEAR, POINTERS).crossings()
    assert 1 < crossing.low < crossing.at < crossing.high < 4096
    assert changes.rows == [[f"`{LINEAR}` and `{POINTERS}`",
                             f"at {crossing.at:.3g} ({crossing.low:.3g} to {crossing.high:.3g})"]]
    (chart,) = finding.charts
    assert chart.description.startswith(f"Fastest form: at depth 1 {LINEAR};")
    looks = [canvas(deep).looks[name] for name in (LINEAR, POINTERS)]
    assert looks[0].colour != looks[1].colour and looks[0].marker != looks[1].marker


def test_nodes_made_in_different_orders_are_charts_of_their_own(canvas, tmp_path):
    made = load_run(write_run(tmp_path / "made", deep_run(orders=("kept", "chains"), dirty=("100", "none_kept"))))
    finding = depth(canvas(made), made)
    by_level, by_chain = finding.charts
    assert "made level by level" in by_level.title and "made chain by chain" in by_chain.title
    assert by_level.name != by_chain.name
    assert len({table.caption for table in finding.tables}) == 4
    few = load_run(write_run(tmp_path / "few", deep_run(strategies=("reference", LINEAR))))
    assert depth(canvas(few), few) is None


def test_a_page_with_findings_links_to_each_of_them_once(tmp_path):
    options = Options(sizes=(16384,), strategies=(*SECTIONS[:6], LINEAR, "form.levels"), axes={
        "aging": {"work": ("lookup", "despawn"), "frames": ("0", "10", "100"), "defragment": ("no",)},
        "occupancy": {"share": ("1", "10", "100")}, "point_mass": {}, **deep_run().axes})
    assert main([str(write_run(tmp_path, options))]) == 0
    page = (tmp_path / "report/report.html").read_text()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for name in ("aging", "occupancy", "sections", "depth"):
        assert f'href="#run1-about-{name}"' in page and f"run1-about-{name}" in ids


# ---- threads, with two processors and with many

MANY = WORKLOADS["point_mass_parallel"].axes["threads"]


@pytest.fixture
def threaded(make_run):
    def made(counts, strategies=(*STRATEGIES, BANDWIDTH), **options):
        return make_run(sizes=(262144, 1 << 20), axes={"point_mass_parallel": {"threads": counts}}, strategies=strategies,
                        **options)
    return made


@pytest.mark.parametrize("counts", [MANY[:2], MANY])
def test_every_size_has_a_chart_and_a_table_of_speed_ups(threaded, canvas, counts):
    run = threaded(counts)
    finding = threads(canvas(run), run)
    assert [chart.name for chart in finding.charts] == [f"threads-point_mass_parallel-{size}"
                                                        for size in (262144, 1 << 20)]
    assert [len(table.rows) for table in finding.tables] == [len(STRATEGIES) + 1] * 2
    for name in (*STRATEGIES, BANDWIDTH, counts[-1]):
        assert f">{name}</text>" in finding.charts[0].svg
    assert f"With {counts[-1]} threads and 1M entities here: memory" in finding.prose
    assert "GB fetched in a second" in finding.prose


def test_speed_up_is_that_over_one_thread_with_the_intervals_of_both(threaded):
    run = threaded(MANY)
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


def test_only_blocks_of_the_host_that_ran_one_thread_make_its_speed_up(threaded, canvas):
    run = threaded(MANY)
    *blocks, last = run.blocks_of("point_mass_parallel")
    merged = [*(replace(block, host="a") for block in blocks), replace(last, host="b")]
    finding = threads(canvas(run), replace(run, blocks=tuple(merged)))
    assert [f"{MANY[-1]} threads" in table.head for table in finding.tables] == [True, False]


def test_what_has_no_time_with_one_thread_or_no_yardstick_is_a_dash(threaded, canvas):
    run = threaded(MANY[:2], tuple(STRATEGIES), failing=("point_mass_parallel/hash_index/entities:262144/threads:1",))
    finding = threads(canvas(run), run)
    assert "here: memory" not in finding.prose
    assert {row[-1] for row in finding.tables[0].rows} == {"\N{EN DASH}"}
    (row,) = [row for row in finding.tables[0].rows if row[0] == "`hash_index`"]
    assert row[1] == row[3] == "\N{EN DASH}"


@pytest.mark.parametrize("counts", [("1",), ("2", "4")])
def test_without_one_thread_and_more_there_is_no_speed_up(threaded, canvas, counts):
    run = threaded(counts)
    assert threads(canvas(run), run) is None
