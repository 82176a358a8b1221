"""What the scripts share that write the tables of a page: the place between two comments, and the counts of cells."""

from pathlib import Path
from typing import Mapping

from stowage_report.console import UserError
from stowage_report.data.document import read_json

DOCS = Path(__file__).resolve().parents[2] / "docs"
#: Of a figure that there is not, and between those of one cell of a table.
NONE, BREAK = "-", "<br>"


def replace_section(page: Path, begin: str, end: str, text: str) -> None:
    """TEXT becomes what stands between BEGIN and END in PAGE; UserError if they are not there."""
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise UserError(f"{page} has no section between '{begin}' and '{end}'")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def counts_in(file: Path) -> dict[str, Mapping[str, float]]:
    """What `stowage cache` counted, by the name of a cell."""
    entries = read_json(file, "give what `stowage cache --format json` prints")["benchmarks"]
    return {entry["name"].removesuffix("_median"): entry for entry in entries}
