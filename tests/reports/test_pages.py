"""What becomes a record of scripts/checks/pages, and what of its tables no record shows; tests/scripts/test_sources.py
compares the tables of all records with the pages."""

import dataclasses
import json
import lzma
import re
import shutil
import sys
from pathlib import Path

import pytest

from make_answer import answer_of, entry
from make_blocks import make_block, run_of, samples_of
from make_results import Options, write_run
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import Block

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts/checks"))

import lines  # noqa: E402
import mutated_files  # noqa: E402
import pages  # noqa: E402
import peers  # noqa: E402
import performance  # noqa: E402
import timers  # noqa: E402
import worlds  # noqa: E402

PAGE = "above\n<!-- counts: made by scripts/checks/pages -->\nold\n<!-- end of counts -->\nbelow\n"


def block(workload: str, entities: int, to_contract: Estimate | None = None, to_floor: Estimate | None = None,
          strategies=("indirection_map",), **parameters: str) -> Block:
    """With these distances of each strategy."""
    made = make_block(workload, entities, {name: samples_of(1) for name in ("reference", *strategies)}, **parameters)
    return dataclasses.replace(made, cells={name: dataclasses.replace(
        cell, ratio_to_contract=to_contract, ratio_to_reference=to_floor) for name, cell in made.cells.items()})


def distances(made: Block) -> tuple[list[str], str]:
    """Of the strategies in the row of this block, and what was not measured."""
    *_, row, _, lacking = performance.distances([run_of(made)])
    return row.strip("| ").split(" | ")[3:], lacking


@pytest.mark.parametrize("ratio, mark", [(Estimate(1.05, 1.0, 1.2), ""), (Estimate(1.06, 1.0, 1.2), " missed"),
                                         (Estimate(1.2, 1.1, 1.3), " **missed**"), (Estimate(1.2), " missed")])
def test_a_missed_target_is_marked_in_bold_if_that_is_certain_and_what_was_not_measured_is_named(ratio, mark):
    (_, told, *_), lacking = distances(block("point_mass", 16384, ratio))
    assert told.partition("<br>")[0].endswith(mark or ")")
    assert "`churn`" in lacking and "`point_mass`" not in lacking


def test_sections_have_a_target_of_their_own_and_one_of_the_floor_is_held_against_the_floor():
    both = ("indirection_map", "archetype_sections")
    (_, in_map, _, in_sections), _ = distances(block("structural", 16384, Estimate(1.4), strategies=both, grouped="no"))
    assert "missed" in in_map and "missed" not in in_sections
    (_, told, *_), _ = distances(block("hierarchy_flat", 65536, Estimate(1.0), Estimate(9.0, 8.0, 10.0), order="kept",
                                       dirty="none_kept"))
    assert re.fullmatch(r"1\.00 \(no interval\)<br>9\.00 .* \*\*missed\*\*", told)


def test_counts_are_of_one_size():
    large = make_block("lookup", 262144, {"indirection_map": samples_of(1)}, {"indirection_map": {"instructions_per_item": 9}})
    assert len(performance.counts([run_of(large)])) == 2  # the head of the table


def test_what_times_decide_is_not_counted_and_bytes_beside_counts_bring_no_misses_of_other_lines_and_no_times():
    asked = {claim.id: [part for _, part in claim.parts if lines.counts_for(part)] for claim in lines.LEDGER}
    assert [len(asked[name]) for name in ("C1", "C10", "C15", "C35")] == [2, 1, 1, 1]
    assert not asked["C5"] and not asked["C9"] and not asked["C17"]
    held = {"bytes_per_entity": 40}
    beside, = lines.bytes_alone(run_of(make_block("join", 16384, {"hybrid": samples_of(1)}, {
        "hybrid": {"l1d_misses_per_item": 3, **held}}))).blocks
    assert not beside.cells["hybrid"].samples and beside.cells["hybrid"].counters == held


