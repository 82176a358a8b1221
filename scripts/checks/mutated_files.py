#!/usr/bin/env python3
"""mutated_files.py WHAT [COUNT] [--seed N]: gives a reader of the Python package COUNT files in one process, each of them
a good one with a few faults. It refuses each by one line or reads it: no other exception, no more than 1 GB. What fails
is kept in build/long-hauls/found. WHAT is a reader (run, packed, benchmarks, calibration, answer) or a command (report,
terminal, compare, claims, gallery, submit), which goes on to what is made of a file."""

import argparse
import contextlib
import copy
import io
import json
import lzma
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "reports"), str(ROOT / "tests" / "reports")]

import make_results  # noqa: E402
from make_answer import RANKING, answer_of, placements  # noqa: E402
from make_figures import INTERVAL_SAMPLES  # noqa: E402
from stowage_report import __main__ as report  # noqa: E402
from stowage_report import recommendation  # noqa: E402
from stowage_report.calibrate import rates, store  # noqa: E402
from stowage_report.claims import __main__ as claims  # noqa: E402
from stowage_report.compare import __main__ as compare  # noqa: E402
from stowage_report.compare.read import load_measured_file  # noqa: E402
from stowage_report.console import ReportError  # noqa: E402
from stowage_report.data.load import load_run  # noqa: E402
from stowage_report.gallery import __main__ as gallery  # noqa: E402
from stowage_report.gallery import submission  # noqa: E402

MOST_BYTES = 10**9
_RAW = "\x00raw"  # what JSON has no value for stands in a document as this and a number
_RAWS = ["NaN", "-Infinity", "1e400", "9" * 5000, "-0", "1" + "0" * 300, "[" * 2000 + "]" * 2000, "tru", "\\u001b", '"\\ud800"']
_HOSTILE = [None, True, False, 0, -1, 1, 2, 1.5, 1e-320, 1e-12, 1e15, 1e308, 2**31, 2**53, 2**63, 2**64, "", "x", "0", "-1",
            "a" * 70_000, "\x1b]0;x\x07", "\x00", "\x01a\x02", "\u202e", "\u2028", "<script>alert(1)</script>", "$x_{", "{{ x }}",
            "../../etc/passwd", "'; true", "1/4000000000", "a/b/entities:4294967296", "a/b/entities:1/c:0", "int>; int x",
            [], {}, [[]], [None], {"": 0}, {"__class__": "x"}, *(f"{_RAW}{number}" for number in range(len(_RAWS)))]


def mutated(text: str, rng: random.Random) -> bytes:
    """The document with one fault or a few: in its structure, or in its bytes."""
    document = json.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        document = _changed(document, rng)
    content = json.dumps(document)
    for number, raw in enumerate(_RAWS):
        content = content.replace(json.dumps(f"{_RAW}{number}"), raw)
    content = content.encode()
    if rng.random() < 0.15:
        at = rng.randrange(len(content))
        content = rng.choice((content[:at], content[:at] + bytes([rng.randrange(256)]) + content[at + 1:],
                              content[:at] + content[at + 1:], content[:at] + content[rng.randrange(len(content)):],
                              b"\xef\xbb\xbf" + content, content.replace(b":", b" :", 1) * 2))
    return content


