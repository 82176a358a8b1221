"""What scripts/checks/pages makes of records: distances beside the target of each kind of work, times beside the reference,
exact counts, rates; and what becomes a record."""

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
from make_results import Options, results, write_run
from stowage_report.data.estimates import Estimate
from stowage_report.data.load import load_counts
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

K = 1024
PAGE = "above\n<!-- counts: made by scripts/checks/pages -->\nold\n<!-- end of counts -->\nbelow\n"


def block(workload: str, entities: int, to_contract: Estimate, strategies=("indirection_map",), floor="reference.store",
          to_floor=Estimate(9.0, 8.0, 10.0), **parameters) -> Block:
    """With that distance of each strategy from the row that a results file names."""
    made = make_block(workload, entities, {"reference": samples_of(1), floor: samples_of(1),
                                           **{name: samples_of(2) for name in strategies}}, **parameters)
    cells = {name: dataclasses.replace(cell, ratio_to_contract=to_contract, contract_floor=floor,
                                       ratio_to_reference=to_floor) for name, cell in made.cells.items()}
    return dataclasses.replace(made, cells=cells)


def rows(*blocks: Block, table=performance.distances):
    """As dictionaries by the name of the column."""
    head, _, *its = (line for line in table([run_of(each) for each in blocks]) if line.startswith("|"))
    return [dict(zip(cells_of(head), cells_of(row))) for row in its]


def cells_of(line: str) -> list[str]:
    return [text.strip(" `") for text in line.strip("|").split("|")]


def test_a_row_has_both_distances_and_the_target():
    row, = rows(block("point_mass", 16 * K, Estimate(1.04, 1.02, 1.06)))
    assert (row["entities"], row["target"], row["archetype_sections"]) == ("16k", "1.05", "-")
    to_code, to_floor = row["indirection_map"].split("<br>")
    assert to_code.startswith("1.04 (1.02") and to_floor.startswith("9.00 (8.00") and "missed" not in to_floor


@pytest.mark.parametrize("ratio, mark", [(Estimate(1.05, 1.0, 1.2), ""), (Estimate(1.06, 1.0, 1.2), " missed"),
                                         (Estimate(1.2, 1.1, 1.3), " **missed**"), (Estimate(1.2), " missed")])
def test_a_missed_target_is_marked_in_bold_if_that_is_certain(ratio, mark):
    row, = rows(block("point_mass", 16 * K, ratio))
    assert row["indirection_map"].partition("<br>")[0].endswith(mark or ")")


def test_targets_depend_on_parameters_sizes_and_the_kind_of_storage():
    one = Estimate(1.0, 1.0, 1.0)

    def told(*arguments, **parameters):
        return [row["target"] for row in rows(block(*arguments, **parameters))]

    assert told("structural", 16 * K, one, grouped="no") == ["1.3, in sections 1.5"]
    assert told("structural", 16 * K, one, grouped="yes") == told("join", 16 * K, one, via="find") == []
    assert told("lookup", 4 * K * K, one, components="4") == ["1.15"]
    assert told("alive", 4 * K * K, one) == told("lookup", K, one, components="4") == []
    assert [told("create", 16 * K, one, how="bulk", memory=memory) for memory in ("reserved", "growing")] == [["1.3"], ["1.5"]]
    assert [told("serialize", 16 * K, one, what="load", ids=ids) for ids in ("none", "xor")] == [["1.3"], ["1.5"]]


def test_sections_have_a_target_of_their_own_and_one_of_the_floor_is_held_against_the_floor():
    both = ("indirection_map", "archetype_sections", "hash_index")
    row, = rows(block("structural", 16 * K, Estimate(1.4, 1.4, 1.4), both, grouped="no"))
    assert "missed" in row["indirection_map"] and "missed" not in row["archetype_sections"] and "hash_index" not in row
    row, = rows(block("hierarchy_flat", 64 * K, Estimate(1.0, 1.0, 1.0), order="kept", dirty="none_kept"))
    to_code, to_floor = row["indirection_map"].split("<br>")
    assert row["target"] == "1.5 of the floor" and "missed" not in to_code and "**missed**" in to_floor


