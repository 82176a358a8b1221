"""`python3 -m stowage_report.claims RUN_DIR... [--format table|json] [--only C1,C2]`: the verdicts of results."""

import argparse
import sys
from pathlib import Path
from typing import Sequence

from stowage_report.claims.evaluate import claims_named, deciding_command, evaluate, needs_results, undecided
from stowage_report.claims.formats import as_json, as_table
from stowage_report.console import Parser, Terminal, UserError, command, write
from stowage_report.data.load import load_runs


def _judge(options: argparse.Namespace) -> None:
    claims = claims_named(options.only.split(",") if options.only is not None else [])
    if not options.run_directories and needs_results(claims):
        raise UserError("no run in results/; name a run directory, or start one with `stowage run`")
    runs = load_runs(options.run_directories)
    evaluations = evaluate(runs, claims)
    terminal = Terminal.of(sys.stdout)
    deciding = deciding_command(undecided(evaluations), runs) if options.only is None else ""
    write(as_json(evaluations) if options.format == "json"
          else terminal.text(as_table(evaluations, deciding, coloured=terminal.colours)), sys.stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage claims", description="What articles claim of storages, and what stored results say.")
    parser.add_argument("run_directories", metavar="RUN_DIR", nargs="*", type=Path,
                        help="what `stowage run` wrote; of several the first that has the figures decides, with the times "
                        "of runs like it")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="table (the default) or json")
    parser.add_argument("--only", metavar="C1,C2", help="only these claims")
    return command(parser, _judge, arguments)


if __name__ == "__main__":
    sys.exit(main())
