"""What `cmake --install` leaves, wherever it is moved to."""

import json
import os
import re

import pytest

from conftest import SCRATCH, SOURCE, install, only_among_all_tests, run, succeed

ADD = 'stowage_add_storage({} SOURCE "ours" SUMMARY "ours")\n'
MINE = ADD.format("probing_map probing_map.hpp mine::ProbingMap")


def first_words(text):
    return " ".join(text.split())


def test_the_moved_command_has_every_strategy(prefix):
    def names(binary):
        return [s["name"] for s in json.loads(succeed(binary, "list", "strategies", "--format", "json").stdout)]
    assert names(prefix / "bin/stowage") == names(os.environ["STOWAGE_RELEASE_DIR"] + "/stowage")


def test_the_moved_command_uses_the_report_package_beside_it(prefix, tmp_path):
    python = tmp_path / "python3"
    python.write_text('#!/bin/sh\n[ "$1" = -c ] || echo "$PYTHONPATH"\n')
    python.chmod(0o755)
    outcome = succeed(prefix / "bin/stowage", "run", "--workloads", "alive", "--strategies", "indirection_map", "--entities",
                      "1k", "--out", "run", cwd=tmp_path,
                      env={"STOWAGE_PYTHON": str(python), "PYTHONPATH": "", "STOWAGE_SIMULATED_BINARY": "/nowhere"})
    assert str(prefix / "share/stowage/reports") in outcome.stdout.splitlines()


def test_the_moved_command_begins_a_profile_with_the_schema_beside_it(prefix, tmp_path):
    succeed(prefix / "bin/stowage", "recommend", "--init", cwd=tmp_path)
    schema = prefix / "share/stowage/profiles/schema.json"
    assert (tmp_path / "game.toml").read_text().splitlines()[0] == f"#:schema {schema}"
    assert "properties" in json.loads(schema.read_text())


def texts(directory):
    """Every file that is a text, with what it says."""
    for file in directory.rglob("*"):
        if file.is_file():
            try:
                yield file, file.read_text("utf-8")
            except UnicodeDecodeError:
                continue


def test_nothing_in_the_package_names_the_directories_it_was_made_in(prefix):
    read = set()
    for file, text in texts(prefix):
        read.add(str(file.relative_to(prefix)))
        for directory in (os.environ["STOWAGE_SOURCE_DIR"], os.environ["STOWAGE_RELEASE_DIR"], str(SCRATCH / "prefix")):
            assert directory not in text, file
    assert read >= {"share/stowage/toolchain.json", "share/stowage/scripts/cmake/StowageLists.cmake",
                    "lib/cmake/stowage/stowageSuite.cmake", "include/stowage/indirection_map.hpp"}


