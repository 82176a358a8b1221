"""A command measures what it stands beside, and nothing else."""

import dataclasses
import re
import shlex

import pytest

from stowage_report import commands
from stowage_report.charts.canvas import Finding
from stowage_report.pages.views import escaped, finding_command, report_command, sweep_command


def cells_found(command: str, run) -> set[str]:
    """As --workloads, --strategies, --entities and --cells choose them; the reference comes without being asked."""
    options = dict(re.findall(r"--(\w+) ('[^']*'|\S+)", command))
    expression = re.compile(options.get("cells", "").strip("'"))
    found = set()
    for block in run.blocks:
        chosen = options["strategies"].split(",") if "strategies" in options else list(block.cells)
        if block.workload in options["workloads"].split(",") and str(block.entities) in options["entities"].split(","):
            found |= {cell.name for cell in block.cells.values() if cell.strategy in (*chosen, "reference")
                      and expression.search(cell.name)}
    return found


@pytest.mark.parametrize("values", [None, ("1", "10", "100"), ("0.1", "1", "10")])
def test_the_command_of_a_sweep_measures_its_cells_though_values_begin_alike(values, run, make_run):
    if values:
        run = make_run(sizes=(16384,), axes={"churn": {"rate": values, "payload": ("1", "16")}},
                       strategies=("reference", "hash_index"))
    for sweep in run.sweeps:
        assert cells_found(sweep_command(run, sweep), run) == {cell.name for cell in sweep.cells}


def test_the_command_of_a_sweep_of_the_reference_alone_names_it(make_run):
    run = make_run(sizes=(1024,), axes={"join": {}}, strategies=("reference", "reference.store"))
    assert sweep_command(run, run.sweeps[0]).endswith("--workloads join --strategies reference --entities 1024")


@pytest.mark.parametrize("typed, words", [
    ("stowage run --workloads 'a;touch x'", ["stowage", "run", "--workloads", "a;touch x"]),
    ("stowage run --out 'it'\\''s'", ["stowage", "run", "--out", "it's"]),
    ("stowage run --out 'it's'", ["stowage", "run"]),
    ("stowage run; touch x", ["stowage", "run"]),
    ("touch x", ["stowage", "run"]),
])
def test_what_a_file_says_is_quoted_in_a_command(run, typed, words):
    evil = dataclasses.replace(run, record=run.record | {"command": typed, "preset": "quick; touch x"})
    assert shlex.split(commands.of_run(evil.record)) == words
    finding = Finding("some", "Some", "", [], [], ("join",))
    for command in (finding_command(evil, finding), *(sweep_command(evil, sweep) for sweep in evil.sweeps[:1])):
        assert shlex.split(command)[:4] == ["./scripts/stowage", "run", "--preset", "quick; touch x"]
        assert ";" not in shlex.shlex(command, posix=True, punctuation_chars=True)


@pytest.mark.parametrize("record, words", [
    ({"world": "typical-12ab34cd"}, "--world profiles/typical.toml --workloads join"),  # it has no workload by itself
    ({"world": "big-12ab34cd", "command": "stowage run --world=game/big.toml"}, "--world game/big.toml --workloads join"),
    ({"storages": ["mine=a.hpp:A"]}, "--storage mine=a.hpp:A --workloads join"),
])
def test_the_command_of_a_run_in_a_world_or_of_a_storage_names_it(run, record, words):
    there = dataclasses.replace(run, record=run.record | record)
    assert finding_command(there, Finding("some", "Some", "", [], [], ("join",))).endswith(words)
    assert f" {words} --strategies " in sweep_command(there, next(sweep for sweep in run.sweeps if sweep.workload == "join"))


def test_a_value_is_escaped_where_c_plus_plus_needs_it_and_nowhere_else():
    assert escaped("typical-a7021141") == "typical-a7021141" and escaped("0.1") == r"0\.1"
    assert re.fullmatch(escaped(r"a\b^$.*+?()[]{}|"), r"a\b^$.*+?()[]{}|")


@pytest.mark.parametrize("typed, words", [("--out /tmp/mine", " /tmp/mine"), ("--out=-odd", " ./-odd"), ("", "")])
def test_a_run_is_reported_from_where_it_was_told_to_go_or_as_the_newest(run, typed, words):
    there = dataclasses.replace(run, record=run.record | {"command": f"stowage run {typed}"})
    assert report_command(there) == f"./scripts/stowage report{words}"


def test_the_command_of_a_finding_names_what_the_run_has_of_it(run):
    finding = Finding("some", "Some", "", [], [], ("join", "aging"))
    assert finding_command(run, finding) == "./scripts/stowage run --preset quick --workloads join"
