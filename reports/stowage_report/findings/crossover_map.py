"""Crossover maps: the fastest strategy over two parameters of a workload, by how much, and where that changes."""

import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Iterator, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from stowage_report.charts.canvas import (
    POINTS_PER_INCH, WIDTH, Canvas, Chart, Finding, FindingTable, add_axes, file_name, headline,
)
from stowage_report.charts.style import INK, MUTED, PAPER, Looks
from stowage_report.data import wording
from stowage_report.data.crossing import Crossing, time_ratio
from stowage_report.data.estimates import Estimate
from stowage_report.data.metrics import TIME, ratios_to_best
from stowage_report.data.model import ENTITIES, Block, Parameters, Run, Sweep, family_of, sweeps_along

#: Workloads, and the two axes of their maps; one with fewer values than two in a run gives none.
_MAPS = (("occupancy", ENTITIES, "share"), ("churn", "payload", "rate"), ("hierarchy_deep", ENTITIES, "depth"),
         ("structural", "others", "sets"), ("point_mass_subset", ENTITIES, "bytes"),
         ("streams", ENTITIES, "components"), ("toggle", "loops", "rate"), ("filters", "sets", "share"))

_TOP, _BOTTOM, _LEFT, _RIGHT = 64, 40, 46, 10  # points
_FIELD = 46  # high
_CHARACTER = 0.6  # of the size of the font, at most
_LARGEST, _SMALLEST = 9.5, 7.0
#: More of the others are counted: the tables of their workload mark each of them.
_NAMED = 3


@dataclass(frozen=True)
class Map:
    """Blocks of one workload that differ in two things."""

    workload: str
    parameters: Parameters  # that all of its blocks share
    across: str
    up: str
    blocks: Mapping[tuple[float, float], Block]  # by value across and value up; some may not have been measured

    @property
    def columns(self) -> list[float]:
        return sorted({column for column, _ in self.blocks})

    @property
    def rows(self) -> list[float]:
        return sorted({row for _, row in self.blocks})

    @property
    def title(self) -> str:
        return wording.title(self.workload, self.parameters)

    def sweep(self, column: float) -> Sweep:
        """Upwards along one column."""
        blocks = [block for (at, _), block in sorted(self.blocks.items(), key=lambda item: item[0]) if at == column]
        return Sweep(self.workload, self.parameters, tuple(blocks), self.up)


@dataclass(frozen=True)
class Answer:
    """Of one field."""

    best: str
    others: tuple[str, ...]  # equal to the best, or open
    is_open: bool  # some of them are
    second: str | None  # the first that is worse
    ratio: Estimate | None  # of the second to the best

    @property
    def remark(self) -> str:
        if self.others:
            return f"{len(self.others) + 1} {'open' if self.is_open else 'equal'}"
        return f"then {wording.times(self.ratio.median)}" if self.ratio else "alone"


def crossover_maps(canvas: Canvas, run: Run) -> Finding | None:
    """None if no workload was timed at two values of both of its axes."""
    maps = [each for names in _MAPS for each in maps_of(run, *names)]
    if not maps:
        return None
    return Finding(
        "maps", "Crossover maps",
        "The fastest strategy over two parameters at once. A field has the colour and the name of the fastest strategy, "
        "and how many times as long the second takes. In hatched fields several are equal "
        "to the fastest, within 5 %, or open. Such a field names the strategy that is among the best in most fields of the map, and its "
        "hatching has the hue of another one. A bar at the right of a field marks a crossover between two named "
        "strategies and its interval, interpolated in the logarithm of the parameter.",
        [_chart(canvas, each) for each in maps],
        [_table(each) for each in maps],
        tuple(dict.fromkeys(each.workload for each in maps)),
    )


