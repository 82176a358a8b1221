"""Quantiles of frame times from their histogram, with the bins between which they certainly lie."""

from __future__ import annotations

import math
from statistics import NormalDist

from stowage_report.data.estimates import CONFIDENCE, Estimate
from stowage_report.data.model import FrameHistogram


def quantile(frames: FrameHistogram, share: float) -> Estimate:
    """The middle of its bin, and the outer edges of those it lies between: order statistics, by the normal
    approximation of their ranks."""
    count = sum(frames.counts)
    spread = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * math.sqrt(count * share * (1 - share))
    low, high = (_bin(frames, rank) for rank in (share * count - spread, share * count + spread))
    middle = _bin(frames, share * count)
    return Estimate(math.sqrt(frames.edge_ns(middle) * frames.edge_ns(middle + 1)), frames.edge_ns(low),
                    frames.edge_ns(high + 1))


def _bin(frames: FrameHistogram, rank: float) -> int:
    seen = 0
    for index, count in enumerate(frames.counts):
        seen += count
        if count and seen >= min(rank, sum(frames.counts)):
            return index
    raise ValueError("no frames")
