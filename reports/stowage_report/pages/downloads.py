"""Tables as CSV: files beside the page, and links inside it that hold the same, so that they travel with the page."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from gzip import compress
from pathlib import Path
from urllib.parse import quote

from stowage_report.charts.canvas import file_name

TABLES = "tables"
#: What a URI of this kind may hold as it is, and what is safe in an attribute besides.
_PLAIN = "!$()*+,/:;=?@[]|"


@dataclass(frozen=True)
class Link:
    """To a table inside the page, under the name that it is saved by."""

    uri: str
    name: str


@dataclass(frozen=True)
class Download:
    name: str  # of its file
    text: str

    @property
    def link(self) -> Link:
        """Packed where that is shorter, as it is for all but the smallest; the page's script unpacks it again."""
        plain = Link(f"data:text/csv;charset=utf-8,{quote(self.text, safe=_PLAIN)}", self.name)
        bytes_of_gzip = b64encode(compress(self.text.encode(), mtime=0)).decode()  # no time: equal tables, equal pages
        packed = Link(f"data:application/gzip;base64,{bytes_of_gzip}", f"{self.name}.gz")
        return min(plain, packed, key=lambda link: len(link.uri))


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
