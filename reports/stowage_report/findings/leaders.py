"""What is best along an axis, and where that changes: storages by the share of entities that own the components, and forms
of a transform hierarchy by its depth."""

from functools import partial
from itertools import combinations
from typing import Sequence

from matplotlib.axes import Axes

from stowage_report.charts import series
from stowage_report.charts.axes import (
    Figure as Curve, Scale, draw_axis, draw_cost_axis, draw_curve, points_of, shade_crossings,
)
from stowage_report.charts.canvas import Canvas, Chart, Finding, FindingTable, Panels, file_name, panels_chart
from stowage_report.charts.counters import BYTES
from stowage_report.charts.style import Looks
from stowage_report.data import wording
from stowage_report.data.crossing import RatioCurve, in_words, time_ratio
from stowage_report.data.estimates import Estimate, estimate_ratio, standing_of
from stowage_report.data.metrics import TIME, comparisons
from stowage_report.data.model import REFERENCE, Block, Cell, Run, Sweep, is_form, is_hand_written, sweeps_along


def _draw_curves(axes: Axes, sweep: Sweep, names: Sequence[str], figure: Curve, scale: Scale, looks: Looks) -> None:
    for name in names:
        for part in sweep.of_each_host:
            draw_curve(axes, points_of(part, name, figure, scale), looks[name], faint=True, name=name)
    draw_cost_axis(axes)
    draw_axis(axes, sweep, scale)


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or wording.ABSENT


# ---- storages, by the share of entities that own the components

_SHARE = "share"


def occupancy(canvas: Canvas, run: Run) -> Finding | None:
    """None if fewer than two shares were timed."""
    sweeps = [sweep for sweep in sweeps_along(_SHARE, run.blocks_of("occupancy"))
              if sum(bool(block.measured) for block in sweep.blocks) > 1]
    if not sweeps:
        return None
    sweeps.sort(key=lambda sweep: sweep.blocks[0].entities)
    return Finding(
        "occupancy", "Occupancy",
        "How full an array with holes must be to pay off: cost per owning entity over the share of entities that own "
        "the components. Crossovers are interpolated in the logarithm of the share between measured shares. Their "
        "ranges come from the 95 % intervals of the ratio, round by round.",
        [_occupancy_chart(canvas, sweep) for sweep in sweeps],
        [_best_at_each_share(sweep) for sweep in sweeps] + [_crossings_of_leaders(sweep) for sweep in sweeps],
        ("occupancy",))


def bytes_per_owner(block: Block, cell: Cell) -> float | None:
    """What the storage holds, divided by the items of the work: the entities that own the components."""
    if BYTES not in cell.counters or not cell.counters.get("items"):
        return None
    return cell.counters[BYTES] * block.entities / cell.counters["items"]


def time_leaders(sweep: Sweep) -> list[str]:
    """The strategies that are fastest at one share at least, in the order of the shares."""
    return list(dict.fromkeys(_fastest(block) for block in sweep.blocks if block.leaders))


def _fastest(block: Block) -> str:
    return min(block.leaders, key=lambda name: block.cells[name].cost)


def _smallest(block: Block) -> list[str]:
    sizes = {name: bytes_per_owner(block, cell) for name, cell in block.cells.items() if not is_hand_written(name)}
    known = {name: size for name, size in sizes.items() if size is not None}
    return [name for name, size in known.items() if size == min(known.values())]


def _bytes_ratio(sweep: Sweep, one: str, other: str) -> RatioCurve:
    """Bytes are counted, so only the interpolation between two shares is a guess."""
    sizes = [(block, *(bytes_per_owner(block, block.cells[name]) if name in block.cells else None
                       for name in (one, other))) for block in sweep.blocks]
    known = [(block.value(_SHARE), first / second) for block, first, second in sizes if first and second]
    return RatioCurve([share for share, _ in known], [Estimate(ratio) for _, ratio in known])


