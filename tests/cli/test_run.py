import fcntl
import json
import os
import re
import resource
import shlex
import shutil
import signal
from pathlib import Path

import pytest

from conftest import (
    BLOCKS, NO_REPORT, PLAIN_PYTHON, SMALL, Stowage, blocks_of, cells_of, medians_of, only_among_all_tests, wait_until,
    with_limit)


def test_a_run_leaves_results_with_what_doctor_says_and_what_each_cell_did(fake, small_run):
    results = fake.results("run")
    assert blocks_of(results) == BLOCKS
    assert {name.split("/")[1] for name in cells_of(results)} == {"reference", "fast", "twin"}
    assert results["context"]["stowage"]["command"] == "stowage run " + " ".join(SMALL) + " --out run"
    assert results["context"]["stowage"]["precision"] in small_run.err
    assert results["context"]["stowage"]["doctor"].startswith(("fit to measure", "not fit to measure"))
    assert all(entry["checksum"].startswith("0x") for entry in medians_of(results))
    for entry in results["benchmarks"]:  # whose names have no suffix of Google Benchmark
        assert entry["run_name"].count(":") == entry["run_name"].count("/") - 1
        assert not [suffix for suffix in ("repeats:", "manual_time", "real_time", "iterations:") if suffix in entry["name"]]
    # progress of a short run that is not on a terminal is no line
    assert not [line for line in small_run.err.splitlines() if not line.startswith("stowage: ")]
    assert "\x1b" not in small_run.err


def test_by_default_runs_go_below_results_and_report_finds_the_newest(fake):
    fake("run", *SMALL)
    (run,) = (fake.directory / "results").iterdir()
    assert run.name.endswith("-quick")
    assert "walk, via:each: ns per one addition" in fake("report", "--format", "tables", env=PLAIN_PYTHON).out


def test_a_run_ends_with_one_screen(fake, python_with_modules):
    outcome = fake("run", *SMALL, "--out", "run", env=python_with_modules).ends_with(0)
    lines = outcome.out.splitlines()
    assert len(lines) <= 45 and max(map(len, lines)) <= 100
    for word in ("fast", "twin", "walk", "build", "run/report/report.html", "report run --format tables"):
        assert word in outcome.out
    assert "\x1b" not in outcome.out
    assert sorted(path.relative_to(fake.directory / "run").as_posix() for path in (fake.directory / "run").rglob("*.*")) \
        == ["report/data.csv", "report/report.html", "results.json"]


def test_plots_are_written_if_asked(fake, python_with_modules):
    fake("run", *SMALL, "--out", "run", "--plots", env=python_with_modules).ends_with(0)
    written = {path.suffix for path in (fake.directory / "run" / "report").rglob("*") if path.is_file()}
    assert written == {".html", ".csv", ".svg", ".png"}


def test_a_cell_that_fails_costs_only_itself_and_the_exit_code_says_so(fake):
    outcome = fake("run", "--strategies", "fast,wrong,throwing,fragile", "--workloads", "walk", "--entities", "1k",
                   "--out", "run").ends_with(1)
    assert "ERROR walk/wrong/entities:1024/via:each: checksum" in outcome.err
    assert "3 cells failed" in outcome.err.splitlines()[-1]
    results = fake.results("run")
    errors = {entry["cell"] for entry in results["context"]["stowage"]["errors"]}
    assert errors == {f"walk/{name}/entities:1024/via:each" for name in ("wrong", "throwing", "fragile")}
    medians = {entry["run_name"] for entry in medians_of(results)}
    assert medians == {f"walk/{name}/entities:1024/via:each" for name in ("reference", "fast")}


def test_repetitions_time_and_filter_of_google_benchmark_are_honoured(fake):
    outcome = fake("run", *SMALL, "--out", "run", "--", "--benchmark_repetitions=6", "--benchmark_min_time=0.001",
                   "--benchmark_filter=build/fast", "--v=2")
    assert outcome.err.count("Running build/fast/entities:1024 for ") >= 6
    results = fake.results("run")
    assert cells_of(results) == ["build/reference/entities:1024", "build/fast/entities:1024"]
    assert {entry["repetitions"] for entry in results["benchmarks"]} == {6}
    assert results["context"]["stowage"]["min_time_s"] == 0.001


def test_shards_are_the_blocks_of_the_whole(fake):
    for shard in ("1/2", "2/2"):
        fake("run", *SMALL, "--shard", shard, "--out", shard[0])
    assert [blocks_of(fake.results(shard))[0] for shard in "12"] == BLOCKS


