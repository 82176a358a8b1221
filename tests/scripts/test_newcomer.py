"""What scripts/checks/newcomer runs, and when it fails, with a podman that starts no container. Only .ci/run makes a
system."""

import pytest

from conftest import SOURCE, Tree

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


class Project(Tree):
    def __init__(self, root):
        super().__init__(root / "clone", "scripts/checks/newcomer")
        self.here = root
        self.log = root / "log"
        self.log.write_text("")
        self.podman(PODMAN)
        self.git("init", "-q")
        self.commit(README)

    def podman(self, text):
        for program in ("podman", "docker"):
            self.write(f"bin/{program}", text)

    def commit(self, readme):
        self.write("README.md", readme)
        super().commit("change")

    def newcomer(self, *arguments, **environment):
        return self.run("scripts/checks/newcomer", *arguments, FAKE_HOME=str(self.here / "home"), TMPDIR=str(self.here),
                        **environment)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_the_readme_s_two_commands_are_those_of_its_marked_block(project):
    project.commit((SOURCE / "README.md").read_text())
    project.newcomer("--system", "else-1", STOWAGE_ONLY="^(hash_index|flecs)$")
    asked = project.log.read_text()
    assert "STOWAGE_ONLY=\\^\\(hash_index\\|flecs\\)\\$" in asked
    assert asked.rstrip().endswith("walk ./scripts/stowage\\ run ./scripts/test")


def test_the_commands_that_are_committed_run_in_order_and_the_last_line_is_the_last_command_s(project):
    project.write("README.md", "nothing")
    outcome = project.newcomer("--system", "else-1")
    assert outcome.returncode == 0, outcome.stderr
    lines = outcome.stdout.splitlines()
    assert lines.index("first in true") < lines.index("second in true")
    assert lines[-1] == "second in true"
    assert "not-th" not in outcome.stdout and "uncommitted" in outcome.stdout
    assert " else:1 " in project.log.read_text()


def test_a_command_that_fails_is_the_last_and_named(project):
    outcome = project.newcomer("--system", "else-1", FAKE_FAILS="first")
    assert outcome.returncode == 1
    assert "`./first --now` failed" in outcome.stdout
    assert "second in true" not in outcome.stdout
    assert outcome.stdout.splitlines()[-1] == "first in true"


def test_a_readme_without_marked_commands_is_refused_and_so_is_a_machine_that_can_make_no_bare_system(project):
    project.podman("#!/bin/sh\nexit 1\n")
    outcome = project.newcomer("--system", "else-1")
    assert outcome.returncode == 3 and "podman or docker" in outcome.stderr
    project.commit("# mine\n\n```sh\n./first\n```\n")
    outcome = project.newcomer("--system", "else-1")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "README.md" in outcome.stderr


@pytest.mark.parametrize("arguments", (["--system"], ["--system", "debian"], ["--keep"], ["--fast"]))
def test_wrong_arguments_are_refused(project, arguments):
    assert project.newcomer(*arguments).returncode == 2
    assert project.log.read_text() == ""


def test_what_was_compiled_is_a_multiple_of_a_fixed_unit(tmp_path):
    """Each step once, however many files it makes. By this clock the unit takes a tenth of a second."""
    tree = Tree(tmp_path, "scripts/checks/budget")
    for log in ("build/release/.ninja_log", ".cache/stowage/games/one/.ninja_log"):
        tree.write(log, "# ninja log v5\n" + "".join(f"0\t12000\t1\t{file}\tsame\n" for file in "ab"))
    tree.write("bin/date", "#!/bin/sh\necho >>ticks\necho $(($(wc -l <ticks) * 100))\n")

    def budget(command):
        return tree.run("scripts/checks/budget", command, cwd=tmp_path, CXX="true", HOME=str(tmp_path), XDG_CACHE_HOME="")

    assert budget("./scripts/test").stdout.startswith("compiled: 120 yardstick units of 100 ms")
    above = budget("./scripts/stowage run")
    assert above.returncode == 1 and "compiles 120 units, more than" in above.stderr
    assert budget("ls").stdout == ""
