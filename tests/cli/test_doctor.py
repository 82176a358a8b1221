"""`stowage doctor`. Nothing here says how fast or how quiet the machine is that runs the tests: if it is too busy, the
answer is "no"."""

import json
import os
import signal
import sys

import pytest

from conftest import Stowage, wait_until_caught

NAMES = ["processors", "cores", "steal time", "governor", "turbo", "SMT", "memory", "swap", "disk", "huge pages",
         "clock", "counters", "valgrind", "compiler", "Python", "noise"]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What it says of this machine in both forms, with nothing on the PATH: measured once. The table was made with the
    Python that runs these tests, JSON without any."""
    fake = Stowage(os.environ["STOWAGE_FAKE_BINARY"], tmp_path_factory.mktemp("doctor"))
    alone = {"PATH": str(fake.directory)}
    table = fake("doctor", env={**alone, "STOWAGE_PYTHON": sys.executable})
    return table, fake("doctor", "--format", "json", env=alone), fake.directory


def test_each_check_has_a_line_and_the_verdict_is_the_last(told):
    table, _, _ = told
    lines = table.out.splitlines()
    assert [line[:12].strip() for line in lines if line.split("  ")[0] in NAMES] == NAMES
    assert all(len(line) <= 100 for line in lines[:-1])
    assert lines[-1].startswith("Verdict: ")  # one line, however much it names
    assert lines[-2].startswith("Differences below ")
    # the exit code is the verdict
    for outcome in told[:2]:
        assert outcome.code in (0, 1), outcome.err
        complaint = "".join(outcome.err.splitlines()[-1:])
        assert complaint.startswith("stowage: not fit to measure: ") == (outcome.code == 1)
    assert list(told[2].iterdir()) == []  # nothing is left behind


def test_json_is_alone_on_stdout_and_says_the_same(told):
    _, outcome, _ = told
    answer = json.loads(outcome.out)
    assert answer["exit_code"] == outcome.code
    assert [check["name"] for check in answer["checks"]] == NAMES
    for check in answer["checks"]:
        assert check["status"] in ("ok", "poor", "missing")
        assert bool(check["advice"]) == (check["status"] != "ok"), check
    deciding = [check["name"] for check in answer["checks"] if check["decides"]]
    assert bool(deciding) == (outcome.code != 0)
    for name in deciding:
        assert name in answer["verdict"]


def test_missing_tools_are_named_with_what_to_type_and_decide_nothing(told):
    answer = json.loads(told[1].out)
    checks = {check["name"]: check for check in answer["checks"]}
    for name, words in (("valgrind", "apt-get install valgrind"), ("compiler", "build or install stowage"),
                        ("Python", "apt-get install python3-matplotlib")):
        assert checks[name]["status"] == "missing"
        assert words in checks[name]["advice"]
        assert not checks[name]["decides"]
    assert answer["exit_code"] != 0 or "`stowage report`" in answer["verdict"]


def test_a_python_with_all_modules_is_found(told, python_with_modules):
    (line,) = (line for line in told[0].out.splitlines() if line.startswith("Python "))
    assert line.split() == ["Python", "ok", python_with_modules["STOWAGE_PYTHON"]]


def test_without_a_place_for_results_nothing_can_be_measured(fake):
    (fake.directory / "results").write_text("")
    outcome = fake("doctor", env={"PATH": ""})
    assert outcome.code == 3
    assert outcome.err.splitlines()[-1].startswith("stowage: not able to measure: disk")
    assert "results is no directory" in outcome.out
    assert "`stowage run --out DIR`" in outcome.out


def test_it_can_be_interrupted(fake):
    process = fake.start("doctor")
    wait_until_caught(process, signal.SIGINT)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1].startswith("stowage: interrupted")


def test_a_run_of_a_calibration_times_copies_as_it_times_strategies_and_is_stored_without_them(fake):
    assert fake("__calibrate", "run", "1", "none").code == 0
    whole, stored = fake.results("run/copies"), fake.results("run")
    names = stored["context"]["stowage"]["strategies"]
    copies = [name for name in whole["context"]["stowage"]["strategies"] if name not in names]
    original = copies[0].partition("+")[0]
    assert copies == [f"{original}+0%", f"{original}+5%"] and original in names

    def repetitions(results, strategy):
        return [(entry["name"].replace(strategy, original), entry.get("visit", 0)) for entry in results["benchmarks"]
                if f"/{strategy}/" in entry["name"] and entry["run_type"] == "iteration"]

    timed = repetitions(stored, original)
    assert {visit for _, visit in timed} == {0, 1, 2}
    assert all(repetitions(whole, name) == timed for name in (original, *copies))
    assert not any(repetitions(stored, name) for name in copies)
