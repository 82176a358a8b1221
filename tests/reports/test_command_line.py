"""Bad input ends with one line and the right exit code, and harms nothing."""

import os
import subprocess
import sys

import pytest

from make_results import Options, write_run
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


def test_prints_the_path_of_the_page_alone(tiny, capsys):
    assert main([str(tiny)]) == 0
    assert capsys.readouterr() == (f"{tiny}/report/report.html\n", "")


@pytest.mark.parametrize("arguments, complaint", [
    ([], "RUN_DIR"), (["--colour"], "RUN_DIR"), (["nowhere"], "no run directory nowhere"), (["."], "no results.json"),
])
def test_wrong_arguments_exit_with_2(arguments, complaint, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, message = failure(capsys, *arguments)
    assert code == 2 and complaint in message


def test_does_not_write_over_files_that_are_no_report(tiny, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/plots").write_text("precious")
    code, message = failure(capsys, tiny, "--out", tmp_path / "mine")
    assert code == 2 and "is no report" in message
    assert (tmp_path / "mine/plots").read_text() == "precious"


def test_replaces_its_own_report_whole(tiny, capsys):
    for _ in range(2):
        assert main([str(tiny)]) == 0
        (tiny / "report/plots/stale.svg").write_text("of an earlier run")
    assert main([str(tiny)]) == 0
    assert not (tiny / "report/plots/stale.svg").exists()
    assert sorted(os.listdir(tiny)) == ["report", "results.json"]


def test_an_output_below_a_file_exits_with_2(tiny, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    code, message = failure(capsys, tiny, "--out", tmp_path / "file/report")
    assert code == 2 and "cannot write" in message


@pytest.mark.parametrize("module", ["matplotlib", "jinja2"])
def test_a_missing_module_exits_with_3_and_is_named(tiny, tmp_path, module):
    (tmp_path / "hidden").mkdir()
    (tmp_path / f"hidden/{module}.py").write_text(f"raise ModuleNotFoundError('hidden', name='{module}')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "hidden"), *sys.path])}
    result = subprocess.run([sys.executable, "-m", "stowage_report", str(tiny)], env=environment, capture_output=True,
                            text=True, check=False)
    assert result.returncode == 3 and result.stdout == ""
    assert f"'{module}'" in result.stderr and f"python3-{module}" in result.stderr and result.stderr.count("\n") == 1
