"""Two results files beside each other. They are written here, because no test may depend on what a clock said."""

import json
import os
import subprocess

import pytest

ROUNDS = 9
# A few percent between the rounds, the same in every cell: what differs between two files is what a test makes differ.
NOISE = (1.00, 1.01, 0.99, 1.02, 1.00, 0.98, 1.01, 1.00, 0.99)
STRATEGIES = ("alpha", "beta", "gamma", "delta")


def cell(name, ns, figures):
    entries = [{"name": name, "run_name": name, "run_type": "iteration", "repetitions": ROUNDS, "repetition_index": index,
                "threads": 1, "iterations": 5, "real_time": ns * noise, "cpu_time": ns * noise, "time_unit": "ns",
                "ratio_to_reference": ns * noise / 100} for index, noise in enumerate(NOISE)]
    median = {"name": f"{name}_median", "run_name": name, "run_type": "aggregate", "aggregate_name": "median",
              "real_time": ns, "cpu_time": ns, "time_unit": "ns", "items": 1024, **figures}
    return [*entries, median]


def reference(name):
    return [{**entry, "real_time": 100.0, "cpu_time": 100.0, "ratio_to_reference": 1.0} for entry in cell(name, 100, {})]


def run(slow=1.0, instructions=20, strategies=STRATEGIES, commit="aaaa", l1d="48 KiB"):
    """Twelve blocks; alpha takes `slow` times as long as it did, and beta has so many instructions."""
    benchmarks = []
    for block in range(12):
        parameters = f"entities:{1024 * (block + 1)}"
        benchmarks += reference(f"walk/reference/{parameters}")
        for strategy in strategies:
            ns = 200 * (slow if strategy == "alpha" else 1)
            counted = {"instructions_per_item": instructions if strategy == "beta" else 30, "bytes_per_entity": 56}
            benchmarks += cell(f"walk/{strategy}/{parameters}", ns, counted)
    passes = [{"pass": "cache", "source": "simulated", "details": {"caches": "warm", "l1d": l1d, "ll": "2 MiB"}},
              {"pass": "memory", "source": "counted", "details": {}}]
    return {"context": {"host_name": "vm", "stowage": {"format": 2, "commit": commit, "seed": 1, "passes": passes}},
            "benchmarks": benchmarks}


def foreign(scale=1.0, repetitions=20):
    """What another program with Google Benchmark wrote."""
    benchmarks = [{"name": f"BM_{name}", "run_name": f"BM_{name}", "run_type": "iteration", "real_time": scale * ns * noise,
                   "cpu_time": scale * ns * noise, "time_unit": "us"}
                  for name, ns in (("copy", 3), ("sort", 40)) for noise in (NOISE * 3)[:repetitions]]
    return {"context": {"num_cpus": 2, "library_build_type": "release"}, "benchmarks": benchmarks}


@pytest.fixture
def compare(fake):
    """Writes both files and compares them."""

    def call(before, after, *arguments):
        for name, content in (("a.json", before), ("b.json", after)):
            (fake.directory / name).write_text(json.dumps(content))
        return fake("compare", "a.json", "b.json", *arguments)

    return call


def as_json(outcome):
    return json.loads(outcome.out)


def test_a_run_beside_itself_exceeds_nothing(compare):
    outcome = compare(run(), run(), "--fail-above", "0%")
    assert outcome.code == 0, outcome.err
    assert outcome.err == ""
    assert "0 of 48 cells slower, 0 faster, 48 unchanged, 0 undecided" in outcome.out
    assert "all 96 of 48 cells are equal" in outcome.out
    assert "--fail-above 0% is not exceeded" in outcome.out


