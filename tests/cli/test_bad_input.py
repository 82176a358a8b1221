"""Whatever cannot be done is said in one line that names it, before anything is measured."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from conftest import SMALL

REFUSED = {
    "no command": ((), "no command"),
    "unknown command": (("rnu",), "unknown command 'rnu'; did you mean 'run'?"),
    "unknown flag": (("run", "--presett", "quick"), "unknown flag '--presett'; did you mean '--preset'?"),
    "flag without value": (("run", "--entities"), "--entities"),
    "superfluous word": (("run", "quick"), "'quick'"),
    "unknown strategy": (("run", "--strategies", "fats"), "unknown strategy 'fats'; did you mean 'fast'?"),
    "strategy like no other": (("run", "--strategies", "linked_list"), "stowage list strategies"),
    "empty strategy": (("run", "--strategies", "fast,"), "unknown strategy ''"),
    "unknown workload": (("verify", "--workloads", "wlak"), "unknown workload 'wlak'; did you mean 'walk'?"),
    "unknown preset": (("run", "--preset", "quik"), "unknown preset 'quik'; did you mean 'quick'?"),
    "no entities": (("run", "--entities", "0"), "--entities 0"),
    "negative": (("run", "--entities", "-5"), "'-5' is not a number"),
    "negative, attached": (("run", "--entities=-5"), "'-5' is not a number"),
    "not a number": (("run", "--entities", "many"), "'many' is not a number"),
    "unknown unit": (("run", "--entities", "1G"), "'1G' is not a number"),
    "beyond the handle": (("run", "--entities", "4096M"), "index bits"),
    "beyond the memory": (("run", "--entities", "4095M"), "GiB"),
    "no such shard": (("run", "--shard", "3/2"), "--shard '3/2'"),
    "empty shard": (("run", *SMALL, "--shard", "3/3"), "--shard 3/3 has nothing to do"),
    "nothing that large": (("run", "--workloads", "crowd", "--entities", "1k"), "nothing to measure"),
    "no such cell": (("run", *SMALL, "--cells", "via:fnid"), "no selected cell has 'via:fnid' in its name; there are"),
    "unknown list": (("list", "strategie"), "did you mean 'strategies'?"),
    "unknown format": (("list", "--format", "xml"), "unknown format 'xml'"),
    "unknown report": (("report", "--format", "pdf"), "unknown format 'pdf'"),
    "no run to report": (("report",), "no run in results/"),
    "not a run": (("report", "nowhere"), "nowhere/results.json"),
    "not a run to resume": (("run", "--resume", "nowhere"), "nowhere/results.json"),
    "two places": (("run", "--resume", "a", "--out", "b"), "--out"),
    "their flag for another command": (("verify", "--", "--benchmark_filter=x"), "only `stowage run`"),
    "their unknown flag": (("run", "--", "--benchmark_filtr=x"), "did you mean '--benchmark_filter'?"),
    "their flag for what is ours": (("run", "--", "--benchmark_out=x"), "use --out"),
    "their bad filter": (("run", "--", "--benchmark_filter=("), "not a regular expression"),
    "a bad filter of ours": (("cache", "--cells", "("), "--cells '(' is not a regular expression"),
    "cells said twice": (("run", "--cells", "a", "--", "--benchmark_filter=b"), "give one of them"),
    "their too few repetitions": (("run", "--", "--benchmark_repetitions=3"), "from 6"),
    "their bad time": (("run", "--", "--benchmark_min_time=soon"), "'soon' is not a time"),
}


@pytest.mark.parametrize("arguments, words", [pytest.param(*case, id=name) for name, case in REFUSED.items()])
def test_is_refused_before_anything_is_written(fake, arguments, words):
    outcome = fake(*arguments)
    if arguments:
        outcome.is_refused(2, words)
    assert outcome.code == 2
    assert words in outcome.err
    assert os.listdir(fake.directory) == []


def test_results_of_another_run_are_not_overwritten(fake):
    fake("run", *SMALL, "--out", "run")
    before = (fake.directory / "run" / "results.json").read_bytes()
    fake("run", *SMALL, "--out", "run").is_refused(2, "--out run", "--resume run")
    assert (fake.directory / "run" / "results.json").read_bytes() == before


def test_a_file_in_place_of_the_directory(fake):
    (fake.directory / "taken").write_text("mine")
    fake("run", *SMALL, "--out", "taken").is_refused(2, "taken", "Not a directory")


@pytest.fixture
def other_user():
    """To root everything is writable, so root becomes somebody else for the command."""
    if os.geteuid() != 0:
        return {}
    binary = Path(os.environ["STOWAGE_FAKE_BINARY"])
    if not all(path.stat().st_mode & stat.S_IXOTH for path in [binary, *binary.parents]):
        pytest.skip(f"nobody but root may run {binary}")
    return {"user": 65534, "group": 65534, "extra_groups": []}


def test_a_directory_that_may_not_be_written(fake, other_user):
    with tempfile.TemporaryDirectory() as closed:
        Path(closed).chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
        fake.directory = Path(closed)
        outcome = fake("run", *SMALL, "--out", "run", **other_user)
        outcome.is_refused(2, "cannot write run", "Permission denied")


@pytest.mark.parametrize("text, words", [
    pytest.param("<html>", "is not JSON", id="not JSON"),
    pytest.param("", "is not JSON", id="empty"),
    pytest.param('{"context": {"date": "20', "is truncated", id="truncated"),
    pytest.param('{"context": {"num_cpus": 2}, "benchmarks": []}', "not a results file of stowage", id="another program"),
    pytest.param('{"context": {"stowage": {"format": 99}}, "benchmarks": []}', "format 99", id="another version"),
    pytest.param('{"context": {"stowage": {"format": 2}}, "benchmarks": []}', "is damaged", id="incomplete"),
])
@pytest.mark.parametrize("command", [("report",), ("report", "--format", "terminal"), ("run", "--resume")])
def test_a_results_file_that_cannot_be_used(fake, text, words, command):
    (fake.directory / "run").mkdir()
    (fake.directory / "run" / "results.json").write_text(text)
    fake(*command, "run").is_refused(2, "run/results.json", words)
    assert (fake.directory / "run" / "results.json").read_text() == text
