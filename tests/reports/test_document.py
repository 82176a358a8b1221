"""The one reader of files: what it accepts, which the C++ reader does too, and its limits."""

import json
import lzma
from pathlib import Path

import pytest

from stowage_report.console import UserError
from stowage_report.data.document import _LIMITS, check, read_json
from stowage_report.data.load import load_run
from make_results import Options, results

TINY = Options(sizes=(1024,), axes={"join": {}}, strategies=("reference", "hash_index"))
VECTORS = Path(__file__).parents[1] / "files" / "vectors.json"


def refusal(work, *arguments) -> str:
    with pytest.raises(UserError) as error:
        work(*arguments)
    message = str(error.value)
    assert "\n" not in message and message.isprintable() and len(message) < 1000
    return message


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
