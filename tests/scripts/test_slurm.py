"""What scripts/cluster/slurm submits, by an sbatch that keeps what it is given."""

import subprocess

import pytest

from conftest import Tree

SBATCH = """#!/bin/sh
number=$(ls "$FAKE_JOBS" | wc -l)
for word; do case $word in --chdir=*) echo "cd '${word#--chdir=}'" ;; esac; done >"$FAKE_JOBS/$number"
cat >>"$FAKE_JOBS/$number"
echo "$number"
"""
SAYS_WHAT_IT_DOES = '#!/bin/sh\necho "$0|$PWD|$@" >>"$FAKE_LOG"\nfor word; do [ "$word" ] || exit 2; done\n'


class Cluster(Tree):
    def __init__(self, root):
        super().__init__(root / "checkout", "scripts/cluster/slurm")
        self.jobs, self.here = root / "jobs", root / "my game"
        for directory in (self.jobs, self.here):
            directory.mkdir()
        self.write("bin/sbatch", SBATCH)
        self.write("scripts/stowage", SAYS_WHAT_IT_DOES)
        self.write("build/release/stowage", SAYS_WHAT_IT_DOES)

    def submit(self, *arguments):
        return self.run("scripts/cluster/slurm", *arguments, cwd=self.here, FAKE_JOBS=str(self.jobs))

    def run_job(self, number, task):
        """What it starts, on a node: the program, where, and with which words."""
        self.log.write_text("")
        subprocess.run(["bash", self.jobs / str(number)], cwd="/", check=True,
                       env={**self.environment(), "SLURM_ARRAY_TASK_ID": str(task)})
        return [tuple(line.split("|")) for line in self.calls()]


@pytest.fixture
def cluster(tmp_path):
    return Cluster(tmp_path)


def test_what_is_installed_and_built_is_so_once_and_files_may_be_named_from_here(cluster):
    outcome = cluster.submit("3", "sweep", "--storage", "mine.hpp:Mine")
    assert outcome.returncode == 0, outcome.stderr
    assert [line.split("|")[0] for line in cluster.calls()] == [str(cluster.root / "scripts/stowage")]
    built = str(cluster.root / "build/release/stowage")
    for task in (1, 3):
        ((program, place, words),) = cluster.run_job(0, task)
        assert (program, place) == (built, str(cluster.here))
        for option in ("--storage mine.hpp:Mine", f"--shard {task}/3", f"--out {cluster.here}/sweep/shard-{task}"):
            assert option in words
    for shard in (1, 2, 3):
        (cluster.here / f"sweep/shard-{shard}").mkdir()
    assert [program for program, *_ in cluster.run_job(1, 0)] == [built, built]


def test_a_job_that_is_started_again_goes_on(cluster):
    cluster.submit("2", "sweep")
    results = cluster.here / "sweep/shard-2/results.json"
    results.parent.mkdir()
    results.write_text("{}")
    (started,) = cluster.run_job(0, 2)
    assert f"--resume {results.parent}" in started[2] and "--out" not in started[2]
