"""The strategies and workloads that made-up results are of, and what is typical of each.

A variant is its family with a few percent more or less, which its name decides.
"""

import random
from dataclasses import dataclass, field

#: Times the floor when all is in cache, by kind of work.
KINDS = ("visit", "find", "build")
_TIMES = {
    "reference": (1.0, 1.0, 1.0), "naive_objects": (9.0, 3.2, 14.0), "sparse_direct": (1.04, 1.10, 1.45),
    "indirection_map": (1.04, 1.16, 1.7), "hash_index": (1.05, 4.4, 5.5), "interleaved_pairs": (1.3, 1.12, 1.6),
    "archetype_sections": (1.03, 1.19, 1.9), "archetype_sections.fixed_32k": (1.10, 1.28, 2.1),
    "object_indices": (1.04, 1.9, 7.0), "offset_table": (1.05, 1.2, 2.0), "form": (1.1, 1.1, 1.1),
}
#: What a run is of if nothing else is said.
STRATEGIES = list(_TIMES)[:8]
_VARIANTS = {
    "offset_table": ("16bit",),
    "indirection_map": ("vectors", "paged", "lazy", "paired", "lanes"),
    "hash_index": ("node_hash", "node_hash_vectors", "fixed_capacity"),
    "archetype_sections": ("fixed_4k", "fixed_16k", "fixed_32k", "fixed_128k", "fixed_32k_free_list", "fixed_32k_arena",
                           "interleaved", "mixed", "byte_stream", "lanes"),
}
#: All that the suite is to have, in the order of its list; `form` is beside the strategies.
ALL_STRATEGIES = tuple(name for family in _TIMES if "." not in family and family != "form"
                       for name in (family, *(f"{family}.{variant}" for variant in _VARIANTS.get(family, ()))))
#: The yardstick of loops that share a workload among threads; in no list.
BANDWIDTH = "reference.bandwidth"

#: Lines fetched for the payload, times the floor; lines of the index for each item that has to be found.
_LINES = {
    "reference": (1.0, 0.0), "naive_objects": (4.2, 1.6), "object_indices": (1.0, 1.9), "sparse_direct": (1.02, 0.02),
    "indirection_map": (1.0, 0.9), "hash_index": (1.0, 2.1), "interleaved_pairs": (1.1, 0.95),
    "offset_table": (1.0, 1.0), "archetype_sections": (1.01, 1.0),
    "archetype_sections.fixed_32k": (1.04, 1.0), "form": (1.01, 0.0),
}
#: Index and slack in bytes per entity, and how far the peak lies above what is held.
_BYTES = {
    "reference": (0.0, 0.0, 1.0), "naive_objects": (72.0, 24.0, 1.0), "object_indices": (40.0, 8.0, 1.9),
    "sparse_direct": (4.13, 0.5, 1.2), "indirection_map": (16.0, 0.2, 1.9), "hash_index": (27.4, 9.5, 1.7),
    "interleaved_pairs": (16.0, 0.2, 1.9), "offset_table": (24.0, 0.2, 1.9), "archetype_sections": (16.1, 3.0, 1.6),
    "archetype_sections.fixed_32k": (16.4, 1.1, 1.05), "form": (14.0, 0.2, 1.0),
}


@dataclass(frozen=True)
class Workload:
    ns: float  # of the floor for an item, in cache
    growth: float  # how much more that is at the largest size
    needed: int  # bytes that the work needs of an item
    kind: str = "visit"
    axes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    frames: int = 0  # of a cell, if it is measured frame by frame


WORKLOADS = {
    "point_mass": Workload(0.17, 7, 36),
    "join": Workload(0.4, 4, 40, axes={"order": ("same", "unrelated", "grouped"), "via": ("each", "find")}),
    "lookup": Workload(1.4, 9, 40, "find", {"components": ("1", "4")}),
    "create": Workload(5.8, 1.4, 40, "build", {"how": ("single", "bulk"), "memory": ("reserved", "growing")}),
    "destroy": Workload(3.1, 2.2, 8, "build", {"how": ("each_in_order", "each_shuffled", "clear")}),
    "occupancy": Workload(0.2, 7, 36, axes={"share": ("1", "5", "10", "25", "50", "75", "100")}),
    "churn": Workload(30.0, 3, 88, "build", {"rate": ("0.1", "1", "10"), "payload": ("16", "64", "256")}, 2000),
    "aging": Workload(0.3, 6, 36, axes={"work": ("point_mass", "join", "join_grouped", "lookup", "despawn"),
                                        "frames": ("0", "10", "100", "1000"), "defragment": ("no", "yes")}),
    "fragmented": Workload(0.2, 7, 36, axes={"sets": ("1", "4", "16", "64")}),
    "spike": Workload(9.0, 1.5, 40, "build", {"memory": ("growing", "reserved")}, 600),
    "despawn": Workload(4000.0, 1, 3000, "build", {"dead": ("0", "1", "50", "90", "99")}, 600),
    "hierarchy_deep": Workload(3.0, 1.5, 132),
    # of a machine with many processors; one with two has the first two
    "point_mass_parallel": Workload(0.3, 5, 36, axes={"threads": ("1", "2", "4", "8", "16", "32", "64")}),
}


def _of(table: dict[str, tuple], strategy: str) -> tuple:
    return table.get(strategy) or table[strategy.partition(".")[0]]


def factor(strategy: str, kind: str) -> float:
    return _of(_TIMES, strategy)[KINDS.index(kind)] * _peculiarity(strategy, kind)


def lines(strategy: str) -> tuple[float, float]:
    payload, index = _of(_LINES, strategy)
    return payload * _peculiarity(strategy, "payload"), index * _peculiarity(strategy, "index")


def overhead(strategy: str) -> tuple[float, float, float]:
    """Bytes of index and slack per entity, and the peak as a multiple of all that is held."""
    return _of(_BYTES, strategy)


def _peculiarity(strategy: str, aspect: str) -> float:
    if "." not in strategy or strategy in _LINES:
        return 1.0
    return 0.85 + 0.6 * random.Random(f"{strategy} {aspect}").random()
