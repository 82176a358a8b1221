"""Two results files beside each other, as `stowage compare` reads and tells of them."""

import json
import re
from dataclasses import dataclass

import pytest

from make_figures import INTERVAL_SAMPLES
from stowage_report.compare.__main__ import main, parse_limit
from stowage_report.compare.read import load_measured_file
from stowage_report.console import UserError

ROUNDS = 9
# A few percent between the rounds, the same in every cell: what differs between two files is what a test makes differ.
NOISE = (1.00, 1.01, 0.99, 1.02, 1.00, 0.98, 1.01, 1.00, 0.99)
STRATEGIES = ("alpha", "beta", "gamma", "delta")


def benchmark(name="BM_sort", ns=200.0, family=0, noise=NOISE, repetitions=ROUNDS, **others):
    """The entries of a benchmark as Google Benchmark writes them."""
    return [{"name": name, "family_index": family, "per_family_instance_index": 0, "run_name": name,
             "run_type": "iteration", "repetitions": repetitions, "repetition_index": index, "threads": 1,
             "real_time": ns * factor, "cpu_time": ns * factor, "time_unit": "ns", **others}
            for index, factor in enumerate(noise[:repetitions])]


def file_of(*benchmarks):
    return {"context": {"num_cpus": 2}, "benchmarks": [entry for entries in benchmarks for entry in entries]}


def cell(name, ns, figures={}, noise=NOISE):
    """As stowage writes it, beside a reference that takes 100."""
    repetitions = [entry | {"ratio_to_reference": entry["real_time"] / 100} for entry in benchmark(name, ns, noise=noise)]
    (median,) = benchmark(name, ns, repetitions=1, run_type="aggregate", aggregate_name="median", **figures)
    return [*repetitions, median]


def run(slow=1.0, instructions=20, strategies=STRATEGIES, commit="aaaa", l1d="48 KiB"):
    """Twelve blocks; alpha takes `slow` times as long as it did, and beta has so many instructions."""
    benchmarks = []
    for block in range(12):
        parameters = f"entities:{1024 * (block + 1)}"
        benchmarks += cell(f"walk/reference/{parameters}", 100, noise=[1] * ROUNDS)
        for strategy in strategies:
            ns = 200 * (slow if strategy == "alpha" else 1)
            counted = {"instructions_per_item": instructions if strategy == "beta" else 30, "bytes_per_entity": 56}
            benchmarks += cell(f"walk/{strategy}/{parameters}", ns, counted)
    passes = [{"pass": "cache", "source": "simulated", "details": {"caches": "warm", "l1d": l1d, "ll": "2 MiB"}},
              {"pass": "memory", "source": "counted", "details": {}}]
    figures = {"cache": ["instructions_per_item"], "memory": ["bytes_per_entity"]}
    return {"context": {"host_name": "vm", "stowage": {"format": 2, "commit": commit, "seed": 1, "passes": passes,
                                                       "figures": figures, "interval_samples": INTERVAL_SAMPLES}},
            "benchmarks": benchmarks}


def foreign(scale=1.0, repetitions=20):
    """What another program with Google Benchmark wrote."""
    return file_of(*(benchmark(name, scale * ns, family, NOISE * 3, repetitions, time_unit="us")
                     for family, (name, ns) in enumerate({"BM_copy": 3, "BM_sort": 40}.items())))


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    def is_refused(self, code, *words):
        assert (self.code, self.out, self.err.count("\n")) == (code, "", 1), self.err
        assert self.err.startswith("stowage: ") and all(word in self.err for word in words), self.err


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    """Writes both files and compares them."""
    monkeypatch.chdir(tmp_path)

    def again(*arguments):
        code = main(["a.json", "b.json", *arguments])
        return Outcome(code, *capsys.readouterr())

    def call(before, after, *arguments):
        for name, content in (("a.json", before), ("b.json", after)):
            (tmp_path / name).write_text(json.dumps(content))
        return again(*arguments)

    call.again = again
    return call


def as_json(outcome):
    return json.loads(outcome.out)


def test_a_run_beside_itself_exceeds_nothing_and_a_strategy_that_became_10_percent_slower_is_named_and_fails(compare):
    outcome = compare(run(), run(), "--fail-above", "0%")
    assert (outcome.code, outcome.err) == (0, "")
    for told in ("0 of 48 cells slower, 0 faster, 48 equal, 0 open", "all 96 figures of 48 cells are equal",
                 "--fail-above 0% is not exceeded"):
        assert told in outcome.out
    outcome = compare(run(), run(slow=1.1), "--fail-above", "5%")
    assert outcome.code == 1
    assert outcome.err.splitlines() == ["stowage: worse by more than 5%: 1 strategy in time, 12 cells in time"]
    strategies = [line for line in outcome.out.splitlines() if line.startswith(STRATEGIES)]
    assert strategies[0].split()[:2] == ["alpha", "+10.0%"]
    assert "slower" in strategies[0]
    assert all(" equal " in line for line in strategies[1:])


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


