"""Writes docs/claims.md, and the section of README.md between the two markers."""

import shlex
import subprocess
import sys
from pathlib import Path

from section import DOCS, replace_section
from stowage_report.claims import Evaluation, evaluate
from stowage_report.claims.evidence import MOST_PROCESSES
from stowage_report.claims.formats import claims_page, surprises
from stowage_report.console import UserError, exit_code_of
from stowage_report.data.load import load_run

ROOT = DOCS.parent
PAGE, README = DOCS / "claims.md", ROOT / "README.md"
BEGIN, END = "<!-- claims: made by scripts/checks/claims -->", "<!-- end of claims -->"
MEASURE = "--measure"


def measured(into: Path) -> list[Path]:
    """A run for each claim, by the command that its entry shows: 30 minutes. Then again for those that more processes
    may decide: a run adds three to most times, and one to the frame of a spike. What is there already stays."""
    first = evaluate([])
    directories = [directory for evaluation in first if (directory := measured_once(into / evaluation.claim.id, evaluation))]
    commands = {evaluation.claim.id: evaluation for evaluation in first}
    for repetition in range(2, MOST_PROCESSES + 1):
        wanted = [each.claim.id for each in evaluate([load_run(directory) for directory in directories])
                  if each.ruling.wants_processes]
        if not wanted:
            break
        directories += [measured_once(into / f"{claim}.{repetition}", commands[claim]) for claim in wanted]
    return directories


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


def main(arguments: list[str]) -> int:
    return exit_code_of(lambda: write(arguments))


def write(arguments: list[str]) -> None:
    runs = [load_run(directory) for directory in run_directories(arguments)]
    evaluations = evaluate(runs)
    replace_section(README, BEGIN, END, surprises(evaluations, runs))
    PAGE.write_text(claims_page(evaluations, runs), encoding="utf-8")


def run_directories(arguments: list[str]) -> list[Path]:
    is_asked_to_measure = MEASURE in arguments
    if not arguments or (is_asked_to_measure and (arguments[0] != MEASURE or len(arguments) != 2)):
        raise UserError(f"name one or more run directories, or {MEASURE} and a new one")
    return measured(Path(arguments[1])) if is_asked_to_measure else [Path(argument) for argument in arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
