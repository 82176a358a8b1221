"""The page of a recommendation, from a stored answer."""

import json
import re
from copy import deepcopy

import pytest

from make_answer import RANKING, answer_of, placements
from stowage_report import recommendation
from stowage_report.charts.style import PAGE_FONTS
from stowage_report.pages.answer import answer_text
from test_report import Outline


@pytest.fixture
def answer():
    return answer_of(deepcopy(RANKING))


def test_the_page_names_the_winner_and_escapes_what_a_profile_says(answer):
    page = recommendation.page_html(answer, 'name = "a <game>"', "stowage recommend game.toml")
    assert "<h1>indirection_map for a &lt;game&gt;</h1>" in page
    assert "a <game>" not in page
    for words in ("twice the churn", "1.25 times as long", "the last row fills the gap", "too few rows", "frame_ms",
                  "1.20 ms (1.10 ms to 1.50 ms)", "144 frames of each strategy"):
        assert words in page
    assert not re.search(r'(src|href)="(?!#)', page), "everything it needs is inside"
    assert f"font-family: {PAGE_FONTS};" in page, "quotes of a style sheet are no text"


def test_another_game_that_is_open_says_how_much_longer_the_winner_takes(answer):
    """It does not win there: something else was faster, if not certainly."""
    answer["sensitivity"][0].update(changes_the_winner=False, tied=["indirection_map"])
    assert "1.25 times as long, equal or open" in recommendation.page_html(answer, "", "stowage recommend game.toml")
    assert "1.25 times as long, equal or open" in answer_text(answer, 100)
    answer["sensitivity"][0].update(winner="indirection_map", former_winner_ratio=1.0)
    assert "times as long, equal" not in answer_text(answer, 100) and "stays" in answer_text(answer, 100)


def test_tables_can_be_focused_and_their_heads_say_what_they_are_of(answer):
    outline = Outline(recommendation.page_html(answer | {"placements": placements()}, "", "stowage recommend game.toml"))
    assert all("scope" in attributes for tag, attributes in outline.elements if tag == "th")
    regions = [attributes for _, attributes in outline.elements if attributes.get("class") == "scroll"]
    assert len(regions) == 3 and all(each["tabindex"] == "0" and each["aria-label"] for each in regions)


def test_the_page_calls_a_strategy_and_the_worst_frame_what_the_text_calls_them(answer):
    answer["ranking"][1]["standing"] = "best"
    answer["processes"] = 2
    assert recommendation.bars(answer)[1]["standing"] == "fastest" and "sparse_direct    fastest " in answer_text(answer, 100)
    page = recommendation.page_html(answer, "", "stowage recommend game.toml")
    assert "Worst is the smaller of the worst frames of\n2 processes" in page


def test_bars_share_one_scale_and_hold_their_intervals_and_stacks_are_parts_in_the_order_of_a_frame(answer):
    bars = recommendation.bars(answer)
    assert [bar["standing"] for bar in bars] == ["winner", "open", "4.00 ×"]
    assert max(bar["high"] for bar in bars) == pytest.approx(100)
    for bar in bars:
        assert bar["low"] < bar["length"] < bar["high"]
    assert bars[0]["length"] == pytest.approx(bars[2]["length"] / 4)
    stacks = recommendation.stacks(answer)
    assert [name for name, _, _ in stacks[0][1]] == ["systems", "churn"]
    assert sum(length for _, length, _ in stacks[2][1]) == pytest.approx(100)
    assert list(recommendation.part_colours(answer)) == ["systems", "churn"]


def test_without_intervals_parts_and_variations_there_is_a_page_as_well(answer):
    for ranked in answer["ranking"]:
        ranked.update(interval=None, parts={})
    answer.update(sensitivity=[], winner_does_not_promise=[])
    page = recommendation.page_html(answer, "", "stowage recommend game.toml --quick")
    assert "What a frame consists of" not in page and "If the game were different" not in page


def test_components_have_their_places_with_figures(answer):
    page = recommendation.page_html(answer | {"placements": placements()}, "", "stowage recommend game.toml")
    for words in ("Component by component", "hybrid, burning sparse", "0.80 (0.77 to 0.83)", "1.25 (1.20 to 1.30)",
                  "not tried"):
        assert words in page
    again = placements(confirmed=False, ratio_to_winner=1.0, ratio_interval=[0.97, 1.03])
    page = recommendation.page_html(answer | {"placements": again}, "", "stowage recommend game.toml")
    assert "seemed faster, but was\nequal, 1.00 (0.97 to 1.03)" in page
    assert "Component by component" not in recommendation.page_html(answer | {"placements": None}, "", "stowage")


