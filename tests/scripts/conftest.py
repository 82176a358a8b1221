"""What the tests of scripts share: a directory with copies of scripts and with fakes of the programs that these call."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
# What decides how a build is configured, or where a script writes, must not come from the environment of the tests.
FROM_OUTSIDE = ("CMAKE_PREFIX_PATH", "STOWAGE_ONLY", "STOWAGE_TEST_ALL", "CMAKE_TOOLCHAIN_FILE", "CXX", "CXXFLAGS", "CI",
                "GITHUB_STEP_SUMMARY")


class Tree:
    """Programs in bin/ come before those of the machine; they write down what they were asked in the log."""

    def __init__(self, root, *copied):
        self.root = root
        self.log = root / "log"
        for path in copied:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / path, root / path)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        (self.root / path).chmod(0o755)

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if name not in FROM_OUTSIDE}
        return {**kept, "PATH": f"{self.root / 'bin'}:{kept['PATH']}", "FAKE_LOG": str(self.log), "STOWAGE_PYTHON": "python3"}

    def run(self, script, *arguments, cwd=None, check=False, **environment):
        return subprocess.run([self.root / script, *arguments], cwd=cwd, check=check, text=True, capture_output=True,
                              env={**self.environment(), **environment})

    def calls(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=me", "-c", "user.email=me@here", *arguments], check=True,
                       capture_output=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)


@pytest.fixture
def odd_path(tmp_path):
    """A path that a shell would take for something else."""
    yield tmp_path / "it's $(touch executed) `touch executed`"
    assert not list(tmp_path.rglob("executed"))
