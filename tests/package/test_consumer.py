"""A storage of an outside project: tested, and measured beside all others."""

import json
import os
import re
from pathlib import Path

import pytest

from conftest import SCRATCH, SOURCE, only_among_all_tests, run, succeed

MADE_IN = (SOURCE, Path(os.environ["STOWAGE_RELEASE_DIR"]))


def test_its_game_plays(consumer):
    succeed(consumer.build / "game")


@only_among_all_tests
def test_its_own_tests_pass(consumer):
    outcome = run("ctest", "--test-dir", consumer.build, "--output-on-failure")
    assert outcome.returncode == 0, outcome.stdout
    for name in ("game", "conformance.probing_map", "model.probing_map"):
        assert f"{name} ." in outcome.stdout


def test_its_command_has_it_beside_all_others(consumer, prefix):
    strategies = json.loads(succeed(consumer.build / "my_stowage", "list", "strategies", "--format", "json").stdout)
    others = json.loads(succeed(prefix / "bin/stowage", "list", "strategies", "--format", "json").stdout)
    assert strategies[:-1] == others
    assert strategies[-1]["name"] == "probing_map"
    assert strategies[-1]["source"] == "ours"


@only_among_all_tests
def test_it_does_the_same_work_as_the_others(consumer):
    succeed(consumer.build / "my_stowage", "verify", "--strategies", "probing_map,hash_index", "--entities", "1k")


@only_among_all_tests
def test_its_figures_stand_in_the_run_and_in_the_report(consumer, tmp_path):
    succeed(consumer.build / "my_stowage", "run", "--strategies", "probing_map,hash_index", "--workloads", "lookup",
            "--entities", "1k", "--out", "run", cwd=tmp_path)
    results = json.loads((tmp_path / "run/results.json").read_text())
    cells = {cell["name"].split("/")[1] for cell in results["benchmarks"]}
    assert {"probing_map", "hash_index", "reference"} <= cells
    assert "probing_map" in (tmp_path / "run/report/report.html").read_text()


@only_among_all_tests
def test_the_simulator_counts_it_as_if_it_were_ours(consumer, prefix):
    """The strategies of the package take exactly as many instructions as in its own command; what finds the components
    of the outside storage is told from the components."""
    arguments = ["cache", "--workloads", "lookup", "--entities", "1k", "--format", "json", "--strategies"]
    def cells(*command):
        return {cell["name"]: cell for cell in json.loads(succeed(*command).stdout)["benchmarks"]}
    ours = cells(prefix / "bin/stowage", *arguments, "hash_index")
    theirs = cells(consumer.build / "my_stowage", *arguments, "hash_index,probing_map")
    for name, cell in ours.items():
        assert theirs[name]["instructions_per_item"] == pytest.approx(cell["instructions_per_item"], rel=0.01), name
    mine = [cell for name, cell in theirs.items() if "/probing_map/" in name]
    assert mine and all("l1d_misses_index_per_item" in cell for cell in mine)


def toolchain(file):
    """How strategies are compiled; every file that it names is there, and not where the package was made."""
    root = json.loads(file.read_text())
    named = [path for path in [*root["include_directories"], *root["libraries"]] if not path.startswith("-")]
    assert any(path.endswith("libstowage_workloads.a") for path in named)
    for path in named:
        place = (file.parent / path).resolve()
        assert place.exists(), path
        assert place.is_relative_to(SCRATCH) or not any(place.is_relative_to(made_in) for made_in in MADE_IN), path
    return root


def test_it_is_compiled_as_the_others_are(consumer, prefix):
    installed = toolchain(prefix / "share/stowage/toolchain.json")
    own = toolchain(consumer.build / "my_stowage.modules/toolchain.json")
    assert own["strategies"][:-1] == installed["strategies"]
    mine = own["strategies"][-1]
    assert (mine["name"], mine["template"]) == ("probing_map", "mine::ProbingMap")
    assert (Path(mine["flags"].removeprefix("-I").splitlines()[0]) / mine["header"]).exists()
    made_by = json.loads((Path(os.environ["STOWAGE_RELEASE_DIR"]) / "toolchain.json").read_text())
    assert own["flags"] == installed["flags"] == made_by["flags"]
    # all that decides over the code; the others say what is warned of, and how much memory the compiler takes
    of_code = [option for option in made_by["options"] if not option.startswith(("-W", "--param=ggc"))]
    assert of_code and installed["options"] == of_code


GAME = """
[profile]
name = "doors"
entities = 500

[[component]]
name = "hinge"
bytes = 12
share = 0.5

[[system]]
name = "swing"
writes = ["hinge"]

[[lookup]]
reads = ["hinge"]
per_frame = 20
"""


@only_among_all_tests
def test_it_is_recommended_among_the_others(consumer, tmp_path):
    (tmp_path / "game.toml").write_text(GAME)
    environment = {"STOWAGE_CACHE_DIR": str(tmp_path / "cache")}
    outcome = succeed(consumer.build / "my_stowage", "recommend", "game.toml", "--quick", "--format", "json",
                      "--strategies", "probing_map,hash_index", cwd=tmp_path, env=environment)
    answer = json.loads(outcome.stdout)
    assert {entry["strategy"] for entry in answer["ranking"]} == {"probing_map", "hash_index"}
    assert not answer["not_ranked"]


def test_it_cannot_be_adopted_and_the_message_says_where_it_is(consumer):
    outcome = run(consumer.build / "my_stowage", "adopt", "probing_map")
    assert outcome.returncode == 2 and outcome.stdout == ""
    assert "'probing_map'" in outcome.stderr and "project that added it" in outcome.stderr


def test_the_document_has_this_very_project():
    assert (SOURCE / "tests/consumer/CMakeLists.txt").read_text() in (SOURCE / "docs/bring_your_own.md").read_text()


def test_the_document_explains_every_check():
    text = (SOURCE / "docs/bring_your_own.md").read_text()
    checks = [("card_" if of_card else "") + name for header in (SOURCE / "tests/conformance").glob("*.hpp")
              for of_card, name in re.findall(r'(?:Check ?\{"|(?<!#define )STOWAGE_(CARD_)?CHECK\()(\w+)', header.read_text())]
    assert len(checks) > 70
    assert not [name for name in checks if f"`{name}`" not in text]
