"""Writes docs/claims.md, and the section of README.md between the two markers."""

import shlex
import subprocess
import sys
from pathlib import Path

from section import DOCS, replace_section
from stowage_report.claims import evaluate
from stowage_report.claims.formats import claims_page, surprises
from stowage_report.console import UserError, exit_code_of
from stowage_report.data.load import load_run

ROOT = DOCS.parent
PAGE, README = DOCS / "claims.md", ROOT / "README.md"
BEGIN, END = "<!-- claims: made by scripts/checks/claims -->", "<!-- end of claims -->"
MEASURE = "--measure"


def measured(into: Path) -> list[Path]:
    """A run for each claim, by the command that its entry shows: 30 minutes. What is there already stays."""
    directories = []
    for evaluation in evaluate([]):
        _, command, *options = shlex.split(evaluation.command)
        if command in ("run", "cache"):  # a run counts misses, too, and has all figures that claims stand on
            directories.append(directory := into / evaluation.claim.id)
            if not (directory / "results.json").exists():
                into.mkdir(parents=True, exist_ok=True)
                subprocess.run([ROOT / "scripts/stowage", "run", *options, "--out", directory], check=True)
    return directories


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
