"""Builds a report in a folder of its own, moved into place when all of it is there: the page and the data, and with
`plots` each chart and each table as files."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from stowage_report.charts.style import Looks
from stowage_report.data.model import Run
from stowage_report.errors import UserError
from stowage_report.pages.data import csv_text
from stowage_report.pages.downloads import TABLES, Downloads
from stowage_report.pages.drawing import PLOTS, draw_all
from stowage_report.pages.page import is_page, page_html

PAGE = "report.html"
DATA = "data.csv"


def write_report(runs: list[Run], output: Path, *, plots: bool = False) -> Path:
    """Returns the path of the page. A report that is already there is replaced; other people's files are not."""
    try:
        if not _may_be_written(output):
            raise UserError(f"{output} is no report of ours, and what is in it stays; name with --out a directory that "
                            "is new, empty, or holds an earlier report")
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".report-", dir=output.parent) as unfinished:
            _write_parts(runs, Path(unfinished), plots)
            _move_into_place(Path(unfinished), output)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot write the report to {output}: {reason}; name a directory with --out") from error
    return output / PAGE


def _may_be_written(output: Path) -> bool:
    if not output.exists():
        return True
    if not output.is_dir():
        return False
    return not any(output.iterdir()) or is_page(output / PAGE)


def _write_parts(runs: list[Run], directory: Path, plots: bool) -> None:
    looks = Looks(strategy for run in runs for strategy in run.strategies)
    charts, together = draw_all(runs, directory if plots else None, looks)
    downloads = Downloads()
    (directory / PAGE).write_text(page_html(charts, together, downloads, looks), encoding="utf-8")
    (directory / DATA).write_text(csv_text(runs), encoding="utf-8")
    if plots:
        downloads.write(directory)


def _move_into_place(finished: Path, output: Path) -> None:
    """The page first: by it the rest is known as ours, should this be interrupted."""
    output.mkdir(exist_ok=True)
    os.replace(finished / PAGE, output / PAGE)
    for folder in (PLOTS, TABLES):
        shutil.rmtree(output / folder, ignore_errors=True)
    for part in finished.iterdir():
        os.replace(part, output / part.name)
