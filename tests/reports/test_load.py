"""What results.json becomes, and what is said of a file that is none."""

import json
import lzma
from pathlib import Path

import pytest

from make_results import Options, results
from stowage_report.console import UserError
from stowage_report.data.document import _LIMITS, check, read_json
from stowage_report.data.load import load_run
from stowage_report.data.model import Standing

TINY = Options(sizes=(1024,), axes={"join": {}}, strategies=("reference", "hash_index"))


@pytest.fixture
def load(tmp_path):
    def load_text(text) -> object:
        (tmp_path / "results.json").write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_run(tmp_path)

    return load_text


def refusal(work, *arguments) -> str:
    with pytest.raises(UserError) as error:
        work(*arguments)
    message = str(error.value)
    assert "\n" not in message and message.isprintable() and len(message) < 1000
    return message


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
    "of no visit": (broken(lambda document: document["context"]["stowage"].update(visits=0)), "context.stowage.visits must be from 1"),
    "a median without standing": (broken(lambda document: [each.pop("standing", 0) for each in document["benchmarks"]]),
                                  "lacks 'standing'"),
    "a standing without its ratio": (broken(lambda document: [each.pop("ratio_to_best" + end, 0) for each in
                                     document["benchmarks"] for end in ("", "_low", "_high")]), "lacks 'ratio_to_best'"),
    "an interval beside its median": (broken(lambda document: [each.update(ns_per_item_low=1e9) for each in
                                      document["benchmarks"] if "ns_per_item_low" in each]), "outside of its interval"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_says_in_one_line_what_is_wrong_with_a_file(load, name):
    text, complaint = BAD_FILES[name]
    message = refusal(load, text)
    assert complaint in message and "results.json" in message


# ---- the one reader of files: what it accepts, which the C++ reader does too, and its limits

VECTORS = Path(__file__).parents[1] / "files" / "vectors.json"


@pytest.mark.parametrize("number, vector", enumerate(read_json(VECTORS, "")))
def test_accepts_and_refuses_what_the_other_reader_does(number, vector):
    if vector["fault"] is None:
        check(vector["document"], vector["kind"], "x", "")
    else:
        message = refusal(check, vector["document"], vector["kind"], "x", "repeat it")
        assert message.startswith(f"x is damaged: {vector['fault'] or 'it'} ") and message.endswith("; repeat it")


@pytest.fixture
def read(tmp_path):
    def read_bytes(content, name="x.json", **options):
        (tmp_path / name).write_bytes(content)
        return read_json(tmp_path / name, "give another", **options)

    return read_bytes


@pytest.mark.parametrize("content, words", [
    (b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
    (b'{"a":' * 100_000, "nested deeper"),
    (b"1e400", "too large"),
    (b"-1e400", "too large"),
    (b"9" * 5000, "too large"),
    (b"NaN", "NaN"),
    (b"[-Infinity]", "Infinity"),
    (b"\xff\xfe[\x00]\x00", "not JSON"),
])
def test_what_no_reader_could_hold_is_one_line(read, content, words):
    assert words in refusal(read, content)


def test_numbers_of_other_programs_may_be_none_and_a_byte_order_mark_is_as_if_it_were_not_there(read):
    assert read(b"[NaN, -Infinity, 1]", is_foreign=True) == [None, None, 1]
    assert read(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    assert read(lzma.compress(b'\xef\xbb\xbf{"a": 1}'), "x.json.xz") == {"a": 1}
    assert "line 1, column 1" in refusal(read, b"\xef\xbb\xbf<html>")


def test_a_file_takes_memory_in_proportion(read, monkeypatch):
    monkeypatch.setitem(_LIMITS, "unpacked_bytes", 1000)
    monkeypatch.setitem(_LIMITS, "unpacked_values", 100)
    assert len(read(lzma.compress(b" " * 998 + b"[]"), "x.json.xz")) == 0
    assert "more than 1000 bytes" in refusal(read, lzma.compress(b" " * 1_000_000 + b"[]"), "x.json.xz")
    assert "more than 100 values" in refusal(read, lzma.compress(b"[" + b"0," * 200 + b"0]"), "x.json.xz")
    packed = lzma.compress(b"[]")
    for damaged in (packed[:-4], packed + b"x", packed + packed, b"", lzma.compress(b"[]", lzma.FORMAT_ALONE)):
        assert "is damaged" in refusal(read, damaged, "x.json.xz")
    huge = lzma.compress(b"[]", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 29}])
    assert "is damaged" in refusal(read, huge, "x.json.xz")


@pytest.mark.parametrize("change, place", [
    (lambda root: root["context"].update(num_cpus="2"), "context.num_cpus"),
    (lambda root: root["context"].update(load_avg=[None]), "context.load_avg[0]"),
    (lambda root: root["context"]["stowage"].update(cpu_model=["x"]), "context.stowage.cpu_model"),
    (lambda root: root["context"]["stowage"].update(command="\x1b]0;x\x07"), "context.stowage.command"),
    (lambda root: root["context"]["stowage"]["passes"].append(5), "context.stowage.passes["),
    (lambda root: root["benchmarks"][0].update(run_name="join;x/hash_index/entities:1"), "benchmarks[0].run_name"),
    (lambda root: root["context"]["stowage"].update(submission={"cells_run_again": "24", "replaced": []}),
     "context.stowage.submission.cells_run_again"),
])
@pytest.mark.parametrize("name", ["results.json", "x.json.xz"])
def test_every_field_of_a_run_has_its_type_packed_or_not(tmp_path, change, place, name):
    root = results(TINY)
    change(root)
    text = json.dumps(root).encode()
    (tmp_path / name).write_bytes(lzma.compress(text) if name.endswith("xz") else text)
    assert f"{name} is damaged: {place}" in refusal(load_run, tmp_path / name if name.endswith("xz") else tmp_path)
