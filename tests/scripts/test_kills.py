"""What scripts/checks/kills notices: a repetition that is gone or another one, and a file that is cut off."""

import sys
from pathlib import Path

import pytest

from conftest import SOURCE

sys.path.append(str(SOURCE / "scripts/checks"))

import kills  # noqa: E402

CELL = "lookup/sparse_direct/entities:1024"


def results(*times, **figures):
    repetitions = [{"run_name": CELL, "run_type": "iteration", "repetitions": len(times), "repetition_index": index,
                    "real_time": time} for index, time in enumerate(times)]
    median = {"run_name": CELL, "run_type": "aggregate", "real_time": times[0], **figures}
    return {"context": {"stowage": {"figures": {"time": ["ns_per_item"], "memory": ["allocations"]}}},
            "benchmarks": [*repetitions, median]}


def test_what_is_added_is_no_loss():
    assert kills.lost(results("1.5"), results("1.5", "1.25", allocations="3")) == []


@pytest.mark.parametrize("before, after, what", [
    (results("1.5", "1.25"), results("1.5"), "repetition 1"),
    (results("1.5", "1.25"), results("1.5", "1.250"), "repetition 1"),
    (results("1.5", allocations="3"), results("1.5"), "a figure"),
])
def test_a_loss_is_named(before, after, what):
    assert kills.lost(before, after) == [f"{CELL}: {what} is lost or has changed"]


def test_a_file_that_is_cut_off_is_named_and_a_temporary_one_is_not(tmp_path):
    run = tmp_path / "run"
    (run / "report").mkdir(parents=True)
    (run / "notes.txt").write_text("all of it\n")
    (run / "results.json.17.tmp").write_text('{"context": {')
    assert kills.broken_files(run) == []
    (run / "results.json").write_text('{"context": {')
    (run / "report/report.html").write_text("<html><body>")
    assert kills.broken_files(run) == ["run/report/report.html is cut off", "run/results.json is cut off"]


def test_a_module_of_another_user_that_is_loaded_and_a_file_that_is_executed_are_named(tmp_path):
    subject = object.__new__(kills.Modules)
    subject.out, subject.program = tmp_path / "out", kills.Program(Path("/bin/true"), tmp_path)
    subject.out.mkdir()
    (subject.out / "stowage_a.so").write_text("")
    assert subject.loaded_from_others() and all("not refused" in found for found in subject.loaded_from_others())
    subject.program.binary = tmp_path / "refusing"
    subject.program.binary.write_text("#!/bin/sh\necho cannot use stowage_a.so\nexit 3\n")
    subject.program.binary.chmod(0o755)
    assert subject.loaded_from_others() == [] and subject.program.executed() == []
    (tmp_path / "executed").touch()
    assert len(subject.program.executed()) == 1
