"""A processor that is a program: results and bytes count there, times do not. Valgrind is one, and the simulated pass
installs it."""

import json
import os
import shutil
from pathlib import Path

import pytest

from conftest import NO_REPORT, SMALL, Stowage, cells_of, medians_of, script


@pytest.fixture
def emulated(fake):
    """The command line with fake strategies, in Valgrind."""
    if not shutil.which("valgrind"):
        pytest.skip("needs the package valgrind")
    program = script(fake.directory / "emulated", f'exec valgrind -q --tool=none "{fake.binary}" "$@"')
    return Stowage(program, fake.directory)


def test_a_run_has_results_and_bytes_and_no_times(fake, small_run, emulated):
    outcome = emulated("run", *SMALL, "--out", "emulated-run", env={"STOWAGE_TOOLCHAIN": "/nowhere"})
    assert outcome.code == NO_REPORT, outcome.err
    told = [line for line in outcome.err.splitlines() if "without times" in line]
    assert len(told) == 1 and "emulated by none-" in told[0]
    results, real = fake.results("emulated-run"), fake.results("run")
    assert results["context"]["stowage"]["doctor"].startswith("not able to measure: emulation")
    assert [each["pass"] for each in results["context"]["stowage"]["passes"]] == ["memory"]
    assert cells_of(results) == cells_of(real)
    for entry, measured in zip(results["benchmarks"], medians_of(real), strict=True):
        assert entry["real_time"] == entry["cpu_time"] == entry["iterations"] == 0
        assert not [key for key in entry if key.endswith("_ns") or key.startswith(("ns_per", "ratio_to"))]
        for key in ("run_name", "items", "checksum", "bytes_per_entity"):
            assert entry[key] == measured[key]
    resumed = emulated("run", "--resume", "emulated-run", env={"STOWAGE_TOOLCHAIN": "/nowhere"})
    assert resumed.code == NO_REPORT and fake.results("emulated-run")["benchmarks"] == results["benchmarks"]


def test_what_needs_times_is_refused(fake, emulated):
    shutil.copy(Path(os.environ["STOWAGE_SOURCE_DIR"]) / "profiles/example.toml", fake.directory / "game.toml")
    emulated("recommend", "game.toml").is_refused(3, "emulated by none-", "stowage verify --world game.toml")
    emulated("doctor", "--calibrate").is_refused(3, "emulated by none-")
    outcome = emulated("doctor", "--format", "json", env={"STOWAGE_TOOLCHAIN": "/nowhere"})
    assert outcome.code == 3 and "emulation" in outcome.err
    answer = json.loads(outcome.out)
    assert answer["checks"][0]["name"] == "emulation" and answer["noise"] == []
