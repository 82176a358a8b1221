"""The tables of docs/performance.md and of docs/peers.md: distances beside the target of each kind of work, times beside
the reference, exact counts, and what is not offered."""

import dataclasses
import importlib.util
import json
import sys
from pathlib import Path

import pytest

from make_blocks import make_block, run_of, samples_of
from stowage_report.console import UserError
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block

CHECKS = Path(__file__).resolve().parents[2] / "scripts/checks"
K = 1024


@pytest.fixture
def script(monkeypatch):
    return loaded("performance", monkeypatch)


@pytest.fixture
def peers(monkeypatch):
    return loaded("peers", monkeypatch)


def loaded(name, monkeypatch):
    """A program of scripts/checks as a module."""
    monkeypatch.syspath_prepend(str(CHECKS))
    spec = importlib.util.spec_from_file_location(name, CHECKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def block(workload: str, entities: int, to_contract: Estimate, strategies=("indirection_map",), floor="reference.store",
          to_floor=Estimate(9.0, 8.0, 10.0), **parameters) -> Block:
    """With that distance of each strategy from the row that a results file names."""
    made = make_block(workload, entities, {"reference": samples_of(1), floor: samples_of(1),
                                           **{name: samples_of(2) for name in strategies}}, **parameters)
    cells = {name: dataclasses.replace(cell, name=f"{workload}/{name}", ratio_to_contract=to_contract, contract_floor=floor,
                                       ratio_to_reference=to_floor) for name, cell in made.cells.items()}
    return dataclasses.replace(made, cells=cells)


def tables(script, *blocks: Block, counts={}):
    """The rows of each table, as dictionaries by the name of the column."""
    found = "\n".join(script.lines([run_of(each) for each in blocks], counts)).split("\n\n")
    return [[dict(zip(cells_of(head), cells_of(row))) for row in its]
            for head, _, *its in (table.splitlines() for table in found if table.startswith("|"))]


def cells_of(line: str) -> list[str]:
    return [text.strip(" `") for text in line.strip("|").split("|")]


def test_a_row_has_both_distances_and_the_target(script):
    (row,), _ = tables(script, block("point_mass", 16 * K, Estimate(1.04, 1.02, 1.06)))
    assert (row["entities"], row["target"], row["archetype_sections"]) == ("16k", "1.05", "-")
    to_code, to_floor = row["indirection_map"].split("<br>")
    assert to_code.startswith("1.04 (1.02") and to_floor.startswith("9.00 (8.00") and "missed" not in to_floor


@pytest.mark.parametrize("ratio, mark", [(Estimate(1.05, 1.0, 1.2), ""), (Estimate(1.06, 1.0, 1.2), " missed"),
                                         (Estimate(1.2, 1.1, 1.3), " **missed**"), (Estimate(1.2), " missed")])
def test_a_missed_target_is_marked_in_bold_if_that_is_certain(script, ratio, mark):
    (row,), _ = tables(script, block("point_mass", 16 * K, ratio))
    assert row["indirection_map"].partition("<br>")[0].endswith(mark or ")")


def test_targets_depend_on_parameters_sizes_and_the_kind_of_storage(script):
    one = Estimate(1.0, 1.0, 1.0)

    def told(*arguments, **parameters):
        return [row["target"] for row in tables(script, block(*arguments, **parameters))[0]]

    assert told("structural", 16 * K, one, grouped="no") == ["1.3, in sections 1.5"]
    assert told("structural", 16 * K, one, grouped="yes") == told("join", 16 * K, one, via="find") == []
    assert told("lookup", 4 * K * K, one, components="4") == ["1.15"]
    assert told("alive", 4 * K * K, one) == told("lookup", K, one, components="4") == []
    assert [told("create", 16 * K, one, how="bulk", memory=memory) for memory in ("reserved", "growing")] == [["1.3"], ["1.5"]]
    assert [told("serialize", 16 * K, one, what="load", ids=ids) for ids in ("none", "xor")] == [["1.3"], ["1.5"]]


def test_sections_have_a_target_of_their_own_and_one_of_the_floor_is_held_against_the_floor(script):
    both = ("indirection_map", "archetype_sections", "hash_index")
    (row,), _ = tables(script, block("structural", 16 * K, Estimate(1.4, 1.4, 1.4), both, grouped="no"))
    assert "missed" in row["indirection_map"] and "missed" not in row["archetype_sections"] and "hash_index" not in row
    (row,), _ = tables(script, block("hierarchy_flat", 64 * K, Estimate(1.0, 1.0, 1.0), order="kept", dirty="none_kept"))
    to_code, to_floor = row["indirection_map"].split("<br>")
    assert row["target"] == "1.5 of the floor" and "missed" not in to_code and "**missed**" in to_floor


def test_counts_are_those_of_the_strategy_its_contract_floor_and_the_floor(script):
    counts = {f"lookup/{name}": {"instructions_per_item": count, "l1d_misses_per_item": count / 8}
              for name, count in (("archetype_sections", 24), ("reference.sections", 16), ("reference.store", 12), ("reference", 8))}
    _, (row,) = tables(script, block("lookup", 16 * K, Estimate(1.0), ("archetype_sections",), "reference.sections",
                                     components="1"), counts=counts)
    assert (row["archetype_sections"], row["sparse_direct"]) == ("24 / 16 / 8<br>3 / 2 / 1<br>- / - / -", "-")
    _, none = tables(script, block("lookup", 256 * K, Estimate(1.0), ("archetype_sections",), components="1"), counts=counts)
    assert none == []


def test_of_several_runs_a_row_has_the_median_and_their_range_and_what_none_has_is_named(script):
    for lowest, told in (1.1, "1.30 (1.10–2.00) missed<br>"), (1.2, "1.30 (1.20–2.00) **missed**<br>"):
        (row,), _ = tables(script, *(block("alive", 16 * K, Estimate(ratio, 1.0, 9.0)) for ratio in (1.3, lowest, 2.0)))
        assert row["indirection_map"].startswith(told)
    *_, lacking = script.lines([run_of(block("alive", 16 * K, Estimate(1.0)))], {})
    assert "`churn`" in lacking and "`alive`" not in lacking


def test_the_page_has_a_section_for_it(script, tmp_path, monkeypatch, run_directory):
    (page := tmp_path / "page.md").write_text(script.PAGE.read_text())
    (counts := tmp_path / "counts.json").write_text(json.dumps({"benchmarks": []}))
    monkeypatch.setattr(script, "PAGE", page)
    assert script.main([str(run_directory), str(counts)]) == 0
    assert "| `point_mass` | 16k | 1.05 | " in page.read_text()
    assert script.main([str(run_directory)]) == 2


def row_of(tables: str, place: str, entities: str) -> dict[str, str]:
    """The cells of the first row of PLACE, at that size, by the name of their column."""
    lines = [cells_of(line) for line in tables.splitlines() if line]
    row = next(line for line in lines if line[0] == place)
    at = row[1].split("<br>").index(entities)
    return {name: text.split("<br>")[at] for name, text in zip(lines[0][2:], row[2:])}


def test_times_stand_as_ratios_to_the_reference_and_a_failed_cell_is_a_dash(peers, run):
    told = row_of(peers.tables(run, {}), "point_mass", "16k")
    block = next(block for block in run.blocks if (block.workload, block.entities) == ("point_mass", 16384))
    assert float(told["indirection_map"].lstrip("~")) == pytest.approx(
        block.cells["indirection_map"].ratio_to_reference.median, rel=0.01)
    assert "reference" not in told
    told = row_of(peers.tables(run, {}), "join` order:same via:each", "16k")
    assert told["hash_index"] == "-" and told["indirection_map"] != "-"


def test_counts_of_peers_stand_in_a_table_of_their_own(peers, run, tmp_path):
    entry = {"name": "point_mass/indirection_map/entities:16384_median", "instructions_per_item": 6.5,
             "l1d_misses_per_item": 0.875}
    (counts := tmp_path / "counts.json").write_text(json.dumps({"benchmarks": [entry, {"name": "timed"}]}))
    counted = peers.tables(run, peers.counts_in(counts)).partition("instructions, misses per item")[2]
    assert "| `point_mass` | 16k |" in counted and "6.50, 0.875" in counted and "`join`" not in counted


def test_a_section_is_replaced_and_one_that_is_missing_is_named(peers, tmp_path):
    (page := tmp_path / "page.md").write_text("above\n<b>\nold\n<e>\nbelow\n")
    peers.replace_section(page, "<b>", "<e>", "new")
    assert page.read_text() == "above\n<b>\nnew\n<e>\nbelow\n"
    with pytest.raises(UserError, match="no section between"):
        peers.replace_section(page, "<b>", "<missing>", "new")
    assert "new" in page.read_text()
