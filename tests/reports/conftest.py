"""Stored results and the report made of them, shared by all tests of this folder."""

from pathlib import Path

import pytest

from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.charts.canvas import Canvas
from stowage_report.charts.style import Looks
from stowage_report.data.load import load_run

#: Two workloads with axes and without, one failed cell, and cells that one pass has and another has not: all that the
#: page has to cope with in an ordinary run.
SMALL = Options(
    sizes=(1024, 16384, 262144),
    axes={"point_mass": {}, "join": {"order": ("same", "unrelated"), "via": ("each",)}},
    failing=("join/hash_index/entities:16384/order:same/via:each",),
    simulated_up_to=16384,
)


@pytest.fixture(scope="session")
def run_directory(tmp_path_factory) -> Path:
    return write_run(tmp_path_factory.mktemp("results") / "20261120-190000-bench-quick", SMALL)


@pytest.fixture(scope="session")
def run(run_directory):
    return load_run(run_directory)


@pytest.fixture(scope="session")
def report(run_directory) -> Path:
    assert main([str(run_directory), "--plots"]) == 0
    return run_directory / "report"


@pytest.fixture(scope="session")
def page(report) -> str:
    return (report / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def make_run(tmp_path):
    """Writes a run with the given options and loads it."""
    return lambda **options: load_run(write_run(tmp_path / "made", Options(**options)))


@pytest.fixture
def canvas(tmp_path):
    """A canvas for what this run has, or these runs have."""
    return lambda *runs: Canvas(tmp_path, "plots", Looks(name for run in runs for name in run.strategies))
