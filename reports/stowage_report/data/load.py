"""Reads results.json into the model. What is wrong with a file is said in one line, with the sentences of
harness/results/json.cpp, because users do not know which of the two reads a run."""

import itertools
import math
from dataclasses import replace
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping

from stowage_report import commands
from stowage_report.console import UserError
from stowage_report.data import grouped
from stowage_report.data.document import PACKED_SUFFIX, check, read_json
from stowage_report.data.estimates import Estimate, Intervals, Samples, Standing, shared_part, standing_of
from stowage_report.data.model import (
    Block, Cache, Cell, Omission, Parameters, PassRecord, Run, StrategyCard, WorkloadCard,
)

RESULTS_FILE = "results.json"
#: Of `context.stowage.format`: the only one that this package understands.
FORMAT = 2

_WHAT_WOULD_DO = "give a directory that `stowage run` wrote"

#: Keys of an aggregate that Google Benchmark writes itself, or that the model has a place for.
_NOT_COUNTERS = {
    "family_index", "per_family_instance_index", "repetitions", "threads", "iterations", "real_time", "cpu_time",
    "repetition_index", *(name + end for name in ("ns_per_item", "ratio_to_reference", "ratio_to_contract", "ratio_to_best")
                          for end in ("", "_low", "_high")),
}
_STANDINGS = {each.value: each for each in (Standing.BEST, Standing.EQUAL, Standing.WORSE, Standing.OPEN,
                                            Standing.HAND_WRITTEN)}


def load_run(directory: Path) -> Run:
    """Also one that `stowage submit` has packed: a file."""
    path = results_path(directory)
    document = load_document(path)
    return _whole(path, lambda: _run_from(document, Path(str(directory).removesuffix(PACKED_SUFFIX)), path))


def load_runs(directories: Iterable[Path]) -> list[Run]:
    """Of several: one that is there twice would count twice."""
    runs = [load_run(directory) for directory in directories]
    for one, other in itertools.combinations(runs, 2):
        if one.blocks == other.blocks:
            raise UserError(f"{one.directory} and {other.directory} are the same run; name one of them")
    return _told_apart(runs)


def _told_apart(runs: list[Run]) -> list[Run]:
    """Named by the last parts of their directories, as few as it takes; a packed run may lie beside a directory of its name."""
    deepest = max((len(run.directory.parts) for run in runs), default=0)
    candidates = [["/".join(run.directory.parts[-parts:]) for run in runs] for parts in range(1, deepest)]
    numbered = [f"{run.name} ({number})" for number, run in enumerate(runs, 1)]
    labels = next((names for names in candidates if len(set(names)) == len(runs)), numbered)
    return [replace(run, label=label) for run, label in zip(runs, labels)]


def results_path(directory: Path) -> Path:
    """A file stands for itself: a packed run, or the memory of a program that could not write one."""
    return directory if directory.is_file() or directory.name.endswith(PACKED_SUFFIX) else directory / RESULTS_FILE


def load_counts(path: Path) -> Run:
    """What `stowage cache --format json` prints: a run without times, and without a machine if the counts are exact."""
    document = load_document(path, "benchmarks")
    record, entries = document["context"]["stowage"], document["benchmarks"]
    return _whole(path, lambda: Run(path, {}, record, (), _blocks(entries, Intervals(()), 1), {}, {}))


def _whole(path: Path, make: Callable[[], Run]) -> Run:
    try:
        return make()
    except (KeyError, ValueError) as error:  # what no schema can say: figures that do not belong together
        what = f"lacks {error}" if isinstance(error, KeyError) else f"is damaged: {error}"
        raise UserError(f"{path} {what}; repeat the run") from error


def load_document(path: Path, kind: str = "results") -> dict[str, Any]:
    """A results file as it is; `benchmarks` is the kind of one that lacks what counts do not depend on."""
    document = read_json(path, _WHAT_WOULD_DO)
    record = _member(_member(document, "context", path), "stowage", path)
    if _member(record, "format", path) != FORMAT:
        raise UserError(f"{path} has results of format {record['format'] if isinstance(record['format'], (int, float)) else 'unknown'}, this version reads format "
                        f"{FORMAT}; use the version of stowage that wrote it")
    check(document, kind, path, "repeat the run")
    return document


def _run_from(document: Any, directory: Path, path: Path) -> Run:
    context, record = document["context"], document["context"]["stowage"]
    blocks = _blocks(document["benchmarks"], Intervals(record["interval_samples"], record.get("process_scatter")),
                     record.get("visits", 1))
    if not blocks:
        raise UserError(f"{path} has no figures yet: the run ended before its first block was done; "
                        f"`{commands.to_resume(directory, record)}` goes on with it")
    return Run(
        # Pages name it, and they are UTF-8: bytes that are not are shown as numbers.
        directory=Path(str(directory.resolve()).encode("utf-8", "backslashreplace").decode()),
        host={key: value for key, value in context.items() if key != "stowage"},
        record=record,
        caches=tuple(Cache(each["type"], each["level"], each["size"], each["num_sharing"]) for each in context["caches"]),
        blocks=blocks,
        workload_cards={card["name"]: WorkloadCard(**{key: card[key] for key in WorkloadCard.__dataclass_fields__})
                        for card in record["workload_cards"]},
        strategy_cards={card["name"]: StrategyCard(
            card["name"], card["family"], card["source"], card["summary"], card["semantics"] or {},
            card.get("lacks", {}), card.get("not_offered", {}), card.get("form", "")) for card in record["strategy_cards"]},
        passes=tuple(PassRecord(item["pass"], item["source"], item["details"]) for item in record["passes"]),
        omissions=tuple(_omission(item) for item in record["omissions"]),
    )


