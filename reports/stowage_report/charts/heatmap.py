"""The overview: strategies against workloads, as ratios to the best of each block, with a mark for what is equal to it or open."""

import math
from collections import Counter
from dataclasses import dataclass
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from stowage_report.charts import series
from stowage_report.charts.canvas import Canvas, Chart, add_axes, file_name, headline
from stowage_report.charts.style import ALARM, GRID, MUTED, Looks, mix
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block, Parameters, Run, Standing, family_of, is_hand_written, is_headline

_COLUMN = 66  # points
_ROW = 30
_GROUP_GAP = 6
_LABELS = 168  # left of the cells
_LONGEST_LABEL = 26  # characters
_SLANT = math.radians(35)  # of the strategies' names above them
_CHARACTER = 6.4  # of a name, at most
_TOP = 44
_NARROWEST = 470  # the line below the title is as long
_OTHERS = 190  # right of the cells: names of variants that lead
#: From here on a cell has the darkest colour: a strategy that far behind is no candidate.
_DARKEST_RATIO = 30

_RANGES = ("A row with a range of a parameter shows the geometric mean of the ratios and, below it, their range. There "
           "\u201cbest\u201d means best at every value.")
_BASE_FORMS = "Columns are the base forms. If a variant leads a row instead, its name is at the right."

_LEADER = "#0b5c8a"
_RAMP = ("#fff3df", "#f6b26b", "#b4511c", "#4a1a06")  # pale to dark: also a ramp for colour-blind readers and on paper
_ON_DARK = "#ffffff"
_ON_LIGHT = "#1a1a1a"


@dataclass(frozen=True)
class Row:
    """A block; or all blocks of a sweep along a parameter, shown by their mean ratio."""

    workload: str
    parameters: Parameters
    blocks: list[Block]

    @property
    def is_sweep(self) -> bool:
        return len(self.blocks) > 1

    @property
    def label(self) -> str:
        """In two lines if it is too long for one."""
        text = wording.parameters(self.parameters)
        return "\n".join(text.rsplit(" ", 1)) if len(text) > _LONGEST_LABEL else text


def heatmap_chart(canvas: Canvas, run: Run, entities: int, family: str = "") -> Chart | None:
    """Of all that was timed at one size, for all strategies or the members of a family; None if nothing was."""
    rows = _rows(run, entities)
    strategies = _columns(run, rows, family)
    rows = [row for row in rows if any(name in block.cells for block in row.blocks for name in strategies)]
    if not rows:
        return None
    tops = _row_tops(rows)
    depth = tops[-1] + _ROW
    has_others = _has_others(run, family) and any(_other_leaders(row, strategies) for row in rows)
    names_of_others = _OTHERS if has_others else 0
    # Of the cells, and of what the slanted names need to the right of them and above.
    reach = max((column + 0.5) * _COLUMN + _CHARACTER * math.cos(_SLANT) * len(name)
                for column, name in enumerate(strategies))
    width = max(_NARROWEST, _LABELS + max(16 + reach, len(strategies) * _COLUMN + names_of_others))
    height = _TOP + (_CHARACTER * max(map(len, strategies)) * math.sin(_SLANT) + 28) + depth + 10
    size = wording.entities(entities)

    def draw(figure: Figure) -> None:
        headline(figure, f"{size} entities{f', {family}' if family else ''}: times the best of each row",
                 "small: 95 % interval; equal: within 5 % of the best; open: neither that nor worse for certain")
        across = len(strategies) * _COLUMN
        axes = add_axes(figure, _LABELS, height - depth - 10, across, depth, xlim=(0, across), ylim=(depth, 0))
        axes.axis("off")
        _draw_names(axes, strategies, canvas.looks)
        for row, top in zip(rows, tops):
            _draw_row(axes, row, strategies, top)
            if has_others:
                _name_others(axes, row, strategies, top)
        _draw_workload_names(axes, rows, tops)

    return canvas.chart(
        file_name("heatmap", size.replace(",", ""), family),
        f"Overview at {size} entities" + (f": {family} and its variants" if family else ""),
        f"Variants of {family}: the table has all figures." if family else " ".join(map(_description, rows)),
        draw, width=width, height=height,
        notes=(*[_RANGES] * any(row.is_sweep for row in rows), *[_BASE_FORMS] * _has_others(run, family)))


