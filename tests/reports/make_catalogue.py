"""The strategies that made-up results are of, and what is typical of each: times the floor, lines, bytes.

A variant is its family with a few percent more or less, which its name decides; what is to be seen in a chart of its
own (the section sizes) is written down.
"""

from __future__ import annotations

import random

#: Times the floor, by kind of work: how far each is from the hand-written loop when all is in cache.
STRATEGIES = {
    "reference": {"visit": 1.0, "find": 1.0, "build": 1.0, "clear": 1.0},
    "naive_objects": {"visit": 9.0, "find": 3.2, "build": 14.0, "clear": 60.0},
    "sparse_direct": {"visit": 1.04, "find": 1.10, "build": 1.45, "clear": 1.6},
    "indirection_map": {"visit": 1.04, "find": 1.16, "build": 1.7, "clear": 2.0},
    "hash_index": {"visit": 1.05, "find": 4.4, "build": 5.5, "clear": 6.0},
    "interleaved_pairs": {"visit": 1.3, "find": 1.12, "build": 1.6, "clear": 2.0},
    "archetype_sections": {"visit": 1.03, "find": 1.19, "build": 1.9, "clear": 1.4},
    "archetype_sections.fixed_32k": {"visit": 1.10, "find": 1.28, "build": 2.1, "clear": 1.8},
}
_LATER = {
    "object_indices": {"visit": 1.04, "find": 1.9, "build": 7.0, "clear": 20.0},
    "offset_table": {"visit": 1.05, "find": 1.2, "build": 2.0, "clear": 2.2},
}
#: Beside the strategies, and in none of their lists.
_BY_HAND = {"form": {"visit": 1.1, "find": 1.1, "build": 1.1, "clear": 1.1}}
_VARIANTS = {
    "offset_table": ("16bit",),
    "indirection_map": ("vectors", "paged", "lazy", "paired", "lanes"),
    "hash_index": ("node_hash", "node_hash_vectors", "fixed_capacity"),
    "archetype_sections": ("fixed_4k", "fixed_16k", "fixed_32k", "fixed_128k", "fixed_32k_free_list", "fixed_32k_arena",
                           "interleaved", "mixed", "byte_stream", "lanes"),
}
_FAMILIES = [name for name in {**STRATEGIES, **_LATER} if "." not in name]
#: All that the suite is to have, in the order of its list.
ALL_STRATEGIES = tuple(name for family in _FAMILIES
                       for name in (family, *(f"{family}.{variant}" for variant in _VARIANTS.get(family, ()))))

#: Lines fetched for the payload, times the floor; lines of the index for each item that has to be found.
_LINES = {
    "reference": (1.0, 0.0), "naive_objects": (4.2, 1.6), "object_indices": (1.0, 1.9), "sparse_direct": (1.02, 0.02),
    "indirection_map": (1.0, 0.9), "hash_index": (1.0, 2.1), "interleaved_pairs": (1.1, 0.95),
    "offset_table": (1.0, 1.0), "archetype_sections": (1.01, 1.0), "archetype_sections.fixed_4k": (1.3, 1.0),
    "archetype_sections.fixed_16k": (1.08, 1.0), "archetype_sections.fixed_32k": (1.04, 1.0),
    "archetype_sections.fixed_128k": (1.015, 1.0), "form": (1.01, 0.0),
}
#: Index and slack in bytes per entity, and how far the peak lies above what is held.
_BYTES = {
    "reference": (0.0, 0.0, 1.0), "naive_objects": (72.0, 24.0, 1.0), "object_indices": (40.0, 8.0, 1.9),
    "sparse_direct": (4.13, 0.5, 1.2), "indirection_map": (16.0, 0.2, 1.9), "hash_index": (27.4, 9.5, 1.7),
    "interleaved_pairs": (16.0, 0.2, 1.9), "offset_table": (24.0, 0.2, 1.9), "archetype_sections": (16.1, 3.0, 1.6),
    "archetype_sections.fixed_4k": (18.0, 0.3, 1.02), "archetype_sections.fixed_16k": (16.8, 0.7, 1.03),
    "archetype_sections.fixed_32k": (16.4, 1.1, 1.05), "archetype_sections.fixed_128k": (16.2, 4.2, 1.1),
    "form": (14.0, 0.2, 1.0),
}


def factors(strategy: str) -> dict[str, float]:
    if strategy in STRATEGIES:
        return STRATEGIES[strategy]
    family = strategy.partition(".")[0]
    plain = {**STRATEGIES, **_LATER, **_BY_HAND}[family]
    return {kind: factor * _peculiarity(strategy, kind) for kind, factor in plain.items()}


def lines(strategy: str) -> tuple[float, float]:
    payload, index = _LINES.get(strategy) or _LINES[strategy.partition(".")[0]]
    return payload * _peculiarity(strategy, "payload"), index * _peculiarity(strategy, "index")


def overhead(strategy: str) -> tuple[float, float, float]:
    """Bytes of index and slack per entity, and the peak as a multiple of all that is held."""
    return _BYTES.get(strategy) or _BYTES[strategy.partition(".")[0]]


def _peculiarity(strategy: str, aspect: str) -> float:
    if "." not in strategy or strategy in (*STRATEGIES, *_LINES):
        return 1.0
    return 0.85 + 0.6 * random.Random(f"{strategy} {aspect}").random()
