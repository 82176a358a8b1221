"""The file of a calibration, beside the runs: what was observed, on which machine, and the rates in words."""

import json
from pathlib import Path
from typing import Iterator, Mapping, Sequence

from stowage_report.calibrate.rates import CELL_CHANGED, REPEATED, STRATEGY_CHANGED, STRATEGY_SLOWER, lines, of_quiet_runs
from stowage_report.console import UserError, refused, replace_file
from stowage_report.data.document import check, read_json

FILE = "calibration.json"
FORMAT = 3
_FORMER_FORMATS = (1, 2)  # of other verdicts and other workloads
#: What rates depend on, as compare/read.py names it. Those of another machine, compiler or version are not quoted.
FACTS = ("host", "processor", "processors", "compiler", "compiler flags", "version")
#: Fewer quiet runs, or pairs of them, than this say too little to be quoted.
_FEWEST_RUNS = 5


def save(path: Path, facts: Mapping[str, str], observations: Sequence[dict]) -> None:
    """Whole or not at all, with the commit that was measured last."""
    document = {"format": FORMAT, "facts": {name: facts.get(name, "") for name in FACTS}, "commit": facts.get("commit", ""),
                "sentences": sentences(observations), "observations": list(observations)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(document, separators=(",", ":")).replace('{"quiet"', '\n{"quiet"') + "\n")
    except OSError as error:
        raise refused(f"cannot write {path}", error, "start in a directory that you may write to") from error


def load(path: Path, facts: Mapping[str, str] | None = None) -> list[dict]:
    """The observations so far; none if there is no such file, or if it is of another machine, compiler or version than
    `facts`, if these are given."""
    if not path.exists():
        return []
    document = _read(path)
    return document["observations"] if facts is None or _is_of(document, facts) else []


def _read(path: Path) -> dict:
    remedy = "remove it, and repeat `stowage doctor --calibrate`"
    document = read_json(path, remedy)
    if isinstance(document, dict) and document.get("format") in _FORMER_FORMATS:
        return {"format": document["format"], "facts": {}, "sentences": {}, "observations": []}
    check(document, "calibration", path, remedy)
    for number, each in enumerate(document["observations"]):
        if any(count > of for count, of in _counts_of(each)):
            raise UserError(f"{path} is damaged: observations[{number}] counts more cases than it has; {remedy}")
    return document


def _counts_of(observation: Mapping) -> Iterator[Sequence[int]]:
    """Each count with what it is of: no schema can compare the two."""
    yield from (observation["comparisons"], observation["blocks"], *observation["equal"])
    if pair := observation.get("pair"):
        yield from (pair["cells"], pair["strategies"])


def _is_of(document: dict, facts: Mapping[str, str]) -> bool:
    return document["format"] == FORMAT and document["facts"] == {name: facts.get(name, "") for name in FACTS}


def quoted(kind: str, facts: Mapping[str, str], beside: Sequence[Path]) -> str:
    """The sentence for a `compare`, `report` or `recommend` whose runs have these facts, from the first of the
    calibrations `beside` that is of the same machine, compiler and version; empty if there is none."""
    for directory in beside:
        path = directory / FILE
        try:
            document = _read(path)
        except UserError:  # one that is not there or damaged says nothing
            continue
        if _is_of(document, facts):
            return document["sentences"].get(kind, "")
    return ""


def sentences(observations: Sequence[dict]) -> dict[str, str]:
    """What verdicts are worth here, by the command that gives them."""
    quiet = of_quiet_runs(observations)
    if len(quiet) < _FEWEST_RUNS:
        return {}
    rates = {line.name: line.rate for line in lines(quiet)}
    picks, changed = rates[REPEATED], rates[STRATEGY_CHANGED]
    pick = (f"On this machine, {picks.told} certain picks are those of the next run or equal to them there ({len(quiet)} runs, "
            "doctor --calibrate).")
    found = {"report": pick, "recommend": pick.replace("picks are", "picks of `quick` are")} if picks.of else {}
    if changed.of >= _FEWEST_RUNS:
        found["compare"] = (
            f"On this machine, {changed.told} pairs of equal runs have a strategy that is called changed, and "
            f"{rates[CELL_CHANGED].count} a cell; {rates[STRATEGY_SLOWER].told} strategies that are 5 % slower are found "
            "(doctor --calibrate).")
    return found
