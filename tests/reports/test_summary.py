"""The summary says what the figures say, and no more; beside other runs each keeps its own."""

import csv
import html
import json
import lzma
import math
import random
import re
from dataclasses import replace
from statistics import fmean

import pytest

from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.data import wording
from stowage_report.data.environment import cautions, in_short
from stowage_report.data.load import load_run, load_runs
from stowage_report.data.verdicts import KINDS, verdicts
from stowage_report.pages.summary import HEAD, csv_row, for_the_game, measured, shares_of_layout, summary
from stowage_report.pages.together import differences, picks, shared_sweeps


def test_the_page_shows_it_and_its_csv_has_the_same(page, report, run):
    table = re.search(r'<table class="advice">.*?</table>', page, re.DOTALL)[0]
    rows = list(csv.DictReader((report / "tables/run1-summary.csv").read_text().splitlines()))
    found = verdicts(run)
    kinds = [verdict.kind.name for verdict in found]
    assert "Iteration (dense)" in kinds and kinds == re.findall(r'<th scope="row">([^<]+)<', table)
    assert [(row["kind of work"], row["pick"], row["equal or open"].split()) for row in rows] == [
        (verdict.kind.name, verdict.pick.strategy, [each.strategy for each in verdict.others]) for verdict in found]
    assert re.findall(r"<td data-label=\"best in\">(\d+) of (\d+) blocks?<", table) == [
        (str(verdict.pick.leads), str(len(verdict.blocks))) for verdict in found]
    assert len(HEAD) == len(set(HEAD)) and next(row for row in rows if row["kind of work"] == "Memory")[
        "interval of the floor"] == "exact"


def test_the_csv_has_the_cost_of_the_next_family_relative_to_the_best(run):
    verdict = next(each for each in verdicts(run) if each.second_family)
    told = dict(zip(HEAD, csv_row(verdict)))
    ratio = verdict.second_family.to_best
    assert told["times the best"] == wording.times(ratio.median)
    assert told["interval of the best"] == wording.interval_beside_one(ratio)


def test_says_first_what_to_take_for_a_game_like_the_measured_one(run):
    found = verdicts(run)
    told = for_the_game([*found, replace(next(each for each in found if each.second_family), kind=KINDS[0])])
    assert told.startswith("For a game like this world (Whole frame): ") and "The best other design, `" in told
    assert for_the_game(found) == ""


def test_without_intervals_nothing_is_certain_and_a_run_without_a_choice_says_so(make_run):
    (row,) = map(csv_row, verdicts(make_run(sizes=(1024, 16384), axes={"point_mass": {}}, repetitions=3, passes=())))
    told = dict(zip(HEAD, row))
    assert told["next family"] == "" and "too few repetitions" in told["how sure"]
    assert told["interval of the floor"] == "no interval"
    assert summary(make_run(sizes=(1024,), axes={"join": {}}, strategies=("reference",)), []).verdicts == []


def test_the_page_and_its_csv_have_the_distance_from_the_contract_floor_if_it_is_known(tmp_path):
    strategies = ("reference", "reference.store", "hash_index", "sparse_direct")
    for has_contract in (True, False):
        options = Options(sizes=(1024, 16384), axes={"point_mass": {}}, strategies=strategies, has_contract=has_contract)
        directory = write_run(tmp_path / f"run-{has_contract}", options)
        assert main([str(directory), "--plots"]) == 0
        page = (directory / "report/report.html").read_text()
        table = re.search(r'<table class="advice">.*?</table>', page, re.DOTALL)[0]
        assert ("code</th>" in table) == has_contract
        rows = list(csv.DictReader((directory / "report/tables/run1-summary.csv").read_text().splitlines()))
        told = {row["kind of work"]: row["times the contract floor"] for row in rows}
        verdict = next(each for each in verdicts(load_run(directory)) if each.kind.name == "Iteration (dense)")
        assert told["Memory"] == ""
        assert told["Iteration (dense)"] == (wording.times(verdict.pick.to_contract.median) if has_contract else "")
        for row in csv.DictReader((directory / "report/data.csv").read_text().splitlines()):
            assert bool(row.get("ratio_to_contract_low")) == has_contract
        assert "\u00d7 floor</b>" in page and ("\u00d7 code</b>" in page) == has_contract


