"""Reads any file in Google Benchmark's JSON schema: a run of stowage, its exact JSON (`stowage cache --format json`), or
what another program wrote."""

import difflib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Hashable, Iterator, Mapping, Sequence

from stowage_report.console import UserError
from stowage_report.data.document import check, read_json
from stowage_report.data.load import RESULTS_FILE

_WHAT_WOULD_DO = "give a run directory, or a JSON file of Google Benchmark"

#: What figures depend on, by its place in `context`; in the order in which they are likely to explain a difference.
_FACTS = {
    "host": "host_name", "processor": "stowage/cpu_model", "processors": "num_cpus", "caches": "caches",
    "operating system": "stowage/os", "virtualisation": "stowage/virtualisation", "governor": "stowage/governor",
    "frequency scaling": "cpu_scaling_enabled", "huge pages": "stowage/transparent_hugepages",
    "page size": "stowage/page_size", "address randomisation": "stowage/aslr", "compiler": "stowage/compiler",
    "compiler flags": "stowage/flags", "version": "stowage/version", "commit": "stowage/commit",
    "build of the library": "library_build_type", "program": "executable", "seed": "stowage/seed",
    "preset": "stowage/preset", "seconds a repetition": "stowage/min_time_s",
}
_UNITS_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
#: Beyond these nothing is a figure; between them no ratio of two of them overflows.
_SMALLEST, _LARGEST = 1e-9, 1e30
#: Aggregates of all sizes of a benchmark together, which have coefficients and no time.
_COMPLEXITY = ("BigO", "RMS")


@dataclass(frozen=True)
class Round:
    """One timed repetition."""

    real_ns: float
    cpu_ns: float = 0.0  # 0 if it is not known
    ratio: float | None = None  # to the reference in the same round; stowage alone measures in rounds


@dataclass
class MeasuredCell:
    """A benchmark of Google Benchmark; of stowage's files, a cell."""

    name: str
    rounds: list[Round] = field(default_factory=list)
    median_ns: float | None = None  # of a file that has aggregates and no repetitions
    figures: dict[str, float] = field(default_factory=dict)  # the counters that the file's record names
    error: str = ""  # empty if it did not fail
    is_skipped: bool = False  # by its own choice, which is no failure


@dataclass
class MeasuredFile:
    path: str
    is_of_stowage: bool = False
    facts: dict[str, str] = field(default_factory=dict)  # "compiler" is "GNU 12.2.0"; those that the file has
    exact_passes: dict[str, str] = field(default_factory=dict)  # by pass, what its figures depend on beside the binary
    figures: dict[str, list[str]] = field(default_factory=dict)  # by pass
    interval_samples: Sequence[Sequence[int]] = ()  # see data/estimates.py
    cells: list[MeasuredCell] = field(default_factory=list)  # in the file's order, each name once
    repeated_names: list[str] = field(default_factory=list)  # of several benchmarks, which are `name (1 of 2)` in cells
    timer: str = ""  # of a run; see `stowage run --timer`


def load_measured_file(path: str) -> MeasuredFile:
    """Reads `path`, or `path`/results.json of a directory. A UserError begins with the file's name, and tells the place
    of what is wrong in it, or the nearest name beside a file that does not exist."""
    file = Path(path) / RESULTS_FILE if Path(path).is_dir() else Path(path)
    document = read_json(file, _WHAT_WOULD_DO, _nearest(path), is_foreign=True)
    for key in ("context", "benchmarks"):
        if not isinstance(document, dict) or key not in document:
            raise UserError(f"{file} has no `{key}`: it is no results file; {_WHAT_WOULD_DO}")
    check(document, "benchmarks", file, _WHAT_WOULD_DO)
    return _file_of(document, str(file))


def _nearest(path: str) -> str:
    """What to do about a file that cannot be read: a name beside it that could have been meant, if it does not exist."""
    wanted = Path(path)
    try:
        if wanted.exists():
            return _WHAT_WOULD_DO
        beside = [each.name for each in wanted.parent.iterdir()
                  if each.suffix == ".json" or (each / RESULTS_FILE).exists()]
    except OSError:
        return _WHAT_WOULD_DO
    near = difflib.get_close_matches(wanted.name, beside, 1)
    return f"did you mean '{wanted.with_name(near[0])}'?" if near else _WHAT_WOULD_DO


