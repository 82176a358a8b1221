"""The command line that repeats the figures a claim was decided by."""

from __future__ import annotations

from typing import Iterable, Sequence

from stowage_report.claims.evidence import EXACT, Asked, Where


def claims_command(claim: str) -> str:
    """Of what is computed and not measured."""
    return f"stowage claims --only {claim}"


def command(figures: Sequence[Asked], preset: str) -> str:
    """`stowage cache` where exact counts were all that was asked for; empty where nothing was. In the preset of the run
    that has them."""
    if not figures:
        return ""
    places = [asked.place for asked in figures]
    exact = all(asked.metric in EXACT for asked in figures)
    words = ["stowage cache" if exact else "stowage run", f"--preset {_with_all(preset)}",
             f"--workloads {_list(place.workload for place in places)}",
             f"--strategies {_list(name for asked in figures for name in asked.strategies)}"]
    if all(place.entities is not None for place in places):
        words.append(f"--entities {_list(map(str, sorted({place.entities for place in places})))}")
    if any(place.parameters for place in places):
        words.append(f"--cells '{'|'.join(_cells(places))}'")
    return " ".join(words)


def _with_all(preset: str) -> str:
    """`quick` has neither all values nor all variants; whoever named others in a run of it can do so again."""
    return "standard" if preset == "quick" else preset


def _list(names: Iterable[str]) -> str:
    return ",".join(dict.fromkeys(names))


def _cells(places: Iterable[Where]) -> list[str]:
    """Regular expressions that are searched for in names of cells: one for places that differ in one value alone."""
    found: list[Parts] = []
    for place in dict.fromkeys(map(_parts, places)):
        merged = next((other for other in found if _merged(other, place)), None)
        if merged is None:
            found.append(place)
        else:
            found[found.index(merged)] = _merged(merged, place)
    return [f"^{workload[0]}/" + "".join(f".*/{key[0]}:{_any_of(key[1:])}" for key in keys) + "(/|$)" * bool(keys)
            for workload, *keys in found]


#: The workload, then for each parameter its key and the values that are meant.
Parts = tuple[tuple[str, ...], ...]


def _parts(place: Where) -> Parts:
    return ((place.workload,), *place.parameters)


def _merged(one: Parts, other: Parts) -> Parts | None:
    """None where they differ in more than the values of one parameter."""
    if [part[0] for part in one] != [part[0] for part in other]:
        return None
    different = [index for index, parts in enumerate(zip(one, other)) if parts[0] != parts[1]]
    if len(different) > 1:
        return None
    return tuple((first[0], *dict.fromkeys(first[1:] + second[1:])) for first, second in zip(one, other))


def _any_of(values: tuple[str, ...]) -> str:
    return values[0] if len(values) == 1 else f"({'|'.join(values)})"
