"""Kills stowage with SIGKILL at random moments, starts it again, and checks that nothing that was saved is lost. The same of
two that write into one directory, and of places without room."""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STRATEGIES = ["indirection_map", "sparse_direct"]
NAMES = ",".join(STRATEGIES)
SELECTION = ["--workloads", "point_mass,lookup", "--strategies", NAMES, "--entities", "1k,16k"]
TINY = ["--workloads", "point_mass", "--strategies", NAMES, "--entities", "1k", "--out", "tiny",
        "--", "--benchmark_repetitions=6", "--benchmark_min_time=0.0001"]
PROFILE = """[profile]\nname = "tiny"\nentities = 500\n[[component]]\nname = "position"\nbytes = 12
[[system]]\nname = "move"\nwrites = ["position"]\n[turnover]\ncreations_per_frame = 3\n"""
NO_REPORT = 3
BEFORE, MIDDLE, AFTER = "before anything was saved", "in the middle", "after the end"


def parsed(file: Path) -> dict:
    """Numbers as they are written."""
    return json.loads(file.read_text(encoding="utf-8"), parse_float=str, parse_int=str)


def is_temporary(path: Path) -> bool:
    return path.suffix == ".tmp" or path.name.startswith((".report-", "stowage."))


def is_whole(file: Path) -> bool:
    if file.suffix == ".html":
        return file.read_bytes().rstrip().endswith(b"</html>")
    if file.suffix in (".csv", ".hpp", ".txt"):
        return file.read_bytes().endswith(b"\n")
    try:
        return file.suffix != ".json" or bool(parsed(file))
    except ValueError:
        return False


def broken_files(directory: Path) -> list[str]:
    """The half-written files that have their final names."""
    return [f"{file.relative_to(directory.parent)} is cut off" for file in sorted(directory.rglob("*"))
            if file.is_file() and not is_temporary(file) and not is_temporary(file.parent) and not is_whole(file)]


def figures(results: dict) -> dict[tuple, dict]:
    """What may not change any more: each repetition, and what the passes beside the time pass have found."""
    passes = results["context"]["stowage"]["figures"]
    kept = {name for each, names in passes.items() if each != "time" for name in names}
    found = {}
    for entry in results["benchmarks"]:
        if entry["run_type"] == "iteration":
            found[entry["run_name"], f"repetition {entry['repetition_index']}"] = {
                key: value for key, value in entry.items() if key not in ("repetitions", "family_index")}
        elif kept & entry.keys():
            found[entry["run_name"], "a figure"] = {key: entry[key] for key in kept & entry.keys()}
    return found


def lost(before: dict, after: dict) -> list[str]:
    """What was saved in `before` and is not the same in `after`."""
    now = figures(after)
    return [f"{cell}: {what} is lost or has changed" for (cell, what), saved in figures(before).items()
            if not saved.items() <= now.get((cell, what), {}).items()]


