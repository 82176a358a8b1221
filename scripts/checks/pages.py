"""Makes the tables of the pages, each between two comments, from the records in docs/record/."""

import itertools
import json
import lzma
import re
import shutil
import sys
from dataclasses import dataclass
from datetime import date
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Callable, Sequence

import games
import lines
import peers
import performance
import timers
import worlds
from stowage_report.build_cost import table as build_cost
from stowage_report.calibrate import rates
from stowage_report.claims import Evaluation, evaluate
from stowage_report.claims.formats import claims_page, surprises
from stowage_report.console import Parser, UserError, command, replace_file
from stowage_report.data import grouped
from stowage_report.data.document import PACKED_SUFFIX, check, read_json
from stowage_report.data.environment import machine_summary
from stowage_report.data.load import load_counts, load_document, load_run, results_path
from stowage_report.data.model import Run
from stowage_report.gallery.submission import submission_text
from stowage_report.pages.screen import picks
from tables import quoted, table

ROOT = Path(__file__).resolve().parents[2]
#: What tests/adopt notes of a target and a storage.
NOTED = {"commit", "target", "version", "strategy", "checks"}
#: Rates of fewer quiet runs are not published.
FEWEST_RUNS = 10


def stored(record: str) -> list[Path]:
    """The files of the newest docs/record/DATE/RECORD/."""
    newest = max(ROOT.glob(f"docs/record/*/{record}"), default=None)
    return sorted(newest.iterdir(), key=lambda file: file.name.removesuffix(PACKED_SUFFIX)) if newest else []


def commands(record: str) -> list[str]:
    """That measure and keep it."""
    section = (ROOT / "docs/record/README.md").read_text(encoding="utf-8").partition(f"\n## {record}\n")[2]
    return re.findall(r"^    .*$", section.partition("\n## ")[0], re.MULTILINE)


