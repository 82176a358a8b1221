"""All figures of a run as text: for each pass a table of each workload and combination of its parameters, with the
sizes side by side and the cheapest strategy of the largest size first. A line has WIDTH columns, or one size."""

import math
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from stowage_report.console import WIDTH, Terminal, wrapped
from stowage_report.data import passes, wording
from stowage_report.data.estimates import Estimate, Standing
from stowage_report.data.model import ENTITIES, FLOORS, REFERENCE, Cell, Run, Sweep, sweeps_along

_GAP = "  "
_Text = Callable[[Cell], str]  # empty if the cell has no such figure


@dataclass(frozen=True)
class _Section:
    title: str  # with the name of what an item is
    columns: Mapping[str, _Text]  # by heading; a table has those that any of its cells has
    costs: Sequence[str]  # the counters that it is ordered by, the first that a cell has; none for the time
    legend: Mapping[str, str]  # by heading, of which a run may lack some


def _number(value: float | None) -> str:
    return "" if value is None else wording.number(value) if value >= 0.0005 else "0"


def _counter(name: str, text: Callable[[float | None], str] = _number) -> _Text:
    return lambda cell: "" if name not in cell.counters else text(cell.counters[name])


def _median(estimate: Estimate | None) -> str:
    return wording.number(estimate.median) if estimate else ""


def _reach(cell: Cell) -> str:
    estimate = cell.ns_per_item
    if not estimate:
        return ""
    return f"\N{PLUS-MINUS SIGN}{math.ceil(100 * estimate.reach)}%" if estimate.has_interval else "\N{PLUS-MINUS SIGN}?"


def _standing(cell: Cell) -> str:
    """Nothing of a hand-written loop, and of a cell that was not timed."""
    return "ERROR" if cell.error else cell.standing.value if cell.standing in _JUDGED else ""


def _events(cell: Cell) -> str:
    """`2 growths, 1 section`"""
    counts = {names: int(cell.counters.get(f"worst_frame_{names[1].replace(' ', '_')}", 0)) for names in _EVENTS}
    return ", ".join(wording.plural(count, *names) for names, count in counts.items() if count)


