"""`python3 -m stowage_report.evidence RUN_DIR STRATEGY COMMIT`: what a run says for and against a strategy, for the header
that `stowage adopt` writes at that commit. Nothing if the run has not measured it in a main workload."""

import sys
from pathlib import Path
from typing import Iterator, Sequence

from stowage_report.console import Parser, command, write
from stowage_report.data import passes, wording
from stowage_report.data.environment import machine_summary
from stowage_report.data.load import load_run
from stowage_report.data.metrics import MISSES
from stowage_report.data.model import ENTITIES, Block, Run, Sweep, sweeps_along
from stowage_report.pages.tables import aligned

#: What most programs do most of the time, each in its usual form: visiting, joining, finding, changing.
_MAIN = {"point_mass": "", "join": "order:unrelated via:each", "lookup": "components:4",
         "create": "how:single memory:growing components:4", "destroy": "how:each_shuffled",
         "churn": "rate:1 payload:64", "structural": "others:4 sets:1 grouped:no"}
_COUNTS = {"L1d": "l1d_misses_per_item", "LL": "ll_misses_per_item", "floor": "floor_lines_per_item",
           "bytes": "bytes_per_entity"}
_HEAD = ["per item", "size", "ns", "x ref", "95 %", *_COUNTS]
_LEGEND = """\
size: entities. ns: median over the repetitions. x ref: ratio to the hand-written loop, by rounds in
which both were measured. L1d, LL: data misses. floor: cache lines that no layout can leave unfetched.
bytes: the memory footprint, per entity."""


def evidence(run: Run, strategy: str, commit: str) -> str:
    """In ASCII: compilers read it."""
    rows = [row for workload, values in _MAIN.items() for sweep in sweeps_along(ENTITIES, run.blocks_of(workload))
            if wording.parameters(sweep.parameters) == values for row in _rows(sweep, strategy)]
    if not rows:
        return ""
    table = "\n".join(line.rstrip() for line in aligned([_HEAD, *rows]))
    date, record = str(run.host.get("date", "")), run.record
    origin = [f"Measured {date} on", f"{machine_summary(run)};", *(f"{record.get(key)}," for key in ("os", "compiler")),
              f"{record.get('flags')}."]
    if record.get("commit") != commit:
        origin.append(f"The run is of stowage {record.get('commit')}, this header of {commit}: measure again if that matters.")
    misses = [passes.description(each) for each in run.passes if each.name == passes.CACHE]
    origin.append(f"Misses: {misses[0] if misses else 'not counted in this run'}.")
    text = "\n\n".join([table, _LEGEND, "\n".join(origin)])
    return text.replace(wording.ABSENT, "-").encode("ascii", "replace").decode() + "\n"


def _rows(sweep: Sweep, strategy: str) -> Iterator[list[str]]:
    """At the largest size, at which least fits the caches, and at the largest at which misses were counted."""
    blocks = [block for block in sweep.blocks if block.time_of(strategy)]
    counted = [block for block in blocks if MISSES.name in block.cells[strategy].counters]
    title = " ".join(filter(None, (sweep.workload, wording.parameters(sweep.parameters))))
    for block in {block.entities: block for block in (*counted[-1:], *blocks[-1:])}.values():
        yield _row(title, block, strategy)


def _row(title: str, block: Block, strategy: str) -> list[str]:
    cell = block.cells[strategy]
    ratio = cell.ratio_to_reference
    return [title, wording.entities(block.entities), wording.number(cell.ns_per_item.median),
            wording.number(ratio.median) if ratio else wording.ABSENT,
            wording.span(ratio) if ratio and ratio.has_interval else wording.ABSENT,
            *(wording.figure(cell.counters.get(name)) for name in _COUNTS.values())]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage adopt")
    for name in ("run", "strategy", "commit"):
        parser.add_argument(name)
    return command(parser, lambda options: write(
        evidence(load_run(Path(options.run)), options.strategy, options.commit), sys.stdout), arguments)


if __name__ == "__main__":
    sys.exit(main())
