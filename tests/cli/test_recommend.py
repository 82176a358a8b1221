"""`stowage recommend`: what it refuses in one line, and one whole answer for a small game."""

import json
import signal
import sys
from pathlib import Path

import pytest

from conftest import toolchain_with, wait_until

TINY = """
[profile]
name = "tiny"
entities = 500

[[component]]
name = "position"
bytes = 12

[[component]]
name = "target"
bytes = 8
share = 0.3

[[system]]
name = "move"
writes = ["position"]

[[lookup]]
reads = ["target"]
per_frame = 20

[turnover]
creations_per_frame = 3
"""
HEALTH = 'name = "health"\ntype = "game::Health"\nheader = "health.hpp"\n'
# Of games that exist: members that are arrays, a base class, private members; and all that no storage can take apart.
OWN_TYPES = """#pragma once
namespace game {
struct Health { float points = 1; bool poisoned = false; };
struct Pose { float position[3]; float rotation[2][2]; };
struct Unit { int team = 0; };
class Enemy : public Unit { float anger_ = 0; };
inline int place = 0;
struct Odd { const int id = 3; int& at = place; unsigned bits : 3 = 0; union { int whole; float real; }; };
}
"""
OWN_COMPONENTS = "".join(f'[[component]]\nname = "{name.lower()}"\ntype = "game::{name}"\nheader = "health.hpp"\n'
                         for name in ("Health", "Pose", "Enemy", "Odd"))
OWN_WORK = '[[system]]\nname = "own"\nreads = ["odd"]\nwrites = ["pose", "enemy"]\n'

# How a game begins that `recommend` has written.
GENERATED = '#pragma once\n\n// Generated from a profile.\n#include "types.hpp"\n'
NO_TOOLCHAIN = {"STOWAGE_TOOLCHAIN": "/nowhere/toolchain.json"}


@pytest.fixture
def tiny(fake):
    (fake.directory / "tiny.toml").write_text(TINY)
    return fake


def only(stowage, *names, **changes):
    """A toolchain with these strategies."""
    environment = toolchain_with(stowage)
    strategies = json.loads(Path(environment["STOWAGE_TOOLCHAIN"]).read_text())["strategies"]
    return toolchain_with(stowage, strategies=[entry for entry in strategies if entry["name"] in names], **changes)


def test_init_writes_an_example_that_is_refused_a_second_time(fake):
    outcome = fake("recommend", "--init")
    assert outcome.code == 0 and outcome.out == "" and "game.toml" in outcome.err
    assert "[profile]" in (fake.directory / "game.toml").read_text()
    fake("recommend", "--init").is_refused(2, "game.toml", "--init OTHER.toml")
    assert fake("recommend", "--init", "other.toml").code == 0


@pytest.mark.parametrize("arguments, words", [
    ([], ["name a profile", "--init"]),
    (["tiny.toml", "--from", "nowhere"], ["nowhere has no answer"]),
    (["nowhere.toml"], ["cannot read nowhere.toml"]),
    (["tiny.toml", "--format", "xml"], ["unknown format 'xml'"]),
    (["--require", "pointer_stabilty", "tiny.toml"], ["did you mean 'pointer_stability'?"]),
    (["tiny.toml", "--require", "growth,"], ["--require ''"]),
    (["tiny.toml", "--search", "long"], ["--search 'long' is no time", "seconds from 0 to 86400"]),
    (["tiny.toml", "--search", "-5"], ["--search '-5' is no time"]),
])
def test_wrong_input_is_refused_in_one_line(tiny, arguments, words):
    tiny("recommend", *arguments).is_refused(2, *words)


def left_there(tiny, directory, *names, text=GENERATED):
    for name in names:
        (tiny.directory / directory / name).parent.mkdir(parents=True, exist_ok=True)
        (tiny.directory / directory / name).write_text(text)


@pytest.mark.parametrize("name", ["diary", "process-1/diary", "game.hpp"])  # the last may look like an answer
def test_a_directory_with_other_files_is_left_alone(tiny, name):
    left_there(tiny, "mine", name, text="struct Game {};\n")
    tiny("recommend", "tiny.toml", "--out", "mine", env=NO_TOOLCHAIN).is_refused(2, "--out mine holds something else")
    left_there(tiny, "mine", "recommendation.json", text="{}")
    tiny("recommend", "tiny.toml", "--out", "mine", env=NO_TOOLCHAIN)
    assert name == "game.hpp" or (tiny.directory / "mine" / name).exists()


