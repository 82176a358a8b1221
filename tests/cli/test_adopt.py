"""`stowage adopt`: what it writes where, and what it refuses. What the headers are worth is tested in tests/adopt."""

import json
import os
import re
from pathlib import Path

import pytest

from conftest import PLAIN_PYTHON

FIRST_WORDS = "// Adopted from stowage "
DRAWING = "// hash_index.flat_map: Boost's flat map takes the entity to a row"


def test_what_is_not_built_is_refused_as_by_every_command(fake):
    words = ("stowage: strategy 'absent' is not in this binary: Peer was not found when this binary was configured; ",
             "install it and build again", "CMAKE_PREFIX_PATH=PREFIX in the environment")
    for command in (("adopt", "absent"), ("run", "--strategies", "absent"), ("verify", "--strategies", "absent")):
        fake(*command).is_refused(3, *words)


@pytest.mark.parametrize("option, value, words", [
    ("--with", "serialise", "--with has no 'serialise'; did you mean 'serialize'?"),
    ("--with", "x", "each_parallel"),
    ("--run", "nowhere", "cannot read nowhere/results.json: No such file or directory; give a directory"),
    ("--out", ".", "is not an adopted header"), ("--out", "gone/x.hpp", "cannot write gone/x.hpp"),
])
def test_nothing_is_written_if_an_option_is_wrong(stowage, option, value, words):
    stowage("adopt", "indirection_map", option, value).is_refused(2, words)
    assert list(stowage.directory.iterdir()) == []


def an_answer(**placements):
    found = {"strategy": "hybrid", "schema": [{"mark": "Group", "components": ["position", "velocity"]},
                                              {"mark": "", "components": ["weapon"]},
                                              {"mark": "Sparse", "components": ["on-fire"]}],
             "components": [{"name": "position", "bytes": 12}, {"name": "velocity", "bytes": 12},
                            {"name": "weapon", "type": "game::Weapon", "header": "/somewhere/weapon.hpp"},
                            {"name": "on-fire", "bytes": 0}], **placements}
    return json.dumps({"profile": "a game", "placements": found})


def test_an_answer_becomes_a_header_with_its_schema(stowage):
    (stowage.directory / "recommendation.json").write_text(an_answer(), encoding="utf-8")
    outcome = stowage("adopt", "--from", ".")
    assert outcome.code == 0 and outcome.out.startswith(FIRST_WORDS)
    assert "`stowage adopt --from . --out FILE`" in outcome.out  # without --from it would have no schema
    end = outcome.out[outcome.out.index("namespace game_a_game {"):]
    assert "alignas(4) unsigned char bytes[12];" in end and "struct OnFire {};" in end
    assert "struct Weapon" not in end and '#include "weapon.hpp"' in outcome.out
    assert re.search(r"using Storage = stowage::Hybrid<stowage::Schema<\s+stowage::Group<Position, Velocity>,\s+"
                     r"game::Weapon,\s+stowage::Sparse<OnFire>>>;", end)
    stowage("adopt", "indirection_map", "--from", ".").is_refused(2, "on 'hybrid'; leave out 'indirection_map'")


@pytest.mark.parametrize("words, text", {
    "give a directory that `stowage recommend PROFILE --out` has filled": None,
    "recommendation.json is truncated": "{",
    "recommendation.json is not JSON": "[" * 100_000,
    # tests/files/vectors.json has what else of an answer would be code in the header
    "placements.components[0].type": an_answer(schema=[], components=[
        {"name": "position", "type": "int>; int x = f(); using Y = Z<int", "header": "a.hpp"}]),
    "'weapon' is in the schema twice": an_answer(schema=[{"mark": "", "components": ["weapon", "weapon"]}]),
    "says nothing of single components": '{"profile": "a game", "placements": null}',
    "'gone' is in the schema, and is none": an_answer(schema=[{"mark": "", "components": ["gone"]}]),
    "unknown strategy 'fats'": an_answer(strategy="fats"),
}.items(), ids=lambda value: str(value)[:20])
def test_what_is_no_answer_is_refused(stowage, words, text):
    if text is not None:
        (stowage.directory / "recommendation.json").write_text(text, encoding="utf-8")
    stowage("adopt", "--from", ".", "--out", "game.hpp").is_refused(2, words)
    assert not (stowage.directory / "game.hpp").exists()


