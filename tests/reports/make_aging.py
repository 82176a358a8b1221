"""What is particular to the workloads that age a storage: which cells exist, how times and bytes move, frame times."""

from __future__ import annotations

import math
import random

import make_threads
from make_catalogue import overhead

#: Which exist beside the plain ones, with all their values.
AXES = {
    "point_mass_subset": {"bytes": ("16", "32", "64", "128", "256")},
    "occupancy": {"share": ("1", "5", "10", "25", "50", "75", "100")},
    "churn": {"rate": ("0.1", "1", "10"), "payload": ("16", "64", "256")},
    "aging": {"work": ("point_mass", "join", "join_grouped", "lookup", "despawn"), "frames": ("0", "10", "100", "1000"),
              "defragment": ("no", "yes")},
    "structural": {"others": ("1", "4", "8"), "sets": ("1", "10", "100", "1000"), "grouped": ("no", "yes")},
    "fragmented": {"sets": ("1", "4", "16", "64")},
    "spike": {"memory": ("growing", "reserved")},
    "multi_instance": {"instances": ("1", "2", "4", "8")},
    "despawn": {"dead": ("0", "1", "50", "90")},
    "removal": {"rows": ("any", "ordered")},
}
#: ns per item in cache, and how much more it takes at the largest size.
FLOORS = {"point_mass_subset": (0.12, 8), "occupancy": (0.2, 7), "churn": (30.0, 3), "aging": (0.3, 6),
          "structural": (8.0, 3), "fragmented": (0.2, 7), "spike": (9.0, 1.5), "multi_instance": (1.0, 8),
          "despawn": (4000.0, 1), "removal": (6.0, 3), "hierarchy_deep": (3.0, 1.5)}
#: Entities of those that are not measured at every size.
SIZES = {"occupancy": (1024, 16384, 1 << 20), "churn": (16384, 262144), "aging": (16384, 100000),
         "structural": (16384,), "fragmented": (16384, 262144), "spike": (16384, 262144),
         "multi_instance": (16384, 65536), "point_mass_subset": (16384, 1 << 20),
         "despawn": (100000,), "removal": (1024, 16384)}
FRAMED = {"churn": 2000, "spike": 600, "aging": 2000, "despawn": 600}  # frames of a cell
#: Of a histogram of frame times, as the harness makes it.
_PER_DECADE, _FROM_NS, _DECADES = 8, 100.0, 6


def kind_of(workload: str, parameters: dict[str, str]) -> str:
    if workload in ("churn", "structural", "spike", "despawn", "removal"):
        return "build"
    return "find" if workload == "multi_instance" or parameters.get("work") == "lookup" else "visit"


def possible(workload: str, strategy: str, entities: int, parameters: dict[str, str]) -> bool:
    """Not every strategy can do everything."""
    if strategy == make_threads.BANDWIDTH:
        return "threads" in parameters
    if strategy.endswith(".16bit") and entities > 65535:
        return False
    if strategy.endswith(".fixed_capacity") and parameters.get("memory") == "growing":
        return False
    if workload == "structural":
        return parameters["grouped"] == "no" or (parameters["others"], parameters["sets"]) == ("4", "1")
    if workload == "removal":
        return parameters["rows"] == "any" or strategy.split(".")[0] in ("reference", "indirection_map", "hash_index")
    if workload != "aging":
        return True
    despawns, young = parameters["work"] == "despawn", parameters["frames"] == "0"
    if despawns and not young:
        return False
    if parameters["work"] == "join_grouped" and parameters["defragment"] == "yes":
        return False
    tidies = strategy == "reference" or "sections.fixed" in strategy or strategy.endswith(".lazy")
    return parameters["defragment"] == "no" or (tidies and (despawns or not young))


def is_framed(workload: str, parameters: dict[str, str]) -> bool:
    if workload == "aging":
        return (parameters["work"], parameters["frames"]) == ("point_mass", "100")
    return workload in FRAMED


