"""Names beside points, so placed that none covers another, a point or a line; what has no room is left to a legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Mapping, Sequence

#: Of a letter of 9 points, at most; and of a line of them.
CHARACTER, LINE = 5.7, 11.0
_MARK = 4.5  # half of what a point covers
#: From the point to its label: nearest first, and a line leads to those that are far.
_RINGS = (7.0, 16.0, 28.0, 42.0)
FAR = 10.0


@dataclass(frozen=True)
class Box:
    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        return (self.left < other.right and other.left < self.right and self.bottom < other.top
                and other.bottom < self.top)

    def holds(self, other: Box) -> bool:
        return (self.left <= other.left and other.right <= self.right and self.bottom <= other.bottom
                and other.top <= self.top)


@dataclass(frozen=True)
class Label:
    """Its left end and the middle of its height, in points; how far it is from what it names."""

    x: float
    y: float
    distance: float


Point = tuple[float, float]


def segment(one: Point, other: Point) -> Box:
    """What an upright line, or a level one, covers."""
    (left, right), (bottom, top) = (sorted(ends) for ends in zip(one, other))
    return Box(left - 1, bottom - 1, right + 1, top + 1)


def placed(wanted: Mapping[str, Point], points: Sequence[Point], area: Box,
           lines: Sequence[Box] = ()) -> dict[str, Label]:
    """Labels of those that are wanted, the first of them first, clear of all points and lines, within the area."""
    taken = [*lines, *(Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in points)]
    found: dict[str, Label] = {}
    for name, point in wanted.items():
        for label, box in _candidates(name, point):
            if area.holds(box) and not any(box.meets(other) for other in taken):
                found[name] = label
                taken.append(box)
                break
    return found


def _candidates(name: str, point: Point) -> Iterator[tuple[Label, Box]]:
    width = CHARACTER * len(name)
    x, y = point
    for ring in _RINGS:
        for across, up in ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1), (1, 0.5), (-1, 0.5),
                           (1, -0.5), (-1, -0.5)):
            left = x + ring * across - (width if across < 0 else width / 2 if across == 0 else 0)
            middle = y + (ring + LINE / 4) * up
            box = Box(left, middle - LINE / 2, left + width, middle + LINE / 2)
            yield Label(left, middle, ring), box