def test_runs_of_two_timers_are_not_compared(compare):
    theirs = run()
    theirs["context"]["stowage"]["timer"] = "google-benchmark"
    compare(run(), theirs).is_refused(2, "a.json was timed by rounds, b.json by google-benchmark", "--timer")
    assert compare(theirs, theirs).code == 0


def test_json_is_alone_on_stdout_even_if_the_answer_is_no_and_names_cells_of_one_side(compare):
    outcome = compare(run(), run(slow=1.1, commit="bbbb"), "--format", "json", "--fail-above", "5%")
    assert outcome.code == 1
    comparison = as_json(outcome)
    assert comparison["differences"] == [{"what": "commit", "before": "aaaa", "after": "bbbb"}]
    assert comparison["fail_above"]["strategies"] == ["alpha"]
    assert comparison["time"]["slower"] == 12
    assert comparison["time"]["strategies"][0]["ratio"] == pytest.approx(1.1)
    assert comparison["counts"]["differ"] == 0
    assert outcome.err.count("\n") == 1
    comparison = as_json(compare(run(), run(strategies=(*STRATEGIES[1:], "epsilon")), "--format", "json"))
    assert comparison["only_before"] == [f"walk/alpha/entities:{1024 * (block + 1)}" for block in range(12)]
    assert len(comparison["only_after"]) == 12
    assert any(note.startswith("12 cells only before: walk/alpha/entities:1024,") for note in comparison["notes"])


def test_files_of_other_programs_are_compared_in_absolute_time_with_a_warning_and_not_with_a_run(compare):
    outcome = compare(foreign(), foreign(scale=1.5), "--format", "json", "--fail-above", "5%")
    assert outcome.code == 1
    comparison = as_json(outcome)
    assert [cell["of"] for cell in comparison["time"]["cells"]] == ["real_time_ns"] * 2
    assert comparison["time"]["cells"][0]["before"] > 1000
    assert comparison["time"]["slower"] == 2
    assert comparison["time"]["strategies"] == []
    assert any("absolute times" in note for note in comparison["notes"])
    outcome = compare(run(), foreign())
    assert outcome.code == 0 and "no cell was measured in both" in outcome.out
    compare(run(), foreign(), "--fail-above", "5%").is_refused(2, "a.json and b.json", "nothing to judge")


@pytest.mark.parametrize("repetitions", [1, 5])
def test_without_repetitions_nothing_is_significant(compare, repetitions):
    few = foreign(repetitions=repetitions), foreign(scale=9, repetitions=repetitions)
    compare(*few, "--fail-above", "0%").is_refused(2, "no cell with 6 repetitions", "nothing to judge")
    outcome = compare(*few, "--format", "json")
    assert outcome.code == 0
    comparison = as_json(outcome)
    assert (comparison["time"]["open"], comparison["time"]["undecided"]) == (2, 2)
    assert all(cell["ratio"] == pytest.approx(9) and "ratio_low" not in cell for cell in comparison["time"]["cells"])
    assert "2 of 2 cells open in time: fewer than 6 repetitions" in comparison["notes"]


def complexity(name, what):
    return [{"name": f"{name}_{what}", "family_index": 0, "per_family_instance_index": 0, "run_name": name,
             "run_type": "aggregate", "aggregate_name": what, "cpu_coefficient": 3.0, "real_coefficient": 3.0}]


def has_note(comparison, *words):
    return any(all(word in note for word in words) for note in comparison["notes"])


SKIPPED = {"skipped": True, "skip_message": "no AVX-512 here", "real_time": 0.0, "cpu_time": 0.0}
FAILED = {"error_occurred": True, "error_message": "wrong sum", "real_time": 0.0, "cpu_time": 0.0}