def test_counts_are_those_of_the_strategy_its_contract_floor_and_the_floor():
    def counted(entities):
        made = block("lookup", entities, Estimate(1.0), ("archetype_sections",), "reference.sections", components="1")
        counts = {"archetype_sections": 24, "reference.sections": 16, "reference": 8}
        return dataclasses.replace(made, cells={name: dataclasses.replace(cell, counters={
            "instructions_per_item": counts[name], "l1d_misses_per_item": counts[name] / 8})
            for name, cell in made.cells.items()})

    row, = rows(counted(16 * K), table=performance.counts)
    assert (row["archetype_sections"], row["sparse_direct"]) == ("24 / 16 / 8<br>3 / 2 / 1<br>- / - / -", "-")
    assert rows(counted(256 * K), table=performance.counts) == []


def test_counts_of_two_compilers_stand_side_by_side_and_many_more_are_in_bold():
    def counted(*counts):
        made = block("join", 16 * K, Estimate(1.0), ("sparse_direct", "hash_index"), order="same")
        return run_of(dataclasses.replace(made, cells={name: dataclasses.replace(cell, counters={"instructions_per_item": count})
                                                       for (name, cell), count in zip(made.cells.items(), (9, 9, *counts))}))

    told, *_, row = performance.by_two_compilers([counted(10, 20), counted(13, 22)])
    assert told.startswith("In 1 of 2 cells") and "median ratio is 1.20, the largest 1.30" in told
    assert row == "| `join` order:same | **10 / 13** | 20 / 22 |"


def test_of_several_runs_a_row_has_the_median_and_their_range_and_what_none_has_is_named():
    for lowest, told in (1.1, "1.30 (1.10–2.00) missed<br>"), (1.2, "1.30 (1.20–2.00) **missed**<br>"):
        row, = rows(*(block("alive", 16 * K, Estimate(ratio, 1.0, 9.0)) for ratio in (1.3, lowest, 2.0)))
        assert row["indirection_map"].startswith(told)
    *_, lacking = performance.distances([run_of(block("alive", 16 * K, Estimate(1.0)))])
    assert "`churn`" in lacking and "`alive`" not in lacking


def row_of(lines: list[str], place: str, entities: str) -> dict[str, str]:
    """The cells of the first row of PLACE, at that size, by the name of their column."""
    cells = [cells_of(line) for line in lines if line]
    row = next(its for its in cells if its[0] == place)
    at = row[1].split("<br>").index(entities)
    return {name: text.split("<br>")[at] for name, text in zip(cells[0][2:], row[2:])}


def test_times_stand_as_ratios_to_the_reference_and_a_failed_cell_is_a_dash(run):
    told = row_of(peers.tables([run]), "point_mass", "16k")
    block = next(block for block in run.blocks if (block.workload, block.entities) == ("point_mass", 16384))
    assert float(told["indirection_map"].lstrip("~")) == pytest.approx(
        block.cells["indirection_map"].ratio_to_reference.median, rel=0.01)
    assert "reference" not in told
    told = row_of(peers.tables([run]), "join` order:same via:each", "16k")
    assert told["hash_index"] == "-" and told["indirection_map"] != "-"


def counted(path, **figures) -> Path:
    """As `stowage cache --format json` prints it."""
    entry = {"name": (name := "point_mass/indirection_map/entities:16384"), "run_name": name, "run_type": "iteration", **figures}
    path.write_text(json.dumps({"context": {"stowage": {"format": 2, "commit": "0123abc", "compiler": "g++ 12.2.0"}},
                                "benchmarks": [entry, entry | {"name": name.replace("indirection_map", "reference"),
                                                               "run_name": name.replace("indirection_map", "reference")}]}))
    return path


def test_counts_of_peers_stand_in_a_table_of_their_own(tmp_path, run):
    file = counted(tmp_path / "counts.json", instructions_per_item=6.5, l1d_misses_per_item=0.875)
    _, told = "\n".join(peers.tables([load_counts(file), run])).split("\n\n")
    told = row_of(told.splitlines(), "point_mass", "16k")
    assert told == {"reference": "6.50, 0.875", "indirection_map": "6.50, 0.875"}


