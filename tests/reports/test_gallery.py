"""The gallery: what wins where, what holds everywhere, and a site that is ours alone."""

import json
import lzma
import re
import shutil

import pytest

import make_results
from make_blocks import make_block, run_of, samples_of
from make_results import Options
from stowage_report.__main__ import main as report_main
from stowage_report.claims.__main__ import main as claims_main
from stowage_report.console import UserError
from stowage_report.data.load import load_run, load_runs
from stowage_report.gallery.__main__ import main
from stowage_report.gallery.agreement import Agreement, claims_of, labels_of, rows_of
from stowage_report.gallery.site import Entry, index_html, write_site
from stowage_report.gallery.submission import submission_text
from test_report import Outline

STRATEGIES = ("reference", "sparse_direct", "indirection_map", "hash_index")
AXES = {"point_mass": {}, "lookup": {"components": ("1",)}}


@pytest.fixture
def make(tmp_path, monkeypatch):
    """A run in which some strategies take other times than usual, on a machine or by a compiler of that name."""
    typical = make_results._typical_ns

    def made(name, times={}, repetitions=None, axes=AXES, strategies=STRATEGIES, **context):
        monkeypatch.setattr(make_results, "_typical_ns",
                            lambda workload, strategy, *rest: typical(workload, strategy, *rest) * times.get(strategy, 1))
        options = Options(sizes=(1024, 16384), axes=axes, strategies=strategies, repetitions=repetitions)
        return load_run(make_results.write_run(tmp_path / name, options, **{"doctor": "fit to measure", **context}))

    return made


#: `sparse_direct` certainly ahead of all, certainly behind, and as good as another.
AHEAD, WORSE, EQUAL = {"sparse_direct": 0.5}, {"sparse_direct": 2.0}, {"sparse_direct": 0.5, "indirection_map": 0.495}

WIDE = [1.08 * value for value in (1.0, 1.4, 0.8, 1.3, 0.9, 1.2, 1.1)]


def row(runs, kind="Iteration (dense)"):
    return next(row for row in rows_of(runs) if row.kind.name == kind)


@pytest.mark.parametrize("second, agreement, everywhere, told", [
    (AHEAD, Agreement.HOLDS, ["sparse_direct"], "certainly ahead in every run."),
    (EQUAL, Agreement.EQUAL, ["sparse_direct"], "ahead in 1"),
    (WORSE, Agreement.DEPENDS, [], "no storage is among the best in every run."),
])
def test_what_is_ahead_in_one_run_and_so_in_another_agrees(make, second, agreement, everywhere, told):
    found = row([make("a", AHEAD), make("b", second)])
    assert (found.agreement, found.everywhere) == (agreement, everywhere) and told in found.told
    assert len(found.cells[1].leaders) > 1 or second is not EQUAL  # or this tests nothing


def test_what_is_certain_at_one_size_and_open_at_another_is_open():
    """As the report of such a run says, although the mean over both is certain."""
    run = run_of(make_block("point_mass", 1024, {"first": samples_of(1), "second": samples_of(9)}),
                 make_block("point_mass", 16384, {"first": samples_of(1, WIDE), "second": samples_of(1)}), process_scatter=0.01)
    found = row([run, run])
    assert found.cells[0].verdict.sizes_apart and not found.cells[0].verdict.others  # or this tests nothing
    assert found.agreement is Agreement.OPEN and "certainly ahead in none" in found.told and found.never == []


def test_what_is_equal_to_the_pick_and_what_is_open_are_counted_apart():
    times = {"first": samples_of(1), "second": samples_of(1.001)} | {name: samples_of(1.1, WIDE) for name in ("third", "fourth")}
    page = index_html([Entry(1, run_of(make_block("point_mass", 1024, times), process_scatter=0.01), "one")])
    assert [" ".join(each) for each in re.findall(r'class="mark">(\w+)</span> (\w+)(.*?)</small>', page)] == [
        "equal second ", "open third  +1"]


def test_a_run_that_decides_nothing_neither_agrees_nor_disagrees(make):
    few = make("few", WORSE, repetitions=3)  # no intervals
    found = row([make("a", AHEAD), few])
    assert found.agreement is Agreement.UNDECIDED and found.cells[1].leaders == []
    holds = row([make("b", AHEAD), make("c", AHEAD), few])
    assert holds.agreement is Agreement.HOLDS and holds.told == "certainly ahead in every run that decides (2 of 3)."
    without = make("without", axes={"lookup": {"components": ("1",)}})
    assert row([make("d", AHEAD), without]).cells[1].verdict is None


@pytest.mark.parametrize("second, agreement", [
    (("reference", "indirection_map", "hash_index"), Agreement.INCOMPARABLE), (STRATEGIES, Agreement.DEPENDS)])
