"""`python3 -m stowage_report.gallery RUN... --out SITE`: writes the site and prints the path of its first page."""

import sys
from pathlib import Path
from typing import Sequence

from stowage_report.console import Parser, exit_code_of, write
from stowage_report.data.load import load_runs
from stowage_report.gallery.site import write_site


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage gallery", description="A site that shows which storage wins on which machine.")
    parser.add_argument("runs", metavar="RUN", nargs="+", type=Path,
                        help="what `stowage run` or `stowage submit` wrote")
    parser.add_argument("--out", metavar="SITE", type=Path, required=True)

    def work() -> None:
        options = parser.parse_args(arguments)
        write(f"{write_site(load_runs(options.runs), options.out)}\n", sys.stdout)

    return exit_code_of(work, "interrupted, no site was written")


if __name__ == "__main__":
    sys.exit(main())
