"""Puts claims to stored results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from stowage_report.claims.command import claims_command, command
from stowage_report.claims.evidence import TIME, Asked, Evidence, Missing, Where
from stowage_report.claims.ledger import LEDGER
from stowage_report.claims.ruling import Claim, Ruling, Verdict, all_of
from stowage_report.claims.wishes import wishes_of
from stowage_report.data.model import Run
from stowage_report.errors import UserError


@dataclass(frozen=True)
class Evaluation:
    """A claim and what the runs say to it."""

    claim: Claim
    ruling: Ruling
    command: str  # repeats the figures that decided; measures what is missing where nothing is decided
    asked: tuple[Asked, ...] = ()  # the figures that the command gives


def evaluate(runs: Sequence[Run], claims: Sequence[Claim] = LEDGER) -> list[Evaluation]:
    """In the order of the claims. Depends on nothing but the runs."""
    return [_evaluation(claim, runs) for claim in claims]


def needs_results(claims: Sequence[Claim]) -> bool:
    """Whether any of them asks for figures: what is computed is the same without a run."""
    return any(wishes_of(part) for claim in claims for part in claim.parts)


def claims_named(ids: Sequence[str]) -> list[Claim]:
    """All of them where none is named. Raises UserError for an id that no claim has."""
    known = {claim.id: claim for claim in LEDGER}
    for name in ids:
        if name.upper() not in known:
            raise UserError(f"unknown claim '{name}'; there are {LEDGER[0].id} to {LEDGER[-1].id}")
    return [known[name] for name in dict.fromkeys(name.upper() for name in ids)] or list(LEDGER)


def _evaluation(claim: Claim, runs: Sequence[Run]) -> Evaluation:
    rulings, asked = [], []
    for part in claim.parts:
        evidence = Evidence(runs)
        try:
            rulings.append(part(evidence))
            asked += evidence.asked
        except Missing as missing:
            lacks_values = evidence.preset == "quick"
            needs = f"needs {'--preset standard: ' * lacks_values}{missing}"
            rulings.append(Ruling(Verdict.UNDECIDED, needs))
            asked += wishes_of(part)
    return Evaluation(claim, all_of(rulings), command(asked, Evidence(runs).preset) or claims_command(claim.id),
                      tuple(asked))


def undecided(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    return [each for each in evaluations if each.ruling.verdict is Verdict.UNDECIDED]


def deciding_command(evaluations: Sequence[Evaluation], runs: Sequence[Run]) -> str:
    """The one command that measures what all of these ask for. It selects whole workloads and strategies: a regular
    expression for every cell would be too long to read."""
    asked = [Asked(Where(each.place.workload), each.strategies, TIME) for evaluation in evaluations
             for each in evaluation.asked]
    return command(asked, Evidence(runs).preset)
