"""What a line of the list of strategies has the tests of conformance check, by CMake's functions without a build."""

import os
import subprocess

import pytest

from conftest import FROM_OUTSIDE, SOURCE

BOOST = """
set(Boost_VERSION {version})
add_strategy(needy mine.hpp mine::Storage SOURCE "ours" SUMMARY "never" NEEDS_BOOST 1.81 REGISTRY)
add_strategy(frugal mine.hpp mine::Storage SOURCE "ours" SUMMARY "never")
stowage_report_old_boost()
get_property(built GLOBAL PROPERTY STOWAGE_STRATEGIES)
message(STATUS "built: ${{built}}.")
get_property(traits GLOBAL PROPERTY STOWAGE_STRATEGY_needy_TRAITS)
message(STATUS "traits: ${{traits}}.")
get_property(not_built GLOBAL PROPERTY STOWAGE_NOT_BUILT)
message(STATUS "not built: ${{not_built}}")
"""
NONE = "// none of for_each_{}_check()"


@pytest.fixture
def cmake(tmp_path):
    """What CMake says to these lines; a mistake is a CalledProcessError."""
    def run(lines, before=""):
        script = tmp_path / "list.cmake"
        script.write_text(f"cmake_minimum_required(VERSION 3.25)\nset(PROJECT_BINARY_DIR {tmp_path})\n{before}\n"
                          f"include({SOURCE}/scripts/cmake/StowageLists.cmake)\n{lines}")
        environment = {name: value for name, value in os.environ.items() if name not in FROM_OUTSIDE}
        return subprocess.run([os.environ.get("CMAKE_COMMAND", "cmake"), "-P", script], check=True, capture_output=True,
                              text=True, env=environment).stdout
    return run


@pytest.fixture
def conformance(cmake, tmp_path):
    """Makes the translation unit of a storage with these traits."""
    def make(*traits, name="mine"):
        cmake(f"""
include({SOURCE}/scripts/cmake/StowageTests.cmake)
stowage_describe_strategy({name} mine.hpp mine::Storage SOURCE "ours" SUMMARY "never" {" ".join(traits)})
stowage_generate_conformance(source {name} WHOLE)
""")
        return (tmp_path / "generated/tests/conformance" / f"{name}.cpp").read_text()
    return make


def test_a_template_of_the_schema_alone_is_checked_for_all_but_registries(conformance):
    text = conformance()
    assert "mine::Storage<SchemaType>;" in text and "mine::Storage<SchemaType, Registry>" not in text
    assert NONE.format("registry") in text
    assert NONE.format("packed") not in text and NONE.format("reserved") not in text


@pytest.mark.parametrize("trait, group", [("UNPACKED", "packed"), ("HEAP_PER_ENTITY", "reserved")])
def test_a_trait_leaves_out_what_it_makes_impossible_and_nothing_else(conformance, trait, group):
    text = conformance("REGISTRY", trait)
    assert "using StrategyWith = mine::Storage<SchemaType, Registry>;" in text
    assert [other for other in ("registry", "packed", "reserved") if NONE.format(other) in text] == [group]
    with pytest.raises(subprocess.CalledProcessError) as mistake:
        conformance("HEAP_PER_ENTITIES")
    assert "add_strategy(mine): unknown 'HEAP_PER_ENTITIES'" in mistake.value.stderr


def test_what_needs_a_newer_boost_is_left_out_and_listed_with_the_reason(cmake):
    said = cmake(BOOST.format(version="1.74.0"))
    assert "built: frugal." in said
    assert 'add_not_built({"needy", "' in said and "1.81" in said and "1.74.0" in said
    assert "Left out: needy" in said
    said = cmake(BOOST.format(version="1.81.0"))
    assert "built: needy;frugal." in said and "traits: REGISTRY." in said
    assert "add_not_built" not in said and "Left out" not in said


@pytest.mark.parametrize("storage, reason", [
    pytest.param(None, "mustache was not found", id="none is installed"),
    pytest.param("stable_latency_component_data_storage.hpp", "loses written components", id="one that loses components"),
])
def test_a_peer_that_is_not_used_is_listed_with_the_reason(cmake, tmp_path, storage, reason):
    installed = tmp_path / "installed"
    if storage:
        folder = installed / "include/mustache/ecs"
        folder.mkdir(parents=True)
        (folder / "ecs.hpp").touch()
        (folder / storage).touch()
        (installed / "lib").mkdir()
        (installed / "lib/libmustache.a").touch()
    said = cmake("""
stowage_find_mustache()
add_peer(mustache mine.hpp mine::Storage mustache::mustache mustache SOURCE "theirs" SUMMARY "never")
get_property(not_built GLOBAL PROPERTY STOWAGE_NOT_BUILT)
message(STATUS "not built: ${not_built}")
""", before=f"""
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_PREFIX_PATH {installed})
""")
    assert 'add_not_built({"mustache", "' in said and reason in said
