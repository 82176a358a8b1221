"""A tie is said to be a tie, and nothing ranks inside one."""

import dataclasses

import pytest

from stowage_report.charts.heatmap import cell_colour
from stowage_report.data.estimates import estimate_median
from stowage_report.data.model import Block, Cell, Standing, Sweep
from stowage_report.pages.views import table_of

ROUNDS = (1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98)


def cell(strategy: str, factors: list[float]) -> Cell:
    samples = tuple(base * factor for base, factor in zip(ROUNDS, factors))
    return Cell(f"join/{strategy}/entities:1024", strategy, estimate_median(samples), samples)


@pytest.fixture
def block() -> Block:
    cells = [
        cell("reference", [0.5] * 7),
        cell("first", [1.0] * 7),
        cell("equal", [1.01, 0.99, 1.02, 0.98, 1.03, 1.01, 1.0]),
        cell("slower", [1.2] * 7),
        Cell("join/broken/entities:1024", "broken", error="checksum differs"),
    ]
    return Block("join", 1024, (), {cell.strategy: cell for cell in cells})


def test_who_cannot_be_told_from_the_best_is_tied_with_it(block):
    assert [block.standing(name) for name in block.cells] == [
        Standing.HAND_WRITTEN, Standing.TIED, Standing.TIED, Standing.BEHIND, Standing.FAILED,
    ]


def test_the_reference_is_no_candidate_for_the_best(block):
    assert block.ratios_to_best["reference"].median == pytest.approx(0.5)


def test_alone_in_front_is_best(block):
    alone = dataclasses.replace(block, cells={name: block.cells[name] for name in ("first", "slower")})
    assert alone.standing("first") is Standing.BEST


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
