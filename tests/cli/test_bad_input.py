"""Whatever cannot be done is said in one line that names it, before anything is measured."""

import json
import os
import resource
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from conftest import PLAIN_PYTHON, SMALL, with_limit

REFUSED = {
    "no command": ((), "no command"),
    "unknown command": (("rnu",), "unknown command 'rnu'; did you mean 'run'?"),
    "unknown flag": (("run", "--presett", "quick"), "unknown flag '--presett'; did you mean '--preset'?"),
    "unknown command, and its help": (("rnu", "--help"), "unknown command 'rnu'; did you mean 'run'?"),
    "help for an unknown command": (("--help", "rnu"), "unknown command 'rnu'; did you mean 'run'?"),
    "flag without value": (("run", "--entities"), "--entities needs a value; see `stowage run --help`"),
    "flag without a word of few": (("list", "--format"), "--format needs a value: table or json; see `stowage list --help`"),
    "flag without one of three words": (("report", "x", "--format"), "needs a value: html, terminal or tables; see"),
    "a flag for a value": (("list", "--format", "--help"), "unknown format '--help'; give table or json"),
    "no place": (("report", "x", "--out"), "--out needs a value; see `stowage report --help`"),
    "no preset": (("verify", "--preset"), "--preset needs a value: quick, standard or full; see `stowage verify --help`"),
    "no source": (("cache", "--source"), "--source needs a value: auto, simulated or hardware;"),
    "no value the second time": (("list", "--format", "json", "--format"), "--format needs a value: table or json;"),
    "no card": (("recommend", "--require", "creation_order", "--require"), "--require needs a value;"),
    "two formats": (("list", "--format", "json", "--format", "table"), "--format is given 2 times"),
    "no number": (("cache", "--jobs", "many"), "--jobs 'many' is not a number; see `stowage cache --help`"),
    "superfluous word": (("run", "quick"), "'quick'"),
    "unknown strategy": (("run", "--strategies", "fats"), "unknown strategy 'fats'; did you mean 'fast'?"),
    "empty strategy": (("run", "--strategies", "fast,"), "unknown strategy ''"),
    "no time to decide": (("run", "--until-decided", "0"), "--until-decided '0' must be more than 0 minutes"),
    "until no number": (("run", "--until-decided", "soon"), "--until-decided 'soon' must be more than 0 minutes"),
    "until a negative number": (("run", "--until-decided=-5"), "--until-decided '-5' must be more than 0 minutes"),
    "a core that is not there": (("run", "--cpus", "0-4000"), "--cpus 0-4000: this process has no core"),
    "a kind that is not there": (("run", "--cpus", "big"), "--cpus 'big' is neither a list such as 0-3,8 nor a kind"),
    "no layouts": (("run", "--layouts", "0"), "--layouts must be a number from 1 to 16"),
    "more layouts than there are": (("run", "--layouts", "17"), "--layouts must be a number from 1 to 16"),
    "hours without a calibration": (("doctor", "--hours", "2"), "say how long --calibrate measures; give it too"),
    "a calibration that never decides": (("doctor", "--calibrate", "--until-decided", "0"), "--until-decided must be above 0"),
    "a calibration as JSON": (("doctor", "--calibrate", "--format", "json"), "--calibrate prints a table, and stores JSON"),
    "a calibration of no time": (("doctor", "--calibrate", "--hours", "0"), "--hours must be above 0 and at most 100"),
    "no entities": (("run", "--entities", "0"), "--entities 0"),
    "an entity count left out": (("run", "--entities", "1k,"), "'' is not a number"),
    "negative, attached": (("run", "--entities=-5"), "'-5' is not a number"),
    "beyond the memory": (("run", "--entities", "4095M"), "GiB"),
    "no such shard": (("run", "--shard", "3/2"), "--shard '3/2'"),
    "no such cell": (("run", *SMALL, "--cells", "via:fnid"), "no selected cell has 'via:fnid' in its name; there are"),
    "unknown list": (("list", "strategie"), "did you mean 'strategies'?"),
    "unknown format": (("list", "--format", "xml"), "unknown format 'xml'"),
    "unknown report": (("report", "--format", "pdf"), "unknown format 'pdf'; give html, terminal or tables"),
    "no run to report": (("report",), "no run in results/"),
    "not a run": (("report", "nowhere"), "nowhere/results.json"),
    "not a run to resume": (("run", "--resume", "nowhere"), "nowhere/results.json"),
    "two places": (("run", "--resume", "a", "--out", "b"), "--out"),
    "their unknown flag": (("run", "--", "--benchmark_filtr=x"), "did you mean '--benchmark_filter'?"),
    "their flag before --": (("run", "--benchmark_repetitions=9"), "go after --: `stowage run -- --benchmark_repetitions=9`"),
    "their flag for what is ours": (("run", "--", "--benchmark_out=x"), "use --out"),
    "their filter of nothing": (("run", "--", "--benchmark_filter"), "needs a value, as --benchmark_filter=VALUE"),
    "their bad filter": (("run", "--", "--benchmark_filter=("), "not a regular expression"),
    "an empty path": (("report", ""), "an argument is empty"),
    "a bad filter of ours": (("cache", "--cells", "("), "--cells '(' is not a regular expression"),
    "cells said twice": (("run", "--cells", "a", "--", "--benchmark_filter=b"), "give one of them"),
    "their too few repetitions": (("run", "--", "--benchmark_repetitions=3"), "from 6"),
    "their bad time": (("run", "--", "--benchmark_min_time=soon"), "'soon' is not a time"),
    "their bad verbosity": (("run", "--", "--v=loud"), "--v=2"),
    "unknown model": (("cache", "--model", "refrence"), "did you mean 'reference'?"),
    "unknown source": (("cache", "--source", "hardwre"), "did you mean 'hardware'?"),
    "no jobs": (("cache", "--jobs", "0"), "--jobs 0"),
    "less than no jobs": (("cache", "--jobs", "-1"), "--jobs -1: give"),
    "a form of doctor": (("doctor", "--format", "xml"), "unknown format 'xml'; give table or json"),
    "a place for doctor": (("doctor", "results"), "`stowage doctor` has no use for 'results'"),
    "nothing to adopt": (("adopt",), "name a strategy: `stowage adopt STRATEGY`; `stowage list strategies` has them all"),
    "another name to adopt": (("adopt", "fats"), "unknown strategy 'fats'; did you mean 'fast'?"),
    "an unknown name to adopt": (("adopt", "linked_list"), "stowage list strategies"),
    "a floor to adopt": (("adopt", "reference"), "'reference' is no storage"),
    "a peer to adopt": (("adopt", "entt.64bit"), "'entt.64bit' is an adapter to EnTT: take EnTT itself"),
    "a storage that is not ours to adopt": (("adopt", "fast"), "'fast' is not part of the stowage library"),
    "two to adopt": (("adopt", "fast", "twin"), "'twin'"),
} | {f"their flag for {command}": ((command, *rest, "--", "--benchmark_filter=x"), "only `stowage run`")
     for command, *rest in (("verify",), ("cache",), ("compare", "run", "run"), ("doctor",), ("adopt", "fast"),
                            ("recommend", "tiny.toml"))}


