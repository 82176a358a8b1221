"""docs/claims.md and the README's section: the verdicts of one machine, for those who have not measured their own."""

from __future__ import annotations

from typing import Sequence

from stowage_report.claims.evaluate import Evaluation
from stowage_report.claims.evidence import LEAST_TELLING
from stowage_report.claims.formats import interval_text, summary
from stowage_report.claims.ruling import Verdict
from stowage_report.data.environment import machine_summary
from stowage_report.data.model import Run

#: Those that most readers would have believed otherwise; where one is not decided the next takes its place.
SURPRISING = ("C12", "C13", "C15", "C3", "C7", "C4", "C11", "C21")
FEW = 5

_HEADING = """# The claims, as measured here

Made by `scripts/checks/claims` from {runs}. B1 and B2 are Bitsquid's articles on entities and on components,
CS is Cerulean Skies, NG Nomad, WE Wicked Engine. {machine}

Where exact counts of simulated caches can decide, they do, misses from {telling:,} entities on, which no first-level
cache holds; times decide only where their 95 % intervals leave no doubt.
`stowage claims` says the same of your own run: verdicts are a function of stored results. The entries are below
`reports/stowage_report/claims/`. {summary}
"""

_TABLE = """
| | from | claim | verdict | figure | interval |
| --- | --- | --- | --- | --- | --- |
"""

_TESTS = """
## How each was put to the test
"""


def claims_page(evaluations: Sequence[Evaluation], runs: Sequence[Run]) -> str:
    heading = _HEADING.format(runs=_runs(runs), machine=_machine(runs), summary=summary(evaluations),
                              telling=LEAST_TELLING)
    rows = "".join(_row(evaluation) for evaluation in evaluations)
    return heading + _TABLE + rows + _TESTS + "".join(map(_test, evaluations))


def surprises(evaluations: Sequence[Evaluation], runs: Sequence[Run]) -> str:
    """The README's section."""
    decided = {evaluation.claim.id: evaluation for evaluation in evaluations
               if evaluation.ruling.verdict is not Verdict.UNDECIDED}
    told = [decided[name] for name in SURPRISING if name in decided][:FEW]
    lines = [f"- **{_sentence(each.claim.statement)}** ({each.claim.source}, {each.claim.id}) "
             f"*{each.ruling.verdict.value.capitalize()}*: {each.ruling.figure}." for each in told]
    return "\n".join([f"{summary(evaluations)} {_machine(runs)} The most surprising:", "", *lines])


def _sentence(statement: str) -> str:
    return f"{statement[0].upper()}{statement[1:]}."


def _machine(runs: Sequence[Run]) -> str:
    dates = sorted({str(run.host.get("date", ""))[:10] for run in runs} - {""})
    known = next((run for run in runs if run.record.get("cpu_model")), runs[0])
    return f"Measured on {machine_summary(known)}{', ' * bool(dates)}{' and '.join(dates)}."


def _runs(runs: Sequence[Run]) -> str:
    """Where several decide, the first that has a figure gives it."""
    presets = list(dict.fromkeys(str(run.record.get("preset", "")) for run in runs))
    named = " and ".join(f"`{preset}`" for preset in presets)
    return f"runs of parts of {named}, some on a busy machine" if len(runs) > 1 else f"a run of {named}"


def _row(evaluation: Evaluation) -> str:
    claim, ruling = evaluation.claim, evaluation.ruling
    cells = (f"[{claim.id}](#{claim.id.lower()})", claim.source, claim.statement, f"**{ruling.verdict.value}**",
             ruling.figure, interval_text(ruling.interval))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _test(evaluation: Evaluation) -> str:
    claim = evaluation.claim
    return (f"\n### {claim.id}\n\n{_sentence(claim.statement)} **{evaluation.ruling.verdict.value}**\n\n"
            f"{claim.test} Refuted by: {claim.refuted_by}.\n\n    {evaluation.command}\n")