def in_lines_of(line_bytes: int, misses: float):
    """Of C11: what one loop over scattered objects misses, beside the floor in such lines."""
    made = make_block("join", 16 * K, {"object_indices": samples_of(1)}, order="scattered", via="find",
                      counters={"object_indices": {"l1d_misses_per_item": misses, "floor_lines_per_item": 48 / line_bytes}})
    return run_of(made, line_bytes=line_bytes, passes=[{"details": {"model": f"of {line_bytes}"}}])


def test_claims_about_misses_stand_side_by_side_in_lines_of_each_size():
    head, _, row = lines.side_by_side([in_lines_of(64, 0.75 + 8 / 64 + 2), in_lines_of(128, 0.375 + 8 / 128 + 3)], [])
    assert cells_of(head) == ["claim", "of 64`, 64 bytes", "of 128`, 128 bytes"]
    name, of_64, of_128 = cells_of(row)
    assert name.startswith("[C11]") and of_64.startswith("**holds**") and "1.00" in of_64
    assert of_128.startswith("**refuted**") and "2.00" in of_128


def test_bytes_beside_counts_bring_no_misses_of_other_lines_and_no_times():
    beside, = lines.bytes_alone(in_lines_of(64, 3)).blocks
    assert not beside.cells["object_indices"].samples and not beside.cells["object_indices"].counters


def test_what_times_decide_is_not_counted():
    asked = {claim.id: [part for _, part in claim.parts if lines.counts_for(part)] for claim in lines.LEDGER}
    assert [len(asked[name]) for name in ("C1", "C10", "C15", "C35")] == [2, 1, 1, 1]
    assert not asked["C5"] and not asked["C9"] and not asked["C17"]


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
    (document := results(Options(axes={"point_mass": {}})))["context"]["stowage"] |= unfit
    (root / "run.json").write_text(json.dumps(document))
    assert pages.main(["--keep", "counts", str(root / "run.json")]) == 2 and not pages.stored("counts")
    assert "/run.json says \"" + next(iter(unfit.values())) in capsys.readouterr().err


def test_a_record_of_runs_has_nothing_private_and_gives_the_same_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "commands", lambda record: [f"measures {record}"])
    pages.keep("libraries", write_run(tmp_path / "mine", Options(strategies=("reference", "indirection_map"))))
    file, = pages.stored("libraries")
    kept = pages.load_run(file)
    assert kept.host["host_name"] == "host" and file.name == "mine.json.xz"
    text, tables = pages.tables_of(peers.tables)([file]), peers.tables([kept])
    assert tables == peers.tables([pages.load_run(tmp_path / "mine")]) and "\n".join(tables) in text
    assert all(told in text for told in ("Example CPU 9000", "commit 0123abc", "measures libraries"))


def test_rates_picks_and_claims_follow_from_records(tmp_path, monkeypatch, run_directory):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "FEWEST_RUNS", 5)
    calibration = mutated_files.GOOD["calibration"][0] | {"commit": "0123abc"}
    (tmp_path / "calibration.json").write_text(json.dumps(calibration))
    for name, source in ("rates", tmp_path / "calibration.json"), ("screen", run_directory), ("claims", run_directory):
        pages.keep(name, source)
    rates, screen, page, told = (block.text(pages.stored(block.record)) for block in pages.BLOCKS[:4])
    assert "commit 0123abc: 5 runs. 0 more" in rates and "| lines that are decided |  | 100.0 %" in rates
    assert "commit 0123abc" in screen and "    Work " in screen and "Iteration (dense)" in screen
    assert page.startswith("# The claims") and "### C1\n" in page and "The most surprising" in told
    assert json.loads(lzma.open(pages.stored("rates")[0]).read())["facts"]["host"] == "host"


