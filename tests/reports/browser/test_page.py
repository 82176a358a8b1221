"""The page in a real browser: what it shows with and without scripts, and that what can be pressed does something."""

import csv
import re
import time
import urllib.parse
from xml.etree import ElementTree

import pytest

from make_catalogue import ALL_STRATEGIES
from make_results import Options, write_run
from stowage_report.__main__ import main

WINDOWS = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
ARTICLE = 'document.querySelector("#run1-join article")'
SHOWN = "(element) => element.checkVisibility({ visibilityProperty: true })"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("window", WINDOWS)
def test_fits_the_window_and_has_all_charts(open_page, window, dark, scripts):
    page = open_page(**WINDOWS[window], dark=dark, scripts=scripts)
    wide = """[...document.querySelectorAll("body *")]
        .filter((element) => !element.closest(".scroll, pre, svg, .skip"))
        .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
        .map((element) => element.outerHTML.slice(0, 99))"""
    assert page.value(wide) == []
    page.value('document.querySelectorAll("details").forEach((details) => { details.open = true; })')
    assert page.value('''[...document.querySelectorAll("figure svg")].every((svg) => {
        const metric = svg.closest("[hidden], .panel");
        return metric ? true : svg.getBoundingClientRect().height > 80; })''')
    paper = page.value('getComputedStyle(document.body).backgroundColor')
    assert paper == ("rgb(20, 24, 29)" if dark else "rgb(254, 254, 254)")


def test_all_charts_are_drawn_from_what_the_page_holds(open_page):
    page = open_page()
    assert page.value('''[...document.querySelectorAll("use")].every((use) =>
        document.getElementById(use.getAttribute("href").slice(1)))''')
    assert page.value('''[...document.querySelectorAll("[clip-path]")].every((element) =>
        document.getElementById(element.getAttribute("clip-path").slice(5, -1)))''')
    assert page.value('''performance.getEntriesByType("resource").length''') == 0


def test_without_scripts_everything_is_shown_and_nothing_pretends_to_work(open_page):
    page = open_page(scripts=False)
    assert page.value(f'[...document.querySelectorAll(".metric")].every({SHOWN})')
    assert page.value('document.querySelectorAll("button, .legend, .metrics, select, input[type=search]").length') == 0
    assert page.value(f'[...document.querySelectorAll("#run1-join table")].every({SHOWN})')


def test_a_metric_is_switched_and_remembered(open_page):
    page = open_page()
    shown = f'[...{ARTICLE}.querySelectorAll(".metric")].filter({SHOWN}).map((part) => part.dataset.metric)'
    assert page.value(shown) == ["time"]
    page.value('document.querySelector("label[for=run1-join-metric-misses]").click()')
    assert page.value(shown) == ["misses"]
    assert page.value("location.hash") == "#run1-join?metric=misses"
    page.value('document.querySelector("label[for=run1-join-metric-all]").click()')
    assert page.value(shown) == ["time", "misses", "instructions", "bytes"]
    again = open_page(fragment="#run1-join?metric=bytes")
    assert again.value(shown) == ["bytes"]
    assert again.value('document.querySelector("#run1-join").getBoundingClientRect().top') < 800


def test_series_are_hidden_by_mouse_and_by_keyboard(open_page):
    page = open_page()
    control = f"""[...{ARTICLE}.querySelectorAll(".legend button")]
        .find((each) => each.textContent.includes("hash_index"))"""
    drawn = f'''[...{ARTICLE}.querySelectorAll(`svg g[data-s="${{{control}.dataset.of}}"]`)].filter({SHOWN}).length'''
    assert page.value(f'{control}.getAttribute("aria-pressed")') == "true" and page.value(drawn) > 0
    page.value(f"{control}.click()")
    assert page.value(f'{control}.getAttribute("aria-pressed")') == "false" and page.value(drawn) == 0
    page.value(f"{control}.focus()")
    page.press(" ")
    assert page.value(f'{control}.getAttribute("aria-pressed")') == "true" and page.value(drawn) > 0


