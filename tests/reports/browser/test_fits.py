"""Pages whose text fits where it stands: no column runs into the next, and a phone shows all of it."""

import pytest

from make_answer import answer_of, entry
from make_results import Options, write_run
from stowage_report import recommendation
from stowage_report.data.load import load_run
from stowage_report.gallery.site import Entry, index_html

LONG = ("indirection_map", "hash_index.node_hash_vectors", "archetype_sections.fixed_128k")
PROMISE = {"card": "change_components_while_iterating", "reason": "the last row fills the gap"}
#: Of pairs of elements that share a line: those of which one covers the other.
OVERLAPS = """(selector) => {
    const boxes = [...document.querySelectorAll(selector)].flatMap((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return [...range.getClientRects()].map((box) => ({ element, box }));
    });
    const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
        && one.top < other.bottom - 1 && other.top < one.bottom - 1;
    return boxes.flatMap((one, place) => boxes.slice(0, place)
        .filter((other) => one.element !== other.element && meet(one.box, other.box))
        .map((other) => `${other.element.textContent} / ${one.element.textContent}`)); }"""
#: What is not shown, or not within the window.
OUTSIDE = """(selector) => [...document.querySelectorAll(selector)].filter((element) => {
    const box = element.getBoundingClientRect();
    return !box.height || box.right > document.documentElement.clientWidth; }).map((element) => element.textContent)"""


@pytest.mark.parametrize("width", [390, 700, 1280])
def test_a_recommendation_has_its_names_and_times_beside_each_other(browser, tmp_path, width):
    answer = answer_of([entry(name, 1e6 * (place + 1)) for place, name in enumerate(LONG)], winner_does_not_promise=[PROMISE])
    path = tmp_path / "recommendation.html"
    path.write_text(recommendation.page_html(answer, "", "stowage recommend game.toml"), encoding="utf-8")
    page = browser.open(path, width=width, scripts=False)
    for texts in (".rows > span", "#figures ~ .scroll th, #figures ~ .scroll td", ".strategies dt, .strategies dd"):
        assert page.value(f"document.querySelectorAll('{texts}').length") > 1
        assert page.value(f"({OVERLAPS})('{texts}')") == []
    lines = "[...document.querySelectorAll('.rows .time')].map((each) => each.getBoundingClientRect().height)"
    line = page.value("parseFloat(getComputedStyle(document.body).lineHeight)")
    assert max(page.value(lines)) < 1.5 * line, "an interval stands behind its time"
    assert page.value("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_the_summary_shows_all_its_columns(open_page, width):
    page = open_page(width=width)
    assert page.value(f"({OUTSIDE})('.summary tbody :is(th, td)')") == page.value(f"({OVERLAPS})('.summary tbody :is(th, td)')") == []
    heads = page.value("""document.querySelector(".summary thead").checkVisibility()
        ? [...document.querySelectorAll(".summary thead th")].slice(2).map((head) => head.innerText)
        : [...document.querySelectorAll(".summary tbody tr:first-child td[data-label]")].map((cell) =>
            getComputedStyle(cell, "::before").content.slice(1, -1).replace(": ", ""))""")
    assert heads == ["\N{MULTIPLICATION SIGN} floor", "\N{MULTIPLICATION SIGN} code", "bytes per entity", "next design", "best in"]


@pytest.mark.parametrize("width", [390, 1280])
def test_a_gallery_fits_and_shows_what_each_run_says(browser, tmp_path, width):
    axes = {"point_mass": {}, "lookup": {"components": ("1",)}}
    runs = [load_run(write_run(tmp_path / str(size), Options(sizes=(size,), axes=axes))) for size in (1024, 16384)]
    path = tmp_path / "index.html"
    entries = [Entry(1, runs[0], "Intel Xeon Platinum 8370C, clang++ 19"), Entry(2, runs[1], "AMD EPYC, g++ 12")]
    path.write_text(index_html(entries), encoding="utf-8")
    page = browser.open(path, width=width, scripts=False)
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value("document.querySelectorAll('#work tbody td').length") > 4
    assert page.value(f"({OUTSIDE})('#work tbody :is(th, td)')") == page.value(f"({OVERLAPS})('#work tbody :is(th, td)')") == []
    page.close()
