"""Reads results.json into the model. An error in the file is reported in one line, with the sentences of
harness/results/read.cpp, because users do not know which of the two reads a run."""

from __future__ import annotations

import itertools
import json
import lzma
import math
import re
from pathlib import Path
from typing import Any, Iterable, Mapping

from stowage_report.console import UserError
from stowage_report.data.estimates import Estimate, Intervals, Samples
from stowage_report.data.model import (
    Block, Cache, Cell, FrameHistogram, Omission, Parameters, PassRecord, Promise, Run, Standing,
    StrategyCard, WorkloadCard,
)

RESULTS_FILE = "results.json"
#: Of a results file that `stowage submit` has packed.
SUBMISSION_SUFFIX = ".json.xz"
#: Of `context.stowage.format`: the only one that this package understands.
FORMAT = 2

_WHAT_WOULD_DO = "give a directory that `stowage run` wrote"

#: Of `frame_histogram`, whose counts alone are in the file: as harness/measure/frames.hpp makes it.
_FIRST_FRAME_BIN_NS, _FRAME_BINS_PER_DECADE = 100, 8

#: Keys of an aggregate that Google Benchmark writes itself, or that the model has a place for.
_NOT_COUNTERS = {
    "family_index", "per_family_instance_index", "repetitions", "threads", "iterations", "real_time", "cpu_time",
    "repetition_index", "ns_per_item", "ns_per_item_low", "ns_per_item_high",
    "ratio_to_reference", "ratio_to_reference_low", "ratio_to_reference_high",
    "ratio_to_contract", "ratio_to_contract_low", "ratio_to_contract_high",
    "ratio_to_best", "ratio_to_best_low", "ratio_to_best_high",
}
_STANDINGS = {"best": Standing.BEST, "tied": Standing.TIED, "behind": Standing.BEHIND,
              "hand-written": Standing.HAND_WRITTEN}


