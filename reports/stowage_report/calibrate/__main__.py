"""`python3 -m stowage_report.calibrate BINARY --out DIR [--minutes N]`: measures how often verdicts are right here, and
prints the rates."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections import Counter
from pathlib import Path
from typing import Sequence

from stowage_report.calibrate.measure import Calibration, temporary_directory
from stowage_report.calibrate.rates import CONDITIONS, UNQUIET, of_condition
from stowage_report.calibrate.store import FILE, table
from stowage_report.console import Parser, exit_code_of, say, write


def main(arguments: Sequence[str] | None = None) -> int:
    return exit_code_of(lambda: 130 if calibrate(_parse(arguments)) else 0)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser(prog="stowage doctor --calibrate", description="How often verdicts are right on this machine.")
    parser.add_argument("binary", metavar="BINARY")
    parser.add_argument("--out", type=Path, required=True, help="the directory of the runs")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--keep", type=Path, help="where the runs themselves are kept; else they are removed")
    return parser.parse_args(arguments)


def calibrate(options: argparse.Namespace) -> bool:
    """Whether it was interrupted; what was found until then is stored and printed."""
    interrupted = False
    path = options.out / FILE
    calibration = Calibration(options.binary, path, 60 * options.minutes, options.keep)
    with temporary_directory() as directory:
        try:
            calibration.run(directory)
        except KeyboardInterrupt:
            say("interrupted; the rates are of what was measured")
            interrupted = True
    write(_text(calibration.observations, path), sys.stdout)
    return interrupted


def _text(observations: Sequence[dict], path: Path) -> str:
    if not observations:
        return "Nothing was measured.\n"
    told = []
    for name, aim, *rates in table(observations)[1:]:
        told += textwrap.wrap(name + (f" (aim: {aim})" if aim else ""), 100)
        told += [f"  {condition:<20} {rate}" for condition, rate in zip(CONDITIONS.values(), rates)
                 if rate != "not measured"]
    counts = Counter(each["condition"] for each in observations if "cells" in each)
    told += ["", f"Pairs of runs: {', '.join(f'{count} {name}' for name, count in counts.items())}. In {path}, which "
                 "`report`, `compare` and `recommend` quote."]
    if unquiet := of_condition(observations, UNQUIET):
        told.append(f"The machine was busy: in {len(unquiet)} quiet measurements other programs ran, so they count for no "
                    "condition. Repeat the command when nothing else runs.")
    return "\n".join(told) + "\n"


if __name__ == "__main__":
    sys.exit(main())
