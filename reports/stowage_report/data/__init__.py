"""Stored results and what follows from them: the model, how it is read, estimates, metrics, verdicts, wording.

Needs only the standard library.
"""

from typing import Callable, Iterable, TypeVar

Item, Key = TypeVar("Item"), TypeVar("Key")


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Lists of those with equal keys, in the order of their first ones."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
