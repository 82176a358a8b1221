"""Tables as CSV: files beside the page, and links inside it that hold the same, so that they travel with the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from stowage_report.canvas import file_name

TABLES = "tables"
#: What a URI of this kind may hold as it is, and what is safe in an attribute besides.
_PLAIN = "!$()*+,/:;=?@[]|"


@dataclass(frozen=True)
class Download:
    name: str  # of its file
    text: str

    @property
    def uri(self) -> str:
        return f"data:text/csv;charset=utf-8,{quote(self.text, safe=_PLAIN)}"


class Downloads:
    """Of one page; no two have one name."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def add(self, text: str, *name: str) -> Download:
        stem = file_name(*name)
        number = next(number for number in range(1, len(self._texts) + 2) if _numbered(stem, number) not in self._texts)
        self._texts[_numbered(stem, number)] = text
        return Download(_numbered(stem, number), text)

    def write(self, directory: Path) -> None:
        (directory / TABLES).mkdir()
        for name, text in self._texts.items():
            (directory / TABLES / name).write_text(text, encoding="utf-8")


def _numbered(stem: str, number: int) -> str:
    return f"{stem}.csv" if number == 1 else f"{stem}-{number}.csv"
