"""Aging, frame times, occupancy, section size: what is told of them, and when nothing can be."""

import re
from copy import deepcopy

import pytest

from make_catalogue import ALL_STRATEGIES, WORKLOADS
from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.charts.canvas import Canvas
from stowage_report.charts.frames import frames_chart
from stowage_report.charts.style import Looks
from stowage_report.data.load import load_run
from stowage_report.data.model import FrameHistogram, family_of
from stowage_report.findings.aging import aging
from stowage_report.findings.occupancy import bytes_per_owner, occupancy, time_leaders
from stowage_report.findings.sections import section_sizes

SECTIONS = tuple(name for name in ALL_STRATEGIES
                 if family_of(name) in ("reference", "sparse_direct", "archetype_sections"))
AGED = Options(sizes=(16384,), strategies=(*SECTIONS, "indirection_map", "indirection_map.lazy"),
               axes={name: WORKLOADS[name].axes for name in ("aging", "occupancy", "spike", "despawn", "fragmented")})


@pytest.fixture(scope="module")
def aged(tmp_path_factory):
    return load_run(write_run(tmp_path_factory.mktemp("aged"), AGED))


@pytest.fixture
def canvas(tmp_path, aged, run):
    return Canvas(tmp_path, "plots", Looks([*aged.strategies, *run.strategies]))


def sweep_of(run, workload, *parameters):
    return next(sweep for sweep in run.sweeps_of(workload) if set(parameters) <= set(sweep.parameters))


def test_aging_has_curves_of_time_and_misses_and_what_a_despawn_leaves(aged, canvas):
    finding = aging(canvas, aged)
    assert [chart.name for chart in finding.charts] == ["aging-time-16384", "aging-misses-16384", "aging-despawn-16384"]
    times, misses, despawn = finding.charts
    for work in ("point_mass", "join", "join_grouped", "lookup"):
        assert f">{work}</text>" in times.svg and f">{work}</text>" in misses.svg
    assert ">left as it is<" in despawn.svg and ">defragmented or collected<" in despawn.svg
    assert ">despawn</text>" not in times.svg
    assert "after 1,000 frames" in finding.prose and "takes between" in finding.prose


def test_some_strategies_that_can_defragment_are_always_among_the_aging_curves(aged, canvas):
    times = aging(canvas, aged).charts[0]
    assert "indirection_map.lazy" in times.svg and "archetype_sections.fixed_" in times.svg


def test_a_histogram_of_frames_is_read_with_its_bins(aged):
    cell = sweep_of(aged, "spike").blocks[0].cells["sparse_direct"]
    assert isinstance(cell.frames, FrameHistogram) and sum(cell.frames.counts) == cell.counters["frames"] == 600
    assert cell.frames.edge_ns(0) == 100 and cell.frames.edge_ns(8) == pytest.approx(1000)
    assert "frame_histogram" not in cell.counters and "frame_p999_ns" not in cell.counters


def test_the_worst_frame_is_labelled_by_what_it_did(aged, canvas):
    chart = frames_chart(canvas, aged, sweep_of(aged, "spike", ("memory", "growing")))
    assert ">3 growths<" in chart.svg and "(3 growths)" in chart.description and "p99.9" not in chart.description


def test_rows_moved_are_reported_for_strategies_that_defragment(aged, canvas):
    notes = frames_chart(canvas, aged, sweep_of(aged, "despawn")).notes
    told = [note for note in notes if "efragmentation" in note]
    assert len(told) == 1 and "`archetype_sections.fixed_32k` 11.25" in told[0] and "indirection_map" not in told[0]
    others = frames_chart(canvas, aged, sweep_of(aged, "spike", ("memory", "growing"))).notes
    assert not any("efragmentation" in note for note in others)


def test_budgets_are_drawn_only_if_frames_come_near_them(aged, canvas):
    sweep = deepcopy(sweep_of(aged, "spike", ("memory", "growing")))
    assert "8.3 ms" not in frames_chart(canvas, aged, sweep).svg
    for cell in sweep.blocks[0].cells.values():
        cell.counters.update(frame_max_ns=cell.counters["frame_max_ns"] * 100)
    assert "8.3 ms" in frames_chart(canvas, aged, sweep).svg


def test_bytes_are_per_owning_entity(aged):
    block = sweep_of(aged, "occupancy").blocks[2]
    cell = block.cells["sparse_direct"]
    assert dict(block.parameters) == {"share": "10"} and cell.counters["items"] == 1638
    assert bytes_per_owner(block, cell) == pytest.approx(cell.counters["bytes_per_entity"] * 16384 / 1638)


def test_says_which_strategy_is_best_at_which_share_and_where_leaders_change(aged, canvas):
    finding = occupancy(canvas, aged)
    best, changes = finding.tables
    assert [row[0] for row in best.rows] == ["1 %", "5 %", "10 %", "25 %", "50 %", "75 %", "100 %"]
    assert best.rows[-1][1:] == ["`sparse_direct`", "`sparse_direct`"] and "sparse_direct" not in best.rows[0][1]
    leaders = time_leaders(sweep_of(aged, "occupancy"))
    assert leaders[-1] == "sparse_direct"
    row = next(row for row in changes.rows if leaders[0] in row[0] and "sparse_direct" in row[0])
    assert row[1].startswith("at ") and " to " in row[1]


def test_section_sizes_are_in_order_and_the_growing_one_is_beside_them(aged, canvas):
    (chart,) = section_sizes(canvas, aged).charts
    panel = chart.description.partition(";")[0]
    assert [panel.index(f" {label} ") for label in ("4k", "16k", "32k", "128k", "growing")] == sorted(
        panel.index(f" {label} ") for label in ("4k", "16k", "32k", "128k", "growing"))
    assert "sets:1" in panel and "sets:64" in chart.description and "free_list" not in chart.description


def test_a_page_with_findings_links_to_each_of_them_once(tmp_path):
    options = Options(sizes=(16384,), strategies=SECTIONS[:6], axes={
        "aging": {"work": ("lookup", "despawn"), "frames": ("0", "10", "100"), "defragment": ("no",)},
        "occupancy": {"share": ("1", "10", "100")}, "point_mass": {}})
    assert main([str(write_run(tmp_path, options))]) == 0
    page = (tmp_path / "report/report.html").read_text()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for name in ("aging", "occupancy", "sections"):
        assert f'href="#run1-about-{name}"' in page and f"run1-about-{name}" in ids


@pytest.mark.parametrize("finding", [aging, occupancy, section_sizes])
def test_without_such_cells_there_is_no_finding(finding, canvas, run):
    assert finding(canvas, run) is None


def test_without_frames_there_is_no_chart_of_them(canvas, run):
    assert frames_chart(canvas, run, run.sweeps[0]) is None
