"""Counters like those of the cache and memory passes: what a cell of make_results.py has beside its times."""

from __future__ import annotations

from make_catalogue import lines, overhead

KIB, MIB = 1 << 10, 1 << 20
LINE = 64
#: Of the simulated caches, in bytes.
LEVELS = {"l1d": 48 * KIB, "ll": 2 * MIB}

CACHE_RECORD = {"pass": "cache", "source": "simulated", "details": {
    "model": "reference", "l1d": "48 KiB, 12-way, 64-byte lines", "ll": "2 MiB, 16-way, 64-byte lines",
    "state": "warm", "valgrind": "3.19.0",
    "limits": "no prefetcher, two levels, virtual addresses"}}
MEMORY_RECORD = {"pass": "memory", "source": "counted", "details": {"allocator": "operator new and delete"}}
#: What the cache pass says of cells that it leaves out.
TOO_LARGE = "would take 140 s to simulate, more than the 20 s that `quick` allows; `--force` goes on"

#: Bytes that the work needs of an item.
_NEEDED = {"point_mass": 36, "join": 40, "lookup": 40, "create": 40, "destroy": 8, "occupancy": 36, "churn": 88,
           "point_mass_subset": 4, "aging": 36, "structural": 20, "fragmented": 36, "spike": 40, "multi_instance": 24,
           "point_mass_parallel": 36, "despawn": 3000, "removal": 12, "hierarchy_deep": 132}
PAYLOAD_BYTES = 40.0


def floor_counters(workload: str) -> dict[str, float]:
    return {"floor_lines_per_item": _NEEDED[workload] / LINE}


def cache_counters(workload: str, strategy: str, entities: int, finds: bool) -> dict[str, float]:
    """Misses grow with the share of the data that a cache does not hold; for variants the index and payload shares are unknown."""
    payload_lines, index_lines = lines(strategy)
    counters = {"instructions_per_item": 6 + 9 * payload_lines + 14 * index_lines * finds, "data_reads_per_item": 7.0,
                "data_writes_per_item": 3.0}
    for level, held in LEVELS.items():
        missed = max(0.0, 1 - held / ((PAYLOAD_BYTES + sum(overhead(strategy)[:2])) * entities))
        payload = missed * payload_lines * _NEEDED[workload] / LINE
        index = missed * index_lines * finds
        counters[f"{level}_misses_per_item"] = payload + index
        if not strategy.startswith("archetype_sections."):
            counters |= {f"{level}_misses_payload_per_item": payload, f"{level}_misses_index_per_item": index}
    if counters["l1d_misses_per_item"]:
        counters["line_use_share"] = min(1.0, _NEEDED[workload] / (LINE * counters["l1d_misses_per_item"]))
    return counters


def memory_counters(strategy: str, entities: int) -> dict[str, float]:
    index, slack, peak = overhead(strategy)
    total = PAYLOAD_BYTES + index + slack
    return {"payload_bytes_per_entity": PAYLOAD_BYTES, "index_bytes_per_entity": index,
            "slack_bytes_per_entity": slack, "bytes_per_entity": total, "peak_bytes_per_entity": total * peak,
            "bytes_per_entity_after_clear": index,
            "allocations": 2.0 * (entities if strategy == "naive_objects" else 1)}
