"""Makes pairs of equal runs, quiet and beside busy programs, until the time is up."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, Mapping, Sequence

from stowage_report.calibrate.observe import MeasuredRun, observe_answers, observe_equal_cells, observe_pair
from stowage_report.calibrate.rates import CONDITIONS, UNQUIET
from stowage_report.calibrate.store import load, save
from stowage_report.console import MissingError, say
from stowage_report.data.load import load_run

#: The share of the time that each condition gets.
_SHARES = {"quiet": 0.6, "relaid": 0.1, "neighbour": 0.15, "busy": 0.15}
#: Of the time under quiet conditions, what equal cells with the precision of `standard` get, and recommendations.
_SHARES_OF_QUIET = {"standard": 0.12, "answers": 0.12}
#: Other programs may keep so many processors busy in a quiet run.
_QUIET = 0.2
#: A neighbour: it computes, and goes through more memory than caches hold.
_NEIGHBOUR = """
data = bytearray(32 << 20)
while True:
    copy = bytes(data)
    total = sum(range(1_000_000))
"""


class Calibration:
    """Adds observations to those that `path` has of this machine, until the time is up."""

    def __init__(self, binary: str, path: Path, seconds: float, keep: Path | None = None,
                 now: Callable[[], float] = time.monotonic):
        self._binary, self._path, self._seconds, self._keep, self._now = binary, path, seconds, keep, now
        self._strategies = base_forms(binary)
        self._spent = dict.fromkeys([*_SHARES, *_SHARES_OF_QUIET], 0.0)
        self._number = 0
        self.observations: list[dict] = []

    def run(self, directory: Path) -> None:
        """Runs are stored below `directory` until they were evaluated."""
        started = self._now()
        first = self._make_run(directory, "quick", 1, alone=True)
        facts = first.file.facts
        self.observations = load(self._path, facts)
        if self.observations:
            say(f"going on with the {len(self.observations)} observations in {self._path}")
        self._number = len(self.observations)
        self._add({**self._head("quiet", [first]), "equal_quick": observe_equal_cells(first)}, facts)
        self._discard([first])
        longest = 0.0
        while (left := started + self._seconds - self._now()) > longest or not any(self._spent.values()):
            what = self._next()
            say(f"calibrating, {_told(what)}: {left / 60:.0f} min left")
            before = self._now()
            with _neighbours(what):
                found = (self._observe_standard(directory) if what == "standard" else
                         self._observe_answers(directory) if what == "answers" else self._observe_pair(what, directory))
            self._add(found, facts)
            taken = self._now() - before
            self._spent[what] += taken
            longest = max(longest, taken)

    def _add(self, observation: dict, facts: Mapping[str, str]) -> None:
        self.observations.append(observation)
        self._number += 1
        save(self._path, facts, self.observations)

    def _next(self) -> str:
        """What has had the least of its share so far."""
        shares = {**_SHARES, "quiet": _SHARES["quiet"] * (1 - sum(_SHARES_OF_QUIET.values())),
                  **{what: _SHARES["quiet"] * share for what, share in _SHARES_OF_QUIET.items()}}
        return min(shares, key=lambda what: self._spent[what] / shares[what])

    def _observe_pair(self, condition: str, directory: Path) -> dict:
        seeds = [2 * self._number, 2 * self._number + 1]
        layouts = [seed if condition == "relaid" else 0 for seed in seeds]
        runs = [self._make_run(directory, "quick", seed, layout) for seed, layout in zip(seeds, layouts)]
        equal: dict[str, list[int]] = {}
        for run in runs:
            for size, counts in observe_equal_cells(run).items():
                equal[size] = [sum(pair) for pair in zip(equal.get(size, (0, 0)), counts)]
        found = {**self._head(condition, runs), "equal_quick": equal, **observe_pair(*runs)}
        self._discard(runs)
        return found

    def _observe_standard(self, directory: Path) -> dict:
        """The strategy beside its copies alone: more cells in the same time."""
        run = self._make_run(directory, "standard", 2 * self._number, alone=True)
        found = {**self._head("quiet", [run]), "equal_standard": observe_equal_cells(run)}
        self._discard([run])
        return found

    def _observe_answers(self, directory: Path) -> dict:
        """Two recommendations for the example of a game."""
        profile = directory / "game.toml"
        if not profile.exists():
            self._call("recommend", "--init", str(profile))
        answers, others = [], 0.0
        for _ in range(2):
            out = directory / "answer"
            answers.append(json.loads(self._call("recommend", str(profile), "--quick", "--format", "json", "--out", str(out))))
            others = max([others, *(load_run(each.parent).record.get("other_programs") or 0
                                    for each in out.glob("*/results.json"))])
            shutil.rmtree(out)
        return {"condition": UNQUIET if others > _QUIET else "quiet", "other_programs": round(others, 3),
                **observe_answers(*answers)}

    def _head(self, condition: str, runs: Sequence[MeasuredRun]) -> dict:
        others = max(load_run(run.directory).record.get("other_programs") or 0 for run in runs)
        if condition == "quiet" and others > _QUIET:
            condition = UNQUIET
        return {"condition": condition, "other_programs": round(others, 3), "strategy": runs[0].strategy}

    def _make_run(self, directory: Path, preset: str, seed: int, layout: int = 0, alone: bool = False) -> MeasuredRun:
        turn = self._number % len(self._strategies)
        strategies = [*self._strategies[turn:], *self._strategies[:turn]][:1 if alone else None]
        into = directory / f"{self._number:04}-{seed}"
        self._call("__calibrate", str(into), preset, ",".join(strategies), str(seed), str(layout), "1")
        return MeasuredRun(into, strategies[0])

    def _call(self, *arguments: str) -> str:
        """What it prints."""
        ended = subprocess.run([self._binary, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=_die_with_us)
        if ended.returncode == 130:
            raise KeyboardInterrupt
        if ended.returncode != 0:
            last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
            raise MissingError(f"a run of the calibration ended with {ended.returncode}: {last}")
        return ended.stdout

    def _discard(self, runs: Sequence[MeasuredRun]) -> None:
        for run in runs:
            if self._keep:
                shutil.copytree(run.directory, self._keep / run.directory.name)
            shutil.rmtree(run.directory)


def base_forms(binary: str) -> list[str]:
    """The strategies that `quick` measures without being asked for others."""
    listed = json.loads(subprocess.run([binary, "list", "strategies", "--format", "json"], check=True,
                                       capture_output=True, text=True).stdout)
    return [each["name"] for each in listed if each["name"] == each["family"] and each["source"] != "hand-written"]


def _die_with_us() -> None:
    """In a child: the kernel kills it when this process is gone."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextmanager
def _neighbours(what: str) -> Iterator[None]:
    """Programs that keep one processor or all of them busy, while the context lasts."""
    count = {"neighbour": 1, "busy": os.cpu_count() or 1}.get(what, 0)
    programs = [subprocess.Popen([sys.executable, "-I", "-c", _NEIGHBOUR], preexec_fn=_die_with_us) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def _told(what: str) -> str:
    return {**CONDITIONS, "standard": "quiet, precision of `standard`", "answers": "quiet, recommendations"}[what]


@contextmanager
def temporary_directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="stowage-calibration-") as directory:
        yield Path(directory)