def counted(path, **figures) -> Path:
    """As `stowage cache --format json` prints it."""
    entry = {"name": (name := "point_mass/indirection_map/entities:16384"), "run_name": name, "run_type": "iteration", **figures}
    path.write_text(json.dumps({"context": {"stowage": {"format": 2, "commit": "0123abc", "compiler": "g++ 12.2.0"}},
                                "benchmarks": [entry, entry | {"name": name.replace("indirection_map", "reference"),
                                                               "run_name": name.replace("indirection_map", "reference")}]}))
    return path


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository with one page and one block."""
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "BLOCKS", [each for each in pages.BLOCKS if each.name == "counts"])
    (tmp_path / "docs/record").mkdir(parents=True)
    (tmp_path / "docs/record/README.md").write_text((ROOT / "docs/record/README.md").read_text())
    (tmp_path / "docs/record/performance.md").write_text(PAGE)
    return tmp_path


def test_a_block_follows_from_the_newest_record_and_one_without_is_named_with_its_commands(root, capsys):
    assert pages.main([]) == pages.main(["--write"]) == 0
    said = capsys.readouterr().out
    assert "docs/record/performance.md: counts has no record" in said and "\n    ./scripts/checks/pages --keep counts counts.json" in said
    file = counted(root / "counts.json", instructions_per_item=2, contract_floor="reference")
    assert pages.main(["--keep", "counts", str(file)]) == 0
    assert pages.main([]) == 1 and (root / "docs/record/performance.md").read_text() == PAGE
    assert pages.main(["--write"]) == pages.main([]) == 0
    written = (root / "docs/record/performance.md").read_text()
    assert written.startswith("above\n<!-- counts") and written.endswith("<!-- end of counts -->\nbelow\n")
    assert "commit 0123abc" in written and "| 2 / 2 / 2<br>" in written and "old" not in written
    (root / "docs/record/2001-02-03").mkdir()
    next(root.glob("docs/record/*/counts")).rename(root / "docs/record/2001-02-03/counts")
    pages.main(["--keep", "counts", str(counted(root / "counts.json", instructions_per_item=3))])
    pages.main(["--write"])
    assert "| 3 / - / 3<br>" in (root / "docs/record/performance.md").read_text()


def test_a_page_without_the_block_a_record_of_no_name_and_a_file_of_no_kind_are_refused(root, capsys):
    file = counted(root / "counts.json", instructions_per_item=2)
    assert pages.main(["--keep", "distances", str(file)]) == pages.main(["--keep", "counts"]) == 2
    (root / "text.json").write_text("{}")
    assert pages.main(["--keep", "counts", str(root / "text.json")]) == 2
    assert not pages.stored("counts")
    assert pages.main(["--keep", "counts", str(file)]) == 0
    (root / "docs/record/performance.md").write_text("nothing")
    assert pages.main(["--write"]) == 2 and "has no block of the name counts" in capsys.readouterr().err


@pytest.mark.parametrize("unfit", [{"doctor": "not fit: load"}, {"commit": "0123abc with local changes"}])
def test_what_was_measured_on_a_busy_machine_or_of_changed_code_is_no_record(root, capsys, unfit):
    run = write_run(root / "run", Options(axes={"point_mass": {}}), **unfit)
    assert pages.main(["--keep", "counts", str(run)]) == 2 and not pages.stored("counts")
    assert "/run says \"" + next(iter(unfit.values())) in capsys.readouterr().err


def test_a_record_of_runs_has_nothing_private_and_gives_the_same_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "commands", lambda record: [f"measures {record}"])
    pages.keep("libraries", write_run(tmp_path / "mine", Options(
        strategies=("reference", "indirection_map", "hash_index"), failing=("point_mass/indirection_map/entities:16384",))))
    file, = pages.stored("libraries")
    kept = pages.load_run(file)
    assert kept.host["host_name"] == "host" and file.name == "mine.json.xz"
    text, tables = pages.tables_of(peers.tables)([file]), peers.tables([kept])
    assert tables == peers.tables([pages.load_run(tmp_path / "mine")]) and "\n".join(tables) in text
    assert re.search(r"`point_mass` \| 1k<br>16k<br>256k \| [\d.]+<br>-<br>[\d.]+ \|", text)  # the one that failed
    assert all(told in text for told in ("Example CPU 9000", "commit 0123abc", "measures libraries"))


def test_rates_follow_from_a_calibration_without_the_name_of_its_host(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "FEWEST_RUNS", 5)
    calibration = mutated_files.GOOD["calibration"][0] | {"commit": "0123abc"}
    (tmp_path / "calibration.json").write_text(json.dumps(calibration))
    pages.keep("rates", tmp_path / "calibration.json")
    told = pages.rates_text(pages.stored("rates"))
    assert "commit 0123abc: 5 runs.\n" in told and "| lines that are decided |  | 100.0 %" in told
    assert json.loads(lzma.open(pages.stored("rates")[0]).read())["facts"]["host"] == "host"


def test_what_certainly_differs_between_two_timers_is_bold():
    ours = run_of(block("world.churn", 16384, to_floor=Estimate(2.0, 1.98, 2.02)))

    def told(ratio):
        theirs = run_of(block("world.churn", 16384, to_floor=ratio), timer="google-benchmark")
        return "\n".join(timers.beside_each_other([theirs, ours]))

    assert "**0.909 (" in told(Estimate(2.2, 2.15, 2.25))
    assert "**" not in told(Estimate(2.06, 2.0, 2.12)) + told(Estimate(2.2))
    with pytest.raises(pages.UserError, match="one run of each --timer"):
        timers.beside_each_other([ours])


def test_targets_follow_from_the_notes_of_one_commit(tmp_path, monkeypatch):
    def kept(*commits):
        monkeypatch.setattr(pages, "ROOT", tmp_path)
        notes = [{"commit": commit, "target": "g++", "version": "12.2.0", "strategy": strategy, "checks": 600}
                 for commit in commits for strategy in ("hybrid", "sparse_direct")]
        notes.append(notes[0] | {"target": "wine"})
        (tmp_path / "targets.jsonl").write_text("".join(json.dumps(note) + "\n" for note in notes))
        pages.keep("targets", tmp_path / "targets.jsonl")
        return pages.stored("targets")

    (tmp_path / "strategies").mkdir()
    shutil.copy(pages.ROOT / "strategies/CMakeLists.txt", tmp_path / "strategies")
    monkeypatch.setattr(pages, "commands", lambda record: [f"tries {record}: hybrid- or sparse_direct- or hash_index-"])
    told = pages.targets_text(kept("0123abc"))
    assert "commit 0123abc, with `hash_index`, `hybrid`, `sparse_direct`:" in told and "tries targets" in told
    assert ("| g++ | 12.2.0 | 2 of 3, without `hash_index` | 1,200 |\n"
            "| wine | 12.2.0 | 1 of 3, without `hash_index`, `sparse_direct` | 600 |") in told  # which passed nowhere
    with pytest.raises(pages.UserError, match="at one: 0123abc, 4567def"):
        pages.targets_text(kept("0123abc", "4567def"))


@pytest.mark.parametrize("text", ["", '{"target": "g++"}\n', '{"commit": "0123abc", "tar', "[1]\n"])
def test_what_is_no_note_of_targets_is_refused(root, text, monkeypatch, capsys):
    monkeypatch.setattr(pages, "BLOCKS", [dataclasses.replace(pages.BLOCKS[0], record="targets")])
    (root / "notes.jsonl").write_text(text)
    assert pages.main(["--keep", "targets", str(root / "notes.jsonl")]) == 2 and not pages.stored("targets")
    assert "/notes.jsonl is not what scripts/checks/adopt wrote" in capsys.readouterr().err


def test_runs_of_two_builds_make_no_table(tmp_path):
    runs = [write_run(tmp_path / commit, Options(axes={"point_mass": {}}), commit=commit) for commit in "ab"]
    with pytest.raises(pages.UserError, match="at one commit"):
        pages.tables_of(performance.distances)(runs)


def test_every_block_of_a_page_is_in_the_list():
    found = {(str(page.relative_to(ROOT)), name) for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
             for name in re.findall(r"<!-- (\S+): made by", page.read_text(encoding="utf-8"))}
    assert found == {(block.page, block.name) for block in pages.BLOCKS}
    for block in pages.BLOCKS:
        page = (ROOT / block.page).read_text(encoding="utf-8")
        assert page.count(block.begin) == page.count(block.end) == 1
        assert f"./scripts/checks/pages --keep {block.record} " in pages.commands(block.record)[-1]


def test_two_answers_to_a_world_may_differ_and_what_changes_the_winner_is_named():
    first = answer_of([entry("indirection_map", 1e6), entry("indirection_map.lanes", 1.1e6), entry("naive_objects", 4e6),
                       entry("hash_index", 5e6, bytes_per_entity=None)], tied=[])
    taken, next_design, fewest, changes = worlds.verdict(first, {**first, "winner": "naive_objects"})
    assert taken == "`indirection_map` or `naive_objects`: the two answers differ"
    assert next_design.startswith("`naive_objects`, 4.00") and fewest == "`indirection_map`, 64"
    assert changes == "twice the churn: `sparse_direct`"
    second = {**first, "winner": "indirection_map.lanes", "tied": []}
    assert worlds.taken({**first, "tied": ["indirection_map.lanes"]}, second) == (
        "`indirection_map.lanes`, which alone both answers allow; 1.10 ms a frame")  # its own frame


def test_a_world_needs_two_answers(tmp_path):
    with pytest.raises(pages.UserError, match="a_game: there is no second answer"):
        worlds.beside_each_other({"a_game": answer_of([])}, tmp_path)


def test_what_hangs_on_an_entity_is_created_with_it_and_has_transforms():
    world = {"profile": {"entities": "1k"}, "component": [{"name": "place", "bytes": 12}], "entity_kind": [
        {"name": "tank", "count": 128, "components": ["place"], "created_per_frame": 0.5, "children": [{"kind": "gun", "count": 2}]},
        {"name": "gun", "count": 256, "components": ["place"]}, {"name": "rock", "count": 640, "components": ["place"]}]}
    assert worlds.facts(world) == ["1,024", "2", "1", f"{12 + 128 * 384 / 1024:.0f}", "0, 0, 1.5"]
    by_shares = {**world, "entity_kind": [], "hierarchy": {"share": 0.25, "depth": 2, "fan_out": 3}}
    assert worlds.facts(by_shares) == ["1,024", "by shares", "1", f"{12 + 128 / 4:.0f}", "0, 0, 0"]
