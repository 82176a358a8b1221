"""docs/record/claims.md and the README's section: what is written is what is in the ledger."""

import re

import pytest

from claim_cases import CASES, HOLDS, REFUTED
from make_claims import store_runs
from stowage_report.claims import LEDGER, evaluate
from stowage_report.claims.formats import FEW, claims_page, surprises
from stowage_report.data.load import load_run

CONTRADICTED = ("C1", "C2", "C5", "C8", "C9", "C12", "C15", "C19")


@pytest.fixture
def runs(tmp_path):
    """Each claim's own results in a run of its own; half of them as their authors would not expect them."""
    chosen = {}
    for number, (claim, make, numbers, verdict) in enumerate(CASES):
        if verdict is (REFUTED if claim in CONTRADICTED else HOLDS):
            chosen.setdefault(claim, store_runs(tmp_path / str(number), make(*numbers)))
    return [load_run(directory) for directories in chosen.values() for directory in directories]


def test_the_page_has_every_claim_with_its_test_and_its_command(runs):
    evaluations = evaluate(runs)
    page = claims_page(evaluations, runs)
    assert "Example CPU 9000" in page and "2026-11-20" in page
    for evaluation in evaluations:
        assert f"[{evaluation.claim.id}](#{evaluation.claim.id.lower()})" in page
        assert evaluation.claim.test in page and f"`{evaluation.command}`" in page
        assert f'"{evaluation.claim.quote}" ({evaluation.claim.source}, {evaluation.claim.heading})' in page
        assert evaluation.claim.why in page
    rows = [line for line in page.splitlines() if line.startswith("| [C")]
    assert len(rows) == len(LEDGER) and all(len(re.findall(r"(?<!\\)\|", row)) == 7 for row in rows)


def test_the_most_surprising_are_few_and_decided(runs):
    told = surprises(evaluate(runs), runs)
    assert told.count("\n- **") == FEW and "(CS, C12) *Refuted*" in told
    sentences = [line.rpartition("*: ")[2] for line in told.splitlines() if line.startswith("- **")]
    assert len(sentences) == FEW and not any("; " in sentence for sentence in sentences)
    undecided = surprises(evaluate(runs[:1]), runs)
    assert "C12" not in undecided
