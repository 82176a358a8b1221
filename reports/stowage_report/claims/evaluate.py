"""The list of claims, their evaluation on stored results, and the command that repeats the deciding figures."""

import tomllib
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Hashable, Iterable, Mapping, Sequence

from stowage_report.claims import bitsquid, cerulean, elsewhere, games, wicked
from stowage_report.claims.evidence import EXACT, TIME, TIMED, WORLD, Asked, Evidence, Missing, Where, wishes_of
from stowage_report.claims.ruling import Claim, Ruling, Verdict, apart
from stowage_report.commands import line
from stowage_report.console import UserError
from stowage_report.data.estimates import Scatter, scatter_between
from stowage_report.data.model import Run

_PARTS = bitsquid.PARTS | cerulean.PARTS | elsewhere.PARTS | wicked.PARTS | games.PARTS


def _claim(name: str, texts: dict[str, str]) -> Claim:
    source, _, heading = texts.pop("from").partition(": ")
    parts = _PARTS[name]
    return Claim(name, source, heading, parts=tuple(parts.items()) if isinstance(parts, Mapping) else (("", parts),),
                 **{key: " ".join(text.split()) for key, text in texts.items()})


LEDGER: tuple[Claim, ...] = tuple(
    _claim(*item) for item in tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8")).items())


#: Between the commands of a claim about several worlds.
THEN = " && "


@dataclass(frozen=True)
class Evaluation:
    """A claim and what the runs say to it."""

    claim: Claim
    ruling: Ruling
    command: str  # repeats the figures that decided; measures what is missing if nothing is decided
    asked: tuple[Asked, ...] = ()  # the figures that the command gives


def evaluate(runs: Sequence[Run], claims: Sequence[Claim] = LEDGER) -> list[Evaluation]:
    """In the order of the claims. Depends on nothing but the runs: a claim that times decide is judged among all of the
    ledger that do, whichever are asked for."""
    timed = _judged_together(runs) if any(map(_asks_for_times, claims)) else {}
    return [timed.get(claim.id) or _evaluation(claim, runs) for claim in claims]


def _judged_together(runs: Sequence[Run]) -> dict[str, Evaluation]:
    """By id, those that times decide. Together they are wrong no more often than one alone, by Holm's correction: each is
    judged as one of all, then those that are still undecided as one of these, until that decides no more."""
    places = _places(runs)
    pending = [claim for claim in LEDGER if claim.id in places]
    evaluations: dict[str, Evaluation] = {}
    while pending:
        judged = [_judged(claim, runs, places[claim.id], len(pending)) for claim in pending]
        evaluations |= {each.claim.id: each for each in judged}
        still = [each.claim for each in undecided(judged)]
        if len(still) == len(pending):
            break
        pending = still
    return evaluations


def _places(runs: Sequence[Run]) -> dict[str, Mapping[Hashable, Sequence[float]]]:
    """What processes measured in each place of a claim, by the id of each claim that has any times."""
    found = {claim.id: _processes(claim, runs) for claim in LEDGER if _asks_for_times(claim)}
    return {name: processes for name, processes in found.items() if processes}


def _judged(claim: Claim, runs: Sequence[Run], places: Mapping[Hashable, Sequence[float]], claims: int) -> Evaluation:
    """By how far processes scatter in all places together. That all of them agree by chance is rarer than that one errs; that
    any two differ is not, so it has to be certain for all places at once."""
    scatter = scatter_between(places.values())
    judged = _evaluation(claim, runs, scatter, claims)
    if judged.ruling.verdict is Verdict.DEPENDS:
        judged = _evaluation(claim, runs, scatter, claims * len(places))
    return judged


def _processes(claim: Claim, runs: Sequence[Run]) -> dict[Hashable, Sequence[float]]:
    """Of the times that decide its parts; none of a part of which something is missing."""
    found: dict[Hashable, Sequence[float]] = {}
    for _, part in claim.parts:
        evidence = Evidence(runs)
        with suppress(Missing):
            part(evidence)
            found |= evidence.processes
    return found


@cache
def _asks_for_times(claim: Claim) -> bool:
    return any(asked.metric in TIMED for _, part in claim.parts for asked in wishes_of(part))


def needs_results(claims: Sequence[Claim]) -> bool:
    """Whether any of them asks for figures: what is computed is the same without a run."""
    return any(wishes_of(part) for claim in claims for _, part in claim.parts)


def claims_named(ids: Sequence[str]) -> list[Claim]:
    """All of them if none is named. Raises UserError for an id that no claim has."""
    known = {claim.id: claim for claim in LEDGER}
    for name in ids:
        if name.upper() not in known:
            raise UserError(f"unknown claim '{name}'; there are {LEDGER[0].id} to {LEDGER[-1].id}")
    return [known[name] for name in dict.fromkeys(name.upper() for name in ids)] or list(LEDGER)


def _evaluation(claim: Claim, runs: Sequence[Run], scatter: Scatter | None = None, comparisons: int = 1) -> Evaluation:
    rulings: dict[str, Ruling] = {}
    asked: list[Asked] = []
    for name, part in claim.parts:
        evidence = Evidence(runs, scatter, comparisons)
        try:
            rulings[name] = part(evidence)
            asked += evidence.asked
        except Missing as missing:
            lacks_values = evidence.preset == "quick"
            needs = f"needs {'--preset standard: ' * lacks_values}{missing}"
            rulings[name] = Ruling(Verdict.UNDECIDED, needs)
            asked += wishes_of(part)
    computed = f"stowage claims --only {claim.id}"  # and not measured
    return Evaluation(claim, apart(rulings), command(asked, Evidence(runs).preset) or computed, tuple(asked))


def undecided(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    return [each for each in evaluations if each.ruling.verdict is Verdict.UNDECIDED]


def deciding_command(evaluations: Sequence[Evaluation], runs: Sequence[Run]) -> str:
    """The one command that measures what all of these ask for. It selects whole workloads and strategies: a regular
    expression for every cell would be too long to read."""
    asked = [Asked(Where(each.place.workload, ((WORLD, each.place.world),) * bool(each.place.world)), each.strategies, TIME)
             for evaluation in evaluations for each in evaluation.asked]
    return command(asked, Evidence(runs).preset)


def command(figures: Sequence[Asked], preset: str) -> str:
    """`stowage cache` if exact counts were all that was asked for; empty if nothing was. In the preset of the run
    that has them. A command for each world."""
    worlds = dict.fromkeys(asked.place.world for asked in figures)
    return THEN.join(_command([asked for asked in figures if asked.place.world == world], preset, world) for world in worlds)


def _command(figures: Sequence[Asked], preset: str, world: str) -> str:
    places = [replace(asked.place, parameters=tuple(each for each in asked.place.parameters if each[0] != WORLD))
              for asked in figures]
    exact = all(asked.metric in EXACT for asked in figures)
    # `quick` has neither all values nor all variants; a user who named others in such a run can name them again.
    words = ["stowage", "cache" if exact else "run", "--preset", "standard" if preset == "quick" else preset,
             "--workloads", _list(place.workload for place in places),
             "--strategies", _list(name for asked in figures for name in asked.strategies)]
    if world:
        words += ["--world", f"profiles/{world}.toml"]
    if all(place.entities is not None for place in places):
        words += ["--entities", _list(map(str, sorted({place.entities for place in places})))]
    if any(place.parameters for place in places):
        words += ["--cells", "|".join(_cells(places))]
    return line(*words)


def _list(names: Iterable[str]) -> str:
    return ",".join(dict.fromkeys(names))


def _cells(places: Iterable[Where]) -> list[str]:
    """Regular expressions that are searched for in names of cells: one for places that differ in one value alone."""
    found: list[Parts] = []
    for place in dict.fromkeys(((place.workload,), *place.parameters) for place in places):
        merged = next((other for other in found if _merged(other, place)), None)
        if merged is None:
            found.append(place)
        else:
            found[found.index(merged)] = _merged(merged, place)
    return [f"^{workload[0]}/" + ".*/" * bool(keys) + "/(.*/)?".join(f"{key[0]}:{_any_of(key[1:])}" for key in keys)
            + "(/|$)" * bool(keys) for workload, *keys in found]


#: The workload, then for each parameter its key and the values that are meant.
Parts = tuple[tuple[str, ...], ...]


def _merged(one: Parts, other: Parts) -> Parts | None:
    """None if they differ in more than the values of one parameter."""
    if [part[0] for part in one] != [part[0] for part in other]:
        return None
    different = [index for index, parts in enumerate(zip(one, other)) if parts[0] != parts[1]]
    if len(different) > 1:
        return None
    return tuple((first[0], *dict.fromkeys(first[1:] + second[1:])) for first, second in zip(one, other))


def _any_of(values: tuple[str, ...]) -> str:
    return values[0] if len(values) == 1 else f"({'|'.join(values)})"