def _rows(run: Run, entities: int) -> list[Row]:
    rows = []
    for sweep in run.sweeps:
        blocks = [block for block in sweep.blocks
                  if block.entities == entities and any(cell.ns_per_item or cell.error for cell in block.cells.values())]
        if blocks:
            shared = blocks[0].parameters
            if len(blocks) > 1:
                shared = tuple(item for item in blocks[0].parameters if item[0] != sweep.axis)
                shared += ((sweep.axis, f"{blocks[0].value(sweep.axis):g}\u2013{blocks[-1].value(sweep.axis):g}"),)
            rows.append(Row(sweep.workload, shared, blocks))
    return rows


def _columns(run: Run, rows: list[Row], family: str) -> list[str]:
    strategies = [name for name in run.strategies if not is_hand_written(name)]
    strategies = [name for name in strategies if any(name in block.cells for row in rows for block in row.blocks)]
    if family:
        return [name for name in strategies if family_of(name) == family]
    if not _has_others(run, family):
        return strategies
    plain = {family_of(name) for name in strategies if is_headline(name)}
    return [name for name in strategies if is_headline(name) or family_of(name) not in plain]


def _has_others(run: Run, family: str) -> bool:
    return not family and series.are_many(run.strategies)


def _row_tops(rows: list[Row]) -> list[float]:
    """Rows of one workload stand together, under its name if it has several."""
    tops, top = [], 0.0
    for index, row in enumerate(rows):
        if index and row.workload != rows[index - 1].workload:
            top += _GROUP_GAP
        if _opens_group(rows, index):
            top += _ROW * 0.55
        tops.append(top)
        top += _ROW
    return tops


def _opens_group(rows: list[Row], index: int) -> bool:
    workload = rows[index].workload
    return bool(rows[index].parameters) and (index == 0 or rows[index - 1].workload != workload)


def _draw_names(axes: Axes, strategies: list[str], looks: Looks) -> None:
    for column, name in enumerate(strategies):
        x = (column + 0.5) * _COLUMN
        look = looks[name]
        axes.plot([x], [-8], marker=look.marker, markersize=look.marker_size, color=look.colour.light, clip_on=False)
        axes.annotate(name, (x, -16), rotation=math.degrees(_SLANT), rotation_mode="anchor", fontsize=10,
                      annotation_clip=False)


def _draw_workload_names(axes: Axes, rows: list[Row], tops: list[float]) -> None:
    for index, (row, top) in enumerate(zip(rows, tops)):
        middle = top + _ROW / 2
        if _opens_group(rows, index):
            axes.text(-_LABELS + 8, top - _ROW * 0.25, row.workload, va="center", fontsize=10.5, fontweight="bold")
        if row.parameters:
            axes.text(-_LABELS + 18, middle, row.label, va="center", linespacing=1.1,
                      fontsize=8.5 if "\n" in row.label else 9.5)
        else:
            axes.text(-_LABELS + 8, middle, row.workload, va="center", fontsize=10.5, fontweight="bold")


def _draw_row(axes: Axes, row: Row, strategies: list[str], top: float) -> None:
    for column, strategy in enumerate(strategies):
        x = column * _COLUMN
        blocks = [block for block in row.blocks
                  if strategy in block.cells and block.cells[strategy].standing is not Standing.UNTIMED]
        if not blocks:
            axes.text(x + _COLUMN / 2, top + _ROW / 2, wording.ABSENT, ha="center", va="center", color=MUTED.light)
        elif row.is_sweep:
            _draw_cell(axes, x, top, *_summary(blocks, strategy), several=True)
        else:
            _draw_cell(axes, x, top, blocks[0].cells[strategy].standing, blocks[0].ratios_to_best.get(strategy))


