"""Calibrations: what two equal runs tell of verdicts, the rates of that, and the sentences that other commands quote."""

import copy
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from make_blocks import make_block, run_of, samples_of
from make_results import Options, results, write_run
from stowage_report.__main__ import main as report_main
from stowage_report.calibrate.__main__ import main
from stowage_report.calibrate.observe import (
    SLOWDOWNS, MeasuredRun, observe_answers, observe_equal_cells, observe_pair, observe_regret,
)
from stowage_report.calibrate.rates import Rate, lines
from stowage_report.calibrate.store import FACTS, FILE, load, quoted, save, table
from stowage_report.compare.__main__ import main as compare_main
from stowage_report.compare.read import load_measured_file
from stowage_report.console import UserError

STRATEGY = "indirection_map"
RUN = Options(sizes=(1024, 4096, 16384, 65536), axes={"point_mass": {}, "lookup": {"components": ("1", "4")}}, passes=())
_TIMES = ("real_time", "cpu_time", "ns_per_item", "ns_per_item_low", "ns_per_item_high", "ratio_to_reference",
          "ratio_to_reference_low", "ratio_to_reference_high")


def write_calibration_run(directory: Path, slower: float = 1.0) -> MeasuredRun:
    """The copies are exactly so many percent slower; every cell of the strategy by a factor more."""
    document = results(RUN)
    of_strategy = [entry for entry in document["benchmarks"] if f"/{STRATEGY}/" in entry["name"]]
    for entry in of_strategy:
        scale(entry, slower)
    copies = [entry for entry in document["benchmarks"] if "/reference/" in entry["name"]] + of_strategy
    for percent in (0, *SLOWDOWNS):
        for entry in copy.deepcopy(of_strategy):
            for key in ("name", "run_name"):
                entry[key] = entry[key].replace(f"/{STRATEGY}/", f"/{STRATEGY}+{percent}%/")
            scale(entry, 1 + percent / 100)
            copies.append(entry)
    for path, benchmarks in ((directory, document["benchmarks"]), (directory / "copies", copies)):
        path.mkdir(parents=True)
        (path / "results.json").write_text(json.dumps(document | {"benchmarks": benchmarks}))
    return MeasuredRun(directory, STRATEGY)


def scale(entry: dict, factor: float) -> None:
    for key in _TIMES:
        if key in entry:
            entry[key] *= factor


@pytest.fixture
def pair(tmp_path):
    return write_calibration_run(tmp_path / "one"), write_calibration_run(tmp_path / "two")


@pytest.fixture
def observation(pair):
    return {"condition": "quiet", "other_programs": 0.0, "strategy": STRATEGY, "equal_quick": observe_equal_cells(pair[0]),
            **observe_pair(*pair)}


def test_equal_runs_name_nothing(observation):
    assert observation["cells_named"] == 0 and observation["strategies_named"] == 0
    assert observation["cells"] > 40 and observation["strategies"] == 7
    assert set(observation["picks"]) == {"same"}
    assert observation["blocks_with_regret"] == 0 and observation["largest_regret"] == 0 and observation["blocks"] == 12


def test_a_slower_copy_takes_the_place_of_its_strategy(pair):
    plain, slowed = ({cell.name: cell for cell in file.cells} for file in (pair[1].file, pair[1].slowed(5)))
    assert plain.keys() == slowed.keys()
    for name, cell in plain.items():
        factor = 1.05 if f"/{STRATEGY}/" in name else 1
        assert slowed[name].rounds[0].real_ns == pytest.approx(factor * cell.rounds[0].real_ns)


def test_slower_copies_are_found_by_strategy_and_by_cell(observation):
    assert observation["slowed"]["10"]["verdict"] == "slower"
    assert observation["slowed"]["10"]["cells"] == {size: {"slower": 3} for size in ("1k", "4k", "16k", "64k")}
    assert observation["slowed"]["10"]["others_named"] == 0


