"""Measures what claims need."""

import shlex
import subprocess
import sys
from pathlib import Path

from stowage_report.claims import Evaluation, evaluate
from stowage_report.claims.evidence import MOST_PROCESSES
from stowage_report.console import Parser, command
from stowage_report.data.load import load_run

ROOT = Path(__file__).resolve().parents[2]


def measure(into: Path) -> None:
    """A run for each claim, by the command that its entry shows: 30 minutes. Then again for those that more processes
    may decide: a run adds three to most times, and one to the frame of a spike. What is there already stays."""
    first = evaluate([])
    directories = [directory for evaluation in first if (directory := measured_once(into / evaluation.claim.id, evaluation))]
    commands = {evaluation.claim.id: evaluation for evaluation in first}
    for repetition in range(2, MOST_PROCESSES + 1):
        wanted = [each.claim.id for each in evaluate([load_run(directory) for directory in sorted(directories)])
                  if each.ruling.wants_processes]
        if not wanted:
            break
        directories += [measured_once(into / f"{claim}.{repetition}", commands[claim]) for claim in wanted]


def measured_once(directory: Path, evaluation: Evaluation) -> Path | None:
    """None if nothing has to be measured for it."""
    _, command, *options = shlex.split(evaluation.command)
    if command not in ("run", "cache"):
        return None
    if not (directory / "results.json").exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        # a run counts misses, too, and has all figures that claims stand on
        subprocess.run([ROOT / "scripts/stowage", "run", *options, "--out", directory], check=True)
    return directory


if __name__ == "__main__":
    parser = Parser(prog="scripts/checks/claims", description="Measures a run for each claim.")
    parser.add_argument("directory", type=Path, help="where the runs go; those that it has already stay")
    sys.exit(command(parser, lambda options: measure(options.directory), None))