def _summary(blocks: list[Block], strategy: str) -> tuple[Standing, Estimate | None]:
    """Of several blocks: the geometric mean of the ratios and their range; of the standings the one that says least."""
    standings = {block.cells[strategy].standing for block in blocks}
    if Standing.FAILED in standings:
        return Standing.FAILED, None
    ratios = [block.ratios_to_best[strategy].median for block in blocks]
    mean = Estimate(math.exp(fmean(map(math.log, ratios))), min(ratios), max(ratios))
    if not all(standing.may_be_best for standing in standings):
        return Standing.WORSE, mean
    return next(each for each in (Standing.OPEN, Standing.EQUAL, Standing.BEST) if each in standings), mean


def _name_others(axes: Axes, row: Row, strategies: list[str], top: float) -> None:
    """Beside rows that none of the columns leads."""
    leaders = _other_leaders(row, strategies)
    if not leaders:
        return
    more = f" +{len(leaders) - 1}" if len(leaders) > 1 else ""
    axes.text(len(strategies) * _COLUMN + 8, top + _ROW / 2, f"{leaders[0]}{more}", va="center", fontsize=8.5)


def _other_leaders(row: Row, strategies: list[str]) -> list[str]:
    return list(dict.fromkeys(name for block in row.blocks for name in block.leaders
                              if not set(block.leaders) & set(strategies)))


def _draw_cell(axes: Axes, x: float, top: float, standing: Standing, ratio: Estimate | None, *,
               several: bool = False) -> None:
    fill, edge, style = cell_colour(standing, ratio), "none", "-"
    if standing is Standing.FAILED:
        fill, edge = "none", ALARM.light
    elif standing is Standing.OPEN:
        edge, style = _ON_DARK, (0, (3, 2))
    axes.add_artist(Rectangle((x, top), _COLUMN, _ROW, facecolor=fill, edgecolor=GRID.light, linewidth=0.6))
    if edge != "none":
        axes.add_artist(Rectangle((x + 2.5, top + 2.5), _COLUMN - 5, _ROW - 5, facecolor="none", edgecolor=edge,
                                 linewidth=1, linestyle=style))
    x, y = x + _COLUMN / 2, top + _ROW / 2
    if standing is Standing.FAILED or standing.may_be_best:
        colour = ALARM.light if standing is Standing.FAILED else _ON_DARK
        axes.text(x, y, standing.value, ha="center", va="center", fontsize=10.5, fontweight="bold", color=colour)
        return
    colour = text_on(cell_colour(standing, ratio))
    axes.text(x, y - 5.5, wording.times(ratio.median), ha="center", va="center", fontsize=10.5, color=colour)
    small = wording.span(ratio) if several else wording.interval_beside_one(ratio)
    axes.text(x, y + 7, small, ha="center", va="center", fontsize=8, color=colour)


def cell_colour(standing: Standing, ratio: Estimate | None) -> str:
    """Leaders alike, because nothing ranks them; the others by the logarithm of their ratio."""
    if standing.may_be_best or ratio is None:
        return _LEADER
    position = min(1.0, max(0.0, math.log(ratio.median) / math.log(_DARKEST_RATIO))) * (len(_RAMP) - 1)
    step = min(int(position), len(_RAMP) - 2)
    return mix(_RAMP[step], _RAMP[step + 1], position - step)


def text_on(fill: str) -> str:
    """Black or white, whichever contrasts more (WCAG's relative luminance)."""
    channels = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))
    return _ON_LIGHT if luminance > 0.18 else _ON_DARK


def _description(row: Row) -> str:
    title = wording.title(row.workload, row.parameters)
    if row.is_sweep:
        leads = Counter(name for block in row.blocks for name in block.leaders)
        told = [f"{name} {count} of {len(row.blocks)}" for name, count in leads.items()]
        return f"{title}: best, equal or open {', '.join(told) or 'none'}."
    block = row.blocks[0]
    others = [f"{name} {wording.times(ratio.median)}" for name, ratio in block.ratios_to_best.items()
              if block.cells[name].standing is Standing.WORSE]
    lead = "best, equal or open" if len(block.leaders) > 1 else "best"
    return f"{title}: {lead} {wording.listing(block.leaders) or 'none'}; {', '.join(others) or 'no other'}."