def test_each_recorded_system_has_the_share_of_storage(answer):
    systems = [{"system": "move", "recorded_ms": 1.5, "storage_share": 0.25},
               {"system": "aim", "recorded_ms": 0.02, "storage_share": 1.5}]
    worth = {"storage": "entt", "measured_as": "indirection_map", "frame_ms": 4.0, "storage_share": 0.1, "systems": systems,
             "untimed_systems": 1}
    text = answer_text(answer | {"worth": worth}, 100)
    for line in ("Of the recorded time, the work of entt:", "move    1.50 ms   25 %", "aim     20.0 µs   all",
                 "1 system without a recorded time"):
        assert line in text.splitlines()
    page = recommendation.page_html(answer | {"worth": worth}, "", "stowage")
    for words in ("How much of the recorded time is storage", "<td>1.50 ms</td><td>25 %</td>", "measured here with indirection_map",
                  "1 system without a recorded time."):
        assert words in page
    assert "Of the recorded time" not in answer_text(answer | {"worth": {key: worth[key] for key in list(worth)[:3]}}, 100)
    assert "How much of the recorded" not in recommendation.page_html(answer, "", "stowage")


def test_the_text_has_all_that_a_reader_needs_before_taking_the_winner(answer):
    answer.update(placements=placements(), budget={"frame_ms": 2.5, "memory_bytes": 64000}, compiled_files=2, compiled_s=20,
                  left_out=["misses: no time left"])
    answer["ranking"][0]["standing"] = "best"
    text = answer_text(answer, 100)
    assert "-  indirection_map takes 1.00 ms a frame" in text
    for line in ("strategy                 frame, ms           95 %   p99   worst   B/entity",
                 "indirection_map  winner       1.00   0.90 to 1.10  1.20    2.00       64.2",
                 "sparse_direct      open       1.01   0.91 to 1.11  1.21    2.02       64.2",
                 "naive_objects      4.00       4.00!  3.60 to 4.40     -       -          -",
                 "p99, worst: of 144 frames in each process; of 3 processes the median of their worst",
                 "!: over the budget of frame 2.5 ms, 64.0 B/entity",
                 "position   table   not tried                   all have it",
                 "burning    sparse  table: 1.25 (1.20 to 1.30)  2 % have it",
                 "indirection_map        1200       3.50             -", "twice the churn  sparse_direct  1.25 times as long",
                 "creation_order  the last row fills the gap", "not ranked: offset_table.16bit: too few rows",
                 "left out: misses: no time left", "measured in 61 s, after compiling 2 files in 20 s"):
        assert line in text.splitlines(), line
    again = placements(confirmed=False, ratio_to_winner=1.0, ratio_interval=[0.97, 1.03])
    text = answer_text(answer | {"placements": again}, 80)
    assert "seemed faster, but was 1.00 (0.97 to 1.03)" in " ".join(text.split())
    assert "strategy         worst   B/entity" in answer_text(answer, 60).splitlines(), "below, with the labels again"
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith(("p99", "not ranked", "left out")))


def test_a_lone_answer_is_printed(answer, tmp_path, capsys):
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert recommendation.main([str(tmp_path / "answer.json")]) == 0
    assert "indirection_map does not promise:" in capsys.readouterr().out and not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize("arguments, words", [
    ([], "give the answer"),
    (["missing.json", "game.toml", "stowage"], "cannot read missing.json"),
])
def test_wrong_input_is_refused_in_one_line(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert recommendation.main(arguments) == 2
    assert words in capsys.readouterr().err


def test_the_page_lies_beside_the_answer_and_an_interruption_leaves_the_earlier_one(answer, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    (tmp_path / "answer.json").write_text(json.dumps(answer))
    (tmp_path / "game.toml").write_text('name = "a game"')
    assert recommendation.main([str(tmp_path / "answer.json"), str(tmp_path / "game.toml"), "stowage"]) == 0
    assert (tmp_path / "recommendation.html").is_file()
    (tmp_path / "recommendation.html").write_text("earlier")
    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recommendation.write_page(tmp_path / "answer.json", tmp_path / "game.toml", "stowage")
    assert (tmp_path / "recommendation.html").read_text() == "earlier" and not list(tmp_path.glob(".*"))