@pytest.mark.parametrize("left", [["game.hpp"], ["game.hpp", "process-1/results.json.7.tmp"], ["game.hpp.7.tmp"]])
def test_what_a_killed_process_leaves_is_no_obstacle(tiny, left):
    left_there(tiny, "answer", *left)
    tiny("recommend", "tiny.toml", "--out", "answer", env=NO_TOOLCHAIN).is_refused(3, NO_TOOLCHAIN["STOWAGE_TOOLCHAIN"])


def test_a_place_that_cannot_be_written_and_a_broken_profile_are_refused_before_anything_is_compiled(tiny):
    (tiny.directory / "file").write_text("")
    tiny("recommend", "tiny.toml", "--out", "file/answer", env=NO_TOOLCHAIN).is_refused(2, "file")
    (tiny.directory / "tiny.toml").write_text(TINY + "\n[turnovr]\n")
    tiny("recommend", "tiny.toml").is_refused(2, "tiny.toml:", "turnovr")


def test_a_missing_or_damaged_toolchain_is_the_environments_fault(tiny):
    tiny("recommend", "tiny.toml", env=NO_TOOLCHAIN).is_refused(3, "cannot read /nowhere/toolchain.json")
    (tiny.directory / "toolchain.json").write_text('{"compiler": "c++"')
    tiny("recommend", "tiny.toml", env={"STOWAGE_TOOLCHAIN": str(tiny.directory / "toolchain.json")}).is_refused(
        3, "toolchain.json is not as the build writes it")
    tiny("recommend", "tiny.toml", env={"STOWAGE_TOOLCHAIN": str(tiny.directory)}).is_refused(3, str(tiny.directory))
    environment = toolchain_with(tiny, compiler="/nowhere/c++")
    tiny("recommend", "tiny.toml", env=environment).is_refused(3, "no compiler /nowhere/c++")


def test_what_is_wrong_with_a_users_type_is_the_compilers_word(stowage, tmp_path):
    """A package was built with ccache, and goes on without if that is not where it is installed."""
    (tmp_path / "tiny.toml").write_text(TINY + f"\n[[component]]\n{HEALTH}")
    (tmp_path / "health.hpp").write_text(
        "namespace game { struct Health { Health(); Health(Health&&) noexcept(false); }; }")
    stowage("recommend", "tiny.toml", env=only(stowage, "indirection_map")).is_refused(
        2, "tiny.toml: its types cannot be components", "'health' must be nothrow move constructible", "types.log")
    (tmp_path / "health.hpp").write_text("namespace game { struct Helth {}; }")
    stowage("recommend", "tiny.toml", env=only(stowage, "indirection_map", launcher="/nowhere/ccache")).is_refused(
        2, "tiny.toml", "is not a member of", "types.log")


