"""Best, equal, worse or open: by the rule of the harness, and said in tables and charts."""

import dataclasses
import json
import math
from pathlib import Path

import pytest

from make_blocks import JITTER, make_block, run_of, samples_of
from make_figures import INTERVAL_SAMPLES
from stowage_report.charts.heatmap import cell_colour
from stowage_report.data.estimates import Estimate, Intervals, Samples, Standing, standing_of
from stowage_report.data.model import Cell, Sweep
from stowage_report.data.verdicts import verdicts
from stowage_report.pages.views import table_of

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
    cells = {name: dataclasses.replace(cell, looks=looks) for name, cell in block.cells.items()}
    (found,) = verdicts(run_of(dataclasses.replace(block, cells=cells)))
    told = {each.strategy: each.standing.value for each in found.contenders}
    assert told == {name: word for name, word in vector["standing"].items() if word != "hand-written"}


def test_the_table_says_so_and_keeps_the_order_of_the_run_and_equal_strategies_have_one_colour():
    times = {"reference": samples_of(0.5), "first": samples_of(1), "equal": samples_of(1, JITTER), "slower": samples_of(1.2)}
    made = make_block("join", 1024, times)
    broken = Cell("join/broken/entities:1024", "broken", standing=Standing.FAILED, error="checksum differs")
    block = dataclasses.replace(made, cells={**made.cells, "broken": broken})
    assert block.ratios_to_best["reference"].median == pytest.approx(0.5)
    assert dataclasses.replace(block, cells={"broken": broken}).leaders == []
    colours = {cell_colour(block.cells[name].standing, block.ratios_to_best[name]) for name in ("first", "equal")}
    assert len(colours) == 1
    table = table_of(Sweep("join", (), (block,)))
    assert [(name, cells[0].mark) for name, cells in table.rows] == [
        ("reference", ""), ("first", "best"), ("equal", "equal"), ("slower", ""), ("broken", "ERROR"),
    ]