@pytest.mark.parametrize("before, after, code, listed", [
    ({}, SKIPPED, 0, "skipped_after"), ({}, FAILED, 1, "failed_after"), (SKIPPED, FAILED, 1, "failed_after"),
    (SKIPPED, {}, 0, "skipped_before"), (SKIPPED, SKIPPED, 0, "skipped_before"), (FAILED, SKIPPED, 0, "failed_before"),
    (FAILED, {}, 0, "failed_before"), (FAILED, FAILED, 0, "failed_before"), (None, FAILED, 0, "only_after"),
    ({}, {"skipped": False, "error_occurred": False}, 0, None),
])
def test_a_skipped_benchmark_is_named_and_only_one_that_fails_now_exceeds_a_limit(compare, before, after, code, listed):
    def side(how):
        if how is None:
            return file_of(benchmark())
        return file_of(benchmark(), benchmark("BM_avx", family=1, repetitions=1 if how.get("real_time") == 0 else ROUNDS,
                                              **how))

    outcome = compare(side(before), side(after), "--fail-above", "5%", "--format", "json")
    assert outcome.code == code and ("1 cell that fails now" in outcome.err) is (code == 1)
    comparison = as_json(outcome)
    if listed is None:
        assert len(comparison["time"]["cells"]) == 2
    else:
        assert comparison[listed] == ["BM_avx"] and has_note(comparison, *listed.split("_"), "BM_avx")
        assert [cell["cell"] for cell in comparison["time"]["cells"]] == ["BM_sort"]


@pytest.mark.parametrize("other, listed", [(benchmark("BM_io", real_time=0.0, cpu_time=0.0), True), (benchmark("BM_io"), False)])
def test_what_has_no_time_on_one_side_is_named(compare, other, listed):
    with_time, without = file_of(benchmark(), benchmark("BM_io")), file_of(benchmark(), other)
    for which, files in (("before", (with_time, without)), ("after", (without, with_time))):
        comparison = as_json(compare(*files, "--format", "json"))
        assert comparison[f"time_only_{which}"] == (["BM_io"] if listed else [])
        assert has_note(comparison, f"time only {which}", "BM_io") is listed
    assert as_json(compare(without, without, "--format", "json"))["without_figures"] == (["BM_io"] if listed else [])


def test_the_rows_of_a_complexity_have_no_time_and_are_named(compare):
    fit = file_of(benchmark("BM_sort/8"), complexity("BM_sort", "BigO"), complexity("BM_sort", "RMS"))
    assert as_json(compare(fit, fit, "--format", "json"))["without_figures"] == ["BM_sort_BigO", "BM_sort_RMS"]


TWICE = {"another family": 1, "the same index again, as in two files that were joined": 0}


@pytest.mark.parametrize("family", TWICE.values(), ids=TWICE)
def test_benchmarks_with_one_name_are_compared_one_by_one(compare, family):
    before = file_of(benchmark(ns=200), benchmark(ns=900, family=family))
    after = file_of(benchmark(ns=200), benchmark(ns=1800, family=family))
    outcome = compare(before, after, "--format", "json", "--fail-above", "5%")
    assert outcome.code == 1
    comparison = as_json(outcome)
    assert comparison["repeated_names"] == ["BM_sort"] and has_note(comparison, "one name", "BM_sort")
    assert comparison["fail_above"]["cells"] == ["BM_sort (2 of 2)"]
    assert {cell["cell"]: round(cell["ratio"]) for cell in comparison["time"]["cells"]} == {
        "BM_sort (1 of 2)": 1, "BM_sort (2 of 2)": 2}
    alone = as_json(compare(before, file_of(benchmark()), "--format", "json"))
    assert alone["time"]["cells"] == [] and alone["only_after"] == ["BM_sort"] and len(alone["only_before"]) == 2


def test_an_interval_that_says_nothing_is_open_and_a_gate_says_how_many_are(compare):
    wild = [0.2, 1.0, 5.0] * 3
    files = [file_of(*(benchmark(f"BM_{number}", family=number) for number in range(11)),
                     benchmark("BM_wild", family=11, noise=noise)) for noise in (wild, wild[::-1])]
    outcome = compare(*files, "--format", "json", "--fail-above", "5%")
    assert outcome.code == 0
    comparison = as_json(outcome)
    verdicts = {cell["cell"]: cell["verdict"] for cell in comparison["time"]["cells"]}
    assert verdicts.pop("BM_wild") == "open" and set(verdicts.values()) == {"equal"}
    counts = {key: comparison["time"][key] for key in ("equal", "open", "unchanged", "undecided")}
    assert counts == {"equal": 11, "open": 1, "unchanged": 11, "undecided": 0}
    assert comparison["fail_above"]["open"] == 1
    for form in ("table", "markdown"):
        assert "1 of 12 cells open" in compare(*files, "--fail-above", "5%", "--format", form).out


