"""The table of docs/performance.md: distances beside the target of each kind of work, and exact counts."""

import dataclasses
import importlib.util
import json
from pathlib import Path

import pytest

from make_blocks import make_block, run_of, samples_of
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block

CHECKS = Path(__file__).resolve().parents[2] / "scripts/checks"
HEAD = ("work", "entities", "strategy", "target", "code", "floor", "instructions", "l1d", "ll", "mark")
K = 1024


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(CHECKS))
    spec = importlib.util.spec_from_file_location("performance", CHECKS / "performance.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "performance", module)
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


def rows(script, *blocks: Block, counts={}):
    table = [line for line in script.lines([run_of(each) for each in blocks], counts) if line.startswith("|")][2:]
    return [dict(zip(HEAD, (text.strip(" `") for text in line.strip("|").split("|")))) for line in table]


def test_a_row_has_both_distances_and_the_target(script):
    (row,) = rows(script, block("point_mass", 16 * K, Estimate(1.04, 1.02, 1.06)))
    assert (row["entities"], row["strategy"], row["target"]) == ("16k", "indirection_map", "1.05")
    assert row["code"].startswith("1.04 (1.02") and row["floor"].startswith("9.00 (8.00") and row["mark"] == ""


@pytest.mark.parametrize("ratio, mark", [(Estimate(1.05, 1.0, 1.2), ""), (Estimate(1.06, 1.0, 1.2), "missed"),
                                         (Estimate(1.2, 1.1, 1.3), "**missed**"), (Estimate(1.2), "missed")])
def test_a_missed_target_is_marked_in_bold_if_that_is_certain(script, ratio, mark):
    (row,) = rows(script, block("point_mass", 16 * K, ratio))
    assert row["mark"] == mark


def test_targets_depend_on_parameters_sizes_and_the_kind_of_storage(script):
    one = Estimate(1.0, 1.0, 1.0)

    def told(*arguments, **parameters):
        return [(row["strategy"], row["target"]) for row in rows(script, block(*arguments, **parameters))]

    both = ("indirection_map", "archetype_sections", "hash_index")
    assert told("structural", 16 * K, one, both, grouped="no") == [("indirection_map", "1.3"), ("archetype_sections", "1.5")]
    assert told("structural", 16 * K, one, grouped="yes") == told("join", 16 * K, one, via="find") == []
    assert told("lookup", 4 * K * K, one, components="4") == [("indirection_map", "1.15")]
    assert told("alive", 4 * K * K, one) == told("lookup", K, one, components="4") == []
    assert [told("create", 16 * K, one, how="bulk", memory=memory)[0][1] for memory in ("reserved", "growing")] == ["1.3", "1.5"]
    assert [told("serialize", 16 * K, one, what="load", ids=ids)[0][1] for ids in ("none", "xor")] == ["1.3", "1.5"]


def test_a_target_of_the_floor_is_held_against_the_floor(script):
    (row,) = rows(script, block("hierarchy_flat", 64 * K, Estimate(1.0, 1.0, 1.0), order="kept", dirty="none_kept"))
    assert row["target"].startswith("1.5") and row["mark"] == "**missed**"


def test_counts_are_those_of_the_strategy_its_contract_floor_and_the_floor(script):
    counts = {f"lookup/{name}": {"instructions_per_item": count, "l1d_misses_per_item": count / 8}
              for name, count in (("archetype_sections", 24), ("reference.sections", 16), ("reference.store", 12), ("reference", 8))}
    (row,) = rows(script, block("lookup", 16 * K, Estimate(1.0), ("archetype_sections",), "reference.sections",
                                components="1"), counts=counts)
    assert (row["instructions"], row["l1d"], row["ll"]) == ("24 / 16 / 8", "3 / 2 / 1", "-")
    (row,) = rows(script, block("lookup", 256 * K, Estimate(1.0), ("archetype_sections",), components="1"), counts=counts)
    assert row["instructions"] == "-"


def test_of_several_runs_a_row_has_the_median_and_their_range(script):
    (row,) = rows(script, *(block("alive", 16 * K, Estimate(ratio, 1.0, 9.0)) for ratio in (1.3, 1.1, 2.0)))
    assert (row["code"], row["mark"]) == ("1.30 (1.10–2.00)", "missed")
    (row,) = rows(script, *(block("alive", 16 * K, Estimate(ratio, 1.0, 9.0)) for ratio in (1.3, 1.2, 2.0)))
    assert row["mark"] == "**missed**"


def test_what_no_run_has_is_named(script):
    *_, lacking = script.lines([run_of(block("alive", 16 * K, Estimate(1.0)))], {})
    assert "`churn`" in lacking and "`alive`" not in lacking


def test_the_page_has_a_section_for_it(script, tmp_path, monkeypatch, run_directory):
    (page := tmp_path / "page.md").write_text(script.PAGE.read_text())
    (counts := tmp_path / "counts.json").write_text(json.dumps({"benchmarks": []}))
    monkeypatch.setattr(script, "PAGE", page)
    assert script.main([str(run_directory), str(counts)]) == 0
    assert "| `point_mass` | 16k | `sparse_direct` | 1.05 |" in page.read_text()
    assert script.main([str(run_directory)]) == 2
