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
assert len(FILES) >= 4


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


# ---- the typical world


def world_of(name):
    """A profile with kinds; each kind with the number of its entities as `entities`."""
    profile = tomllib.loads((PROFILES / f"{name}.toml").read_text())
    all_entities = profile["profile"]["entities"]
    if isinstance(all_entities, str):
        all_entities = int(all_entities.removesuffix("k")) * 1024
    profile["profile"]["entities"] = all_entities
    for kind in profile["entity_kind"]:
        kind["entities"] = kind.get("count") or round(kind["share"] * all_entities)
        kind.setdefault("children", [])
    profile["entity_kind"].sort(key=lambda kind: -kind["entities"])
    return profile


def shares_of_components(world):
    owners = {
        component["name"]: sum(kind["entities"] for kind in world["entity_kind"] if component["name"] in kind["components"])
        for component in world["component"]
    }
    return {name: owners[name] / world["profile"]["entities"] for name in sorted(owners, key=lambda name: -owners[name])}


def levels_below(world, kind):
    named = {other["name"]: other for other in world["entity_kind"]}
    return 1 + max((levels_below(world, named[child["kind"]]) for child in kind["children"]), default=0)


def in_trees(world):
    """The kinds whose entities hang on others or have others hang on them."""
    children = {child["kind"] for kind in world["entity_kind"] for child in kind["children"]}
    return [kind for kind in world["entity_kind"] if kind["children"] or kind["name"] in children]


TRANSFORMS = {"local transform": 64, "world transform": 64}  # of each entity in a tree, which profiles do not list


def sets_of_kinds(world):
    nodes = {kind["name"] for kind in in_trees(world)}
    return {frozenset([*kind["components"], *(TRANSFORMS if kind["name"] in nodes else ())]) for kind in world["entity_kind"]}


def in_tree_of(world, kind):
    """An entity and all that hangs on it."""
    named = {other["name"]: other for other in world["entity_kind"]}
    return 1 + sum(child.get("count", 1) * in_tree_of(world, named[child["kind"]]) for child in kind["children"])


def created_per_frame(world):
    return sum(kind.get("created_per_frame", 0) * in_tree_of(world, kind) for kind in world["entity_kind"])


def component_bytes(world):
    """Of all entities, transforms included."""
    sizes = {component["name"]: component["bytes"] for component in world["component"]}
    own = sum(sizes[name] * kind["entities"] for kind in world["entity_kind"] for name in kind["components"])
    return own + sum(TRANSFORMS.values()) * sum(kind["entities"] for kind in in_trees(world))


def percent(share):
    return f"{100 * share:.3g} %"


def proportions(world):
    entities = world["profile"]["entities"]
    kinds = world["entity_kind"]
    sizes = {component["name"]: component["bytes"] for component in world["component"]}
    shares = list(shares_of_components(world).values())
    touched = [len(system.get("reads", [])) + len(system.get("writes", [])) for system in world["system"]]
    return {
        "entities": f"{entities:,}",
        "kinds, component sets": f"{len(kinds)}, {len(sets_of_kinds(world))}",
        "shares of the largest kinds": ", ".join(percent(kind["entities"] / entities) for kind in kinds[:4]),
        "component types, tags of them": f"{len(sizes)}, {sum(size == 0 for size in sizes.values())}",
        "bytes of a component": f"{min(sizes.values())} to {max(sizes.values())}",
        "components of an entity": f"{sum(len(kind['components']) * kind['entities'] for kind in kinds) / entities:.1f}",
        "bytes of an entity, transforms included": f"{component_bytes(world) / entities:.0f}",
        "shares of the most common components": ", ".join(percent(share) for share in shares[:3]),
        "components that less than 2 % have": str(sum(share < 0.02 for share in shares)),
        "components that are kept together": f"{sum('together' in each for each in world['component'])} of {len(sizes)}",
        "systems, components of each": f"{len(world['system'])}, {sum(touched) / len(touched):.1f}",
        "lookups a frame, of the entities": percent(sum(lookup["per_frame"] for lookup in world["lookup"]) / entities),
        "created a frame, of the entities": percent(created_per_frame(world) / entities),
    }


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def test_the_page_of_the_typical_world_has_the_figures_of_the_profiles():
    typical, *recorded = [world_of(name) for name in ("typical", "archers", "tower_defense")]
    columns = [proportions(world) for world in (*recorded, typical)]
    tables = [
        table(
            ["proportion", "archers", "tower defense", "typical"],
            [[what, *(column[what] for column in columns)] for what in columns[0]],
        ),
        table(
            ["kind", "entities", "components"],
            [[kind["name"], f"{kind['entities']:,}", ", ".join(kind["components"])] for kind in typical["entity_kind"]],
        ),
        ", ".join(f"{name} {percent(share)}" for name, share in shares_of_components(typical).items()),
    ]
    page = (PROFILES.parent / "docs" / "typical-world.md").read_text()
    missing = [each for each in tables if each not in page and each not in " ".join(page.split())]
    assert missing == [], "docs/typical-world.md needs:\n\n" + "\n".join(missing)


def test_the_typical_world_is_a_mixture():
    world = world_of("typical")
    entities = world["profile"]["entities"]
    kinds = [kind["entities"] for kind in world["entity_kind"]]
    shares = list(shares_of_components(world).values())
    assert 18 <= len(kinds) <= 26 and 20 <= len(shares) <= 28
    assert 0.85 <= shares[0] <= 0.95
    assert sum(share < 0.02 for share in shares) >= 3
    assert kinds[0] < 0.25 * entities and kinds[len(kinds) // 2] < 0.2 * kinds[0]
    trees = in_trees(world)
    assert 0.28 <= sum(kind["entities"] for kind in trees) / entities <= 0.38
    assert {levels_below(world, kind) for kind in trees} == {1, 2, 3, 4, 5}
