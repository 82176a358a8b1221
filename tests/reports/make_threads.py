"""What is particular to the workloads that share a loop among threads: how much faster that makes each strategy."""

from __future__ import annotations

BANDWIDTH = "reference.bandwidth"
#: Of a machine with many processors; one with two has the first two.
AXES = {"point_mass_parallel": {"threads": ("1", "2", "4", "8", "16", "32", "64")}}
FLOORS = {"point_mass_parallel": (0.3, 5)}
SIZES = {"point_mass_parallel": (262144, 1 << 20)}
#: Threads beyond which memory has no more to give, by family.
_LIMITS = {"reference": 9.0, "naive_objects": 45.0, "interleaved_pairs": 8.0}


def slowdown(strategy: str, threads: int) -> float:
    """Times what one thread takes: as many times less as there are threads at first, and then nearly no less."""
    limit = 10.0 if strategy == BANDWIDTH else _LIMITS.get(strategy.partition(".")[0], 9.3)
    alone = 0.7 if strategy == BANDWIDTH else 1.0
    return alone * (threads ** -4.0 + limit ** -4.0 - (1 / limit) ** 4 * (threads == 1)) ** 0.25
