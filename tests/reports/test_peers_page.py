"""The tables of docs/peers.md: a time beside its reference, exact counts, and what is not offered."""

import importlib.util
import json
from pathlib import Path

import pytest

from stowage_report.console import UserError

CHECKS = Path(__file__).resolve().parents[2] / "scripts/checks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(CHECKS))
    spec = importlib.util.spec_from_file_location("peers", CHECKS / "peers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cells_of(tables: str, place: str, entities: str) -> dict[str, str]:
    """The cells of the first row of PLACE, at that size, by the name of their column."""
    lines = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in tables.splitlines() if line]
    row = next(line for line in lines if line[0] == place)
    at = row[1].split("<br>").index(entities)
    return {name: text.split("<br>")[at] for name, text in zip(lines[0][2:], row[2:])}


def test_times_stand_as_ratios_to_the_reference(script, run):
    told = cells_of(script.tables(run, {}), "point_mass", "16k")
    block = next(block for block in run.blocks if (block.workload, block.entities) == ("point_mass", 16384))
    assert float(told["indirection_map"].lstrip("~")) == pytest.approx(
        block.cells["indirection_map"].ratio_to_reference.median, rel=0.01)
    assert "reference" not in told


def test_a_failed_cell_is_a_dash(script, run):
    told = cells_of(script.tables(run, {}), "join` order:same via:each", "16k")
    assert told["hash_index"] == "-" and told["indirection_map"] != "-"


def test_counts_stand_in_a_table_of_their_own(script, run, tmp_path):
    entry = {"name": "point_mass/indirection_map/entities:16384_median", "instructions_per_item": 6.5,
             "l1d_misses_per_item": 0.875}
    (counts := tmp_path / "counts.json").write_text(json.dumps({"benchmarks": [entry, {"name": "timed"}]}))
    counted = script.tables(run, script.counts_in(counts)).partition("instructions, misses per item")[2]
    assert "| `point_mass` | 16k |" in counted and "6.50, 0.875" in counted and "`join`" not in counted


def test_a_section_is_replaced_and_one_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(CHECKS))
    from section import replace_section

    (page := tmp_path / "page.md").write_text("above\n<b>\nold\n<e>\nbelow\n")
    replace_section(page, "<b>", "<e>", "new")
    assert page.read_text() == "above\n<b>\nnew\n<e>\nbelow\n"
    with pytest.raises(UserError, match="no section between"):
        replace_section(page, "<b>", "<missing>", "new")
    assert "new" in page.read_text()
