"""The table of docs/record/timers.md that has our timer and Google Benchmark's beside each other."""

from typing import Sequence

from stowage_report.console import UserError
from stowage_report.data import wording
from stowage_report.data.estimates import Estimate, quotient
from stowage_report.data.model import Block, Run, is_hand_written
from tables import BREAK, NONE, estimate, place, quoted, same_blocks, table

#: Ratios of the two timers that differ by less are the same to a reader.
WITHIN = 1.03


def beside_each_other(runs: Sequence[Run]) -> list[str]:
    """Per block and strategy the ratio to the reference by rounds, by Google Benchmark, and what lies between the two."""
    by_timer = {run.record.get("timer", "rounds"): run for run in runs}
    if sorted(by_timer) != ["google-benchmark", "rounds"]:
        raise UserError("the record needs one run of each --timer")
    blocks = [its for its in same_blocks([by_timer["rounds"], by_timer["google-benchmark"]]) if len(its) == 2]
    names = [name for name in by_timer["rounds"].blocks[0].cells if not is_hand_written(name)]
    quotients = [between for one, other in blocks for name in names if (between := of_timers(one, other, name))]
    apart = sum(differs(between) for between in quotients)
    rows = [[place(one.workload, one.parameters), wording.entities(one.entities), *(text(one, other, name) for name in names)]
            for one, other in blocks]
    return [f"Of {wording.plural(len(quotients), 'ratio')} to the reference, {apart} certainly differ by more than "
            f"{100 * (WITHIN - 1):.0f} % between the timers; they are in bold.", "",
            *table(["rounds, Google Benchmark, one / other", "entities", *quoted(names)],
                   [row for row in rows if set(row[2:]) != {NONE}])]


def of_timers(one: Block, other: Block, name: str) -> Estimate | None:
    ratios = [block.cells[name].ratio_to_reference for block in (one, other) if name in block.cells]
    return quotient(*ratios) if len(ratios) == 2 and all(ratios) else None


def differs(between: Estimate) -> bool:
    return between.has_interval and (between.low > WITHIN or between.high < 1 / WITHIN)


def text(one: Block, other: Block, name: str) -> str:
    between = of_timers(one, other, name)
    if not between:
        return NONE
    told = [estimate(ratio) for ratio in (one.cells[name].ratio_to_reference, other.cells[name].ratio_to_reference, between)]
    if differs(between):
        told[2] = f"**{told[2]}**"
    return BREAK.join(told)
