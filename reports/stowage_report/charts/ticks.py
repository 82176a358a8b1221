"""Ticks of logarithmic axes: few round numbers, and never more than have room."""

from __future__ import annotations

import math
from typing import Iterable


def decade_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... between the limits; fewer steps a decade where that would be too many to read."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= 9:
            break
    return ticks


def ratio_ticks(low: float, high: float) -> list[float]:
    """Of an axis around 1, which is among them: the finer, the narrower the axis is."""
    for factors in ((1.1, 1.25, 1.5, 2), (1.25, 1.5, 2, 3), (2, 5, 10)):
        ticks = sorted({1.0, *factors, *(round(1 / factor, 2) for factor in factors)})
        if low >= ticks[0] and high <= ticks[-1]:
            inside = [tick for tick in ticks if low <= tick <= high]
            return with_room(sorted(inside, key=lambda tick: abs(math.log(tick))), low, high, 0.13)
    return sorted({1.0, *decade_ticks(low, high)})


def with_room(candidates: Iterable[float], low: float, high: float, share: float) -> list[float]:
    """Those that keep `share` of the axis to each other; earlier candidates win."""
    room = (high / low) ** share
    chosen: list[float] = []
    for tick in candidates:
        if all(max(tick, other) / min(tick, other) >= room for other in chosen):
            chosen.append(tick)
    return sorted(chosen)
