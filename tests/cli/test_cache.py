"""`stowage cache` and the cache pass of `run` with a Valgrind that counts what any machine can count; the real one is
in tests/simulated."""

import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import NO_REPORT, PLAIN_PYTHON, SMALL, medians_of, script, wait_until

FAKE_VALGRIND = Path(__file__).parent / "fake_valgrind.py"
CELLS = ("--strategies", "fast,twin", "--workloads", "walk", "--entities", "1k,2k")
SIMULATED = ("--source", "simulated")  # `auto` counts on the hardware if that has counters


def install(fake, text):
    """Puts a program called valgrind before all others on the PATH."""
    programs = fake.directory / "bin"
    programs.mkdir(exist_ok=True)
    script(programs / "valgrind", text)
    return {"PATH": f"{programs}:{os.environ['PATH']}", "STOWAGE_SIMULATED_BINARY": fake.binary} | PLAIN_PYTHON


@pytest.fixture
def valgrind(fake):
    # By its path: Valgrind has an empty environment, without a PATH.
    return install(fake, f'exec "{shutil.which("python3")}" "{FAKE_VALGRIND}" "$@"')


@pytest.fixture
def no_valgrind(fake):
    empty = fake.directory / "empty"
    empty.mkdir()
    return {"PATH": str(empty)} | PLAIN_PYTHON


def test_json_has_the_figures_of_every_cell_and_stdout_nothing_else(fake, valgrind):
    outcome = fake("cache", *CELLS, *SIMULATED, "--format", "json", env=valgrind).ends_with(0)
    results = json.loads(outcome.out)
    cells = {entry["name"]: entry for entry in results["benchmarks"]}
    assert list(cells) == [f"walk/{strategy}/entities:{entities}/via:each"
                           for entities in (1024, 2048) for strategy in ("reference", "fast", "twin")]
    figures = {"instructions_per_item": 3, "data_reads_per_item": 1, "l1d_misses_per_item": 0.5,
               "l1d_misses_payload_per_item": 0.5, "l1d_misses_index_per_item": 0, "ll_misses_per_item": 0.25}
    for cell in cells.values():
        assert figures.items() <= cell.items() and cell["items"] in (1024, 2048)
    (record,) = results["context"]["stowage"]["passes"]
    assert record["source"] == "simulated" and "no prefetcher" in record["details"]["limits"]
    told = {"model": "reference", "l1d": "48 KiB, 12-way, 64-byte lines", "valgrind": "3.99.0"}
    assert told.items() <= record["details"].items()
    again = fake("cache", *CELLS, *SIMULATED, "--format", "json", "--jobs", "1", env=valgrind)
    assert again.out == outcome.out


def test_a_strategy_without_any_cell_is_named_with_the_reason(fake, valgrind):
    for command in (("cache", *SIMULATED), ("run",)):
        outcome = fake(*command, "--strategies", "fast,narrow", "--workloads", "walk", "--entities", "8k", env=valgrind)
        assert outcome.code == 0, outcome.err
        assert "stowage: narrow is not measured: it has at most 4096 rows of a component" in outcome.err.splitlines()


def test_the_table_says_what_was_simulated_and_within_which_limits(fake, valgrind):
    outcome = fake("cache", *CELLS, "--model", "L1=32k:8,LL=1M:16", "--cold", env=valgrind).ends_with(0)
    assert "walk, via:each: counts per one addition" in outcome.out
    for words in ("floor", "no prefetcher", "32 KiB, 8-way", "1 MiB, 16-way", "cold"):
        assert words in outcome.out
    assert all(len(line) <= 100 for line in outcome.out.splitlines())


def test_if_lines_are_pages_misses_are_those_of_a_tlb_and_floors_in_lines_are_left_out(fake, valgrind):
    outcome = fake("cache", *CELLS, "--model", "tlb-2M", "--format", "json", env=valgrind).ends_with(0)
    results = json.loads(outcome.out)
    for cell in results["benchmarks"]:
        assert {"l1_dtlb_misses_per_item": 0.5, "dtlb_misses_per_item": 0.25}.items() <= cell.items()
        assert not {"l1d_misses_per_item", "ll_misses_per_item", "floor_lines_per_item", "line_use_share"} & cell.keys()
    (record,) = results["context"]["stowage"]["passes"]
    assert record["details"]["l1d"] == "32 pages of 2 MiB, 4-way" and "lines are pages" in record["details"]["limits"]
    table = fake("cache", *CELLS, "--model", "tlb", env=valgrind).out
    assert "L1 TLB" in table and "L1d" not in table.split("counts per", 1)[1].split("instr:", 1)[0]
    assert all(len(line) <= 100 for line in table.splitlines())


