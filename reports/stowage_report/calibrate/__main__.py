"""`python3 -m stowage_report.calibrate BINARY --out DIR [--minutes N]`: makes runs of `quick` with copies until the time is
up, and prints how often verdicts are right here."""

import argparse
import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Callable, Sequence

from stowage_report.calibrate.observe import MeasuredRun, observe_pair, observe_run
from stowage_report.calibrate.rates import TABLES, of_quiet_runs
from stowage_report.calibrate.store import FILE, load, save
from stowage_report.console import MissingError, Parser, command, say, write
from stowage_report.data.wording import plain

#: Other programs may keep so many processors busy in a quiet run. With 0.16 of two, intervals were half as wide again.
_QUIET = 0.1


class Calibration:
    """Adds observations to those that `path` has of this machine, until the time is up."""

    def __init__(self, binary: str, path: Path, seconds: float, until_decided: str = "none",
                 now: Callable[[], float] = time.monotonic):
        self._binary, self._path, self._seconds, self._now = binary, path, seconds, now
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
                shutil.rmtree(before.directory)
            self.observations.append(found)
            save(self._path, run.file.facts, self.observations)
            before, was_quiet, number = run, is_quiet, number + 1
            longest = max(longest, self._now() - began)
        shutil.rmtree(before.directory)

    def _make_run(self, into: Path, number: int) -> MeasuredRun:
        ended = subprocess.run([self._binary, "__calibrate", str(into), str(number), self._until_decided],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_die_with_us)
        if ended.returncode == 130:
            raise KeyboardInterrupt
        if ended.returncode != 0:
            last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
            raise MissingError(f"a run of the calibration ended with {ended.returncode}: {last}")
        return MeasuredRun(into)


def _die_with_us() -> None:
    """In a child: the kernel kills it when this process is gone."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def calibrate(options: argparse.Namespace) -> int:
    """Its exit code; if it was interrupted, what was found until then is stored and printed."""
    code = 0
    path = options.out / FILE
    calibration = Calibration(options.binary, path, 60 * options.minutes, options.until_decided)
    with tempfile.TemporaryDirectory(prefix="stowage-calibration-") as directory:
        try:
            calibration.run(Path(directory))
        except KeyboardInterrupt:
            say("interrupted; the rates are of what was measured")
            code = 130
    write(_text(calibration.observations, path), sys.stdout)
    return code


def _text(observations: Sequence[dict], path: Path) -> str:
    if not observations:
        return "Nothing was measured.\n"
    quiet = of_quiet_runs(observations)
    told = []
    for title, lines in TABLES.items():
        told.append(plain(title))
        for line in lines(quiet):
            told += textwrap.wrap(line.name + (f" (aim: {line.aim})" if line.aim else ""), 100, initial_indent="  ",
                                  subsequent_indent="  ")
            told.append(f"    {line.rate}")
    told += ["", f"Quiet runs: {len(quiet)}. In {path}, which `report`, `compare` and `recommend` quote."]
    if unquiet := len(observations) - len(quiet):
        told.append(f"The machine was busy: in {unquiet} more runs other programs ran, so no rate counts them. Repeat the "
                    "command when nothing else runs.")
    return "\n".join(told) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage doctor --calibrate", description="How often verdicts are right on this machine.")
    parser.add_argument("binary", metavar="BINARY")
    parser.add_argument("--out", type=Path, required=True, help="the directory of the runs")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--until-decided", default="none", help="minutes that each run goes on, or none")
    return command(parser, calibrate, arguments)


if __name__ == "__main__":
    sys.exit(main())
