"""When scripts/build configures anew, and with what, by a cmake that only writes down what it was asked for; and what
becomes of a build or a test that fails."""

import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from conftest import FROM_OUTSIDE, SOURCE, Tree

CMAKE = """#!/bin/sh
[ "$1" = --fresh ] || exit 0
echo "$@ PREFIX=${CMAKE_PREFIX_PATH:-}" >>"$FAKE_LOG"
touch "build/$3/build.ninja"
"""
CTEST = '#!/bin/sh\necho "100% tests passed, 0 tests failed out of 1"\n'


class Checkout(Tree):
    """The scripts, in a tree of their own."""

    def __init__(self, root):
        super().__init__(root, "scripts/build", "scripts/stowage", "scripts/test", "CMakePresets.json",
                         "strategies/CMakeLists.txt")
        self.write("scripts/setup", '#!/bin/sh\necho setup >>"$FAKE_LOG"\n')
        self.write("bin/cmake", CMAKE)
        self.write("bin/ctest", CTEST)
        self.write("build/release/stowage", "#!/bin/sh\n")

    def succeed(self, script, *arguments, **environment):
        return self.run(f"scripts/{script}", *arguments, check=True, **environment)

    def configured(self, script="build", *arguments, **environment):
        """The calls of cmake that configure, which this call of a script made."""
        self.log.write_text("")
        self.succeed(script, *(arguments or ("release", "stowage")), **environment)
        return self.calls()


@pytest.fixture
def tree(odd_path):
    return Checkout(odd_path)


def test_the_commit_is_noted_in_a_checkout_at_any_path(tmp_path):
    root = tmp_path / "it's $(touch executed) `touch executed` \N{LATIN SMALL LETTER U WITH DIAERESIS} c++ [x]"
    shutil.copytree(SOURCE, root, ignore=lambda folder, _: (".git", "build", "results") if Path(folder) == SOURCE else ())
    kept = {name: value for name, value in os.environ.items() if name not in FROM_OUTSIDE}
    ours = {"STOWAGE_SKIP_INSTALL": "1", "STOWAGE_ONLY": "^indirection_map$"}
    subprocess.run([root / "scripts/build", "release", "stowage_commit"], check=True, env={**kept, **ours})
    header = root / "build/release/generated/harness/build_commit.hpp"
    assert 'commit = "unknown"' in header.read_text()
    assert (root / "build/release/toolchain.json").stat().st_mode & 0o022 == 0
    assert not list(tmp_path.rglob("executed"))


@pytest.mark.parametrize("variable, value, words", [("CMAKE_PREFIX_PATH", "/opt/entt", "PREFIX={}$"),
                                                    ("STOWAGE_ONLY", "^hash_index$", " -DSTOWAGE_ONLY={} ")])
def test_a_build_is_configured_once_and_anew_for_as_long_as_a_variable_is_set_or_nothing_says_with_what(
        tree, variable, value, words):
    first, = tree.configured()
    assert words.format("") in first + "$" and tree.configured() == []
    with_it, = tree.configured(**{variable: value})
    assert words.format(value) in with_it + "$"
    assert tree.configured(**{variable: value}) == [] and tree.configured() == [first]
    (tree.root / "build/release/configured_with").unlink()
    assert tree.configured() == [first]
    assert len(tree.configured("build", "asan", "harness_tests")) == 1


def test_only_the_tests_need_the_measured_tests(tree):
    """They need Catch2, which a machine that only runs the benchmark does not have."""
    first, = tree.configured()
    assert " -DSTOWAGE_MEASURED_TESTS=OFF " in first
    tested, = tree.configured("build", "release", "stowage", "measured_tests")
    assert " -DSTOWAGE_MEASURED_TESTS=ON " in tested and tree.configured() == []


