"""The schema that editors and the reader check profiles by, as JSON Schema understands it."""

import copy
import json
import os
import tomllib
from pathlib import Path

import pytest

jsonschema = pytest.importorskip("jsonschema")

PROFILES = Path(os.environ["STOWAGE_SOURCE_DIR"]) / "profiles"
FILES = sorted(PROFILES.glob("*.toml"))


@pytest.fixture(scope="module")
def validator():
    schema = json.loads((PROFILES / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture
def example():
    return tomllib.loads((PROFILES / "example.toml").read_text())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_profile_is_one_by_the_schema(validator, file):
    assert [error.message for error in validator.iter_errors(tomllib.loads(file.read_text()))] == []


def test_there_are_profiles_to_look_at():
    assert len(FILES) >= 4


BREAKS = {
    "an unknown table": lambda profile: profile.update(physics={}),
    "an unknown key": lambda profile: profile["profile"].update(entitys=5),
    "a missing key": lambda profile: profile["profile"].pop("entities"),
    "no component": lambda profile: profile.pop("component"),
    "too many components": lambda profile: profile["component"].extend(profile["component"] * 50),
    "a table that should be a list": lambda profile: profile.update(system=profile["system"][0]),
    "a string for a number": lambda profile: profile["component"][0].update(share="half"),
    "a share of 0": lambda profile: profile["component"][0].update(share=0),
    "a fraction of an entity": lambda profile: profile["profile"].update(entities=1.5),
    "a count in another unit": lambda profile: profile["profile"].update(entities="16 thousand"),
    "a size in another unit": lambda profile: profile["budget"].update(memory="64 Mbit"),
    "an order that is none": lambda profile: profile["lookup"][0].update(order="scattered"),
    "a name with a space": lambda profile: profile["system"][0].update(name="move all"),
    "a component that is named twice": lambda profile: profile["system"][0].update(reads=["position", "position"]),
    "size and type": lambda profile: profile["component"][0].update(type="A", header="a.hpp"),
    "a type without header": lambda profile: profile["component"].append({"name": "a", "type": "A"}),
    "a tree of one level": lambda profile: profile["hierarchy"].update(depth=1),
}


@pytest.mark.parametrize("what", BREAKS)
def test_what_the_reader_refuses_an_editor_marks(validator, example, what):
    broken = copy.deepcopy(example)
    BREAKS[what](broken)
    assert not validator.is_valid(broken)
