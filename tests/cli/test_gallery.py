"""`stowage gallery`: a site of many runs. What is on its pages is tested in tests/reports."""

import shutil

import pytest


def test_runs_that_are_not_whole_are_refused(fake, small_run):
    """What else is no run is refused as by `submit`."""
    fake.change_context("run", {"shard": "2/3"})
    fake("gallery", "run", "--out", "site").is_refused(2, "shard 2/3", "stowage merge")
    assert not (fake.directory / "site").exists()


@pytest.mark.parametrize("arguments, words", [
    ((), "name the runs"),
    (("run",), "--out SITE is missing"),
    (("gone", "--out", "site"), "cannot read gone/results.json"),
])
def test_wrong_input_is_refused(fake, small_run, arguments, words):
    fake("gallery", *arguments).is_refused(2, words)


def test_runs_and_submissions_become_a_site(fake, small_run, python_with_modules):
    shutil.copytree(fake.directory / "run", fake.directory / "again")
    fake.change_context("again", {"commit": "0123abc"})
    assert fake("submit", "again", "--out", "a.json.xz", env=python_with_modules).code == 0
    fake("gallery", "run", "a.json.xz", "--out", "site", env=python_with_modules).is_refused(2, "are the same run")
    outcome = fake("gallery", "a.json.xz", "--out", "site", env=python_with_modules)
    assert (outcome.code, outcome.out) == (0, "site/index.html\n"), outcome.err
    assert "0123abc" in (fake.directory / "site" / "index.html").read_text()
