"""Measures what claims need."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from lines import counts_for
from stowage_report.claims import Evaluation, evaluate
from stowage_report.claims.evaluate import LEDGER, THEN
from stowage_report.claims.evaluate import command as command_for
from stowage_report.claims.evidence import MOST_PROCESSES
from stowage_report.console import Parser, command
from stowage_report.data.load import load_run

ROOT = Path(__file__).resolve().parents[2]

#: No first level of a model holds what so many entities have.
OUT_OF_FIRST_LEVELS = 65_536


def measure(into: Path) -> None:
    """A run for each claim, by the command that its entry shows: 30 minutes. Then again for those that more processes
    may decide: a run adds three to most times, and one to the frame of a spike. What is there already stays."""
    first = evaluate([])
    directories = [directory for evaluation in first for directory in measured_once(into / evaluation.claim.id, evaluation)]
    commands = {evaluation.claim.id: evaluation for evaluation in first}
    for repetition in range(2, MOST_PROCESSES + 1):
        wanted = [each.claim.id for each in evaluate([load_run(directory) for directory in sorted(directories)])
                  if each.ruling.wants_processes]
        if not wanted:
            break
        directories += [directory for claim in wanted
                        for directory in measured_once(into / f"{claim}.{repetition}", commands[claim])]


def measured_once(directory: Path, evaluation: Evaluation) -> list[Path]:
    """A run for each of its commands; none if nothing has to be measured for it."""
    found = []
    for number, (_, command, *options) in enumerate(map(shlex.split, evaluation.command.split(THEN))):
        if command not in ("run", "cache"):
            continue
        into = directory.with_name(f"{directory.name}-{number}") if number else directory
        if not (into / "results.json").exists():
            into.parent.mkdir(parents=True, exist_ok=True)
            # a run counts misses, too, and has all figures that claims stand on
            subprocess.run([ROOT / "scripts/stowage", "run", *options, "--out", into.resolve()], check=True, cwd=ROOT)
        found.append(into)
    return found


def count(into: Path, model: str) -> None:
    """The counts of each part of a claim that misses decide, in the caches of that model: a few minutes. With as many
    entities as the claim names, or those."""
    into.mkdir(parents=True, exist_ok=True)
    for claim in LEDGER:
        for number, (_, part) in enumerate(claim.parts):
            if asked := counts_for(part):
                options = shlex.split(command_for(asked, "standard"))[2:]
                sizes = [] if "--entities" in options else ["--entities", str(OUT_OF_FIRST_LEVELS)]
                counted = subprocess.run([ROOT / "scripts/stowage", "cache", "--source", "simulated", "--model", model, *options,
                                          *sizes, "--format", "json"], check=True, cwd=ROOT, stdout=subprocess.PIPE).stdout
                (into / f"counts.{claim.id}-{number}.{re.sub('[^a-z0-9]', '-', model.lower())}.json").write_bytes(counted)


if __name__ == "__main__":
    parser = Parser(prog="scripts/checks/claims", description="Measures a run for each claim.")
    parser.add_argument("directory", type=Path, help="where the runs go; those that it has already stay")
    parser.add_argument("--model", help="counts misses in these caches instead, as of `stowage cache --model`")
    sys.exit(command(parser, lambda options: count(options.directory, options.model) if options.model else measure(options.directory), None))
