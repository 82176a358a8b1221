"""Writes the rates of docs/trust.md between the two markers, from the calibration of this machine."""

import sys
from pathlib import Path

from section import replace_section
from stowage_report.calibrate.rates import TABLES, of_quiet_runs
from stowage_report.calibrate.store import FILE
from stowage_report.console import UserError
from stowage_report.data.document import read_json

ROOT = Path(__file__).resolve().parents[2]
PAGE, CALIBRATION = ROOT / "docs/trust.md", ROOT / "results" / FILE
BEGIN, END = "<!-- rates: made by scripts/checks/error-rates -->", "<!-- end of rates -->"
#: Rates of fewer quiet runs are not published.
FEWEST_RUNS = 10


def main() -> int:
    try:
        replace_section(PAGE, BEGIN, END, f"\n{page(read_json(CALIBRATION, 'run scripts/checks/error-rates --hours 2'))}\n")
    except UserError as error:
        print(f"error-rates: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def page(calibration: dict) -> str:
    facts, observations = calibration["facts"], calibration["observations"]
    quiet = of_quiet_runs(observations)
    if len(quiet) < FEWEST_RUNS:
        raise UserError(f"{len(quiet)} quiet runs are too few to publish; go on with scripts/checks/error-rates --hours 2")
    told = [f"{facts['processor']} ({facts['processors']} processors), {facts['compiler']}, stowage {facts['version']}: "
            f"{len(quiet)} runs. {len(observations) - len(quiet)} more do not count, because other programs ran."]
    for title, lines in TABLES.items():
        told += ["", f"### {title}", "", "| rate | aim | found |", "| --- | --- | --- |",
                 *(f"| {line.name} | {line.aim} | {line.rate} |" for line in lines(quiet))]
    return "\n".join(told)


if __name__ == "__main__":
    sys.exit(main())