def test_a_legend_is_one_stop_and_arrow_keys_go_through_it(open_page):
    page = open_page()
    controls = f'[...{ARTICLE}.querySelectorAll(".legend button")]'
    assert page.value(f"{controls}.filter((each) => each.tabIndex === 0).length") == 1
    page.value(f"{controls}[0].focus()")
    page.press("ArrowRight")
    assert page.value(f"{controls}.indexOf(document.activeElement)") == 1
    assert page.value(f"{controls}.filter((each) => each.tabIndex === 0).length") == 1


def test_arrow_keys_say_the_figures_of_each_point(open_page):
    page = open_page()
    page.value(f'{ARTICLE}.querySelector("svg").focus()')
    for _ in range(2):
        page.press("ArrowRight")
    assert page.value('document.getElementById("tip").checkVisibility()')
    text = page.value('document.getElementById("tip").innerText')
    assert all(told in text for told in ("reference", "ns per item", "times the reference", "times the contract floor"))
    command = page.value('document.querySelector("#tip code").textContent')
    assert "--workloads join" in command and "^join/reference/entities:16384/order:same/via:each$" in command
    page.press("Escape")
    assert not page.value('document.getElementById("tip").checkVisibility()')


def test_arrow_keys_move_the_caret_of_a_filter_and_bring_figures_of_a_table_into_view(open_page):
    page = open_page(width=390)
    region = f'{ARTICLE}.querySelector(".scroll:has(td[data-c])")'
    page.value(f"""(() => {{ const input = {region}.querySelector("input"); input.value = "map"; input.focus();
                   input.setSelectionRange(0, 0); }})()""")
    page.press("ArrowRight")
    assert page.value("document.activeElement.selectionStart") == 1 and page.value('document.getElementById("tip").hidden')
    page.value(f"{region}.focus()")
    for _ in range(3):
        page.press("ArrowRight")
        page.settle()
        assert page.value(f"""(() => {{ const at = {region}.querySelector(".at").getBoundingClientRect();
                          const box = {region}.getBoundingClientRect();
                          return at.left >= box.left - 1 && at.right <= box.right + 1 && at.bottom <= innerHeight + 1; }})()""")


