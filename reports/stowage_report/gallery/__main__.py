"""`python3 -m stowage_report.gallery RUN... --out SITE`: writes the site and prints the path of its first page."""

import sys
from pathlib import Path
from typing import Sequence

from stowage_report.console import Parser, UserError, command, write
from stowage_report.data.load import load_runs, results_path
from stowage_report.data.model import Run
from stowage_report.gallery.site import write_site


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage gallery", description="A site that shows which storage wins on which machine.")
    parser.add_argument("runs", metavar="RUN", nargs="+", type=Path, help="what `stowage run` or `stowage submit` wrote")
    parser.add_argument("--out", metavar="SITE", type=Path, required=True)
    return command(parser, lambda options: write(f"{write_site(_runs(options.runs), options.out)}\n", sys.stdout),
                   arguments, "interrupted, no site was written")


def _runs(paths: Sequence[Path]) -> list[Run]:
    """Whether a directory has a whole run the program has checked, and of a file `stowage submit`."""
    runs = load_runs(paths)
    for path, run in zip(paths, runs):
        if results_path(path) == path and "submission" not in run.record:
            raise UserError(f"{path} is no file of `stowage submit`; give such a file, or the directory of a run")
    return runs


if __name__ == "__main__":
    sys.exit(main())
