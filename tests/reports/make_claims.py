"""Stored results made of a few figures: enough for a claim, and nothing beside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterable

import make_results
from make_figures import INTERVALS, stored
from stowage_report.claims.evidence import TIME, TIMED

PROCESSES, ROUNDS = 3, 3  # of each process
SIZE = 262144


class Block:
    """Cells of one workload with one parameter set; a figure for each strategy, by its metric. `processes` has by how many
    times the processes of a cell differ from its time; by default they do not."""

    def __init__(self, workload: str, parameters: str = "", entities: int = SIZE):
        self.place = workload, f"entities:{entities}" + "".join(f"/{each}" for each in parameters.split())
        self.figures: dict[str, dict] = {}

    def put(self, metric: str, values: dict[str, object]) -> Block:
        for strategy, value in values.items():
            self.figures.setdefault(strategy, {})[metric] = value
        return self


def _cells(blocks: Iterable[Block]) -> dict[str, dict]:
    """By name; what several blocks say of the same cell is one cell."""
    cells: dict[str, dict] = {}
    for block in blocks:
        workload, suffix = block.place
        for strategy, figures in block.figures.items():
            cells.setdefault(f"{workload}/{strategy}/{suffix}", {}).update(figures)
    return cells


def _entries(name: str, figures: dict, processes: int) -> Iterable[dict]:
    return _timed(name, dict(figures), processes) if "ns_per_item" in figures else [_entry(name, 0) | figures]


def _timed(name: str, figures: dict, processes: int) -> Iterable[dict]:
    """The rounds of a process spread by one percent, alike in all cells, so that ratios are exact."""
    factors = figures.pop("processes", (1.0,) * processes)
    samples = [(process, figures["ns_per_item"] * factor * (1 + 0.01 * (2 * place / (ROUNDS - 1) - 1)))
               for process, factor in enumerate(factors) for place in range(ROUNDS)]
    yield from (_entry(name, index) | {"ns_per_item": sample, "visit": process}
                for index, (process, sample) in enumerate(samples))
    yield _entry(name, 0) | figures | stored("ns_per_item", INTERVALS.median([sample for _, sample in samples])) | {
        "run_type": "aggregate", "aggregate_name": "median", "standing": "worse", "ratio_to_best": 2.0}


def _entry(name: str, index: int) -> dict:
    return {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": index, "iterations": 1,
            "real_time": 1.0, "cpu_time": 1.0}


def store(directory: Path, blocks: Iterable[Block], preset: str = "standard", source: str = "simulated",
          processes: int = PROCESSES, **record: object) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    context = make_results.context(make_results.Options(axes={}, strategies=()))
    context["stowage"] |= {"preset": preset, "passes": [{"pass": "cache", "source": source, "details": {"model": "reference"}}],
                           "visits": processes, "process_scatter": 0.01} | record
    entries = [entry for name, figures in _cells(blocks).items() for entry in _entries(name, figures, processes)]
    (directory / "results.json").write_text(json.dumps({"context": context, "benchmarks": entries}), encoding="utf-8")
    return directory


def store_runs(directory: Path, blocks: list[Block], **options: object) -> list[Path]:
    """A run makes frames in one process: those that a claim is about are repeated in further runs."""
    framed = [block for block in blocks if any(TIMED - {TIME} & set(figures) for figures in block.figures.values())]
    again = [directory.with_name(f"{directory.name}.{run}") for run in range(2, PROCESSES + 1)] if framed else []
    return [store(directory, blocks, **options), *(store(each, framed, **options) for each in again)]
