"""What needs no storage and no clock: claims about published schemes, which are run here as they were published.

That the library's registries do the same is held by tests/strategies/registry.cpp.
"""

import math
from collections import deque
from functools import cache

#: Bitsquid's, "a minimum of 1024 free indices"; ids of Wicked Engine's first scheme are 1 to INT_MAX.
GENERATION_BITS, WAITING = 8, 1024
RANDOM_IDS = 2**31 - 1
#: Of a large scene, as the workloads have it.
MANY_ENTITIES = 262_144


@cache  # it takes a third of a second, and each table of claims asks
def destructions_until_an_id_returns(generation_bits: int = GENERATION_BITS, waiting: int = WAITING) -> int:
    """Of one entity at a time, which is created, destroyed and created again: no other entity's indices delay its own.

    A freed index is used again when at least `waiting` wait, first in, first out.
    """
    generations: list[int] = []
    free: deque[int] = deque()
    destroyed = 0
    while True:
        if len(free) >= waiting:
            index = free.popleft()
        else:
            index = len(generations)
            generations.append(0)
        if generations[index] == 2**generation_bits:  # one more than its bits hold: the id of its first life
            return destroyed
        generations[index] += 1
        free.append(index)
        destroyed += 1


def ids_until_a_collision_is_likely(of: int = RANDOM_IDS) -> int:
    """The fewest of which some are equal with a probability of a half or more."""
    distinct = 0.0  # logarithm of the probability that all are
    ids = 0
    while distinct > math.log(0.5):
        distinct += math.log1p(-ids / of)
        ids += 1
    return ids