def _occupancy_chart(canvas: Canvas, sweep: Sweep) -> Chart:
    drawn = set(series.shown(sweep.strategies, sweep.blocks, series.time)) | set(time_leaders(sweep))
    names = [name for name in sweep.strategies if name in drawn]
    scale = Scale(sweep.values)

    def bytes_of(block: Block, strategy: str) -> Estimate | None:
        size = bytes_per_owner(block, block.cells[strategy])
        return Estimate(size) if size else None

    def draw(axes: Axes, figure: Curve) -> None:
        _draw_curves(axes, sweep, names, figure, scale, canvas.looks)
        if figure is Block.time_of:
            _mark_fastest(axes, sweep, scale, canvas.looks)

    panels = {"ns per owning entity; marks at the foot: the fastest": partial(draw, figure=Block.time_of)}
    if any(bytes_per_owner(block, cell) for block in sweep.blocks for cell in block.cells.values()):
        panels["bytes per owning entity"] = partial(draw, figure=bytes_of)
    return panels_chart(
        canvas, file_name("occupancy", str(sweep.blocks[0].entities)),
        f"Occupancy, {wording.size_title(sweep.blocks[0].entities)}", "bands: 95 % intervals; bold: the fastest somewhere",
        "Fastest: " + "; ".join(f"at {wording.place(_SHARE, block)} % {wording.listing(block.leaders)}"
                                for block in sweep.blocks) + ".",
        panels, Panels(plot=200), names, bold=time_leaders(sweep),
        notes=("Dashed lines across: shares at which the fastest strategy changes; grey: their intervals.",
               *series.strategies_note(sweep.strategies, names)))


def _mark_fastest(axes: Axes, sweep: Sweep, scale: Scale, looks: Looks) -> None:
    """At the foot of the panel, the mark of the fastest strategy at each share; the leaders' crossings between them."""
    for block in sweep.blocks:
        if block.leaders:
            look = looks[_fastest(block)]
            axes.plot([scale(block.value(_SHARE))], [0.035], transform=axes.get_xaxis_transform(), marker=look.marker,
                      markersize=look.marker_size, color=look.colour.light, linestyle="none", clip_on=False)
    shade_crossings(axes, sweep, time_leaders(sweep), scale)


def _best_at_each_share(sweep: Sweep) -> FindingTable:
    rows = [[f"{block.value(_SHARE):g} %", _names(block.leaders), _names(_smallest(block))] for block in sweep.blocks]
    return FindingTable(f"Best at each share, {wording.size_title(sweep.blocks[0].entities)}; names in one cell are equal or "
                        "open", ["share", "fastest", "fewest bytes"], rows)


def _crossings_of_leaders(sweep: Sweep) -> FindingTable:
    leaders = list(dict.fromkeys([*time_leaders(sweep), *(name for block in sweep.blocks
                                                          for name in _smallest(block)[:1])]))
    rows = [[f"`{one}` and `{other}`", in_words(sweep, one, other, time_ratio(sweep, one, other), " %"),
             in_words(sweep, one, other, _bytes_ratio(sweep, one, other), " %")]
            for one, other in combinations(leaders, 2)]
    return FindingTable(f"Crossovers, {wording.size_title(sweep.blocks[0].entities)}",
                        ["between", "in time", "in bytes"], rows)


# ---- forms of a hierarchy, by its depth

_DEEP, _DEPTH = "hierarchy_deep", "depth"
#: The orders in which nodes are made: objects lie where they were made, and rows where their form puts them.
_MADE = {"kept": "made level by level", "chains": "made chain by chain", "shuffled": "made at random"}
#: Of a curve; two points have no crossing worth telling.
_FEWEST = 3


