"""The figures that `stowage run` stores of what it measured, for results that no run has made (harness/results/)."""

from itertools import accumulate
from math import comb
from typing import Mapping, Sequence

from stowage_report.data.estimates import Estimate, Intervals, Samples, Standing, estimate_ratio, standing_of
from stowage_report.data.model import is_hand_written


def interval_samples(most_samples: int = 64, most_comparisons: int = 512) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(most_comparisons)]
    for samples in range(6, most_samples + 1):
        missed = list(accumulate(2 * comb(samples, cut) / 2**samples for cut in range(samples // 2)))
        for comparisons, row in enumerate(rows, 1):
            if missed[len(row)] <= 0.05 / comparisons:
                row.append(samples)
    return rows


INTERVAL_SAMPLES = interval_samples()
INTERVALS = Intervals(INTERVAL_SAMPLES)


def samples(values: Sequence[float]) -> Samples:
    return Samples(values, INTERVALS)


def judged(block: Mapping[str, Sequence[float]]) -> dict[str, tuple[Estimate | None, Standing]]:
    """The ratio to the best and the standing of each strategy of a block."""
    cost = {name: INTERVALS.median([value / base for value, base in zip(its, block.get("reference", (1.0,) * 99))]).median
            for name, its in block.items()}
    candidates = [name for name in block if not is_hand_written(name)]
    if not candidates:
        return dict.fromkeys(block, (None, Standing.HAND_WRITTEN))
    best = min(candidates, key=cost.__getitem__)
    found = {}
    for name, its in block.items():
        ratio = estimate_ratio(samples(its), block[best], max(1, len(candidates) - 1))
        found[name] = ratio, Standing.HAND_WRITTEN if is_hand_written(name) else standing_of(ratio)
    return found | {best: (Estimate(1.0), Standing.BEST)}


def stored(name: str, estimate: Estimate | None) -> dict[str, float]:
    """As counters of a results file."""
    if estimate is None:
        return {}
    interval = {f"{name}_low": estimate.low, f"{name}_high": estimate.high} if estimate.has_interval else {}
    return {name: estimate.median} | interval
