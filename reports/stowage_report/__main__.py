"""`python3 -m stowage_report RUN_DIR... [--out DIR] [--plots] [--screen] [--format html|terminal|tables]`: writes the page
and prints its path, or with --screen the summary; --format terminal prints the summary, tables all figures, and neither
writes files."""

import argparse
import sys
from pathlib import Path
from typing import Sequence

from stowage_report.console import MissingError, Parser, Terminal, exit_code_of, write
from stowage_report.data.load import load_runs
from stowage_report.pages.screen import screen_text
from stowage_report.pages.tables import tables_text


def main(arguments: Sequence[str] | None = None) -> int:
    return exit_code_of(lambda: _report(_parse(arguments)), "interrupted, no report was written")


def _report(options: argparse.Namespace) -> None:
    runs = load_runs(options.run_directories)
    page = None
    if options.format == "html":
        page = _writer()(runs, options.out or _default_output(options.run_directories), plots=options.plots)
    if page and not options.screen:
        write(f"{page}\n", sys.stdout)
        return
    terminal = Terminal.of(sys.stdout)
    if options.format == "tables":
        texts = [f"{directory}\n\n" * (len(runs) > 1) + tables_text(run, terminal)
                 for run, directory in zip(runs, options.run_directories)]
    else:
        texts = [screen_text(run, directory, page or _page_of(directory), terminal)
                 for run, directory in zip(runs, options.run_directories)]
    write("\n".join(texts), sys.stdout)


def _page_of(directory: Path) -> Path | None:
    page = directory / "report" / "report.html"
    return page if page.is_file() else None


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser(prog="stowage report", description="One self-contained page and a CSV file from stored results.")
    parser.add_argument("run_directories", metavar="RUN_DIR", nargs="+", type=Path, help="what `stowage run` wrote")
    parser.add_argument("--out", metavar="DIR", type=Path, help="default: report/ in the first RUN_DIR")
    parser.add_argument("--plots", action="store_true", help="also each chart as SVG and PNG, and each table as CSV")
    parser.add_argument("--screen", action="store_true", help="print the summary instead of the page's path")
    parser.add_argument("--format", choices=("html", "terminal", "tables"), default="html",
                        help="html (the default), a summary for a terminal, or all figures; only html writes files")
    options = parser.parse_args(arguments)
    if options.format != "html" and (options.out or options.plots):
        parser.error(f"--format {options.format} writes no files, so {'--out' if options.out else '--plots'} has no effect; "
                     "remove one of them")
    return options


def _default_output(directories: Sequence[Path]) -> Path:
    """A report on several runs does not take the place of the first one's own."""
    return directories[0] / ("report" if len(directories) == 1 else f"report-of-{len(directories)}-runs")


def _writer():
    """Imported late: reading results and their errors needs nothing but Python itself."""
    try:
        from stowage_report.pages.report import write_report
    except ModuleNotFoundError as error:
        raise MissingError(f"{sys.executable} has no module '{error.name}', which the report needs; install "
                           "python3-matplotlib and python3-jinja2, or take an interpreter that has them") from error
    return write_report


if __name__ == "__main__":
    sys.exit(main())
