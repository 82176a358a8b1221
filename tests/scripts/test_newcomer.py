"""What scripts/checks/newcomer runs, and when it fails, with a podman that starts no container. Only .ci/run makes a
system."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
README = """# mine

    ./not-this-one

<!-- run by scripts/checks/newcomer -->
```sh
./first --now        # says something

# nothing
./second
```

```sh
./not-that-one
```
"""
# A container is a shell in a directory with a checkout; what is there to prepare it is not.
PODMAN = """#!/bin/sh
echo "$@" >>"$FAKE_LOG"
[ "$1" = run ] || exit 0
for script; do :; done
mkdir -p "$FAKE_HOME/checkout"
cd "$FAKE_HOME/checkout"
for name in first second; do
  printf '#!/bin/sh\\necho "%s in $CI"\\n[ %s != "${FAKE_FAILS:-}" ]\\n' $name $name >$name
  chmod +x $name
done
HOME=$FAKE_HOME exec bash -c "${script#*exit 3}"
"""


class Project:
    def __init__(self, root):
        self.root = root
        self.log = root / "log"
        self.home = root / "home"
        self.clone = root / "clone"
        (self.clone / "scripts/checks").mkdir(parents=True)
        shutil.copy(SOURCE / "scripts/checks/newcomer", self.clone / "scripts/checks")
        (root / "bin").mkdir()
        (root / "bin/podman").write_text(PODMAN)
        (root / "bin/podman").chmod(0o755)
        self.log.write_text("")
        self.git("init", "-q")
        self.commit(README)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=me", "-c", "user.email=me@here", *arguments], cwd=self.clone, check=True)

    def commit(self, readme):
        (self.clone / "README.md").write_text(readme)
        self.git("add", "-A")
        self.git("commit", "-qm", "change")

    def newcomer(self, *arguments, **environment):
        ours = {"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}", "FAKE_LOG": str(self.log), "FAKE_HOME": str(self.home),
                "TMPDIR": str(self.root)}
        kept = {name: value for name, value in os.environ.items() if name not in ("CI", "STOWAGE_ONLY")}
        return subprocess.run([self.clone / "scripts/checks/newcomer", *arguments], text=True, capture_output=True,
                              env={**kept, **ours, **environment})


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_the_readme_s_two_commands_are_those_of_its_marked_block(project):
    project.commit((SOURCE / "README.md").read_text())
    project.newcomer("--system", "else-1")
    asked = project.log.read_text()
    assert asked.rstrip().endswith("walk ./scripts/stowage\\ run ./scripts/test")


def test_the_commands_run_in_order_and_the_last_line_is_the_last_command_s(project):
    outcome = project.newcomer("--system", "else-1")
    assert outcome.returncode == 0, outcome.stderr
    lines = outcome.stdout.splitlines()
    assert lines.index("first in true") < lines.index("second in true")
    assert lines[-1] == "second in true"
    assert "not-th" not in outcome.stdout
    assert " else:1 " in project.log.read_text()


def test_a_command_that_fails_is_the_last_and_named(project):
    outcome = project.newcomer("--system", "else-1", FAKE_FAILS="first")
    assert outcome.returncode == 1
    assert "`./first --now` failed" in outcome.stdout
    assert "second in true" not in outcome.stdout
    assert outcome.stdout.splitlines()[-1] == "first in true"


def test_a_limit_holds_there_too(project):
    project.newcomer("--system", "else-1", STOWAGE_ONLY="^(hash_index|flecs)$")
    assert "STOWAGE_ONLY=\\^\\(hash_index\\|flecs\\)\\$" in project.log.read_text()


def test_what_is_committed_is_tried(project):
    (project.clone / "README.md").write_text("nothing")
    outcome = project.newcomer("--system", "else-1")
    assert outcome.returncode == 0
    assert "uncommitted" in outcome.stdout


def test_a_readme_without_marked_commands_is_refused(project):
    project.commit("# mine\n\n```sh\n./first\n```\n")
    outcome = project.newcomer("--system", "else-1")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "README.md" in outcome.stderr


@pytest.mark.parametrize("arguments", (["--system"], ["--system", "debian"], ["--keep"], ["--fast"]))
def test_wrong_arguments_are_refused(project, arguments):
    assert project.newcomer(*arguments).returncode == 2
    assert project.log.read_text() == ""


def test_where_no_bare_system_can_be_made_that_is_said(project):
    (project.root / "bin/podman").write_text("#!/bin/sh\nexit 1\n")
    shutil.copy(project.root / "bin/podman", project.root / "bin/docker")
    outcome = project.newcomer("--system", "else-1")
    assert outcome.returncode == 3
    assert "podman or docker" in outcome.stderr


def test_what_was_compiled_is_a_multiple_of_a_fixed_unit(project):
    """Each step once, however many files it makes. The unit takes a tenth of a second or more here."""
    shutil.copy(SOURCE / "scripts/checks/budget", project.clone / "scripts/checks")
    for place in (project.clone / "build/release", project.home / ".cache/stowage/games/one"):
        place.mkdir(parents=True)
        (place / ".ninja_log").write_text("# ninja log v5\n" + "".join(f"0\t50000\t1\t{file}\tsame\n" for file in "ab"))
    compiler = project.root / "bin/slow"
    compiler.write_text("#!/bin/sh\nsleep 0.1\n")
    compiler.chmod(0o755)

    def budget(command):
        environment = {**os.environ, "CXX": str(compiler), "HOME": str(project.home), "XDG_CACHE_HOME": ""}
        return subprocess.run([project.clone / "scripts/checks/budget", command], text=True, capture_output=True,
                              env=environment)

    assert budget("./scripts/test").returncode == 0
    above = budget("./scripts/stowage run")
    assert above.returncode == 1 and "more than" in above.stderr
    assert int(above.stdout.split()[1]) <= 1000
    assert budget("ls").stdout == ""