def test_a_strategy_that_became_10_percent_slower_is_named_and_fails(compare):
    outcome = compare(run(), run(slow=1.1), "--fail-above", "5%")
    assert outcome.code == 1
    assert outcome.err.splitlines() == ["stowage: worse by more than 5%: 1 strategy in time, 12 cells in time"]
    strategies = [line for line in outcome.out.splitlines() if line.startswith(STRATEGIES)]
    assert strategies[0].split()[:2] == ["alpha", "+10.0%"]
    assert "slower" in strategies[0]
    assert all("unchanged" in line for line in strategies[1:])


@pytest.mark.parametrize("before, after, limit, code", [
    pytest.param(run(), run(slow=1.1), "15%", 0, id="slower by less"),
    pytest.param(run(slow=1.1), run(), "5%", 0, id="faster"),
    pytest.param(run(), run(instructions=22), "5%", 1, id="more instructions"),
    pytest.param(run(), run(instructions=22), "10%", 0, id="not that many more"),
    pytest.param(run(instructions=22), run(), "5%", 0, id="fewer instructions"),
    pytest.param(run(), run(instructions=22, l1d="32 KiB"), "5%", 0, id="other caches"),
])
def test_the_limit_decides_the_exit_code(compare, before, after, limit, code):
    assert compare(before, after, "--fail-above", limit).code == code
    assert compare(before, after).code == 0


def test_a_cell_that_fails_now_exceeds_any_limit(compare):
    broken = run()
    name = "walk/gamma/entities:1024"
    broken["benchmarks"] = [entry for entry in broken["benchmarks"] if entry["run_name"] != name]
    broken["benchmarks"].append({"name": name, "run_name": name, "run_type": "iteration", "error_occurred": True,
                                 "error_message": "checksum differs", "real_time": 0, "cpu_time": 0, "time_unit": "ns"})
    outcome = compare(run(), broken, "--fail-above", "50%")
    assert outcome.code == 1
    assert "1 cell that fails now" in outcome.err
    assert name in outcome.out


def test_json_is_alone_on_stdout_even_where_the_answer_is_no(compare):
    outcome = compare(run(), run(slow=1.1, commit="bbbb"), "--format", "json", "--fail-above", "5%")
    assert outcome.code == 1
    comparison = as_json(outcome)
    assert comparison["differences"] == [{"what": "commit", "before": "aaaa", "after": "bbbb"}]
    assert comparison["fail_above"]["strategies"] == ["alpha"]
    assert comparison["time"]["slower"] == 12
    assert comparison["time"]["strategies"][0]["ratio"] == pytest.approx(1.1)
    assert comparison["counts"]["differ"] == 0
    assert outcome.err.count("\n") == 1


def test_counts_are_compared_exactly(compare):
    comparison = as_json(compare(run(), run(instructions=20 + 1e-12), "--format", "json"))
    assert len(comparison["counts"]["changes"]) == 12
    assert comparison["counts"]["changes"][0]["figure"] == "instructions_per_item"


def test_cells_of_one_side_are_named(compare):
    comparison = as_json(compare(run(), run(strategies=(*STRATEGIES[1:], "epsilon")), "--format", "json"))
    assert comparison["only_before"] == [f"walk/alpha/entities:{1024 * (block + 1)}" for block in range(12)]
    assert len(comparison["only_after"]) == 12
    assert any(note.startswith("12 cells only before: walk/alpha/entities:1024,") for note in comparison["notes"])


def test_other_caches_are_no_change_of_the_program(compare):
    comparison = as_json(compare(run(), run(instructions=99, l1d="32 KiB"), "--format", "json"))
    assert comparison["counts"]["changes"] == []
    assert any("32 KiB" in note for note in comparison["notes"])


def test_files_of_other_programs_are_compared_in_absolute_time_with_a_warning(compare):
    outcome = compare(foreign(), foreign(scale=1.5), "--format", "json", "--fail-above", "5%")
    assert outcome.code == 1
    comparison = as_json(outcome)
    assert [cell["of"] for cell in comparison["time"]["cells"]] == ["real_time_ns"] * 2
    assert comparison["time"]["cells"][0]["before"] > 1000
    assert comparison["time"]["slower"] == 2
    assert comparison["time"]["strategies"] == []
    assert any("absolute times" in note for note in comparison["notes"])


