"""Does a high rank in one figure go with a high rank in another?"""

from __future__ import annotations

from typing import Sequence

import numpy

#: With fewer pairs than this a rank correlation says nothing.
FEWEST_PAIRS = 5


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """The correlation of the ranks; None where there are too few pairs, or where one side is all equal."""
    if len(xs) < FEWEST_PAIRS or len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    return float(numpy.corrcoef(_ranks(xs), _ranks(ys))[0, 1])


def _ranks(values: Sequence[float]) -> numpy.ndarray:
    """From 1 on; equal values share the mean of their ranks."""
    _, inverse, counts = numpy.unique(values, return_inverse=True, return_counts=True)
    last = numpy.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
