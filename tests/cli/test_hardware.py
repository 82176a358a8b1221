"""Hardware counters, if a machine has them and if it has none."""

import json

import pytest

from conftest import PLAIN_PYTHON

ONE_CELL = ("cache", "--workloads", "walk", "--strategies", "reference,fast", "--entities", "1k")


def test_hardware_counters_are_given_or_refused_in_one_line(fake):
    outcome = fake(*ONE_CELL, "--source", "hardware", "--format", "json")
    if outcome.code == 3:
        outcome.is_refused(3, "no hardware counters: ")
        return
    assert outcome.code == 0, outcome.err
    counted = json.loads(outcome.out)["benchmarks"]
    assert counted
    for entry in counted:
        assert 0 < entry["counted_time_share"] <= 1


def test_the_simulator_is_the_default_without_counters(fake):
    no_programs = {"PATH": str(fake.directory), **PLAIN_PYTHON}
    if fake(*ONE_CELL, "--source", "hardware").code == 0:
        pytest.skip("this machine has hardware counters")
    said, refused = fake(*ONE_CELL, env=no_programs).err.splitlines()
    assert said.startswith("stowage: no hardware counters, so caches are simulated: ")
    assert "valgrind" in refused


def test_what_only_a_simulator_can_do_is_not_asked_of_the_hardware(fake):
    for flags in (("--cold",), ("--force",), ("--model", "host")):
        fake(*ONE_CELL, "--source", "hardware", *flags).is_refused(2, "--source simulated")
