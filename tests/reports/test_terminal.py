"""`stowage report --format terminal`: what to take for which work, in a hundred columns."""

import io
import os
import re
import subprocess
import sys

import pytest

from make_blocks import make_block, run_of, samples_of
from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.terminal import Terminal, fitted
from stowage_report.terminal_summary import summary_text

LONG = "somebodys_storage_with_a_name_that_nobody_reads.and_a_variant_of_it_with_one_too"


def shown(run, terminal=Terminal()):
    return summary_text([run], terminal)


def test_says_the_best_the_tied_and_the_rest_of_each_kind(run):
    text = shown(run)
    assert re.search(r"^Visit all: ", text, re.MULTILINE) and re.search(r"^Join, made apart: ", text, re.MULTILINE)
    visited = text[text.index("Visit all"):text.index("Join, made together")]
    assert re.search(r"^  [*=] \S+ +\S+ +[\d.]+× \([\d.]+–[\d.]+\) +[\d.]+ B$", visited, re.MULTILINE)
    assert re.search(r"^    naive_objects ", visited, re.MULTILINE)
    assert "Of 28 published claims" in text


@pytest.mark.parametrize("terminal", [Terminal(), Terminal(blocks=False)], ids=["blocks", "ASCII"])
def test_no_line_is_longer_than_a_hundred_columns(run, make_run, terminal):
    everything = make_run(axes={"point_mass": {}, "join": {"order": ("same", "unrelated"), "via": ("each",)}})
    samples = {LONG: samples_of(1), f"{LONG}_2": samples_of(3), "other": samples_of(1000)}
    strange = run_of(make_block("point_mass", 1024, samples), make_block(LONG, 1024, samples, **{LONG: LONG}),
                     name=2 * LONG, cpu_model=LONG)
    extreme = run_of(make_block("point_mass", 1024, {LONG: samples_of(1), f"{LONG}_2": samples_of(2e12)},
                                {LONG: {"bytes_per_entity": 1e9}, f"{LONG}_2": {"bytes_per_entity": 2e13}}))
    some_floors = run_of(make_block("point_mass", 1024, samples, {
        LONG: {"bytes_per_entity": 9, "payload_bytes_per_entity": 8}, "other": {"bytes_per_entity": 20}}))
    for each in (run, everything, strange, extreme, some_floors):
        assert max(map(len, shown(each, terminal).splitlines())) <= 100


def test_ascii_is_all_ascii_and_as_long(run):
    plain, rich = shown(run, Terminal(blocks=False)), shown(run)
    assert plain.isascii() and not rich.isascii()
    assert len(plain.splitlines()) == len(rich.splitlines())


def test_bars_are_as_long_as_what_they_stand_for():
    terminal = Terminal()
    assert terminal.bar(1, 1, 4) == "████" and terminal.bar(0.5, 1, 4) == "██" and terminal.bar(0.28125, 1, 4) == "█▏"
    assert terminal.bar(1.2, 1, 4) == "███▶" and terminal.bar(0.0001, 1, 4) == "▏"
    plain = Terminal(blocks=False)
    assert plain.bar(0.5, 1, 4) == "##" and plain.bar(9, 1, 4) == "###>" and plain.bar(0.0001, 1, 4) == "#"


def test_colours_change_nothing_but_colours(run):
    coloured = shown(run, Terminal(colours=True))
    assert "\x1b[" in coloured and re.sub(r"\x1b\[[\d;]+m", "", coloured) == shown(run)


class Stream(io.StringIO):
    def __init__(self, encoding, is_terminal):
        super().__init__()
        self._encoding, self._is_terminal = encoding, is_terminal

    encoding = property(lambda self: self._encoding)

    def isatty(self):
        return self._is_terminal


@pytest.mark.parametrize("encoding, blocks", [("utf-8", True), ("UTF_8", True), ("ascii", False), ("latin-1", False),
                                              (None, False)])
def test_blocks_need_an_encoding_that_has_them(encoding, blocks):
    assert Terminal.of(Stream(encoding, False)).blocks is blocks


def test_colours_need_a_terminal_and_nobody_who_forbids_them(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Terminal.of(Stream("utf-8", True)).colours and not Terminal.of(Stream("utf-8", False)).colours
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Terminal.of(Stream("utf-8", True)).colours
    monkeypatch.setenv("NO_COLOR", "")  # as if it were not set
    assert Terminal.of(Stream("utf-8", True)).colours


def test_a_long_name_keeps_both_ends():
    assert fitted("short", 10) == "short" and fitted("archetype_sections.fixed_32k", 11) == "arche…d_32k"


@pytest.fixture
def tiny(tmp_path):
    return write_run(tmp_path / "tiny", Options(sizes=(1024,), axes={"point_mass": {}}))


def test_writes_no_files(tiny, capsys):
    assert main([str(tiny), "--format", "terminal"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("tiny\n") and captured.err == ""
    assert os.listdir(tiny) == ["results.json"]


def test_out_without_a_page_is_refused(tiny, capsys):
    assert main([str(tiny), "--format", "terminal", "--out", "somewhere"]) == 2
    assert "--out" in capsys.readouterr().err and os.listdir(tiny) == ["results.json"]


def test_several_runs_are_not_mixed(tiny, tmp_path, capsys):
    other = write_run(tmp_path / "other", Options(sizes=(1024,), axes={"point_mass": {}}))
    assert main([str(tiny), str(other), "--format", "terminal"]) == 0
    text = capsys.readouterr().out
    assert text.index("tiny\n") < text.index("other\n") and text.count("Visit all") == 2


def started(tiny, **options):
    program = ("import sys; sys.modules['matplotlib'] = sys.modules['numpy'] = sys.modules['jinja2'] = None; "
               f"from stowage_report.__main__ import main; sys.exit(main([{str(tiny)!r}, '--format', 'terminal']))")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "ascii"}
    return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def test_needs_nothing_but_python_itself(tiny):
    out, err = started(tiny).communicate()
    assert out.decode("ascii").startswith("tiny\n") and err == b""


def test_ends_quietly_where_nobody_reads_on(tiny):
    with started(tiny) as process:
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait() == 0