def test_without_repetitions_nothing_is_significant(compare):
    few = foreign(repetitions=1), foreign(scale=9, repetitions=1)
    compare(*few, "--fail-above", "0%").is_refused(2, "no cell with 6 repetitions", "nothing to judge")
    outcome = compare(*few, "--format", "json")
    assert outcome.code == 0
    comparison = as_json(outcome)
    assert comparison["time"]["undecided"] == 2
    assert all(cell["ratio"] == pytest.approx(9) and "ratio_low" not in cell for cell in comparison["time"]["cells"])
    assert "2 of 2 cells are undecided in time: fewer than 6 repetitions" in comparison["notes"]


def test_a_figure_that_is_no_number_is_none(compare):
    odd = foreign()
    for entry in odd["benchmarks"]:
        entry |= {"rate": float("nan"), "left": float("-inf")}  # written as Google Benchmark writes them
    outcome = compare(odd, foreign(scale=1.5), "--format", "json")
    assert outcome.code == 0 and as_json(outcome)["time"]["slower"] == 2


def test_a_number_beyond_all_is_told_with_its_file(compare, fake):
    compare(foreign(), foreign())
    text = (fake.directory / "a.json").read_text()
    (fake.directory / "a.json").write_text(text.replace('"num_cpus": 2', '"num_cpus": 1e999'))
    fake("compare", "a.json", "b.json").is_refused(2, "a.json", "1e999")


def test_a_run_and_a_file_of_another_program_have_nothing_in_common(compare):
    outcome = compare(run(), foreign())
    assert outcome.code == 0
    assert "no cell was measured in both" in outcome.out
    compare(run(), foreign(), "--fail-above", "5%").is_refused(2, "a.json and b.json", "nothing to judge")


def test_markdown_folds_what_is_long(compare):
    outcome = compare(run(), run(slow=1.1), "--format", "markdown", "--fail-above", "5%")
    assert outcome.code == 1
    assert outcome.out.startswith("### stowage: slower or larger\n")
    shown, _, folded = outcome.out.partition("<details>")
    assert shown.count("walk/alpha/") == 10
    assert folded.count("walk/alpha/") == 12
    assert outcome.out.count("<details>") == outcome.out.count("</details>")


def test_the_table_fits_a_terminal(compare):
    outcome = compare(run(), run(slow=1.1, instructions=40, commit="x" * 300))
    assert max(map(len, outcome.out.splitlines()), default=0) <= 400  # a word is not broken
    assert max(len(line) for line in outcome.out.splitlines() if "x" * 300 not in line) <= 100


def test_the_newest_run_is_after_and_the_one_before_it_before(fake):
    for name, slow in (("20250101-000000-vm-quick", 1.0), ("20260101-000000-vm-quick", 1.0), ("20260601-000000-vm-quick", 1.1)):
        (fake.directory / "results" / name).mkdir(parents=True)
        (fake.directory / "results" / name / "results.json").write_text(json.dumps(run(slow=slow)))
    comparison = as_json(fake("compare", "--format", "json"))
    assert "20260101" in comparison["before"]
    assert "20260601" in comparison["after"]
    assert comparison["time"]["slower"] == 12
    comparison = as_json(fake("compare", "results/20250101-000000-vm-quick", "--format", "json"))
    assert "20250101" in comparison["before"]
    assert "20260601" in comparison["after"]
    newest = "results/20260601-000000-vm-quick"
    fake("compare", newest).is_refused(2, newest, "is the newest run")


def test_what_stowage_itself_writes_is_read(fake, small_run):
    comparison = as_json(fake("compare", "run", "run", "--format", "json", "--fail-above", "0%"))
    assert comparison["differences"] == []
    assert comparison["counts"]["changes"] == []
    assert comparison["fail_above"]["exceeded"] is False
    assert all(cell["ratio"] == 1 and cell["of"] == "ratio_to_reference" for cell in comparison["time"]["cells"])


