"""Several runs side by side: differences of their environments, what each would pick, and curves on equal axes."""

from dataclasses import dataclass
from typing import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from stowage_report.charts import series
from stowage_report.charts.axes import Scale, draw_axis, draw_cost_axis, draw_curve, points_of
from stowage_report.charts.canvas import Canvas, Chart, add_axes, draw_legend, file_name, headline, legend_height
from stowage_report.charts.style import Looks
from stowage_report.data import wording
from stowage_report.data.environment import environment
from stowage_report.data.model import Block, Parameters, Run, Sweep
from stowage_report.data.verdicts import Verdict
from stowage_report.pages.summary import Summary

_TOP = 44  # points
_TITLE = 20
_PLOT = 220
_PANEL = 300
_LEFT, _GAP = 52, 20
_AXIS = 44
_CHARACTER = 6.0

#: Of a sweep: what it must have in common with another run's to be drawn beside it.
Key = tuple[str, Parameters, str]


@dataclass(frozen=True)
class Difference:
    label: str
    values: list[str]  # one of each run

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


def differences(runs: Sequence[Run]) -> list[Difference]:
    """All lines of their environments, those that differ first."""
    tables = [dict(environment(run)) for run in runs]
    labels = list(dict.fromkeys(label for table in tables for label in table))
    lines = [Difference(label, [table.get(label, wording.ABSENT) for table in tables]) for label in labels]
    return sorted(lines, key=lambda line: not line.differs)


def picks(summaries: Sequence[Summary]) -> list[tuple[str, list[str]]]:
    """By kind of work: what each run would pick, and what is equal to it or open there."""
    by_run = [{verdict.kind.name: verdict for verdict in each.verdicts} for each in summaries]
    kinds = dict.fromkeys(kind for verdicts in by_run for kind in verdicts)
    return [(kind, [_pick(verdicts.get(kind)) for verdicts in by_run]) for kind in kinds]


def _pick(verdict: Verdict | None) -> str:
    if verdict is None:
        return wording.ABSENT
    if verdict.sizes_apart:
        return verdict.answer()
    others = f" ({', '.join(each.strategy for each in verdict.others)})" if verdict.others else ""
    return verdict.pick.strategy + others


def shared_sweeps(runs: Sequence[Run]) -> dict[Key, list[Sweep | None]]:
    """Those that two runs or more have a curve of; None for a run that has not."""
    by_run = [{(sweep.workload, sweep.parameters, sweep.axis): sweep for sweep in run.sweeps
               if sum(bool(block.measured) for block in sweep.blocks) > 1} for run in runs]
    keys = dict.fromkeys(key for sweeps in by_run for key in sweeps)
    found = {key: [sweeps.get(key) for sweeps in by_run] for key in keys}
    return {key: its for key, its in found.items() if sum(map(bool, its)) > 1}


def facets_chart(canvas: Canvas, runs: Sequence[Run], sweeps: Sequence[Sweep | None]) -> Chart:
    """A panel for each run, all on the same axes; each run's figures stay its own."""
    present = [sweep for sweep in sweeps if sweep]
    blocks = [block for sweep in present for block in sweep.blocks]
    names = list(dict.fromkeys(name for sweep in present for name in sweep.strategies))
    drawn = series.shown(names, blocks, series.time)
    title = wording.title(present[0].workload, present[0].parameters)
    width = _LEFT + len(runs) * (_PANEL + _GAP)
    height = _TOP + _TITLE + _PLOT + _AXIS + legend_height(drawn)

    def draw(figure: Figure) -> None:
        headline(figure, title, f"{wording.per_item(runs[0].item_of(present[0].workload))}; bands: 95 % intervals")
        scale = Scale(block.value(present[0].axis) for block in blocks)
        panels = [_panel(figure, run, place) for place, run in enumerate(runs)]
        for axes, sweep in zip(panels, sweeps):
            _draw_panel(axes, sweep, drawn, scale, canvas.looks)
        _equal_axes([axes for axes, sweep in zip(panels, sweeps) if sweep])
        draw_legend(figure, drawn, canvas.looks, lines=True)

    told = "; ".join(_description(run, sweep) for run, sweep in zip(runs, sweeps))
    return canvas.chart(file_name("runs", present[0].workload, wording.parameters(present[0].parameters)),
                        f"{title} in each run", f"{told}.", draw, width=width, height=height,
                        notes=series.strategies_note(names, drawn))


def _panel(figure: Figure, run: Run, place: int) -> Axes:
    axes = add_axes(figure, _LEFT + place * (_PANEL + _GAP), _TOP + _TITLE, _PANEL, _PLOT, label=-24)
    longest = int(_PANEL / _CHARACTER)
    name = run.name if len(run.name) <= longest else f"{run.name[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"
    axes.set_title(name, fontsize=10.5, pad=5)
    return axes


def _draw_panel(axes: Axes, sweep: Sweep | None, drawn: Sequence[str], scale: Scale, looks: Looks) -> None:
    if sweep is None:
        axes.axis("off")
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")
        return
    for name in drawn:
        for part in sweep.of_each_host:
            draw_curve(axes, points_of(part, name, Block.time_of, scale), looks[name], name=name)
    axes.set_yscale("log")
    draw_axis(axes, sweep, scale)


def _equal_axes(panels: Sequence[Axes]) -> None:
    lows, highs = zip(*(axes.get_ylim() for axes in panels))
    left, right = zip(*(axes.get_xlim() for axes in panels))
    for place, axes in enumerate(panels):
        axes.set_xlim(min(left), max(right))
        axes.set_ylim(min(lows), max(highs))
        draw_cost_axis(axes)
        if place:
            axes.set_yticklabels([])


def _description(run: Run, sweep: Sweep | None) -> str:
    if sweep is None:
        return f"{run.name}: not measured"
    last = sweep.blocks[-1]
    leads = wording.listing(last.leaders) or "none"
    return f"{run.name}: at {wording.place(sweep.axis, last)} best, equal or open {leads}"
