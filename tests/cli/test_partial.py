"""A strategy that lacks parts of the contract is measured on what needs no more, and says what it lacks."""

import json

from conftest import NO_REPORT, PLAIN_PYTHON, cells_of

LACKS = {"bulk_creation", "structural_change", "const_iteration", "block_iteration", "filters", "table_exchange", "reservation",
         "memory_accounting", "strong_guarantee"}
SMALL = ("--strategies", "partial", "--entities", "1k")
SHORT = ("--", "--benchmark_repetitions=6", "--benchmark_min_time=0.001s")


def test_what_it_lacks_is_listed_once_it_is_compiled(partial):
    assert partial("verify", "--strategies", "partial", "--workloads", "point_mass", "--entities", "1k").code == 0
    outcome = partial("list", "strategies", "--format", "json")
    strategies = {entry["name"]: entry for entry in json.loads(outcome.out)}
    assert strategies["partial"]["lacks"].keys() == LACKS
    assert strategies["partial"]["lacks"]["table_exchange"] == "nothing is saved"
    assert strategies["reference"]["lacks"] == {}
    assert all(entry["lacks"] == {} for name, entry in strategies.items() if name != "partial")
    lines = partial("list").out.splitlines()
    assert all(len(line) <= 100 for line in lines)
    for lack in LACKS:
        assert any(line.startswith("partial") and lack in line for line in lines)


def test_it_is_verified_in_the_cells_that_it_has(partial):
    outcome = partial("verify", *SMALL, "--workloads", "point_mass,create,join,serialize").ends_with(0)
    row, *left_out = [line for line in outcome.out.splitlines() if line.startswith("partial")]
    assert "ok, 100000 operations" in row and "3 equal" in row and "not offered" in row
    assert len(left_out) == 3 and any("6 cells left out" in line and "structural_change" in line for line in left_out)
    outcome = partial("run", *SMALL, "--workloads", "serialize", "--out", "run")
    outcome.is_refused(2, "partial: not offered: table_exchange, because nothing is saved")


def test_it_is_measured_in_the_cells_that_it_has(partial):
    outcome = partial("run", *SMALL, "--workloads", "point_mass,create,join,serialize", "--out", "run", *SHORT)
    assert outcome.code == NO_REPORT, outcome.err
    results = partial.results("run")
    assert [cell for cell in cells_of(results) if "/partial/" in cell] == [
        "point_mass/partial/entities:1024", "create/partial/entities:1024/how:single/memory:reserved/components:4",
        "create/partial/entities:1024/how:single/memory:growing/components:4"]
    (card,) = [card for card in results["context"]["stowage"]["strategy_cards"] if card["name"] == "partial"]
    assert card["lacks"].keys() == LACKS
    assert card["not_offered"].keys() == {"join", "serialize"}  # of create in bulk there is no block without others
    tables = partial("report", "run", "--format", "tables", env=PLAIN_PYTHON).out
    assert "no serialize of partial: not offered: table_exchange, because nothing is saved" in tables
    assert "memory: Left out at 1k, 3 cells: not offered: memory_accounting, because" in tables
    omitted = {entry["cell"] for entry in results["context"]["stowage"]["omissions"] if entry["pass"] == "memory"}
    assert "point_mass/partial/entities:1024" in omitted and not any("reference" in cell for cell in omitted)


def test_what_is_not_built_is_listed_and_refused(fake):
    table = fake("list", "strategies")
    assert "not built: absent (Peer was not found when this binary was configured)" in table.out.splitlines()
    as_json = fake("list", "strategies", "--format", "json")
    assert as_json.err == "not built: absent (Peer was not found when this binary was configured)\n"
    assert "absent" not in {entry["name"] for entry in json.loads(as_json.out)}
    assert fake("list", "workloads", "--format", "json").err == ""
    fake("run", "--strategies", "absent").is_refused(3, "'absent'", "Peer was not found")
