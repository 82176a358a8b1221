"""Builds a report: charts, data and page in a folder of its own, moved into place when all of it is there."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from stowage_report.bars import bars_chart
from stowage_report.canvas import Canvas, file_name
from stowage_report.clock import explanation
from stowage_report.data import csv_text
from stowage_report.errors import UserError
from stowage_report.heatmap import heatmap_chart
from stowage_report.memory import memory_chart
from stowage_report.misses import misses_chart
from stowage_report.model import Run, Sweep
from stowage_report.page import RunCharts, SweepCharts, is_page, page_html
from stowage_report.pareto import pareto_chart
from stowage_report.scaling import scaling_chart
from stowage_report.style import Looks

PAGE = "report.html"
DATA = "data.csv"
PLOTS = "plots"


def write_report(runs: list[Run], output: Path) -> Path:
    """Returns the path of the page. A report that is already there is replaced; other people's files are not."""
    try:
        if not _may_be_written(output):
            raise UserError(f"{output} is no report of ours, and what is in it stays; name with --out a directory that "
                            "is new, empty, or holds an earlier report")
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".report-", dir=output.parent) as unfinished:
            _write_parts(runs, Path(unfinished))
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


def _write_parts(runs: list[Run], directory: Path) -> None:
    looks = Looks(strategy for run in runs for strategy in run.strategies)
    charts = [_draw(run, Canvas(directory, _plots_folder(number, run, runs), looks))
              for number, run in enumerate(runs, start=1)]
    data = csv_text(runs)
    (directory / DATA).write_text(data, encoding="utf-8")
    (directory / PAGE).write_text(page_html(charts, data, looks), encoding="utf-8")


def _plots_folder(number: int, run: Run, runs: list[Run]) -> str:
    """Numbered where there are several runs: two of them may have one name."""
    return PLOTS if len(runs) == 1 else f"{PLOTS}/{file_name(str(number), run.name)}"


def _draw(run: Run, canvas: Canvas) -> RunCharts:
    heatmaps = [(size, heatmap_chart(canvas, run, size)) for size in run.sizes]
    sweeps = [_draw_sweep(run, sweep, canvas) for sweep in run.sweeps]
    return RunCharts(run, [(size, chart) for size, chart in heatmaps if chart], explanation(canvas, run), sweeps)


def _draw_sweep(run: Run, sweep: Sweep, canvas: Canvas) -> SweepCharts:
    return SweepCharts(
        sweep,
        scaling=scaling_chart(canvas, run, sweep),
        bars=bars_chart(canvas, sweep),
        misses=misses_chart(canvas, run, sweep),
        memory=memory_chart(canvas, run, sweep),
        pareto=pareto_chart(canvas, run, sweep),
    )


def _move_into_place(finished: Path, output: Path) -> None:
    """The page first: by it the rest is known as ours, should this be interrupted."""
    output.mkdir(exist_ok=True)
    os.replace(finished / PAGE, output / PAGE)
    shutil.rmtree(output / PLOTS, ignore_errors=True)
    for part in (PLOTS, DATA):
        os.replace(finished / part, output / part)
