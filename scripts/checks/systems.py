"""Makes docs/systems.md: which system of which article is what here, in which headers, held by which tests."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = "docs/systems.toml"
PAGE = "docs/systems.md"
LIST_OF_STRATEGIES = "strategies/CMakeLists.txt"
NUMBERS = (*range(1, 43), 44)

#: What every strategy goes through.
COMMON_TESTS = ("tests/conformance/suite.hpp", "tests/model/random_work.cpp")

HEADING = f"""# The systems, and where they are

Made by `scripts/checks/systems` from `{TABLE}` and from what the strategies say of themselves. B1 and B2 are Bitsquid's articles on
entities and on components, CS is Cerulean Skies, NG Nomad, WE Wicked Engine. Every strategy also runs through
{" and ".join(f"[`{test.rpartition('/')[0]}`](../{test.rpartition('/')[0]})" for test in COMMON_TESTS)}.

| | from | system | here | headers | tests |
| --- | --- | --- | --- | --- | --- |
"""


class Wrong(Exception):
    """Of the table, the list of strategies or the tree; in one line."""


@dataclass(frozen=True)
class Strategy:
    name: str
    systems: tuple[int, ...]
    rival_of: tuple[int, ...]
    header: str


@dataclass(frozen=True)
class System:
    number: int
    article: str
    text: str
    here: str = ""
    headers: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    strategies: tuple[Strategy, ...] = field(default=())
    rivals: tuple[Strategy, ...] = field(default=())


def strategies(listed: list[dict], list_of_strategies: str) -> list[Strategy]:
    """Of `stowage list strategies --format json`, with headers from CMake's list; hand-written loops have none."""
    headers = dict(re.findall(r"^add_strategy\(\s*(\S+)\s+(\S+)", list_of_strategies, re.MULTILINE))
    names = {entry["name"] for entry in listed}
    missing = sorted(headers.keys() - names)
    if missing:
        raise Wrong(f"the binary does not have {', '.join(missing)} of {LIST_OF_STRATEGIES}; build all of them")
    return [Strategy(entry["name"], _numbers(entry["source"], rival=False), _numbers(entry["source"], rival=True),
                     f"strategies/{headers[entry['name']]}")
            for entry in listed if entry["name"] in headers]


def _numbers(source: str, *, rival: bool) -> tuple[int, ...]:
    """`S6, S3's rival (B2)` is S6, and a rival of S3."""
    found = re.findall(r"\bS(\d+)\b('s rival)?", source)
    return tuple(int(number) for number, is_rival in found if bool(is_rival) == rival)


def systems(table: dict, known: list[Strategy]) -> list[System]:
    """By number; whatever does not fit is Wrong."""
    stray = sorted(set(table) - {f"S{number}" for number in NUMBERS})
    if stray:
        raise Wrong(f"{TABLE} has {', '.join(stray)}; systems are S{NUMBERS[0]} to S{NUMBERS[-1]}")
    for strategy in known:
        unknown = [number for number in (*strategy.systems, *strategy.rival_of) if number not in NUMBERS]
        if unknown:
            raise Wrong(f"{strategy.name} says that it is S{unknown[0]}, which is no system")
    return [_system(number, table.get(f"S{number}"), known) for number in NUMBERS]


def _system(number: int, entry: dict | None, known: list[Strategy]) -> System:
    if entry is None:
        raise Wrong(f"{TABLE} has no [S{number}]")
    system = System(
        number, entry["from"], entry["system"], entry.get("here", ""), tuple(entry.get("headers", ())),
        tuple(entry.get("tests", ())),
        tuple(strategy for strategy in known if number in strategy.systems),
        tuple(strategy for strategy in known if number in strategy.rival_of),
    )
    if not system.headers and not system.strategies:
        raise Wrong(f"S{number} has nothing to it: no strategy says that it is S{number}, and {TABLE} names no header")
    if not system.strategies and not system.tests:
        raise Wrong(f"S{number} has no test: it is no strategy, and {TABLE} names none")
    return system


def missing_files(of: list[System], root: Path) -> list[str]:
    named = {file: system.number for system in of
             for file in (*system.headers, *system.tests, *(strategy.header for strategy in system.strategies))}
    named |= dict.fromkeys(COMMON_TESTS, NUMBERS[0])
    return [f"S{number} names {file}, which does not exist" for file, number in named.items()
            if not (root / file).is_file()]


def page(of: list[System]) -> str:
    return HEADING + "".join(_row(system) for system in of)


def _row(system: System) -> str:
    names = [f"`{strategy.name}`" for strategy in system.strategies]
    rivals = [f"`{strategy.name}`" for strategy in system.rivals]
    here = "; ".join(filter(None, (", ".join(names), system.here, f"rival: {', '.join(rivals)}" if rivals else "")))
    headers = dict.fromkeys((*(strategy.header for strategy in system.strategies), *system.headers))
    tests = ["all strategies'"] if system.strategies else []
    return (f"| S{system.number} | {system.article} | {system.text} | {here} | {_links(headers)} | "
            f"{', '.join([*tests, *filter(None, [_links(system.tests)])])} |\n")


def _links(files: object) -> str:
    return ", ".join(f"[`{file.rpartition('/')[2]}`](../{file})" for file in files)


def made_from(root: Path, listed: list[dict]) -> str:
    """The page; Wrong if something is missing."""
    with (root / TABLE).open("rb") as file:
        table = tomllib.load(file)
    known = strategies(listed, (root / LIST_OF_STRATEGIES).read_text(encoding="utf-8"))
    of = systems(table, known)
    missing = missing_files(of, root)
    if missing:
        raise Wrong("; ".join(missing))
    return page(of)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="stowage, built with all strategies")
    parser.add_argument("--check", action="store_true", help="write nothing; is the page up to date?")
    options = parser.parse_args()
    command = [options.binary, "list", "strategies", "--format", "json"]
    listing = subprocess.run(command, check=True, capture_output=True)
    try:
        text = made_from(ROOT, json.loads(listing.stdout))
    except Wrong as wrong:
        print(f"systems: {wrong}", file=sys.stderr)
        return 1
    path = ROOT / PAGE
    if not options.check:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        print(f"systems: {PAGE} is not up to date; scripts/checks/systems writes it anew", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
