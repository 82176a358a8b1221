"""What a claim would ask for if everything were there: a part that lacks a figure stops at the first one it lacks."""

from __future__ import annotations

from typing import Sequence

from stowage_report.claims.evidence import Asked, Evidence, Missing, Where
from stowage_report.claims.ruling import Part
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import ENTITIES, Block, Cell, FrameHistogram

#: Stands for any number of entities: none that was asked for.
_ANY = 1
#: Of a parameter that something is looked at along.
_VALUES = ("1", "2")


def wishes_of(part: Part) -> list[Asked]:
    """All figures that it can come to ask for."""
    wishes = Wishes()
    try:
        part(wishes)
    except Missing:
        pass  # what there never is, though everything is: the rest has been asked for
    return wishes.asked


class _Everything(dict):
    """A counter of any name."""

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, _: str) -> float:
        return 1.0


class Wishes(Evidence):
    """Has every figure, all of them 1, and remembers who asked for which."""

    def __init__(self) -> None:
        super().__init__([])

    def is_verified(self, strategy: str, place: Where) -> bool:
        self._wish("", [strategy], place)
        return True

    def _blocks_with(self, metric: str, strategies: Sequence[str], place: Where) -> list[Block]:
        self._wish(metric, strategies, place)
        return [_block(strategies, place)]

    def _along(self, axis: str, metric: str, strategies: Sequence[str], place: Where) -> list[tuple[float, Block]]:
        self._wish(metric, strategies, place)
        if axis == ENTITIES:
            return [(_ANY, _block(strategies, place))]
        return [(float(value), _block(strategies, place, (axis, value))) for value in _VALUES]

    def _wish(self, metric: str, strategies: Sequence[str], place: Where) -> None:
        entities = None if place.entities == _ANY else place.entities
        self.asked.append(Asked(Where(place.workload, place.parameters, entities), tuple(strategies), metric))

    def _remember(self, metric: str, strategies: Sequence[str], place: Where) -> None:
        """Nothing beside what was wished for: places of blocks that are made up are nobody's."""


def _block(strategies: Sequence[str], place: Where, *parameters: tuple[str, str]) -> Block:
    one = Estimate(1.0, 1.0, 1.0)
    cells = {name: Cell(name, name, one, (1.0,) * 9, one, _Everything(), FrameHistogram((1,), 100, 8))
             for name in strategies}
    return Block(place.workload, place.entities or _ANY, (*place.parameters, *parameters), cells)
