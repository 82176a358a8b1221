"""The variants of each family beside its plain form: how many times as long each of them takes."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from stowage_report import series, wording
from stowage_report.canvas import Canvas, Chart, file_name, headline, plot_area
from stowage_report.curves import Scale, draw_axis, draw_curve, points_of
from stowage_report.estimates import Estimate, estimate_ratio
from stowage_report.legend import draw_legend, legend_height
from stowage_report.model import Block, Run, Sweep
from stowage_report.style import INK, Looks
from stowage_report.ticks import ratio_ticks

_TOP = 44  # points
_TITLE = 20  # above a panel
_PLOT = 120
_SCALE = 20  # below a panel
_GAP = 6
#: A panel shows at least what is between these ratios, so that noise does not look like a difference.
_NARROWEST = (0.8, 1.25)


@dataclass(frozen=True)
class Panel:
    family: str
    variants: list[str]

    @property
    def height(self) -> float:
        return _TITLE + _PLOT + _SCALE + legend_height(self.variants) + _GAP


def variants_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """None where the chart of the sweep has room for all, or where no family has a plain form to compare with."""
    if len(sweep.strategies) <= series.READABLE or len(sweep.blocks) < 2:
        return None
    panels = [Panel(family, [name for name in names if name != family])
              for family, names in series.families(sweep.strategies).items()
              if any(ratio_to_plain(block, name) for block in sweep.blocks for name in names if name != family)]
    if not panels:
        return None
    title = wording.title(sweep.workload, sweep.parameters)
    height = _TOP + sum(panel.height for panel in panels) + 14

    def draw(figure: Figure) -> None:
        headline(figure, f"{title}: variants",
                 "times the plain form of the family, round by round; bands: 95 % intervals")
        top = _TOP
        for panel in panels:
            _draw_panel(plot_area(figure, top + _TITLE, _PLOT), sweep, panel, canvas.looks)
            top += panel.height
            draw_legend(figure, panel.variants, canvas.looks, lines=True, bottom=height - top + _GAP,
                        family=panel.family)

    return canvas.chart(
        file_name("variants", sweep.workload, wording.parameters(sweep.parameters)),
        f"Variants on {title}",
        " ".join(_description(sweep, panel) for panel in panels),
        draw,
        height=height,
    )


def ratio_to_plain(block: Block, strategy: str) -> Estimate | None:
    """None where either has no times in this block."""
    cell, plain = block.cells.get(strategy), block.cells.get(strategy.partition(".")[0])
    if not (cell and plain and cell.samples and plain.samples):
        return None
    return estimate_ratio(cell.samples, plain.samples)


def _draw_panel(axes: Axes, sweep: Sweep, panel: Panel, looks: Looks) -> None:
    axes.set_title(panel.family, fontsize=10.5, pad=5)
    scale = Scale(sweep.values)
    axes.set_yscale("log")
    axes.axhline(1, color=INK.light, linewidth=1.2, zorder=1)
    for name in panel.variants:
        draw_curve(axes, points_of(sweep, name, ratio_to_plain, scale), looks[name], faint=True)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, _NARROWEST[0]), max(high, _NARROWEST[1]))
    draw_axis(axes, sweep, scale)
    axes.set_xlabel("")
    ticks = ratio_ticks(*axes.get_ylim())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.set_yticklabels([f"{tick:g}\N{MULTIPLICATION SIGN}" for tick in ticks])


def _description(sweep: Sweep, panel: Panel) -> str:
    last = sweep.blocks[-1]
    ratios = [(name, ratio_to_plain(last, name)) for name in panel.variants]
    told = [f"{name} {wording.times(ratio.median)} ({wording.interval(ratio)})" for name, ratio in ratios if ratio]
    return f"Beside {panel.family} at {wording.place(sweep.axis, last)}: {', '.join(told) or 'no figures'}."