def test_floors_count_the_lines_of_the_simulated_caches_and_the_results_say_their_size(fake, valgrind):
    for model, line, floor in (("zen2", 64, 0.5), ("apple-m1", 128, 0.25), ("L1=64k:4,L1i=64k:4,LL=1M:8,line=256", 256, 0.125)):
        outcome = fake("cache", *CELLS, "--model", model, "--format", "json", env=valgrind).ends_with(0)
        results = json.loads(outcome.out)
        record = results["context"]["stowage"]
        assert record["line_bytes"] == line and f"{line}-byte lines" in record["passes"][0]["details"]["l1d"]
        assert {cell["floor_lines_per_item"] for cell in results["benchmarks"]} == {floor}


def test_figures_that_no_python_can_print_are_not_counted_or_are_printed_as_json(fake, valgrind):
    fake("cache", *CELLS, *SIMULATED, env={**valgrind, "STOWAGE_PYTHON": "/nowhere"}).is_refused(3, "/nowhere does not run", "install python3")
    broken = script(fake.directory / "python", '[ "$1" = -c ]')
    outcome = fake("cache", *CELLS, *SIMULATED, env={**valgrind, "STOWAGE_PYTHON": broken})
    assert len(json.loads(outcome.out)["benchmarks"]) == 6 and "results.json" in outcome.err


def test_a_wrong_cell_is_an_error_and_the_exit_code_says_so(fake, valgrind):
    outcome = fake("cache", *SIMULATED, "--strategies", "fast,wrong,throwing", "--workloads", "walk",
                   "--entities", "1k", "--format", "json", env=valgrind).ends_with(1)
    results = json.loads(outcome.out)
    assert {error["cell"].split("/")[1] for error in results["context"]["stowage"]["errors"]} == {"wrong", "throwing"}
    assert "ERROR walk/wrong/entities:1024/via:each: checksum" in outcome.err
    assert "2 cells failed" in outcome.err.splitlines()[-1]


def test_without_valgrind_a_binary_to_simulate_or_a_temporary_directory_the_remedy_is_named(fake, valgrind, no_valgrind):
    fake("cache", *CELLS, *SIMULATED, env=no_valgrind).is_refused(3, "install the package valgrind")
    missing = {**valgrind, "STOWAGE_SIMULATED_BINARY": "/nowhere/stowage"}
    fake("cache", *CELLS, *SIMULATED, env=missing).is_refused(3, "/nowhere/stowage", "scripts/build release stowage")
    fake("cache", *CELLS, *SIMULATED, env={**valgrind, "TMPDIR": "/nowhere"}).is_refused(3, "/nowhere", "TMPDIR")


VERSION = '[ "$1" = --version ] && { echo valgrind-3.0.0; exit; }\n'


@pytest.mark.parametrize("text, words", [
    (f"{VERSION}kill -ILL $$", ["Valgrind 3.0.0 does not know instructions", "-DSTOWAGE_ARCH=x86-64-v3"]),
    (f"{VERSION}exit 5", ["Valgrind 3.0.0 cannot run", "ended with 5"]), ("exit 1", ["--version does not answer"])])
def test_a_valgrind_that_cannot_simulate_is_noticed_before_anything_is_simulated(fake, text, words):
    fake("cache", *CELLS, *SIMULATED, env=install(fake, text)).is_refused(3, *words)


def test_a_cell_that_would_take_too_long_is_left_out_with_the_estimate(fake, valgrind):
    outcome = fake("cache", *SIMULATED, "--strategies", "fast", "--workloads", "walk", "--entities", "64M",
                   "--format", "json", env=valgrind).ends_with(0)
    assert "2 cells left out of the cache pass: it would take about 21 min, see `stowage cache --force`" in outcome.err
    results = json.loads(outcome.out)
    assert results["benchmarks"] == []
    assert len(results["context"]["stowage"]["omissions"]) == 2


def processes_in(group):
    """Those that still run; their parent may not have collected the ended ones yet."""
    listing = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return sum(line.split()[0] == group and "Z" not in line for line in listing.splitlines())


def simulating_children(process):
    """Each leads a group of its own: the simulator and what it runs."""
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return [child for child in children
                if "--tool=callgrind" in Path(f"/proc/{child}/cmdline").read_text() and processes_in(child) > 1]
    except OSError:  # one has ended meanwhile
        return []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_pass_ends_with_130_and_kills_its_children(fake, valgrind, how):
    process = fake.start("cache", "--strategies", "slow", "--workloads", "walk,build", "--entities",
                         ",".join(f"{size}k" for size in range(1, 200)), "--format", "json", env=valgrind)
    groups = wait_until(process, lambda: simulating_children(process))
    process.send_signal(how)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert out == ""
    assert "interrupted" in err.splitlines()[-1]
    assert all(processes_in(group) == 0 for group in groups)