def keep(record: str, *sources: str) -> None:
    """Takes the place of an earlier one of today; those of other days stay."""
    if record not in (names := {block.record for block in BLOCKS}) or not sources:
        raise UserError(f"name one of {', '.join(sorted(names))}, and what was measured for it")
    texts = {Path(source).name.partition(".json")[0]: publishable(Path(source)) for source in sources}
    into = ROOT / "docs/record" / date.today().isoformat() / record
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    loaded.cache_clear()
    for name, text in texts.items():
        replace_file(into / f"{name}{PACKED_SUFFIX}", lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(into)


def publishable(source: Path) -> str:
    """UserError if it was measured on a busy machine, or of code that no commit has."""
    text = packable(source)
    if told := re.search('"(?:not fit[^"]*|[^"]* with local changes)"', text):
        raise UserError(f"{source} says {told[0]}; measure what is committed, on a machine that doctor calls fit")
    return text


def packable(source: Path) -> str:
    """A run, counts, a calibration, an answer, a build cost or what conforms where, without what is private."""
    if source.suffix == ".jsonl":
        return json.dumps(notes(source)) + "\n"
    path = results_path(source)
    document = read_json(path, "give a run directory, or a file of stowage")
    if "observations" in document:
        check(document, "calibration", path, "repeat it")
        document["facts"]["host"] = "host"
    elif "host_name" in document.get("context", {}):
        return submission_text(load_document(path), again=0)
    elif "ranking" in document:
        check(document, "answer", path, "repeat `stowage recommend`")
    elif "yardstick_s" in document:
        check(document, "build_cost", path, "repeat it")
    else:
        load_counts(path)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def notes(source: Path) -> list[dict]:
    """What tests/adopt noted, a line for each target and storage."""
    try:
        found = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    except ValueError:
        found = []
    if not found or any(not isinstance(note, dict) or note.keys() != NOTED for note in found):
        raise UserError(f"{source} is not what scripts/checks/adopt wrote for STOWAGE_ADOPT_NOTES; remove it, and repeat that")
    return found


def measured(files: Sequence[Path], runs: Sequence[Run]) -> str:
    """Where the figures of a table are from."""
    builds = {(run.record["commit"], run.record["compiler"]) for run in runs}
    if len(builds) > 1:
        raise UserError(f"{files[0].parent} has runs of several builds; measure all of them at one commit")
    (commit, compiler), = builds
    machines = [machine_summary(run) for run in runs if run.caches]
    return ", ".join([f"Measured on {files[0].parents[1].name}", f"commit {commit}", compiler, *machines[:1]])


def below_commands(files: Sequence[Path], told: str, made: Sequence[str]) -> str:
    """Where it is from, the commands that measured it, and it."""
    return "\n".join(["", f"{told}:", "", *commands(files[0].parent.name), "", *made, ""])


@cache
def loaded(*files: Path) -> list[Run]:
    return [load_counts(file) if file.name.startswith("counts.") else load_run(file) for file in files]


def tables_of(made: Callable[[Sequence[Run]], list[str]]) -> Callable[[Sequence[Path]], str]:
    return lambda files: below_commands(files, measured(files, loaded(*files)), made(loaded(*files)))


def game_block(name: str, table: games.Table) -> "Block":
    return Block(name, "docs/decisions-for-games.md", lambda files: table.made(loaded(*files)), table.record)


def compilers_text(files: Sequence[Path]) -> str:
    """By two compilers: g++ first. The commits may differ in what the preprocessor hides from g++."""
    runs = sorted(map(load_counts, files), key=lambda run: run.record["compiler"], reverse=True)
    if len(runs) != 2:
        raise UserError(f"{files[0].parent} needs counts of two compilers; it has {len(runs)}")
    both = ", ".join(f"{run.record['compiler']} at commit {run.record['commit']}" for run in runs)
    return below_commands(files, f"Measured on {files[0].parents[1].name}, {both}", performance.by_two_compilers(runs))


def rates_text(files: Sequence[Path]) -> str:
    calibration = read_json(files[0], "repeat it")
    facts, observations = calibration["facts"], calibration["observations"]
    quiet = rates.of_quiet_runs(observations)
    if len(quiet) < FEWEST_RUNS:
        raise UserError(f"{len(quiet)} quiet runs are too few to publish; go on with stowage doctor --calibrate")
    commit = f", commit {calibration['commit']}" if calibration.get("commit") else ""
    busy = len(observations) - len(quiet)
    told = ["", f"{facts['processor']} ({facts['processors']} processors), {facts['compiler']}, stowage {facts['version']}"
            f"{commit}: {len(quiet)} runs.{f' {busy} more do not count, because other programs ran.' if busy else ''}"]
    for title, lines in rates.TABLES.items():
        rows = [[line.name, line.aim, str(line.rate)] for line in lines(quiet)]
        told += ["", f"### {title}", "", *table(["rate", "aim", "found"], rows, "---")]
    return "\n".join([*told, ""])


def build_cost_text(files: Sequence[Path]) -> str:
    """Without seconds, which hold for one machine."""
    cost = build_cost.load(files[0])
    told = f"Measured on {files[0].parents[1].name}, commit {cost['commit']}, {cost['compiler']}, {cost['processor']}"
    tables = ["\n".join(table(head, [[f"`{name}`", *its] for name, *its in rows]))
              for _, (head, *rows) in build_cost.tables(cost, skipped=build_cost.SECONDS)]
    return below_commands(files, told, ["\n\n".join(tables)])


def screen_text(files: Sequence[Path]) -> str:
    run, = loaded(*files)
    return "\n".join([f"{measured(files, [run])}:", "", *(f"    {line}" for line in picks(run))])


def base_forms() -> list[str]:
    listed = (ROOT / "strategies/CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^add_strategy\((\w+) ", listed, re.MULTILINE)


def targets_text(files: Sequence[Path]) -> str:
    """In the order in which the targets were tried. Notes have what passed; the commands name what was tried."""
    passed = read_json(files[0], "repeat it")
    if len(commits := {line["commit"] for line in passed}) > 1:
        raise UserError(f"{files[0]} has several commits; try all targets at one: {', '.join(sorted(commits))}")
    tried = "\n".join(commands(files[0].parent.name))
    storages = sorted({line["strategy"] for line in passed} | {name for name in base_forms() if f"{name}-" in tried})
    of_target = grouped(passed, itemgetter("target", "version"))
    rows = [[target, version, conforming(lines, storages), f"{sum(line['checks'] for line in lines):,}"]
            for (target, version), lines in of_target.items()]
    told = f"Tried on {files[0].parents[1].name}, commit {commits.pop()}, with {', '.join(quoted(storages))}"
    return below_commands(files, told, table(["compiler", "version", "storages that conform", "test cases"], rows))


def conforming(passed: Sequence[dict], storages: Sequence[str]) -> str:
    """5 of 6, without `hybrid`"""
    names = {line["strategy"] for line in passed}
    without = quoted(name for name in storages if name not in names)
    return f"{len(names)} of {len(storages)}" + (f", without {', '.join(without)}" if without else "")


def lines_text(files: Sequence[Path]) -> str:
    """The bytes that some claims depend on, too, are those of the newest record of claims: no count of misses."""
    counted = loaded(*files)
    return below_commands(files, measured(files, counted), lines.side_by_side(counted, loaded(*stored("claims"))))


def worlds_text(files: Sequence[Path]) -> str:
    answers = {file.name.partition(".json")[0]: read_json(file, "repeat it") for file in files}
    builds = {(answer["commit"], answer["compiler"], answer["processor"]) for answer in answers.values()}
    if len(builds) > 1:
        raise UserError(f"{files[0].parent} has answers of several builds; ask all of them at one commit")
    (commit, compiler, processor), = builds
    return "\n".join([f"Measured on {files[0].parents[1].name}, commit {commit}, {compiler}, {processor}.", "",
                      *worlds.beside_each_other(answers, ROOT / "profiles")])


@cache
def evaluated(*files: Path) -> tuple[list[Evaluation], list[Run]]:
    runs = loaded(*files)
    return evaluate(runs), runs


@dataclass(frozen=True)
class Block:
    """What is on a page between two comments."""

    name: str
    page: str
    text: Callable[[Sequence[Path]], str]  # from the files of its record
    record: str

    @property
    def begin(self) -> str:
        return f"<!-- {self.name}: made by scripts/checks/pages -->\n"

    @property
    def end(self) -> str:
        return f"<!-- end of {self.name} -->\n"

    def replaced(self, page: str) -> str:
        """The text of its page with what follows from the record; UserError if the page has no such block."""
        before, found, rest = page.partition(self.begin)
        _, ended, after = rest.partition(self.end)
        if not (found and ended):
            raise UserError(f"{self.page} has no block of the name {self.name}: {self.begin.strip()}")
        return f"{before}{found}{self.text(stored(self.record))}\n{ended}{after}"


#: THE list.
BLOCKS = (
    Block("rates", "docs/trust.md", rates_text, "rates"),
    Block("screen", "README.md", screen_text, "screen"),
    Block("claims", "docs/record/claims.md", lambda files: claims_page(*evaluated(*files)).rstrip(), "claims"),
    Block("claims", "README.md", lambda files: surprises(*evaluated(*files)), "claims"),
    Block("distances", "docs/record/performance.md", tables_of(performance.distances), "distances"),
    Block("counts", "docs/record/performance.md", tables_of(performance.counts), "counts"),
    Block("compilers", "docs/record/performance.md", compilers_text, "compilers"),
    Block("build-cost", "docs/performance.md", build_cost_text, "build-cost"),
    Block("targets", "docs/adopt.md", targets_text, "targets"),
    Block("timers", "docs/record/timers.md", tables_of(timers.beside_each_other), "timers"),
    Block("lines", "docs/method.md", lines_text, "lines"),
    Block("worlds", "docs/worlds.md", worlds_text, "worlds"),
    *(Block(name, "docs/record/peers.md", tables_of(peers.tables), name) for name in ("libraries", "means", "wide")),
    Block("games", "docs/decisions-for-games.md", lambda files: f"{measured(files, loaded(*files))}.", "games"),
    *itertools.starmap(game_block, games.TABLES.items()),
)


def compare(is_writing: bool) -> int:
    """1 if a page differs from what follows from a record."""
    differing = 0
    for block in BLOCKS:
        if not stored(block.record):
            print(f"{block.page}: {block.name} has no record; to measure it:", *commands(block.record), sep="\n")
            continue
        made = block.replaced(before := (page := ROOT / block.page).read_text(encoding="utf-8"))
        if is_writing:
            page.write_text(made, encoding="utf-8")
        elif made != before:
            differing = 1
            print(f"{block.page}: {block.name} differs from its record; repeat with --write")
    return differing


def main(arguments: Sequence[str]) -> int:
    parser = Parser(prog="scripts/checks/pages", description="Compares the tables of the pages with docs/record/.")
    parser.add_argument("--write", action="store_true", help="write them instead")
    parser.add_argument("--keep", nargs="+", metavar=("NAME", "RUN_DIR_OR_FILE"), help="store the record of that name")
    return command(parser, lambda options: keep(*options.keep) if options.keep else compare(options.write), arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
