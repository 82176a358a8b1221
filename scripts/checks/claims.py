"""Writes docs/claims.md, and the section of README.md between the two markers."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from stowage_report.claims import evaluate
from stowage_report.claims.formats import claims_page, surprises
from stowage_report.console import UserError
from stowage_report.data.load import load_run

ROOT = Path(__file__).resolve().parents[2]
PAGE, README = ROOT / "docs/claims.md", ROOT / "README.md"
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
    try:
        if not arguments or arguments == [MEASURE]:
            raise UserError(f"name one or more run directories, or {MEASURE} and a new one")
        directories = measured(Path(arguments[1])) if arguments[0] == MEASURE else map(Path, arguments)
        runs = [load_run(directory) for directory in directories]
        readme = README.read_text(encoding="utf-8")
        before, found, rest = readme.partition(BEGIN)
        _, ended, after = rest.partition(END)
        if not (found and ended):
            raise UserError(f"{README} has no section between '{BEGIN}' and '{END}'")
    except UserError as error:
        print(f"claims: {error}", file=sys.stderr)
        return error.exit_code
    evaluations = evaluate(runs)
    PAGE.write_text(claims_page(evaluations, runs), encoding="utf-8")
    README.write_text(f"{before}{BEGIN}\n{surprises(evaluations, runs)}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
