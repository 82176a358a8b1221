"""Writes the rates of docs/trust.md between the two markers, from the calibration of this machine."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from section import replace_section
from stowage_report.calibrate.rates import CONDITIONS
from stowage_report.calibrate.store import FILE, table
from stowage_report.console import UserError
from stowage_report.data.document import read_json

ROOT = Path(__file__).resolve().parents[2]
PAGE, CALIBRATION = ROOT / "docs/trust.md", ROOT / "results" / FILE
BEGIN, END = "<!-- rates: made by scripts/checks/error-rates -->", "<!-- end of rates -->"


def main() -> int:
    try:
        replace_section(PAGE, BEGIN, END, f"\n{page(read_json(CALIBRATION, 'run scripts/checks/error-rates --hours 3'))}\n")
    except UserError as error:
        print(f"error-rates: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def page(calibration: dict) -> str:
    facts, observations = calibration["facts"], calibration["observations"]
    pairs = Counter(each["condition"] for each in observations if "cells" in each)
    sizes = list(dict.fromkeys(size for each in observations for kind in ("equal_quick", "equal_standard")
                               for size in each.get(kind, {})))
    heading, *rows = table(observations, sizes)
    told = ", ".join(f"{pairs[name]} {words}" for name, words in CONDITIONS.items())
    return "\n".join([
        f"{facts['processor']} ({facts['processors']} processors), {facts['compiler']}, stowage {facts['version']}. Pairs "
        f"of runs: {told}.", "", _row(heading), _row(["---"] * len(heading)), *map(_row, rows)])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
