"""`stowage submit`: checks a run, runs a sample of it again, and packs it as one file without what is private."""

import json
import lzma
import os
import shutil

import pytest

from conftest import PLAIN_PYTHON as PYTHON, Stowage

SELECTION = ("--strategies", "fast,twin", "--workloads", "walk,build", "--entities", "1k,2k")


def unpacked(file):
    return json.loads(lzma.decompress(file.read_bytes()))


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Measured once, into a path that must not be in what is packed."""
    stowage = Stowage(os.environ["STOWAGE_FAKE_BINARY"], tmp_path_factory.mktemp("submit"))
    place = stowage.directory / "it's secret, --really"
    assert stowage("run", *SELECTION, "--out", place).code == 3  # without Python no report
    return place


@pytest.fixture
def run(fake, measured):
    """Of a clean commit, whatever the state of the sources that are tested."""
    shutil.copytree(measured, fake.directory / "run")
    fake.change_context("run", {"commit": "0123abc", "host_name": "annas-laptop", "os": "Debian 12, Linux 6.1.0-18-company"})
    return "run"


def test_the_same_run_gives_the_same_bytes_with_nothing_private(fake, run):
    first, second = (fake("submit", run, "--out", name, env=PYTHON) for name in ("a.json.xz", "b.json.xz"))
    assert (first.code, first.out) == (0, "a.json.xz\n") and second.code == 0, first.err
    assert (fake.directory / "a.json.xz").read_bytes() == (fake.directory / "b.json.xz").read_bytes()
    packed = unpacked(fake.directory / "a.json.xz")
    text = json.dumps(packed)
    for private in ("annas", "secret", "really", "company", str(fake.directory), os.environ["STOWAGE_FAKE_BINARY"]):
        assert private not in text
    assert "the host name" in first.err and "where the command wrote to" in first.err
    record, original = packed["context"]["stowage"], fake.results(run)
    assert record["command"] == "stowage " + " ".join(("run", *SELECTION))
    assert record["submission"]["cells_run_again"] == 8
    assert record["doctor"] == original["context"]["stowage"]["doctor"]
    assert packed["benchmarks"] == original["benchmarks"]
    # without --out the file is named after what tells runs apart
    outcome = fake("submit", run, env=PYTHON)
    name = outcome.out.strip()
    assert "gnu-" in name or "clang-" in name
    assert "-quick-" in name and name.endswith(".json.xz") and (fake.directory / name).exists()


@pytest.mark.parametrize("changes, words", [
    ({"shard": "1/3"}, ["shard 1/3", "stowage merge"]),
    ({"interrupted": True}, ["stowage run --resume run"]),
    ({"blocks_planned": 99}, ["4 of its 99 blocks"]),
    ({"commit": "0123abc with local changes"}, ["local changes", "git commit"]),
    ({"commit": "unknown"}, ["which commit", "clone"]),
    ({"flags": "-g"}, ["not optimised (-g)", "./scripts/build release stowage"]),
    ({"library_build_type": "debug"}, ["not optimised"]),
    ({"storages": ["my.hpp:Mine"]}, ["my.hpp:Mine", "without --storage"]),
    ({"world": "typical-0123abcd"}, ["typical-0123abcd", "--preset standard"]),
    ({"virtualisation": "emulated by qemu-aarch64"}, ["emulated by qemu-aarch64", "a real one"]),
    ({"doctor": ""}, ["`doctor`", "stowage run --preset quick"]),
])
def test_what_the_gallery_cannot_take_is_refused(fake, run, changes, words):
    fake.change_context(run, changes)
    fake("submit", run, "--out", "a.json.xz", env=PYTHON).is_refused(2, "run", *words)
    assert not (fake.directory / "a.json.xz").exists()


@pytest.mark.parametrize("key, value", [("checksum", "0x0000000000000007"), ("items", 7)])
def test_figures_of_other_work_are_not_submitted(fake, run, key, value):
    results = fake.results(run)
    for entry in results["benchmarks"]:
        if entry["run_name"].startswith("walk/twin/entities:2048") and key in entry:
            entry[key] = value
    fake.write_results(run, results)
    outcome = fake("submit", run, "--out", "a.json.xz", env=PYTHON)
    assert outcome.code == 1 and "walk/twin/entities:2048" in outcome.err and "commit 0123abc" in outcome.err
    assert not (fake.directory / "a.json.xz").exists()
    for entry in results["benchmarks"]:
        entry.pop("checksum", None)
    fake.write_results(run, results)
    fake("submit", run, env=PYTHON).is_refused(2, "checksums", "repeat it")


@pytest.mark.parametrize("arguments, words", [
    ((), "name the run"),
    (("gone",), "cannot read gone/results.json"),
    (("run", "--", "--v=2"), "--v=2"),
])
def test_wrong_input_is_refused(fake, run, arguments, words):
    fake("submit", *arguments, env=PYTHON).is_refused(2, words)


@pytest.mark.parametrize("out, words", [("x.zip", ".json.xz"), ("there.json.xz", "exists"),
                                        ("no/where.json.xz", "cannot write")])
def test_a_file_that_cannot_be_written_is_named(fake, run, out, words):
    (fake.directory / "there.json.xz").write_text("mine")
    outcome = fake("submit", run, "--out", out, env=PYTHON)
    assert outcome.code == 2 and words in outcome.err and out in outcome.err
    assert (fake.directory / "there.json.xz").read_text() == "mine"


# ---- `stowage gallery`: a site of many runs; what is on its pages is tested in tests/reports


def test_runs_that_are_not_whole_are_refused(fake, small_run):
    """What else is no run is refused as by `submit`."""
    fake.change_context("run", {"shard": "2/3"})
    fake("gallery", "run", "--out", "site").is_refused(2, "shard 2/3", "stowage merge")
    assert not (fake.directory / "site").exists()


@pytest.mark.parametrize("arguments, words", [
    ((), "name the runs"),
    (("run",), "--out SITE is missing"),
    (("gone", "--out", "site"), "cannot read gone/results.json"),
    (("run/results.json", "--out", "site"), "give a directory"),
])
def test_a_gallery_needs_runs_and_a_place(fake, small_run, arguments, words):
    fake("gallery", *arguments).is_refused(2, words)


def test_runs_and_submissions_become_a_site(fake, small_run, python_with_modules):
    shutil.copytree(fake.directory / "run", fake.directory / "again")
    fake.change_context("again", {"commit": "0123abc"})
    assert fake("submit", "again", "--out", "a.json.xz", env=python_with_modules).code == 0
    fake("gallery", "run", "a.json.xz", "--out", "site", env=python_with_modules).is_refused(2, "are the same run")
    outcome = fake("gallery", "a.json.xz", "--out", "site", env=python_with_modules)
    assert (outcome.code, outcome.out) == (0, "site/index.html\n"), outcome.err
    assert "0123abc" in (fake.directory / "site" / "index.html").read_text()