def test_a_limited_test_says_so_before_its_summary_and_help_is_given_before_anything_is_done(tree):
    *_, said, summary = tree.succeed("test", STOWAGE_ONLY="^hash_index$").stdout.splitlines()
    assert "only strategies that match '^hash_index$'" in said
    assert summary.startswith("100% tests passed")
    assert "STOWAGE_ONLY" not in tree.succeed("test").stdout
    tree.log.unlink()
    outcome = tree.succeed("test", "--help")
    assert outcome.returncode == 0 and "--all" in outcome.stdout and not tree.log.exists()


@pytest.mark.parametrize("arguments", (["--preset", "foo"], ["--preset=foo"], ["--preset"], ["--preset", "release"]))
def test_a_preset_without_tests_is_refused_before_anything_is_done(tree, arguments):
    tree.log.write_text("")
    outcome = tree.run("scripts/test", *arguments)
    assert (outcome.returncode, outcome.stdout, tree.log.read_text()) == (2, "", "")
    assert all(preset in outcome.stderr for preset in ("asan", "tsan", "dev"))


def test_a_preset_is_taken_in_both_forms_and_refused_if_it_cannot_be_built(tree):
    for form in (["--preset", "tsan"], ["--preset=tsan"]):
        (tree.root / "build/tsan/build.ninja").unlink(missing_ok=True)
        assert "--preset tsan" in "\n".join(tree.configured("test", *form))
    outcome = tree.run("scripts/build", "foo", "stowage")
    assert outcome.returncode == 2 and "release" in outcome.stderr


def test_an_option_is_understood_behind_those_of_ctest_and_refused_if_neither_has_it(tree):
    tree.write("bin/ctest", '#!/bin/sh\n[ "$1" = --help ] && exec echo "  --stop-on-failure  = Stop"\necho "$@"\n')
    outcome = tree.succeed("test", "-R", "churn", "--preset", "tsan", "--stop-on-failure")
    assert outcome.stdout.startswith("--preset tsan --parallel ")
    assert outcome.stdout.endswith(" -R churn --stop-on-failure\n")
    tree.log.write_text("")
    outcome = tree.run("scripts/test", "--prest", "asan")
    assert outcome.returncode == 2 and "'--prest'" in outcome.stderr and tree.calls() == ["setup"]
    outcome = tree.run("scripts/test", "--stop-on-failure", "-R", "a", "churn")
    assert outcome.returncode == 2 and "scripts/test -R churn" in outcome.stderr


@pytest.mark.parametrize("limit", ("^no_such$", "("))
@pytest.mark.parametrize("script", ("stowage", "test"))
def test_a_limit_without_a_match_is_refused_before_anything_is_done(tree, script, limit):
    tree.log.write_text("")
    outcome = tree.run(f"scripts/{script}", STOWAGE_ONLY=limit)
    assert (outcome.returncode, outcome.stdout, tree.log.read_text()) == (2, "", "")
    assert "STOWAGE_ONLY" in outcome.stderr
    # it may match a peer
    assert tree.succeed("build", "--check", STOWAGE_ONLY="^flecs$").returncode == 0


def test_what_an_old_boost_leaves_out_is_said_when_configuring_and_before_the_summary(tree):
    tree.write("bin/cmake", CMAKE + "echo '-- Left out: hash_index (why)'\n")
    outcome = tree.succeed("test")
    assert "hash_index (why)" in outcome.stderr
    *_, said, summary = outcome.stdout.splitlines()
    assert "hash_index (why)" in said
    assert summary.startswith("100% tests passed")


def test_a_test_that_fails_makes_the_script_fail_and_so_does_a_file_that_does_not_compile(tree):
    tree.write("bin/ctest", '#!/bin/sh\necho "50% tests passed, 1 tests failed out of 2"\nexit 8\n')
    outcome = tree.run("scripts/test")
    assert outcome.returncode == 8
    assert outcome.stdout.splitlines()[-1] == "50% tests passed, 1 tests failed out of 2"
    tree.write("bin/cmake", CMAKE.replace("exit 0", "{ echo 'game.cpp:3:1: error: no such type'; exit 1; }"))
    outcome = tree.run("scripts/build", "release", "stowage")
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert "game.cpp:3:1: error: no such type\n" in outcome.stderr
    outcome = tree.run("scripts/test")
    assert outcome.returncode == 1 and "tests passed" not in outcome.stdout  # nothing is tested that was not built


