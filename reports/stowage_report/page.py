"""One self-contained report.html: everything it needs is inside, so it can be passed around as a single file."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from stowage_report import passes, wording
from stowage_report.canvas import Chart, file_name
from stowage_report.cautions import cautions
from stowage_report.clock import FIGURES, Explanation
from stowage_report.environment import environment, machine_summary
from stowage_report.finding import Finding
from stowage_report.inline_svg import inline_svg, theme_colours
from stowage_report.ledger import ledger_of
from stowage_report.model import REFERENCE, Omission, Run, Sweep, WorkloadCard, is_hand_written
from stowage_report.style import PAGE_FONTS, Colour, Looks
from stowage_report.tables import CounterTable, Table, counter_table, table_of

#: By this a page is known as one of ours, which a new report may replace.
_BRAND = '<p class="brand">stowage</p>'


@dataclass(frozen=True)
class SweepCharts:
    sweep: Sweep
    scaling: Chart | None
    variants: Chart | None
    bars: Chart | None
    misses: Chart | None
    memory: Chart | None
    pareto: Chart | None
    frames: Chart | None


@dataclass(frozen=True)
class Overview:
    entities: int
    chart: Chart
    variants: list[Chart]  # one for each family that has some, where the chart itself has no room for them


@dataclass(frozen=True)
class RunCharts:
    run: Run
    overviews: list[Overview]  # by entities, smallest first
    explanation: Explanation | None
    findings: list[Finding]
    predictions: Chart | None
    sweeps: list[SweepCharts]


@dataclass(frozen=True)
class SweepView:
    anchor: str
    title: str
    charts: list[list[Chart]]  # in columns
    table: Table
    counters: CounterTable | None
    notes: list[str]


@dataclass(frozen=True)
class WorkloadView:
    anchor: str
    card: WorkloadCard
    sweeps: list[SweepView]


class RunView:
    """What the template asks of a run. `anchor` keeps the links of several runs apart."""

    def __init__(self, charts: RunCharts, anchor: str):
        self.run = charts.run
        self.anchor = anchor
        self.overviews = charts.overviews
        self.findings = charts.findings
        self.explanation = charts.explanation
        self.ledger = ledger_of(charts.run, charts.predictions)
        self.cautions = cautions(charts.run)
        self.environment = environment(charts.run)
        self.machine = machine_summary(charts.run)
        self.workloads = [self._workload(name, charts) for name in charts.run.workloads]

    @property
    def first_shown(self) -> int | None:
        """The size of the overview that is open at first: the largest of those that most blocks have."""
        counts = {overview.entities: sum(block.entities == overview.entities for block in self.run.blocks)
                  for overview in self.overviews}
        return max(counts, key=lambda size: (counts[size], size), default=None)

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

    @property
    def sources(self) -> list[str]:
        return [f"Pass `{record.name}`: {passes.description(record)}." for record in self.run.passes]

    @property
    def omissions(self) -> list[tuple[str, str, list[Omission]]]:
        return passes.all_left_out(self.run)

    @property
    def promises(self) -> list[str]:
        return list(dict.fromkeys(name for card in self._cards for name in card.semantics))

    @property
    def promising(self) -> list[str]:
        return [card.name for card in self._cards if card.semantics]

    @property
    def _cards(self) -> list:
        cards = self.run.strategy_cards
        return [cards[name] for name in self.run.strategies if name in cards]

    def _workload(self, name: str, charts: RunCharts) -> WorkloadView:
        anchor = f"{self.anchor}-{file_name(name)}"
        sweeps = [self._sweep(item, anchor) for item in charts.sweeps if item.sweep.workload == name]
        return WorkloadView(anchor, self.run.workload_cards.get(name, WorkloadCard(name)), sweeps)

    def _sweep(self, item: SweepCharts, anchor: str) -> SweepView:
        columns = ([item.scaling, item.variants, item.misses], [item.bars, item.frames, item.memory, item.pareto])
        charts = [[chart for chart in column if chart] for column in columns if any(column)]
        notes = []
        if len([block for block in item.sweep.blocks if block.measured]) < 2:
            notes.append(f"Fewer than two values of {item.sweep.axis} were timed, so there is no curve.")
        if not any(cell.ratio_to_reference for block in item.sweep.blocks for cell in block.measured
                   if cell.strategy != REFERENCE):
            notes.append("The reference has no figure here, so there are no ratios to it.")
        title = wording.parameters(item.sweep.parameters)
        return SweepView(f"{anchor}-{file_name(title) or 'all'}", title, charts, table_of(item.sweep),
                         counter_table(item.sweep), notes)


def is_page(path: Path) -> bool:
    return path.is_file() and _BRAND.encode() in path.read_bytes()


def page_html(runs: list[RunCharts], csv_text: str, looks: Looks) -> str:
    views = [RunView(charts, f"run{number}") for number, charts in enumerate(runs, start=1)]
    colours = theme_colours(looks)
    environment = Environment(
        loader=PackageLoader("stowage_report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )
    environment.filters["prose"] = _prose
    environment.globals.update(wording=wording, look_of=looks.__getitem__, figure=_InlineCharts(colours))
    return environment.get_template("report.html.j2").render(
        views=views,
        brand=Markup(_BRAND),
        one_colour=looks.of_one_colour(),
        explaining=FIGURES,
        light=_css_variables({name: colour.light for name, colour in colours.items()}),
        dark=_css_variables({name: colour.dark for name, colour in colours.items()}),
        fonts=Markup(PAGE_FONTS),
        csv_uri=f"data:text/csv;base64,{b64encode(csv_text.encode()).decode()}",
        variable_of={colour: variable for variable, colour in colours.items()},
    )


class _InlineCharts:
    """Numbers the charts of a page, because their ids must differ."""

    def __init__(self, colours: dict[str, Colour]):
        self._colours = colours
        self._count = 0

    def __call__(self, chart: Chart) -> Markup:
        self._count += 1
        return Markup(inline_svg(chart, self._colours, f"c{self._count}"))


def _prose(text: str) -> Markup:
    """Text as people write it in cards and messages: `names` in backticks are code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _css_variables(values: dict[str, str]) -> Markup:
    return Markup(" ".join(f"{name}: {value};" for name, value in values.items()))