def test_an_interruption_leaves_nothing_half_done(stowage, tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    environment = only(stowage, "indirection_map", "sparse_direct")
    process = stowage.start("recommend", "tiny.toml", env=environment)
    wait_until(process, lambda: list((tmp_path / "cache").glob("games/*/build.log")))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == "" and len(err.splitlines()) == 1
    assert not list((tmp_path / "cache").glob("games/*/*.so"))


def test_a_strategy_that_cannot_hold_the_game_is_not_compiled(stowage, tmp_path):
    (tmp_path / "large.toml").write_text(TINY.replace("entities = 500", "entities = 70000"))
    environment = only(stowage, "offset_table.16bit")
    answer = stowage("recommend", "large.toml", "--strategies", "offset_table.16bit", env=environment)
    answer.is_refused(1, "no strategy can hold the game; offset_table.16bit: it has at most 65535 rows of a component")
    assert not (tmp_path / "cache").exists()


def test_a_game_that_no_memory_holds_is_refused_before_anything_is_compiled(stowage, tmp_path):
    components = "".join(f'[[component]]\nname = "c{number}"\nbytes = 4096\n' for number in range(100))
    kind = '[[entity_kind]]\nname = "all"\nshare = 1\ncomponents = ["c0"%s]\n'
    system = '[[system]]\nname = "s"\nreads = ["c0"]\n'
    profile = '[profile]\nname = "huge"\nentities = "16M"\n' + components
    others = "".join(f', "c{number}"' for number in range(1, 100))
    environment = only(stowage, "indirection_map")
    for text in profile + system, profile + system + kind % others:
        (tmp_path / "huge.toml").write_text(text)
        stowage("recommend", "huge.toml", env=environment).is_refused(
            2, "huge.toml:3", "6400.1 GiB", "'entities'"
        )
    assert not (tmp_path / "cache").exists()


def test_a_game_is_answered_and_its_second_answer_compiles_nothing(stowage, tmp_path):
    """With types of the user's, and a promise that only some give."""
    (tmp_path / "health.hpp").write_text(OWN_TYPES)
    (tmp_path / "tiny.toml").write_text(f"{TINY}{OWN_COMPONENTS}{OWN_WORK}[budget]\nmemory = 1000000\n")
    environment = only(stowage, "indirection_map", "naive_objects")
    first = stowage("recommend", "tiny.toml", "--quick", "--format", "json", "--out", "answer",
                    env={**environment, "STOWAGE_PYTHON": sys.executable})
    assert first.code == 0, first.err
    answer = json.loads(first.out)
    assert {entry["strategy"] for entry in answer["ranking"]} == {"indirection_map", "naive_objects"}
    assert answer["winner"] == answer["ranking"][0]["strategy"]
    assert answer["winner"] not in answer["tied"]
    for entry in answer["ranking"]:
        low, high = entry["interval"]
        assert low <= entry["frame_ns"] <= high
        assert entry["broken_budgets"] == []
        assert entry["frame_max_ns"] >= entry["frame_p99_ns"] > 0
        assert set(entry["parts"]) == {"frame_systems_ns", "frame_lookups_ns", "frame_turnover_ns"}
    assert answer["compiled_files"] == 2 and answer["reasons"] and not answer["not_ranked"]
    page = (tmp_path / "answer" / "recommendation.html").read_text()
    assert answer["winner"] in page and 'src="http' not in page and "url(http" not in page
    assert json.loads((tmp_path / "answer" / "recommendation.json").read_text()) == answer
    second = stowage("recommend", "tiny.toml", "--quick", "--require", "pointer_stability",
                     env={**environment, "STOWAGE_PYTHON": sys.executable})
    assert second.code == 0, second.err
    assert "naive_objects takes" in second.out and "compiling" not in second.out
    assert "compiling" not in second.err
    assert all(len(line) <= 100 for line in second.out.splitlines() if not line.startswith(("not ranked", "left out")))
    again(stowage, environment, answer)


def again(stowage, environment, answer):
    """An answer follows from what was measured: the same without measuring, another one for another budget, and none
    for another game."""
    from_it = ("recommend", "tiny.toml", "--from", "answer", "--format", "json")
    same = json.loads(stowage(*from_it, env=environment).out)
    for key in ("winner", "tied", "ranking", "reasons", "frames_per_process"):
        assert same[key] == answer[key], key
    without_python = stowage(*from_it[:-2], env=environment)
    assert json.loads(without_python.out)["winner"] == answer["winner"] and "Python" in without_python.err
    profile = stowage.directory / "tiny.toml"
    text = profile.read_text()
    profile.write_text(text.replace("memory = 1000000", "memory = 20000"))
    short = json.loads(stowage(*from_it, env=environment).out)
    assert all(entry["broken_budgets"] == ["memory"] for entry in short["ranking"])
    profile.write_text(text.replace("per_frame = 20", "per_frame = 21"))
    stowage(*from_it, env=environment).is_refused(2, "answer has the answer to another game than tiny.toml")
    stowage(*from_it, "--quick", env=environment).is_refused(2, "--from measures nothing, so --quick")
    profile.write_text(text)


@pytest.mark.parametrize("names, code, words", [
    ("indirection_mop", 2, ["unknown strategy 'indirection_mop'"]),
    ("reference", 2, ["no game can be compiled for 'reference'", "hand-written"]),
    ("fast", 2, ["no game can be compiled for 'fast'"]),
    ("absent", 3, ["strategy 'absent' is not in this binary: Peer was not found", "install it and build again"]),
])
def test_strategies_that_have_no_game_are_refused_by_name(tiny, names, code, words):
    environment = only(tiny, "indirection_map")
    left_there(tiny, "mine", "process-1/results.json", text="{}")
    tiny("recommend", "tiny.toml", "--out", "mine", "--strategies", names, env=environment).is_refused(code, *words)
    assert (tiny.directory / "mine/process-1/results.json").exists()  # no earlier answer is lost


def test_a_promise_that_no_strategy_gives_is_a_negative_answer(tiny):
    tiny("recommend", "tiny.toml", "--require", "creation_order", env=only(tiny, "indirection_map")).is_refused(
        1, "no strategy promises creation_order")
    tiny("recommend", "tiny.toml", "--require", "pointer_stability", env=only(tiny, "indirection_map")).is_refused(
        1, "no strategy promises pointer_stability_on_insert and pointer_stability_on_erase")