def measuring_child(process):
    """The process that makes a visit for that of `run`."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return int(wait_until(process, lambda: children.read_text().split())[0])


def interrupted_run(fake, how, to_child=False):
    """A run of slow cells that was sent `how` after its first blocks."""
    process = fake.start("run", "--strategies", "slow", "--workloads", "walk,build", "--entities", "1k,2k,4k",
                         "--out", "run", "--", "--benchmark_repetitions=20", env=PLAIN_PYTHON)
    results = fake.directory / "run" / "results.json"
    wait_until(process, lambda: results.exists() and blocks_of(fake.results("run")))
    os.kill(measuring_child(process) if to_child else process.pid, how)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def measured_in(results):
    """The time of each repetition, by cell and index."""
    return {(entry["run_name"], entry["repetition_index"]): entry["real_time"] for entry in results["benchmarks"]
            if entry["run_type"] == "iteration"}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_its_blocks_and_can_be_resumed(fake, how):
    code, out, err = interrupted_run(fake, how)
    assert code == 130
    assert "stowage run --resume run" in err.splitlines()[-1]
    assert "walk" in out  # the summary
    kept = fake.results("run")
    assert kept["context"]["stowage"]["interrupted"] is True
    assert kept["context"]["stowage"]["blocks_done"] < 6 and measured_in(kept)

    fake("run", "--resume", "run")
    complete = fake.results("run")
    assert complete["context"]["stowage"]["interrupted"] is False
    assert complete["context"]["stowage"]["blocks_done"] == 6
    assert measured_in(kept).items() < measured_in(complete).items()
    cells = {name for name, _ in measured_in(complete)}
    assert {index for _, index in measured_in(complete)} == set(range(20)) and len(measured_in(complete)) == 20 * len(cells)


def test_a_crash_says_where_and_keeps_the_blocks_as_a_killed_run_does(fake):
    code, _, err = interrupted_run(fake, signal.SIGSEGV, to_child=True)
    assert code == 3
    assert re.search(r"^stowage: crashed \(SEGV\) in (walk|build)/\w+/entities:", err, re.MULTILINE)
    assert "stowage run --resume run" in err.splitlines()[-1]
    assert measured_in(fake.results("run"))
    shutil.rmtree(fake.directory / "run")
    assert interrupted_run(fake, signal.SIGKILL)[0] == -signal.SIGKILL
    assert measured_in(fake.results("run"))


def test_a_run_goes_on_when_its_program_is_replaced(fake):
    binary, other = fake.directory / "stowage", fake.directory / "other"
    for copy in (binary, other):
        shutil.copy(fake.binary, copy)
    process = Stowage(str(binary), fake.directory).start("run", *SMALL, "--out", "run", env={"STOWAGE_TOOLCHAIN": "/nowhere"})
    measuring_child(process)
    other.replace(binary)
    _, err = process.communicate(timeout=300)
    assert process.returncode == NO_REPORT, err
    assert fake.results("run")["context"]["stowage"]["blocks_done"] == len(BLOCKS)


def test_each_visit_is_of_another_process_and_all_are_judged_together(fake, small_run):
    results = fake.results("run")
    assert results["context"]["stowage"]["visits"] == 3 and results["context"]["stowage"]["process_scatter"] > 0
    for cell in cells_of(results):
        visits = {entry.get("visit", 0) for entry in results["benchmarks"]
                  if entry["run_name"] == cell and entry["run_type"] == "iteration"}
        assert visits in ({0, 1, 2}, set(range(6)))  # more where something was open


def test_a_run_that_has_ended_goes_on_until_decided(fake, small_run):
    before = measured_in(fake.results("run"))
    fake("run", "--resume", "run", "--until-decided", "0.001").ends_with(NO_REPORT)
    assert before.items() <= measured_in(fake.results("run")).items()


def test_a_run_that_was_measured_until_decided_goes_on_once_more(fake):
    """With what is still open: of two cells that do the same, one probably is."""
    def measured(*arguments):
        fake("run", *arguments, "--until-decided", "0.001", env=PLAIN_PYTHON).ends_with(0, NO_REPORT)
        return max(entry.get("visit", 0) for entry in fake.results("run")["benchmarks"])

    visits = measured("--strategies", "fast,twin", "--workloads", "walk", "--entities", "1k", "--out", "run")
    results = fake.results("run")
    for entry in results["benchmarks"]:  # whatever chance has decided
        scale = 1 + entry.get("repetition_index", 0) % 2
        if "/twin/" in entry["name"] and entry["run_type"] == "iteration":
            entry["real_time"] *= scale
    fake.write_results(fake.directory / "run", results)
    assert measured("--resume", "run") > visits


def test_only_the_disk_of_the_run_counts(fake):
    (fake.directory / "results").write_text("")
    fake("run", *SMALL, "--out", "run", env=PLAIN_PYTHON)
    assert "disk" not in fake.results("run")["context"]["stowage"].get("doctor", "")


def test_a_run_stays_on_the_cores_that_were_named_and_is_resumed_there(fake):
    first, *others = sorted(os.sched_getaffinity(0))
    outcome = fake("run", *SMALL, "--cpus", f"{first}", "--out", "run").ends_with(0, NO_REPORT)
    assert (f"pinned to cores {first}, of cores {first}" in outcome.err) == bool(others)
    assert fake.results("run")["context"]["stowage"]["cpus"] == f"{first}"
    resumed = fake("run", "--resume", "run").ends_with(0, NO_REPORT)
    assert ("pinned to" in resumed.err) == bool(others)
    fake("run", "--resume", "run", "--cpus", f"{first},{first}").is_refused(2, "cannot resume run", "--cpus")


@pytest.mark.parametrize("flag, changed", [
    ("--preset", ("--preset", "standard")),
    ("--strategies", ("--strategies", "fast")),
    ("--workloads", ("--workloads", "walk")),
    ("--entities", ("--entities", "2k")),
    ("--shard", ("--shard", "1/2")),
    ("--benchmark_repetitions", ("--", "--benchmark_repetitions=7")),
    ("--cells", ("--cells", "fast")),
    ("--benchmark_min_time", ("--", "--benchmark_min_time=0.002"))])
def test_a_run_is_not_resumed_by_other_options(fake, small_run, flag, changed):
    before = fake.results("run")
    fake("run", "--resume", "run", *changed).is_refused(2, "cannot resume run", flag)
    assert fake.results("run") == before


def test_a_complete_run_has_nothing_to_resume_and_one_of_another_build_is_not_resumed(fake, small_run):
    before = fake.results("run")
    assert "the results are in run" in fake("run", "--resume", "run").err
    assert fake.results("run")["benchmarks"] == before["benchmarks"]
    fake.change_context("run", {"compiler": "another"})
    fake("run", "--resume", "run").is_refused(2, "the compiler was another")


def test_a_storage_that_only_the_results_name_is_not_compiled(fake, small_run):
    (fake.directory / "evil.hpp").write_text("")
    fake.change_context("run", {"storages": ["evil.hpp:mine::Evil"]})
    fake("run", "--resume", "run").is_refused(2, "cannot resume run", "--storage evil.hpp:mine::Evil")
    fake("run", "--resume", "run", "--storage", "evil.hpp:mine::Other").is_refused(2, "cannot resume run", "--storage")
    fake.change_context("run", {"commit": "0123abc"})  # compiling would end with 3: this command has no toolchain
    fake("run", "--resume", "run", "--storage", "evil.hpp:mine::Evil").is_refused(2, "the commit of the binary")


def test_a_search_and_storages_of_a_file_are_asked_for_again_in_a_command_that_can_be_copied(fake, small_run):
    fake.change_context("run", {"filter": "(.*)*(.*)*z|'", "storages": ["x'; touch y; '.hpp:A"]})  # a search for hours
    outcome = fake("run", "--resume", "run")
    outcome.is_refused(2, "cannot resume run")
    assert shlex.split(re.search("`(.*)`", outcome.err)[1]) == [
        "stowage", "run", "--resume", "run", "--storage", "x'; touch y; '.hpp:A", "--cells", "(.*)*(.*)*z|'"]
    fake.change_context("run", {"filter": "walk", "storages": [], "interrupted": True, "shard": "1/2"})
    assert "--cells walk`" in fake("merge", "run", "--out", "merged").err


@pytest.mark.parametrize("name", ["it's $(touch x) `y`", "-run", "a\x1b[2Jb\nc"])
def test_commands_can_be_copied_and_names_move_no_cursor(fake, small_run, name):
    shutil.copytree(fake.directory / "run", fake.directory / name)
    outcome = fake("merge", f"./{name}", "--out", "merged")
    assert outcome.code == 2 and "\x1b" not in outcome.err and len(outcome.err.splitlines()) == 1
    fake.change_context(name, {"interrupted": True, "shard": "1/2"})
    command = re.search("finish it with `(.*)`", fake("merge", f"./{name}", "--out", "merged").err)[1]
    if "\n" not in name:  # which a shell could be told, but not on one line
        assert shlex.split(command) == ["stowage", "run", "--resume", f"./{name}"]


def test_a_run_records_its_command_as_a_shell_takes_it(fake):
    arguments = ["run", *SMALL, "--out", "it's $(touch x) `y`", "--cells", "walk|build"]
    fake(*arguments)
    assert shlex.split(fake.results(arguments[-3])["context"]["stowage"]["command"]) == ["stowage", *arguments]


def test_a_full_disk_loses_nothing_that_was_measured(fake):
    room = 8 * 1024  # for a run that has measured nothing yet, and not for three cells with the fewest repetitions
    outcome = fake("run", "--strategies", "fast,twin", "--workloads", "walk", "--entities", "1k,2k,4k", "--out", "run",
                   **with_limit(resource.RLIMIT_FSIZE, room, room)).ends_with(3)
    assert "File too large" in outcome.err.splitlines()[-1]
    assert "stowage run --resume run" in outcome.err.splitlines()[-1]
    assert fake.results("run")["context"]["stowage"]["blocks_done"] == 0
    assert 1 <= len(blocks_of(json.loads(outcome.out))) <= 3  # how much depends on how long a write took
    assert [path.name for path in (fake.directory / "run").iterdir()] == ["results.json"]

    fake("run", "--resume", "run")
    assert fake.results("run")["context"]["stowage"]["blocks_done"] == 3


def strip(fake, *words, passes=None):
    """Takes the figures whose names have one of the words out of `run`."""
    stripped = fake.results("run")
    stripped["context"]["stowage"]["passes"] = stripped["context"]["stowage"]["passes"] if passes is None else passes
    for entry in medians_of(stripped):
        for key in [key for key in entry if any(word in key for word in words)]:
            del entry[key]
    fake.write_results("run", stripped)


def test_a_run_without_its_memory_pass_is_resumed_with_it(fake, small_run):
    complete = fake.results("run")
    strip(fake, "bytes", "allocations")
    fake("run", "--resume", "run")
    assert fake.results("run")["benchmarks"] == complete["benchmarks"]


@only_among_all_tests
def test_a_resumed_run_takes_variants_at_the_sizes_at_which_it_began_to(stowage):
    stowage("run", "--preset", "standard", "--workloads", "alive", "--entities", "1k,64k", "--out", "run", "--",
            "--benchmark_min_time=0.0002", "--benchmark_repetitions=6")
    whole = stowage.results("run")
    assert any(".16bit/entities:1024" in name for name in cells_of(whole))
    partial = {**whole, "benchmarks": [entry for entry in whole["benchmarks"] if "entities:65536" not in entry["name"]]}
    (stowage.directory / "run" / "results.json").write_text(json.dumps(partial))
    stowage("run", "--resume", "run")
    assert cells_of(stowage.results("run")) == cells_of(whole) != cells_of(partial)


def test_framed_cells_have_figures_and_the_distribution_of_their_frames(fake, framed_run):
    assert "march, on:wheels: one frame" in fake("report", "run", "--format", "tables", env=PLAIN_PYTHON).out
    results = fake.results("run")
    passes = [record["pass"] for record in results["context"]["stowage"]["passes"]]
    assert passes[:2] == ["frames", "memory"]
    for entry in medians_of(results):
        assert entry["frame_p50_ns"] <= entry["frame_p99_ns"] <= entry["frame_max_ns"]
        assert sum(entry["frame_histogram"]) == entry["frames"] >= 100
        assert ("worst_frame_growths" in entry) == ("/reference" not in entry["name"])
    strip(fake, "frame", passes=[])
    fake("run", "--resume", "run")
    assert all("frame_p50_ns" in entry for entry in medians_of(fake.results("run")))


@pytest.mark.parametrize("named", (["indirection_map", "archetype_sections"],
                                   pytest.param([], marks=only_among_all_tests, id="all base forms")))
def test_the_shipped_strategies_run(stowage, named):
    selection = ["--strategies", ",".join(named)] if named else []
    outcome = stowage("run", *selection, "--entities", "1k", "--workloads", "point_mass,create", "--out", "run", "--",
                      "--benchmark_min_time=0.0002", "--benchmark_repetitions=6", env=PLAIN_PYTHON)
    assert outcome.code in (0, NO_REPORT), outcome.err
    assert all(strategy in outcome.out for strategy in named or ["naive_objects"])
    assert all(len(line) <= 100 for line in outcome.out.splitlines())
    for entry in medians_of(stowage.results("run")):
        parts = [entry[f"{part}_bytes_per_entity"] for part in ("payload", "index", "slack")]
        assert sum(parts) == pytest.approx(entry["bytes_per_entity"])
        assert entry["peak_bytes_per_entity"] >= entry["bytes_per_entity"]
        assert ("bytes_per_entity_after_clear" in entry) == ("/reference" not in entry["name"])
        assert entry["floor_lines_per_item"] > 0


def test_google_benchmark_times_the_cells_of_a_run_under_their_names(stowage):
    cells = ("--strategies", "indirection_map", "--workloads", "lookup,spike", "--entities", "1k")
    stowage("run", *cells, "--timer", "google-benchmark", "--out", "theirs")
    stowage("run", *cells, "--out", "ours")
    theirs, ours = stowage.results("theirs"), stowage.results("ours")
    assert theirs["context"]["stowage"]["timer"] == "google-benchmark" and "timer" not in ours["context"]["stowage"]
    assert not theirs["context"]["stowage"]["errors"]
    assert [entry["name"] for entry in medians_of(theirs)] == [entry["name"] for entry in medians_of(ours)]
    assert all(entry["repetitions"] == 12 and entry["real_time"] > 0 for entry in medians_of(theirs))
    assert {entry.get("visit", 0) for entry in theirs["benchmarks"] if entry["run_type"] == "iteration"} == {0, 1, 2}
    stowage("run", "--resume", "theirs", "--timer", "rounds").is_refused(2, "cannot resume theirs", "--timer")
    stowage("run", *cells, "--timer", "googel").is_refused(2, "unknown timer 'googel'", "google-benchmark")


def test_a_run_in_several_layouts_says_which_each_repetition_had(stowage):
    """The code is the same, at other places: all layouts pass the verification of their cells."""
    stowage("run", "--strategies", "indirection_map", "--workloads", "lookup", "--entities", "1k", "--layouts", "3",
            "--out", "run")
    results = stowage.results("run")
    assert results["context"]["stowage"]["layouts"] == 3
    layouts = {entry.get("layout", 0) for entry in results["benchmarks"]
               if entry["run_type"] == "iteration" and "/indirection_map/" in entry["name"]}
    assert layouts == {0, 1, 2} and not results["context"]["stowage"]["errors"]
    stowage("run", "--resume", "run", "--layouts", "2").is_refused(2, "cannot resume run", "--layouts")


def test_of_two_runs_into_one_directory_one_is_refused(fake):
    processes = [fake.start("run", *SMALL, "--out", "same") for _ in range(2)]
    said = [process.communicate()[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [2, NO_REPORT]
    (refusal,) = [err for process, err in zip(processes, said) if process.returncode == 2]
    assert "same" in refusal and "name another directory" in refusal.splitlines()[-1]
    assert blocks_of(fake.results("same")) == BLOCKS


@pytest.mark.parametrize("command", [
    ("run", *SMALL, "--out", "run"), ("run", "--resume", "run"), ("merge", "shard-1", "shard-2", "--out", "run"),
    ("recommend", "game.toml", "--out", "run"), ("doctor", "--calibrate"),
])
def test_a_directory_in_use_is_refused_with_its_holder(fake, command):
    for shard in (1, 2) if "merge" in command else ():
        fake("run", *SMALL, "--shard", f"{shard}/2", "--out", f"shard-{shard}")
    if "recommend" in command:
        fake("recommend", "--init")
    directory = fake.directory / ("results" if "doctor" in command else "run")
    directory.mkdir()
    descriptor = os.open(directory, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        fake(*command).is_refused(2, f"{directory.name} is in use by process {os.getpid()} ")
    finally:
        os.close(descriptor)


def test_runs_that_begin_together_have_directories_of_their_own(fake):
    processes = [fake.start("run", *SMALL) for _ in range(3)]
    for process in processes:
        process.communicate()
    runs = list((fake.directory / "results").iterdir())
    assert len(runs) == 3 and all((run / "results.json").is_file() for run in runs)
