"""Builds a report: charts, data and page in a folder of its own, moved into place when all of it is there."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from stowage_report.bars import bars_chart
from stowage_report.canvas import Canvas, file_name
from stowage_report.data import csv_text
from stowage_report.errors import UserError
from stowage_report.heatmap import heatmap_chart
from stowage_report.model import Run
from stowage_report.page import RunCharts, SweepCharts, page_html
from stowage_report.scaling import scaling_chart

PAGE = "report.html"
DATA = "data.csv"
PLOTS = "plots"


def write_report(runs: list[Run], output: Path) -> Path:
    """Returns the path of the page. A report that is already there is replaced; other people's files are not."""
    if output.exists() and not (output / PAGE).is_file() and (not output.is_dir() or any(output.iterdir())):
        raise UserError(f"{output} exists and is no report; name a new directory with --out")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".report-", dir=output.parent) as unfinished:
            _write_parts(runs, Path(unfinished))
            _move_into_place(Path(unfinished), output)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot write the report to {output}: {reason}; name a directory with --out") from error
    return output / PAGE


def _write_parts(runs: list[Run], directory: Path) -> None:
    charts = [_draw(run, directory, _plots_folder(number, run, runs)) for number, run in enumerate(runs, start=1)]
    data = csv_text(runs)
    (directory / DATA).write_text(data, encoding="utf-8")
    (directory / PAGE).write_text(page_html(charts, data), encoding="utf-8")


def _plots_folder(number: int, run: Run, runs: list[Run]) -> str:
    """Numbered where there are several runs: two of them may have one name."""
    return PLOTS if len(runs) == 1 else f"{PLOTS}/{file_name(str(number), run.name)}"


def _draw(run: Run, directory: Path, folder: str) -> RunCharts:
    canvas = Canvas(directory, folder)
    heatmaps = [(size, heatmap_chart(canvas, run, size)) for size in run.sizes]
    sweeps = [SweepCharts(sweep, scaling_chart(canvas, run, sweep), bars_chart(canvas, sweep)) for sweep in run.sweeps]
    return RunCharts(run, [(size, chart) for size, chart in heatmaps if chart], sweeps)


def _move_into_place(finished: Path, output: Path) -> None:
    output.mkdir(exist_ok=True)
    shutil.rmtree(output / PLOTS, ignore_errors=True)
    for part in (PLOTS, DATA, PAGE):
        os.replace(finished / part, output / part)
