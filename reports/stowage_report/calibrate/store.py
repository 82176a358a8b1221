"""The file of a calibration, beside the runs: what was observed, on which machine, and the rates in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator, Mapping, Sequence

from stowage_report.calibrate.rates import CONDITIONS, Rate, lines, of_condition
from stowage_report.console import UserError, refused, replace_file
from stowage_report.data.document import check, read_json

FILE = "calibration.json"
FORMAT = 2
#: What rates depend on, as compare/read.py names it. Those of another machine, compiler or version are not quoted.
FACTS = ("host", "processor", "processors", "compiler", "compiler flags", "version")
#: Fewer pairs than this say too little to be quoted.
_FEWEST_PAIRS = 5


def save(path: Path, facts: Mapping[str, str], observations: Sequence[dict]) -> None:
    """Whole or not at all."""
    document = {"format": FORMAT, "facts": {name: facts.get(name, "") for name in FACTS},
                "sentences": sentences(observations), "observations": list(observations)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(document, indent=1) + "\n")
    except OSError as error:
        raise refused(f"cannot write {path}", error, "start in a directory that you may write to") from error


def load(path: Path, facts: Mapping[str, str]) -> list[dict]:
    """The observations so far; none if there is no such file, or if it is of another machine, compiler or version."""
    if not path.exists():
        return []
    document = _read(path)
    return document["observations"] if _is_of(document, facts) else []


def _read(path: Path) -> dict:
    remedy = "remove it, and repeat `stowage doctor --calibrate`"
    document = read_json(path, remedy)
    check(document, "calibration", path, remedy)
    for number, each in enumerate(document["observations"]):
        if any(count > of for count, of in _counts_of(each)):
            raise UserError(f"{path} is damaged: observations[{number}] counts more cases than it has; {remedy}")
    return document


def _counts_of(observation: Mapping) -> Iterator[Sequence[int]]:
    """Each count with what it is of: no schema can compare the two."""
    for count, of in (("cells_named", "cells"), ("strategies_named", "strategies"), ("blocks_with_regret", "blocks")):
        yield observation.get(count, 0), observation.get(of, 0)
    for kind in ("equal_quick", "equal_standard"):
        yield from observation.get(kind, {}).values()


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
    quiet = of_condition(observations, "quiet")
    pairs = [each for each in quiet if "cells" in each]
    if len(pairs) < _FEWEST_PAIRS:
        return {}
    rates = {line.name: line.rate(quiet) for line in lines()}

    def of_100(name: str) -> str:
        rate: Rate = rates[name]
        return f"{100 * rate.share:.0f}"

    pick = of_100("the pick of a kind of work is that of the other run, equal to it, or open")
    answer_rate = "the winner of a recommendation is that of another one, equal to it, or open"
    answer, answers = of_100(answer_rate) if rates[answer_rate].of else "", rates[answer_rate].of
    equal = of_100("equal cells whose 95 % interval has 1, quick")
    return {
        "compare": (f"On this machine, of 100 pairs of equal runs {of_100('equal runs: a strategy is called changed')} "
                    f"have a strategy that is called changed, and {of_100('equal runs: any cell is called changed')} a "
                    f"cell; of 100 strategies that are 5 % slower {of_100('a strategy 5 % slower: called slower')} are "
                    f"found, and of those 3 % slower {of_100('a strategy 3 % slower: called slower')} "
                    f"({len(pairs)} pairs, doctor --calibrate)."),
        "report": (f"On this machine, {pick} of 100 picks are those of a second run, equal to them, or open, and {equal} of 100 "
                   f"intervals of equal cells hold 1 ({len(pairs)} pairs of runs, doctor --calibrate)."),
        "recommend": (f"On this machine, {answer} of 100 recommendations have the winner of a second one, an equal, or an open "
                      f"one ({answers} pairs, doctor --calibrate)." if answers >= _FEWEST_PAIRS else
                      f"On this machine, {pick} of 100 picks of `quick` are those of a second run, equal to them, or open "
                      f"({len(pairs)} pairs of runs, doctor --calibrate)."),
    }


def table(observations: Sequence[dict], sizes: Sequence[str] = ()) -> list[list[str]]:
    """A heading, then for each rate its name, its aim, and what was found under each condition."""
    by_condition = {name: of_condition(observations, name) for name in CONDITIONS}
    rows = [["rate", "aim", *CONDITIONS.values()]]
    for line in lines(sizes):
        found = [line.rate(each) for each in by_condition.values()]
        if any(rate.of for rate in found):
            rows.append([line.name, line.aim, *map(str, found)])
    return rows
