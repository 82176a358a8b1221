"""What the tables of several pages share."""

from typing import Iterable, Sequence

#: Of a figure that there is not, and between those of one cell of a table.
NONE, BREAK = "-", "<br>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], rest: str = "---:") -> list[str]:
    """Lines of Markdown; `rest` aligns all columns but the first."""
    lines = [head, ["---", *[rest] * (len(head) - 1)], *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def place(workload: str, values: Iterable[tuple[str, str]]) -> str:
    return " ".join([f"`{workload}`", *(f"{key}:{value}" for key, value in values)])


def quoted(names: Iterable[str]) -> list[str]:
    return [f"`{name}`" for name in names]
