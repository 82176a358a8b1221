"""Calibrations: what runs with copies tell of verdicts, the rates of that, and the sentences that other commands quote."""

import copy
import json
import re
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from make_results import Options, results, write_run
from stowage_report.__main__ import main as report_main
from stowage_report.calibrate import __main__ as measure
from stowage_report.calibrate.observe import MeasuredRun, observe_pair, observe_run
from stowage_report.calibrate.rates import CELL_CHANGED, REPEATED, Rate, comparison, copies, decided, lines, repetition
from stowage_report.calibrate.store import FACTS, FILE, load, quoted, save, sentences
from stowage_report.compare.__main__ import main as compare_main
from stowage_report.compare.read import load_measured_file
from stowage_report.console import UserError

STRATEGY = "indirection_map"
RUN = Options(sizes=(1024, 4096, 16384, 65536), axes={"point_mass": {}, "lookup": {"components": ("1", "4")}}, passes=())
BLOCKS = 12
_TIMES = ("real_time", "cpu_time", "ns_per_item", "ns_per_item_low", "ns_per_item_high", "ratio_to_reference",
          "ratio_to_reference_low", "ratio_to_reference_high")


def write_calibration_run(directory: Path, slower: float = 1.0, further_looks: int = 0, equal_is: float = 1.0) -> MeasuredRun:
    """The copies are exactly equal, or slower by `equal_is`, and 5 % slower; every cell of the strategy by a factor more.
    Three processes, and three for each further look, in which the copies take twice the time."""
    document = results(RUN)
    document["context"]["stowage"] |= {"visits": 3, "process_scatter": 0.01}
    repetitions = [entry for entry in document["benchmarks"] if entry["run_type"] == "iteration"]
    for entry in repetitions:
        entry["visit"] = entry["repetition_index"] % 3
    of_strategy = [entry for entry in document["benchmarks"] if f"/{STRATEGY}/" in entry["name"]]
    for entry in of_strategy:
        scale(entry, slower)
    with_copies = list(document["benchmarks"])
    for percent, factor in ((0, equal_is), (5, 1.05)):
        for entry in copy.deepcopy(of_strategy):
            for key in ("name", "run_name"):
                entry[key] = entry[key].replace(f"/{STRATEGY}/", f"/{STRATEGY}+{percent}%/")
            scale(entry, factor)
            with_copies.append(entry)
    for look in range(1, 1 + further_looks):
        for entry in copy.deepcopy([each for each in with_copies if each.get("visit", 9) < 3]):
            scale(entry, 2 if "%/" in entry["name"] else 1)
            with_copies.append(entry | {"visit": entry["visit"] + 3 * look,
                                        "repetition_index": entry["repetition_index"] + 100 * look})
    cells = list(dict.fromkeys(entry["run_name"] for entry in with_copies))
    with_copies.sort(key=lambda entry: (cells.index(entry["run_name"]), entry["run_type"] != "iteration"))
    names = document["context"]["stowage"]["strategies"]
    for path, strategies, benchmarks in ((directory, names, document["benchmarks"]), (
            directory / "copies", [*names, f"{STRATEGY}+0%", f"{STRATEGY}+5%"], with_copies)):
        path.mkdir(parents=True)
        context = document["context"] | {"stowage": document["context"]["stowage"] | {"strategies": strategies}}
        (path / "results.json").write_text(json.dumps({"context": context, "benchmarks": benchmarks}))
    return MeasuredRun(directory)


def scale(entry: dict, factor: float) -> None:
    for key in _TIMES:
        if key in entry:
            entry[key] *= factor


@pytest.fixture(scope="module")
def observation(tmp_path_factory):
    pair = [write_calibration_run(tmp_path_factory.mktemp("pair") / name) for name in ("one", "two")]
    return {"quiet": True, "other_programs": 0.0, **observe_run(pair[1]), "pair": observe_pair(*pair)}


def rate_of(found, name: str) -> Rate:
    (line,) = (each for each in found if each.name == name)
    return line.rate


