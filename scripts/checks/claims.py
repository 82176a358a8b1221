"""Writes docs/claims.md, and the section of README.md between the two markers."""

from __future__ import annotations

import sys
from pathlib import Path

from stowage_report.claims import evaluate
from stowage_report.claims.formats import claims_page, surprises
from stowage_report.console import UserError
from stowage_report.data.load import load_run

ROOT = Path(__file__).resolve().parents[2]
PAGE, README = ROOT / "docs/claims.md", ROOT / "README.md"
BEGIN, END = "<!-- claims: made by scripts/checks/claims -->", "<!-- end of claims -->"


def main(arguments: list[str]) -> int:
    try:
        if not arguments:
            raise UserError("name one or more run directories")
        runs = [load_run(Path(argument)) for argument in arguments]
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
