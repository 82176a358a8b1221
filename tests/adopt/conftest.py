"""Adopts strategies with the binary that users run, and compiles what it wrote where nothing else of stowage is."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
BINARY = os.environ["STOWAGE_BINARY"]
# Everything for every strategy; otherwise as much as a test of every change may cost.
THOROUGH = bool(os.environ.get("STOWAGE_ADOPT_THOROUGH"))
FAMILY = os.environ.get("STOWAGE_ADOPT_FAMILY")
# A short run tries these two, which differ most.
ALL = THOROUGH or bool(os.environ.get("STOWAGE_TEST_ALL"))
BRIEFLY = ("indirection_map", "archetype_sections")
TRAITS = {"REGISTRY", "UNPACKED", "HEAP_PER_ENTITY"}
WARNINGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]


def newest(name):
    """`clang++-19` before `clang++-14` before `clang++`."""
    versions = [f"{name}-{number}" for number in range(25, 11, -1)]
    return next((path for path in map(shutil.which, [*versions, name]) if path), None)


COMPILERS = {name: path for name, path in (("g++", shutil.which("g++")), ("clang++", newest("clang++"))) if path}


@dataclass(frozen=True)
class Target:
    """A compiler, and where what it makes runs."""
    name: str
    compiler: str
    flags: tuple = ()
    linking: tuple = ()
    runs_with: tuple = ()  # an emulator
    package: str = ""  # of Debian, if it has another name than the compiler
    is_usual: bool = False  # whether a run of all tests tries it

    @property
    def is_there(self):
        return all(shutil.which(program) for program in (self.compiler, *self.runs_with))

    @property
    def version(self):
        return run(self.compiler, "-dumpversion" if "clang" in self.compiler else "-dumpfullversion").stdout.strip()


# What docs/adopt.md promises: its table is made of the notes. Without -O1 the suite takes long in qemu, and has too many
# sections for an object file of Windows.
TARGETS = [
    Target("g++", "g++", is_usual=True),
    Target("g++, C++23", "g++", ("-std=c++23",)),
    Target("g++ 11", "g++-11"),
    Target("clang 14", "clang++-14", package="clang-14"),
    Target("clang 16", "clang++-16", package="clang-16"),
    Target("clang 19", "clang++-19", package="clang-19"),
    Target("clang 19, libc++", "clang++-19", ("-stdlib=libc++",), package="clang-19 libc++-19-dev libc++abi-19-dev"),
    Target("g++ for 32-bit x86", "i686-linux-gnu-g++-12", linking=("-static",), package="g++-12-i686-linux-gnu"),
    Target("g++ for 64-bit ARM, in qemu", "aarch64-linux-gnu-g++-12", ("-O1",), ("-static",), ("qemu-aarch64",),
           package="g++-12-aarch64-linux-gnu qemu-user", is_usual=True),
    Target("g++ for Windows, in wine", "x86_64-w64-mingw32-g++-posix", ("-O1", "-Wa,-mbig-obj"), ("-static",), ("wine",),
           package="g++-mingw-w64-x86-64-posix wine64", is_usual=True),
]
# The oldest of each kind, if they are installed.
OLDEST = [path for name in ("g++-11", "clang++-14") if (path := shutil.which(name))]
# Where a line is written for each storage that has passed.
NOTES = os.environ.get("STOWAGE_ADOPT_NOTES")


def note_of_target(target, strategy, checks):
    if NOTES:
        commit = run("git", "-C", SOURCE, "rev-parse", "--short=10", "HEAD").stdout.strip()
        noted = {"target": target.name, "version": target.version, "strategy": strategy.name, "checks": checks}
        with open(NOTES, "a", encoding="utf-8") as notes:
            notes.write(json.dumps({"commit": commit, **noted}) + "\n")


@dataclass(frozen=True)
class Strategy:
    name: str
    type: str
    header: str
    traits: frozenset

    @property
    def identifier(self):
        return self.name.replace(".", "_")


def read_list():
    """The list of strategies, as CMake reads it."""
    listed = (SOURCE / "strategies" / "CMakeLists.txt").read_text()
    text = re.sub(r'(SOURCE|SUMMARY)\s+"[^"]*"|FORM\s+\w+|NEEDS_BOOST\s+[\d.]+', "", listed)
    found = [words.split() for words in re.findall(r"^add_strategy\(([^)]*)\)", text, re.MULTILINE)]
    strategies = [Strategy(name, type, header, frozenset(traits)) for name, header, type, *traits in found]
    assert all(strategy.traits <= TRAITS for strategy in strategies)
    return strategies


def by_header(strategies):
    """The first of each header."""
    return {strategy.header: strategy for strategy in reversed(strategies)}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=600, **options)


BUILT = {entry["name"] for entry in json.loads(run(BINARY, "list", "strategies", "--format", "json").stdout)}
STRATEGIES = [strategy for strategy in read_list() if strategy.name in BUILT and (ALL or strategy.name in BRIEFLY)
              and FAMILY in (None, strategy.name.split(".")[0])]
assert STRATEGIES


def compile(compiler, *arguments, cwd):
    """Warnings are errors. Repeated for nothing if there is a ccache."""
    cache = [found] if (found := shutil.which("ccache")) and "-c" in arguments else []
    return run(*cache, compiler, *WARNINGS, *arguments, cwd=cwd, env={**os.environ, "CCACHE_NOHASHDIR": "1"})


def build(compiler, sources, directory, program, flags=(), linking=(), runs_with=()):
    """Runs the program that these make."""
    objects = []
    for source in sources:
        objects.append(f"{Path(source).stem}.o")
        made = compile(compiler, "-O0", *flags, "-c", source, "-o", objects[-1], cwd=directory)
        assert made.returncode == 0, made.stderr[:4000]
    linked = run(compiler, *objects, "-o", program, *linking, cwd=directory)
    assert linked.returncode == 0, linked.stderr[:4000]
    return run(*runs_with, directory / program)


def adopt(strategy, directory, *options):
    path = directory / f"{strategy.identifier}.hpp"
    outcome = run(BINARY, "adopt", strategy.name, "--out", path, *options, cwd=directory)
    assert outcome.returncode == 0, outcome.stderr
    return path


def example_of(header):
    """The example in a header's documentation: what stands before main() in it, and what in it."""
    text = header.read_text()
    block = text[text.index("// In use:"):text.index('// "The storage contract"')]
    lines = [line.removeprefix("//").removeprefix("     ") for line in block.splitlines()[1:]]
    types, statements = "\n".join(lines).strip().split("\n\n")
    return types, statements


@pytest.fixture(params=STRATEGIES, ids=lambda strategy: strategy.name)
def strategy(request):
    return request.param