REFUSED = {
    "no run at all": (("compare",), "no run in results/"),
    "a third run": (("compare", "a.json", "a.json", "c.json"), "'c.json' is a third run"),
    "no such file": (("compare", "a.json", "nowhere/b.json"), "cannot read nowhere/b.json: No such file or directory; give a run directory"),
    "a slip": (("compare", "a.json", "a.jsno"), "cannot read a.jsno: No such file or directory; did you mean 'a.json'?"),
    "unknown format": (("compare", "a.json", "a.json", "--format", "markdwon"), "did you mean 'markdown'?"),
    "unknown flag": (("compare", "a.json", "a.json", "--fail-abov", "5%"), "did you mean '--fail-above'?"),
    "limit without a sign": (("compare", "a.json", "a.json", "--fail-above", "5"), "as in 5%"),
    "limit as a share": (("compare", "a.json", "a.json", "--fail-above", "0.05"), "as in 5%"),
    "negative limit": (("compare", "a.json", "a.json", "--fail-above=-5%"), "'-5%' is no limit"),
    "flags for another": (("compare", "a.json", "a.json", "--", "--benchmark_filter=x"), "only `stowage run`"),
}


@pytest.mark.parametrize("arguments, words", [pytest.param(*case, id=name) for name, case in REFUSED.items()])
def test_is_refused(fake, arguments, words):
    (fake.directory / "a.json").write_text(json.dumps(run()))
    fake(*arguments).is_refused(2, words)


@pytest.mark.parametrize("text, words", [
    pytest.param("", "is not JSON", id="empty"),
    pytest.param("{\n<html>", "line 2, column 1", id="not JSON"),
    pytest.param('{"context": {"date": "20', "is truncated", id="truncated"),
    pytest.param("{}", "no `context`", id="something else"),
    pytest.param('{"context": {}, "benchmarks": []}', "nothing was measured", id="nothing in it"),
    pytest.param('{"context": {}, "benchmarks": [{"name": "a"}]}', "entry 1 of `benchmarks` ('a') has no number `real_time`",
                 id="no time"),
])
@pytest.mark.parametrize("is_second", [False, True])
def test_a_file_that_cannot_be_used(fake, text, words, is_second):
    (fake.directory / "good.json").write_text(json.dumps(run()))
    (fake.directory / "bad.json").write_text(text)
    files = ("good.json", "bad.json") if is_second else ("bad.json", "good.json")
    fake("compare", *files).is_refused(2, "bad.json", words)


@pytest.mark.parametrize("is_second", [False, True])
def test_what_can_be_opened_and_not_read(fake, is_second):
    (fake.directory / "good.json").write_text(json.dumps(run()))
    (fake.directory / "run" / "results.json").mkdir(parents=True)
    for path, words in (("run", "cannot read run/results.json: Is a directory; give a run directory"),
                        ("/proc/self/mem", "cannot read /proc/self/mem: Input/output error; give a run directory")):
        files = ("good.json", path) if is_second else (path, "good.json")
        fake("compare", *files).is_refused(2, words)


def test_a_pipe_is_a_file(fake):
    content = json.dumps(run())
    (fake.directory / "a.json").write_text(content)
    process = fake.start("compare", "a.json", "/dev/stdin", stdin=subprocess.PIPE)
    out, err = process.communicate(content, timeout=300)
    assert process.returncode == 0, err
    assert "48 unchanged" in out


def test_comparing_writes_nothing(fake):
    content = json.dumps(run())
    (fake.directory / "a.json").write_text(content)
    fake("compare", "a.json", "a.json")
    assert os.listdir(fake.directory) == ["a.json"]
    assert (fake.directory / "a.json").read_text() == content
