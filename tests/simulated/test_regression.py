"""A strategy made worse is caught by its misses alone: it is right in every answer, and no clock is asked."""

import json
import subprocess

import pytest


@pytest.fixture(scope="module")
def counted(worse):
    """What `stowage cache` writes of the strategy and of the worse one."""
    return json.loads(worse.text("--workloads", "lookup", "--entities", "64k", "--strategies", "indirection_map,extra_hop"))


def misses(counted, strategy):
    name = f"lookup/{strategy}/entities:65536/components:1"
    return next(entry for entry in counted["benchmarks"] if entry["name"] == name)["l1d_misses_per_item"]


def without(counted, strategy):
    """The text of such a file that has nothing of a strategy."""
    others = [entry for entry in counted["benchmarks"] if f"/{strategy}/" not in entry["name"]]
    assert 0 < len(others) < len(counted["benchmarks"])
    return json.dumps({**counted, "benchmarks": others})


def is_as_drawn(misses_per_lookup):
    """indirection_map's header: a line for generation and row, one for the component, and the workload's own list."""
    return misses_per_lookup <= 1.1 * (1 + 1 + 8 / 64)


def test_a_pointer_too_many_for_each_look_up_shows_in_the_misses(counted):
    assert is_as_drawn(misses(counted, "indirection_map"))
    assert not is_as_drawn(misses(counted, "extra_hop"))


def test_compare_finds_it_when_it_takes_the_place_of_the_strategy(worse, counted, tmp_path):
    as_it_was, made_worse = tmp_path / "before.json", tmp_path / "after.json"
    as_it_was.write_text(without(counted, "extra_hop"))
    made_worse.write_text(without(counted, "indirection_map").replace("extra_hop", "indirection_map"))

    def compare(after):
        return subprocess.run([worse.binary, "compare", as_it_was, after, "--fail-above", "5%"],
                              capture_output=True, text=True, timeout=60, check=False)

    unchanged, found = compare(as_it_was), compare(made_worse)
    assert unchanged.returncode == 0, unchanged.stderr
    assert found.returncode == 1, found.stderr
    for figure in ("instructions_per_item", "l1d_misses_per_item"):
        assert figure in found.stdout
    assert "lookup/indirection_map/entities:65536/components:1" in found.stdout
    assert "lookup/reference" not in found.stdout
