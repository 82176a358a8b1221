"""What the template asks of a run: its charts, tables, downloads, and the commands that measure figures again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

from stowage_report import commands
from stowage_report.build_cost import table as build_cost
from stowage_report.charts.canvas import Chart, Finding, FindingTable, file_name
from stowage_report.data import passes, wording
from stowage_report.data.environment import cautions, environment, in_short, machine_summary
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import (
    ENTITIES, FLOORS, REFERENCE, Cell, Run, Standing, Sweep, WorkloadCard, is_hand_written,
)
from stowage_report.findings.clock import FIGURES, Explanation
from stowage_report.pages.downloads import Download, Downloads, sweep_csv, table_csv
from stowage_report.pages.ledger import Ledger
from stowage_report.pages.summary import HEAD, Summary, csv_row, summary

#: What a workload's charts can be switched between: by their names, in columns.
METRICS = {"time": (("scaling", "variants"), ("bars", "frames")), "misses": (("misses",),),
           "instructions": (("instructions",),), "bytes": (("memory",), ("pareto",))}


#: What was drawn of a run, in the order of the page: by what it is, and of what; None where there was nothing to draw.
Drawn = dict[tuple, Any]


@dataclass(frozen=True)
class SweepView:
    anchor: str
    title: str
    metrics: dict[str, list[list[Chart]]]  # by what they are about, in columns
    table: Table
    rows: dict[str, int]  # of the CSV, by the cells' names
    data: Download
    command: str
    notes: list[str]


@dataclass(frozen=True)
class WorkloadView:
    anchor: str
    card: WorkloadCard
    sweeps: list[SweepView]

    @property
    def metrics(self) -> list[str]:
        """That some chart is about."""
        return [name for name in METRICS if any(name in sweep.metrics for sweep in self.sweeps)]


class RunView:
    """`anchor` keeps the links of several runs apart."""

    def __init__(self, run: Run, drawn: Drawn, anchor: str, downloads: Downloads):
        self.run = run
        self.anchor = anchor
        self.overviews = list(_overviews(run, drawn))
        self.findings: list[Finding] = [*(finding for key, finding in drawn.items() if key[0] == "finding" and finding),
                                        *_build_cost(run)]
        self.explanation: Explanation | None = drawn["explanation",]
        self.ledger = Ledger(run, drawn["predictions",])
        self.summary: Summary = summary(run, self.ledger.evaluations)
        self.cautions = cautions(run)
        self.first_caution = in_short(self.cautions[0]) if self.cautions else ""
        self.environment = environment(run)
        self.machine = machine_summary(run)
        self.command = command_of(run)
        self.run_command = commands.of_run(run.record)
        self.report_command = report_command(run)
        self.omissions = passes.all_left_out(run)
        cards = run.strategy_cards
        self._cards = [cards[name] for name in run.strategies if name in cards]
        self.promises = list(dict.fromkeys(name for card in self._cards for name in card.semantics))
        self.lacking = [card for card in self._cards if card.lacks]  # a part of the storage contract
        self._downloads = downloads
        self.workloads = [self._workload(name, drawn) for name in run.workloads]

    @property
    def first_shown(self) -> int | None:
        """The size of the overview that is open at first; None if nothing was timed."""
        sizes = [size for size, *_ in self.overviews]
        return self.run.main_size if self.run.main_size in sizes else max(sizes, default=None)

    @property
    def counts(self) -> str:
        """What the run holds, in words."""
        run, many = self.run, wording.plural
        strategies = [name for name in run.strategies if not is_hand_written(name)]
        sizes = wording.listing([wording.entities(size) for size in run.sizes])
        floor = " and the hand-written reference" if REFERENCE in run.strategies else ""
        return (f"{many(len(strategies), 'strategy', 'strategies')}{floor}, on "
                f"{many(len(run.workloads), 'workload')} ({many(len(run.sweeps), 'parameter set')}, "
                f"{many(len(run.blocks), 'block')}) at {sizes} entities")

    @cached_property
    def summary_csv(self) -> Download:
        return self._csv(HEAD, map(csv_row, self.summary.rows), "summary")

    @cached_property
    def claims_csv(self) -> Download:
        rows = [[each.claim.id, each.claim.source, wording.plain(each.claim.statement), each.ruling.verdict.value,
                 wording.plain(each.ruling.told), self.ledger.interval(each), each.command]
                for each in self.ledger.evaluations]
        return self._csv(["claim", "from", "statement", "verdict", "figure", "interval", "command"], rows, "claims")

    @cached_property
    def predictions_csv(self) -> Download:
        rows = [[each.claim.id, prediction.subject, f"{prediction.predicted:g}", order, f"{count:.4g}"]
                for each, prediction in self.ledger.predictions for order, count in prediction.counted.items()]
        return self._csv(["claim", "strategy", "predicted misses", "order", "counted misses"], rows, "predicted-misses")

    @cached_property
    def semantics_csv(self) -> Download:
        words = {None: "", True: "yes", False: "no"}
        rows = [[card.name, card.form, *(words[card.semantics.get(name)] for name in self.promises)] for card in self._cards
                if card.semantics]
        return self._csv(["strategy", "form", *self.promises], rows, "semantics")

    @cached_property
    def environment_csv(self) -> Download:
        return self._csv(["what", "value"], [[wording.plain(label), wording.plain(value)] for label, value in self.environment],
                         "environment")

    @cached_property
    def correlations_csv(self) -> Download:
        rows = [[item.workload, item.cells,
                 *("" if rank is None else f"{rank:.4f}" for rank in item.with_time.values())]
                for item in self.explanation.correlations]
        return self._csv(["cells of", "cells", *FIGURES.values()], rows, "time-against-misses")

    def csv_of(self, table: FindingTable) -> Download:
        rows = [list(map(wording.plain, row)) for row in table.rows]
        return self._csv(map(wording.plain, table.head), rows, wording.plain(table.caption)[:60])

    def _csv(self, head: Iterable[str], rows: Iterable[Sequence[object]], *name: str) -> Download:
        return self._downloads.add(table_csv(list(head), rows), self.anchor, *name)

    def _workload(self, name: str, drawn: Drawn) -> WorkloadView:
        anchor = f"{self.anchor}-{file_name(name)}"
        sweeps = [self._sweep(sweep, index, drawn, anchor) for index, sweep in enumerate(self.run.sweeps)
                  if sweep.workload == name]
        return WorkloadView(anchor, self.run.workload_cards.get(name, WorkloadCard(name)), sweeps)

    def _sweep(self, sweep: Sweep, index: int, drawn: Drawn, anchor: str) -> SweepView:
        title = wording.parameters(sweep.parameters)
        metrics = {}
        for name, columns in METRICS.items():
            charts = [[chart for place in column if (chart := drawn.get(("sweep", index, place)))] for column in columns]
            if any(charts):
                metrics[name] = [column for column in charts if column]
        data = self._downloads.add(sweep_csv(sweep), self.anchor, sweep.workload, title)
        rows = {cell.name: number for number, cell in enumerate(sweep.cells)}
        return SweepView(f"{anchor}-{file_name(title) or 'all'}", title, metrics, table_of(sweep), rows, data,
                         sweep_command(self.run, sweep), _notes(sweep))


def _overviews(run: Run, drawn: Drawn) -> Iterator[tuple[int, Chart, dict[str, Chart]]]:
    """The number of entities, the chart, and those of the variants of each family that it has no room for."""
    for size in run.sizes:
        charts = {key[2]: chart for key, chart in drawn.items() if key[:2] == ("heatmap", size) and chart}
        if chart := charts.pop("", None):
            yield size, chart, charts


def _build_cost(run: Run) -> Iterator[Finding]:
    """What `stowage build-cost` has written beside the run, if it has."""
    if not (path := run.directory / build_cost.FILE).is_file():
        return
    cost = build_cost.load(path)
    tables = [FindingTable(caption, [text.replace("-", "\N{NON-BREAKING HYPHEN}") for text in head], rows)
              for caption, (head, *rows) in build_cost.tables(cost)]
    prose = " ".join([build_cost.LEGEND, *(f"{note}." for note in build_cost.notes(cost))])
    yield Finding("build-cost", "Cost at the desk", prose, [], tables, (),
                  commands.line("./scripts/stowage", "build-cost", "--out", f"results/{run.directory.name}/{build_cost.FILE}"))


def _notes(sweep: Sweep) -> list[str]:
    notes = []
    if sum(bool(block.measured) for block in sweep.blocks) < 2:
        notes.append(f"Only one value of {sweep.axis} was timed, so there is no curve.")
    if not any(cell.ratio_to_reference for block in sweep.blocks for cell in block.measured
               if cell.strategy != REFERENCE):
        notes.append("The reference has no figure here, so there are no ratios to it.")
    return notes


@dataclass(frozen=True)
class TableCell:
    cell: Cell
    mark: str  # says in words what bold type says to the eye
    ratios: list[tuple[Estimate, str]]  # with units: to the floor, and to the contract floor if that is another row


@dataclass(frozen=True)
class Table:
    places: list[str]
    rows: list[tuple[str, list[TableCell | None]]]  # by strategy; None if it took no part in the time pass
    has_code: bool  # ratios to a contract floor that is not the reference


_MARKED = (Standing.BEST, Standing.EQUAL, Standing.OPEN, Standing.FAILED)


def table_of(sweep: Sweep) -> Table:
    places = [wording.place(sweep.axis, block) for block in sweep.blocks]
    rows = [(name, [_cell(block.cells.get(name)) for block in sweep.blocks]) for name in sweep.strategies]
    return Table(places, rows, any(cell and len(cell.ratios) > 1 for _, cells in rows for cell in cells))


def _cell(cell: Cell | None) -> TableCell | None:
    if cell is None or cell.standing is Standing.UNTIMED:
        return None
    return TableCell(cell, cell.standing.value if cell.standing in _MARKED else "", list(_ratios(cell)))


def _ratios(cell: Cell) -> Iterator[tuple[Estimate, str]]:
    """Without those of a row to itself, which say nothing."""
    if cell.ratio_to_reference and cell.strategy != REFERENCE:
        yield cell.ratio_to_reference, "\N{MULTIPLICATION SIGN} floor"
    if cell.ratio_to_contract and cell.contract_floor not in (REFERENCE, cell.strategy):
        yield cell.ratio_to_contract, "\N{MULTIPLICATION SIGN} code"


#: More names than these say less than the preset's own choice does.
_FEW_STRATEGIES = 9


def sweep_command(run: Run, sweep: Sweep) -> str:
    """`./scripts/stowage run --preset quick --workloads join --entities 1024 --cells '/order:same(/|$)'`"""
    sizes = sorted({block.entities for block in sweep.blocks})
    words = ["--workloads", sweep.workload]
    chosen = [name for name in sweep.strategies if name not in FLOORS] or [REFERENCE]
    if "--strategies" in str(run.record.get("command", "")) or len(chosen) <= _FEW_STRATEGIES:
        words += ["--strategies", ",".join(chosen)]
    words += ["--entities", ",".join(map(str, sizes))]
    parameters = [item for item in sweep.parameters if item[0] != ENTITIES]
    if parameters:
        words += ["--cells", _expression(parameters)]
    return f"{command_of(run)} {commands.line(*words)}"


def finding_command(run: Run, finding: Finding) -> str:
    """All of the workloads that it compares, as far as the run has them."""
    if finding.command:
        return finding.command
    known = [name for name in finding.workloads if name in run.workloads]
    return f"{command_of(run)} {commands.line('--workloads', ','.join(known))}"


def report_command(run: Run) -> str:
    """What shows the run again: where it was told to go, or the newest one."""
    out = dict(commands.typed(run.record, ["--out"])).get("--out")
    return commands.line("./scripts/stowage", "report", *([Path(out)] if out else []))


def command_of(run: Run) -> str:
    """What every command begins with."""
    preset = str(run.record.get("preset") or "quick")
    return commands.line("./scripts/stowage", "run", "--preset", preset, *commands.of_its_kind(run.record))


def escaped(value: str) -> str:
    """For a regular expression of C++, which refuses what Python's re.escape makes of the `-` in the name of a world."""
    return re.sub(r"[\\^$.*+?()\[\]{}|]", r"\\\g<0>", value)


def _expression(parameters: list[tuple[str, str]]) -> str:
    """Searched for in names of cells, in which other parameters may stand between these."""
    *first, last = (f"{key}:{escaped(value)}" for key, value in parameters)
    return "/" + "".join(f"{part}/(.*/)?" for part in first) + f"{last}(/|$)"