def maps_of(run: Run, workload: str, across: str, up: str) -> list[Map]:
    """One for every combination of what is on neither axis; the axis with more values goes upwards."""
    blocks = [block for block in run.blocks_of(workload)
              if block.leaders and all(axis == ENTITIES or axis in dict(block.parameters) for axis in (across, up))]
    groups: dict[Parameters, dict[tuple[float, float], Block]] = {}
    for sweep in sweeps_along(up, blocks):
        rest = tuple(item for item in sweep.parameters if item[0] != across)
        for block in sweep.blocks:
            groups.setdefault(rest, {})[block.value(across), block.value(up)] = block
    found = [Map(workload, rest, across, up, its) for rest, its in groups.items()]
    found = [each for each in found if len(each.columns) > 1 and len(each.rows) > 1]
    return [each if len(each.columns) <= len(each.rows) else
            Map(workload, each.parameters, up, across, {place[::-1]: block for place, block in each.blocks.items()})
            for each in found]


def answers(each: Map) -> dict[tuple[float, float], Answer]:
    """Of its fields. Equal and open strategies have no rank: a field names the one that is among the best in most fields, so that
    a map names few strategies."""
    leads = Counter(name for block in each.blocks.values() for name in block.leaders)
    return {place: _answer(block, leads) for place, block in each.blocks.items()}


def _answer(block: Block, leads: Counter[str]) -> Answer:
    best = max(block.leaders, key=lambda name: (leads[name], -block.cells[name].cost))
    worse = {name: ratio for name, ratio in ratios_to_best(block, TIME).items() if name not in block.leaders}
    second, ratio = min(worse.items(), key=lambda item: item[1].median, default=(None, None))
    others = tuple(name for name in block.leaders if name != best)
    return Answer(best, others, not block.is_decided, second, ratio)


def changes(each: Map, column: float) -> Iterator[Crossing]:
    """The crossover of two named strategies, between two neighbouring fields."""
    sweep, told = each.sweep(column), answers(each)
    for below, above in pairwise(sweep.values):
        one, other = told[column, below].best, told[column, above].best
        if one != other:
            yield from (crossing for crossing in time_ratio(sweep, one, other).crossings()
                        if below <= crossing.at <= above)


def _chart(canvas: Canvas, each: Map) -> Chart:
    height = _TOP + len(each.rows) * _FIELD + _BOTTOM
    told = answers(each)

    def draw(figure: Figure) -> None:
        headline(figure, f"Fastest: {each.title}", "hatched: equal or open; \u201cthen\u201d: the second, times the fastest")
        axes = add_axes(figure, _LEFT, _TOP, WIDTH - _LEFT - _RIGHT, len(each.rows) * _FIELD, label=-26)
        _draw_scales(figure, axes, each)
        for x, column in enumerate(each.columns):
            for y, row in enumerate(each.rows):
                _draw_field(axes, x, y, told.get((column, row)), canvas.looks, len(each.columns))
            for crossing in changes(each, column):
                _draw_crossing(axes, x, crossing, each.rows)

    return canvas.chart(file_name("map", each.workload, wording.parameters(each.parameters)),
                        f"Crossover map of {each.title}", " ".join(_in_words(each)), draw, height=height)