def test_a_strategy_that_changed_between_the_runs_is_named(tmp_path):
    found = observe_pair(write_calibration_run(tmp_path / "one"), write_calibration_run(tmp_path / "two", slower=1.3))
    assert found["strategies_named"] == 1 and found["cells_named"] == 12


def test_what_was_open_beside_the_best_is_no_regret():
    def run(first, second, noise=None):
        return run_of(make_block("point_mass", 1024, {"first": samples_of(first), "second": samples_of(second, noise)}))

    def regret(before):
        return observe_regret(before, run(4, 2))

    assert regret(run(2, 3)) == {"blocks": 1, "blocks_with_regret": 1, "largest_regret": 1.0}
    assert regret(run(2, 2.1, [1.2, 0.8, 1.1, 1.3, 0.9, 1.25, 1.18])) == {
        "blocks": 1, "blocks_with_regret": 0, "largest_regret": 0}


def test_equal_cells_are_counted_by_size(pair):
    assert observe_equal_cells(pair[0]) == {"1k": [3, 3], "4k": [3, 3], "16k": [3, 3], "64k": [3, 3]}


def test_a_rate_has_the_interval_of_wilson():
    low, high = Rate(8, 10).interval
    assert (low, high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert str(Rate(0, 100)) == "0.0 % (0.0 to 3.7; 0 of 100)"
    assert str(Rate(0, 0)) == "not measured"


def test_rates_are_sums_over_observations(observation):
    rates = {line.name: line.rate([observation, observation]) for line in lines()}
    assert rates["equal runs: any cell is called changed"] == Rate(0, 2)
    assert rates["a strategy 10 % slower: called slower"] == Rate(2, 2)
    assert rates["a strategy 10 % slower: its cells called slower"] == Rate(24, 24)
    of_sizes = {line.name: line.rate([observation, observation]) for line in lines(["16k"])}
    assert of_sizes["a strategy 10 % slower: its cells called slower, 16k entities"] == Rate(6, 6)
    assert rates["equal cells whose 95 % interval has 1, quick"] == Rate(24, 24)
    assert rates["equal cells whose 95 % interval has 1, standard"] == Rate(0, 0)


def test_conditions_have_columns_of_their_own(observation):
    busy = observation | {"condition": "busy", "cells_named": 1}
    rows = {row[0]: row[1:] for row in table([observation, busy], sizes=("16k",))}
    assert rows["rate"] == ["aim", "quiet", "code laid out anew", "one busy neighbour", "all processors busy"]
    assert rows["equal runs: any cell is called changed"] == [
        "at most 5 %", str(Rate(0, 1)), "not measured", "not measured", str(Rate(1, 1))]
    assert rows["equal cells whose 95 % interval has 1, quick, 16k entities"][1] == str(Rate(3, 3))


FACTS_HERE = {name: f"this {name}" for name in FACTS}


def test_rates_of_another_machine_are_neither_quoted_nor_continued(tmp_path, observation):
    save(tmp_path / FILE, FACTS_HERE, 5 * [observation])
    assert len(load(tmp_path / FILE, FACTS_HERE)) == 5
    assert "of 100 pairs of equal runs 0 have" in quoted("compare", FACTS_HERE, [tmp_path / "none", tmp_path])
    for name in FACTS:
        elsewhere = FACTS_HERE | {name: "another"}
        assert quoted("compare", elsewhere, [tmp_path]) == "" and load(tmp_path / FILE, elsewhere) == []


def test_few_pairs_are_not_quoted(tmp_path, observation):
    save(tmp_path / FILE, FACTS_HERE, [observation])
    assert quoted("report", FACTS_HERE, [tmp_path]) == ""


def test_a_damaged_calibration_is_no_quote_and_an_error_for_its_command(tmp_path):
    (tmp_path / FILE).write_text('{"format": 1')
    assert quoted("report", FACTS_HERE, [tmp_path]) == ""
    with pytest.raises(UserError, match="truncated"):
        load(tmp_path / FILE, FACTS_HERE)


@pytest.mark.parametrize("change", [{"cells_named": 10**6}, {"blocks_with_regret": 10**6}, {"equal_quick": {"1k": [3, 2]}}])
def test_a_calibration_that_counts_more_cases_than_it_has_is_damaged(tmp_path, observation, change):
    save(tmp_path / FILE, FACTS_HERE, 5 * [observation])
    document = json.loads((tmp_path / FILE).read_text())
    document["observations"][2] |= change
    (tmp_path / FILE).write_text(json.dumps(document))
    assert quoted("report", FACTS_HERE, [tmp_path]) == ""
    with pytest.raises(UserError, match=r"damaged: observations\[2\]"):
        load(tmp_path / FILE, FACTS_HERE)


#: Stands for the program: lists two strategies, and makes the runs by copying a stored one.
PROGRAM = """#!{python}
import json, shutil, sys
if sys.argv[1] == "list":
    print(json.dumps([{{"name": name, "family": family, "source": "S6"}} for name, family in
                      (("{strategy}", "{strategy}"), ("{strategy}.paged", "{strategy}"))]))
elif sys.argv[1] == "__calibrate":
    if {fails}:
        sys.exit("stowage: the disk is full")
    shutil.copytree("{stored}", sys.argv[2])
elif sys.argv[2] == "--init":
    open(sys.argv[3], "w").close()
elif sys.argv[1] == "recommend":
    shutil.copytree("{stored}", sys.argv[sys.argv.index("--out") + 1] + "/process-1")
    print(json.dumps({{"winner": "{strategy}", "tied": [], "ranking": [{{"strategy": "{strategy}", "ratio_to_winner": 1}}]}}))
"""


@pytest.fixture
def program(tmp_path):
    def make(fails: bool = False) -> Path:
        stored = tmp_path / "stored"
        if not stored.exists():
            write_calibration_run(stored)
        path = tmp_path / "program"
        path.write_text(PROGRAM.format(python=sys.executable, strategy=STRATEGY, stored=stored, fails=fails))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def test_the_command_stores_and_prints_what_it_found(tmp_path, program, capsys):
    results_directory = tmp_path / "results"
    assert main([str(program()), "--out", str(results_directory), "--minutes", "0.0001"]) == 0
    stored = json.loads((results_directory / FILE).read_text())
    assert [each["condition"] for each in stored["observations"]] == ["quiet", "quiet"]
    assert stored["facts"]["processor"] == "Example CPU 9000"
    printed = capsys.readouterr()
    assert "equal runs: any cell is called changed (aim: at most 5 %)" in printed.out
    assert "calibrating, quiet" in printed.err
    assert main([str(program()), "--out", str(results_directory), "--minutes", "0.0001"]) == 0
    assert len(json.loads((results_directory / FILE).read_text())["observations"]) == 4
    assert "going on with the 2 observations" in capsys.readouterr().err


def test_a_run_that_fails_ends_the_command_with_its_message(tmp_path, program, capsys):
    assert main([str(program(fails=True)), "--out", str(tmp_path / "results"), "--minutes", "0.0001"]) == 3
    assert capsys.readouterr().err.endswith("ended with 1: stowage: the disk is full\n")


def test_interrupted_it_keeps_what_it_has(tmp_path, program, capsys, monkeypatch):
    from stowage_report.calibrate import measure

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "observe_pair", interrupted)
    assert main([str(program()), "--out", str(tmp_path / "results"), "--minutes", "1"]) == 130
    assert len(json.loads((tmp_path / "results" / FILE).read_text())["observations"]) == 1
    assert "interrupted; the rates are of what was measured" in capsys.readouterr().err