def test_runs_of_other_strategies_are_not_said_to_depend_on_the_machine(make, second, agreement):
    """The second run is of the same machine and compiler."""
    runs = [make("a", AHEAD), make("b", WORSE, strategies=second)]
    found = row(runs)
    assert found.agreement is agreement and ("sparse_direct" in found.told) == (second != STRATEGIES)
    entries = [Entry(number, run, run.name) for number, run in enumerate(runs, 1)]
    assert "depends on" not in index_html(entries)


def test_what_is_worse_in_every_run_is_named(make):
    runs = [make("a", {"hash_index": 3.0}), make("b", {"hash_index": 5.0})]
    [(least, most)] = [its[1:] for its in row(runs).never if its[0] == "hash_index"]
    assert 1 < least < most
    assert "hash_index" not in [name for name, _, _ in row([runs[0], make("c", {"hash_index": 0.5})]).never]


def test_claims_are_decided_by_each_run_alone(make):
    claims = claims_of([make("a"), make("b")])
    assert claims and all(len(each.evaluations) == 2 for each in claims)
    assert next(each for each in claims if each.claim.id == "C9").agrees  # which is computed


def test_labels_say_what_differs(make):
    runs = [make("a", compiler="GNU 12.2.0", flags="-O3 -march=x86-64-v3"),
            make("b", compiler="Clang 19.1.7", flags="-O3 -march=x86-64-v3"),
            make("c", compiler="GNU 12.2.0", flags="-O3 -march=x86-64-v2")]
    assert labels_of(runs) == ["g++ 12, x86-64-v3", "clang++ 19, x86-64-v3", "g++ 12, x86-64-v2"]
    assert labels_of([runs[0], make("d", cpu_model="A toaster", flags="-O3 -march=x86-64-v3")]) == [
        "Example CPU 9000", "A toaster"]
    one = make("one", cpu_model="AMD EPYC 7763 64-Core Processor", compiler="GNU 12.2.0", flags="")
    other = make("other", cpu_model="Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz", compiler="GNU 12.2.0", flags="")
    assert labels_of([one, other]) == ["AMD EPYC 7763", "Intel Xeon Platinum 8370C"]
    same = labels_of([runs[0], make("e", compiler="GNU 12.2.0", flags="-O3 -march=x86-64-v3")])
    assert len(set(same)) == 2


def test_each_figure_leads_to_its_run_and_the_run_says_where_it_is_from(make, tmp_path):
    runs = [make("a", AHEAD, commit="aaaa111"), make("b", WORSE, commit="bbbb222", doctor="not fit to measure: steal time")]
    index = write_site(runs, tmp_path / "site")
    assert write_site(runs, tmp_path / "again").read_bytes() == index.read_bytes()
    page = index.read_text(encoding="utf-8")
    for told in ("aaaa111", "bbbb222", "not fit to measure: steal time", "stowage run --preset quick", "Example CPU 9000"):
        assert told in page
    outline = Outline(page)
    assert not outline.skips_levels()
    links = [link for link in outline.attributes("href") if not link.startswith("data:")]
    assert len(links) > 20
    for link in links:
        file, _, anchor = link.partition("#")
        target = (index.parent / file) if file else index
        assert target.is_file(), link
        assert not anchor or f'id="{anchor}"' in target.read_text(encoding="utf-8"), link


def test_a_run_without_a_verdict_of_doctor_is_not_called_unfit(make):
    page = index_html([Entry(number, make(str(number), doctor=verdict), str(number)) for number, verdict in enumerate(
        ("fit to measure", "not fit to measure: load", "", ""), 1)])
    assert "fit to measure in 1 of 4 runs" in page and "no recorded verdict in 2 of 4 runs" in page


def test_the_page_needs_neither_scripts_nor_a_network(make):
    page = index_html([Entry(1, make("a"), "<one>"), Entry(2, make("b", WORSE), "two")])
    assert "<script" not in page and "://" not in page and "<one>" not in page
    assert "default-src 'none'" in page and "url(" not in page


def test_only_a_gallery_is_replaced(make, tmp_path, capsys):
    runs, site = [make("a", AHEAD), make("b", WORSE)], tmp_path / "site"
    write_site(runs, site)
    (site / "CNAME").write_text("example.org")
    write_site(runs[:1], site)
    assert sorted(each.name for each in (site / "runs").iterdir()) == ["1-a"]
    assert (site / "CNAME").read_text() == "example.org"
    (foreign := tmp_path / "mine").mkdir()
    (foreign / "index.html").write_text("<p>mine</p>")
    assert main([str(tmp_path / "a"), "--out", str(foreign)]) == 2
    assert (foreign / "index.html").read_text() == "<p>mine</p>" and "not a gallery of stowage" in capsys.readouterr().err
    assert not list(tmp_path.glob(".gallery-*"))


