"""Blocks and runs whose figures a test gives one by one: what it says of them then follows from these alone."""

from pathlib import Path
from typing import Mapping, Sequence

from make_figures import INTERVAL_SAMPLES, INTERVALS, judged, samples as as_samples
from stowage_report.data.estimates import Estimate, Intervals, Samples, estimate_ratio
from stowage_report.data.model import REFERENCE, Block, Cell, Run, Standing, WorkloadCard

#: What slowed the machine in each round: it cancels in ratios.
ROUNDS = (1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98)
#: Of a strategy that is as fast as another, now a little faster, now a little slower.
JITTER = (1.01, 0.99, 1.02, 0.98, 1.03, 0.97, 1.0)


def samples_of(ns: float, jitter: Sequence[float] | None = None, rounds: int = len(ROUNDS)) -> Samples:
    return as_samples([ns * slow * factor for slow, factor in zip(ROUNDS[:rounds], jitter or [1.0] * len(ROUNDS))])


def of_three_processes(ns: float) -> Samples:
    """As quick has them at its first look: 4.5 % more are certain for one comparison, and open in a block."""
    return Samples([ns] * 9, Intervals(INTERVAL_SAMPLES, scatter=0.03), [0, 0, 0, 1, 1, 1, 2, 2, 2])


def make_cell(strategy: str, samples: Samples, floor: Sequence[float] | None = None, to_best: Estimate | None = None,
              standing: Standing = Standing.WORSE, **counters: float) -> Cell:
    ratio = estimate_ratio(samples, floor) if floor else None
    return Cell(f"any/{strategy}/entities:1", strategy, INTERVALS.median(samples), samples, ratio, to_best, standing,
                counters)


def make_block(workload: str, entities: int, samples: Mapping[str, Samples],
               counters: Mapping[str, Mapping[str, float]] = {}, **parameters: str) -> Block:
    """Of times by strategy; counters by strategy too."""
    floor = samples.get(REFERENCE)
    judgements = judged(samples)
    cells = {name: make_cell(name, its, floor, *judgements[name], **counters.get(name, {})) for name, its in samples.items()}
    return Block(workload, entities, tuple(parameters.items()), cells)


def run_of(*blocks: Block, name: str = "20261120-190000-bench-quick", **record: object) -> Run:
    cards = {block.workload: WorkloadCard(block.workload, item="one item") for block in blocks}
    return Run(Path("/results") / name, {"date": "2026-11-20T19:00:00+00:00", "num_cpus": 2},
               {"preset": "quick", "cpu_model": "Example CPU 9000"} | record, (), tuple(blocks), cards, {})