@pytest.mark.parametrize("arguments, words", [pytest.param(*case, id=name) for name, case in REFUSED.items()])
def test_is_refused_before_anything_is_written(fake, arguments, words):
    outcome = fake(*arguments)
    if arguments:
        outcome.is_refused(2, words)
    assert outcome.code == 2 and words in outcome.err and os.listdir(fake.directory) == []


@pytest.mark.parametrize("arguments, words", [("--help", "adopt"), ("list --help", "--format table|json"),
                                              ("--version", ".")])
def test_help_and_version_are_no_errors(fake, arguments, words):
    outcome = fake(*arguments.split())
    assert (outcome.code, outcome.err) == (0, "") and words in outcome.out


def test_results_of_another_run_or_a_file_in_place_of_the_directory_are_not_overwritten(fake, small_run):
    before = (fake.directory / "run" / "results.json").read_bytes()
    fake("run", *SMALL, "--out", "run").is_refused(2, "--out run", "--resume run")
    assert (fake.directory / "run" / "results.json").read_bytes() == before
    (fake.directory / "taken").write_text("mine")
    fake("run", *SMALL, "--out", "taken").is_refused(2, "taken", "Not a directory")


@pytest.fixture
def other_user():
    """To root everything is writable, so root becomes another user for the command."""
    if os.geteuid() != 0:
        return {}
    binary = Path(os.environ["STOWAGE_FAKE_BINARY"])
    if not all(path.stat().st_mode & stat.S_IXOTH for path in [binary, *binary.parents]):
        pytest.skip(f"only root may run {binary}")
    return {"user": 65534, "group": 65534, "extra_groups": []}


def test_a_directory_that_may_not_be_written(fake, other_user):
    with tempfile.TemporaryDirectory() as closed:
        Path(closed).chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
        fake.directory = Path(closed)
        outcome = fake("run", *SMALL, "--out", "run", **other_user)
        outcome.is_refused(2, "cannot write run", "Permission denied")


def test_modules_are_not_built_in_a_tree_of_another_user(stowage, other_user):
    toolchain = stowage.toolchain()
    with tempfile.TemporaryDirectory() as closed:
        stowage.directory = Path(closed)
        (stowage.directory / "toolchain.json").write_text(json.dumps({**toolchain, "modules": f"{closed}/modules"}))
        stowage.directory.chmod(0o555)
        outcome = stowage("verify", "--strategies", "indirection_map", "--workloads", "lookup",
                          env={"STOWAGE_TOOLCHAIN": f"{closed}/toolchain.json"}, **other_user)
        outcome.is_refused(3, f"cannot compile in {closed}", "belongs to")


