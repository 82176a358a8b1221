"""What results.json becomes, and what is said of a file that is none."""

import json

import pytest

from make_results import Options, results
from stowage_report.console import UserError
from stowage_report.data.load import load_run
from stowage_report.data.model import Standing

TINY = Options(sizes=(1024,), axes={"join": {}}, strategies=("reference", "hash_index"))


@pytest.fixture
def load(tmp_path):
    def load_text(text) -> object:
        (tmp_path / "results.json").write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_run(tmp_path)

    return load_text


def broken(change) -> str:
    document = results(TINY)
    change(document)
    return json.dumps(document)


def test_reads_every_cell_and_groups_blocks_of_one_parameter_set_by_size(run):
    assert len(run.blocks) == 9
    assert {len(block.cells) for block in run.blocks} == {8}
    assert run.sizes == [1024, 16384, 262144]
    assert run.strategies[0] == "reference"
    assert [(sweep.workload, sweep.parameters) for sweep in run.sweeps if sweep.workload == "join"] == [
        ("join", (("order", "same"), ("via", "each"))),
        ("join", (("order", "unrelated"), ("via", "each"))),
    ]
    assert [block.entities for block in run.sweeps[0].blocks] == [1024, 16384, 262144]


def test_reads_figures_with_intervals_and_counters(run):
    cell = run.blocks[0].cells["sparse_direct"]
    assert cell.ns_per_item.low <= cell.ns_per_item.median <= cell.ns_per_item.high
    assert cell.ratio_to_reference.has_interval
    assert cell.counters["items"] == 1024
    assert cell.counters["floor_lines_per_item"] == 36 / 64
    assert cell.counters["bytes_per_entity"] == pytest.approx(44.63)
    assert "real_time" not in cell.counters and "ns_per_item" not in cell.counters


def test_reads_the_distance_from_the_contract_floor_and_which_row_that_is(make_run):
    run = make_run(sizes=(1024,), axes={"join": {}}, strategies=("reference", "hash_index", "reference.store"))
    cells = run.blocks[0].cells
    assert run.strategies == run.sweeps[0].strategies == ["reference", "reference.store", "hash_index"]
    assert cells["hash_index"].contract_floor == "reference.store" and cells["hash_index"].ratio_to_contract.has_interval
    assert cells["hash_index"].ratio_to_contract.median < cells["hash_index"].ratio_to_reference.median
    assert not any("contract" in name for name in cells["hash_index"].counters)
    cell = make_run(sizes=(1024,), axes={"join": {}}, has_contract=False).blocks[0].cells["hash_index"]
    assert cell.ratio_to_contract is None and cell.contract_floor == ""  # as in files of older versions


def test_reads_cells_that_were_not_timed(make_run):
    run = make_run(sizes=(1024,), axes={"join": {}}, timed=False)
    cell = run.blocks[0].cells["hash_index"]
    assert cell.ns_per_item is None and cell.counters["l1d_misses_per_item"] > 0
    assert run.blocks[0].measured == [] and run.blocks[0].cells["hash_index"].standing is Standing.UNTIMED


def test_reads_passes_omissions_failed_cells_and_cards(run):
    assert [(record.name, record.source) for record in run.passes] == [("cache", "simulated"), ("memory", "counted")]
    assert run.passes[0].details["model"] == "reference"
    omission = run.omissions[0]
    assert omission.cell == "point_mass/reference/entities:262144"
    assert (omission.pass_name, omission.workload, omission.entities) == ("cache", "point_mass", 262144)
    (cell,) = run.errors
    assert cell.name == "join/hash_index/entities:16384/order:same/via:each"
    assert "differs" in cell.error and cell.ns_per_item is None
    semantics = run.strategy_cards["hash_index"].semantics
    assert semantics["creation_order"] is True and semantics["pointer_stability_on_erase"] is False
    card = run.strategy_cards["sparse_direct"]
    assert card.lacks == {"table_exchange": "nothing is saved"} and set(card.not_offered) == {"serialize"}
    assert run.strategy_cards["hash_index"].lacks == {}


def test_unknown_fields_are_ignored_and_the_words_of_older_versions_are_judged_again_by_the_ratio(load):
    run = load(broken(lambda document: document["context"]["stowage"]["workload_cards"][0].update(surprise=1)))
    assert run.workloads == ["join"]

    def with_old_words(document):
        for each in document["benchmarks"]:
            if each.get("standing") in ("equal", "worse", "open"):
                each["standing"] = "tied" if each["ratio_to_best_low"] <= 1 else "behind"

    old, new = load(broken(with_old_words)), load(broken(lambda document: None))
    assert old.blocks == new.blocks


BAD_FILES = {
    "empty": ("", "is not JSON, see line 1, column 1; give a directory that `stowage run` wrote"),
    "cut off": (json.dumps(results(TINY))[:-40], "truncated"),
    "cut off in a line": ('{"context":\n {"date": ', "is truncated: it ends at line 2, column 10; copy the file again"),
    "cut off after a brace": (json.dumps(results(TINY), indent=2).partition("}")[0] + "}", "truncated"),
    "a table": ("cpu,time\n1,2\n", "not JSON"),
    "cut off in a word": (json.dumps(results(TINY)).partition("true")[0] + "tr", "truncated"),
    "cut off in a string": (json.dumps(results(TINY)).partition("-O3")[0], "truncated"),
    "a missing comma": ('{"context": {} "benchmarks": []}', "not JSON"),
    "no text": (b"{\n \xff\xfe\x00", "is not JSON, see line 2, column 2; give a directory"),
    "an array": ("[]", "has no `context`: it is not a results file of stowage; give a directory"),
    "of another program": ('{"context": {}, "benchmarks": []}', "has no `stowage`: it is not a results file of stowage; give a directory"),
    "of a later version": (broken(lambda document: document["context"]["stowage"].update(format=3)), "has results of format 3, this version reads format 2; use the version"),
    "a median without standing": (broken(lambda document: [each.pop("standing", 0) for each in document["benchmarks"]]),
                                  "lacks 'standing'"),
    "an interval beside its median": (broken(lambda document: [each.update(ns_per_item_low=1e9) for each in
                                      document["benchmarks"] if "ns_per_item_low" in each]), "outside of its interval"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_says_in_one_line_what_is_wrong_with_a_file(load, name):
    text, complaint = BAD_FILES[name]
    with pytest.raises(UserError) as error:
        load(text)
    message = str(error.value)
    assert complaint in message and "results.json" in message and "\n" not in message
