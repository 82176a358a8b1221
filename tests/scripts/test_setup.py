"""What scripts/setup installs, and what it says, on a machine whose packages are lines of a file. Nothing is installed:
the PATH has no other apt-get than one that writes down what it was asked for."""

import shutil
import subprocess

import pytest

from conftest import SOURCE, Tree

SETUP = SOURCE / "scripts/setup"
# Every package that is asked for is installed but for those of FAKE_MISSING, and one Boost.
DPKG_QUERY = """#!/bin/sh
shift 3
echo "$@" >>"$FAKE_ASKED"
for name; do
  case " ${FAKE_MISSING:-} " in *" $name "*) continue ;; esac
  case $name in
    *\\?*) [ -z "${FAKE_BOOST:-}" ] || echo "installed $FAKE_BOOST" ;;
    *) echo "installed $name" ;;
  esac
done
"""
APT_GET = """#!/bin/sh
while [ "$1" = -o ] || [ "$1" = -y ] || [ "$1" = -qq ]; do
  [ "$1" != -o ] || shift
  shift
done
echo "$@" >>"$FAKE_LOG"
case $1 in
  update) echo 'W: a mirror sleeps' ;;
  install)
    case $* in *" -s "*) for name in ${FAKE_REMOVED:-}; do echo "Remv $name [1.0] (2.0 Debian:12)"; done; exit 0 ;; esac
    [ -z "${FAKE_COMPLAINT:-}" ] || { echo "$FAKE_COMPLAINT"; exit 100; } ;;
esac
"""
APT_CACHE = """#!/bin/sh
[ "$1" != search ] || for name in ${FAKE_OFFERED:-}; do echo "$name - headers"; done
"""
# What the script and the fakes are made of; there is no other program on the PATH.
TOOLS = ("bash", "sh", "cat", "env", "grep", "mktemp", "rm", "sed", "sort")


class Machine(Tree):
    def __init__(self, root):
        super().__init__(root)
        self.asked = root / "asked"
        (root / "bin").mkdir()
        for tool in TOOLS:
            (root / "bin" / tool).symlink_to(shutil.which(tool))
        self.write("bin/dpkg-query", DPKG_QUERY)
        self.write("bin/apt-get", APT_GET)
        self.write("bin/apt-cache", APT_CACHE)
        self.write("bin/id", "#!/bin/sh\necho ${FAKE_USER:-0}\n")
        for tool in ("cmake", "ninja", "git", "c++"):
            self.write(f"bin/{tool}", "#!/bin/sh\n")

    def setup(self, *arguments, **environment):
        self.log.write_text("")
        self.asked.write_text("")
        ours = {"PATH": str(self.root / "bin"), "TMPDIR": str(self.root), "FAKE_LOG": str(self.log),
                "FAKE_ASKED": str(self.asked), "FAKE_BOOST": "libboost1.83-dev"}
        return subprocess.run([SETUP, *arguments], text=True, capture_output=True, env={**ours, **environment})

    def logs_of_apt(self):
        return list(self.root.glob("stowage-setup.*"))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def complaint_of(outcome):
    """The line that says why a set-up failed, after those that say what it does."""
    assert outcome.returncode == 3
    assert outcome.stdout == ""
    *progress, last = outcome.stderr.splitlines()
    assert all(line.startswith(("stowage: asking", "stowage: installing")) for line in progress)
    return last


OF_TESTS = "catch2 librapidcheck-dev python3-pytest python3-jsonschema"
OFFERED = "libboost1.74-dev libboost1.83-dev libboost1.81-dev"


@pytest.mark.parametrize("purpose, there, installed", [
    ("build", {}, None), ("run", {}, None), ("test", {}, None),
    pytest.param("build", {"FAKE_MISSING": "valgrind"}, "valgrind", id="the simulator, whose header the compiler reads"),
    pytest.param("run", {"FAKE_MISSING": OF_TESTS}, None, id="no packages of the tests"),
    pytest.param("run", {"FAKE_BOOST": "", "FAKE_OFFERED": OFFERED}, "libboost1.81-dev", id="the oldest Boost that has all"),
    pytest.param("run", {"FAKE_BOOST": "libboost1.71-dev", "FAKE_OFFERED": OFFERED}, "libboost1.81-dev", id="beside an older Boost"),
    # SciPy brings 1.74 on Debian 12, and 1.81 would remove both
    pytest.param("run", {"FAKE_BOOST": "libboost1.74-dev", "FAKE_OFFERED": OFFERED}, None, id="no Boost that removes one"),
    pytest.param("run", {"FAKE_BOOST": "libboost1.74-dev", "FAKE_OFFERED": OFFERED, "FAKE_MISSING": "valgrind"}, "valgrind",
                 id="and the rest without it"),
    pytest.param("test", {"STOWAGE_SKIP_INSTALL": "1", "FAKE_MISSING": "valgrind", "FAKE_BOOST": ""}, None, id="left alone"),
])
def test_what_is_not_there_is_installed_and_nothing_else_is_done_or_said(machine, purpose, there, installed):
    outcome = machine.setup(purpose, **there)
    assert (outcome.returncode, outcome.stdout) == (0, "")
    assert machine.asked.read_text() or there.get("STOWAGE_SKIP_INSTALL")
    assert machine.calls()[1:] == ([f"install --no-install-recommends --no-remove {installed}"] if installed else [])
    assert installed or (outcome.stderr, machine.calls()) == ("", [])


