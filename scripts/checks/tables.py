"""What the tables of several pages share."""

from typing import Iterable, Sequence

from stowage_report.data import grouped, wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block, Run

#: Of a figure that there is not, and between those of one cell of a table.
NONE, BREAK = "-", "<br>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], rest: str = "---:") -> list[str]:
    """Lines of Markdown; `rest` aligns all columns but the first."""
    lines = [head, ["---", *[rest] * (len(head) - 1)], *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def place(workload: str, values: Iterable[tuple[str, str]]) -> str:
    return " ".join([f"`{workload}`", *(f"{key}:{value}" for key, value in values)])


def same_blocks(runs: Iterable[Run]) -> list[list[Block]]:
    """Those of several runs that are the same, together."""
    return list(grouped((block for run in runs for block in run.blocks),
                        lambda block: (block.workload, block.parameters, block.entities)).values())


def estimate(ratio: Estimate | None) -> str:
    return f"{wording.number(ratio.median)} ({wording.interval(ratio)})" if ratio else NONE


def quoted(names: Iterable[str]) -> list[str]:
    return [f"`{name}`" for name in names]