_EVENTS = (("growth", "growths"), ("rehash", "rehashes"), ("section", "sections"), ("collected row", "collected rows"))
_JUDGED = (Standing.BEST, Standing.EQUAL, Standing.WORSE, Standing.OPEN)
_SECTIONS = (
    _Section("ns per {}", {
        "ns": lambda cell: _median(cell.ns_per_item), "\N{PLUS-MINUS SIGN}": _reach,
        "\N{MULTIPLICATION SIGN} floor": lambda cell: _median(cell.ratio_to_reference),
        "\N{MULTIPLICATION SIGN} code": lambda cell: _median(cell.contract_floor not in ("", REFERENCE) and cell.ratio_to_contract),
        "": _standing}, (),
        {"\N{PLUS-MINUS SIGN}": "the 95 % interval",
         "\N{MULTIPLICATION SIGN} floor": "relative to `reference`, in the same rounds",
         "\N{MULTIPLICATION SIGN} code": "relative to hand-written code that keeps the storage contract",
         "": "equal: to the best of its column, within 5 %   open: neither equal nor worse for certain"}),
    _Section("counts per {}", {
        "cycles": _counter("cycles_per_item"), "instr": _counter("instructions_per_item"),
        "floor": _counter("floor_lines_per_item"), "L1d": _counter("l1d_misses_per_item"),
        "LL": _counter("ll_misses_per_item"), "L1 TLB": _counter("l1_dtlb_misses_per_item"),
        "dTLB": _counter("dtlb_misses_per_item"),
        "branch": _counter("branch_misses_per_item"), "use": _counter("line_use_share"),
        "counted": _counter("counted_time_share")}, ("l1d_misses_per_item", "l1_dtlb_misses_per_item"),
        {"instr": "instructions", "floor": "fewest lines that any layout must fetch, uncached",
         "L1d": "misses of the first level", "LL": "misses of the last level", "L1 TLB": "misses of the first TLB",
         "dTLB": "misses of all TLBs", "branch": "mispredicted branches",
         "use": "share of the fetched lines' bytes that the work needs", "counted": "share of time counted"}),
    _Section("one frame", {
        "frames": _counter("frames", wording.figure),
        **{heading: _counter(f"frame_{name}_ns", wording.duration)
           for heading, name in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p999"), ("worst", "max"))},
        "beside": _events}, ("frame_max_ns",),
        {"beside": "what the storage did in the worst frame beside its work"}),
    _Section("bytes per entity", {
        "bytes": _counter("bytes_per_entity"), "index": _counter("index_bytes_per_entity"),
        "slack": _counter("slack_bytes_per_entity"), "peak": _counter("peak_bytes_per_entity")}, ("bytes_per_entity",),
        {"index": "of what finds components", "slack": "allocated and unused", "peak": "the most while it was filled"}),
)


def tables_text(run: Run, terminal: Terminal = Terminal()) -> str:
    return terminal.text("\n".join(_lines(run)) + "\n")


def _lines(run: Run) -> Iterator[str]:
    sweeps = [sweep for workload in run.workloads for sweep in sweeps_along(ENTITIES, run.blocks_of(workload))]
    for section in _SECTIONS:
        tables = [table for sweep in sweeps if (table := _table(run, sweep, section))]
        for table in tables:
            yield from (*table, "")
        if tables:
            yield from (*_legend(run, section), "")
    for cell in run.errors:
        yield f"ERROR {cell.name}: {cell.error}"
    for note in _notes(run):
        yield from wrapped(note, "  ", "")


def _legend(run: Run, section: _Section) -> Iterator[str]:
    line = ""
    for heading, meaning in section.legend.items():
        if not any(section.columns[heading](cell) for block in run.blocks for cell in block.cells.values()):
            continue
        told = f"{heading}: {meaning}" if heading else meaning
        if line and len(line) + 3 + len(told) > WIDTH:
            yield line
            line = ""
        line = f"{line}   {told}" if line else told
    if line:
        yield line


def _notes(run: Run) -> Iterator[str]:
    """What is left out, and where the figures come from."""
    for name, sentence, groups in passes.all_left_out(run):
        cells = [f"{name} of {block}" for group in groups for name in group.strategies for block in group.blocks]
        yield f"{name}: {sentence} ({cells[0]}{', ...' if len(cells) > 1 else ''})"
    for card in run.strategy_cards.values():
        yield from (f"no {workload} of {card.name}: {why}" for workload, why in card.not_offered.items())
    for record in run.passes:
        yield f"{record.name}: {passes.description(record)}"


def _table(run: Run, sweep: Sweep, section: _Section) -> list[str]:
    """Nothing if no cell has a figure of this section."""
    of_passes = {heading: text for heading, text in section.columns.items() if heading != "floor"}
    names = [name for name in sorted(sweep.strategies, key=lambda name: _order(sweep, section, name))
             if any(text(block.cells[name]) for block in sweep.blocks if name in block.cells
                    for text in of_passes.values())]
    if not names:
        return []
    parts = []
    for block in sweep.blocks:
        columns = []
        for heading, text in section.columns.items():
            texts = [text(block.cells[name]) if name in block.cells else "" for name in names]
            if any(texts):
                columns.append(column([heading, *(each or wording.ABSENT * bool(heading) for each in texts)]))
        if columns:
            parts.append(column([wording.entities(block.entities), *map(_GAP.join, zip(*columns))]))
    title = section.title.format(run.item_of(sweep.workload) or "item")
    return [f"{wording.title(sweep.workload, sweep.parameters)}: {title}",
            *side_by_side(column(["", "", *names], str.ljust), parts)]


def _order(sweep: Sweep, section: _Section, name: str) -> tuple[int, float]:
    """The floors first, as they are; then by the cost at the largest size that has it."""
    if name in FLOORS:
        return FLOORS.index(name), 0
    cells = [block.cells[name] for block in reversed(sweep.blocks) if name in block.cells]
    costs = ([cell.counters[counter] for cell in cells for counter in section.costs if counter in cell.counters]
             if section.costs else [cell.cost for cell in cells if cell.ns_per_item])
    return len(FLOORS), next(iter(costs), math.inf)


def column(texts: Sequence[str], aligned: Callable[[str, int], str] = str.rjust) -> list[str]:
    width = max(map(len, texts))
    return [aligned(text, width) for text in texts]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of rows, the first column at the left and the others at the right."""
    first, *others = zip(*rows)
    return [_GAP.join(line) for line in zip(column(first, str.ljust), *map(column, others))]


def side_by_side(labels: Sequence[str], parts: Iterable[Sequence[str]], gap: str = 2 * _GAP,
                 width: int = WIDTH) -> Iterator[str]:
    """Below each other as soon as they are too wide."""
    lines = list(labels)
    for part in parts:
        wider = [f"{line}{gap}{more}" for line, more in zip(lines, part)]
        if len(wider[0]) > width and lines != list(labels):
            yield from (line.rstrip() for line in lines)
            wider = [f"{line}{gap}{more}" for line, more in zip(labels, part)]
        lines = wider
    yield from (line.rstrip() for line in lines)
