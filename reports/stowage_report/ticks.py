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


def with_room(candidates: Iterable[float], low: float, high: float, share: float) -> list[float]:
    """Those that keep `share` of the axis to each other; earlier candidates win."""
    room = (high / low) ** share
    chosen: list[float] = []
    for tick in candidates:
        if all(max(tick, other) / min(tick, other) >= room for other in chosen):
            chosen.append(tick)
    return sorted(chosen)