def test_what_is_missing_is_named_and_installed_and_a_failure_is_one_line_with_the_reason_and_the_log(machine):
    outcome = machine.setup("test", FAKE_MISSING="valgrind catch2")
    assert (outcome.returncode, outcome.stdout) == (0, "")
    assert outcome.stderr.splitlines() == [
        "stowage: asking for the current package list",
        "stowage: installing what the test suite needs, with apt-get: valgrind catch2"]
    assert machine.calls() == ["update", "install --no-install-recommends --no-remove valgrind catch2"]
    assert machine.logs_of_apt() == []
    outcome = machine.setup("run", FAKE_MISSING="valgrind", FAKE_COMPLAINT="E: Unable to locate package valgrind")
    log, = machine.logs_of_apt()
    assert complaint_of(outcome) == (
        f"stowage: apt-get cannot install valgrind: Unable to locate package valgrind (log: {log})")


def test_nothing_is_removed_to_make_room_and_both_ways_on_are_told(machine):
    outcome = machine.setup("run", FAKE_MISSING="valgrind", FAKE_REMOVED="libboost1.71-dev python3-mine",
                            FAKE_COMPLAINT="E: Packages need to be removed but remove is disabled.")
    assert (outcome.returncode, outcome.stdout) == (3, "")
    assert "would remove libboost1.71-dev python3-mine," in outcome.stderr
    assert "apt-get install --no-install-recommends valgrind\n" in outcome.stderr
    assert all(word in outcome.stderr for word in ("STOWAGE_SKIP_INSTALL=1", "vcpkg.json", "CMAKE_PREFIX_PATH"))
    assert [call for call in machine.calls() if "--no-remove" not in call] == [
        "update", "install -s --no-install-recommends valgrind"]


def test_a_user_who_is_not_root_needs_sudo(machine):
    machine.write("bin/sudo", '#!/bin/sh\necho sudo >>"$FAKE_LOG"\nexec "$@"\n')
    outcome = machine.setup("run", FAKE_MISSING="valgrind", FAKE_USER="1000")
    assert outcome.returncode == 0
    assert machine.calls() == ["sudo", "update", "sudo", "install --no-install-recommends --no-remove valgrind"]


@pytest.mark.parametrize("there, words, calls", [
    ({"FAKE_BOOST": "", "FAKE_OFFERED": "libboost1.74-dev"}, ["no Boost 1.81 or newer is offered here", "STOWAGE_SKIP_INSTALL=1"],
     ["update"]),
    ({"TMPDIR": "/nowhere"}, ["/nowhere", "TMPDIR"], []),
    ({"FAKE_USER": "1000"}, ["as root: apt-get install valgrind"], []),
    ({"FAKE_USER": "1000", "SUDO": "sudo: a password is required"}, ["a password is required", "apt-get install valgrind"], []),
    ({"FAKE_USER": "1000", "SUDO": "me is not in the sudoers file."}, ["is not in the sudoers", "apt-get install valgrind"], []),
])
def test_what_cannot_be_installed_is_one_line_with_what_to_do(machine, there, words, calls):
    if "SUDO" in there:
        machine.write("bin/sudo", '#!/bin/sh\necho "$SUDO" >&2\nexit 1\n')
    complaint = complaint_of(machine.setup("run", **{"FAKE_MISSING": "valgrind", **there}))
    assert all(word in complaint for word in words)
    assert machine.calls() == calls


@pytest.mark.parametrize("without", ("ninja", "apt-get"))
def test_where_nothing_is_installed_the_tools_must_be_there(machine, without):
    (machine.root / "bin" / without).unlink()
    complaint = complaint_of(machine.setup("run", STOWAGE_SKIP_INSTALL="" if without == "apt-get" else "1", CXX="absent++"))
    absent = "absent++" if without == "apt-get" else "ninja absent++"
    assert complaint.startswith(f"stowage: missing here: {absent}. ")
    # and a purpose must be named
    outcome = machine.setup()
    assert outcome.returncode == 2 and outcome.stderr.startswith("usage: setup build|run|test")
