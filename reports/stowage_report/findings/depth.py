"""Depth of a transform hierarchy: which form is best in flat and in deep trees, and where that changes."""

from itertools import combinations

from matplotlib.axes import Axes

from stowage_report.charts.axes import Scale, draw_axis, draw_cost_axis, draw_curve, points_of, shade_crossings, time_of
from stowage_report.charts.canvas import Canvas, Chart, Finding, FindingTable, Panels, file_name, panels_chart
from stowage_report.data import wording
from stowage_report.data.crossing import in_words, time_ratio
from stowage_report.data.estimates import estimate_ratio, standing_of
from stowage_report.data.model import REFERENCE, Block, Run, Sweep, is_form, sweeps_along

_WORKLOAD = "hierarchy_deep"
_AXIS = "depth"
#: The orders in which nodes are made: objects lie where they were made, and rows where their form puts them.
_MADE = {"kept": "made level by level", "chains": "made chain by chain", "shuffled": "made at random"}
#: Of a curve; two points have no crossing worth telling.
_FEWEST = 3


def depth(canvas: Canvas, run: Run) -> Finding | None:
    """None if fewer than two forms were timed at three depths."""
    # Without dirty flags, forms do the same work as with all nodes dirty.
    blocks = [block for block in run.blocks_of(_WORKLOAD)
              if _timed_forms(block) and dict(block.parameters).get("dirty") != "none_kept"]
    sweeps = [sweep for sweep in sweeps_along(_AXIS, blocks) if len(sweep.blocks) >= _FEWEST and len(_forms(sweep)) > 1]
    if not sweeps:
        return None
    return Finding(
        "depth", "Transform hierarchy: depth",
        "The cost of updating all world transforms with all nodes dirty, for each form by itself, without a storage. The "
        "trees are chains of equal depth below one root, always with the same number of nodes. Nodes made level by level "
        "scatter the objects of a chain. Nodes made chain by chain, as a game spawns skeletons, lie side by side. The "
        "depths at which the fastest form changes are interpolated in the logarithm of the depth. Their ranges come from "
        "the 95 % intervals of the ratio, round by round.",
        [_chart(canvas, sweep) for sweep in sweeps],
        [table for sweep in sweeps for table in (_leaders_table(sweep), _crossings_table(sweep))],
        (_WORKLOAD,),
    )


def fastest_forms(block: Block) -> list[str]:
    """The fastest form, and those that are equal to it or open."""
    forms = _timed_forms(block)
    best = min(forms, key=lambda name: block.cells[name].cost)
    rivals = max(1, len(forms) - 1)
    return [best, *(name for name in forms if name != best and standing_of(
        estimate_ratio(block.cells[name].samples, block.cells[best].samples, rivals)).may_be_best)]


def leading_forms(sweep: Sweep) -> list[str]:
    """The forms that are fastest at one depth at least, in the order of the depths."""
    return list(dict.fromkeys(fastest_forms(block)[0] for block in sweep.blocks))


def _timed_forms(block: Block) -> list[str]:
    return [name for name, cell in block.cells.items() if is_form(name) and cell.ns_per_item and cell.samples]


def _forms(sweep: Sweep) -> list[str]:
    return [name for name in sweep.strategies if is_form(name)]


def _what(sweep: Sweep) -> str:
    return f"{wording.size_title(sweep.blocks[0].entities)}, {_MADE[_order(sweep)]}"


def _order(sweep: Sweep) -> str:
    return dict(sweep.parameters)["order"]


def _chart(canvas: Canvas, sweep: Sweep) -> Chart:
    names = [name for name in sweep.strategies if is_form(name) or name == REFERENCE]
    leaders = leading_forms(sweep)

    scale = Scale(sweep.values)

    def draw(axes: Axes) -> None:
        for name in names:
            draw_curve(axes, points_of(sweep, name, time_of, scale), canvas.looks[name], faint=True, name=name)
        draw_cost_axis(axes)
        draw_axis(axes, sweep, scale)
        shade_crossings(axes, sweep, leaders, scale)

    return panels_chart(
        canvas, file_name("depth", str(sweep.blocks[0].entities), _order(sweep)), f"Depth, {_what(sweep)}",
        "ns per node; bands: 95 % intervals; bold: the fastest form somewhere",
        "Fastest form: " + "; ".join(f"at depth {block.value(_AXIS):g} {wording.listing(fastest_forms(block))}"
                                     for block in sweep.blocks) + ".", {"": draw}, Panels(plot=260), names, bold=leaders,
        notes=("Dashed lines across: depths at which the fastest form changes; grey: their intervals.",))


def _leaders_table(sweep: Sweep) -> FindingTable:
    rows = [[f"{block.value(_AXIS):g}", ", ".join(f"`{name}`" for name in fastest_forms(block))]
            for block in sweep.blocks]
    return FindingTable(f"Fastest form at each depth, {_what(sweep)}; names in one cell are equal or open",
                        ["depth", "fastest"], rows)


def _crossings_table(sweep: Sweep) -> FindingTable:
    """Between all, because a user of one form asks about that form and not about the best."""
    rows = [[f"`{one}` and `{other}`", in_words(sweep, one, other, time_ratio(sweep, one, other))]
            for one, other in combinations(_forms(sweep), 2)]
    return FindingTable(f"Crossovers between forms, {_what(sweep)}", ["between", "at depth"], rows)
