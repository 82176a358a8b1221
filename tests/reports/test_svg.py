"""What the page has of a chart: the picture of matplotlib in a fraction of the bytes."""

import math
import re
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.path import Path

from stowage_report.charts.canvas import Canvas, mark
from stowage_report.charts.style import Looks
from stowage_report.charts.svg import InlineCharts, path_data, theme_colours

LOOKS = Looks(["reference", "hash_index"])
CELLS = [SimpleNamespace(name=f"join/hash_index/entities:{size}") for size in (1, 2)]


def draw(figure: Figure) -> None:
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8), xlim=(0, 2), ylim=(0, 2), xticks=[], yticks=[])
    colour = LOOKS["hash_index"].colour.light
    mark(*axes.plot([0, 1], [1, 1.5], marker="o", color=colour), "hash_index", CELLS)
    mark(axes.add_artist(Rectangle((0, 0), 2, 1, facecolor="none", edgecolor="none")), "reference")
    axes.plot([1, 3], [1, 9], marker="s", color=colour)  # its second half is outside
    axes.add_artist(Rectangle((0.5, 0.5), 1, 1, facecolor="none", edgecolor=colour, hatch="///"))
    figure.text(0.9, 0.95, "a < b", ha="right", fontweight="bold")


@pytest.fixture(scope="module")
def page():
    """Two charts alike, and what they share."""
    charts = InlineCharts(theme_colours(LOOKS), LOOKS.names)
    chart = Canvas(None, "", LOOKS).chart("name", "a title", "in words", draw, height=300)
    pictures = [charts.svg(chart, {cell.name: row for row, cell in enumerate(CELLS)}) for _ in range(2)]
    return SimpleNamespace(pictures=pictures, svg=pictures[0], shared=charts.shared, style=charts.style_sheet)


@pytest.mark.parametrize("points, codes, written", [
    ([(69.04, 346), (69.04, 56.26), (80, 56.26), (81.5, 60)], None, "M69 346v-289.7h11l1.5 3.7"),
    ([(0, 0), (0.26, 0), (1, 1), (0, -3.5), (0, 0)], [1, 4, 4, 4, 79], "M0 0C.3 0 1 1 0-3.5z"),
    ([(1, 1), (2, 1), (math.nan, 0), (5, 5), (5, 6)], None, "M1 1h1M5 5v1"),
])
def test_lines_become_steps_and_curves_keep_their_shape(points, codes, written):
    assert path_data(Path(points, codes), 1) == written


def test_marks_name_their_strategy_and_the_rows_of_their_cells(page):
    assert re.search(r'<g data-s="1" data-c="0 1"><path [^>]+><g [^>]+>(<use [^>]+>){2}</g></g>', page.svg)
    assert re.search(r'<path data-s="0" class="\w+" d="[^"]+"/>', page.svg), "what can be pointed at need not be seen"


def test_what_is_outside_is_cut_off_or_left_out(page):
    assert page.svg.count("clip-path") == 1 and page.svg.count("<use") == 2 + 1


def test_text_is_anchored_and_escaped(page):
    assert re.search(r'<text class="\w+" x="396" y="[\d.]+">a &lt; b</text>', page.svg)
    assert re.search(r"font-weight:700;text-anchor:end;fill:var\(--ink\)", page.style)


@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_name_is_text_whatever_it_has():
    evil = "\x01}*{color:red}\x02 \x01<script/>\x02 data-m=\"x\" $a$ \x1b"
    charts = InlineCharts(theme_colours(LOOKS), LOOKS.names)

    def draw_evil(figure: Figure) -> None:
        draw(figure)
        figure.text(0.1, 0.1, evil)

    chart = Canvas(None, "", LOOKS).chart("name", evil, evil, draw_evil, height=300)
    svg = charts.svg(chart, {cell.name: row for row, cell in enumerate(CELLS)})
    assert "color:red" not in charts.style_sheet and "script" not in charts.shared
    text = "".join(ElementTree.fromstring(re.sub(' aria-label="[^"]*"', "", svg)).itertext())
    assert '}*{color:red} <script/> data-m="x" $a$' in text


def test_what_charts_share_is_in_the_page_once_and_follows_its_theme(page):
    assert page.pictures[0] == page.pictures[1]
    ids = re.findall(r'id="(\w+)"', page.shared)
    assert len(ids) == len(set(ids)) == 4  # two markers, a clipping area, a hatch
    assert set(re.findall(r"#([A-Z]\w+)", page.svg + page.style)) == set(ids)
    assert set(re.findall(r'class="([A-Z]\w+)"', page.svg + page.shared)) == set(re.findall(r"\.(\w+){", page.style))
    assert not re.search("#[0-9a-f]{6}", page.svg + page.shared + page.style)
    ElementTree.fromstring(page.svg)
    ElementTree.fromstring(page.shared)


def test_files_are_complete_and_the_png_is_twice_as_large(tmp_path):
    Canvas(tmp_path, "plots", LOOKS).chart("name", "a title", "in words", draw, height=300, width=400)
    text = (tmp_path / "plots/name.svg").read_text()
    assert "a title: in words" in text and "join/hash_index" not in text
    ElementTree.fromstring(text)
    png = (tmp_path / "plots/name.png").read_bytes()
    assert [int.from_bytes(png[start:start + 4], "big") for start in (16, 20)] == [800, 600]
