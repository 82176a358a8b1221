"""Depth of a transform hierarchy: which form is reported as the fastest, and where that changes."""

import pytest

from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.charts.canvas import Canvas
from stowage_report.charts.style import Looks
from stowage_report.data.crossing import time_ratio
from stowage_report.data.load import load_run
from stowage_report.data.model import is_hand_written, sweeps_along
from stowage_report.findings.depth import depth, fastest_forms, leading_forms

LINEAR, POINTERS = "form.lazy_sorted", "form.recursion"
DEPTHS = ("1", "4", "16", "64", "256", "1024", "4096")
DEEP = Options(sizes=(65536,), strategies=("reference", "indirection_map", LINEAR, POINTERS),
               axes={"hierarchy_deep": {"depth": DEPTHS, "order": ("kept",), "dirty": ("100",)}})


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    return load_run(write_run(tmp_path_factory.mktemp("deep"), DEEP))


@pytest.fixture
def canvas(tmp_path, deep, run):
    return Canvas(tmp_path, "plots", Looks([*deep.strategies, *run.strategies]))


def test_forms_are_compared_with_each_other_and_are_nothing_to_choose(deep):
    assert is_hand_written(LINEAR)
    (sweep,) = sweeps_along("depth", deep.blocks)
    assert [fastest_forms(block)[0] for block in (sweep.blocks[0], sweep.blocks[-1])] == [LINEAR, POINTERS]
    assert leading_forms(sweep) == [LINEAR, POINTERS]
    assert all(block.leaders == ["indirection_map"] for block in sweep.blocks)


def test_says_at_which_depth_the_fastest_form_changes_and_how_well_that_is_known(deep, canvas):
    finding = depth(canvas, deep)
    fastest, changes = finding.tables
    assert [row[0] for row in fastest.rows] == list(DEPTHS)
    assert fastest.rows[0][1] == f"`{LINEAR}`" and f"`{POINTERS}`" in fastest.rows[-1][1]
    (row,) = changes.rows
    (sweep,) = sweeps_along("depth", deep.blocks)
    (crossing,) = time_ratio(sweep, LINEAR, POINTERS).crossings()
    assert 1 < crossing.low < crossing.at < crossing.high < 4096
    assert row == [f"`{LINEAR}` and `{POINTERS}`",
                   f"at {crossing.at:.3g} ({crossing.low:.3g} to {crossing.high:.3g})"]


def test_the_chart_distinguishes_the_forms(deep, canvas):
    (chart,) = depth(canvas, deep).charts
    assert chart.description.startswith(f"Fastest form: at depth 1 {LINEAR};")
    looks = [canvas.looks[name] for name in (LINEAR, POINTERS)]
    assert looks[0].colour != looks[1].colour and looks[0].marker != looks[1].marker


def test_nodes_made_in_different_orders_are_charts_of_their_own(canvas, make_run):
    made = make_run(sizes=(65536,), strategies=DEEP.strategies,
                    axes={"hierarchy_deep": {"depth": DEPTHS, "order": ("kept", "chains"), "dirty": ("100", "none_kept")}})
    finding = depth(canvas, made)
    by_level, by_chain = finding.charts
    assert "made level by level" in by_level.title and "made chain by chain" in by_chain.title
    assert by_level.name != by_chain.name
    assert len({table.caption for table in finding.tables}) == 4


def test_the_page_links_to_it(tmp_path):
    assert main([str(write_run(tmp_path, DEEP))]) == 0
    page = (tmp_path / "report/report.html").read_text()
    assert 'href="#run1-about-depth"' in page


def test_without_forms_there_is_no_finding(run, canvas, make_run):
    assert depth(canvas, run) is None
    few = make_run(sizes=(65536,), strategies=("reference", LINEAR),
                   axes={"hierarchy_deep": {"depth": DEPTHS, "order": ("kept",), "dirty": ("100",)}})
    assert depth(canvas, few) is None
