"""Bad input ends with one line and the right exit code, and harms nothing."""

import errno
import io
import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from make_results import Options, write_run
from stowage_report import console
from stowage_report.__main__ import main

TINY = Options(sizes=(1024,), axes={"join": {}}, strategies=("reference", "hash_index"))


@pytest.fixture
def tiny(tmp_path):
    return write_run(tmp_path / "tiny", TINY)


def failure(capsys, *arguments) -> tuple[int, str]:
    code = main(list(map(str, arguments)))
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and captured.err.startswith("stowage: ")
    return code, captured.err


@pytest.mark.parametrize("arguments, complaint", [
    ([], "RUN_DIR"), (["--colour"], "RUN_DIR"), 
    (["nowhere"], "cannot read nowhere/results.json: No such file or directory; give a directory that `stowage run` wrote"),
    (["."], "cannot read results.json: No such file or directory; "),
])
def test_wrong_arguments_exit_with_2(arguments, complaint, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, message = failure(capsys, *arguments)
    assert code == 2 and complaint in message


def test_names_move_no_cursor(tiny, tmp_path, capsys):
    code, message = failure(capsys, tmp_path / "a\x1b[2J\nstowage: b\x9b")
    assert code == 2 and "\\x1b[2J\\x0astowage: b\\x9b" in message
    stream = io.StringIO()
    console.write("a \x1b[32mgreen\x1b[0m b\n\x1b]0;title\x07", stream)
    assert stream.getvalue() == "a \x1b[32mgreen\x1b[0m b\n\\x1b]0;title\\x07"


def test_an_unfinished_file_is_a_new_one_and_goes_again(tmp_path, monkeypatch):
    monkeypatch.setattr(console.secrets, "token_hex", lambda count: "7")
    (tmp_path / "precious").write_text("mine")
    (tmp_path / ".page.html.7.tmp").symlink_to("precious")
    with pytest.raises(FileExistsError):
        console.replace_file(tmp_path / "page.html", "text")
    (tmp_path / "directory").mkdir()
    with pytest.raises(OSError):
        console.replace_file(tmp_path / "directory", "text")
    assert (tmp_path / "precious").read_text() == "mine" and not (tmp_path / ".directory.7.tmp").exists()
    console.replace_file(tmp_path / "other", b"bytes")
    assert (tmp_path / "other").read_bytes() == b"bytes"


@pytest.mark.parametrize("file, out", [("mine/plots", "mine"), ("mine/report.html", "mine"), ("file", "file"),
                                       ("file", "file/report")])
def test_does_not_write_over_files_that_are_no_report(tiny, tmp_path, capsys, file, out):
    (tmp_path / "mine").mkdir()
    (tmp_path / file).write_text("precious")
    code, message = failure(capsys, tiny, "--out", tmp_path / out)
    assert code == 2 and str(tmp_path) in message and ("--out" in message or "cannot write" in message)
    assert (tmp_path / file).read_text() == "precious" and os.listdir(tmp_path / "mine") == [file[5:]] * (out == "mine")


def test_a_full_disk_exits_with_3(tiny, capsys, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.replace", full)
    code, message = failure(capsys, tiny)
    assert code == 3 and "report" in message and "free some space" in message


def test_a_run_that_ended_before_its_first_block_says_so_and_how_to_go_on(tiny, capsys):
    results = json.loads((tiny / "results.json").read_text())
    results["context"]["stowage"] |= {"filter": "walk|build", "storages": ["it's.hpp:A"]}
    (tiny / "results.json").write_text(json.dumps(results | {"benchmarks": []}))
    code, message = failure(capsys, tiny)
    assert code == 2 and "ended before its first block" in message
    assert shlex.split(re.search("`(.*)`", message)[1]) == [
        "stowage", "run", "--resume", str(tiny), "--storage", "it's.hpp:A", "--cells", "walk|build"]
    assert os.listdir(tiny) == ["results.json"]


def test_fills_an_empty_directory_replaces_its_own_report_whole_and_prints_its_path_alone(tiny, capsys):
    (tiny / "report").mkdir()
    for _ in range(2):
        assert main([str(tiny), "--plots"]) == 0
        (tiny / "report/plots/stale.svg").write_text("of an earlier run")
    assert main([str(tiny), "--plots"]) == 0
    assert (tiny / "report/plots").is_dir() and not (tiny / "report/plots/stale.svg").exists()
    capsys.readouterr()
    assert main([str(tiny)]) == 0
    assert capsys.readouterr() == (f"{tiny}/report/report.html\n", "")
    assert sorted(os.listdir(tiny / "report")) == ["data.csv", "report.html"]
    assert sorted(os.listdir(tiny)) == ["report", "results.json"]


def as_command(*arguments, call=subprocess.run, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **options.pop("env", {})}
    return call([sys.executable, "-m", *map(str, arguments)], env=environment, text=True, **options)


@pytest.fixture
def without(tmp_path):
    """The environment of a Python that lacks some modules."""
    def lacking(*modules):
        (tmp_path / "hidden").mkdir()
        for module in modules:
            (tmp_path / f"hidden/{module}.py").write_text(f"raise ModuleNotFoundError('hidden', name='{module}')")
        return {"PYTHONPATH": os.pathsep.join([str(tmp_path / "hidden"), *sys.path])}

    return lacking


@pytest.mark.parametrize("module", ["matplotlib", "jinja2"])
def test_a_missing_module_exits_with_3_and_is_named(tiny, without, module):
    result = as_command("stowage_report", tiny, env=without(module), capture_output=True)
    assert result.returncode == 3 and result.stdout == ""
    assert f"'{module}'" in result.stderr and f"python3-{module}" in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("program, options, told", [("stowage_report", ("--format", "terminal"), "Summary: "),
                                                    ("stowage_report.claims", ("--only", "C9"), "C9 ")])
def test_what_prints_alone_needs_nothing_but_python_itself(tiny, without, program, options, told):
    environment = without("matplotlib", "numpy", "jinja2") | {"PYTHONIOENCODING": "ascii"}
    result = as_command(program, tiny, *options, env=environment, capture_output=True)
    assert (result.returncode, result.stderr) == (0, "") and told in result.stdout


def test_a_screen_ends_quietly_if_its_reader_is_gone(tiny):
    with as_command("stowage_report", tiny, "--format", "terminal", call=subprocess.Popen, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == "" and process.wait() == 0


@pytest.mark.parametrize("command", [
    ("stowage_report", "nowhere"), ("stowage_report.compare", "nowhere", "nowhere"), ("stowage_report.claims", "nowhere"),
    ("stowage_report.gallery", "nowhere", "--out", "site"),
])
def test_a_stderr_that_cannot_be_written_changes_no_exit_code(tmp_path, command):
    """Python's own would be 1, which is an answer."""
    with open("/dev/full", "w") as full:
        result = as_command(*command, stdout=subprocess.PIPE, stderr=full, cwd=tmp_path)
    assert result.returncode == 2 and result.stdout == ""


def test_a_place_that_the_system_refuses_exits_with_2_and_a_home_that_cannot_be_written_is_no_matter(tiny):
    result = as_command("stowage_report.gallery.submission", tiny, "--again", 1, "--out", "x" * 300 + ".json.xz",
                        capture_output=True)
    assert result.returncode == 2 and "too long" in result.stderr and result.stderr.count("\n") == 1
    result = as_command("stowage_report", tiny, env={"HOME": "/proc", "XDG_CACHE_HOME": "", "MPLCONFIGDIR": ""},
                        capture_output=True)
    assert result.returncode == 0 and result.stderr == ""
