"""The installed package, moved away from where it was installed, and an outside project that is built with it."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
SCRATCH = Path(os.environ["STOWAGE_SCRATCH_DIR"])
CMAKE = os.environ["CMAKE_COMMAND"]
# A short run leaves these out, and compiles no module of the outside project and none of its tests.
ALL = bool(os.environ.get("STOWAGE_TEST_ALL"))
only_among_all_tests = pytest.mark.skipif(not ALL, reason="./scripts/test --all runs it")


def run(*command, cwd=None, env={}):
    return subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True,
                          env={**os.environ, **env})


def succeed(*command, **options):
    outcome = run(*command, **options)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome


def install(prefix, *options):
    shutil.rmtree(prefix, ignore_errors=True)
    succeed(CMAKE, "--install", os.environ["STOWAGE_RELEASE_DIR"], "--prefix", prefix, *options)


@dataclass
class Project:
    source: Path
    build: Path

    def configure(self, prefix, *options):
        return run(CMAKE, "-G", "Ninja", "-S", self.source, "-B", self.build, f"-DCMAKE_PREFIX_PATH={prefix}",
                   f"-DCMAKE_CXX_COMPILER={os.environ['CMAKE_COMPILER']}", *options)


def ccache():
    found = shutil.which("ccache")
    return [f"-DCMAKE_CXX_COMPILER_LAUNCHER={found}"] if found else []


@pytest.fixture(scope="session")
def prefix():
    """Where the package is now, with one module; nothing is left where it was installed."""
    succeed(Path(os.environ["STOWAGE_RELEASE_DIR"]) / "stowage", "__modules", "indirection_map",
            "reads", "changes", "trees")
    shutil.rmtree(SCRATCH / "moved", ignore_errors=True)
    install(SCRATCH / "prefix")
    (SCRATCH / "prefix").rename(SCRATCH / "moved")
    return SCRATCH / "moved"


@pytest.fixture(scope="session")
def consumer(prefix):
    """tests/consumer, built as its users would while they write: what is measured must be optimised nevertheless."""
    project = Project(SOURCE / "tests/consumer", SCRATCH / "consumer")
    outcome = project.configure(prefix, "-DCMAKE_BUILD_TYPE=Debug", *ccache())
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    succeed(CMAKE, "--build", project.build, *([] if ALL else ["--target", "game"]))
    return project


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """Makes an outside project of the text that follows its find_package(). Those of one name share their build directory,
    so that the compiler is looked at once."""
    made = {}

    def make(text, package="stowage CONFIG REQUIRED", name="outside"):
        directory = made.setdefault(name, tmp_path_factory.mktemp(name))
        (directory / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(outside CXX)\nenable_testing()\nfind_package({package})\n{text}")
        shutil.copy(SOURCE / "tests/consumer/probing_map.hpp", directory)
        return Project(directory, directory / "build")
    return make