def _member(document: Any, key: str, path: Path) -> Any:
    if not isinstance(document, dict) or key not in document:
        raise UserError(f"{path} has no `{key}`: it is not a results file of stowage; {_WHAT_WOULD_DO}")
    return document[key]


def _omission(item: Mapping[str, str]) -> Omission:
    workload, _, entities, parameters = parse_cell_name(item["cell"])
    return Omission(item["pass"], item["cell"], workload, entities, parameters, item["reason"])


def _blocks(entries: list[Mapping[str, Any]], intervals: Intervals, visits: int) -> tuple[Block, ...]:
    cells: dict[tuple[str, int, Parameters], dict[str, Cell]] = {}
    hosts: dict[tuple[str, int, Parameters], str] = {}
    for name, cell_entries in grouped(entries, itemgetter("run_name")).items():
        workload, strategy, entities, parameters = parse_cell_name(name)
        key = workload, entities, parameters
        cells.setdefault(key, {})[strategy] = _cell(name, strategy, cell_entries, intervals, visits)
        hosts.update((key, entry["host"]) for entry in cell_entries if "host" in entry)
    blocks = tuple(Block(*key, cells=block, host=hosts.get(key, "")) for key, block in cells.items())
    for population, its in grouped(blocks, attrgetter("population")).items():
        if population:
            intervals.shared[population] = shared_part([{cell.strategy: cell.samples for cell in block.measured} for block in its])
    return blocks


def parse_cell_name(name: str) -> tuple[str, str, int, Parameters]:
    """`join/hash_index/entities:1024/via:each` -> `join`, `hash_index`, 1024, ((`via`, `each`),)."""
    workload, strategy, *rest = name.split("/")
    (_, entities), *parameters = (tuple(part.split(":", 1)) for part in rest)
    return workload, strategy, int(entities), tuple(parameters)


def _cell(name: str, strategy: str, entries: list[Mapping[str, Any]], intervals: Intervals, visits: int) -> Cell:
    failed = next((entry for entry in entries if entry.get("error_occurred")), None)
    if failed is not None:
        return Cell(name, strategy, standing=Standing.FAILED,
                    error=failed.get("error_message") or "failed without a message")
    if len(entries) == 1 and "ns_per_item" not in entries[0]:
        return Cell(name, strategy, counters=_counters(entries[0]), frames=tuple(entries[0].get("frame_histogram", ())),
                    contract_floor=entries[0].get("contract_floor", ""))
    iterations = [entry for entry in entries if entry["run_type"] == "iteration"]
    iterations.sort(key=lambda entry: entry["repetition_index"])
    if len({entry["repetition_index"] for entry in iterations}) < len(iterations):
        raise ValueError(f"cell {name} is there twice")
    median = next((entry for entry in entries if entry.get("aggregate_name") == "median"), None)
    if median is None or not iterations:
        raise ValueError(f"cell {name} lacks its repetitions or its median")
    to_best = _estimate(median, "ratio_to_best")
    if to_best is None and median["standing"] != Standing.HAND_WRITTEN.value:
        raise KeyError("ratio_to_best")
    processes = tuple(entry.get("visit", 0) for entry in iterations)
    return Cell(
        name,
        strategy,
        ns_per_item=_estimate(median, "ns_per_item"),
        samples=Samples((entry["ns_per_item"] for entry in iterations), intervals, processes, _population_of(name)),
        layouts=tuple(entry.get("layout", 0) for entry in iterations),
        ratio_to_reference=_estimate(median, "ratio_to_reference"),
        ratio_to_contract=_estimate(median, "ratio_to_contract"),
        contract_floor=median.get("contract_floor", ""),
        ratio_to_best=to_best,
        # older versions have `tied` and `behind`, by another rule: the ratio that they judged is judged again
        standing=_STANDINGS.get(median["standing"]) or standing_of(to_best),
        looks=math.ceil((1 + max(processes)) / visits) if intervals.hold_between_processes and len(set(processes)) > 1 else 0,
        timed_s=sum(entry["real_time"] * entry["iterations"] for entry in iterations) / 1e9,
        counters=_counters(median),
        frames=tuple(median.get("frame_histogram", ())),
    )


def _population_of(name: str) -> str:
    """What the blocks of a world with one size and one age have in common, as in harness/recommend/world.cpp."""
    _, _, entities, parameters = parse_cell_name(name)
    values = dict(parameters)
    return f"{values['world']} {entities} {values.get('age', 'aged')}" if "world" in values else ""


def _counters(entry: Mapping[str, Any]) -> dict[str, float]:
    return {key: value for key, value in entry.items() if key not in _NOT_COUNTERS and isinstance(value, (int, float))}


def _estimate(entry: Mapping[str, Any], counter: str) -> Estimate | None:
    if f"{counter}_low" not in entry:
        return Estimate(entry[counter]) if counter in entry else None
    median, low, high = (entry[counter + suffix] for suffix in ("", "_low", "_high"))
    if not low <= median <= high:
        raise ValueError(f"{counter} of {entry['run_name']} is {median}, outside of its interval from {low} to {high}")
    return Estimate(median, low, high)