def test_copies_are_judged_by_block_and_together(observation):
    assert observation["strategy"] == STRATEGY
    assert observation["copies"]["0"] == {"blocks": {"equal": BLOCKS}, "together": "equal"}
    assert observation["copies"]["5"]["together"] == "worse" and set(observation["copies"]["5"]["blocks"]) <= {"worse", "open"}
    rates = copies([observation, observation])
    assert rate_of(rates, "all blocks together: 5 % slower is called worse") == Rate(2, 2)
    assert rate_of(rates, "one block: equal is called worse or better") == Rate(0, 2 * BLOCKS)
    assert rate_of(rates, "one block: 5 % slower is called equal or better") == Rate(0, 2 * BLOCKS)
    strategies = observation["comparisons"][1] // BLOCKS + 1  # without the copies
    assert observation["comparisons"][1] == BLOCKS * (strategies - 1) and observation["blocks"][1] == BLOCKS
    assert strategies == sum(1 for name in RUN.strategies if "reference" not in name)
    assert rate_of(decided([observation] * 2), "blocks in which nothing is open").of == 2 * BLOCKS


def test_a_strategy_without_a_rival_decides_no_block(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "RUN", replace(RUN, strategies=("reference", STRATEGY)))
    assert observe_run(write_calibration_run(tmp_path / "run"))["blocks"] == [0, 0]


@pytest.mark.parametrize("factor, verdict", [(1.3, "worse"), (0.7, "better")])
def test_a_wrong_verdict_excludes_the_truth_on_either_side(tmp_path, factor, verdict):
    found = observe_run(write_calibration_run(tmp_path / "run", equal_is=factor))
    assert found["copies"]["0"] == {"blocks": {verdict: BLOCKS}, "together": verdict} and found["equal"] == [[0, BLOCKS]]
    assert rate_of(copies([found]), "one block: equal is called worse or better") == Rate(BLOCKS, BLOCKS)
    found = {"equal": [], "copies": {"0": {"blocks": {}, "together": "equal"},
                                     "5": {"blocks": {"equal": 1, "better": 1, "open": 2, "worse": 6}, "together": "open"}}}
    assert rate_of(copies([found]), "one block: 5 % slower is called equal or better") == Rate(2, 10)
    assert rate_of(copies([found]), "all blocks together: 5 % slower is called worse") == Rate(0, 1)


def test_each_look_counts_what_was_measured_until_then(tmp_path):
    found = observe_run(write_calibration_run(tmp_path / "run", further_looks=2))
    assert found["equal"][0] == [BLOCKS, BLOCKS] and [of for _, of in found["equal"]] == 3 * [BLOCKS]
    assert found["copies"]["0"]["blocks"] == {"equal": BLOCKS}
    assert [line.rate.of for line in copies([found, found])[:4]] == [24, 24, 24, 2]


def test_equal_runs_name_nothing_slower_copies_are_found_and_a_strategy_that_changed_is_named(observation, tmp_path):
    found = observation["pair"]
    assert found["cells"][0] == 0 and found["strategies"] == [0, 7]
    assert found["slower"]["verdict"] == "slower" and found["slower"]["others"] == 0
    assert sum(found["slower"]["cells"].values()) == BLOCKS
    rates = comparison([observation, {key: value for key, value in observation.items() if key != "pair"}])
    assert rate_of(rates, "a strategy 5 % slower: called slower") == Rate(1, 1)
    assert rate_of(rates, "equal runs: any cell is called changed") == Rate(0, 1)
    changed = observe_pair(write_calibration_run(tmp_path / "one"), write_calibration_run(tmp_path / "two", slower=1.3))
    assert changed["strategies"][0] == 1 and changed["cells"][0] == BLOCKS


def test_a_slower_copy_takes_the_place_of_its_strategy_for_the_first_look(tmp_path):
    run = write_calibration_run(tmp_path / "run", further_looks=1)
    plain, slowed = ({cell.name: cell for cell in file.cells} for file in (run.file, run.slowed()))
    assert plain.keys() == slowed.keys()
    for name, cell in plain.items():
        factor = 1.05 if f"/{STRATEGY}/" in name else 1
        assert [each.real_ns for each in slowed[name].rounds] == pytest.approx([factor * each.real_ns for each in cell.rounds])


def line(pick: str, *equals: str, decided: bool = True) -> dict:
    return {"pick": pick, "winners": [pick, *equals], "decided": decided}


@pytest.mark.parametrize("other, contradicts, repeats", [
    (line("a"), 0, Rate(1, 1)), (line("b", "a"), 0, Rate(1, 1)), (line("b"), 1, Rate(0, 1)),
    (line("b", decided=False), 0, Rate(0, 0))])
