"""The table of docs/method.md that has claims about misses with lines of 64 and of 128 bytes side by side."""

from dataclasses import replace
from typing import Sequence

from stowage_report.claims.evaluate import LEDGER
from stowage_report.claims.evidence import EXACT, MISSES, TIMED, Asked, Evidence, Missing, Where, Wishes
from stowage_report.claims.ruling import Part
from stowage_report.data import grouped
from stowage_report.data.model import Cell, Run
from tables import NONE, table


class _NeedsTimes(Missing):
    pass


class _WithoutTimes(Wishes):
    def _wish(self, metric: str, strategies: Sequence[str], place: Where) -> None:
        if metric in TIMED:
            raise _NeedsTimes(metric)
        super()._wish(metric, strategies, place)


def counts_for(part: Part) -> list[Asked]:
    """The exact counts that it asks for; none if they are not misses, or if times decide it."""
    wishes = _WithoutTimes()
    try:
        part(wishes)
    except _NeedsTimes:
        return []
    except Missing:
        pass  # what no wish has; see wishes_of
    exact = [asked for asked in wishes.asked if asked.metric in EXACT]
    return exact if any(asked.metric == MISSES for asked in exact) else []


def side_by_side(counted: Sequence[Run], measured: Sequence[Run]) -> list[str]:
    """A row for each thing that a claim says of misses. `measured` has the bytes that some of them depend on, too."""
    by_caches = grouped(sorted(counted, key=lambda run: run.line_bytes), lambda run: f"`{run.record['passes'][0]['details']['model']}`, {run.line_bytes} bytes")
    held = [bytes_alone(run) for run in measured]
    rows = []
    for claim in LEDGER:
        for name, part in claim.parts:
            if counts_for(part):
                link = f"[{claim.id}](record/claims.md#{claim.id.lower()})"
                rows.append([f"{link}: {name}" if name else link,
                             *(ruled(part, [*runs, *held]) for runs in by_caches.values())])
    return table(["claim", *by_caches], [row for row in rows if set(row[1:]) != {NONE}], "---")


def ruled(part: Part, runs: Sequence[Run]) -> str:
    try:
        ruling = part(Evidence(runs))
    except Missing:
        return NONE
    return f"**{ruling.verdict.value}**: {ruling.figure}"


def bytes_alone(run: Run) -> Run:
    """Without times, and without misses in lines of another size."""
    def cell_of(cell: Cell) -> Cell:
        return Cell(cell.name, cell.strategy, error=cell.error, counters={
            name: value for name, value in cell.counters.items() if name.endswith("bytes_per_entity")})

    return replace(run, blocks=tuple(replace(block, cells={name: cell_of(cell) for name, cell in block.cells.items()})
                                     for block in run.blocks))