def test_noise_repetitions_and_what_is_missing_are_told(run):
    told = " ".join(summary(run, []).how_sure)
    for phrase in ("each timed 7 to 10 times", "half of the 95 % intervals of \u00d7 floor are \u00b1",
                   "certainly equal to the best", "The cache pass left out 24 cells", "cautions on these figures"):
        assert phrase in told


@pytest.fixture
def two(tmp_path):
    """Of two machines, the second with a size more and without a workload."""
    first = write_run(tmp_path / "one", Options(sizes=(1024, 4096), axes={"join": {}, "point_mass": {}}))
    second = write_run(tmp_path / "two", Options(sizes=(1024, 4096, 16384), axes={"join": {}}), compiler="clang 19.1.0")
    return [load_run(first), load_run(second)]


def test_a_block_of_one_strategy_decides_nothing(make_run):
    alone = make_run(sizes=(1024,), axes={"join": {}}, strategies=("reference", "hash_index"))
    assert not any("decided" in line for line in measured(alone))


def test_each_run_picks_for_itself_and_what_differs_between_environments_comes_first(two):
    lines = differences(two)
    different = [line for line in lines if line.differs]
    assert lines[: len(different)] == different
    assert {line.label: line.values for line in different}["Compiler"] == ["g++ 12.2.0", "clang 19.1.0"]
    assert "Processor" in {line.label for line in lines if not line.differs}
    assert [key[0] for key in shared_sweeps(two)] == ["join"]
    table = dict(picks([summary(run, []) for run in two]))
    assert table["Iteration (dense)"][1] == "\N{EN DASH}"
    assert table["Iteration (dense)"][0].startswith(verdicts(two[0])[0].pick.strategy)


def test_a_report_of_two_runs_has_a_section_of_each_and_names_what_differs(two, tmp_path):
    assert main([*(str(run.directory) for run in two), "--plots", "--out", str(tmp_path / "both")]) == 0
    page = html.unescape((tmp_path / "both/report.html").read_text())
    ids = re.findall(r' id="([^"]+)"', page)
    assert {"run1", "run2", "run1-join", "run2-join"} <= set(ids) and len(ids) == len(set(ids))
    row = re.search(r'<tr class="differs"><th scope="row">Compiler</th>.*?</tr>', page, re.DOTALL)[0]
    assert "g++ 12.2.0" in row and "clang 19.1.0" in row
    assert "<tr><th scope=\"row\">Processor</th>" in page
    plots = tmp_path / "both/plots"
    assert {each.name for each in plots.iterdir()} == {"1-one", "2-two", "together"}
    assert (plots / "together/runs-join.svg").is_file() and "stowage compare A B" in page


def test_two_runs_of_one_directory_name_are_told_apart(tmp_path):
    there = [write_run(tmp_path / place / "mine", Options(sizes=(1024, 4096), axes={"join": {}}, repetitions=repetitions))
             for place, repetitions in (("a", 7), ("b", 8))]
    assert main([*map(str, there), "--out", str(tmp_path / "both")]) == 0
    page = html.unescape((tmp_path / "both/report.html").read_text())
    assert '<a href="#run1">a/mine</a>' in page and '<th scope="col">b/mine</th>' in page
    rows = csv.DictReader((tmp_path / "both/data.csv").read_text().splitlines())
    assert {row["run"] for row in rows} == {"a/mine", "b/mine"}
    packed = there[0].with_suffix(".json.xz")
    packed.write_bytes(lzma.compress((there[1] / "results.json").read_bytes()))
    assert [run.name for run in load_runs([there[0], packed])] == ["mine (1)", "mine (2)"]


# ---- what a reader is told to be careful about


def told(run, *, host=None, record=None) -> str:
    changed = replace(run, host=run.host | (host or {}), record=run.record | (record or {}))
    return " ".join(cautions(changed))


@pytest.mark.parametrize("change, phrase", [
    ({"record": {"virtualisation": "kvm"}}, "virtual machine (kvm)"),
    ({"record": {"virtualisation": "emulated by qemu-aarch64"}}, "nothing was timed"),
    ({"record": {"governor": "powersave"}}, "`powersave`"),
    ({"record": {"commit": "abc (+ local changes)"}}, "local changes"),
    ({"record": {"blocks_done": 3, "interrupted": True}}, "3 of 9 blocks"),
    ({"host": {"load_avg": [1.7, 1, 1]}}, "load 1.7 on 2 processors"),
    ({"record": {"other_programs": 1.24}}, "kept 1.2 of 2 processors busy"),
    ({"host": {"library_build_type": "debug"}}, "debug build"),
])
def test_tells_of_circumstances(run, change, phrase):
    assert phrase in told(run, **change)