@pytest.mark.parametrize("command", [main, report_main, claims_main])
def test_a_run_given_twice_is_refused(make, tmp_path, capsys, command):
    make("a")
    shutil.copytree(tmp_path / "a", tmp_path / "copy")
    for again in ("a", "copy"):
        assert command([str(tmp_path / "a"), str(tmp_path / again), *["--out", str(tmp_path / "site")] * (command is main)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and "a and " in err and f"{again} are the same run" in err
    assert not (tmp_path / "site").exists() and not list((tmp_path / "a").glob("report*"))
    results = json.loads((tmp_path / "a" / "results.json").read_text())
    results["benchmarks"] *= 2
    (tmp_path / "a" / "results.json").write_text(json.dumps(results))
    with pytest.raises(UserError, match="is there twice"):
        load_run(tmp_path / "a")


def test_a_submission_is_read_as_its_run_and_a_damaged_one_is_named(make, tmp_path, capsys):
    run = make("a", AHEAD)
    packed = tmp_path / "a.json.xz"
    text = submission_text(json.loads((tmp_path / "a" / "results.json").read_text()), 24)
    packed.write_bytes(lzma.compress(text.encode()))
    loaded = load_run(packed)
    assert loaded.blocks == run.blocks and loaded.name == "a"
    assert "24 cells run again" in write_site([loaded], tmp_path / "site").read_text(encoding="utf-8")
    packed.write_bytes(packed.read_bytes()[:-20])
    assert main([str(packed), "--out", str(tmp_path / "other")]) == 2
    assert "a.json.xz is damaged" in capsys.readouterr().err


def test_a_merged_run_and_its_submission_are_the_same_run(make, tmp_path):
    make("a")
    document = json.loads((tmp_path / "a/results.json").read_text())
    for entry in document["benchmarks"]:
        entry["host"] = f"bench-{'lookup' in entry['run_name']}"
    (tmp_path / "a/results.json").write_text(json.dumps(document))
    (tmp_path / "b.json.xz").write_bytes(lzma.compress(submission_text(document, 1).encode()))
    with pytest.raises(UserError, match="are the same run"):
        load_runs([tmp_path / "a", tmp_path / "b.json.xz"])


def test_a_file_that_was_not_submitted_is_no_run_of_a_gallery(make, tmp_path, capsys):
    make("a")
    for name, content in (("a/results.json", None), ("b.json.xz", lzma.compress((tmp_path / "a/results.json").read_bytes()))):
        if content:
            (tmp_path / name).write_bytes(content)
        assert main([str(tmp_path / name), "--out", str(tmp_path / "site")]) == 2
        assert f"{name} is no file of `stowage submit`; give such a file, or the directory" in capsys.readouterr().err


@pytest.mark.parametrize("key, before, after", [
    ("command", "stowage run --out /home/anna/x --cells 'a|b'", "stowage run --cells 'a|b'"),
    ("command", "stowage run --resume '/home/anna b/x'", "stowage run"),
    ("command", """stowage run --out 'it'"'"'s /home/anna' --tables""", "stowage run --tables"),
    ("command", """stowage run --out='it'\\''s /home/anna' -- --benchmark_filter=a""", "stowage run -- --benchmark_filter=a"),
    ("command", "stowage run --out /home/anna\\ b/x --storage=../anna.hpp:X --preset quick", "stowage run --preset quick"),
    ("command", "stowage run --out 'it's /home/anna' --tables", "stowage run"),  # as older versions quoted it
    ("command", "/home/anna/stowage run", "stowage run"),
    ("flags", "-O3 -I/home/anna/include -ffile-prefix-map=/home/anna/x=.", "-O3 -IPATH -ffile-prefix-map=PATH"),
    ("flags", "-O3 '-I/home/anna b/include' -include ../anna/x.h -Wl,-rpath,/anna", "-O3 -IPATH -include PATH PATH"),
    ("omissions", [{"reason": "and/or bench: ~/anna b/c"}], [{"reason": "and/or host: PATH"}]),
    ("os", "Debian GNU/Linux 12 (bookworm), Linux 6.1.0-18-company", "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"),
])
def test_what_is_private_is_replaced(key, before, after):
    results = make_results.results(Options(sizes=(1024,), axes={"point_mass": {}}, strategies=STRATEGIES))
    results["context"]["stowage"][key] = before
    packed = json.loads(submission_text(results, 1))
    assert packed["context"]["stowage"][key] == after
    assert packed["context"]["host_name"] == "host" and "the host name" in packed["context"]["stowage"]["submission"]["replaced"]
