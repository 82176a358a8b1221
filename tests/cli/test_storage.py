"""`--storage FILE:TYPE`: a storage of the user in a header, without a project; and modules that cannot be built or loaded."""

import fcntl
import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from conftest import SIMULATOR, only_among_all_tests, script, shipped_in, toolchain_with, wait_until

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
GOOD = """#pragma once
#include <stowage/indirection_map.hpp>
namespace mine {
template <class SchemaType>
class MyStorage : public stowage::IndirectionMap<SchemaType> {};
}
"""
LOOKUP = ("--workloads", "lookup", "--entities", "1k")


@pytest.fixture
def mine(stowage):
    """The shipped command in a directory with `my storage/good.hpp`, and with a cache of its own."""
    (stowage.directory / "my storage").mkdir()
    (stowage.directory / "my storage/good.hpp").write_text(GOOD)
    return stowage


def cache_of(mine):
    return {"STOWAGE_CACHE_DIR": str(mine.directory / "cache")}


def header(mine, text):
    (mine.directory / "bad.hpp").write_text(text)
    return "bad.hpp:mine::Bad"


@pytest.mark.parametrize("storage, words", [
    ("nowhere.hpp:mine::MyStorage", ["there is no file", "nowhere.hpp"]),
    ("good.hpp", ["FILE:TYPE"]),
    (":mine::MyStorage", ["FILE:TYPE"]),
    ("my storage:mine::MyStorage", ["a directory"]),
    ("my storage/good.hpp:", ["FILE:TYPE"]),
    ("my storage/good.hpp:1 + 1", ["FILE:TYPE"]),
    ("My-Map=my storage/good.hpp:mine::MyStorage", ["'My-Map' cannot be a name", "--storage NAME="]),
    ("hash_index=my storage/good.hpp:mine::MyStorage", ["is taken", "--storage NAME='my storage/good.hpp:"]),
    ("reference=my storage/good.hpp:mine::MyStorage", ["the name reference is taken"]),
])
def test_a_wrong_storage_is_refused_before_anything_is_compiled(mine, storage, words):
    mine("verify", "--storage", storage, env=cache_of(mine)).is_refused(2, *words)
    assert not (mine.directory / "cache").exists()


@pytest.mark.parametrize("name", ['a".hpp', "a>.hpp", "a\n#error.hpp"])
def test_a_header_that_no_include_can_name_is_refused(mine, name):
    (mine.directory / name).write_text(GOOD)
    mine("verify", "--storage", f"{name}:mine::MyStorage", env=cache_of(mine)).is_refused(2, "--storage", "rename it")
    assert not (mine.directory / "cache").exists()


def refusal(outcome):
    """What the last line says; one before it tells what is compiled, and others how far that is."""
    *announced, last = [line for line in outcome.err.splitlines() if not line.startswith("compiling: ")]
    assert outcome.code == 2 and outcome.out == "" and len(announced) <= 1
    return last


def test_a_type_that_the_header_lacks_is_the_compilers_word_and_a_path_with_quotes_is_no_command(mine):
    """Ninja takes no quote in the name of a dependency: such a header is compiled each time, which is too slow for `built`."""
    directory = mine.directory / "it's `touch executed` $(touch executed)"
    (mine.directory / "my storage").rename(directory)
    last = refusal(mine("verify", "--storage", f"{directory.name}/good.hpp:mine::Other", *LOOKUP, env=cache_of(mine)))
    assert "Other" in last and "error:" in last and "all of it: " in last
    assert not list(mine.directory.rglob("executed"))


@pytest.mark.parametrize("text, words", [
    ("#pragma once\nnamespace mine {\ntemplate <class S> class Bad { int };\n}\n", "/bad.hpp:3:"),
    ("namespace mine { template <class S> class Bad {}; }", "EntityLifecycle"),
    ("#include <stowage/indirection_map.hpp>\nnamespace mine { template <class S> class Bad : public stowage::IndirectionMap<S> "
     "{ void memory() const; }; }", "memory_accounting"),
])
def test_the_line_that_does_not_compile_or_the_first_missing_capability_is_named(mine, text, words):
    assert words in refusal(mine("verify", "--storage", header(mine, text), *LOOKUP, env=cache_of(mine)))


