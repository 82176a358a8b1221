"""Runs the measured binaries and hands back their figures."""

import json
import os
import subprocess

import pytest


class Cache:
    def __init__(self, binary):
        self.binary = binary

    def text(self, *arguments):
        """What `stowage cache` writes to stdout."""
        outcome = subprocess.run([self.binary, "cache", "--source", "simulated", "--format", "json", *arguments],
                                 capture_output=True, text=True, timeout=600, check=False)
        assert outcome.returncode == 0, outcome.stderr
        return outcome.stdout

    # A command starts the simulator for each module of each strategy, which takes longer than most cells: tests share one.
    def figures(self, *arguments):
        """The counters of every cell by its name."""
        return {entry["name"]: entry for entry in json.loads(self.text(*arguments))["benchmarks"]}


def binary(variable):
    path = os.environ.get(variable)
    if not path or not os.path.exists(path):
        pytest.fail(f"there is no {path or variable}; scripts/build release stowage stowage_worse")
    return Cache(path)


@pytest.fixture(scope="session")
def cache():
    """The strategies that are shipped."""
    return binary("STOWAGE_SIMULATED")


ALL = bool(os.environ.get("STOWAGE_TEST_ALL"))
# A short run compiles the modules of these two, which differ most.
BRIEFLY = ("indirection_map", "archetype_sections")
# A quarter of the reference's first level and of the entities gives the figures of the whole, for an eighth of the time.
SMALL = ("--model", "L1=8k:8,LL=512k:16")
of_others = pytest.mark.skipif(not ALL, reason="compiles more strategies; ./scripts/test --all runs it")


def is_tested(strategy):
    return ALL or strategy in BRIEFLY or strategy.startswith(("reference.", "form."))


def compiled(*strategies):
    """Those of the named strategies that this run compiles."""
    return tuple(filter(is_tested, strategies))


def names_of_strategies(cache):
    listed = subprocess.run([cache.binary, "list", "strategies", "--format", "json"], capture_output=True, text=True,
                            check=True).stdout
    return compiled(*(entry["name"] for entry in json.loads(listed) if not entry["name"].startswith("reference")))


@pytest.fixture(scope="session")
def out_of_the_cache(cache):
    """The counters of lookups, and of loops over few owners."""
    return cache.figures("--workloads", "lookup,occupancy", "--cells", "^lookup/|share:1$", "--entities", "128k", *SMALL,
                         "--strategies", ",".join(("reference.store", *names_of_strategies(cache))))


@pytest.fixture(scope="session")
def lookups(out_of_the_cache):
    """Those of lookups, by strategy and number of components."""
    names = {name: name.split("/") for name in out_of_the_cache}
    return {(strategy, components): out_of_the_cache[name] for name, (workload, strategy, _, components) in names.items()
            if workload == "lookup" and not strategy.startswith("reference")}


@pytest.fixture(scope="session")
def worse():
    """These and one that is worse on purpose."""
    return binary("STOWAGE_WORSE")
