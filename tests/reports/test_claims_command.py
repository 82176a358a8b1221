"""`stowage claims` as its users and their scripts meet it."""

import json
import re
import shlex

import pytest

from claim_cases import CASES, HOLDS
from make_claims import store
from stowage_report.claims.__main__ import main
from stowage_report.claims.evaluate import evaluate, undecided
from stowage_report.claims.formats import as_table
from stowage_report.claims.ruling import Verdict
from stowage_report.data.load import load_run


@pytest.fixture
def stored(tmp_path):
    """Results that a few claims hold by."""
    chosen = [case for case in CASES if case[0] in ("C5", "C8", "C13")]
    return store(tmp_path / "run", [block for _, make, numbers, verdict in chosen if verdict is HOLDS
                                    for block in make(*numbers)])


def test_json_is_an_array_of_what_is_promised(stored, capsys):
    assert main([str(stored), "--format", "json"]) == 0
    captured = capsys.readouterr()
    claims = json.loads(captured.out)
    assert captured.err == "" and [claim["id"] for claim in claims] == [f"C{number}" for number in range(1, 39)]
    for claim in claims:
        assert set(claim) == {"id", "verdict", "figure", "interval", "command"}
        assert claim["verdict"] in ("holds", "refuted", "depends", "undecided")
        assert (claim["interval"] is None) is (claim["verdict"] == "undecided")
    decided = {claim["id"]: claim for claim in claims if claim["verdict"] != "undecided"}
    assert {"C5", "C8", "C9", "C13"} <= set(decided)
    assert decided["C5"]["interval"] == pytest.approx([2, 8], rel=0.1)


def test_the_table_fits_a_terminal_and_has_colours_only_there(stored, capsys):
    assert main([str(stored)]) == 0
    table = capsys.readouterr().out
    assert "\x1b" not in table and max(map(len, table.splitlines())) <= 100
    evaluations = evaluate([load_run(stored)])
    for each in evaluations:
        has_a_row = re.search(rf"^{each.claim.id} ", table, re.MULTILINE) is not None
        assert has_a_row is (each.ruling.verdict is not Verdict.UNDECIDED)
    coloured = as_table(evaluations, coloured=True)
    assert "\x1b[32mholds" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == as_table(evaluations)


def told_commands(table):
    return [shlex.split(text.replace("\\\n", "")) for text in re.findall(r"\$ (.*?)(?:\n(?= *\$ )|\n\n|\n?\Z)", table, re.DOTALL)]


def test_commands_of_the_table_can_be_copied_and_one_measures_all_that_is_undecided(stored, capsys):
    main([str(stored), "--format", "json"])
    decided = [claim for claim in json.loads(capsys.readouterr().out) if claim["verdict"] != "undecided"]
    main([str(stored)])
    table = capsys.readouterr().out
    told = told_commands(table)
    told, deciding = told[:len(decided)], told[len(decided):]
    assert told == [shlex.split(claim["command"]) for claim in decided]
    (line,) = [line for line in table.splitlines() if line.startswith("Undecided: ")]
    open_ones = undecided(evaluate([load_run(stored)]))
    numbers = {number for first, last in re.findall(r"C(\d+)(?:-C(\d+))?", line)
               for number in range(int(first), int(last or first) + 1)}
    assert numbers == {int(each.claim.id[1:]) for each in open_ones}
    assert all(command[:2] == ["stowage", "run"] for command in deciding)
    options = [dict(zip(command[2::2], command[3::2])) for command in deciding]
    by_world = {of_one.get("--world", ""): of_one for of_one in options}
    for asked in (asked for each in open_ones for asked in each.asked):
        its = by_world[f"profiles/{asked.place.world}.toml" if asked.place.world else ""]
        assert asked.place.workload in its["--workloads"].split(",")
        assert set(asked.strategies) <= set(its["--strategies"].split(","))
    assert main([str(stored), "--only", "C1"]) == 0
    table = capsys.readouterr().out
    assert table.startswith("C1 ") and "undecided" in table and "Undecided: " not in table
