"""`python3 -m stowage_report.calibrate BINARY --out DIR [--minutes N]`: measures how often verdicts are right here, and
prints the rates."""

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Sequence

from stowage_report.calibrate.measure import Calibration, temporary_directory
from stowage_report.calibrate.rates import TABLES, of_quiet_runs
from stowage_report.calibrate.store import FILE
from stowage_report.console import Parser, exit_code_of, say, write


def main(arguments: Sequence[str] | None = None) -> int:
    return exit_code_of(lambda: 130 if calibrate(_parse(arguments)) else 0)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser(prog="stowage doctor --calibrate", description="How often verdicts are right on this machine.")
    parser.add_argument("binary", metavar="BINARY")
    parser.add_argument("--out", type=Path, required=True, help="the directory of the runs")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--until-decided", default="none", help="minutes that each run goes on, or none")
    parser.add_argument("--keep", type=Path, help="where the runs themselves are kept; else they are removed")
    return parser.parse_args(arguments)


def calibrate(options: argparse.Namespace) -> bool:
    """Whether it was interrupted; what was found until then is stored and printed."""
    interrupted = False
    path = options.out / FILE
    calibration = Calibration(options.binary, path, 60 * options.minutes, options.until_decided, options.keep)
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
    quiet = of_quiet_runs(observations)
    told = []
    for title, lines in TABLES.items():
        told.append(title.replace("`", ""))
        for line in lines(quiet):
            told += textwrap.wrap(line.name + (f" (aim: {line.aim})" if line.aim else ""), 100, initial_indent="  ",
                                  subsequent_indent="  ")
            told.append(f"    {line.rate}")
    told += ["", f"Quiet runs: {len(quiet)}. In {path}, which `report`, `compare` and `recommend` quote."]
    if unquiet := len(observations) - len(quiet):
        told.append(f"The machine was busy: in {unquiet} more runs other programs ran, so no rate counts them. Repeat the "
                    "command when nothing else runs.")
    return "\n".join(told) + "\n"


if __name__ == "__main__":
    sys.exit(main())
