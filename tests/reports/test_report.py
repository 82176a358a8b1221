"""The files of a report: complete, self-contained, and the same bytes every time."""

import csv
import html
import re
from base64 import b64decode
from gzip import decompress
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from make_catalogue import ALL_STRATEGIES
from make_results import Options, write_run
from stowage_report.__main__ import main

#: An overview of each of three sizes, six charts of each of three sweeps, one of time against misses, one trade-off.
CHARTS = 3 + 6 * 3 + 1 + 1
VOID = {"meta", "input", "br", "wbr", "link", "hr", "img"}


class Outline(HTMLParser):
    """Collects what the tests ask for, and complains about tags that do not nest."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def skips_levels(self) -> bool:
        levels = [int(tag[1]) for tag, _ in self.elements if re.fullmatch("h[1-6]", tag)]
        return levels[0] != 1 or any(after > before + 1 for before, after in zip(levels, levels[1:]))

    def attributes(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.elements if name in attributes]


@pytest.fixture(scope="module")
def outline(page) -> Outline:
    return Outline(page)


def test_loads_nothing(outline, page):
    for tag, attributes in outline.elements:
        assert tag not in ("iframe", "img", "object")
        for name in ("src", "srcset", "href", "xlink:href"):
            assert "//" not in re.sub(r"^data:(text/csv|application/gzip).*", "", attributes.get(name, ""))
    assert "@import" not in page and not re.search(r"url\((?!#)", page)


def test_links_lead_somewhere_and_headings_do_not_skip_levels(outline, report):
    ids = outline.attributes("id")
    assert len(ids) == len(set(ids))
    for link in outline.attributes("href"):
        if link.startswith("#"):
            assert link[1:] in ids
        elif not link.startswith("data:"):
            assert (report / link).is_file()
    assert not outline.skips_levels()


def test_every_chart_has_a_name_for_screen_readers(outline):
    charts = [attributes for tag, attributes in outline.elements if tag == "svg" and "aria-hidden" not in attributes]
    assert len(charts) == CHARTS
    assert all(chart["role"] == "img" and len(chart["aria-label"]) > 40 for chart in charts)


def test_charts_follow_the_theme(page):
    colours = set(re.findall(r"#[0-9a-f]{6}", page.partition("</style>")[0]))
    themed, charts = page.partition("@media screen and (prefers-color-scheme: dark)")[2].partition("</style>")[::2]
    assert "stroke:var(--ink)" in themed and page.count("#1f2328") == 1 and "DejaVu" not in charts
    assert "style=\"fill" not in charts and "#1f2328" in colours
    variables = set(re.findall(r"var\((--[\w]+)\)", page)) - {"--native"}
    light, dark = page.split("</style>")[0].split("@media screen and (prefers-color-scheme: dark)")
    assert all(f"{name}:" in light and f"{name}:" in dark for name in variables)


def test_says_what_was_measured_where_and_what_each_strategy_promises_and_lacks(page):
    text = html.unescape(page)
    for phrase in ("7 strategies and the hand-written reference", "2 workloads", "Example CPU 9000", "g++ 12.2.0",
                   "-ffp-contract=off", "0123abc", "L2 2 MiB", "virtual machine (kvm)", "stowage run --preset quick"):
        assert phrase in text
    table = re.search(r'<table class="semantics sortable">.*?</table>', page, re.DOTALL)[0]
    assert "yes" in table and "no" in table
    assert len(re.findall(r'<th scope="row">', table)) == 7  # one for each strategy
    (listed,) = re.findall(r'<ul class="lacks">(.*?)</ul>', page, re.DOTALL)
    lacking = " ".join(html.unescape(re.sub("<.*?>", " ", listed.replace("<wbr>", ""))).split())
    assert "sparse_direct lacks table exchange (nothing is saved)." in lacking
    assert "serialize (not offered: table_exchange, because nothing is saved)." in lacking
    assert listed.count("<li>") == 1


def test_failed_cells_are_shown_as_errors(page, report):
    table = re.search(r'aria-label="Figures of join order:same via:each">.*?</table>', page, re.DOTALL)[0]
    assert table.count("ERROR") == 1 and "differs from" in table
    assert "1 cell failed verification" in page
    assert "ERROR" in (report / "plots/heatmap-16k.svg").read_text()
    assert "ERROR" in (report / "plots/bars-join-order-same-via-each.svg").read_text()


def test_every_chart_is_saved_as_svg_and_png(report):
    names = {path.stem for path in (report / "plots").iterdir()}
    assert len(names) == CHARTS
    for name in names:
        ElementTree.parse(report / f"plots/{name}.svg")
        assert (report / f"plots/{name}.png").read_bytes().startswith(b"\x89PNG")


def test_every_cell_is_in_the_csv(run, report):
    rows = list(csv.DictReader((report / "data.csv").read_text().splitlines()))
    cells = {cell.name: (block, cell) for block in run.blocks for cell in block.cells.values()}
    assert len(rows) == len(cells)
    for row in rows:
        parameters = "".join(f"/{key}:{row[key]}" for key in ("order", "via") if row[key])
        block, cell = cells[f"{row['workload']}/{row['strategy']}/entities:{row['entities']}{parameters}"]
        assert row["standing"] == cell.standing.value and row["error"] == cell.error
        if cell.ns_per_item:
            assert float(row["ns_per_item_low"]) == pytest.approx(cell.ns_per_item.low, rel=1e-6)
            assert float(row["ratio_to_reference"]) == pytest.approx(cell.ratio_to_reference.median, rel=1e-6)
            assert int(row["repetitions"]) == len(cell.samples)
            for name in ("bytes_per_entity", "l1d_misses_per_item"):
                assert row[name] == "" if name not in cell.counters else float(row[name]) == pytest.approx(
                    cell.counters[name], rel=1e-6)
        else:
            assert row["ns_per_item"] == row["ratio_to_best"] == ""


def test_equal_results_give_equal_bytes_and_without_plots_the_page_and_the_data_alone(run_directory, report, tmp_path):
    assert main([str(run_directory), "--out", str(tmp_path / "lean")]) == 0
    assert sorted(path.name for path in (tmp_path / "lean").iterdir()) == ["data.csv", "report.html"]
    for name in ("data.csv", "report.html"):
        assert (tmp_path / "lean" / name).read_bytes() == (report / name).read_bytes()
    assert main([str(run_directory), "--plots", "--out", str(tmp_path / "again")]) == 0
    files = [path.relative_to(report) for path in report.rglob("*") if path.is_file()]
    assert len(files) == 2 * CHARTS + 2 + len(list((report / "tables").iterdir()))
    assert all((report / path).read_bytes() == (tmp_path / "again" / path).read_bytes() for path in files)


@pytest.mark.parametrize("options", [
    {"sizes": (1024,), "strategies": ("reference", "hash_index"), "repetitions": 3},
    {"sizes": (1024, 2048), "strategies": ("hash_index",)},
    {"sizes": (1024, 2048), "strategies": ("reference",)},
    {"sizes": (1024,), "strategies": ("reference", "reference.store")},
    {"sizes": (1024,), "strategies": ("hash_index",), "failing": ("join/hash_index/entities:1024",)},
    {"sizes": (1024, 2048), "strategies": ("reference", "hash_index"), "failing": ("join/reference/entities:2048",)},
    {"sizes": (1024, 2048), "passes": ()},
    {"sizes": (1024, 2048), "passes": ("memory",)},
    {"sizes": (1024, 2048), "passes": ("cache",), "simulated_up_to": 0},
    {"sizes": (1024, 16384), "timed": False},
])
def test_reports_on_runs_that_lack_something(options, tmp_path):
    assert main([str(write_run(tmp_path, Options(axes={"join": {}}, **options)))]) == 0
    Outline((tmp_path / "report/report.html").read_text())


def test_variants_have_charts_of_their_own_if_there_are_many(tmp_path):
    options = Options(sizes=(1024, 16384), axes={"lookup": {"components": ("1",)}}, strategies=ALL_STRATEGIES)
    assert main([str(write_run(tmp_path, options)), "--plots"]) == 0
    plots = tmp_path / "report/plots"
    families = {path.stem.removeprefix("heatmap-16k-") for path in plots.glob("heatmap-16k-*.svg")}
    assert families == {"indirection_map", "hash_index", "archetype_sections", "offset_table"}
    variants = (plots / "variants-lookup-components-1.svg").read_text()
    assert ">.byte_stream<" in variants and ">.node_hash<" in variants
    curves = re.findall(r">([a-z_]+(?:\.\w+)?)</text>", (plots / "scaling-lookup-components-1.svg").read_text())
    assert set(ALL_STRATEGIES) & set(curves) >= {name for name in ALL_STRATEGIES if "." not in name}
    assert len(set(ALL_STRATEGIES) & set(curves)) <= 9 + 4
    Outline((tmp_path / "report/report.html").read_text())


def test_names_are_escaped(tmp_path):
    directory = write_run(tmp_path / "<b>&", Options(sizes=(1024,), axes={"join": {}}, strategies=("hash_index",)))
    assert main([str(directory)]) == 0
    page = (directory / "report/report.html").read_text()
    assert "<b>&" not in page and "&lt;b&gt;&amp;" in page


def test_tables_inside_the_page_are_those_beside_it(outline, report):
    links = [attributes for tag, attributes in outline.elements if attributes.get("href", "").startswith("data:") and
             tag == "a"]
    assert len(links) == len(list((report / "tables").iterdir()))
    kinds = set()
    for link in links:
        kind, _, content = link["href"].partition(",")
        kinds.add(kind)
        text = unquote(content) if kind.startswith("data:text/csv") else decompress(b64decode(content)).decode()
        assert text == (report / "tables" / link["download"].removesuffix(".gz")).read_text()
        assert link["download"].endswith(".gz") == (kind == "data:application/gzip;base64")
    assert len(kinds) == 2
