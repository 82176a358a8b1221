"""All charts of a report, drawn by as many processes as there are processors.

A report of a few thousand cells has some hundred charts, each of which takes matplotlib a tenth of a second or more.
None needs another, so the work is a list of pieces. Every process makes that list for itself: only the numbers of
pieces and finished charts travel between processes.
"""

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Callable, Hashable

from stowage_report.charts import series
from stowage_report.charts.bars import bars_chart, variants_chart
from stowage_report.charts.canvas import Canvas, file_name
from stowage_report.charts.counters import instructions_chart, memory_chart, misses_chart
from stowage_report.charts.frames import frames_chart
from stowage_report.charts.heatmap import heatmap_chart
from stowage_report.charts.pareto import pareto_chart
from stowage_report.charts.scaling import scaling_chart
from stowage_report.charts.style import Looks
from stowage_report.data.model import Run
from stowage_report.findings.aging import aging
from stowage_report.findings.clock import explanation
from stowage_report.findings.crossover_map import crossover_maps
from stowage_report.findings.leaders import depth, occupancy
from stowage_report.findings.sections import section_sizes
from stowage_report.findings.threads import threads
from stowage_report.findings.tradeoffs import tradeoffs
from stowage_report.pages.ledger import predictions_chart
from stowage_report.pages.together import facets_chart, shared_sweeps
from stowage_report.pages.views import Drawn

PLOTS = "plots"
#: A process is started for this many pieces; fewer are drawn sooner than it starts.
_PIECES_OF_A_PROCESS = 20

Piece = Callable[[Canvas], object]

#: By their names in METRICS.
_SWEEP_CHARTS = {"scaling": scaling_chart, "variants": variants_chart, "bars": bars_chart, "misses": misses_chart,
                 "instructions": instructions_chart, "memory": memory_chart, "pareto": pareto_chart, "frames": frames_chart}
#: Each answers a question over several sweeps; in the order of the page.
_FINDINGS = (crossover_maps, tradeoffs, aging, occupancy, depth, section_sizes, threads)
#: Charts of sweeps that would repeat what a finding draws of that workload.
_DRAWN_BY_FINDINGS = {"aging": {"scaling", "bars", "misses", "instructions", "memory", "pareto"}}


class Work:
    """What is to be drawn, in an order that is the same in every process."""

    def __init__(self, runs: list[Run], directory: Path | None, looks: Looks):
        self._canvases = [Canvas(directory, _folder(number, run, runs), looks) for number, run in enumerate(runs, 1)]
        self._pieces = [(number, *item) for number, run in enumerate(runs) for item in pieces_of(run).items()]
        if len(runs) > 1:
            self._canvases.append(Canvas(directory, f"{PLOTS}/together", looks))
            self._pieces += [(len(runs), key, partial(facets_chart, runs=runs, sweeps=sweeps))
                             for key, sweeps in shared_sweeps(runs).items()]

    def __len__(self) -> int:
        return len(self._pieces)

    def done(self, index: int) -> tuple[int, Hashable, object]:
        """The number of the run, or how many there are for what is drawn of all; the piece's key; what was drawn."""
        number, key, piece = self._pieces[index]
        return number, key, piece(self._canvases[number])


def draw_all(runs: list[Run], directory: Path | None, looks: Looks) -> tuple[list[Drawn], Drawn]:
    """The charts of each run, and those that show all runs beside each other, by what they are of; with a directory also as
    files in it."""
    work = Work(runs, directory, looks)
    processes = min(_processors(), len(work) // _PIECES_OF_A_PROCESS)
    if processes < 2:
        results = [work.done(index) for index in range(len(work))]
    else:
        with ProcessPoolExecutor(processes, initializer=_prepare, initargs=(runs, directory, looks)) as pool:
            results = list(pool.map(_draw, range(len(work)), chunksize=4))
    drawn: list[Drawn] = [{} for _ in (*runs, "together")]
    for number, key, result in results:
        drawn[number][key] = result
    *by_run, together = drawn
    return by_run, together


def pieces_of(run: Run) -> dict[tuple, Piece]:
    """By what they are and of what."""
    families = series.families(run.strategies) if series.are_many(run.strategies) else {}
    pieces: dict[tuple, Piece] = {("explanation",): partial(explanation, run=run)}
    for size in run.sizes:
        for family in ("", *(families if size == run.main_size else ())):
            pieces["heatmap", size, family] = partial(heatmap_chart, run=run, entities=size, family=family)
    pieces["predictions",] = partial(predictions_chart, run=run)
    for finding in _FINDINGS:
        pieces["finding", finding.__name__] = partial(finding, run=run)
    for index, sweep in enumerate(run.sweeps):
        for place, chart in _SWEEP_CHARTS.items():
            if place in _DRAWN_BY_FINDINGS.get(sweep.workload, ()):
                continue
            pieces["sweep", index, place] = partial(chart, run=run, sweep=sweep)
    return pieces


def _folder(number: int, run: Run, runs: list[Run]) -> str:
    """Numbered if there are several runs: two of them may have the same name."""
    return PLOTS if len(runs) == 1 else f"{PLOTS}/{file_name(str(number), run.name)}"


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_work: Work  # of this process


def _prepare(*of_the_report: object) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits for this one says that it was interrupted
    _work = Work(*of_the_report)


def _draw(index: int) -> tuple[int, Hashable, object]:
    return _work.done(index)
