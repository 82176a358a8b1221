"""What is shown of the passes beside the clock: figures if there are some, words if there are none."""

import copy
import csv
import dataclasses
import html
import re

import pytest

from make_counters import TOO_LARGE
from stowage_report.charts.counters import floor_of, memory_chart, misses_chart
from stowage_report.charts.pareto import pareto_chart
from stowage_report.data import passes
from stowage_report.data.environment import environment
from stowage_report.data.model import PassRecord
from stowage_report.findings.clock import explanation
from stowage_report.pages.downloads import sweep_csv


@pytest.fixture
def draw(canvas):
    """Draws a chart of the first sweep of a run."""
    return lambda chart, run: chart(canvas(run), run, run.sweeps[0])


def test_misses_stand_beside_the_floor_and_name_their_source_and_those_below_it_are_explained(run, draw):
    chart = draw(misses_chart, run)
    assert floor_of(run.sweeps[0].blocks[0]) == 0.5625
    for phrase in ("floor: 0.5625 lines", "simulated, model reference", "16k entities"):
        assert phrase in chart.svg
    notes = " ".join(chart.notes)
    assert "no prefetcher" in notes and "Left out at 256k, 8 cells" in notes and TOO_LARGE in notes
    assert "Below the floor at 1k and 16k (first level) and 1k and 16k (last level)" in chart.notes[0]
    counted = dataclasses.replace(run, passes=(PassRecord("cache", "hardware", {}),))
    chart = draw(misses_chart, counted)
    assert "prefetcher" in chart.notes[0] and "thin: last); hardware" in chart.svg


def test_sizes_at_which_nothing_is_missed_are_not_drawn(make_run, draw):
    chart = draw(misses_chart, make_run(sizes=(256, 65536), axes={"join": {}}))
    assert ">256 entities<" not in chart.svg and ">64k entities<" in chart.svg
    assert any(note.startswith("Not drawn: 256") for note in chart.notes)


def test_memory_is_of_the_largest_size_that_was_counted_and_time_against_it_names_the_frontier(run, draw):
    chart = draw(memory_chart, run)
    assert ">256k entities<" in chart.svg and ">1k entities<" not in chart.svg
    assert "naive_objects 136 (payload 40, index 72, slack 24, peak 136)" in chart.description
    chart = draw(pareto_chart, run)
    assert "256k entities" in chart.svg and "`sparse_direct`" in chart.notes[0]
    assert "naive_objects" in chart.description and "worse" in chart.description


@pytest.mark.parametrize("chart", [memory_chart, pareto_chart])
def test_a_larger_block_with_fewer_figures_is_not_called_smaller(run, draw, chart):
    fewer = copy.deepcopy(run)
    fewer.sweeps[0].blocks[-1].cells["hash_index"].counters.pop("bytes_per_entity")
    drawn = draw(chart, fewer)
    assert ">16k entities" in drawn.svg or ", 16k entities" in drawn.svg
    assert any(note.startswith("Shown is the largest of the blocks") for note in drawn.notes)


@pytest.mark.parametrize("chart", [misses_chart, memory_chart, pareto_chart])
def test_without_counters_there_is_no_chart(chart, make_run, draw):
    assert draw(chart, make_run(sizes=(1024,), axes={"join": {}}, passes=())) is None


def test_says_whether_misses_explain_the_clock(run, canvas):
    told = explanation(canvas(run), run)
    assert [item.workload for item in told.correlations] == ["all workloads", "point_mass", "join"]
    overall, _, join = told.correlations
    assert overall.cells == 8 * 2 * 3 - 1 and join.cells == 8 * 2 * 2 - 1  # one failed, a size was left out
    assert f"is {overall.with_time['l1d_misses_per_item']:.2f}: misses explain" in told.verdict


def test_a_workload_has_a_panel_only_if_its_cells_show_something(run, make_run, canvas):
    def panels_of(shown):
        told = explanation(canvas(shown), shown)
        assert len(told.correlations) == 3  # the table has all
        return [name for name in ("all workloads", "point_mass", "join") if f">{name}, " in told.chart.svg]

    assert panels_of(run) == ["all workloads", "join"]  # of point_mass there are 15 cells
    assert panels_of(make_run(sizes=(1024,), axes={"point_mass": {}, "join": {}})) == ["all workloads"]
    without_misses = make_run(sizes=(1024,), axes={"join": {}}, passes=("memory",))
    assert explanation(canvas(without_misses), without_misses) is None


def test_the_csv_of_a_sweep_has_its_cells_in_the_order_by_which_the_page_numbers_them(run):
    sweep = run.sweeps[0]
    rows = list(csv.DictReader(sweep_csv(sweep).splitlines()))
    assert [row["strategy"] for row in rows] == [cell.strategy for cell in sweep.cells] and len(rows) == 8 * 3


def test_the_page_lists_passes_and_what_they_left_out_or_that_there_are_none(page, make_run):
    text = re.sub(r"<[^>]+>", "", html.unescape(page))
    assert "model: reference; l1d: 48 KiB, 12-way, 64-byte lines" in text and "valgrind: 3.19.0" in text
    assert "Pass cache: Left out at 256k, 24 cells" in text
    assert "join/entities:262144/order:same/via:each" in text
    lines = dict(environment(make_run(sizes=(1024,), axes={"join": {}}, passes=())))
    assert lines["Passes"] == "the clock alone: neither cache nor memory figures"


def test_reasons_that_differ_are_counted_and_every_cell_that_was_left_out_is_listed_once(run):
    first, second = run.omissions[:2]
    changed = dataclasses.replace(run, omissions=(first, dataclasses.replace(second, reason="no time left.")))
    (_, sentence, gathered), = passes.all_left_out(changed)
    assert sentence == f"Left out at 256k, 2 cells for 2 reasons, the first: {TOO_LARGE}."
    assert [left_out.reason for left_out in gathered] == [TOO_LARGE, "no time left."]
    cells = [f"{workload}/{strategy}/{rest}" for *_, gathered in passes.all_left_out(run) for left_out in gathered
             for workload, _, rest in (block.partition("/") for block in left_out.blocks)
             for strategy in left_out.strategies]
    assert sorted(cells) == sorted(omission.cell for omission in run.omissions) and len(cells) > 1