def test_says_nothing_of_a_quiet_bare_machine_or_a_load_before_the_run_but_warns_of_too_few_repetitions(make_run):
    run = make_run(sizes=(1024,), axes={"join": {}})
    quiet = {"virtualisation": "none", "governor": "performance"}
    assert told(run, record=quiet) == told(run, host={"load_avg": [1.7, 1, 1]}, record=quiet | {"other_programs": 0.1}) == ""
    assert "fewer than 6 repetitions" in told(make_run(sizes=(1024,), axes={"join": {}}, repetitions=5))


def test_the_first_caution_is_told_in_one_clause(tmp_path, make_run):
    run = make_run(sizes=(1024,), axes={"join": {}}, repetitions=5)
    assert main([str(run.directory), "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out/report.html").read_text()
    assert "The first: This is a virtual machine (kvm).</p>" in page
    results = (run.directory / "results.json").read_text().replace('"kvm"', '"none"')
    (run.directory / "results.json").write_text(results)
    assert main([str(run.directory), "--out", str(tmp_path / "out")]) == 0
    page = html.unescape((tmp_path / "out/report.html").read_text())
    assert re.search(r"The first: \d+ cells have fewer than 6 repetitions, which give no 95 % interval\.</p>", page)
    assert in_short("3 cells have 12.5%. The widest is 20% (`join/x/entities:1024`).") == "3 cells have 12.5%"


# ---- how much of a figure's scatter is where its code lies


def run_with(tmp_path, of_layout, within, layouts=4, repetitions=40, visit_of=lambda index: 0):
    """Each cell's ratio differs by so much between layouts and within one, as standard deviations of logarithms."""
    rng = random.Random(1)
    options = Options(sizes=(1024, 16384), axes={"point_mass": {}}, passes=(), repetitions=repetitions)
    write_run(tmp_path / "run", options)
    file = tmp_path / "run" / "results.json"
    document = json.loads(file.read_text())
    document["context"]["stowage"]["layouts"] = layouts
    moves = {}
    for entry in document["benchmarks"]:
        if entry["run_type"] == "iteration":
            layout = entry["layout"] = entry["repetition_index"] % layouts
            entry["visit"] = visit_of(entry["repetition_index"])
            move = moves.setdefault((entry["run_name"], layout), of_layout * rng.gauss(0, 1))
            is_fixed = "/reference/" in entry["name"]
            entry["ns_per_item"] = 100 if is_fixed else 200 * math.exp(move + within * rng.gauss(0, 1))
    file.write_text(json.dumps(document))
    return load_run(tmp_path / "run")


@pytest.mark.parametrize("of_layout, within, least, most", [(0.0, 0.02, 0.0, 0.1), (0.05, 0.0005, 0.99, 1.0),
                                                            (0.03, 0.03, 0.38, 0.62)])
def test_the_share_is_that_of_the_variance(tmp_path, of_layout, within, least, most):
    shares = shares_of_layout(run_with(tmp_path, of_layout, within, layouts=10, repetitions=100))
    assert least <= fmean(shares.values()) <= most
    assert not any("/reference" in name for name in shares)


@pytest.mark.parametrize("visits", [3, 6])
def test_a_cell_with_one_layout_in_each_process_has_no_share(tmp_path, visits):
    """What moves its layouts may be the processes alone: nothing tells the two apart."""
    run = run_with(tmp_path, 0.05, 0.0005, layouts=3, repetitions=18, visit_of=lambda index: index % visits)
    assert shares_of_layout(run) == {} and not any("code layouts" in line for line in measured(run))


def test_the_summary_tells_it_of_runs_with_layouts_alone(tmp_path):
    run = run_with(tmp_path, 0.05, 0.0005)
    assert any("With 4 code layouts" in line for line in measured(run))
    write_run(tmp_path / "plain", Options(passes=()))
    plain = load_run(tmp_path / "plain")
    assert shares_of_layout(plain) == {} and not any("layouts" in line for line in measured(plain))
