"""Makes runs of `quick` with copies, until the time is up."""

import ctypes
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

from stowage_report.calibrate.observe import MeasuredRun, observe_pair, observe_run
from stowage_report.calibrate.store import load, save
from stowage_report.console import MissingError, say

#: Other programs may keep so many processors busy in a quiet run. With 0.16 of two, intervals were half as wide again.
_QUIET = 0.1


class Calibration:
    """Adds observations to those that `path` has of this machine, until the time is up."""

    def __init__(self, binary: str, path: Path, seconds: float, until_decided: str = "none", keep: Path | None = None,
                 now: Callable[[], float] = time.monotonic):
        self._binary, self._path, self._seconds, self._keep, self._now = binary, path, seconds, keep, now
        self._until_decided = until_decided
        self.observations: list[dict] = []

    def run(self, directory: Path) -> None:
        """Runs are stored below `directory` until they were evaluated, beside the next one."""
        started, longest = self._now(), 0.0
        number = len(load(self._path))
        before, was_quiet = None, False
        while (left := started + self._seconds - self._now()) > longest or before is None:
            say(f"calibrating, run {number + 1}: {max(0, left) / 60:.0f} min left")
            began = self._now()
            run = self._make_run(directory / f"{number:04}", number)
            if before is None:
                self.observations = load(self._path, run.file.facts)
                if self.observations:
                    say(f"going on with the {len(self.observations)} runs in {self._path}")
            others = run.with_copies.record.get("other_programs") or 0.0
            is_quiet = others <= _QUIET
            found = {"quiet": is_quiet, "other_programs": round(others, 3), **observe_run(run)}
            if before:
                if is_quiet and was_quiet:
                    found["pair"] = observe_pair(before, run)
                self._discard(before)
            self.observations.append(found)
            save(self._path, run.file.facts, self.observations)
            before, was_quiet, number = run, is_quiet, number + 1
            longest = max(longest, self._now() - began)
        self._discard(before)

    def _make_run(self, into: Path, number: int) -> MeasuredRun:
        ended = subprocess.run([self._binary, "__calibrate", str(into), str(number), self._until_decided],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_die_with_us)
        if ended.returncode == 130:
            raise KeyboardInterrupt
        if ended.returncode != 0:
            last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
            raise MissingError(f"a run of the calibration ended with {ended.returncode}: {last}")
        return MeasuredRun(into)

    def _discard(self, run: MeasuredRun) -> None:
        if self._keep:
            shutil.copytree(run.directory, self._keep / run.directory.name)
        shutil.rmtree(run.directory)


def _die_with_us() -> None:
    """In a child: the kernel kills it when this process is gone."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextmanager
def temporary_directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="stowage-calibration-") as directory:
        yield Path(directory)