def slowdown(workload: str, strategy: str, parameters: dict[str, str]) -> float:
    """Times what the floor and the kind of work say."""
    if "threads" in parameters:
        return make_threads.slowdown(strategy, int(parameters["threads"]))
    if strategy == "reference":
        return 1.0
    if workload == "hierarchy_deep" and strategy == "form.recursion":  # twice a linear form's when flat
        return 2.2 / (1 + 0.15 * math.log2(float(parameters["depth"])))
    if workload == "occupancy" and strategy == "sparse_direct":
        return (0.8 + 12 / float(parameters["share"])) * 0.75
    if workload == "occupancy" and "lookup" not in strategy:
        return 1 + 0.002 * float(parameters["share"])
    if workload == "aging":
        worn = math.log10(1 + float(parameters["frames"])) * (0.4 if "archetype" in strategy else 0.12)
        return 1 + worn * (0.15 if parameters["defragment"] == "yes" else 1)
    if workload in ("fragmented", "structural"):
        return 1 + 0.15 * math.log2(float(parameters["sets"])) * ("archetype" in strategy)
    if workload == "point_mass_subset":
        return 1 + (float(parameters["bytes"]) / 64) * (strategy in ("interleaved_pairs", "naive_objects"))
    return 1.0


def owners(workload: str, entities: int, parameters: dict[str, str]) -> int:
    return max(1, entities * int(parameters["share"]) // 100) if workload == "occupancy" else entities


def bytes_counters(workload: str, strategy: str, counters: dict[str, float],
                   parameters: dict[str, str]) -> dict[str, float]:
    """Memory as the plain workloads have it, changed to what the workload is about."""
    if workload == "occupancy":
        share = float(parameters["share"]) / 100
        holes = {"sparse_direct": 1.0, "naive_objects": share}.get(strategy, share)
        index = counters["index_bytes_per_entity"] * (share if strategy.startswith(("hash", "naive")) else 1.0)
        return _totals(counters, 40 * share, index, 40 * (holes - share) + overhead(strategy)[1] * share)
    if parameters.get("work") == "despawn":
        kept = {"naive_objects": 0.1, "archetype_sections": 1.0}.get(strategy, 0.4 if "fixed" in strategy else 0.8)
        kept *= 0.3 if parameters["defragment"] == "yes" else 1.0
        return _totals(counters, 4.0, counters["index_bytes_per_entity"], 36 * kept)
    if workload == "fragmented" and ".fixed_" in strategy and "sections" in strategy:
        size = float(strategy.partition("fixed_")[2].partition("k")[0]) * 1024
        return _totals(counters, 40.0, counters["index_bytes_per_entity"], size * float(parameters["sets"]) / 2 / 16384)
    return counters


def _totals(counters: dict[str, float], payload: float, index: float, slack: float) -> dict[str, float]:
    total = payload + index + slack
    return counters | {"payload_bytes_per_entity": payload, "index_bytes_per_entity": index,
                       "slack_bytes_per_entity": slack, "bytes_per_entity": total,
                       "peak_bytes_per_entity": total * 1.2}


def frame_figures(workload: str, strategy: str, frame_ns: float, parameters: dict[str, str]) -> dict:
    """Counters of the frames pass, and the histogram; a frame's times are log-normal with one frame far out."""
    rng = random.Random(f"frames {workload} {strategy} {parameters}")
    growing = ("indirection_map", "archetype_sections", "hash_index")
    grows = strategy in growing and parameters.get("memory") != "reserved"
    times = sorted(frame_ns * math.exp(rng.gauss(0, 0.08)) for _ in range(FRAMED[workload] - 1))
    times.append(times[-1] * (60 if grows else 1.3))
    share = {ms: sum(time > ms * 1e6 for time in times) / len(times) for ms in (8.3, 16.6)}
    figures = {"frames": len(times), "frame_max_ns": times[-1],
               **_quantile(times, "frame_p50_ns", 0.5), **_quantile(times, "frame_p99_ns", 0.99),
               **_quantile(times, "frame_spike_ns", 127 / 128),
               "frame_over_8_3_ms_share": share[8.3], "frame_over_16_6_ms_share": share[16.6],
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
