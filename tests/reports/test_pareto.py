"""Which strategies are on the frontier, and which only seem to be."""

from dataclasses import replace

import pytest

from make_blocks import make_cell, of_three_processes, samples_of
from stowage_report.charts.pareto import Place, places_of
from stowage_report.data.estimates import Standing, estimate_ratio, judged_together, standing_of
from stowage_report.data.metrics import BYTES, INSTRUCTIONS, MISSES
from stowage_report.data.model import Block, Cell

NOISE = (1.01, 0.99, 1.02, 0.98, 1.03, 1.01, 1.0)
FRONTIER, OPEN, WORSE = Place.FRONTIER, Place.OPEN, Place.WORSE


def cell(strategy: str, size: float | None, times: float, noise=(1.0,) * 7, **options) -> Cell:
    sizes = {} if size is None else {"bytes_per_entity": size}
    return make_cell(strategy, samples_of(times, noise, **options), **sizes)


def block(*cells: Cell) -> Block:
    return Block("join", 1024, (), {cell.strategy: cell for cell in cells})


@pytest.mark.parametrize("cells, places", [
    ([cell("small", 44, 2.0), cell("fast", 56, 1.0)], {"small": FRONTIER, "fast": FRONTIER}),
    ([cell("first", 56, 1.0), cell("slower", 56, 1.2), cell("both", 90, 1.2)], {"first": FRONTIER, "slower": WORSE, "both": WORSE}),
    ([cell("small", 44, 1.0), cell("faster by chance", 56, 0.999, NOISE)], {"small": FRONTIER, "faster by chance": OPEN}),
    ([cell("one", 56, 1.0), cell("equal", 56, 1.0, NOISE)], {"one": OPEN, "equal": OPEN}),
    ([cell("one", 56, 1.0, rounds=1), cell("other", 56, 9.0, rounds=1)], {"one": OPEN, "other": OPEN}),  # too few rounds
    # what cannot be chosen takes no part
    *(([cell("only", 56, 1.0), other], {"only": FRONTIER}) for other in (
        cell("reference", 40, 0.5), cell("reference.store", 40, 0.5), cell("uncounted", None, 0.5))),
])
def test_what_is_certainly_worse_in_one_and_better_in_neither_is_not_on_the_frontier_of_time_and_bytes(cells, places):
    assert dict(places_of(block(*cells))) == places


@pytest.mark.parametrize("uncounted, slower_ns", [(0, 1.045), (8, 1.06)])
def test_what_is_open_in_its_block_is_not_worse(uncounted, slower_ns):
    """Strategies without bytes are rivals in the block, too."""
    others = [f"other{number}" for number in range(uncounted)]
    times = dict.fromkeys(["best", *others], of_three_processes(1.0)) | {"slower": of_three_processes(slower_ns)}
    ratio = estimate_ratio(times["slower"], times["best"], judged_together(len(times) - 1, 1))
    assert standing_of(ratio) is Standing.OPEN
    cells = [replace(make_cell(name, its, **({} if name in others else {"bytes_per_entity": 56})), looks=1)
             for name, its in times.items()]
    assert dict(places_of(block(*cells))) == {"best": OPEN, "slower": OPEN}


@pytest.mark.parametrize("figures, worse", [
    ({"a": (1, 40), "b": (0.5, 50), "c": (1, 40.01), "d": (2, 30), "e": (0, 51)}, "c"),
    ({"one": (1, 40), "equal": (1, 40)}, ""),
    ({"one": (0, 40), "other": (0, 41)}, "other"),
])
def test_counts_are_never_open(figures, worse):
    cells = [Cell(f"join/{name}/entities:1", name, counters={"l1d_misses_per_item": misses, "bytes_per_entity": size})
             for name, (misses, size) in figures.items()]
    assert dict(places_of(block(*cells), BYTES, MISSES)) == {name: WORSE if name == worse else FRONTIER for name in figures}


def test_a_strategy_that_lacks_one_of_both_figures_takes_no_part():
    assert places_of(block(cell("only", 56, 1.0)), BYTES, INSTRUCTIONS) == {}
