import shutil
import sys

import pytest

from conftest import NO_REPORT, SMALL, script


def interpreter(directory, text):
    """A Python that does no more than that; it is asked for the modules that it lacks by -c."""
    directory.mkdir(exist_ok=True)
    return script(directory / "python3", text)


def test_without_a_python_the_run_is_complete_and_says_what_the_report_needs(fake):
    outcome = fake("run", *SMALL, "--out", "run", env={"STOWAGE_PYTHON": "/nowhere/python3"}).ends_with(NO_REPORT)
    assert outcome.out == ""
    last = outcome.err.splitlines()[-1]
    assert "/nowhere/python3 does not run" in last
    assert "python3-matplotlib python3-numpy python3-jinja2" in last and "`stowage report run`" in last
    assert fake.results("run")["context"]["stowage"]["blocks_done"] == 2


LACKS_ONE = '[ "$1" = -c ] && [ $# -gt 2 ] && echo "$3"\n'  # the first module that is needed


def test_a_run_asks_the_tool_once_for_page_and_screen_or_for_its_summary_without_the_modules_of_the_page(fake, told):
    outcome = fake("run", *SMALL, "--out", "run", env=told())
    assert outcome.code == 0 and outcome.out.endswith("/start.py stowage_report run --screen\n")
    outcome = fake("run", *SMALL, "--out", "other", env=told(LACKS_ONE))
    assert outcome.code == NO_REPORT and "lacks matplotlib" in outcome.err.splitlines()[-1]
    assert outcome.out.endswith("/start.py stowage_report other --format terminal\n")


def test_what_each_python_lacks_is_named(fake, small_run):
    lacking = interpreter(fake.directory / "bin", "echo matplotlib jinja2")
    fake("report", "run", env={"STOWAGE_PYTHON": lacking}).is_refused(3, f"{lacking} lacks matplotlib, jinja2")


def test_the_path_is_searched_for_a_python_that_has_all(fake, small_run):
    interpreter(fake.directory / "first", "echo matplotlib")
    interpreter(fake.directory / "second", '[ "$1" = -c ] || echo "$@ $PYTHONPATH"')
    path = f"{fake.directory}/first:{fake.directory}/second"
    outcome = fake("report", "run", env={"STOWAGE_PYTHON": "", "PATH": path, "PYTHONPATH": ":/mine:.:lib"}).ends_with(0)
    arguments, python_path = outcome.out.rsplit(maxsplit=1)
    assert arguments.endswith("/reports/start.py stowage_report run")
    assert python_path.endswith("/reports:/mine")


@pytest.fixture
def told(fake):
    """An interpreter that says what it is asked for, and which modules it lacks: none, or the first that is needed."""
    return lambda lacks="": {
        "STOWAGE_PYTHON": interpreter(fake.directory / "bin", f'{lacks}[ "$1" = -c ] || echo "$@"')}


@pytest.mark.parametrize("arguments, lacks", [
    ("a b --out both", ""), ("run --plots", ""),
    ("run --format terminal", LACKS_ONE)])
def test_what_a_report_is_asked_for_is_passed_on_and_a_summary_needs_no_module(fake, small_run, told, arguments, lacks):
    for run in "ab":
        shutil.copytree(fake.directory / "run", fake.directory / run)
    assert fake("report", *arguments.split(), env=told(lacks)).out.endswith(f"/start.py stowage_report {arguments}\n")


#: What Python itself, its start and the reports import early.
MODULES = ("argparse", "encodings", "importlib", "json", "lzma", "re", "runpy", "site", "sitecustomize", "stowage_report", "sys")


@pytest.mark.parametrize("command, python_path", [
    (("report", "run", "--format", "terminal"), ".:"), (("compare", "run", "run"), None), (("compare", "run", "run"), ""),
    (("compare", "run", "run"), ".:"), (("compare", "run", "run"), "/mine::"), (("claims", "run"), ".:"), (("submit", "run"), ".:")])
def test_modules_in_the_working_directory_are_not_executed(fake, small_run, command, python_path):
    for module in MODULES:
        (fake.directory / f"{module}.py").write_text("open('executed', 'a')\n")
    variables = {"STOWAGE_PYTHON": sys.executable} | ({} if python_path is None else {"PYTHONPATH": python_path})
    outcome = fake(*command, env=variables)
    assert outcome.code in (0, 2) and "Traceback" not in outcome.err, outcome.err
    assert not (fake.directory / "executed").exists()


@pytest.mark.parametrize("form", ["terminal", "tables"])
@pytest.mark.parametrize("option", [("--out", "there"), ("--plots",)])
def test_what_writes_no_files_refuses_what_is_about_files(fake, small_run, form, option):
    fake("report", "run", "--format", form, *option).is_refused(2, option[0], f"--format {form}")


def test_a_run_without_a_block_has_no_report_and_one_that_fails_is_an_error(fake, small_run, python_with_modules):
    python = interpreter(fake.directory / "bin", '[ "$1" = -c ]')
    fake("report", "run", env={"STOWAGE_PYTHON": python}).is_refused(3, "the report could not be made")
    fake.write_results("run", {**fake.results("run"), "benchmarks": []})
    fake("report", "run", env=python_with_modules).is_refused(2, "stowage run --resume")