def depth(canvas: Canvas, run: Run) -> Finding | None:
    """None if fewer than two forms were timed at three depths."""
    # Without dirty flags, forms do the same work as with all nodes dirty.
    blocks = [block for block in run.blocks_of(_DEEP)
              if _timed_forms(block) and dict(block.parameters).get("dirty") != "none_kept"]
    sweeps = [sweep for sweep in sweeps_along(_DEPTH, blocks) if len(sweep.blocks) >= _FEWEST and len(_forms(sweep)) > 1]
    if not sweeps:
        return None
    return Finding(
        "depth", "Transform hierarchy: depth",
        "The cost of updating all world transforms with all nodes dirty, for each form by itself, without a storage. The "
        "trees are chains of equal depth below one root, always with the same number of nodes. Nodes made level by level "
        "scatter the objects of a chain. Nodes made chain by chain, as a game spawns skeletons, lie side by side. The "
        "depths at which the fastest form changes are interpolated in the logarithm of the depth. Their ranges come from "
        "the 95 % intervals of the ratio, round by round.",
        [_depth_chart(canvas, sweep) for sweep in sweeps],
        [table for sweep in sweeps for table in (_fastest_at_each_depth(sweep), _crossings_of_forms(sweep))],
        (_DEEP,))


def fastest_forms(block: Block) -> list[str]:
    """The fastest form, and those that are equal to it or open."""
    forms = _timed_forms(block)
    best = min(forms, key=lambda name: block.cells[name].cost)
    compared = comparisons(TIME, len(forms) - 1, [block.cells[name] for name in forms])
    return [best, *(name for name in forms if name != best and standing_of(
        estimate_ratio(block.cells[name].samples, block.cells[best].samples, compared)).may_be_best)]


def leading_forms(sweep: Sweep) -> list[str]:
    """The forms that are fastest at one depth at least, in the order of the depths."""
    return list(dict.fromkeys(fastest_forms(block)[0] for block in sweep.blocks))


def _timed_forms(block: Block) -> list[str]:
    return [name for name, cell in block.cells.items() if is_form(name) and cell.ns_per_item and cell.samples]


def _forms(sweep: Sweep) -> list[str]:
    return [name for name in sweep.strategies if is_form(name)]


def _what(sweep: Sweep) -> str:
    return f"{wording.size_title(sweep.blocks[0].entities)}, {_MADE[dict(sweep.parameters)['order']]}"


def _depth_chart(canvas: Canvas, sweep: Sweep) -> Chart:
    names = [name for name in sweep.strategies if is_form(name) or name == REFERENCE]
    leaders, scale = leading_forms(sweep), Scale(sweep.values)

    def draw(axes: Axes) -> None:
        _draw_curves(axes, sweep, names, Block.time_of, scale, canvas.looks)
        shade_crossings(axes, sweep, leaders, scale)

    return panels_chart(
        canvas, file_name("depth", str(sweep.blocks[0].entities), dict(sweep.parameters)["order"]), f"Depth, {_what(sweep)}",
        "ns per node; bands: 95 % intervals; bold: the fastest form somewhere",
        "Fastest form: " + "; ".join(f"at depth {block.value(_DEPTH):g} {wording.listing(fastest_forms(block))}"
                                     for block in sweep.blocks) + ".", {"": draw}, Panels(plot=260), names, bold=leaders,
        notes=("Dashed lines across: depths at which the fastest form changes; grey: their intervals.",))


def _fastest_at_each_depth(sweep: Sweep) -> FindingTable:
    return FindingTable(f"Fastest form at each depth, {_what(sweep)}; names in one cell are equal or open",
                        ["depth", "fastest"], [[f"{block.value(_DEPTH):g}", _names(fastest_forms(block))]
                                               for block in sweep.blocks])


def _crossings_of_forms(sweep: Sweep) -> FindingTable:
    """Between all, because a user of one form asks about that form and not about the best."""
    rows = [[f"`{one}` and `{other}`", in_words(sweep, one, other, time_ratio(sweep, one, other))]
            for one, other in combinations(_forms(sweep), 2)]
    return FindingTable(f"Crossovers between forms, {_what(sweep)}", ["between", "at depth"], rows)
