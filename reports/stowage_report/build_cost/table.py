"""The answer of `stowage build-cost` as a table: for a terminal, for a report, and for a page of the documentation."""

from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping

from stowage_report.console import Terminal, wrapped
from stowage_report.data import wording
from stowage_report.data.document import check, read_json
from stowage_report.pages.tables import column, side_by_side

FILE = "build_cost.json"
_REMEDY = "write it again with `stowage build-cost --out`"
_LEVELS = {"O0": "-O0", "Og": "-Og", "release": "release"}
SECONDS, YARDSTICKS = "compile, s", "compile, \N{MULTIPLICATION SIGN} yardstick"
ENTITY, LOOKUP = "instructions per entity", "instructions per lookup"
#: By the titles of their groups.
_OF_LEVELS = {SECONDS: "compile_s", YARDSTICKS: "yardsticks", ENTITY: "instructions_per_entity",
              LOOKUP: "instructions_per_lookup"}
#: The groups in each table of a page.
PARTS = {"Compiling": ("preprocessed", SECONDS, YARDSTICKS, "code"), "Exact instructions": (ENTITY, LOOKUP)}

LEGEND = """One small file of a game (8 components; creating, destroying, adding, removing, looking up, two loops and a join),
compiled with each strategy, and by hand with plain vectors. Preprocessed: what the compiler reads. Compile: processor time,
the median of three, also relative to a fixed file without stowage, which differs less by machine. Code: bytes of
instructions in the object file. Instructions: exact, of a loop over two components, and of a lookup by handle. -O0 and -Og
check assertions, as debug builds do; preprocessed and code are of the release flags.""".replace("\n", " ")


def load(path: Path, remedy: str = _REMEDY) -> dict[str, Any]:
    document = read_json(path, remedy)
    check(document, "build_cost", path, remedy)
    return document


def columns(cost: Mapping[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    """The title of a group, a heading in it, and the figures. Without those that nothing has."""
    rows = cost["strategies"]

    def figures(value: Callable[[Mapping[str, Any]], float | None], text: Callable[[float], str]) -> list[str]:
        return [wording.ABSENT if value(row) is None else text(value(row)) for row in rows]

    yield "preprocessed", "lines", figures(itemgetter("lines"), wording.figure)
    yield "preprocessed", "kB", figures(lambda row: row["bytes"] / 1000, "{:,.0f}".format)
    for group, key in _OF_LEVELS.items():
        if group == ENTITY:
            yield "code", "bytes", figures(itemgetter("code_bytes"), wording.figure)
        if any(key in each for row in rows for each in row["levels"].values()):
            for level, heading in _LEVELS.items():
                yield group, heading, figures(lambda row: row["levels"][level].get(key), wording.number)


def names(cost: Mapping[str, Any]) -> list[str]:
    return [row["strategy"] for row in cost["strategies"]]


def tables(cost: Mapping[str, Any], skipped: str = "") -> Iterator[tuple[str, list[list[str]]]]:
    """For pages: a caption, and rows below their headings; without the group of that title."""
    for caption, groups in PARTS.items():
        shown = [[f"{group} {heading}", *figures] for group, heading, figures in columns(cost)
                 if group in groups and group != skipped]
        if shown:
            yield caption, [list(row) for row in zip(["strategy", *names(cost)], *shown)]


def notes(cost: Mapping[str, Any]) -> list[str]:
    """What is not in the table, and why; then how it was made."""
    return [*(f"{name} is left out: {reason}" for name, reason in cost["left_out"].items()),
            *filter(None, [cost["without_counts"]]),
            f"{cost['compiler']}, {cost['processor']}, stowage {cost['commit']}; the yardstick takes "
            f"{wording.number(cost['yardstick_s'])} s; release: {cost['flags']}"]


def table_text(cost: Mapping[str, Any], terminal: Terminal = Terminal()) -> str:
    parts = []
    for group, its in groupby(columns(cost), itemgetter(0)):
        blocks = [column([heading, *figures]) for _, heading, figures in its]
        parts.append(column([group, *map("  ".join, zip(*blocks))]))
    lines = [*side_by_side(column(["", "", *names(cost)], str.ljust), parts), "", *wrapped(LEGEND), ""]
    return terminal.text("\n".join([*lines, *(line for note in notes(cost) for line in wrapped(note, "  ", ""))]) + "\n")