def load_run(directory: Path) -> Run:
    """Also one that `stowage submit` has packed: a file."""
    is_packed = directory.name.endswith(SUBMISSION_SUFFIX)
    path = directory if is_packed else directory / RESULTS_FILE
    document = parse_json(path, _WHAT_WOULD_DO)
    try:
        return _run_from(document, Path(str(directory).removesuffix(SUBMISSION_SUFFIX)), path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"lacks {error}" if isinstance(error, KeyError) else f"is damaged: {error}"
        raise UserError(f"{path} {what}; repeat the run") from error


def load_runs(directories: Iterable[Path]) -> list[Run]:
    """Of several: one that is there twice would count twice."""
    runs = [load_run(directory) for directory in directories]
    for one, other in itertools.combinations(runs, 2):
        if one.blocks == other.blocks:
            raise UserError(f"{one.directory} and {other.directory} are the same run; name one of them")
    return runs


def parse_json(path: Path, otherwise: str, remedy: str = "") -> Any:
    """Of a file; `otherwise` is what to give instead if it is no JSON, `remedy` what if it cannot be read."""
    try:
        content = path.read_bytes()
        if path.name.endswith(SUBMISSION_SUFFIX):
            content = lzma.decompress(content)
        content = content.removeprefix(b"\xef\xbb\xbf")
    except (lzma.LZMAError, EOFError) as error:
        raise UserError(f"{path} is damaged: {error}; copy it again, or pack the run again with `stowage submit`") from error
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', error)}; {remedy or otherwise}") from error
    try:
        text = content.decode("utf-8")
        return json.loads(text, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not JSON, see {_place(content, error.start)}; {otherwise}") from error
    except json.JSONDecodeError as error:
        if _ends_early(text, error):
            raise UserError(f"{path} is truncated: it ends at {_place(content, len(content) - 1)}; "
                            "copy the file again, or repeat the run") from error
        place = f"line {error.lineno}, column {error.colno}"
        raise UserError(f"{path} is not JSON, see {place}; {otherwise}") from error
    except OverflowError as error:
        raise UserError(f"{path}: {error}; {otherwise}") from error


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise OverflowError(f"the number {text} is too large")
    return value


def _place(content: bytes, byte: int) -> str:
    before = content[:byte + 1]
    return f"line {1 + before.count(10)}, column {max(1, len(before) - 1 - before.rfind(10))}"


def _ends_early(text: str, error: json.JSONDecodeError) -> bool:
    """What went wrong is the end of the text, and not something in it; `false` is the longest word to be cut."""
    last = len(text.rstrip()) - len("false")
    return text.lstrip()[:1] == "{" and (error.pos > last or error.msg.startswith("Unterminated string"))


def _run_from(document: Any, directory: Path, path: Path) -> Run:
    context = _member(document, "context", path)
    record = _member(context, "stowage", path)
    if _member(record, "format", path) != FORMAT:
        raise UserError(f"{path} has results of format {json.dumps(record['format'])}, this version reads format "
                        f"{FORMAT}; use the version of stowage that wrote it")
    blocks = _blocks(document["benchmarks"], Intervals(record["interval_samples"]))
    if not blocks:
        raise UserError(f"{path} has no figures yet: the run ended before its first block was done; "
                        f"`stowage run --resume {directory}` goes on with it")
    return Run(
        directory=directory.resolve(),
        host={key: value for key, value in context.items() if key != "stowage"},
        record=record,
        caches=_caches(context.get("caches", [])),
        blocks=blocks,
        workload_cards={card["name"]: _workload_card(card) for card in record.get("workload_cards", [])},
        strategy_cards={card["name"]: _strategy_card(card) for card in record.get("strategy_cards", [])},
        passes=tuple(PassRecord(item["pass"], item["source"], item["details"]) for item in record.get("passes", [])),
        omissions=tuple(_omission(item) for item in record.get("omissions", [])),
    )


def _member(document: Any, key: str, path: Path) -> Any:
    if not isinstance(document, dict) or key not in document:
        raise UserError(f"{path} has no `{key}`: it is not a results file of stowage; {_WHAT_WOULD_DO}")
    return document[key]


def _caches(entries: Iterable[Mapping[str, Any]]) -> tuple[Cache, ...]:
    return tuple(Cache(entry["type"], entry["level"], entry["size"], entry["num_sharing"]) for entry in entries)


def _workload_card(card: Mapping[str, str]) -> WorkloadCard:
    return WorkloadCard(**{key: card[key] for key in WorkloadCard.__dataclass_fields__ if key in card})


def _strategy_card(card: Mapping[str, Any]) -> StrategyCard:
    reasons = card.get("semantics_reasons") or {}
    semantics = {name: _promise(value, reasons.get(name, "")) for name, value in (card.get("semantics") or {}).items()}
    return StrategyCard(card["name"], card["family"], card["source"], card["summary"], semantics,
                        card.get("lacks") or {}, card.get("not_offered") or {}, card.get("form", ""))


def _promise(value: Any, reason: str) -> Promise:
    """Either form: `{"kept": false, "reason": "..."}`, or a truth value whose reason stands beside all of them."""
    if isinstance(value, Mapping):
        return Promise(bool(value["kept"]), value.get("reason", ""))
    return Promise(bool(value), reason)


def _omission(item: Mapping[str, str]) -> Omission:
    workload, _, entities, parameters = parse_cell_name(item["cell"])
    return Omission(item["pass"], item["cell"], workload, entities, parameters, item["reason"])


def _blocks(entries: list[Mapping[str, Any]], intervals: Intervals) -> tuple[Block, ...]:
    by_cell: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_cell.setdefault(entry["run_name"], []).append(entry)
    cells: dict[tuple[str, int, Parameters], dict[str, Cell]] = {}
    for name, cell_entries in by_cell.items():
        workload, strategy, entities, parameters = parse_cell_name(name)
        cells.setdefault((workload, entities, parameters), {})[strategy] = _cell(name, strategy, cell_entries, intervals)
    return tuple(Block(*key, cells=block) for key, block in cells.items())


def parse_cell_name(name: str) -> tuple[str, str, int, Parameters]:
    """`join/hash_index/entities:1024/via:each` -> `join`, `hash_index`, 1024, ((`via`, `each`),)."""
    match = re.fullmatch(r"([^/]+)/([^/]+)/entities:(\d+)((?:/[^/:]+:[^/]*)*)", name)
    if match is None:
        raise ValueError(f"the benchmark name '{name}' is not workload/strategy/entities:N[/key:value...]")
    workload, strategy, entities, rest = match.groups()
    parameters = tuple(tuple(part.split(":", 1)) for part in rest.split("/")[1:])
    return workload, strategy, int(entities), parameters


def _cell(name: str, strategy: str, entries: list[Mapping[str, Any]], intervals: Intervals) -> Cell:
    failed = next((entry for entry in entries if entry.get("error_occurred")), None)
    if failed is not None:
        return Cell(name, strategy, standing=Standing.FAILED,
                    error=failed.get("error_message") or "failed without a message")
    if len(entries) == 1 and "ns_per_item" not in entries[0]:
        return Cell(name, strategy, counters=_counters(entries[0]), frames=_frames(entries[0].get("frame_histogram")))
    iterations = [entry for entry in entries if entry["run_type"] == "iteration"]
    iterations.sort(key=lambda entry: entry["repetition_index"])
    if len({entry["repetition_index"] for entry in iterations}) < len(iterations):
        raise ValueError(f"cell {name} is there twice")
    median = next((entry for entry in entries if entry.get("aggregate_name") == "median"), None)
    if median is None or not iterations:
        raise ValueError(f"cell {name} lacks its repetitions or its median")
    return Cell(
        name,
        strategy,
        ns_per_item=_estimate(median, "ns_per_item"),
        samples=Samples((_positive(entry, "ns_per_item") for entry in iterations), intervals),
        layouts=tuple(entry.get("layout", 0) for entry in iterations),
        ratio_to_reference=_ratio(median, "ratio_to_reference"),
        ratio_to_contract=_ratio(median, "ratio_to_contract"),
        contract_floor=median.get("contract_floor", ""),
        ratio_to_best=_ratio(median, "ratio_to_best"),
        standing=_STANDINGS[median["standing"]],
        counters=_counters(median),
        frames=_frames(median.get("frame_histogram")),
    )


def _frames(counts: list[int] | None) -> FrameHistogram | None:
    if not counts or not any(counts):
        return None
    return FrameHistogram(tuple(map(int, counts)), _FIRST_FRAME_BIN_NS, _FRAME_BINS_PER_DECADE)


def _counters(entry: Mapping[str, Any]) -> dict[str, float]:
    return {key: value for key, value in entry.items()
            if key not in _NOT_COUNTERS and isinstance(value, (int, float)) and math.isfinite(value)}


def _ratio(entry: Mapping[str, Any], counter: str) -> Estimate | None:
    return _estimate(entry, counter) if counter in entry else None


def _estimate(entry: Mapping[str, Any], counter: str) -> Estimate:
    if f"{counter}_low" not in entry:
        return Estimate(_positive(entry, counter))
    return Estimate(*(_positive(entry, counter + suffix) for suffix in ("", "_low", "_high")))


def _positive(entry: Mapping[str, Any], counter: str) -> float:
    value = float(entry[counter])
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{counter} of {entry['name']} is {value}, and no time is that")
    return value