def compiled_by(mine, compiler):
    return toolchain_with(mine, compiler=str(compiler), launcher="")


def test_a_cache_that_cannot_be_written_and_a_missing_compiler_are_named(mine):
    (mine.directory / "file").write_text("")
    storage = ("--storage", "my storage/good.hpp:mine::MyStorage")
    outcome = mine("verify", *storage, env={"STOWAGE_CACHE_DIR": str(mine.directory / "file/cache")})
    outcome.is_refused(2, "file/cache", "choose a directory that you may write to")
    mine("verify", *storage, env=compiled_by(mine, "/nowhere/c++")).is_refused(3, "no compiler /nowhere/c++")


def test_an_interruption_leaves_no_module(mine):
    process = mine.start("verify", "--storage", "my storage/good.hpp:mine::MyStorage", env=cache_of(mine))
    wait_until(process, lambda: list(mine.directory.glob("cache/storages/*/my_storage.contract.checked")))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == "" and not list(mine.directory.glob("cache/storages/*/*.so"))


def test_what_a_killed_command_compiles_keeps_the_next_one_waiting(mine):
    begun, go = mine.directory / "begun", mine.directory / "go"
    compiler = script(mine.directory / "slow-c++",
                      f"trap '' TERM\ntouch '{begun}'\nwhile [ ! -e '{go}' ]; do sleep 0.02; done\nexit 1")
    process = mine.start("verify", "--storage", "my storage/good.hpp:mine::MyStorage", env=compiled_by(mine, compiler))
    wait_until(process, begun.exists)
    process.kill()
    process.communicate(timeout=60)
    [lock] = mine.directory.glob("cache/storages/*/lock")
    try:
        with lock.open() as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        go.touch()
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The shipped command with a module of tests/consumer's storage in its cache, and a run of it."""
    directory = tmp_path_factory.mktemp("built") / "it $(touch executed) $HOME"
    directory.mkdir()
    command = shipped_in(directory)
    shutil.copy(SOURCE / "tests/consumer/probing_map.hpp", command.directory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STOWAGE_CACHE_DIR", str(command.directory / "cache"))
        command.verified = command("verify", *OURS, *LOOKUP, umask=0o002)
        assert command.verified.code == 0, command.verified.err
        timed = command("run", *OURS, *LOOKUP, "--out", "run", "--", "--benchmark_min_time=0.0001")
        assert timed.code == 3  # no Python was offered for the report
        yield command
    assert not list(directory.parent.rglob("executed"))


OURS = ("--storage", "probing_map.hpp:mine::ProbingMap", "--strategies", "indirection_map")


def test_a_storage_is_verified_and_measured_beside_others_under_its_own_name(built):
    assert (built.directory / "cache").stat().st_mode & 0o777 == 0o700
    assert not [path for path in (built.directory / "cache").rglob("*") if path.stat().st_mode & 0o022]
    assert "compiling probing_map" in built.verified.err
    rows = [line.split()[0] for line in built.verified.out.splitlines()]
    assert rows[-1] == "probing_map" and {"reference", "indirection_map"} <= set(rows)
    counted = built("cache", "--source", "simulated", "--format", "json", *OURS, *LOOKUP, env=SIMULATOR)
    assert counted.code == 0 and "compiling" not in counted.err
    cells = [cell for cell in json.loads(counted.out)["benchmarks"] if "/probing_map/" in cell["name"]]
    assert cells and all(cell["instructions_per_item"] > 0 for cell in cells)
    assert all("l1d_misses_index_per_item" in cell for cell in cells)
    results = built.results("run")
    assert results["context"]["stowage"]["storages"] == ["probing_map.hpp:mine::ProbingMap"]
    assert {cell["name"].split("/")[1] for cell in results["benchmarks"]} >= {"probing_map", "indirection_map"}


@only_among_all_tests
def test_a_storage_that_breaks_the_contract_is_not_measured(mine):
    storage = header(mine, GOOD.replace("MyStorage", "Bad").replace("{};\n", """{
 public:
  bool alive(stowage::Entity entity) const { return entity != stowage::Entity{}; }  // says yes to the dead, too
};
"""))
    outcome = mine("cache", "--storage", storage, *LOOKUP, env=cache_of(mine))
    assert outcome.code == 1 and outcome.out == ""
    assert "bad breaks the contract" in outcome.err.splitlines()[-1] and "alive" in outcome.err.splitlines()[-1]


def probing_reads(built):
    module, = built.directory.glob("cache/storages/*/stowage_probing_map-reads.so")
    return module


def test_a_run_with_a_storage_is_resumed_with_it(built):
    built("run", "--resume", "run").is_refused(2, "--storage probing_map.hpp:mine::ProbingMap")
    resumed = built("run", "--resume", "run", *OURS[:2])
    assert resumed.code == 3 and "unknown strategy" not in resumed.err and "compiled since" not in resumed.err
    probing_reads(built).touch()
    assert "compiled since run was measured" in built("run", "--resume", "run", *OURS[:2]).err


def begun_run(built, directory):
    """A run that has begun to measure."""
    process = built.start("run", *OURS, *LOOKUP, "--out", directory, "--", "--benchmark_min_time=0.0001")
    wait_until(process, (built.directory / directory / "results.json").exists)
    return process


def test_a_run_measures_the_modules_with_which_it_began(built):
    header = built.directory / "probing_map.hpp"
    text, before = header.read_text(), header.stat()
    process = begun_run(built, "edited")
    header.write_text("#error\n")
    _, err = process.communicate(timeout=300)
    header.write_text(text)
    os.utime(header, ns=(before.st_atime_ns, before.st_mtime_ns))
    context = built.results("edited")["context"]["stowage"]
    assert context["blocks_done"] == context["blocks_planned"] and "compil" not in err, err


def test_a_run_ends_when_another_command_compiles_its_modules(built):
    process = begun_run(built, "disturbed")
    probing_reads(built).touch()
    _, err = process.communicate(timeout=300)
    assert process.returncode == 3 and "start another run" in err.splitlines()[-1], err


def test_what_others_may_write_or_own_is_not_executed(built):
    module = probing_reads(built)
    for path in (module, module.with_name("build.ninja"), module.parent, built.directory / "cache"):
        for bits in (0o020, 0o002):
            mode = path.stat().st_mode
            path.chmod(mode | bits)
            outcome = built("verify", *OURS, *LOOKUP)
            path.chmod(mode)
            outcome.is_refused(3, str(path), "chmod -R go-w")
    elsewhere = built.directory / "elsewhere.so"
    module.rename(elsewhere)
    module.symlink_to(elsewhere)
    elsewhere.chmod(0o666)
    outcome = built("verify", *OURS, *LOOKUP)
    elsewhere.chmod(0o755)
    elsewhere.replace(module)
    outcome.is_refused(3, module.name, "chmod -R go-w")
    for path in (module, module.parent) if os.geteuid() == 0 else ():  # only root can give a file away
        os.chown(path, 12345, -1)
        outcome = built("verify", *OURS, *LOOKUP)
        os.chown(path, 0, -1)
        outcome.is_refused(3, str(path), "another user")


def test_a_truncated_module_is_built_again(built):
    module = probing_reads(built)
    module.write_bytes(module.read_bytes()[:4096])
    built("verify", *OURS, *LOOKUP).ends_with(0)
    assert module.stat().st_size > 4096


def test_a_toolchain_that_others_may_write_names_no_compiler(mine):
    env = compiled_by(mine, "/usr/bin/c++")
    (mine.directory / "toolchain.json").chmod(0o664)
    for storage in (("--storage", "my storage/good.hpp:mine::MyStorage"), ("--strategies", "indirection_map")):
        mine("verify", *storage, env=env).is_refused(3, "toolchain.json", "chmod")


@only_among_all_tests
def test_a_header_with_another_comment_is_compiled_again(built):
    header = built.directory / "probing_map.hpp"
    header.write_text(header.read_text() + "// changed\n")
    assert "compiling probing_map" in built("verify", *OURS, *LOOKUP).err


def test_a_changed_header_is_compiled_again(built):
    header = built.directory / "probing_map.hpp"
    text = header.read_text()
    header.write_text(text.replace("ProbingMap", "RenamedMap"))
    assert "ProbingMap" in refusal(built("verify", *OURS, *LOOKUP))
    header.write_text(text)