def test_two_timers_stand_beside_each_other_and_what_certainly_differs_is_bold():
    ours = block("world.churn", 16 * K, None, ("sparse_direct", "hybrid"), to_floor=Estimate(2.0, 1.98, 2.02))
    theirs = {name: dataclasses.replace(ours, cells={**ours.cells, "hybrid": dataclasses.replace(
        ours.cells["hybrid"], ratio_to_reference=ratio)}) for name, ratio in
        (("equal", Estimate(2.06, 2.0, 2.12)), ("apart", Estimate(2.2, 2.15, 2.25)))}

    def made(name):
        return timers.beside_each_other([run_of(theirs[name], timer="google-benchmark"), run_of(ours)])

    equal, apart = ("\n".join(made(name)) for name in theirs)
    assert equal.startswith("Of 2 ratios to the reference, 0 certainly differ by more than 3 %") and "**" not in equal
    assert "2.00 (1.98 to 2.02)<br>2.20 (2.15 to 2.25)<br>**0.909 (0.880 to 0.940)**" in apart.replace("–", " to ")
    with pytest.raises(pages.UserError, match="one run of each --timer"):
        timers.beside_each_other([run_of(ours)])


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
    for commit in "ab":
        (document := results(Options(axes={"point_mass": {}})))["context"]["stowage"]["commit"] = commit
        (tmp_path / commit).write_text(json.dumps(document))
    with pytest.raises(pages.UserError, match="at one commit"):
        pages.tables_of(performance.distances)([tmp_path / "a", tmp_path / "b"])


def test_every_block_of_a_page_is_in_the_list():
    found = {(str(page.relative_to(ROOT)), name) for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
             for name in re.findall(r"<!-- (\S+): made by", page.read_text(encoding="utf-8"))}
    assert found == {(block.page, block.name) for block in pages.BLOCKS}
    for block in pages.BLOCKS:
        page = (ROOT / block.page).read_text(encoding="utf-8")
        assert page.count(block.begin) == page.count(block.end) == 1
        assert f"./scripts/checks/pages --keep {block.record} " in pages.commands(block.record)[-1]


WORLD = """
[profile]
name = "a"
entities = "1k"
[[component]]
name = "position"
bytes = 12
[[component]]
name = "burning"
bytes = 8
toggled_per_frame = 0.5
[[entity_kind]]
name = "rock"
count = 768
components = ["position"]
created_per_frame = 2
[[entity_kind]]
name = "fire"
share = 0.25
components = ["position", "burning"]
[[lookup]]
reads = ["position"]
per_frame = 2000
"""


def test_a_world_has_its_facts_what_both_answers_allow_and_what_would_change_it(tmp_path):
    (tmp_path / "a_game.toml").write_text(WORLD)
    first = answer_of([entry("indirection_map", 1e6, tied=True), entry("indirection_map.lanes", 1.1e6),
                       entry("naive_objects", 4e6, bytes_per_entity=20.0)], tied=[])
    again = answer_of(first["ranking"], tied=[])
    head, _, row = worlds.beside_each_other({"a_game": first, "a_game-again": again}, tmp_path)
    assert dict(zip(cells_of(head), cells_of(row))) == {
        "world": "[a game](../profiles/a_game.toml)", "entities": "1,024", "sets": "2", "components": "2", "bytes each": "14",
        "lookups, changes, creations a frame": "2,000, 0.5, 2", "take": "**`indirection_map`**, certainly; 1.00 ms a frame",
        "next design": "naive_objects`, 4.00× (4.00 to 4.00)", "fewest bytes each": "naive_objects`, 20",
        "half and twice": "twice the churn: `sparse_direct"}


@pytest.mark.parametrize("winner, tied, words", [
    ("sparse_direct", ["indirection_map"], "any of `indirection_map`, `sparse_direct`; 1.00 ms a frame"),
    ("naive_objects", [], "`indirection_map` or `naive_objects`: the two answers differ"),
    ("indirection_map", [], "`indirection_map`, which alone both answers allow; 1.00 ms a frame")])
def test_two_answers_to_a_world_agree_on_those_that_both_allow(winner, tied, words):
    first = answer_of([entry("indirection_map", 1e6, tied=True)])
    assert worlds.taken(first, {**first, "winner": winner, "tied": tied}) == words


def test_a_world_needs_two_answers(tmp_path):
    with pytest.raises(pages.UserError, match="a_game: there is no second answer"):
        worlds.beside_each_other({"a_game": answer_of([])}, tmp_path)
