"""Trade-offs beside time against bytes: pairs of metrics in which different strategies are best."""

from stowage_report.charts.canvas import Canvas, Chart, Finding, file_name
from stowage_report.charts.pareto import frontier_chart
from stowage_report.data import passes, wording
from stowage_report.data.metrics import BYTES, INSTRUCTIONS, MISSES, FRAME_P99, TIME, Metric, candidates
from stowage_report.data.model import ENTITIES, Run
from stowage_report.data.verdicts import Source, among, source

#: Where to look, and the two metrics: across, up.
_PAIRS: tuple[tuple[Source, Metric, Metric], ...] = (
    (source("lookup", components=among("1")), BYTES, MISSES),
    (source("lookup", components=among("4")), MISSES, TIME),
    (source("join", order=among("unrelated"), via=among("each")), BYTES, MISSES),
    (source("structural", sets=among("1"), grouped=among("no")), INSTRUCTIONS, TIME),
    (source("churn", rate=among("1"), payload=among("64")), FRAME_P99, TIME),
    (source("churn", rate=among("1"), payload=among("64")), BYTES, FRAME_P99),
)


def tradeoffs(canvas: Canvas, run: Run) -> Finding | None:
    """None if the passes beside the clock have taken none of the workloads in question."""
    charts = [chart for pair in _PAIRS if (chart := _chart(canvas, run, *pair))]
    if not charts:
        return None
    return Finding(
        "tradeoffs", "Trade-offs",
        "One metric against another, each at the largest block that has both. The staircase joins the best strategies by "
        "the medians. A strategy above it and to its right is worse in both metrics. Misses, instructions and bytes are "
        "counted, so only times and frames may be open. Time against bytes is shown with every workload.",
        charts, [], tuple(dict.fromkeys(where.workload for where, *_ in _PAIRS)))


def _chart(canvas: Canvas, run: Run, where: Source, across: Metric, up: Metric) -> Chart | None:
    """Of the block of which the most strategies have both figures; of several such the largest."""
    counts = [(len(candidates(block, across, up)), block) for block in run.blocks if where.covers(block)]
    count, block = max(counts, key=lambda item: (item[0], item[1].entities), default=(0, None))
    if count < 2:
        return None
    title = wording.title(block.workload, block.parameters)
    notes = []
    if {across, up} & {MISSES, INSTRUCTIONS}:
        notes = passes.limits(run, passes.CACHE) if not passes.is_hardware(run) else [
            "Counted by the processor, which estimates: small differences of such counts mean nothing."]
    return frontier_chart(canvas, block, across, up, file_name("tradeoff", block.workload, across.title, up.title),
                          title, wording.place(ENTITIES, block), notes)
