"""Counters like those of the passes: what a cell of make_results.py has beside its times."""

import math
import random
import re

from make_catalogue import WORKLOADS, lines, overhead

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

PAYLOAD_BYTES = 40.0
#: Of a histogram of frame times, as the harness makes it.
_PER_DECADE, _FROM_NS, _DECADES = 8, 100.0, 6


def floor_counters(workload: str) -> dict[str, float]:
    return {"floor_lines_per_item": WORKLOADS[workload].needed / LINE}


def cache_counters(workload: str, strategy: str, entities: int, finds: bool) -> dict[str, float]:
    """Misses grow with the share of the data that a cache does not hold; for variants the index and payload shares are unknown."""
    payload_lines, index_lines = lines(strategy)
    needed = WORKLOADS[workload].needed
    counters = {"instructions_per_item": 6 + 9 * payload_lines + 14 * index_lines * finds, "data_reads_per_item": 7.0,
                "data_writes_per_item": 3.0}
    for level, held in LEVELS.items():
        missed = max(0.0, 1 - held / ((PAYLOAD_BYTES + sum(overhead(strategy)[:2])) * entities))
        payload = missed * payload_lines * needed / LINE
        index = missed * index_lines * finds
        counters[f"{level}_misses_per_item"] = payload + index
        if not strategy.startswith("archetype_sections."):
            counters |= {f"{level}_misses_payload_per_item": payload, f"{level}_misses_index_per_item": index}
    if counters["l1d_misses_per_item"]:
        counters["line_use_share"] = min(1.0, needed / (LINE * counters["l1d_misses_per_item"]))
    return counters


def memory_counters(workload: str, strategy: str, entities: int, parameters: dict[str, str]) -> dict[str, float]:
    """Changed to what the workload is about."""
    index, slack, peak = overhead(strategy)
    payload, rest = PAYLOAD_BYTES, {"bytes_per_entity_after_clear": index,
                                    "allocations": 2.0 * (entities if strategy == "naive_objects" else 1)}
    if workload == "occupancy":
        share = float(parameters["share"]) / 100
        slack = 40 * (1 - share) * (strategy == "sparse_direct") + slack * share
        index *= share if strategy.startswith(("hash", "naive")) else 1.0
        payload, peak = 40 * share, 1.2
    elif parameters.get("work") == "despawn":
        kept = {"naive_objects": 0.1, "archetype_sections": 1.0}.get(strategy, 0.4 if "fixed" in strategy else 0.8)
        payload, slack, peak = 4.0, 36 * kept * (0.3 if parameters["defragment"] == "yes" else 1.0), 1.2
    elif workload == "fragmented" and (fixed := re.search(r"\.fixed_(\d+)k", strategy)):
        size = int(fixed[1]) * 1024
        slack, peak = size * float(parameters["sets"]) / 2 / 16384, 1.2
    total = payload + index + slack
    return {"payload_bytes_per_entity": payload, "index_bytes_per_entity": index, "slack_bytes_per_entity": slack,
            "bytes_per_entity": total, "peak_bytes_per_entity": total * peak, **rest}


def frame_figures(workload: str, strategy: str, frame_ns: float, parameters: dict[str, str]) -> dict:
    """Counters of the frames pass, and the histogram; a frame's times are log-normal with one frame far out."""
    rng = random.Random(f"frames {workload} {strategy} {parameters}")
    growing = ("indirection_map", "archetype_sections", "hash_index")
    grows = strategy in growing and parameters.get("memory") != "reserved"
    times = sorted(frame_ns * math.exp(rng.gauss(0, 0.08)) for _ in range(WORKLOADS[workload].frames - 1))
    times.append(times[-1] * (60 if grows else 1.3))
    figures = {"frames": len(times), "frame_max_ns": times[-1], **_quantile(times, "frame_p50_ns", 0.5),
               **_quantile(times, "frame_p99_ns", 0.99), **_quantile(times, "frame_spike_ns", 127 / 128),
               "worst_frame_growths": 3.0 * grows, "worst_frame_rehashes": 1.0 * (grows and "hash" in strategy),
               "worst_frame_sections": 2.0 * ("sections.fixed" in strategy), "worst_frame_collected_rows": 0.0}
    if workload == "despawn" and "sections.fixed" in strategy:
        figures["rows_moved_per_frame"] = int(parameters["dead"]) / 8
    if len(times) >= 1000:
        figures |= _quantile(times, "frame_p999_ns", 0.999)
    return figures | {"frame_histogram": _histogram(times)}


def _quantile(ordered: list[float], name: str, share: float) -> dict[str, float]:
    """With an interval of two standard errors of its rank, if that has an end."""
    rank, error = share * len(ordered), 2 * math.sqrt(len(ordered) * share * (1 - share))
    ends = {"": rank, "_low": rank - error, "_high": rank + error}
    return {name + end: ordered[int(place)] for end, place in ends.items() if not end or rank + error < len(ordered)}


def _histogram(times: list[float]) -> list[int]:
    counts = [0] * (_PER_DECADE * _DECADES)
    for time in times:
        place = int(math.log10(max(time, _FROM_NS) / _FROM_NS) * _PER_DECADE)
        counts[min(place, len(counts) - 1)] += 1
    return counts
