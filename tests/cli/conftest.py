"""Runs the command line in a directory of its own and hands back what a user would see."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest


os.umask(0o022)  # stowage executes nothing that a group may write, such as a toolchain.json that a test has made


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    def ends_with(self, *codes):
        """Itself, if its exit code is one of these."""
        assert self.code in codes, self.err
        return self

    def is_refused(self, code, *words):
        """One line that begins with the program's name and has all of `words`; nothing on stdout, no trace."""
        self.ends_with(code)
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("stowage: ")
        for word in words:
            assert word in lines[0]


class Stowage:
    def __init__(self, binary, directory):
        self.binary = binary
        self.directory = Path(directory)

    def environment(self, changes):
        # Reports and simulations cost seconds: only the tests that are about them want any. Fake strategies are compiled in.
        fake = {"STOWAGE_TOOLCHAIN": "/nowhere"} if self.binary == os.environ["STOWAGE_FAKE_BINARY"] else {}
        return {**os.environ, "STOWAGE_PYTHON": str(self.directory / "no-python"),
                "STOWAGE_SIMULATED_BINARY": "/nowhere", **fake, **changes}

    def start(self, *arguments, env={}, **options):
        return subprocess.Popen(
            [self.binary, *map(str, arguments)], cwd=self.directory, env=self.environment(env), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def __call__(self, *arguments, env={}, **options):
        process = self.start(*arguments, env=env, **options)
        out, err = process.communicate(timeout=900)
        return Outcome(process.returncode, out, err)

    def toolchain(self):
        return json.loads(Path(self.binary).with_name("toolchain.json").read_text())

    def results(self, run):
        return json.loads((self.directory / run / "results.json").read_text())

    def write_results(self, run, results):
        (self.directory / run / "results.json").write_text(json.dumps(results), encoding="utf-8")

    def change_context(self, run, changes):
        """Of keys of `context` or, if that has none of the name, of `context.stowage`."""
        results = self.results(run)
        for key, value in changes.items():
            (results["context"] if key in results["context"] else results["context"]["stowage"])[key] = value
        self.write_results(run, results)


@pytest.fixture
def fake(tmp_path):
    """The command line with fake strategies."""
    return Stowage(os.environ["STOWAGE_FAKE_BINARY"], tmp_path)


def shipped_in(directory):
    """The command line with the strategies that are shipped."""
    if "STOWAGE_BINARY" not in os.environ:
        pytest.skip("the build has no `stowage`")
    return Stowage(os.environ["STOWAGE_BINARY"], directory)


@pytest.fixture
def stowage(tmp_path):
    return shipped_in(tmp_path)


@pytest.fixture
def partial(tmp_path):
    """The command line with a strategy that has a part of the contract only."""
    return Stowage(os.environ["STOWAGE_PARTIAL_BINARY"], tmp_path)


@pytest.fixture
def python_with_modules():
    """An interpreter that can write reports: the one that runs these tests, if any."""
    for module in ("matplotlib", "numpy", "jinja2"):
        pytest.importorskip(module)
    return {"STOWAGE_PYTHON": sys.executable}


def with_limit(kind, soft, hard):
    """Options by which a command is started with that limit of the system."""
    return {"preexec_fn": lambda: resource.setrlimit(kind, (soft, hard))}


def script(path, text):
    """A program of the shell, for a test to put in the place of another."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def wait_until(process, is_so):
    """Until `is_so()` has something, which is returned; the process must not end before."""
    deadline = time.monotonic() + 60
    while not (found := is_so()):
        assert process.poll() is None and time.monotonic() < deadline, "it has ended, or it did nothing"
        time.sleep(0.005)
    return found


def wait_until_caught(process, signal_number):
    """Until the process has a handler of its own for that signal: it is measuring or compiling."""
    status = Path(f"/proc/{process.pid}/status")
    wait_until(process, lambda: int(re.search(r"SigCgt:\t(\w+)", status.read_text())[1], 16) >> (signal_number - 1) & 1)


def toolchain_with(stowage, **changes):
    """The toolchain of the release build with other entries, and a cache of its own."""
    root = shipped_in(stowage.directory).toolchain()
    file = stowage.directory / "toolchain.json"
    file.write_text(json.dumps({**root, **changes}))
    return {"STOWAGE_TOOLCHAIN": str(file), "STOWAGE_CACHE_DIR": str(stowage.directory / "cache")}


# A run that takes a fraction of a second: two blocks, two strategies and the reference.
SMALL = ("--strategies", "fast,twin", "--workloads", "walk,build", "--entities", "1k")
# The same with frames, which are timed one by one too.
FRAMED = ("--strategies", "fast,twin", "--workloads", "march", "--entities", "1k")
SIMULATOR = {"STOWAGE_SIMULATED_BINARY": ""}  # the binary itself
PLAIN_PYTHON = {"STOWAGE_PYTHON": sys.executable}  # which prints summaries and tables, and needs no module for these
BLOCKS = ["walk/entities:1024/via:each", "build/entities:1024"]


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Copies a run of such options, and gives what it said: measured once for all tests that ask what comes after."""
    @cache
    def measured(options):
        stowage = Stowage(os.environ["STOWAGE_FAKE_BINARY"], tmp_path_factory.mktemp("finished"))
        return stowage.directory / "run", stowage("run", *options, "--out", "run")

    def copied(options, directory):
        run, outcome = measured(options)
        shutil.copytree(run, directory / "run")
        return outcome

    return copied


@pytest.fixture
def small_run(fake, finished):
    """What a run of SMALL said; its directory `run` is a copy, so that a test may spoil it."""
    return finished(SMALL, fake.directory)


@pytest.fixture
def framed_run(fake, finished):
    return finished(FRAMED, fake.directory)


# A short run compiles no more than two of the shipped strategies.
only_among_all_tests = pytest.mark.skipif("STOWAGE_TEST_ALL" not in os.environ,
                                          reason="compiles many strategies; ./scripts/test --all runs it")


# No Python was offered, so there is no report; everything else is done.
NO_REPORT = 3


def cells_of(results):
    """The names of the cells, in order, of a results file."""
    return list(dict.fromkeys(entry["run_name"] for entry in results["benchmarks"]))


def medians_of(results):
    """The entries that carry the figures of a cell."""
    return [entry for entry in results["benchmarks"] if entry.get("aggregate_name") == "median"]


def block_of(entry):
    workload, _, parameters = entry["run_name"].split("/", 2)
    return f"{workload}/{parameters}"


def blocks_of(results):
    return list(dict.fromkeys(map(block_of, results["benchmarks"])))
