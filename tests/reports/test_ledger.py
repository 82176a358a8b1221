"""The ledger of claims in the page: the verdicts of `stowage claims`, and predictions beside what was counted."""

import html
import json
import re

import pytest

from claim_cases import CASES, HOLDS, REFUTED
from make_claims import store
from stowage_report.__main__ import main
from stowage_report.claims.__main__ import main as claims
from stowage_report.claims.ruling import Ruling, Verdict, all_of, most_of
from stowage_report.data.load import load_run
from stowage_report.pages.ledger import SIGNS, Ledger


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """Some claims hold by it, some are refuted, most are undecided."""
    wanted = {"C14": HOLDS, "C19": REFUTED, "C11": HOLDS, "C12": REFUTED}
    blocks = [block for name, make, numbers, verdict in CASES if wanted.get(name) is verdict
              for block in make(*numbers)]
    path = store(tmp_path_factory.mktemp("ledger") / "run", blocks)
    assert main([str(path), "--plots"]) == 0
    return path


@pytest.fixture(scope="module")
def ledger_html(directory):
    page = (directory / "report/report.html").read_text(encoding="utf-8")
    return re.search(r'<section id="run1-claims".*?</section>', page, re.DOTALL)[0]


def test_the_csv_of_the_chart_has_the_loop_that_it_is_about(ledger_html):
    assert re.search('<figure[^>]* data-workloads="join" data-parameters="via:find">', ledger_html)


def test_every_claim_has_the_verdict_figure_and_command_of_stowage_claims(directory, ledger_html, capsys):
    capsys.readouterr()
    claims([str(directory), "--format", "json"])
    rows = dict(re.findall(r'<tr id="run1-claim-(C\d+)">(.*?)</tr>', ledger_html, re.DOTALL))
    told = json.loads(capsys.readouterr().out)
    assert list(rows) == [claim["id"] for claim in told]
    for claim in told:
        row = html.unescape(re.sub(r"</?code>", "`", rows[claim["id"]]))
        assert re.search(rf'<strong class="verdict {claim["verdict"]}">.*</span> {claim["verdict"]}</strong>', row)
        assert claim["command"] in row
        assert claim["figure"].replace("`", "") in row.replace("`", "")
    assert len(set(SIGNS.values())) == len(SIGNS) == len(Verdict)  # which differ without colours


def test_predicted_misses_stand_beside_counted_ones(directory, ledger_html):
    ledger = Ledger(load_run(directory), None)
    assert {each.claim.id for each, _ in ledger.predictions} == {"C11", "C12"}
    assert "Misses predicted and counted" in ledger_html and 'data-name="claims-misses"' in ledger_html
    assert (directory / "report/plots/claims-misses.png").is_file()
    anchors = set(re.findall(r'id="([^"]+)"', ledger_html))
    assert set(re.findall(r'href="#(run1-claim-[^"]+)"', ledger_html)) <= anchors
    ruling = next(each.ruling for each in ledger.evaluations if each.claim.id == "C12")
    assert all_of([Ruling(Verdict.HOLDS, "so it is"), ruling]).prediction == ruling.prediction  # beside other parts


def test_a_run_without_counts_has_no_predictions(report, page):
    """Of its loop by lookup nothing was counted."""
    assert not (report / "plots/claims-misses.svg").exists()
    assert "Predicted and counted misses" not in page and 'id="run1-claims"' in page


@pytest.mark.parametrize("verdicts, together", [
    ("HHU", Verdict.HOLDS), ("HRR", Verdict.REFUTED), ("HRU", Verdict.UNDECIDED), ("HUU", Verdict.UNDECIDED),
    ("HR", Verdict.DEPENDS)])
def test_most_of_several_things_is_more_than_half_of_them(verdicts, together):
    letters = {verdict.name[0]: verdict for verdict in Verdict}
    rulings = {str(place): Ruling(letters[letter], "a figure", (1, 2)) for place, letter in enumerate(verdicts)}
    assert most_of(rulings).verdict is together


def test_sentence_and_interval_of_most_are_of_those_with_their_verdict():
    rulings = {"archers": Ruling(Verdict.UNDECIDED, "open", (0.9, 1.2)), "typical": Ruling(Verdict.REFUTED, "0.6 times", (0.5, 0.7)),
               "others": Ruling(Verdict.REFUTED, "0.7 times", (0.6, 0.8))}
    assert (told := most_of(rulings)).sentence == "in 2 of 3, as in typical: 0.6 times" and told.interval == (0.5, 0.8)