def test_winners_of_two_runs_contradict_each_other_if_both_are_certain(other, contradicts, repeats):
    runs = [{"lines": {"Churn": line("a"), "Memory": line("c")}}, {"lines": {"Churn": other}}]
    rates = repetition(runs)
    assert rate_of(rates, "two runs have different certain winners of a line") == Rate(contradicts, 1)
    assert rate_of(rates, REPEATED) == repeats
    assert rate_of(rates, "the same of all lines, decided or open") == Rate(repeats.count, 1)


def test_all_pairs_of_runs_may_contradict_each_other_only_neighbours_repeat_and_no_runs_say_nothing():
    rates = repetition([{"lines": {"Churn": line(name)}} for name in "aab"])
    assert rate_of(rates, "two runs have different certain winners of a line") == Rate(2, 3)
    assert rate_of(rates, REPEATED) == Rate(1, 2)
    assert {str(each.rate) for each in lines([])} == {"not measured"}


def test_a_rate_has_the_interval_of_wilson():
    low, high = Rate(8, 10).interval
    assert (low, high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert str(Rate(0, 100, are_runs=True)) == "0.0 % (0.0 to 3.7; 0 of 100)"
    assert str(Rate(0, 0)) == "not measured"


def test_cases_that_share_a_run_have_no_interval(observation):
    with_interval = [line.name for line in lines([observation] * 3) if " to " in str(line.rate)]
    assert len(with_interval) == 3 and all(name.startswith("all blocks together") for name in with_interval)
    assert str(rate_of(comparison([observation] * 3), CELL_CHANGED)) == "0.0 % (0 of 3)"


def test_a_copy_without_an_interval_neither_has_1_nor_lacks_it(tmp_path):
    run = write_calibration_run(tmp_path / "run")
    path = tmp_path / "run/copies/results.json"
    document = json.loads(path.read_text())
    document["benchmarks"] = [entry for entry in document["benchmarks"] if entry.get("repetition_index", 0) < 3]
    path.write_text(json.dumps(document))
    assert observe_run(run)["equal"] == [[0, 0]]


def test_sentences_need_five_pairs_and_count_cases_as_they_are(observation):
    alone = {key: value for key, value in observation.items() if key != "pair"}
    assert "compare" not in sentences([observation, *4 * [alone]])
    changed = observation | {"pair": observation["pair"] | {"cells": [1, 96]}}
    told = sentences([*299 * [observation], changed])["compare"]
    assert "0 of 300 pairs of equal runs" in told and "and 1 a cell" in told


FACTS_HERE = {name: f"this {name}" for name in FACTS}


def test_rates_of_another_machine_are_neither_quoted_nor_continued(tmp_path, observation):
    save(tmp_path / FILE, FACTS_HERE, 5 * [observation])
    assert len(load(tmp_path / FILE, FACTS_HERE)) == 5
    assert "0 of 5 pairs of equal runs have" in quoted("compare", FACTS_HERE, [tmp_path / "none", tmp_path])
    for name in FACTS:
        elsewhere = FACTS_HERE | {name: "another"}
        assert quoted("compare", elsewhere, [tmp_path]) == "" and load(tmp_path / FILE, elsewhere) == []


def test_few_runs_and_a_damaged_or_former_calibration_are_not_quoted(tmp_path, observation):
    save(tmp_path / FILE, FACTS_HERE, [observation])
    assert quoted("report", FACTS_HERE, [tmp_path]) == ""
    (tmp_path / FILE).write_text('{"format": 1')
    assert quoted("report", FACTS_HERE, [tmp_path]) == ""
    with pytest.raises(UserError, match="truncated"):
        load(tmp_path / FILE, FACTS_HERE)
    (tmp_path / FILE).write_text('{"format": 2, "facts": {}, "sentences": {}, "observations": [{"condition": "quiet"}]}')
    assert quoted("report", FACTS_HERE, [tmp_path]) == "" and load(tmp_path / FILE) == []


@pytest.mark.parametrize("change", [{"comparisons": [3, 2]}, {"equal": [[3, 2]]}, {"blocks": [3, 2]}])
def test_a_calibration_that_counts_more_cases_than_it_has_is_damaged(tmp_path, observation, change):
    save(tmp_path / FILE, FACTS_HERE, 5 * [observation])
    document = json.loads((tmp_path / FILE).read_text())
    document["observations"][2] |= change
    (tmp_path / FILE).write_text(json.dumps(document))
    assert quoted("report", FACTS_HERE, [tmp_path]) == ""
    with pytest.raises(UserError, match=r"damaged: observations\[2\]"):
        load(tmp_path / FILE, FACTS_HERE)


#: Stands for the program: makes a run by copying a stored one.
PROGRAM = """#!{python}
import shutil, sys
assert sys.argv[1] == "__calibrate" and sys.argv[4] == "none"
if {fails}:
    sys.exit("stowage: the disk is full")
shutil.copytree("{stored}", sys.argv[2])
"""


@pytest.fixture
def program(tmp_path):
    def make(fails: bool = False) -> Path:
        stored = tmp_path / "stored"
        if not stored.exists():
            write_calibration_run(stored)
        path = tmp_path / "program"
        path.write_text(PROGRAM.format(python=sys.executable, stored=stored, fails=fails))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def test_the_command_stores_and_prints_what_it_found(tmp_path, program, capsys):
    results_directory = tmp_path / "results"
    command = [str(program()), "--out", str(results_directory), "--minutes", "0.0001"]
    assert measure.main(command) == 0
    stored = json.loads((results_directory / FILE).read_text())
    assert [each["quiet"] for each in stored["observations"]] == [True]
    assert stored["facts"]["processor"] == "Example CPU 9000"
    printed = capsys.readouterr()
    assert "all blocks together: 5 % slower is called worse (aim: at least 95 %)" in printed.out
    assert "calibrating, run 1" in printed.err
    assert measure.main(command) == 0
    assert len(load(results_directory / FILE)) == 2
    assert "going on with the 1 runs" in capsys.readouterr().err


def test_each_run_is_compared_with_the_one_before_it(tmp_path, program):
    clock = iter(range(1000))
    calibration = measure.Calibration(str(program()), tmp_path / "results" / FILE, 7, now=lambda: next(clock))
    calibration.run(tmp_path)
    assert ["pair" in each for each in load(tmp_path / "results" / FILE)] == [False, True]


def test_interrupted_it_keeps_what_it_has(tmp_path, program, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "observe_pair", interrupted)
    assert measure.main([str(program()), "--out", str(tmp_path / "results"), "--minutes", "1"]) == 130
    assert len(load(tmp_path / "results" / FILE)) == 1
    assert "interrupted; the rates are of what was measured" in capsys.readouterr().err


def test_a_busy_machine_and_a_run_that_fails_are_said(tmp_path, program, capsys):
    path = program()
    stored = tmp_path / "stored" / "copies" / "results.json"
    document = json.loads(stored.read_text())
    document["context"]["stowage"]["other_programs"] = 0.9
    stored.write_text(json.dumps(document))
    assert measure.main([str(path), "--out", str(tmp_path / "results"), "--minutes", "0.0001"]) == 0
    assert "The machine was busy: in 1 more runs other programs ran" in capsys.readouterr().out
    assert measure.main([str(program(fails=True)), "--out", str(tmp_path / "results"), "--minutes", "0.0001"]) == 3
    assert capsys.readouterr().err.endswith("ended with 1: stowage: the disk is full\n")


# ---- what other commands quote


def test_a_comparison_and_a_report_quote_the_rates_beside_their_runs_if_these_are_of_one_machine(tmp_path, observation, capsys):
    runs = [str(write_run(tmp_path / "results" / name, RUN)) for name in ("one", "two")]
    assert compare_main(runs) == 0
    assert "On this machine" not in capsys.readouterr().out
    save(tmp_path / "results" / FILE, load_measured_file(runs[0]).facts, 5 * [observation])
    assert compare_main(runs) == 0
    assert "On this machine, 0 of 5 pairs of equal runs" in " ".join(capsys.readouterr().out.split())
    assert report_main([runs[0], "--format", "terminal"]) == 0
    assert re.search(r"On this machine, (\d+) of \1 certain picks are those of the next run", " ".join(capsys.readouterr().out.split()))
    other = tmp_path / "results/one/results.json"
    other.write_text(other.read_text().replace("Example CPU 9000", "Example CPU 1"))
    assert compare_main(runs) == 0
    assert "On this machine" not in capsys.readouterr().out
