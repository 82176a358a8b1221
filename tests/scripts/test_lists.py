"""What a line of the list of strategies has the tests of conformance check, by CMake's functions without a build."""

import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
NONE = "// none of for_each_{}_check()"


@pytest.fixture
def conformance(tmp_path):
    """Makes the translation unit of a storage with these traits; a mistake is a CalledProcessError."""
    def make(*traits, name="mine"):
        script = tmp_path / "list.cmake"
        script.write_text(f"""
cmake_minimum_required(VERSION 3.25)
set(PROJECT_BINARY_DIR {tmp_path})
include({SOURCE}/scripts/cmake/StowageLists.cmake)
include({SOURCE}/scripts/cmake/StowageTests.cmake)
stowage_generate_strategy({name} mine.hpp mine::Storage SOURCE "ours" SUMMARY "never" {" ".join(traits)})
stowage_generate_conformance(source {name} WHOLE)
""")
        cmake = os.environ.get("CMAKE_COMMAND", "cmake")
        subprocess.run([cmake, "-P", script], check=True, capture_output=True, text=True)
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


def test_a_trait_that_does_not_exist_is_named(conformance):
    with pytest.raises(subprocess.CalledProcessError) as mistake:
        conformance("HEAP_PER_ENTITIES")
    assert "add_strategy(mine): unknown 'HEAP_PER_ENTITIES'" in mistake.value.stderr
