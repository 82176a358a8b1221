"""The screen that `stowage run` ends with: what to take for which work, on 45 lines of 100 columns."""

import dataclasses
import os
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest

from make_blocks import make_block, run_of, samples_of
from make_catalogue import ALL_STRATEGIES, STRATEGIES, WORKLOADS
from make_results import EVERYTHING, PLAIN, Options, write_run
from stowage_report.__main__ import main
from stowage_report.console import WIDTH, Terminal
from stowage_report.data.load import load_run
from stowage_report.data.verdicts import verdicts
from stowage_report.pages.screen import LINES, screen_text

LONG = "a_users_storage_with_a_name_that_is_far_too_long.and_a_variant_of_it_with_one_too"


PAGE = Path("results/a-run/report/report.html")


def shown(run, terminal=Terminal()):
    return screen_text(run, PAGE.parents[1], PAGE, terminal)


def fits(text):
    lines = text.splitlines()
    is_empty = re.search(r"^(Surprises|Confidence)\n\n", text, re.MULTILINE)
    return len(lines) <= LINES and max(map(len, lines)) <= WIDTH and not is_empty


def named(run, *strategies):
    """The same run, of these strategies alone, as its user would have asked for them."""
    command = f"stowage run --strategies {','.join(strategies)}"
    return dataclasses.replace(run, record=run.record | {"command": command, "strategies": list(strategies)})


def test_every_kind_of_work_has_its_answer_and_the_ratio_to_the_floor(run):
    text = shown(run)
    assert fits(text)
    for verdict in verdicts(run):
        (row,) = [line for line in text.splitlines() if line.startswith(f"{verdict.kind.name}  ")]
        assert verdict.pick.strategy in row and re.search(r"\d\.\d\d×", row)
    assert text.count("\n- ") == 3 + 1  # surprises, and how much was measured
    assert str(PAGE) in text and "Not in the table" not in text  # which is for what the user named
    assert len(re.findall(r"stowage (run|recommend|adopt|claims|report) ", text)) == 3  # with that for all tables


def test_the_distance_from_the_contract_floor_is_a_column_of_its_own(make_run):
    text = shown(make_run(sizes=(1024, 16384), axes={"point_mass": {}}, strategies=("reference.store", *STRATEGIES)))
    assert fits(text) and text.count("× code") == 2 and "reference." not in text  # the heading, and what it means
    older = shown(make_run(sizes=(1024, 16384), axes={"point_mass": {}}, has_contract=False))
    assert fits(older) and "× floor" in older and "× code" not in older


@pytest.mark.parametrize("terminal", [Terminal(), Terminal(unicode=False)], ids=["Unicode", "ASCII"])
def test_it_fits_whatever_names_and_figures_are(run, terminal):
    samples = {LONG: samples_of(1), f"{LONG}_2": samples_of(3), "other": samples_of(1000)}
    strange = run_of(make_block("point_mass", 1024, samples), make_block(LONG, 1024, samples, **{LONG: LONG}),
                     name=2 * LONG, cpu_model=LONG, command=f"stowage run --strategies {LONG},{LONG}_2,other")
    extreme = run_of(make_block("point_mass", 1024, {LONG: samples_of(1), f"{LONG}_2": samples_of(2e12)},
                                {LONG: {"bytes_per_entity": 1e9}, f"{LONG}_2": {"bytes_per_entity": 2e13}}))
    many = {f"strategy_{number}": samples_of(number + 1) for number in range(500)}
    crowded = run_of(make_block("point_mass", 1024, many), command="stowage run --strategies " + ",".join(many))
    alone = run_of(make_block("point_mass", 1024, {"other": samples_of(1)}))
    for each in (run, strange, extreme, crowded, alone):
        text = shown(each, terminal)
        assert fits(text) and str(PAGE) in text


def test_phrases_are_whole_whatever_names_are():
    """Names alone are shortened."""
    wild = (1.0, 4.0, 0.5, 3.5, 0.6, 3.0, 1.1)
    names = {f"{LONG}_{number}": samples_of(number) for number in (1, 2, 3)}
    run = run_of(make_block("point_mass", 1024, names), make_block("lookup", 1024, names, components="1"),
                 make_block("churn", 1024, {"reference": samples_of(1), **{name: samples_of(2, wild) for name in names}}))
    text = shown(run)
    assert fits(text) and "open" in text
    for word in re.findall(r"\S*\N{HORIZONTAL ELLIPSIS}\S*", text):
        begin, end = word.strip(",:;").split("\N{HORIZONTAL ELLIPSIS}")
        assert LONG.startswith(begin) and any(name.endswith(end) for name in names)


