"""`stowage claims` hands over to the ledger of the report package: what it passes on, and what comes back."""

import json

import pytest

from conftest import PLAIN_PYTHON  # the ledger needs nothing but Python itself


def test_the_newest_run_is_taken_if_none_is_named(fake, small_run):
    (fake.directory / "results").mkdir()
    (fake.directory / "run").rename(fake.directory / "results" / "20261120-190000-bench-quick")
    outcome = fake("claims", "--format", "json", env=PLAIN_PYTHON).ends_with(0)
    claims = json.loads(outcome.out)
    assert [claim["id"] for claim in claims] == [f"C{number}" for number in range(1, 39)]
    # The fake workloads have nothing that a claim is about; what is computed needs no results.
    assert {claim["id"]: claim["verdict"] for claim in claims}["C9"] == "holds"
    assert "needs" in claims[0]["figure"] and claims[0]["verdict"] == "undecided"


def test_runs_and_claims_can_be_named_and_what_is_computed_needs_no_run(fake, small_run):
    outcome = fake("claims", "run", "--only", "C9,C1", env=PLAIN_PYTHON).ends_with(0)
    assert outcome.out.startswith("C9 ") and "\nC1 " in outcome.out
    assert "\x1b" not in outcome.out
    outcome = fake("claims", "--only", "C9", env=PLAIN_PYTHON)
    assert (outcome.code, outcome.err) == (0, "") and outcome.out.startswith("C9 ")


@pytest.mark.parametrize("arguments, words", [
    (["nowhere"], ["cannot read nowhere/results.json: No such file or directory; give a directory"]),
    (["run", "--format", "html"], ["unknown format 'html'"]),
    (["run", "--only", "C39"], ["unknown claim 'C39'", "C1 to C38"]),
    (["--only", "C99"], ["unknown claim 'C99'", "C1 to C38"]),  # before a missing run
    ([], ["no run in results/", "stowage run"]),
    (["--only", "C9,C1"], ["no run in results/"]),
])
def test_wrong_input_is_refused_in_one_line(fake, small_run, arguments, words):
    fake("claims", *arguments, env=PLAIN_PYTHON).is_refused(2, *words)


def test_without_a_python_nothing_is_said_of_claims(fake, small_run):
    fake("claims", "run", env={"STOWAGE_PYTHON": "/nowhere/python3"}).is_refused(3, "no Python for the claims", "python3")
