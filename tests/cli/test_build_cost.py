"""`stowage build-cost`: what it refuses, and what it prints and stores. A script stands for the compiler: a real one takes
seconds for each file, and tests/reports/test_build_cost.py has that."""

import json
import signal

import pytest

from conftest import PLAIN_PYTHON, script, toolchain_with, wait_until

#: Compiles to nothing: an object file without code. It notes what it was asked for.
COMPILER = """echo "$*" >> '{log}'
case "$*" in *{failing}*) echo 'storage.hpp:1:2: error: no such thing' >&2; exit 1 ;; esac
while [ "$1" != -o ]; do shift; done
case "$2" in preprocessed) printf 'int a;\\n' > "$2" ;; *) cp '{empty}' "$2" ;; esac"""
ELF = bytes(0x40)  # no section


@pytest.fixture
def costed(stowage):
    """The command with that compiler and without Valgrind; the compiler fails for files of that word."""
    def run(*arguments, failing="nothing"):
        (stowage.directory / "empty").write_bytes(ELF)
        compiler = script(stowage.directory / "c++", COMPILER.format(
            log=stowage.directory / "log", failing=failing, empty=stowage.directory / "empty"))
        tools = stowage.directory / "tools"
        tools.mkdir(exist_ok=True)
        for tool in ("sh", "cp", "env"):
            if not (tools / tool).exists():
                (tools / tool).symlink_to(f"/bin/{tool}")
        return stowage("build-cost", *arguments, env={
            **PLAIN_PYTHON, **toolchain_with(stowage, compiler=str(compiler)), "PATH": str(tools)})
    run.directory = stowage.directory
    return run


@pytest.mark.parametrize("arguments, code, words", [
    (("--strategies", "fats"), 2, ["unknown strategy 'fats'; did you mean 'fast'?"]),
    (("--strategies", "reference"), 2, ["'reference' is no storage", "hand-written"]),
    (("--format", "xml"), 2, ["unknown format 'xml'; give table or json"]),
    (("game.cpp",), 2, ["`stowage build-cost` has no use for 'game.cpp'"]),
    (("--out",), 2, ["--out needs a value"]),
    ((), 3, ["/nowhere"]),
])
def test_what_it_cannot_use_is_refused(fake, arguments, code, words):
    fake("build-cost", *arguments).is_refused(code, *words)


def test_a_missing_compiler_and_a_place_that_it_may_not_write_are_named_before_anything_is_compiled(stowage, costed):
    nowhere = toolchain_with(stowage, compiler="/nowhere/c++")
    stowage("build-cost", env=nowhere).is_refused(3, "no compiler /nowhere/c++")
    (stowage.directory / "mine.json").write_text("{}")
    costed("--out", "mine.json").is_refused(2, "mine.json is damaged", "give another --out")
    costed("--out", "gone/a.json").is_refused(2, "cannot write gone/a.json", "give another --out")
    assert not (stowage.directory / "log").exists()


def test_base_forms_are_compiled_at_each_level_three_times_beside_the_yardstick_and_stored_whole(costed):
    outcome = costed("--format", "json", "--out", "cost.json").ends_with(0)
    cost = json.loads(outcome.out)
    assert outcome.out == (costed.directory / "cost.json").read_text()
    names = [each["strategy"] for each in cost["strategies"]]
    assert names[0] == "hand-written" and "indirection_map" in names and not any("." in name for name in names)
    assert cost["without_counts"].startswith("no valgrind") and cost["left_out"] == {}
    for each in cost["strategies"]:
        assert (each["lines"], each["bytes"], each["code_bytes"]) == (1, 7, 0)
        assert list(each["levels"]) == ["O0", "Og", "release"]
    log = (costed.directory / "log").read_text().splitlines()
    assert sum("yardstick.cpp" in line for line in log) == 3
    assert sum("-O0 -UNDEBUG" in line and "-c" in line for line in log) == 3 * len(names)
    assert costed("--strategies", "hybrid", "--out", "cost.json").code == 0, "its own file is replaced"


def test_the_table_has_the_named_strategies_and_says_what_is_left_out(costed):
    outcome = costed("--strategies", "hash_index.linear,hybrid", failing="hybrid.Og").ends_with(0)
    lines = outcome.out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["hand-written", "hash_index.linear"]
    assert max(map(len, lines)) <= 100 and "instructions per" not in lines[0]
    assert "hybrid is left out: storage.hpp:1:2: error: no such thing" in outcome.out
    assert "no valgrind to count instructions" in outcome.out
    costed("--strategies", "hybrid", failing="hybrid").is_refused(2, "no strategy is left: hybrid: storage.hpp:1:2:")
    costed("--strategies", "hybrid", failing="hand-written").is_refused(3, "nothing of stowage: storage.hpp:1:2:")


def test_an_interruption_ends_it_and_leaves_no_file(stowage, tmp_path):
    compiler = script(stowage.directory / "c++", f"touch '{stowage.directory}/begun'\nexec sleep 5")
    (tmp_path / "temporary").mkdir()
    process = stowage.start("build-cost", "--out", "cost.json", env={
        **PLAIN_PYTHON, **toolchain_with(stowage, compiler=str(compiler)), "TMPDIR": str(tmp_path / "temporary")})
    wait_until(process, (stowage.directory / "begun").exists)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err == "stowage: interrupted; nothing was written\n"
    assert not (stowage.directory / "cost.json").exists() and list((tmp_path / "temporary").iterdir()) == []