def test_the_header_goes_to_standard_output_alone_and_says_what_it_is_and_needs(stowage):
    outcome = stowage("adopt", "hash_index.flat_map", "--with", "each_parallel")
    assert outcome.code == 0 and outcome.err == ""
    head, code = outcome.out.split("#pragma once", 1)
    assert head.startswith(FIRST_WORDS)
    for said in ("`stowage adopt hash_index.flat_map --with each_parallel --out FILE`", "stowage::HashIndexFlatMap<Schema>",
                 "stowage::HashIndexFlatMap<Scene> scene;", "oneTBB, to be linked: <tbb/", "WITHOUT WARRANTY OF ANY KIND",
                 "Boost 1.81 or newer, headers only: <boost/unordered/unordered_flat_map.hpp>",
                 "stowage run --preset standard --strategies hash_index.flat_map", DRAWING):
        assert said in head
    assert DRAWING not in code and "void save(" not in code
    assert "\n#include <vector>\n#include <boost/unordered/unordered_flat_map.hpp>\n" in code


def peers():
    """Of the list: whether they are built depends on what is installed."""
    lists = (Path(os.environ["STOWAGE_SOURCE_DIR"]) / "strategies" / "CMakeLists.txt").read_text()
    return re.findall(r"^add_peer\((\S+) ", lists, re.MULTILINE)


def test_adapters_to_other_libraries_and_hand_written_loops_are_refused(stowage):
    stowage("adopt", "reference.store").is_refused(2, "'reference.store' is no storage")
    assert peers()
    for name in peers():
        stowage("adopt", name).is_refused(2, f"'{name}' is an adapter to ")


def test_every_strategy_has_a_header_with_its_card(stowage):
    for entry in json.loads(stowage("list", "--format", "json").out):
        if entry["semantics"] is None or entry["name"] in peers():  # a hand-written loop, or an adapter
            continue
        outcome = stowage("adopt", entry["name"])
        assert outcome.code == 0, outcome.err
        head = outcome.out[:outcome.out.index("#pragma once")]
        assert f"// The strategy {entry['name']} in one header" in head
        assert entry["summary"] in head and "MIT License" in head
        for promise, is_kept in entry["semantics"].items():
            assert f"//     {promise:<33}  {'yes' if is_kept else 'no: '}" in head
        assert "#include <stowage/" not in outcome.out


def test_a_file_is_written_and_replaced_by_its_like(stowage):
    header = stowage.directory / "storage.hpp"
    outcome = stowage("adopt", "sparse_direct", "--out", header)
    assert outcome.code == 0 and outcome.out == ""
    assert "stowage::SparseDirect<Schema>" in outcome.err
    assert header.read_text() == stowage("adopt", "sparse_direct").out
    assert stowage("adopt", "indirection_map", "--out", header).code == 0
    assert "The strategy indirection_map" in header.read_text()
    assert [path.name for path in stowage.directory.iterdir()] == ["storage.hpp"]
    # one that adopt did not write is not touched
    header = stowage.directory / "mine.hpp"
    for text in ("#pragma once\n", "", "// Adopted\n"):
        header.write_text(text)
        stowage("adopt", "indirection_map", "--out", "mine.hpp").is_refused(2, "mine.hpp", "not an adopted header")
        assert header.read_text() == text


def test_figures_of_the_newest_run_stand_in_the_header(stowage):
    outcome = stowage("run", "--strategies", "indirection_map", "--workloads", "point_mass,lookup", "--entities", "1k",
                      "--out", "results/20261120-190000-here-quick")
    assert (stowage.directory / "results/20261120-190000-here-quick/results.json").exists(), outcome.err
    assert "No figures: no Python" in stowage("adopt", "indirection_map").out
    measured = stowage("adopt", "indirection_map", env=PLAIN_PYTHON).out
    head = measured[:measured.index("#pragma once")]
    assert "lookup components:4" in head and "x ref" in head
    assert "Again: stowage run --preset quick --strategies indirection_map" in head
    assert "No figures: results/20261120-190000-here-quick has not measured it" in stowage("adopt", "hash_index", env=PLAIN_PYTHON).out
    stowage("adopt", "hash_index", "--run", "results/20261120-190000-here-quick", env=PLAIN_PYTHON).is_refused(
        2, "has not measured 'hash_index'", "stowage run --preset quick --strategies hash_index --workloads")