def test_a_storage_is_compiled_elsewhere_if_there_is_no_home(stowage, other_user):
    with tempfile.TemporaryDirectory() as home:
        stowage.directory = Path(home)
        (stowage.directory / "mine.hpp").write_text("")
        stowage.directory.chmod(0o555)
        outcome = stowage("verify", "--storage", "mine.hpp:Mine", **other_user,
                          env={"HOME": f"{home}/none", "XDG_CACHE_HOME": "", "STOWAGE_CACHE_DIR": ""})
        outcome.is_refused(3, f"cannot compile in {home}", "STOWAGE_CACHE_DIR")


def test_a_run_that_cannot_be_written_is_refused_before_anything_is_compiled(stowage, other_user):
    with tempfile.TemporaryDirectory() as closed:
        stowage.directory = Path(closed)
        stowage.directory.chmod(0o555)
        for out in ((), ("--out", "new/run")):
            stowage("run", *out, **other_user).is_refused(2, "cannot write", "choose a directory")


UNUSABLE = [
    pytest.param("<html>", "is not JSON", id="not JSON"),
    pytest.param("", "is not JSON", id="empty"),
    pytest.param('{"context": {"date": "20', "is truncated", id="truncated"),
    pytest.param('{"context": {"num_cpus": 2}, "benchmarks": []}', "not a results file of stowage", id="another program"),
    pytest.param('{"context": {"stowage": {"format": 99}}, "benchmarks": []}', "format 99", id="another version"),
    pytest.param('{"context": {"stowage": {"format": 2}}, "benchmarks": []}', "is damaged", id="incomplete"),
]


@pytest.mark.parametrize("text, words", [*UNUSABLE, pytest.param(None, "Is a directory; give a", id="directory")])
def test_a_results_file_that_cannot_be_used_is_refused_by_every_command_and_by_claims_in_the_words_of_report(fake, text, words):
    """Which of them is read by Python is nothing that a user would know."""
    results = fake.directory / "run" / "results.json"
    results.parent.mkdir()
    results.write_text(text) if text is not None else results.mkdir()
    said = {}
    for command in ("report", "report --format terminal", "run --resume", "gallery --out site", "claims", "compare run"):
        if command != "compare run" or text is None:  # which reads files of other programs, too
            outcome = fake(*command.split(), "run", env=PLAIN_PYTHON if command in ("claims", "compare run") else {})
            outcome.is_refused(2, "run/results.json", words)
            said[command] = outcome.err
    assert said["claims"] == said["report"] or words == "is damaged"  # which each says in its own words
    assert text is None or results.read_text() == text


@pytest.mark.parametrize("command", [
    ("list",), ("list", "--format", "json"), ("--help",), ("list", "--help"), ("verify", *SMALL), ("compare", "run", "run"),
    ("claims", "run"), ("report", "run"), ("report", "run", "--format", "tables"), ("report", "run", "--format", "terminal"),
])
def test_an_answer_that_cannot_be_written_is_an_error(fake, small_run, command):
    with open("/dev/full", "w") as full:
        outcome = subprocess.run([fake.binary, *command], stdout=full, stderr=subprocess.PIPE, text=True, cwd=fake.directory,
                                 env=fake.environment(PLAIN_PYTHON))
    assert outcome.returncode == 3
    told = outcome.stderr.splitlines()[-1]
    assert told.startswith("stowage: ") and "standard output" in told and "Traceback" not in outcome.stderr


@pytest.mark.parametrize("command", [("list",), ("run", *SMALL), ("cache", *SMALL), ("recommend", "game.toml")])
def test_too_few_open_files_are_said_with_the_remedy(fake, command):
    fake(*command, **with_limit(resource.RLIMIT_NOFILE, 32, 32)).is_refused(3, "ulimit -n")
    assert os.listdir(fake.directory) == []
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # to which the limit may be raised, and is
    assert fake("list", **with_limit(resource.RLIMIT_NOFILE, 32, most)).code == 0


@pytest.mark.parametrize("command", [("run", *SMALL, "--out"), ("report",), ("run", "--strategies"), ("run", "--storage")])
def test_what_is_not_utf_8_is_refused(fake, command):
    fake(*command, os.fsdecode(b"a\xff")).is_refused(2, "is not UTF-8")
    assert os.listdir(fake.directory) == []


def test_a_report_below_a_directory_whose_name_is_not_utf_8(fake, small_run, python_with_modules):
    strange = fake.directory / os.fsdecode(b"a\xff")
    (fake.directory / "run").rename(strange)
    fake.directory = strange
    (strange / "run").mkdir()
    (strange / "results.json").rename(strange / "run/results.json")
    for form in ("terminal", "html"):
        outcome = fake("report", "run", "--format", form, env=python_with_modules)
        assert (outcome.code, outcome.err) == (0, "")