def test_a_run_takes_the_cache_pass_along(fake, valgrind):
    fake("run", *SMALL, "--out", "run", env=valgrind).ends_with(0, NO_REPORT)
    results = fake.results("run")
    medians = medians_of(results)
    assert len(medians) == 6 and all(entry["instructions_per_item"] == 3 and entry["ns_per_item"] > 0 for entry in medians)
    (record,) = [record for record in results["context"]["stowage"]["passes"] if record["pass"] == "cache"]
    assert record["details"]["valgrind"] == "3.99.0"


def test_quick_leaves_large_cells_out_of_the_cache_pass_and_says_so(fake, valgrind):
    outcome = fake("run", "--strategies", "fast", "--workloads", "walk", "--entities", "1k,32k", "--out", "run",
                   env=valgrind)
    assert "2 cells left out of the cache pass: more than 16k entities" in outcome.err
    omissions = fake.results("run")["context"]["stowage"]["omissions"]
    assert [omission["cell"] for omission in omissions] == \
        [f"walk/{strategy}/entities:32768/via:each" for strategy in ("fast", "reference")]


def test_a_run_without_valgrind_goes_on_and_is_completed_when_there_is_one(fake, valgrind, no_valgrind):
    outcome = fake("run", *SMALL, "--out", "run", env=no_valgrind).ends_with(0, NO_REPORT)
    assert "no cache figures: no valgrind" in outcome.err
    passes = fake.results("run")["context"]["stowage"]["passes"]
    assert "cache" not in {record["pass"] for record in passes}

    fake("run", "--resume", "run", env=valgrind)
    assert any(entry.get("l1d_misses_per_item") == 0.5 for entry in fake.results("run")["benchmarks"])


@pytest.fixture
def full_disk(tmp_path):
    place = tmp_path / "full"
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", place]).returncode != 0:
        pytest.skip("only root may mount a small disk")
    with (place / "what is there").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_named(fake, valgrind, full_disk):
    outcome = fake("cache", *CELLS, *SIMULATED, env={**valgrind, "TMPDIR": str(full_disk)})
    outcome.is_refused(3, str(full_disk), "No space left on device", "TMPDIR")
    outcome = fake("run", *SMALL, "--out", full_disk / "run")
    assert outcome.code == 3 and "No space left on device" in outcome.err.splitlines()[-1]


def test_a_killed_command_leaves_no_simulator(fake):
    number = fake.directory / "number"
    hanging = f'[ "$1" != --version ] || {{ echo valgrind-3.99.0; exit; }}\necho $$ >{number}.new\nmv {number}.new {number}\n'
    process = fake.start("cache", *CELLS, *SIMULATED, env=install(fake, f"PATH=/bin\n{hanging}exec sleep 1000"))
    wait_until(process, number.exists)
    process.kill()
    process.communicate()
    while Path(f"/proc/{number.read_text().strip()}").exists():
        time.sleep(0.01)


def test_standard_streams_that_are_closed_are_no_fault_of_valgrind(fake, valgrind):
    def close():
        os.close(0)
        os.close(1)

    outcome = fake("cache", *CELLS, *SIMULATED, env=valgrind, preexec_fn=close)
    assert outcome.code == 3 and "standard output" in outcome.err.splitlines()[-1] and "reinstall" not in outcome.err


# ---- hardware counters, if a machine has them and if it has none


ONE_CELL = ("cache", "--workloads", "walk", "--strategies", "reference,fast", "--entities", "1k")


def test_hardware_counters_are_given_or_refused_in_one_line(fake):
    outcome = fake(*ONE_CELL, "--source", "hardware", "--format", "json")
    if outcome.code == 3:
        outcome.is_refused(3, "no hardware counters: ")
        return
    assert outcome.code == 0, outcome.err
    counted = json.loads(outcome.out)["benchmarks"]
    assert counted
    for entry in counted:
        assert 0 < entry["counted_time_share"] <= 1


def test_the_simulator_is_the_default_without_counters(fake):
    no_programs = {"PATH": str(fake.directory), **PLAIN_PYTHON}
    if fake(*ONE_CELL, "--source", "hardware").code == 0:
        pytest.skip("this machine has hardware counters")
    said, refused = fake(*ONE_CELL, env=no_programs).err.splitlines()
    assert said.startswith("stowage: no hardware counters, so caches are simulated: ")
    assert "valgrind" in refused


def test_what_only_a_simulator_can_do_is_not_asked_of_the_hardware(fake):
    for flags in (("--cold",), ("--force",), ("--model", "host")):
        fake(*ONE_CELL, "--source", "hardware", *flags).is_refused(2, "--source simulated")