def _draw_scales(figure: Figure, axes: Axes, each: Map) -> None:
    axes.grid(False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xlim(0, len(each.columns))
    axes.set_ylim(0, len(each.rows))
    axes.set_xticks([x + 0.5 for x in range(len(each.columns))],
                    [wording.axis_value(each.across, value) for value in each.columns])
    axes.set_yticks([y + 0.5 for y in range(len(each.rows))],
                    [wording.axis_value(each.up, value) for value in each.rows])
    axes.set_xlabel(wording.axis_label(each.across), fontsize=10)
    height = figure.get_size_inches()[1] * POINTS_PER_INCH
    figure.text(8 / WIDTH, 1 - (_TOP - 8) / height, f"\N{UPWARDS ARROW} {wording.axis_label(each.up)}", fontsize=10)


def _draw_field(axes: Axes, x: int, y: int, told: Answer | None, looks: Looks, columns: int) -> None:
    frame = partial(Rectangle, (x + 0.01, y + 0.03), 0.98, 0.94)
    if told is None:
        axes.add_artist(frame(fill=False, edgecolor=MUTED.light, linewidth=0.8, linestyle=(0, (2, 3))))
        axes.text(x + 0.5, y + 0.5, "no data", ha="center", va="center", fontsize=9, color=MUTED.light)
        return
    look = looks[told.best]
    axes.add_artist(frame(facecolor=to_rgba(look.colour.light, 0.2), edgecolor=look.colour.light, linewidth=1.2))
    if told.others:  # a hue of its own if there is one
        another = next((name for name in told.others if family_of(name) != family_of(told.best)), told.others[0])
        axes.add_artist(frame(fill=False, hatch="///", linewidth=0, edgecolor=to_rgba(looks[another].colour.light, 0.45)))
    width = (WIDTH - _LEFT - _RIGHT) / columns
    axes.plot([x + 9 / width], [y + 0.78], color=look.colour.light, marker=look.marker, linestyle="none",
              markersize=look.marker_size)
    family, _, variant = told.best.partition(".")
    lines = [(family, "bold"), *([(f".{variant}", "bold")] if variant else []), (told.remark, "normal")]
    for place, (text, weight) in enumerate(lines):
        size = max(_SMALLEST, min(_LARGEST, (width - 26) / (_CHARACTER * len(text))))
        axes.text(x + 17 / width, y + 0.78 - 0.27 * place, text, fontsize=size, fontweight=weight, va="center",
                  bbox={"facecolor": PAPER.light, "alpha": 0.72, "linewidth": 0, "pad": 0.6} if told.others else None)


def _draw_crossing(axes: Axes, x: int, crossing: Crossing, rows: Sequence[float]) -> None:
    at = x + 0.95
    low, high = (_height(end, rows) for end in crossing.within(rows[0], rows[-1]))
    axes.plot([at, at], [low, high], color=INK.light, linewidth=1.6, zorder=5, solid_capstyle="butt")
    axes.plot([at, at], [low, high], color=INK.light, marker="_", markersize=7, markeredgewidth=1.6, linestyle="none",
              zorder=5)
    axes.plot([at], [_height(crossing.at, rows)], color=INK.light, marker="D", markersize=5, zorder=6)


def _height(value: float, rows: Sequence[float]) -> float:
    """Of a value on the map: fields are equally high, and between the middles of two it is by the logarithm."""
    index = min(max(bisect_right(rows, value) - 1, 0), len(rows) - 2)
    below, above = rows[index], rows[index + 1]
    if below <= 0:
        return index + 0.5 + (value - below) / (above - below)
    return index + 0.5 + math.log(value / below) / math.log(above / below)


def _in_words(each: Map) -> Iterator[str]:
    fields = answers(each)
    for column in each.columns:
        told = "; ".join(f"at {wording.axis_value(each.up, row)} {_field_in_words(fields.get((column, row)))}"
                         for row in each.rows)
        yield f"{each.across}:{wording.axis_value(each.across, column)}, by {each.up}: {told}."


def _field_in_words(told: Answer | None, quote: str = "") -> str:
    if told is None:
        return "no data"
    name = f"{quote}{told.best}{quote}"
    if len(told.others) > _NAMED:
        return f"{name}, equal or open: {len(told.others)} others"
    if told.others:
        return f"{name}, equal or open: {wording.listing([f'{quote}{other}{quote}' for other in told.others])}"
    if told.second is None:
        return name
    return (f"{name}; then {quote}{told.second}{quote}, {wording.times(told.ratio.median)} "
            f"({wording.interval_beside_one(told.ratio)})")


def _table(each: Map) -> FindingTable:
    fields = answers(each)
    head = [each.up, *(f"{each.across}:{wording.axis_value(each.across, column)}" for column in each.columns)]
    rows = [[wording.axis_value(each.up, row), *(_field_in_words(fields.get((column, row)), "`")
                                                 for column in each.columns)] for row in each.rows]
    return FindingTable(f"Fastest in {each.title}", head, rows)