def _file_of(document: Mapping[str, Any], where: str) -> MeasuredFile:
    context = document["context"]
    record = context.get("stowage")
    file = MeasuredFile(where, record is not None, facts_of(context))
    if file.is_of_stowage:
        file.exact_passes = dict(_exact_passes(record))
        file.figures = record.get("figures", {})
        file.interval_samples = record.get("interval_samples", ())
        file.timer = record.get("timer", "rounds")
    counters = [name for names in file.figures.values() for name in names]
    cells: dict[Hashable, MeasuredCell] = {}
    parts: Counter[Hashable] = Counter()
    for number, entry in enumerate(document["benchmarks"], 1):
        _read_entry(entry, counters, cells, parts, f"{where}: entry {number} of `benchmarks`")
    if not cells:
        raise UserError(f"{where} has no entry in `benchmarks`: nothing was measured")
    file.cells = list(cells.values())
    file.repeated_names = _number_repeated_names(file.cells)
    return file


def _number_repeated_names(cells: Sequence[MeasuredCell]) -> list[str]:
    """Gives cells with equal names a number each, and returns such names."""
    counts, numbers = Counter(cell.name for cell in cells), Counter()
    for cell in cells:
        numbers[name := cell.name] += 1
        if counts[name] > 1:
            cell.name = f"{name} ({numbers[name]} of {counts[name]})"
    return [name for name, count in counts.items() if count > 1]


def facts_of(context: Mapping[str, Any]) -> dict[str, str]:
    """What figures depend on, as far as a file's `context` has it."""
    found = {}
    for what, place in _FACTS.items():
        value: Any = context
        for key in place.split("/"):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            found[what] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True,
                                                                          separators=(",", ":"))
    return found


def _exact_passes(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Of those that count exactly; hardware counters and clocks do not."""
    yield "floor", f"lines of {record.get('line_bytes', 64)} bytes"
    for each in record.get("passes", []):
        if each["source"] == "counted":
            yield each["pass"], "counted"
        elif each["source"] == "simulated":
            details = each["details"]
            yield each["pass"], (f"caches {details.get('caches', '?')}, L1d {details.get('l1d', '?')}, "
                                 f"LL {details.get('ll', '?')}")


def _read_entry(entry: Mapping[str, Any], counters: Sequence[str], cells: dict[Hashable, MeasuredCell],
                parts: Counter[Hashable], where: str) -> None:
    """Adds an entry of `benchmarks` to its cell. Another index, or a part that the cell has (see `parts`), is another
    benchmark with the same name."""
    where += f" ('{entry['name']}')"
    name = entry["name"] if entry.get("aggregate_name") in _COMPLEXITY else entry.get("run_name", entry["name"])
    benchmark = name, str(entry.get("family_index")), str(entry.get("per_family_instance_index"))
    part = benchmark, str(entry.get("aggregate_name", entry.get("repetition_index")))
    has_parts = "aggregate_name" in entry or "repetition_index" in entry  # older files number no repetitions
    cell = cells.setdefault((benchmark, parts[part] if has_parts else 0), MeasuredCell(name))
    parts[part] += 1
    cell.figures |= {name: entry[name] for name in counters if _is_number(entry.get(name))}
    if entry.get("error_occurred"):
        cell.error = entry.get("error_message") or "failed without a message"
    elif entry.get("skipped"):
        cell.is_skipped = True
    elif entry.get("run_type", "iteration") == "iteration":
        real_ns = _time_ns(entry, "real_time", where)
        if real_ns >= _SMALLEST:  # an entry without a time is there for its counters
            ratio = entry.get("ratio_to_reference")
            cell.rounds.append(Round(real_ns, _time_ns(entry, "cpu_time", where),
                                     ratio if _is_number(ratio) and ratio >= _SMALLEST else None))
    elif entry.get("aggregate_name") == "median":
        median_ns = _time_ns(entry, "real_time", where)
        cell.median_ns = median_ns if median_ns >= _SMALLEST else None


def _time_ns(entry: Mapping[str, Any], key: str, where: str) -> float:
    if not _is_number(entry.get(key)):
        raise UserError(f"{where} has no number `{key}`")
    return entry[key] * _UNITS_NS[entry.get("time_unit", "ns")]


def _is_number(value: Any) -> bool:
    """Google Benchmark writes NaN and Infinity for a figure that is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST
