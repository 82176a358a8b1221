"""The overview: strategies against workloads, as ratios to the best of each block, ties marked."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from stowage_report import wording
from stowage_report.canvas import Canvas, Chart, file_name, headline
from stowage_report.estimates import Estimate
from stowage_report.model import Block, Run, Standing, is_hand_written
from stowage_report.style import ALARM, GRID, MUTED, Looks, mix

_COLUMN = 66  # points
_ROW = 30
_GROUP_GAP = 6
_LABELS = 168  # left of the cells
_SLANT = math.radians(35)  # of the strategies' names above them
_CHARACTER = 6.4  # of a name, at most
_TOP = 44
#: From here on a cell has the darkest colour: no one chooses what is this far behind.
_DARKEST_RATIO = 30

_LEADER = "#0b5c8a"
_RAMP = ("#fff3df", "#f6b26b", "#b4511c", "#4a1a06")  # pale to dark: also a ramp for colour-blind readers and on paper
_ON_DARK = "#ffffff"
_ON_LIGHT = "#1a1a1a"


def heatmap_chart(canvas: Canvas, run: Run, entities: int) -> Chart | None:
    """Of all blocks of one size that were timed; None where there are none, or no strategy to rank."""
    blocks = [block for sweep in run.sweeps for block in sweep.blocks if block.entities == entities and _judged(block)]
    strategies = [name for name in run.strategies if not is_hand_written(name)]
    strategies = [name for name in strategies if any(name in block.cells for block in blocks)]
    if not blocks or not strategies:
        return None
    tops = _row_tops(blocks)
    depth = tops[-1] + _ROW
    width = _LABELS + _width_with_names(strategies)
    height = _TOP + _height_of_names(strategies) + depth + 10

    def draw(figure: Figure) -> None:
        headline(figure, f"{wording.entities(entities)} entities: times the best of each row",
                 "small: 95 % interval; \u201ctie\u201d cannot be told from the best")
        area = (_LABELS / width, 10 / height, len(strategies) * _COLUMN / width, depth / height)
        axes = figure.add_axes(area, xlim=(0, len(strategies) * _COLUMN), ylim=(depth, 0))
        axes.axis("off")
        _draw_names(axes, strategies, canvas.looks)
        for block, top in zip(blocks, tops):
            _draw_row(axes, block, strategies, top)
        _draw_workload_names(axes, blocks, tops)

    return canvas.chart(
        file_name("heatmap", wording.entities(entities).replace(",", "")),
        f"Overview at {wording.entities(entities)} entities",
        " ".join(_description(block) for block in blocks),
        draw,
        width=width,
        height=height,
    )


def _judged(block: Block) -> bool:
    return any(cell.ns_per_item or cell.error for cell in block.cells.values())


def _row_tops(blocks: list[Block]) -> list[float]:
    """Rows of one workload stand together, under its name where it has several."""
    tops, top = [], 0.0
    for index, block in enumerate(blocks):
        if index and block.workload != blocks[index - 1].workload:
            top += _GROUP_GAP
        if _opens_group(blocks, index):
            top += _ROW * 0.55
        tops.append(top)
        top += _ROW
    return tops


def _opens_group(blocks: list[Block], index: int) -> bool:
    workload = blocks[index].workload
    return bool(blocks[index].parameters) and (index == 0 or blocks[index - 1].workload != workload)


def _width_with_names(strategies: list[str]) -> float:
    """Of the cells, and of what the slanted names need to the right of them."""
    reach = _CHARACTER * math.cos(_SLANT)
    return 16 + max((column + 0.5) * _COLUMN + reach * len(name) for column, name in enumerate(strategies))


def _height_of_names(strategies: list[str]) -> float:
    return _CHARACTER * max(map(len, strategies)) * math.sin(_SLANT) + 28


def _draw_names(axes: Axes, strategies: list[str], looks: Looks) -> None:
    for column, name in enumerate(strategies):
        x = (column + 0.5) * _COLUMN
        look = looks[name]
        axes.plot([x], [-8], marker=look.marker, markersize=look.marker_size, color=look.colour.light, clip_on=False)
        axes.annotate(name, (x, -16), rotation=math.degrees(_SLANT), rotation_mode="anchor", fontsize=10,
                      annotation_clip=False)


def _draw_workload_names(axes: Axes, blocks: list[Block], tops: list[float]) -> None:
    for index, (block, top) in enumerate(zip(blocks, tops)):
        middle = top + _ROW / 2
        if _opens_group(blocks, index):
            axes.text(-_LABELS + 8, top - _ROW * 0.25, block.workload, va="center", fontsize=10.5, fontweight="bold")
        if block.parameters:
            axes.text(-_LABELS + 18, middle, wording.parameters(block.parameters), va="center", fontsize=9.5)
        else:
            axes.text(-_LABELS + 8, middle, block.workload, va="center", fontsize=10.5, fontweight="bold")


def _draw_row(axes: Axes, block: Block, strategies: list[str], top: float) -> None:
    for column, strategy in enumerate(strategies):
        x = column * _COLUMN
        if strategy not in block.cells or block.standing(strategy) is Standing.UNTIMED:
            axes.text(x + _COLUMN / 2, top + _ROW / 2, wording.ABSENT, ha="center", va="center", color=MUTED.light)
            continue
        _draw_cell(axes, x, top, block.standing(strategy), block.ratios_to_best.get(strategy))


def _draw_cell(axes: Axes, x: float, top: float, standing: Standing, ratio: Estimate | None) -> None:
    fill, edge, style = cell_colour(standing, ratio), "none", "-"
    if standing is Standing.FAILED:
        fill, edge = "none", ALARM.light
    elif standing is Standing.TIED:
        edge, style = _ON_DARK, (0, (3, 2))
    axes.add_patch(Rectangle((x, top), _COLUMN, _ROW, facecolor=fill, edgecolor=GRID.light, linewidth=0.6))
    if edge != "none":
        axes.add_patch(Rectangle((x + 2.5, top + 2.5), _COLUMN - 5, _ROW - 5, facecolor="none", edgecolor=edge,
                                 linewidth=1, linestyle=style))
    _write_cell(axes, x + _COLUMN / 2, top + _ROW / 2, standing, ratio)


def _write_cell(axes: Axes, x: float, y: float, standing: Standing, ratio: Estimate | None) -> None:
    words = {Standing.FAILED: "ERROR", Standing.TIED: "tie", Standing.BEST: "best"}
    if standing in words:
        text, colour = words[standing], ALARM.light if standing is Standing.FAILED else _ON_DARK
        axes.text(x, y, text, ha="center", va="center", fontsize=10.5, fontweight="bold", color=colour)
        return
    colour = text_on(cell_colour(standing, ratio))
    axes.text(x, y - 5.5, wording.times(ratio.median), ha="center", va="center", fontsize=10.5, color=colour)
    axes.text(x, y + 7, wording.interval_beside_one(ratio), ha="center", va="center", fontsize=8, color=colour)


def cell_colour(standing: Standing, ratio: Estimate | None) -> str:
    """Leaders alike, because nothing ranks them; the others by the logarithm of their ratio."""
    if standing in (Standing.BEST, Standing.TIED) or ratio is None:
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


def _description(block: Block) -> str:
    others = [
        f"{name} {wording.times(ratio.median)}"
        for name, ratio in block.ratios_to_best.items()
        if block.standing(name) is Standing.BEHIND
    ]
    lead = "tied for best" if len(block.leaders) > 1 else "best"
    title = wording.sweep_title(block.workload, block.parameters)
    return f"{title}: {lead} {wording.listing(block.leaders) or 'none'}; {', '.join(others) or 'no other'}."