def test_it_fits_after_a_run_of_everything(tmp_path):
    axes = PLAIN | {name: WORKLOADS[name].axes for name in ("churn", "occupancy")}
    everything = dataclasses.replace(EVERYTHING, sizes=(1024, 16384), axes=axes, repetitions=6)
    text = shown(load_run(write_run(tmp_path / "all", everything)))
    assert fits(text) and "\nConfidence\n" in text


@pytest.mark.parametrize("strategies", [("naive_objects", "hash_index"), ALL_STRATEGIES], ids=["two", "all"])
def test_every_strategy_that_was_named_is_there(tmp_path, strategies):
    options = Options(sizes=(1024, 16384), axes={"point_mass": {}, "lookup": {"components": ("1",)}},
                      strategies=tuple(dict.fromkeys(["reference", *strategies])))
    text = shown(named(load_run(write_run(tmp_path / "named", options)), *strategies))
    assert fits(text)
    words = set(re.split(r"[\s,()]+", text.replace(". ", " ").replace(".\n", "\n")))
    assert set(strategies) - {"reference"} <= words


def test_a_strategy_alone_has_its_ratio_to_the_floor(make_run):
    run = make_run(sizes=(1024, 16384), axes={"point_mass": {}, "lookup": {"components": ("1",)}},
                   strategies=("reference", "hash_index"))
    for kind in ("Iteration (dense)", "Random access"):
        assert re.search(rf"^{re.escape(kind)} +\d+\.\d\d×.* hash_index, alone$", shown(run), re.MULTILINE)


def test_the_next_command_keeps_what_was_selected(run):
    workloads = ",".join(f"workload_{number}" for number in range(6))
    typed = f"stowage run --strategies naive_objects,hash_index --workloads {workloads} --out somewhere"
    text = shown(dataclasses.replace(run, record=run.record | {"command": typed}))
    assert fits(text)
    (command,) = re.findall(r"stowage (run --preset(?:.*\\\n)*.*)", text)
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    assert words == ["run", "--preset", "standard", "--strategies", "naive_objects,hash_index", "--workloads", workloads]


def test_storages_of_the_user_have_their_cost_in_each_kind_and_stay_in_the_next_command(run):
    *others, mine = run.strategies
    cards = run.strategy_cards | {mine: dataclasses.replace(run.strategy_cards[mine], source="yours")}
    typed = f"stowage run --storage {mine}=a.hpp:A --storage other=b.hpp:B"
    text = shown(dataclasses.replace(run, strategy_cards=cards, record=run.record | {"command": typed}))
    assert fits(text)
    (told,) = re.findall(rf"Yours, relative to the best: {re.escape(mine)}: ([^.]*(?:\.\d[^.]*)*)\.$", text, re.MULTILINE)
    assert all(verdict.kind.name in " ".join(told.split()) for verdict in verdicts(run)
               if mine in {each.strategy for each in verdict.contenders})
    assert f"--storage {mine}=a.hpp:A --storage other=b.hpp:B" in re.sub(r" \\\n +", " ", text)


@pytest.mark.parametrize("record, words", [
    ({"other_programs": 1.2}, "busy"), ({"interrupted": True}, "stowage run --resume results/a-run"),
    ({"command": "stowage run --strategies my_own", "strategies": ["my_own"]}, "my_own"),  # which has no figure
    ({"interrupted": True, "world": "big-12ab34cd"}, "--resume results/a-run --world big.toml"),
    ({"interrupted": True, "world": "big-12ab34cd", "command": "stowage run --world=profiles/big.toml"},
     "--resume results/a-run --world profiles/big.toml"),
])
def test_what_the_record_says_is_told(run, record, words):
    changed = shown(dataclasses.replace(run, record=run.record | record))
    assert words in changed and words not in shown(run) and fits(changed)


def test_failed_cells_are_said_and_without_a_page_how_to_get_one(run):
    assert run.errors and "1 cell failed" in shown(run)
    assert re.search(r"stowage report results/a-run\b", screen_text(run, PAGE.parents[1], None, Terminal()))


