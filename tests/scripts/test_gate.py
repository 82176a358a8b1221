"""What the gate of a pull request builds, compares and answers, with a stowage that only writes down what it was asked."""

import json
import shutil

import pytest

from conftest import SOURCE, Tree

STOWAGE = """#!/bin/sh
echo "$(basename "$(cd "$(dirname "$0")/../.." && pwd)") $*" >>"$FAKE_LOG"
case $1 in
  cache)
    printf '{"benchmarks": ['
    for block in ${FAKE_BLOCKS:-a b c d}; do printf '{"name": "%s/sparse/entities:16384"}, ' $block; done
    echo '{"name": "a/map/entities:16384"}]}' ;;
  merge) for out; do :; done; mkdir "$out" ;;
  compare) echo "compared $2"; case "$*" in *--fail-above*) exit "${FAKE_GROWN:-0}" ;; esac ;;
esac
"""
RECIPES = {"sparse": "stowage/sparse.hpp", "map": "stowage/map.hpp"}


class Repository(Tree):
    def __init__(self, root):
        super().__init__(root / "repository", "scripts/gate", "scripts/checks/gate.py", "scripts/checks/python")
        self.log = root / "log"
        self.out = root / "out"
        shutil.copytree(SOURCE / "reports", self.root / "reports", ignore=shutil.ignore_patterns("__pycache__"))
        toolchain = {"compiler": "c++", "strategies": [{"name": name, "header": header, "flags": ""}
                                                       for name, header in RECIPES.items()]}
        self.write("toolchain.json", json.dumps(toolchain))
        self.write("stowage", STOWAGE)
        self.write("scripts/setup", "#!/bin/sh\n")
        self.write("scripts/build", """#!/bin/sh
[ "$1" = release ] || exit 0
cd "$(dirname "$0")/.." && [ ! -e broken ] && mkdir -p build/release && cp toolchain.json stowage build/release
""")
        self.write("strategies/stowage/parts.hpp", "#pragma once\n")
        self.write("strategies/stowage/sparse.hpp", '#include <stowage/parts.hpp>\n')
        self.write("strategies/stowage/map.hpp", "#pragma once\n")
        self.write(".gitignore", "build/\n")
        self.git("init", "-q", "-b", "main")
        self.commit("base")

    def change(self, path):
        self.git("checkout", "-q", "-b", "change")
        self.write(path, "#pragma once\n// changed\n")
        self.commit("change")

    def gate(self, *arguments, **environment):
        return self.run("scripts/gate", *arguments, "--out", self.out, STOWAGE_PYTHON="/usr/bin/python3", **environment)


@pytest.fixture
def repository(odd_path):
    return Repository(odd_path)


def test_strategies_that_are_compiled_from_what_has_changed_are_compared_with_their_base(repository):
    repository.change("strategies/stowage/parts.hpp")
    result = repository.gate("main")
    assert result.returncode == 0, result.stderr
    calls = repository.calls()
    assert [call.split()[0] for call in calls if " cache " in call] == ["base-tree", "repository"]
    assert all("--strategies sparse " in call + " " for call in calls if " cache " in call or " run " in call)
    assert all("--workloads point_mass," in call for call in calls if " run " in call)  # not in the typical world
    sides = [call.split()[0] for call in calls if " run " in call]
    assert sides == ["base-tree", "repository", "repository", "base-tree"] * 2  # in turns
    assert "no count has grown by more than 1%" in result.stdout and "sparse." in result.stdout
    assert (repository.out / "gate.md").read_text() in result.stdout


def test_a_count_that_has_grown_fails_and_the_page_is_in_the_summary_of_the_job(repository, tmp_path):
    repository.change("strategies/stowage/map.hpp")
    summary = tmp_path / "summary"
    result = repository.gate("main", "--fail-above", "2%", FAKE_GROWN="1", GITHUB_STEP_SUMMARY=str(summary))
    assert result.returncode == 1
    assert "a count has grown by more than 2%" in summary.read_text()
    assert any("compare" in call and "--fail-above 2%" in call for call in repository.calls())


def test_no_shard_is_empty(repository):
    repository.change("strategies/stowage/map.hpp")
    assert repository.gate("main", "--workloads", "a", FAKE_BLOCKS="a").returncode == 0
    runs = [call for call in repository.calls() if " run " in call]
    assert len(runs) == 2 and all("--workloads a --shard 1/1" in call for call in runs)


def test_what_is_measured_of_no_strategy_is_not_built_twice(repository):
    repository.change("README.md")
    result = repository.gate("main")
    assert result.returncode == 0 and "no strategy is compiled from" in result.stdout
    assert repository.calls() == [] and not (repository.out / "base-tree").exists()
    # what came to the base since is no change
    repository.git("checkout", "-q", "main")
    repository.write("strategies/stowage/map.hpp", "#pragma once\n// later\n")
    repository.commit("later")
    repository.git("checkout", "-q", "change")
    assert "no strategy is compiled from" in repository.gate("main").stdout


def test_a_strategy_that_the_base_does_not_have_is_named(repository):
    toolchain = json.loads((repository.root / "toolchain.json").read_text())
    toolchain["strategies"].append({"name": "fresh", "header": "stowage/fresh.hpp", "flags": ""})
    repository.write("toolchain.json", json.dumps(toolchain))
    repository.change("strategies/stowage/fresh.hpp")
    result = repository.gate("main")
    assert result.returncode == 0 and "nothing to compare with: fresh" in result.stdout


@pytest.mark.parametrize("arguments, complaint", [
    ([], "the following arguments are required: base"), (["main", "--fail-above", "5"], "must be a percentage"),
    (["nowhere"], "'nowhere' names no commit here"), ([""], "names no commit here")])
def test_wrong_arguments_are_one_line(repository, arguments, complaint):
    repository.change("strategies/stowage/map.hpp")
    result = repository.gate(*arguments)
    assert result.returncode == 2 and complaint in result.stderr
    assert result.stderr.count("\n") == 1 and repository.calls() == []


def test_a_base_that_does_not_build_is_named_and_results_of_another_time_are_not_mixed_in(repository):
    repository.write("broken", "")
    repository.commit("broken")
    (repository.root / "broken").unlink()
    repository.change("strategies/stowage/map.hpp")
    result = repository.gate("main")
    assert result.returncode == 3 and "stowage: the base, " in result.stderr
    assert repository.gate("main~1").returncode == 0  # which does: the tree of the other base is not taken for it
    (repository.out / "head-1").mkdir()  # results of another time
    (repository.out / "head-1/results.json").touch()
    result = repository.gate("main")
    assert result.returncode == 2 and "holds the results of another time" in result.stderr
