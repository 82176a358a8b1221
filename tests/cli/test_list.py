import json
import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from conftest import medians_of


def test_strategies_are_what_is_listed_first_and_the_reference_is_marked_as_the_floor(fake):
    listed = fake("list").out
    assert listed == fake("list", "strategies").out
    assert "floor" in next(line for line in listed.splitlines() if line.startswith("reference "))
    outcome = fake("list", "strategies", "--format", "json")
    strategies = {entry["name"]: entry for entry in json.loads(outcome.out)}
    assert {"name", "family", "source", "semantics", "summary"} <= strategies["fast"].keys()
    assert strategies["fast"]["semantics"]["creation_order"] is True
    assert strategies["fast"]["semantics"]["pointer_stability_on_erase"] is False
    assert strategies["fast"]["semantics_reasons"] == {"pointer_stability_on_erase": "the last row fills the gap"}
    assert strategies["reference"]["semantics"] is None
    assert [name for name, entry in strategies.items() if entry["floor"]] == ["reference"]


@pytest.mark.parametrize("topic", ["strategies", "workloads", "metrics"])
def test_every_list_has_both_forms_with_the_same_names(fake, topic):
    names = [entry["name"] for entry in json.loads(fake("list", topic, "--format", "json").out)]
    lines = fake("list", topic).out.splitlines()
    assert names
    assert set(names) <= {line.split()[0] for line in lines if line[:1].strip()}
    assert all(len(line) <= 100 for line in lines)


def test_the_metrics_of_the_passes_of_a_run_are_the_counters_of_its_cells(fake, small_run):
    metrics = json.loads(fake("list", "metrics", "--format", "json").out)
    listed = {metric["name"] for metric in metrics if metric["pass"] in ("time", "memory", "floor")}
    keys = {key for entry in medians_of(fake.results("run")) for key in entry}  # one of them is the best, without interval
    google_benchmark = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
                        "threads", "aggregate_name", "aggregate_unit", "iterations", "real_time", "cpu_time",
                        "time_unit"}
    assert keys - google_benchmark - {"standing", "contract_floor", "checksum"} == listed


def test_the_metrics_of_the_frames_pass_are_the_counters_of_framed_cells(fake, framed_run):
    metrics = json.loads(fake("list", "metrics", "--format", "json").out)
    listed = {metric["name"] for metric in metrics if metric["pass"] == "frames"}
    listed -= {"frame_p999_ns_low", "frame_p999_ns_high"}  # which take 3,700 frames
    median = next(entry for entry in medians_of(fake.results("run")) if entry["name"].startswith("march/twin"))
    assert listed <= median.keys()


@pytest.mark.parametrize("binary", ["fake", "stowage"])
def test_strategies_come_first_and_have_a_line_each(binary, request):
    run = request.getfixturevalue(binary)
    entries = json.loads(run("list", "--format", "json").out)
    references = [entry["name"] for entry in entries if entry["floor"] or entry["family"] == "yardstick"]
    strategies = [entry["name"] for entry in entries if entry["name"] not in references]
    lines = run("list").out.splitlines()
    assert [line.split()[0] for line in lines[1:1 + len(strategies)]] == strategies
    assert lines[1 + len(strategies)] == ""
    start = 3 + len(strategies)
    assert [line.split()[0] for line in lines[start:start + len(references)]] == references


def test_the_shipped_lists_fit_a_page_no_summary_is_cut_and_the_main_ones_are_there(stowage):
    for topic in ("strategies", "workloads", "metrics"):
        lines = stowage("list", topic).out.splitlines()
        assert all(len(line) <= 100 for line in lines)
        assert topic != "strategies" or not [line for line in lines[:lines.index("")] if line.endswith("...")]
    strategies = {entry["name"] for entry in json.loads(stowage("list", "--format", "json").out)}
    assert {"reference", "naive_objects", "sparse_direct", "indirection_map", "hash_index", "archetype_sections",
            "archetype_sections.fixed_32k", "interleaved_pairs"} <= strategies
    workloads = {entry["name"] for entry in json.loads(stowage("list", "workloads", "--format", "json").out)}
    assert {"point_mass", "point_mass_subset", "join", "occupancy", "lookup", "create", "destroy", "churn", "aging",
            "structural", "fragmented", "spike", "multi_instance", "despawn", "removal", "point_mass_parallel",
            "hierarchy_flat", "hierarchy_deep", "hierarchy_tree", "hierarchy_attach", "serialize", "by_entity", "streams",
            "duplicated", "point_mass_mixed"} <= workloads


PAGES = Path(os.environ["STOWAGE_SOURCE_DIR"]) / "docs"
FORMS = {"as published": "exact", "as documented": "exact", "rivals": "exact", "nearly as published": "near",
         "nearly as documented": "near", "tuned": "tuned", "ours": "ours"}


def test_fairness_says_how_each_strategy_follows_its_source(stowage):
    rows = re.findall(r"^\| (`.*?`) \| ([a-z ]+?)(?: \(.*?\))? \|", (PAGES / "fairness.md").read_text(), re.MULTILINE)
    forms = {name: FORMS[kind] for names, kind in rows if kind in FORMS for name in re.findall("`(.*?)`", names)}

    def said(name):
        return forms.get(name) or next((form for pattern, form in forms.items() if fnmatchcase(name, pattern)), None)

    listed = {entry["name"]: entry["form"] for entry in json.loads(stowage("list", "--format", "json").out)}
    assert {name: said(name) for name in listed} == listed


@pytest.mark.parametrize("topic", ["strategies", "workloads"])
def test_a_page_names_all_that_is_listed(stowage, topic):
    text = (PAGES / f"{topic}.md").read_text()
    names = [entry["name"] for entry in json.loads(stowage("list", topic, "--format", "json").out)
             if not entry["name"].startswith(("reference", "form."))]
    assert [name for name in names if f"`{name}`" not in text and f"`.{name.partition('.')[2]}`" not in text] == []


def test_a_page_has_every_option_of_every_command(stowage):
    text = (PAGES / "commands.md").read_text()
    commands = re.findall(r"^  (\w[\w-]*) ", stowage("--help").out.partition("Subcommands:")[2], re.MULTILINE)
    assert len(commands) > 10
    options = {option for command in commands for option in re.findall(r"(?<!\w)--[a-z-]+", stowage(command, "--help").out)}
    assert sorted(option for option in options if option not in text) == []