def test_recommendations_are_compared_too(tmp_path, program, monkeypatch):
    from stowage_report.calibrate.measure import Calibration

    monkeypatch.setattr(Calibration, "_next", lambda _: "answers")
    assert main([str(program()), "--out", str(tmp_path / "results"), "--minutes", "0.0001"]) == 0
    found = json.loads((tmp_path / "results" / FILE).read_text())["observations"][-1]
    assert found == {"condition": "quiet", "other_programs": 0.0, "answer": "same", "answer_regret": 0}


@pytest.mark.parametrize("winner, tied, outcome", [("a", [], "same"), ("b", ["b", "c"], "equal or open"), ("b", ["c"], "other")])
def test_an_answer_is_the_same_or_equal_or_another(winner, tied, outcome):
    after = {"winner": winner, "tied": [], "ranking": [{"strategy": "b", "ratio_to_winner": 1.0},
                                                       {"strategy": "a", "ratio_to_winner": 1.07}]}
    found = observe_answers({"winner": "a", "tied": tied, "ranking": []}, after)
    assert found == {"answer": outcome, "answer_regret": 0.07}
    rates = {line.name: line.rate([found]) for line in lines()}
    assert rates["the winner of a recommendation is that of another one, equal to it, or open"] == Rate(outcome != "other", 1)
    assert rates["the winner of a recommendation costs over 5 % more than the other's"] == Rate(1, 1)


