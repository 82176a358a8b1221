"""docs/systems.md is what the strategies and docs/systems.toml say, and neither names what is not there."""

import importlib.util
import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])


def script():
    spec = importlib.util.spec_from_file_location("systems", SOURCE / "scripts/checks/systems.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["systems"] = module  # where dataclasses look their module up
    spec.loader.exec_module(module)
    return module


systems = script()
LIST = "add_strategy(one stowage/one.hpp stowage::One\n             SOURCE \"S1 (B1)\")\n"


@pytest.fixture
def table() -> dict:
    with (SOURCE / systems.TABLE).open("rb") as file:
        return tomllib.load(file)


@pytest.fixture
def known() -> list:
    """A strategy for every system that the table says nothing more of."""
    return [systems.Strategy("all", tuple(systems.NUMBERS), (), "strategies/stowage/naive_objects.hpp")]


def test_the_page_is_up_to_date(stowage):
    listed = json.loads(stowage("list", "strategies", "--format", "json").out)
    assert systems.made_from(SOURCE, listed) == (SOURCE / systems.PAGE).read_text(), "run scripts/checks/systems"


def test_every_system_has_a_row(table, known):
    page = systems.page(systems.systems(table, known))
    assert [row.split(" | ")[0] for row in page.splitlines() if row.startswith("| S")] == [
        f"| S{number}" for number in systems.NUMBERS]


def test_a_system_without_an_entry_is_named(table, known):
    del table["S8"]
    with pytest.raises(systems.Wrong, match=r"no \[S8\]"):
        systems.systems(table, known)


def test_a_system_that_nothing_implements_is_named(table, known):
    others = [systems.Strategy("most", tuple(number for number in systems.NUMBERS if number != 14), (), "x")]
    with pytest.raises(systems.Wrong, match="S14 has nothing to it"):
        systems.systems(table, others)


def test_a_system_without_a_test_is_named(table):
    del table["S9"]["tests"]
    with pytest.raises(systems.Wrong, match="S9 has no test"):
        systems.systems(table, [systems.Strategy("most", tuple(n for n in systems.NUMBERS if n != 9), (), "x")])


def test_files_that_do_not_exist_are_named(table, known):
    entry = {"from": "B1", "system": "s", "headers": ["strategies/no.hpp"], "tests": ["x.cpp"]}
    missing = systems.missing_files(systems.systems(table | {"S1": entry}, known), SOURCE)
    assert missing == ["S1 names strategies/no.hpp, which does not exist", "S1 names x.cpp, which does not exist"]


@pytest.mark.parametrize("table_change, source, complaint", [
    ({"S45": {}}, "S1", "S45"), ({"s1": {}}, "S1", "s1"), ({}, "S50 (CS)", "S50, which is no system"),
])
def test_unknown_systems_are_refused(table, table_change, source, complaint):
    known = systems.strategies([{"name": "one", "source": source}], LIST)
    with pytest.raises(systems.Wrong, match=complaint):
        systems.systems(table | table_change, known)


def test_a_source_names_systems_and_rivals():
    listed = [{"name": "one", "source": "S6, S3's rival (B2), S16 (CS)"},
              {"name": "reference", "source": "hand-written"}]
    (one,) = systems.strategies(listed, LIST)
    assert one.systems == (6, 16) and one.rival_of == (3,) and one.header == "strategies/stowage/one.hpp"


def test_a_binary_without_some_strategies_is_refused():
    with pytest.raises(systems.Wrong, match="does not have one"):
        systems.strategies([], LIST)
