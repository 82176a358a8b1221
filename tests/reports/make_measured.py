"""Results files whose truth is known, drawn from seeds: what the tests of `stowage compare` work on."""

import math
import random
from typing import Callable, Sequence

from make_figures import INTERVAL_SAMPLES
from stowage_report.compare.comparison import Comparison
from stowage_report.compare.read import MeasuredCell, MeasuredFile, Round

STRATEGIES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
BLOCKS = 24

#: By how much longer a cell takes than it would: of a strategy in a block.
Factor = Callable[[str, int], float]


def cell_name(strategy: str, block: int) -> str:
    return f"walk/{strategy}/entities:{1024 + block}"


def round_of(ns: float) -> Round:
    """Of a cell whose reference took 100."""
    return Round(ns, ns, ns / 100)


def slow(strategy: str, factor: float) -> Factor:
    return lambda name, _: factor if name == strategy else 1.0


def run_of(seed: int, factor: Factor = lambda *_: 1.0, strategies: Sequence[str] = STRATEGIES, blocks: int = BLOCKS,
           rounds: int = 9, run_scatter: float = 0.01) -> MeasuredFile:
    """`run_scatter` is what one process has for all of a cell's repetitions."""
    rng = random.Random(seed)
    cells = []
    for block in range(blocks):
        cells.append(MeasuredCell(cell_name("reference", block), [round_of(100.0)] * rounds))
        for strategy in strategies:
            typical = 150 * factor(strategy, block) * math.exp(run_scatter * rng.gauss(0, 1))
            cells.append(MeasuredCell(cell_name(strategy, block),
                                      [round_of(typical * math.exp(_noise(rng))) for _ in range(rounds)]))
    return MeasuredFile("a run", True, interval_samples=INTERVAL_SAMPLES, cells=cells)


def _noise(rng: random.Random) -> float:
    """Of a timing: mostly small, always upwards when it is large."""
    return 0.01 * rng.gauss(0, 1) + (0.2 * rng.random() if rng.random() < 0.1 else 0)


def counts_of(cells: dict[str, dict[str, float]], seed: str = "1", **passes: str) -> MeasuredFile:
    """Counted figures by cell."""
    figures = {"floor": ["floor_lines_per_item"], "frames": ["frame_p99_ns"],
               "cache": ["instructions_per_item", "l1d_misses_per_item", "l1d_misses_index_per_item", "line_use_share"],
               "memory": ["bytes_per_entity", "slack_bytes_per_entity", "allocator_overhead_bytes_per_entity"]}
    return MeasuredFile("a run", True, {"seed": seed}, {"cache": "L1d 48 KiB", "memory": "counted"} | passes, figures,
                        INTERVAL_SAMPLES, [MeasuredCell(name, figures=dict(its)) for name, its in cells.items()])


def cell(comparison: Comparison, name: str):
    return next(change for change in comparison.cells if change.pair.name == name)


def strategy(comparison: Comparison, name: str):
    return next(change for change in comparison.strategies if change.strategy == name)