def test_what_is_open_is_decided_by_the_next_command():
    wide = (1.0, 1.4, 0.8, 1.3, 0.9, 1.2, 1.1)
    block = make_block("point_mass", 1024, {"first": samples_of(1), "second": samples_of(1, wide)})
    command = "stowage run --resume results/a-run --until-decided"
    assert command in shown(run_of(block, process_scatter=0.01))
    at_16k = make_block("point_mass", 16384, {"first": samples_of(1, [1.08 * value for value in wide]), "second": samples_of(1)})
    at_1k = make_block("point_mass", 1024, {"first": samples_of(1), "second": samples_of(9)})
    assert command in shown(run_of(at_1k, at_16k, process_scatter=0.01))  # open at one size, and not over both
    of_two_hosts = run_of(block, process_scatter=0.01)
    of_two_hosts.host["host_name"] = "node1, node2"
    assert command not in shown(of_two_hosts)  # which --resume refuses
    decided = make_block("point_mass", 1024, {"first": samples_of(1), "second": samples_of(2)})
    assert command not in shown(run_of(decided, process_scatter=0.01))


def test_sizes_with_different_winners_have_a_row_each():
    blocks = [make_block("point_mass", entities, {"reference": samples_of(1), "first": samples_of(first),
                                                  "second": samples_of(2)}) for entities, first in ((1024, 3), (16384, 1.5))]
    text = shown(run_of(*blocks, process_scatter=0.01))
    assert re.findall(r"^Iteration \(dense\), (\S+) +(\S+) .* (\w+), certainly", text, re.MULTILINE) == [
        ("1k", "2.00×", "second"), ("16k", "1.50×", "first")]


def test_ascii_is_all_ascii_and_as_long_and_colours_change_nothing_but_colours(run):
    plain, rich, coloured = shown(run, Terminal(unicode=False)), shown(run), shown(run, Terminal(colours=True))
    assert plain.isascii() and not rich.isascii()
    assert len(plain.splitlines()) == len(rich.splitlines())
    assert "\x1b[" in coloured and re.sub(r"\x1b\[[\d;]+m", "", coloured) == rich


def test_signs_need_an_encoding_that_has_them_and_colours_a_terminal_and_no_wish_against_them(monkeypatch):
    def on(encoding, is_terminal=True):
        return Terminal.of(SimpleNamespace(encoding=encoding, isatty=lambda: is_terminal))

    encodings = {"utf-8": True, "UTF_8": True, "ascii": False, "latin-1": False, None: False}
    assert {encoding: on(encoding).unicode for encoding in encodings} == encodings
    for wish, has_colours in ((None, True), ("1", False), ("", True)):  # an empty one is as if it were not set
        monkeypatch.delenv("NO_COLOR", raising=False) if wish is None else monkeypatch.setenv("NO_COLOR", wish)
        assert on("utf-8").colours is has_colours and not on("utf-8", is_terminal=False).colours


@pytest.fixture
def tiny(tmp_path):
    return write_run(tmp_path / "tiny", Options(sizes=(1024,), axes={"point_mass": {}}))


def test_writes_no_files_and_refuses_what_is_about_files(tiny, capsys, monkeypatch):
    monkeypatch.chdir(tiny.parent)
    assert main([str(tiny), "--format", "terminal"]) == 0
    captured = capsys.readouterr()
    assert fits(captured.out) and "Iteration (dense)" in captured.out and captured.err == ""
    for option in (["--out", "somewhere"], ["--plots"]):
        assert main([str(tiny), "--format", "terminal", *option]) == 2 and option[0] in capsys.readouterr().err
    assert os.listdir(tiny) == ["results.json"]


def test_after_the_page_it_names_it_and_several_runs_are_not_mixed(tiny, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tiny.parent)
    assert main([str(tiny), "--screen"]) == 0
    text = capsys.readouterr().out
    assert fits(text) and "tiny/report/report.html" in text and (tiny / "report/report.html").is_file()
    other = write_run(tmp_path / "other", Options(sizes=(1024,), axes={"point_mass": {}}, repetitions=6))
    assert main([str(tiny), str(other), "--format", "terminal"]) == 0
    assert len(re.findall("^Summary", capsys.readouterr().out, re.MULTILINE)) == 2
