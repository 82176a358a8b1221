"""`--world PROFILE`: every kind of work in the population of a profile."""

import os
import shutil

import pytest

from conftest import medians_of, only_among_all_tests, shipped_in

ALONE = """[profile]
name = "all alone"
entities = 1

[[component]]
name = "position"
bytes = 12

[[component]]
name = "velocity"
bytes = 12

[[entity_kind]]
name = "hero"
count = 1
components = ["position", "velocity"]

[[system]]
name = "move"
reads = ["velocity"]
writes = ["position"]
"""
ONE = ("--strategies", "indirection_map")
BARE = """#pragma once
#include <array>
#include <stowage/contract/capabilities.hpp>
#include <stowage/indirection_map.hpp>
namespace mine {
template <class S>
class Bare : public stowage::IndirectionMap<S> {
 public:
  static constexpr std::array lacking{stowage::Lack{stowage::Capability::memory_accounting, "nothing is counted"}};
  void memory() const = delete;
};
}
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A run in a world of one entity."""
    stowage = shipped_in(tmp_path_factory.mktemp("world"))
    stowage.profile = stowage.directory / "alone.toml"
    stowage.profile.write_text(ALONE)
    stowage.told = stowage("run", "--world", "./alone.toml", *ONE, "--out", "run", "--", "--benchmark_min_time=0.0001",
                           env={"STOWAGE_CACHE_DIR": str(stowage.directory / "cache")})
    return stowage


def test_every_kind_of_work_that_the_profile_has_is_measured(world):
    assert world.told.code == 3, world.told.err  # no Python was offered for the report
    results = world.results("run")
    name = results["context"]["stowage"]["world"]
    assert name.startswith("all_alone-")
    cells = {cell["run_name"] for cell in results["benchmarks"] if "/indirection_map/" in cell["run_name"]}
    works = {cell.split("/")[0] for cell in cells}
    assert works == {f"world.{work}" for work in ("frame", "iterate_dense", "iterate_sparse", "join", "lookup", "spike",
                                                  "threads")}
    assert all(cell.split("/")[1:4] == ["indirection_map", "entities:1", f"world:{name}"] for cell in cells)


def test_each_cell_has_a_floor_and_a_contract_floor_that_did_equal_work(world):
    results = world.results("run")
    cells = {cell["run_name"]: cell for cell in medians_of(results)}
    names = [name for name in cells if "/indirection_map/" in name]
    assert names
    for name in names:
        assert cells[name]["ratio_to_reference"] > 0
        assert cells[name]["contract_floor"] == "reference.contract"
        for yardstick in ("reference", "reference.contract"):
            other = cells[name.replace("/indirection_map/", f"/{yardstick}/")]
            assert other["checksum"] == cells[name]["checksum"]


@only_among_all_tests
def test_a_storage_with_a_part_of_the_contract_lives_through_the_same_world(world):
    (world.directory / "bare.hpp").write_text(BARE)
    told = world("run", "--world", "alone.toml", "--storage", "bare.hpp:mine::Bare", *ONE, "--out", "bare", "--",
                 "--benchmark_min_time=0.0001", env={"STOWAGE_CACHE_DIR": str(world.directory / "cache")})
    assert told.code == 3, told.err  # no Python was offered for the report
    cells = [cell for cell in world.results("bare")["benchmarks"] if "/bare/" in cell["run_name"]]
    assert cells and not any("error_occurred" in cell for cell in cells)


def test_a_run_is_resumed_in_the_same_world_alone(world):
    world("run", "--resume", "run").is_refused(2, "--resume run --world ./alone.toml")  # as it was typed
    world.profile.write_text(ALONE.replace("entities = 1", "entities = 2").replace("count = 1", "count = 2"))
    world("run", "--resume", "run", "--world", "alone.toml").is_refused(2, "--world", "start another run")
    world.profile.write_text(ALONE)


@pytest.mark.parametrize("profile, words", [
    ("nowhere.toml", ["nowhere.toml"]),
    (".", ["directory"]),
    ("binary", ["binary"]),
    ("own.toml", ["own.toml", "'typical'", "another name"]),
])
def test_what_is_no_world_is_refused(stowage, profile, words):
    shutil.copy("/bin/true", stowage.directory / "binary")
    (stowage.directory / "own.toml").write_text(ALONE.replace('"all alone"', '"typical"'))
    for command in ("run", "verify", "cache"):
        stowage(command, "--world", profile, *ONE).is_refused(2, *words)


def test_a_cache_that_others_may_write_compiles_no_world(world):
    cache = world.directory / "cache"
    cache.chmod(0o777)
    outcome = world("verify", "--world", "alone.toml", *ONE, env={"STOWAGE_CACHE_DIR": str(cache)})
    cache.chmod(0o700)
    outcome.is_refused(3, "cache", "chmod -R go-w")


@pytest.mark.skipif(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 50 << 30, reason="it might fit")
def test_a_world_larger_than_memory_is_refused_before_it_is_made(world):
    world("run", "--world", "alone.toml", *ONE, "--entities", "2047M", "--out", "large",
          env={"STOWAGE_CACHE_DIR": str(world.directory / "cache")}).is_refused(2, "GiB at least", "--entities")


def test_workloads_of_the_list_are_not_those_of_a_world(world):
    world("run", "--world", "alone.toml", "--workloads", "world.nothing", *ONE).is_refused(2, "world.nothing")
