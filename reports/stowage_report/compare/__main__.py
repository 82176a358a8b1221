"""`python3 -m stowage_report.compare BEFORE AFTER [--fail-above 5%] [--format table|markdown|json]`: what became slower,
faster, larger or smaller. Exit code 1 if something is certainly worse by more than the limit."""

import argparse
import re
import sys
from typing import Sequence

from stowage_report.compare.comparison import Comparison, excess_of
from stowage_report.compare.formats import as_json, as_markdown, as_table, excess_summary
from stowage_report.compare.read import load_measured_file
from stowage_report.console import Parser, UserError, command, say, write
from stowage_report.data.estimates import FEWEST_SAMPLES

_FORMATS = {"table": as_table, "markdown": as_markdown, "json": as_json}


def _compare(options: argparse.Namespace) -> int:
    limit = None if options.fail_above is None else parse_limit(options.fail_above)
    before, after = map(load_measured_file, (options.before, options.after))
    if before.timer and after.timer and before.timer != after.timer:
        raise UserError(f"{before.path} was timed by {before.timer}, {after.path} by {after.timer}; measure both with one "
                        "--timer")
    comparison = Comparison(before, after)
    excess = None
    if limit is not None:
        _refuse_nothing_to_judge(comparison)
        excess = excess_of(comparison, limit)
    write(_FORMATS[options.format](comparison, excess), sys.stdout)
    if not excess:
        return 0
    say(f"worse by more than {options.fail_above}: {excess_summary(excess)}")
    return 1


def parse_limit(text: str) -> float:
    """`5%` is 0.05. Nothing but a number and the sign: what `5` and `0.05` mean is a guess."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?%", text):
        raise UserError(f"--fail-above '{text}' must be a percentage with the sign %, such as 5% or 2.5%")
    return float(text[:-1]) / 100


def _refuse_nothing_to_judge(comparison: Comparison) -> None:
    """A check that cannot fail is worse than none."""
    if comparison.apart["failed_after"]:
        return
    files = f"{comparison.before.path} and {comparison.after.path}"
    if not comparison.pairs:
        raise UserError(f"{files} have no cell in common that was measured, so --fail-above has nothing to judge")
    if comparison.counts.figures == 0 and all(change.interval is None for change in comparison.cells):
        raise UserError(f"{files} have no cell with {FEWEST_SAMPLES} repetitions in both, so --fail-above has nothing to "
                        "judge; measure more")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage compare", description="What became slower, faster, larger or smaller between two runs.")
    parser.add_argument("before", metavar="BEFORE", help="a run directory, or a JSON file of Google Benchmark")
    parser.add_argument("after", metavar="AFTER", help="another one")
    parser.add_argument("--fail-above", metavar="P%", help="exit code 1 if a time is certainly slower, by more than "
                        "this as estimated, or a count grew by more")
    parser.add_argument("--format", choices=tuple(_FORMATS), default="table", help="table (the default), markdown or json")
    return command(parser, _compare, arguments)


if __name__ == "__main__":
    sys.exit(main())