class Program:
    """stowage in a directory of its own."""

    def __init__(self, binary: Path, directory: Path):
        self.binary, self.directory, self.log, self.killed = binary, directory, directory / "log", False
        (directory / "tmp").mkdir()
        for module in ("argparse", "encodings", "json", "runpy"):  # Python looks for them in the working directory
            (directory / f"{module}.py").write_text("open('executed', 'w')\n")
        self.environment = {**os.environ, "TMPDIR": f"{directory}/tmp", "STOWAGE_CACHE_DIR": f"{directory}/cache"}

    def run(self, arguments: list[str], seconds: float | None = None) -> int | None:
        """Its exit code; None if it was killed, with all that it had started, after `seconds`."""
        self.killed = False
        with self.log.open("w") as log:
            process = subprocess.Popen([self.binary, *arguments], cwd=self.directory, env=self.environment, stdout=log,
                                       stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.killed = True
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None

    def failure(self, arguments: list[str], seconds: float | None = None, accepted: tuple = (0,)) -> list[str]:
        """What it says if it ends otherwise, and is not killed."""
        if (code := self.run(arguments, seconds)) in accepted or self.killed:
            return []
        said = " ".join(self.log.read_text(errors="replace").split())[-300:]
        return [f"`stowage {' '.join(arguments)}` ends with {code}: {said}"]

    def executed(self) -> list[str]:
        return ["a file of the working directory was executed"] * (self.directory / "executed").exists()


def seconds_of(program: Program, arguments: list[str]) -> float:
    begun = time.monotonic()
    if failures := program.failure(arguments):
        sys.exit(f"kills: nothing was killed, but {failures[0]}")
    return time.monotonic() - begun


class Kind:
    longest_s: float | None = None  #: until it is killed, if that is not the duration of any other start

    def __init__(self, program: Program, chance: random.Random):
        self.program, self.chance, self.out = program, chance, program.directory / "out"


class Run(Kind):
    """Goes on where it was killed."""

    def begin(self) -> list[str]:
        shutil.rmtree(self.out, ignore_errors=True)
        return ["run", *SELECTION, "--out", "out"]

    def check(self) -> tuple[str, list[str]]:
        results, findings = self.out / "results.json", broken_files(self.out)
        if findings or not results.exists():
            return BEFORE, findings or self.program.failure(["run", *SELECTION, "--out", "out"])
        before = parsed(results)
        findings = self.program.failure(["run", "--resume", "out"]) + broken_files(self.out)
        state = (after := parsed(results))["context"]["stowage"]
        if state["blocks_done"] != state["blocks_planned"]:
            findings.append(f"{state['blocks_done']} of {state['blocks_planned']} blocks are complete after --resume")
        return MIDDLE if figures(before) else BEFORE, findings + lost(before, after)


class Recommend(Kind):
    """Takes the directory of an answer that was killed, is killed there itself, and answers from what is there."""

    def begin(self) -> list[str]:
        (self.program.directory / "tiny.toml").write_text(PROFILE)
        if self.chance.random() < 0.2:
            shutil.rmtree(self.out, ignore_errors=True)
        return ["recommend", "tiny.toml", "--quick", "--strategies", NAMES, "--out", "out"]

    def check(self) -> tuple[str, list[str]]:
        if not (self.out / "process-1/results.json").exists():
            return BEFORE, broken_files(self.out)
        return MIDDLE, broken_files(self.out) + self.program.failure(["recommend", "tiny.toml", "--from", "out"])


class Modules(Kind):
    """Are built anew or by other flags; after a kill they become the same bytes as without one, and can be loaded."""

    FLAGS = ("-O0", "-O1")

    def __init__(self, program: Program, chance: random.Random):
        super().__init__(program, chance)
        self.flag, self.undisturbed, self.uncached_s = self.FLAGS[0], {}, 0.0
        self.toolchain = json.loads((program.binary.parent / "toolchain.json").read_text())
        self.toolchain["strategies"] = [{**each, "workloads": "PointMass"} for each in self.toolchain["strategies"]
                                        if each["name"] in STRATEGIES]
        self.toolchain["modules"] = str(self.out)
        program.environment["STOWAGE_PYTHON"] = "/nowhere"  # that the modules can be loaded needs no report
        program.environment["STOWAGE_TOOLCHAIN"] = str(program.directory / "toolchain.json")
        for _ in self.FLAGS:  # the compiler's cache has both from now on
            self.uncached_s = seconds_of(program, self.begin())
            self.undisturbed[self.flag] = self.digests()

    def begin(self) -> list[str]:
        self.flag = self.FLAGS[self.flag == self.FLAGS[0]]
        if self.chance.random() < 0.3:
            shutil.rmtree(self.out, ignore_errors=True)
        toolchain = {**self.toolchain, "options": [*self.toolchain["options"], self.flag]}
        (self.program.directory / "toolchain.json").write_text(json.dumps(toolchain))
        self.longest_s = None
        self.program.environment.pop("CCACHE_RECACHE", None)
        if self.uncached_s and self.chance.random() < 0.1:
            self.longest_s, self.program.environment["CCACHE_RECACHE"] = self.uncached_s, "1"
        return ["__modules", *STRATEGIES]

    def digests(self) -> list[str]:
        return [hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(self.out.glob("*.so"))]

    def loaded_from_others(self) -> list[str]:
        """Modules that another user may write, or has written; only root can give a file away."""
        module, findings = next(self.out.glob("*.so")), []
        for mode, owner in ((0o775, os.geteuid()), (0o755, 12345))[:1 + (os.geteuid() == 0)]:
            module.chmod(mode)
            os.chown(module, owner, -1)
            if self.program.run(["run", *TINY]) != 3 or module.name not in self.program.log.read_text():
                findings.append(f"{module.name} of mode {mode:o} and user {owner} is not refused")
        module.chmod(0o755)
        os.chown(module, os.geteuid(), -1)
        return findings

    def check(self) -> tuple[str, list[str]]:
        when = MIDDLE if any(self.out.glob("*.o")) else BEFORE
        self.program.environment.pop("CCACHE_RECACHE", None)
        findings = self.program.failure(["__modules", *STRATEGIES])
        if self.digests() != self.undisturbed[self.flag]:
            findings.append("modules differ from those that are built without a kill")
        findings += self.loaded_from_others()
        shutil.rmtree(self.program.directory / "tiny", ignore_errors=True)
        return when, findings + self.program.failure(["run", *TINY], accepted=(NO_REPORT,))


KINDS = {"run": Run, "recommend": Recommend, "modules": Modules}


def two_writers(program: Program, chance: random.Random) -> list[str]:
    """One of two runs into a directory is refused, whenever it begins; the other is whole."""
    out = program.directory / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [program.binary, "run", *SELECTION, "--out", "out"]
    processes = []
    for pause in (chance.uniform(0, 2), 0):
        processes.append(subprocess.Popen(command, cwd=program.directory, env=program.environment, text=True,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        time.sleep(pause)
    said = [process.communicate()[1] for process in processes]
    if sorted(process.returncode for process in processes) != [0, 2]:
        return [f"two runs end with {[process.returncode for process in processes]}: {said}"]
    state = parsed(out / "results.json")["context"]["stowage"]
    return broken_files(out) + ["the run is not whole"] * (state["blocks_done"] != state["blocks_planned"])


def full_places(program: Program, chance: random.Random) -> list[str]:
    """Results, or temporary files, on a disk with a little room: done, or one line and exit code 3."""
    place = program.directory / "small"
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={chance.randint(1, 300) * 4}k", "none", place], check=True)
    try:
        kept = dict(program.environment)
        if is_temporary := chance.random() < 0.5:
            program.environment["TMPDIR"] = str(place)
        shutil.rmtree(program.directory / "out", ignore_errors=True)
        out = "out" if is_temporary else "small/out"
        found = program.failure(["run", *SELECTION, "--out", out], accepted=(0, 3)) + broken_files(program.directory / out)
        said = program.log.read_text(errors="replace")
        program.environment.update(kept)
        return found + [f"it says {word}: {said[-300:]}" for word in ("Traceback", "unexpected:", "cannot be used")
                        if word in said]
    finally:
        subprocess.run(["umount", place], check=True)


FAULTS = {"writers": two_writers, "full": full_places}


def try_fault(kind: str, options: argparse.Namespace) -> int:
    started, chance = time.monotonic(), random.Random(f"{options.seed} {kind}")
    with tempfile.TemporaryDirectory(prefix=f"kills-{kind}-") as directory:
        program = Program(options.binary.resolve(), Path(directory))
        findings = [found for _ in range(options.count) for found in FAULTS[kind](program, chance)]
    print("".join(f"kills: {kind}: {found}\n" for found in findings), end="", file=sys.stderr)
    print(f"{kind}: {options.count} times; {len(findings)} findings; took {time.monotonic() - started:.0f} s", flush=True)
    return min(len(findings), 1)


def kill(kind: str, options: argparse.Namespace) -> int:
    """1 if anything was lost; the directory is kept then."""
    started, chance = time.monotonic(), random.Random(f"{options.seed} {kind}")
    directory = Path(tempfile.mkdtemp(prefix=f"kills-{kind}-"))
    program = Program(options.binary.resolve(), directory)
    subject = KINDS[kind](program, chance)
    built = program.binary.stat().st_mtime_ns
    duration = min(seconds_of(program, subject.begin()) for _ in range(2))  # the first one fills caches
    moments, left, findings = Counter(), set(), 0
    for number in range(1, options.count + 1):
        command = subject.begin()
        moment = chance.uniform(0, subject.longest_s or duration)
        found = program.failure(command, moment)
        killed = program.killed
        left |= {path.name for path in directory.rglob("*") if is_temporary(path)}
        when, more = subject.check()
        more += program.executed()
        if program.binary.stat().st_mtime_ns != built:
            sys.exit(f"kills: {program.binary} was built again meanwhile; repeat {kind}")
        moments[when if killed else AFTER] += 1
        if found + more:
            findings += 1
            kept = shutil.copytree(directory, f"{directory}-{number}", symlinks=True)
            print(f"kills: {kind} after {moment:.2f} s: {'; '.join(found + more)}; kept in {kept}", file=sys.stderr)
    print(f"{kind}: {options.count} kills within {duration:.1f} s, "
          f"{', '.join(f'{moments[when]} {when}' for when in (BEFORE, MIDDLE, AFTER))}; {findings} findings; "
          f"took {time.monotonic() - started:.0f} s; {len(left)} temporary files left{':' if left else ''} "
          f"{' '.join(sorted(left)[:4])}", flush=True)
    shutil.rmtree(directory)
    return min(findings, 1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="kills", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="kills of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", type=Path, default=ROOT / "build/release/stowage")
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS, *FAULTS],
                        default=[*KINDS, "writers", *["full"] * (os.geteuid() == 0)], help="full needs root, to mount")
    options = parser.parse_args()
    os.umask(0o022)  # a toolchain.json that a group may write is refused
    if not options.binary.is_file():
        parser.error(f"{options.binary} is missing: build it with ./scripts/build release stowage")
    return max([(kill if kind in KINDS else try_fault)(kind, options) for kind in options.kinds])


if __name__ == "__main__":
    sys.exit(main())
