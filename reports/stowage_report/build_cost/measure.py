"""Compiles the game of unit/ for each strategy at each level of optimisation, and counts what its code costs. Seconds are
processor time, also as a multiple of what unit/yardstick.cpp took in the same round; all other figures are exact."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any, Callable, Iterable, Mapping, Sequence

from stowage_report.console import MissingError, UserError

HAND_WRITTEN = "hand-written"
#: What is added to the recorded flags. As in other debug builds, assertions are checked.
LEVELS = {"O0": ("-O0", "-UNDEBUG"), "Og": ("-Og", "-UNDEBUG"), "release": ()}
_UNIT = Path(__file__).with_name("unit")
#: The functions of unit/main.cpp that Callgrind counts.
_COUNTED = {"instructions_per_entity": "counted_loop", "instructions_per_lookup": "counted_lookups"}
#: Nothing is bound late, and the C library copies by vectors: see harness/measure/simulated/callgrind.cpp.
_ENVIRONMENT = {"LD_BIND_NOW": "1", "GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=0x40000000:"
                                                      "glibc.cpu.x86_rep_stosb_threshold=0x40000000"}

#: Hands out the items of a list, and shows under a title how far that is.
Shown = Callable[[str, Sequence[Any]], Iterable[Any]]


class NotCompiled(MissingError):
    """What the compiler complains about first."""


@dataclass(eq=False)
class Unit:
    name: str
    source: Path
    flags: Sequence[str] = ()
    libraries: Sequence[str] = ()
    seconds: dict[str, list[float]] = field(default_factory=dict)
    levels: dict[str, dict[str, float]] = field(default_factory=dict)
    sum: bytes = b""  # that its program has printed


class Bench:
    """Compiles by `compiler` with `flags`; all its files are in `directory`."""

    def __init__(self, compiler: str, flags: Sequence[str], directory: Path):
        self._command = [compiler, *(flag for flag in flags if not flag.startswith("-fsanitize")), "-w"]
        self._directory = directory
        self._valgrind = shutil.which("valgrind")
        self.without_counts = "" if self._valgrind else "no valgrind to count instructions; install the package valgrind"

    def unit(self, number: int, name: str, header: str, template: str, flags: list[str], libraries: list[str]) -> Unit:
        folder = self._directory / str(number)
        folder.mkdir()
        (folder / "storage.hpp").write_text(
            f"#include <{header}>\ntemplate <class S>\nusing Storage = {template}<S>;\n", encoding="utf-8")
        return Unit(name, _UNIT / "game.cpp", [*flags, f"-I{folder}"], libraries)

    def compile(self, *words: str | Path, into: str) -> float:
        """The seconds of processor time that it took. Raises NotCompiled."""
        before = getrusage(RUSAGE_CHILDREN)
        done = subprocess.run([*self._command, *map(str, words), "-o", into], cwd=self._directory,
                              env={**os.environ, "CCACHE_DISABLE": "1"}, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        after = getrusage(RUSAGE_CHILDREN)
        if done.returncode:
            lines = done.stderr.splitlines() or [f"the compiler ended with {done.returncode}"]
            raise NotCompiled(next((line for line in lines if "error:" in line or "undefined reference" in line), lines[0]))
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def compile_unit(self, unit: Unit, level: str) -> None:
        seconds = self.compile(*LEVELS[level], *unit.flags, "-c", unit.source, into=f"{unit.name}.{level}.o")
        unit.seconds.setdefault(level, []).append(seconds)

    def sizes(self, unit: Unit) -> dict[str, int]:
        """Of the release level, which is compiled."""
        self.compile(*unit.flags, "-E", "-P", unit.source, into="preprocessed")
        text = (self._directory / "preprocessed").read_bytes()
        return {"lines": text.count(b"\n"), "bytes": len(text),
                "code_bytes": code_bytes((self._directory / f"{unit.name}.release.o").read_bytes())}

    def counts(self, unit: Unit, level: str) -> dict[str, float]:
        """Of a level that is compiled; nothing once Valgrind has failed. Raises NotCompiled."""
        if self.without_counts:
            return {}
        self.compile(_UNIT / "main.cpp", "-O0", f"{unit.name}.{level}.o", *unit.libraries, into="game")
        try:
            return {figure: self._count(unit, function) for figure, function in _COUNTED.items()}
        except subprocess.CalledProcessError as error:
            self.without_counts = f"Valgrind cannot run the game, it ended with {error.returncode}; install a newer Valgrind"
            return {}

    def _count(self, unit: Unit, function: str) -> float:
        dump = self._directory / "dump"
        done = subprocess.run([self._valgrind, "-q", "--vgdb=no", "--tool=callgrind", f"--callgrind-out-file={dump}",
                               f"--toggle-collect={function}", "./game"], cwd=self._directory, env=_ENVIRONMENT, check=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        entities, unit.sum = done.stdout.split()
        return int(re.findall(rb"^totals: (\d+)", dump.read_bytes(), re.MULTILINE)[-1]) / int(entities)


def code_bytes(elf: bytes) -> int:
    """Of all sections with instructions in an object file for 64 bits."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    length, count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + number * length) for number in range(count)]
    executable = 4
    return sum(size for _, _, flags, _, _, size in sections if flags & executable)


def measure(request: Mapping[str, Any], directory: Path, shown: Shown = lambda title, items: items, rounds: int = 3,
            levels: Sequence[str] = tuple(LEVELS)) -> dict[str, Any]:
    """With the compiler, the flags and the strategies of `request`; the answer repeats what that says about them. Raises
    ReportError if the compiler does not compile, or no strategy is left."""
    bench = Bench(request["compiler"], request["flags"], directory)
    yardstick = Unit("yardstick", _UNIT / "yardstick.cpp", ["-O2"])
    hand_written = Unit(HAND_WRITTEN, _UNIT / "hand_written.cpp")
    units = [hand_written, *(bench.unit(number, **each) for number, each in enumerate(request["strategies"]))]
    left_out: dict[str, str] = {}

    def attempt(work: Callable[[Unit, str], Any], unit: Unit, level: str) -> Any:
        try:
            return None if unit.name in left_out else work(unit, level)
        except NotCompiled as reason:
            if unit in (yardstick, hand_written):
                what = f"{request['compiler']} cannot compile even what has nothing of stowage"
                raise MissingError(f"{what}: {reason}") from None
            left_out[unit.name] = str(reason)

    for unit, level in shown("compiling", [*product(units, levels), (yardstick, "release")] * rounds):
        attempt(bench.compile_unit, unit, level)
    yardsticks = yardstick.seconds["release"]
    for unit, level in shown("counting", [*product(units, levels)]):
        figures = attempt(bench.counts, unit, level)
        if figures and unit.sum != hand_written.sum:
            left_out[unit.name] = "its game does not end as the hand-written one does"
        if unit.name not in left_out:
            ratios = map(float.__truediv__, unit.seconds[level], yardsticks)
            unit.levels[level] = {"compile_s": round(median(unit.seconds[level]), 6), "yardsticks": round(median(ratios), 6),
                                  **figures}
    kept = [unit for unit in units if unit.name not in left_out]
    if len(kept) == 1:
        raise UserError("no strategy is left: " + "; ".join(f"{name}: {reason}" for name, reason in left_out.items()))
    return {**request["about"], "yardstick_s": round(median(yardsticks), 6), "without_counts": bench.without_counts,
            "left_out": left_out,
            "strategies": [{"strategy": unit.name, **bench.sizes(unit), "levels": unit.levels} for unit in kept]}