def test_a_build_that_is_stopped_leaves_no_compiler(tree):
    tree.write("bin/cmake", CMAKE.replace("exit 0", "{ sleep 1000 & echo $! >compiler; wait; }"))
    compiler = tree.root / "compiler"
    process = subprocess.Popen([tree.root / "scripts/stowage", "list"], cwd=tree.root, stderr=subprocess.DEVNULL,
                               env=tree.environment())
    while not (compiler.exists() and compiler.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    process.terminate()
    assert process.wait() == 143
    while Path(f"/proc/{int(compiler.read_text())}").exists():  # until init has noticed
        time.sleep(0.01)


def test_a_second_build_waits_for_the_first(tree):
    tree.write("bin/cmake", '#!/bin/sh\necho begins >>"$FAKE_LOG"\nsleep 0.2\necho ends >>"$FAKE_LOG"\n')
    builds = [subprocess.Popen([tree.root / "scripts/build", "release", "stowage"], text=True, stderr=subprocess.PIPE,
                               env=tree.environment()) for _ in range(2)]
    said = "".join(build.communicate(timeout=60)[1] for build in builds)
    assert said.count("waiting for another build in build/release") == 1
    assert len(tree.calls()) > 4 and tree.calls() == ["begins", "ends"] * (len(tree.calls()) // 2)


def test_a_tree_of_another_user_is_not_built_in(tree):
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("to root everything is writable")
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    for directory in (tree.root, *tree.root.parents[:3]):
        directory.chmod(0o755)
    (tree.root / "build/release").chmod(0o555)
    outcome = subprocess.run([*other, tree.root / "scripts/build", "release", "stowage"], text=True, capture_output=True,
                             env={**os.environ, "STOWAGE_ONLY": ""})
    assert outcome.returncode == 3 and outcome.stderr.count("\n") == 1
    assert "build/release" in outcome.stderr and "belongs to" in outcome.stderr


def test_a_build_that_cannot_be_configured_says_so_and_is_configured_again(tree):
    tree.write("bin/cmake", "#!/bin/sh\necho 'CMake Error: no generator'\nexit 1\n")
    outcome = tree.run("scripts/build", "release", "stowage")
    assert outcome.returncode == 3
    assert outcome.stderr.endswith("CMake Error: no generator\nstowage: cannot configure build/release, see above\n")
    tree.write("bin/cmake", CMAKE)
    assert len(tree.configured()) == 1


def test_a_compiler_that_is_too_old_is_refused_in_one_line(tree):
    known = {"CMAKE_CXX_COMPILER_ID_RUN": 1, "CMAKE_CXX_COMPILER_ID": "GNU", "CMAKE_CXX_COMPILER_VERSION": "10.2.1",
             "CMAKE_CXX_STANDARD_COMPUTED_DEFAULT": 17, "CMAKE_CXX_EXTENSIONS_COMPUTED_DEFAULT": "ON"}
    cmake = shlex.join([os.environ.get("CMAKE_COMMAND", shutil.which("cmake")), "-G", "Ninja", "-S", str(SOURCE), "-B",
                        str(tree.root / "build/old"), *(f"-D{key}={value}" for key, value in known.items())])
    tree.write("bin/cmake", f"#!/bin/sh\nexec {cmake}\n")
    outcome = tree.run("scripts/build", "release", "stowage")
    assert outcome.returncode == 3
    (said,) = [line for line in outcome.stderr.splitlines() if "configuring" not in line]
    assert "GNU 10.2.1" in said and "g++ 12" in said and "clang++ 16" in said