def test_a_winner_that_the_other_answer_lacks_has_no_regret():
    found = observe_answers({"winner": "a", "tied": [], "ranking": []},
                            {"winner": "b", "tied": [], "ranking": [{"strategy": "b", "ratio_to_winner": 1.0}]})
    assert found == {"answer": "other", "answer_regret": None}
    rates = {line.name: line.rate([found]) for line in lines()}
    assert rates["the winner of a recommendation is the same"] == Rate(0, 1)
    assert rates["the winner of a recommendation costs over 5 % more than the other's"] == Rate(0, 0)


def test_a_busy_machine_is_said(tmp_path, program, capsys):
    path = program()
    stored = tmp_path / "stored" / "results.json"
    document = json.loads(stored.read_text())
    document["context"]["stowage"]["other_programs"] = 0.9
    stored.write_text(json.dumps(document))
    assert main([str(path), "--out", str(tmp_path / "results"), "--minutes", "0.0001"]) == 0
    assert "The machine was busy: in 2 quiet measurements other programs ran" in capsys.readouterr().out


# ---- what other commands quote


def calibrate_for(directory: Path, observation: dict) -> None:
    facts = load_measured_file(str(next(directory.glob("*/results.json")).parent)).facts
    save(directory / FILE, facts, 5 * [observation])


def test_a_comparison_and_a_report_quote_the_rates_beside_their_runs(tmp_path, observation, capsys):
    for name in ("one", "two"):
        write_run(tmp_path / "results" / name, RUN)
    runs = [str(tmp_path / "results" / name) for name in ("one", "two")]
    assert compare_main(runs) == 0
    assert "On this machine" not in capsys.readouterr().out
    calibrate_for(tmp_path / "results", observation)
    assert compare_main(runs) == 0
    assert "On this machine, of 100 pairs of equal runs" in " ".join(capsys.readouterr().out.split())
    assert report_main([runs[0], "--format", "terminal"]) == 0
    assert "On this machine, 100 of 100 picks are those of a second run" in " ".join(capsys.readouterr().out.split())


def test_runs_of_different_machines_quote_nothing(tmp_path, observation, capsys):
    for name in ("one", "two"):
        write_run(tmp_path / "results" / name, RUN)
    calibrate_for(tmp_path / "results", observation)
    other = tmp_path / "results/one/results.json"
    other.write_text(other.read_text().replace("Example CPU 9000", "Example CPU 1"))
    assert compare_main([str(tmp_path / "results" / name) for name in ("one", "two")]) == 0
    assert "On this machine" not in capsys.readouterr().out


def test_programs_that_keep_the_machine_busy_end_with_a_calibration_that_is_killed():
    program = "from stowage_report.calibrate.measure import _neighbours\nwith _neighbours('busy'): print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        process.stdout.readline()
        process.kill()
        assert process.stdout.read() == b""  # the programs have inherited it, so it has an end when all have ended
