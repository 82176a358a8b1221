"""Instructions per item: what the work costs where neither caches nor clocks have a say."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from stowage_report.charts import series
from stowage_report.charts.canvas import Canvas, Chart, file_name, headline
from stowage_report.charts.rows import Group, Rows
from stowage_report.data import passes, wording
from stowage_report.data.metrics import INSTRUCTIONS
from stowage_report.data.model import Block, Cell, Run, Sweep

_ROW = 16.5  # points
_FIGURES = 70


def instructions_chart(canvas: Canvas, run: Run, sweep: Sweep) -> Chart | None:
    """At both ends of what was counted; None where nothing was."""
    counted = [block for block in sweep.blocks if any(_figure(cell) is not None for cell in block.cells.values())]
    if not counted:
        return None
    shown = counted[:1] + counted[1:][-1:]
    drawn = series.shown(sweep.strategies, shown, _figure)
    groups = [Group(wording.place(sweep.axis, block), "", _cells(block, drawn)) for block in shown]
    rows = Rows(groups, row=_ROW, figures=_FIGURES)
    title = wording.title(sweep.workload, sweep.parameters)

    def draw_bar(axes: Axes, y: float, cell: Cell) -> str:
        axes.add_artist(Rectangle((0, y - _ROW * 0.31), _figure(cell), _ROW * 0.62,
                                  color=canvas.looks[cell.strategy].colour.light))
        return wording.figure(_figure(cell))

    def draw(figure: Figure) -> None:
        headline(figure, title, f"instructions per item, {passes.source(run, passes.CACHE)}")
        axes = rows.draw(figure, draw_bar)
        axes.set_xlim(0, max(_figure(cell) or 0 for group in groups for cell in group.cells) * 1.03 or 1)
        axes.locator_params(axis="x", nbins=5)

    told = [f"At {group.heading}: "
            + ", ".join(f"{cell.strategy} {wording.figure(_figure(cell))}" for cell in group.cells if not cell.error)
            for group in groups]
    return canvas.chart(
        file_name("instructions", sweep.workload, wording.parameters(sweep.parameters)), f"Instructions of {title}",
        f"{'. '.join(told)}.", draw, height=rows.height,
        notes=(*_notes(counted, shown), *series.strategies_note(sweep.strategies, drawn)))


def _figure(cell: Cell) -> float | None:
    return cell.counters.get(INSTRUCTIONS.name)


def _cells(block: Block, drawn: list[str]) -> list[Cell]:
    cells = [block.cells[name] for name in drawn if name in block.cells]
    return [cell for cell in cells if cell.error or _figure(cell) is not None]


def _notes(counted: list[Block], shown: list[Block]) -> tuple[str, ...]:
    return ("Both ends of what was counted; the table has what is between.",) * (len(counted) > len(shown))