def headers(directory):
    return {str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*.hpp")}


def test_every_header_of_the_strategies_is_there(prefix):
    ours = headers(SOURCE / "strategies/stowage")
    theirs = headers(prefix / "include/stowage")
    assert "contract/storage.hpp" in ours
    assert sorted(theirs) == sorted(ours)
    assert [name for name in ours if theirs[name] != ours[name]] == []


def test_headers_alone_can_be_installed_and_say_what_is_not_there(project, tmp_path):
    install(tmp_path / "headers", "--component", "strategies")
    assert not (tmp_path / "headers/bin").exists()
    game = project("add_library(game game.cpp)\ntarget_link_libraries(game stowage::strategies)\n", name="headers")
    (game.source / "game.cpp").write_text("#include <stowage/indirection_map.hpp>\n")
    assert game.configure(tmp_path / "headers").returncode == 0
    with_harness = project("", package="stowage CONFIG REQUIRED COMPONENTS harness", name="headers")
    outcome = with_harness.configure(tmp_path / "headers")
    assert outcome.returncode != 0
    assert "only the component `strategies` of stowage is installed" in first_words(outcome.stdout + outcome.stderr)


WRONG_CALLS = [
    (ADD.format("hash_index probing_map.hpp mine::ProbingMap"), "this name is taken"),
    (ADD.format("reference.mine probing_map.hpp mine::ProbingMap"), "this name is taken"),
    (ADD.format("My-Map probing_map.hpp mine::ProbingMap"), "a name is of lower-case letters"),
    (ADD.format("mine absent.hpp mine::Map"), "there is no absent.hpp"),
    ("stowage_add_storage(mine probing_map.hpp mine::ProbingMap SOURCE ours)", "SUMMARY is missing"),
    ("stowage_add_storage_tests(tests)", "takes storages that stowage_add_storage() was called for"),
    (MINE + "stowage_add_storage_tests(a)\nstowage_add_storage_tests(b)", "have their tests already"),
    (MINE + "stowage_add_benchmark(bench STORAGES other)", "there was no stowage_add_storage(other)"),
]


@pytest.mark.parametrize("text, reason", [
    WRONG_CALLS[0], *(pytest.param(*call, marks=only_among_all_tests) for call in WRONG_CALLS[1:])])
def test_a_wrong_call_is_refused_with_the_right_one(prefix, project, text, reason):
    outcome = project(text).configure(prefix)
    assert outcome.returncode != 0
    assert reason in first_words(outcome.stderr)


def test_a_storage_with_a_part_of_the_contract_is_checked_and_measured_for_that_part(prefix, project):
    outside = project(ADD.format("half probing_map.hpp mine::ProbingMap PARTIAL") + MINE +
                      "stowage_add_storage_tests(tests)\nstowage_add_benchmark(bench)")
    outcome = outside.configure(prefix)
    assert outcome.returncode == 0, outcome.stderr
    assert (outside.build / "generated/tests/conformance/half.cpp").exists()
    assert "half" not in (outside.build / "generated/tests/model/tests_model/subjects.cpp").read_text()
    plays_games = {recipe["name"]: recipe["plays_games"] for recipe in recipes(outside)}
    assert plays_games["probing_map"] and not plays_games["half"]


def recipes(outside):
    """How the command of an outside project compiles strategies."""
    return json.loads((outside.build / "bench.modules/toolchain.json").read_text())["strategies"]


@only_among_all_tests
def test_a_storage_is_compiled_and_linked_with_what_it_needs(prefix, project):
    outside = project("""
file(WRITE ${PROJECT_BINARY_DIR}/bits.cpp "int bits;")
add_library(bits STATIC ${PROJECT_BINARY_DIR}/bits.cpp)
target_include_directories(bits INTERFACE include/bits)
target_link_libraries(bits PRIVATE m)
add_library(ecs INTERFACE)
target_include_directories(ecs INTERFACE include/ecs)
target_compile_definitions(ecs INTERFACE ECS=1 "NAME=ours")
target_link_libraries(ecs INTERFACE bits)
""" + MINE.replace(")", " LIBRARIES ecs)") + "stowage_add_benchmark(bench)", name="libraries")
    outcome = outside.configure(prefix)
    assert outcome.returncode == 0, outcome.stderr
    *others, mine = recipes(outside)
    include = outside.source / "include"
    assert set(mine["flags"].split()) == {f"-I{outside.source}", f"-I{include}/ecs", f"-I{include}/bits", "-DECS=1",
                                          "-DNAME=ours"}
    assert mine["libraries"].split() == [str(outside.build / "libbits.a"), "-lm"]
    assert not any(other.get("flags") for other in others)


def test_a_module_of_another_version_is_refused_in_one_line(prefix, tmp_path):
    """Nothing of it is run."""
    modules = prefix / "lib/stowage/modules"
    module = modules / "stowage_indirection_map-reads.so"
    original = module.read_bytes()
    interface = re.search(rb'interface = "([0-9a-f]{64})"', (prefix / "share/stowage/harness/build/interface.hpp").read_bytes())[1]
    for damaged, reason in ((original.replace(interface, b"0" * 64), "another version"), (original[:5000], "damaged")):
        module.write_bytes(damaged)
        outcome = run(prefix / "bin/stowage", "verify", "--strategies", "indirection_map", "--workloads", "alive", cwd=tmp_path)
        assert outcome.returncode == 3
        assert outcome.stderr.count("\n") == 1 and str(module) in outcome.stderr and reason in outcome.stderr
    module.write_bytes(original)