@pytest.mark.parametrize("wild, code", [(1e308, 2), (1e29, 2), (10**400, 2), (1e-300, 0), (5e-324, 0), (-5.0, 0)])
@pytest.mark.parametrize("is_before", [True, False])
def test_no_time_is_too_long_or_too_short_for_an_answer(compare, wild, code, is_before):
    files = [file_of(benchmark(), benchmark("BM_wild", real_time=wild, time_unit="s")), file_of(benchmark(), benchmark("BM_wild"))]
    outcome = compare(*files[::1 if is_before else -1], "--format", "json")
    assert outcome.code == code
    if code == 2:
        outcome.is_refused(2, "a.json" if is_before else "b.json")
    else:
        assert "Infinity" not in outcome.out and "NaN" not in outcome.out and "BM_wild" in outcome.out


def test_an_index_may_be_anything_and_a_byte_order_mark_is_not_there(compare, tmp_path):
    odd = file_of(benchmark(family=[]), benchmark(family={}, repetition_index=[]))
    assert compare(odd, odd).code == 0
    plain = compare(foreign(), foreign(), "--format", "json")
    (tmp_path / "b.json").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "b.json").read_bytes())
    assert compare.again("--format", "json") == plain


def test_a_file_beside_itself_is_called_so(compare, tmp_path):
    assert not has_note(as_json(compare(foreign(), foreign(), "--format", "json")), "same file")
    (tmp_path / "b.json").unlink()
    (tmp_path / "b.json").symlink_to("a.json")
    assert has_note(as_json(compare.again("--format", "json")), "same file")


def test_a_figure_that_is_no_number_is_none_and_one_beyond_a_double_is_refused_with_its_file(compare, tmp_path):
    odd = foreign()
    for entry in odd["benchmarks"]:
        entry |= {"rate": float("nan"), "left": float("-inf")}  # written as Google Benchmark writes them
    outcome = compare(odd, foreign(scale=1.5), "--format", "json")
    assert outcome.code == 0 and as_json(outcome)["time"]["slower"] == 2
    compare(foreign(), foreign())
    text = (tmp_path / "a.json").read_text()
    (tmp_path / "a.json").write_text(text.replace('"num_cpus": 2', '"num_cpus": 1e999'))
    compare.again().is_refused(2, "a.json", "1e999")


def test_markdown_folds_what_is_long_and_names_cannot_break_it(compare):
    outcome = compare(run(), run(slow=1.1), "--format", "markdown", "--fail-above", "5%")
    assert outcome.code == 1
    assert outcome.out.startswith("### stowage: slower or larger\n")
    shown, _, folded = outcome.out.partition("<details>")
    assert shown.count("walk/alpha/") == 10
    assert folded.count("walk/alpha/") == 12
    assert outcome.out.count("<details>") == outcome.out.count("</details>")
    odd = run()
    odd["context"]["stowage"]["cpu_model"] = "A | B <script>"
    assert "A \\| B \\<script\\>" in compare(odd, run(), "--format", "markdown").out


def test_markdown_begins_with_what_a_strategy_did_in_all_its_cells_and_with_failures(compare):
    def markdown(after, *options):
        return compare(run(), after, "--format", "markdown", *options).out

    calm, changed = "### stowage: no significant change\n", "### stowage: changes\n"
    assert markdown(run()).startswith(calm)
    slower = markdown(run(slow=1.02))
    assert slower.startswith(changed) and "walk/alpha" not in slower.partition("<details>")[0]  # no cell by itself
    failed = run()
    failed["benchmarks"][-1] |= {"error_occurred": True, "error_message": "wrong"}
    assert markdown(failed).startswith(changed)
    assert markdown(failed, "--fail-above", "5%").startswith("### stowage: new failures\n")


def test_the_table_fits_a_terminal(compare):
    outcome = compare(run(), run(slow=1.1, instructions=40, commit="x" * 300))
    assert max(map(len, outcome.out.splitlines()), default=0) <= 400  # a word is not broken
    assert max(len(line) for line in outcome.out.splitlines() if "x" * 300 not in line) <= 100


def test_files_of_older_versions_have_no_interval_of_the_references(compare):
    old = run()
    del old["context"]["stowage"]["interval_samples"]
    assert "references_ratio" not in as_json(compare(old, old, "--format", "json"))["time"]


def test_what_is_not_known_is_absent_in_json(compare):
    comparison = as_json(compare(run(), foreign(), "--format", "json"))
    assert "fail_above" not in comparison and "references_ratio" not in comparison["time"]
    for cell in as_json(compare(foreign(repetitions=20), foreign(repetitions=2), "--format", "json"))["time"]["cells"]:
        assert "p" not in cell and "ratio_low" not in cell and "reason" in cell