def _changed(document: Any, rng: random.Random) -> Any:
    holder, key = None, None
    value = document
    while isinstance(value, (dict, list)) and value and (holder is None or rng.random() < 0.85):
        holder, key = value, rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value = holder[key]
    if holder is None:
        return copy.deepcopy(rng.choice(_HOSTILE))
    change = rng.randrange(12)
    if change < 4:
        holder[key] = copy.deepcopy(rng.choice(_HOSTILE))
    elif change >= 8:  # what a reader may well accept
        of_a_kind = [each for each in _scalars(document) if type(each) is type(value)]
        scaled = [value * 2, value // 2, value + 1] if isinstance(value, (int, float)) else [value]
        holder[key] = rng.choice([*scaled, rng.choice(of_a_kind)] if of_a_kind else scaled)
    elif change == 4:
        del holder[key]
    elif change == 5:
        for _ in range(rng.choice((1, 1, 3, 20))):
            holder[key] = rng.choice(([holder[key]], {"x": holder[key]}))
    elif change == 6 and isinstance(holder, list):
        holder[key:key] = [json.loads(json.dumps(value))] * rng.choice((1, 2, 50))
    elif isinstance(holder, dict):
        holder[rng.choice([*holder, *map(str, rng.sample(_HOSTILE, 1))])] = holder.pop(key)
    else:
        other = rng.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    return document


def _scalars(value: Any) -> list:
    """Of the beginning of a document and of its end."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return [value]
    return [each for part in (value if len(value) < 40 else value[:3] + value[-3:]) for each in _scalars(part)]


def _run() -> dict:
    document = make_results.results(make_results.Options(
        sizes=(1024,), axes={"point_mass": {}, "churn": {"rate": ("1", "20"), "payload": ("64",)}},
        strategies=("reference", "indirection_map", "hash_index"), repetitions=6, simulated_up_to=1024,
        failing=("point_mass/hash_index/entities:1024",)))
    document["benchmarks"] = [each for each in document["benchmarks"] if each.get("aggregate_name", "median") == "median"]
    document["context"]["stowage"] |= {"interval_samples": [row[:4] for row in INTERVAL_SAMPLES[:4]], "doctor": "fit to measure", "other_programs": 0.25,
                                       "submission": {"cells_run_again": 24, "replaced": ["the host name"]}}
    return document


FACTS = {name: "x" for name in store.FACTS}


def _calibration() -> dict:
    copies = {"blocks": {"worse": 3, "open": 1}, "together": "worse"}
    run = {"quiet": True, "other_programs": 0.1, "strategy": "hash_index", "comparisons": [9, 10], "blocks": [1, 2],
           "equal": [[9, 10], [3, 3]], "copies": {"0": copies, "5": copies},
           "lines": {"Churn": {"pick": "hybrid", "winners": ["hybrid"], "decided": True}},
           "pair": {"cells": [0, 40], "strategies": [0, 7],
                    "slower": {"verdict": "slower", "cells": {"slower": 3}, "others": 0}}}
    return {"format": 3, "facts": FACTS, "sentences": {"compare": "x"}, "observations": [run] * 5}


def _foreign() -> dict:
    entry = {"name": "BM_a<int>/8", "run_name": "BM_a<int>/8", "run_type": "iteration", "repetitions": 2, "threads": 1,
             "iterations": 9, "real_time": 2.5, "cpu_time": 2.5, "time_unit": "us", "label": "x"}
    return {"context": {"date": "2026-05-01", "num_cpus": 8, "caches": [], "load_avg": [0.1]}, "benchmarks": [
        *[entry] * 6, entry | {"run_name": "BM_b", "name": "BM_b_median", "run_type": "aggregate", "aggregate_name": "median"},
        entry | {"run_name": "BM_c", "name": "BM_c", "error_occurred": True, "error_message": "no"}]}


class Trial:
    """Of one reader: its good files, and what is done with each that was made of them."""

    def __init__(self, what: str, directory: Path):
        self.good = [json.dumps(each) for each in GOOD[what]]
        self.is_packed = what in ("packed", "gallery")
        is_run = what in ("run", "report", "terminal", "claims", "submit")
        self.file = directory / ("x.json.xz" if self.is_packed else "results.json" if is_run else "x.json")
        self.directory, self._work = directory, WORK[what]
        (directory / "good.json").write_text(self.good[0])
        (directory / "game.toml").write_text("")

    def read(self, content: bytes) -> bool:
        """Whether it was accepted. Raises what is no refusal in one line."""
        self.file.write_bytes(lzma.compress(content, preset=0) if self.is_packed else content)
        told = io.StringIO()
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")), contextlib.redirect_stderr(told):
            try:
                code = self._work(self)
            except ReportError as error:
                print(f"stowage: {error}", file=told)
                code = error.exit_code
        lines = told.getvalue().splitlines()
        if code and not (code in (1, 2) and len(lines) == 1 and lines[0].startswith("stowage: ") and lines[0].isprintable()):
            raise AssertionError(f"exit code {code}, {told.getvalue()[:2000]}")
        return not code


def _submit(trial: Trial) -> int:
    out = trial.directory / "out.json.xz"
    out.unlink(missing_ok=True)
    return submission.main([str(trial.directory), "--again", "24", "--out", str(out)])


def _calibrated(trial: Trial) -> None:
    observations = store.load(trial.file, FACTS)
    store.sentences(observations)
    [str(line.rate) for line in rates.lines(observations)]


GOOD = {"run": [_run()], "packed": [_run()], "benchmarks": [_foreign(), _run()], "calibration": [_calibration()],
        "answer": [answer_of(RANKING, placements=placements(), left_out=["nothing"])]}
GOOD |= dict.fromkeys(("report", "terminal", "claims", "gallery", "submit"), GOOD["run"]) | {"compare": GOOD["benchmarks"]}
WORK: dict[str, Callable[[Trial], int | None]] = {
    "run": lambda trial: load_run(trial.directory) and None,
    "packed": lambda trial: load_run(trial.file) and None,
    "benchmarks": lambda trial: load_measured_file(str(trial.file)) and None,
    "calibration": _calibrated,
    "answer": lambda trial: recommendation.main([str(trial.file), str(trial.directory / "game.toml"), "stowage"]),
    "report": lambda trial: report.main([str(trial.directory), "--out", str(trial.directory / "page")]),
    "terminal": lambda trial: report.main([str(trial.directory), "--format", "terminal"]),
    "compare": lambda trial: compare.main([str(trial.directory / "good.json"), str(trial.file)]),
    "claims": lambda trial: claims.main([str(trial.directory)]),
    "gallery": lambda trial: gallery.main([str(trial.file), "--out", str(trial.directory / "site")]),
    "submit": _submit,
}


def try_all(what: str, count: int, seed: int, found: Path) -> tuple[int, int]:
    """How many were accepted and how many failed."""
    accepted = failed = 0
    with tempfile.TemporaryDirectory() as directory:
        trial = Trial(what, Path(directory))
        for good in trial.good:
            assert trial.read(good.encode()), "a good file is refused"
        for number in range(count):
            rng = random.Random(f"{seed} {what} {number}")
            content = mutated(rng.choice(trial.good), rng)
            try:
                accepted += trial.read(content)
            except Exception:  # which is what is looked for
                failed += 1
                found.mkdir(parents=True, exist_ok=True)
                shutil.copy(trial.file, found / f"{what}-{seed}-{number}")
                (found / f"{what}-{seed}-{number}.txt").write_text(traceback.format_exc(), errors="replace")
    return accepted, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=tuple(WORK))
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = ROOT / "build" / "long-hauls" / "found"
    started = time.monotonic()
    accepted, failed = try_all(options.what, options.count, options.seed, found)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{options.what}: {options.count} files in {time.monotonic() - started:.0f} s, {accepted} accepted, {failed} failed"
          f"{f', see {found}' if failed else ''}; at most {peak / 1e6:.0f} MB")
    return 1 if failed or peak > MOST_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
