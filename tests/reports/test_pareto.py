"""Which strategies are on the frontier, and which only seem to be."""

import pytest

from make_blocks import make_cell, samples_of
from stowage_report.charts.pareto import Place, places_of
from stowage_report.data.metrics import BYTES, INSTRUCTIONS, MISSES
from stowage_report.data.model import Block, Cell

NOISE = (1.01, 0.99, 1.02, 0.98, 1.03, 1.01, 1.0)


def cell(strategy: str, size: float | None, times: float, noise=(1.0,) * 7) -> Cell:
    return make_cell(strategy, samples_of(times, noise), **({} if size is None else {"bytes_per_entity": size}))


def places(*cells: Cell) -> dict[str, Place]:
    return dict(places_of(Block("join", 1024, (), {cell.strategy: cell for cell in cells})))


def test_faster_and_smaller_ones_are_both_on_the_frontier():
    assert places(cell("small", 44, 2.0), cell("fast", 56, 1.0)) == {"small": Place.FRONTIER, "fast": Place.FRONTIER}


def test_slower_at_no_fewer_bytes_is_worse():
    assert places(cell("first", 56, 1.0), cell("slower", 56, 1.2), cell("both", 90, 1.2)) == {
        "first": Place.FRONTIER, "slower": Place.WORSE, "both": Place.WORSE,
    }


def test_faster_by_chance_is_open_and_not_on_the_frontier():
    assert places(cell("small", 44, 1.0), cell("equal", 56, 0.999, NOISE)) == {
        "small": Place.FRONTIER, "equal": Place.OPEN,
    }


def test_equal_ones_are_open():
    assert set(places(cell("one", 56, 1.0), cell("other", 56, 1.0, NOISE)).values()) == {Place.OPEN}


def test_with_too_few_repetitions_nothing_is_worse():
    few = [make_cell(name, samples_of(time, rounds=1), bytes_per_entity=56) for name, time in (("one", 1.0), ("other", 9.0))]
    assert set(places(*few).values()) == {Place.OPEN}


@pytest.mark.parametrize("other", [cell("reference", 40, 0.5), cell("reference.store", 40, 0.5),
                                   cell("uncounted", None, 0.5)])
def test_what_cannot_be_chosen_takes_no_part(other):
    assert places(cell("only", 56, 1.0), other) == {"only": Place.FRONTIER}


def counted(**figures: tuple[float, float]) -> dict[str, Place]:
    """Of misses and bytes by strategy."""
    cells = {name: Cell(f"join/{name}/entities:1", name,
                        counters={"l1d_misses_per_item": misses, "bytes_per_entity": size})
             for name, (misses, size) in figures.items()}
    return dict(places_of(Block("join", 1, (), cells), BYTES, MISSES))


def test_counts_are_never_open():
    assert counted(a=(1, 40), b=(0.5, 50), c=(1, 40.01), d=(2, 30), e=(0, 51)) == {
        "a": Place.FRONTIER, "b": Place.FRONTIER, "c": Place.WORSE, "d": Place.FRONTIER, "e": Place.FRONTIER,
    }


def test_equal_in_both_counts_is_beaten_by_none():
    assert counted(one=(1, 40), other=(1, 40)) == {"one": Place.FRONTIER, "other": Place.FRONTIER}


def test_two_of_no_misses_differ_in_bytes():
    assert counted(one=(0, 40), other=(0, 41)) == {"one": Place.FRONTIER, "other": Place.WORSE}


def test_a_strategy_that_lacks_one_of_both_figures_takes_no_part():
    block = Block("join", 1, (), {"only": cell("only", 56, 1.0)})
    assert places_of(block, BYTES, INSTRUCTIONS) == {}