def test_a_limit_is_a_number_and_the_sign_and_nothing_else(compare):
    limits = {"5%": 0.05, "2.5%": 0.025, "0%": 0, "150%": 1.5}
    assert {text: parse_limit(text) for text in limits} == pytest.approx(limits)
    for text in ("%", "5", "0.05", "-5%", "+5%", "5 %", " 5%", "5%%", "5%x", "nan%", "inf%", "1e1%", "five%", ".5%", "5,5%"):
        with pytest.raises(UserError, match=f"--fail-above '{re.escape(text)}' must .*such as 5%"):
            parse_limit(text)
    compare(run(), run(), "--fail-above=").is_refused(2, "--fail-above ''", "such as 5%")


BAD_FILES = {
    "something else": ("{}", "no `context`"),
    "an array": ("[]", "no `context`"),
    "without benchmarks": ('{"context": {}}', "no `benchmarks`"),
    "strange passes": ('{"context": {"stowage": {"passes": [{}]}}, "benchmarks": []}', "context.stowage.passes[0] lacks `pass`"),
    "nothing in it": ('{"context": {}, "benchmarks": []}', "nothing was measured"),
    "no text for a fit": ('{"context": {}, "benchmarks": [{"name": 5, "run_name": "a", "aggregate_name": "RMS"}]}', "benchmarks[0].name must be text"),
    "no time": ('{"context": {}, "benchmarks": [{"name": "a"}]}', "entry 1 of `benchmarks` ('a') has no number `real_time`"),
    "a strange unit": ('{"context": {}, "benchmarks": [{"name": "a", "real_time": 1, "time_unit": "h"}]}', "benchmarks[0].time_unit must be"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_what_is_wrong_with_a_file_is_said_with_its_place(compare, tmp_path, name):
    text, words = BAD_FILES[name]
    compare(run(), run())
    (tmp_path / "b.json").write_text(text)
    compare.again().is_refused(2, "b.json", words)


def test_a_path_is_a_directory_of_a_run_or_a_file_and_of_neither_the_nearest_is_named(tmp_path):
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "results.json").write_text(json.dumps(run()))
    assert len(load_measured_file(str(tmp_path / "first")).cells) == 60
    assert len(load_measured_file(str(tmp_path / "first" / "results.json")).cells) == 60
    for wrong in ("frist", "frist/"):
        with pytest.raises(UserError, match=f"did you mean '{tmp_path / 'first'}'"):
            load_measured_file(str(tmp_path / wrong))
    (tmp_path / "first" / "results.json").unlink()
    (tmp_path / "first" / "results.json").mkdir()
    with pytest.raises(UserError, match="Is a directory; give a run directory"):
        load_measured_file(str(tmp_path / "first"))


def test_files_of_other_programs_are_read_in_their_unit_with_or_without_repetitions(tmp_path):
    entries = [
        {"name": "a/repeats:2", "run_name": "a", "run_type": "iteration", "real_time": 2, "cpu_time": 1, "time_unit": "us"},
        {"name": "a/repeats:2", "run_name": "a", "run_type": "iteration", "real_time": 3, "cpu_time": 1, "time_unit": "us"},
        {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 9},
        {"name": "b_median", "run_name": "b", "run_type": "aggregate", "aggregate_name": "median", "real_time": 5},
        {"name": "old", "real_time": 7, "cpu_time": 7, "time_unit": "ns"},
        {"name": "bad", "run_name": "bad", "run_type": "iteration", "error_occurred": True, "error_message": "no"},
        {"name": "new", "run_name": "new", "run_type": "iteration", "skipped": True, "skip_message": "no"},
        {"name": "b_BigO", "run_name": "b", "run_type": "aggregate", "aggregate_name": "BigO", "real_coefficient": 5}]
    (tmp_path / "a.json").write_text(json.dumps({"context": {"num_cpus": 2}, "benchmarks": entries}))
    file = load_measured_file(str(tmp_path / "a.json"))
    a, b, old, bad, new, complexity = file.cells
    assert not file.is_of_stowage and file.facts == {"processors": "2"}
    assert [(round.real_ns, round.ratio) for round in a.rounds] == [(2000, None), (3000, None)]
    assert (b.rounds, b.median_ns, old.rounds[0].real_ns, bad.error, new.is_skipped) == ([], 5, 7, "no", True)
    assert (complexity.name, complexity.rounds, complexity.median_ns) == ("b_BigO", [], None)
