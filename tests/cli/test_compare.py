"""`stowage compare` hands over to the report package: which runs it passes on, and what comes back."""

import json
import shutil
import subprocess

import pytest

from conftest import PLAIN_PYTHON as PYTHON, script  # the comparison needs nothing but Python itself


@pytest.fixture
def compare(fake):
    return lambda *arguments: fake("compare", *arguments, env=PYTHON)


def copied(fake, target, factor):
    """A copy of the run whose times no clock has made: all but the reference's took so many times as long."""
    shutil.copytree(fake.directory / "run", fake.directory / target)
    results = fake.results(target)
    for entry in results["benchmarks"]:
        ratio = 1 if "/reference/" in entry["name"] else factor
        entry |= {"real_time": 100 * ratio, "cpu_time": 100 * ratio, "ratio_to_reference": ratio}
    (fake.directory / target / "results.json").write_text(json.dumps(results))


def test_what_stowage_itself_writes_is_read(fake, compare, small_run):
    outcome = compare("run", "run", "--format", "json", "--fail-above", "0%")
    assert (outcome.code, outcome.err) == (0, "")
    comparison = json.loads(outcome.out)
    assert comparison["differences"] == [] and comparison["fail_above"]["exceeded"] is False
    assert comparison["counts"]["changes"] == [] and comparison["counts"]["figures"] > 0
    assert all(cell["ratio"] == 1 and cell["of"] == "ratio_to_reference" for cell in comparison["time"]["cells"])


def test_a_negative_answer_is_an_exit_code_and_one_line(fake, compare, small_run):
    copied(fake, "fast", 1)
    copied(fake, "slow", 5)
    outcome = compare("fast", "slow", "--fail-above", "50%", "--format", "json")
    assert outcome.code == 1 and json.loads(outcome.out)["fail_above"]["exceeded"] is True
    assert len(outcome.err.splitlines()) == 1 and "cells in time" in outcome.err
    assert compare("fast", "slow").code == 0
    assert compare("slow", "fast", "--fail-above", "50%", "--format", "markdown").code == 0


def test_a_crash_is_no_answer(fake, small_run):
    python = script(fake.directory / "python", '[ "$1" = -c ] || exit 70')
    fake("compare", "run", "run", env={"STOWAGE_PYTHON": python}).is_refused(3, "the comparison could not be made")


def test_the_newest_run_is_after_and_the_one_before_it_before(fake, compare, small_run):
    (fake.directory / "results").mkdir()
    for name in ("20250101-000000-vm-quick", "20260101-000000-vm-quick", "20260601-000000-vm-quick"):
        shutil.copytree(fake.directory / "run", fake.directory / "results" / name)
        (fake.directory / "results" / name / "results.json").touch()
    comparison = json.loads(compare("--format", "json").out)
    assert "20260101" in comparison["before"] and "20260601" in comparison["after"]
    comparison = json.loads(compare("results/20250101-000000-vm-quick", "--format", "json").out)
    assert "20250101" in comparison["before"] and "20260601" in comparison["after"]
    newest = "results/20260601-000000-vm-quick"
    compare(newest).is_refused(2, newest, "is the newest run")


REFUSED = {
    "no run at all": ((), "no run in results/"),
    "a third run": (("run", "run", "c.json"), "'c.json' is a third run"),
    "one that is not there": (("rnu",), "cannot read rnu: No such file or directory; did you mean 'run'?"),
    "no such file": (("run", "nowhere/b.json"), "cannot read nowhere/b.json: No such file or directory; give a run directory"),
    "unknown format": (("run", "run", "--format", "markdwon"), "did you mean 'markdown'?"),
    "unknown flag": (("run", "run", "--fail-abov", "5%"), "did you mean '--fail-above'?"),
    "limit without a sign": (("run", "run", "--fail-above", "5"), "such as 5%"),
    "two limits": (("run", "run", "--fail-above", "5%", "--fail-above", "7%"), "--fail-above is given 2 times"),
    "negative limit": (("run", "run", "--fail-above=-5%"), "--fail-above '-5%'"),
}


@pytest.mark.parametrize("arguments, words", [pytest.param(*case, id=name) for name, case in REFUSED.items()])
def test_is_refused(compare, small_run, arguments, words):
    compare(*arguments).is_refused(2, words)


def test_a_file_that_the_disk_does_not_give_is_no_mistake_of_the_user(compare, small_run):
    compare("run", "/proc/self/mem").is_refused(3, "cannot read /proc/self/mem: Input/output error")


def test_a_pipe_is_a_file_and_comparing_writes_nothing(fake, small_run):
    before = sorted(fake.directory.rglob("*"))
    process = fake.start("compare", "run", "/dev/stdin", stdin=subprocess.PIPE, env=PYTHON)
    out, err = process.communicate((fake.directory / "run" / "results.json").read_text(), timeout=300)
    assert process.returncode == 0, err
    assert "after   /dev/stdin" in out and sorted(fake.directory.rglob("*")) == before