def test_the_mouse_finds_points_bars_and_cells_of_the_table(open_page):
    page = open_page()
    for target in ("svg use", "svg path[data-c]", "td[data-c]"):
        element = f'''[...{ARTICLE}.querySelectorAll("{target}")].find((element) =>
            element.closest("[data-c]") && element.checkVisibility())'''
        page.value(f'{element}.scrollIntoView({{ block: "center" }})')
        page.settle()
        box = page.value(f'(() => {{ const box = {element}.getBoundingClientRect(); '
                         "return [box.left + box.width / 2, box.top + box.height / 2]; })()")
        page.ask("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
        assert page.value('document.getElementById("tip").checkVisibility()'), target
        page.press("Escape")


def test_the_command_of_a_cell_names_that_cell_and_its_reference(open_page):
    page = open_page()
    page.value(f'{ARTICLE}.querySelector("tbody tr:nth-child(3) td[data-c]").click()')
    strategy = page.value('document.querySelector("#tip strong").textContent')
    command = page.value('document.querySelector("#tip code").textContent')
    assert f"--strategies {strategy} " in command and "--entities 1024" in command
    assert f"'^join/{strategy}/entities:1024/order:same/via:each$|^join/reference/entities:1024/" in command


def test_tables_are_sorted_and_filtered(open_page):
    page = open_page()
    values = f"""[...{ARTICLE}.querySelectorAll("tbody tr td:nth-child(2) b:first-child")]
        .map((each) => parseFloat(each.textContent))"""
    page.value(f'{ARTICLE}.querySelectorAll(".sort")[1].click()')
    assert page.value(values) == sorted(page.value(values)) and len(page.value(values)) > 3
    assert page.value(f'{ARTICLE}.querySelector("th[aria-sort]").getAttribute("aria-sort")') == "ascending"
    page.value(f'{ARTICLE}.querySelectorAll(".sort")[1].click()')
    assert page.value(values) == sorted(page.value(values), reverse=True)
    page.value(f'''(() => {{ const input = {ARTICLE}.querySelector("input[type=search]"); input.value = "hash, objects";
                  input.dispatchEvent(new Event("input")); }})()''')
    rows = page.value(f"""[...{ARTICLE}.querySelectorAll("tbody tr")].filter({SHOWN})
        .map((row) => row.cells[0].innerText)""")
    assert len(rows) == 2 and all("hash" in row or "objects" in row for row in rows)


@pytest.mark.parametrize("texts", [["1k entities", "4k entities", "16k entities", "1M entities"], ["C1", "C2", "C10", "C11"],
                                   ["\N{MINUS SIGN}0.50", "\N{MINUS SIGN}0.25", "0.10", "1,024"],
                                   ["850 ns", "3.1 \N{MICRO SIGN}s", "1.2 ms", "1 s"]])
def test_sizes_signs_and_numbered_names_are_sorted_by_what_they_mean(open_page, texts):
    page = open_page()
    table = f"{ARTICLE}.querySelector('table.sortable')"
    page.value(f"""(() => {{ const body = {table}.tBodies[0];
        body.replaceChildren(...{sorted(texts)}.map((text) => {{ const row = body.insertRow();
                                                               row.insertCell().textContent = text; return row; }}));
        {table}.querySelector(".sort").click(); }})()""")
    assert page.value(f"[...{table}.tBodies[0].rows].map((row) => row.cells[0].textContent)") == texts


def test_copy_pressed_twice_is_named_copy_again(open_page):
    page = open_page()
    button = 'document.querySelector(".copy > button")'
    page.value(f"(() => {{ {button}.click(); }})()")
    page.settle()
    page.value(f"(() => {{ {button}.click(); }})()")
    page.value("new Promise((done) => setTimeout(done, 1700))")
    assert page.value(f"{button}.textContent") == "Copy"


def test_all_counters_are_those_of_the_csv(open_page, report):
    page = open_page()
    link = page.value(f'{ARTICLE}.querySelector("a.data").href')
    rows = list(csv.DictReader(urllib.parse.unquote(link.partition(",")[2]).splitlines()))
    name = page.value(f'{ARTICLE}.querySelector("a.data").download')
    assert rows == list(csv.DictReader((report / "tables" / name).read_text().splitlines()))
    page.value(f"""[...{ARTICLE}.querySelectorAll("details")]
        .find((details) => details.innerText.includes("Every counter")).open = true""")
    page.settle()
    assert page.value(f'{ARTICLE}.querySelectorAll(".counters tbody tr").length') == len(rows)
    sizes = page.value(f'[...{ARTICLE}.querySelectorAll(".counters tbody td:nth-child(2)")].map((each) => each.textContent)')
    assert set(sizes) == {"1,024", "16,384", "262,144"}


def test_what_can_be_focused_is_named_and_charts_are_images(open_page):
    page = open_page()
    nodes = page.ask("Accessibility.getFullAXTree")["nodes"]
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
    assert sum(role in ("img", "image") for role, _ in named) > 4
    roles = {"img", "image", "button", "radio", "searchbox", "link", "region", "combobox"}
    assert all(name for role, name in named if role in roles)


def test_on_paper_are_all_charts_and_heads_of_tables_and_no_controls(open_page):
    page = open_page()
    page.ask("Emulation.setEmulatedMedia", media="print")
    assert page.value(f'[...document.querySelectorAll(".metric")].every({SHOWN})')
    assert page.value(f'{ARTICLE}.querySelector("thead").innerText').split() == ["strategy", "1k", "entities", "16k",
                                                                              "entities", "256k", "entities"]
    assert not page.value(f'[...document.querySelectorAll(".legend, .filter, .metrics label, nav")].some({SHOWN})')


@pytest.fixture
def saved(browser, tmp_path):
    """Presses a button below a chart and hands back the file that it saves."""
    browser.ask("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})

    def press(page, figure, kind):
        name = page.value(f"{figure}.dataset.name")
        page.value(f'''[...{figure}.querySelectorAll("figcaption button")]
            .find((each) => each.textContent === "{kind}").click()''')
        path = tmp_path / f"{name}.{kind.lower()}"
        page.value("new Promise((done) => setTimeout(done, 50))")
        deadline = time.monotonic() + 20
        while not path.exists():
            assert time.monotonic() < deadline, f"no {path.name}"
            time.sleep(0.05)
        return path.read_bytes()

    return press


@pytest.mark.parametrize("place", ['"#run1-join article figure"', '"#run1-overview .panel figure"', '".finding figure"'])
def test_a_chart_is_saved_as_svg_that_needs_nothing_of_the_page(open_page, saved, place):
    page = open_page(dark=True)
    root = ElementTree.fromstring(saved(page, f"document.querySelector({place})", "SVG"))
    text = ElementTree.tostring(root, encoding="unicode")
    ids = {element.get("id") for element in root.iter()}
    assert set(re.findall(r'(?:href="|url\(&quot;|url\("|url\()#([\w-]+)', text)) <= ids
    assert "var(" not in text and root.get("width") and "#fefefe" in text  # its own colours, on light paper


def test_a_chart_is_saved_as_png_of_twice_its_size(open_page, saved):
    page = open_page()
    figure = f"{ARTICLE}.querySelector('figure')"
    png = saved(page, figure, "PNG")
    assert png.startswith(b"\x89PNG")
    size = page.value(f'(() => {{ const box = {figure}.querySelector("svg").viewBox.baseVal; '
                      "return [2 * box.width, 2 * box.height]; })()")
    assert [int.from_bytes(png[start:start + 4], "big") for start in (16, 20)] == size


def test_the_csv_of_a_chart_has_the_cells_behind_it(open_page, saved, run):
    def rows_of(figure):
        return list(csv.DictReader(saved(open_page(), figure, "CSV").decode().splitlines()))

    of_size = rows_of('document.querySelector("#run1-overview .panel figure[data-entities=\'16384\']")')
    assert len(of_size) == sum(len(block.cells) for block in run.blocks if block.entities == 16384)
    own = rows_of(f"{ARTICLE}.querySelector('.metric[data-metric=bytes] figure')")
    assert {row["workload"] for row in own} == {"join"} and {row["run"] for row in own} == {run.name}
    assert all(float(row["bytes_per_entity"]) > 0 for row in own)


def test_the_csv_of_a_chart_of_several_runs_or_of_a_family_has_no_other_cells(browser, saved, tmp_path):
    axes = {"point_mass": {}, "join": {"order": ("same", "unrelated"), "via": ("each",)}}
    runs = [write_run(tmp_path / name, Options(sizes=(1024, 2048), axes=axes, strategies=ALL_STRATEGIES, repetitions=count))
            for name, count in (("a", 7), ("b", 8))]
    assert main([*map(str, runs), "--out", str(tmp_path / "both")]) == 0
    page = browser.open(tmp_path / "both/report.html")

    def rows_of(selector):
        return list(csv.DictReader(saved(page, f"document.querySelector('{selector}')", "CSV").decode().splitlines()))

    rows = rows_of('#together figure[data-workloads="join"]')
    assert {(row["run"], row["workload"], row["order"], row["via"]) for row in rows} == {
        (run, "join", "same", "each") for run in "ab"}
    rows = rows_of('#run1-overview figure[data-family="hash_index"]')
    assert {row["strategy"].partition(".")[0] for row in rows} == {"hash_index"} and {row["run"] for row in rows} == {"a"}
    page.close()

