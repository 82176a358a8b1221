"""A tie is said to be a tie, and nothing ranks inside one."""

import dataclasses

import pytest

from make_blocks import JITTER, make_block, samples_of
from stowage_report.charts.heatmap import cell_colour
from stowage_report.data.model import Block, Cell, Standing, Sweep
from stowage_report.pages.views import table_of

@pytest.fixture
def block() -> Block:
    times = {"reference": samples_of(0.5), "first": samples_of(1), "equal": samples_of(1, JITTER), "slower": samples_of(1.2)}
    made = make_block("join", 1024, times)
    broken = Cell("join/broken/entities:1024", "broken", standing=Standing.FAILED, error="checksum differs")
    return dataclasses.replace(made, cells={**made.cells, "broken": broken})


def test_what_is_not_certainly_worse_than_the_best_is_tied_with_it(block):
    assert [block.standing(name) for name in block.cells] == [
        Standing.HAND_WRITTEN, Standing.TIED, Standing.TIED, Standing.BEHIND, Standing.FAILED,
    ]


def test_the_reference_is_no_candidate_for_the_best(block):
    assert block.ratios_to_best["reference"].median == pytest.approx(0.5)


def test_alone_in_front_is_best(block):
    alone = make_block("join", 1024, {"first": samples_of(1), "slower": samples_of(1.2)})
    assert alone.standing("first") is Standing.BEST and alone.leaders == ["first"]


def test_a_block_of_failures_has_no_best(block):
    failed = dataclasses.replace(block, cells={"broken": block.cells["broken"]})
    assert failed.leaders == [] and failed.standing("broken") is Standing.FAILED


def test_all_of_a_tie_have_one_colour(block):
    colours = {cell_colour(block.standing(name), block.ratios_to_best[name]) for name in ("first", "equal")}
    assert len(colours) == 1


def test_the_table_says_so_and_keeps_the_order_of_the_run(block):
    table = table_of(Sweep("join", (), (block,)))
    assert [(name, cells[0].mark) for name, cells in table.rows] == [
        ("reference", ""), ("first", "tie"), ("equal", "tie"), ("slower", ""), ("broken", "ERROR"),
    ]
