"""What in a chart belongs to whom: so that the page can hide a series, and say the figures of what is pointed at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from stowage_report.data.model import Cell

#: Of an id in the SVG, followed by the place in Chart.marks.
PREFIX = "mark-"


@dataclass(frozen=True)
class Mark:
    strategy: str
    cells: tuple[str, ...] = ()  # names: of each marker its own, or one for all that is drawn; none for a legend


class MarkedFigure(Figure):
    """A figure that knows what was marked in it since it was cleared."""

    marks: list[Mark]

    def clear(self, *arguments: object, **options: object) -> None:
        self.marks = []
        super().clear(*arguments, **options)


def mark(artist: Artist, strategy: str, cells: Sequence[Cell] = ()) -> None:
    """The artist has to be in its figure already. Does nothing in a figure that keeps no marks."""
    marks = getattr(artist.figure, "marks", None)
    if marks is not None:
        artist.set_gid(f"{PREFIX}{len(marks)}")
        marks.append(Mark(strategy, tuple(cell.name for cell in cells)))
