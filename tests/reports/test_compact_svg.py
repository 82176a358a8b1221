"""What the page has of a chart shows what the chart's own file shows, in a fraction of the bytes."""

import re
from xml.etree import ElementTree

import pytest

from stowage_report.charts.svg import Pool, compact

SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 440 300">
 <title>A title: of a file</title>
 <metadata>dropped</metadata>
 <defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
 <g id="figure_1">
  <g id="patch_1"><path d="M 0 300 L 440 300 z" style="fill: #fefefe"/></g>
  <g id="mark-0">
   <path d="M 69.04 346 L 69.04 56.26 L 80 56.26 L 81.5 60" clip-path="url(#pabc)" style="fill: none; stroke: #1f2328"/>
   <defs><path id="m043" d="M 0 0 C 0.265203 0 1 1 0 -3.5 z" style="stroke: #59636e"/></defs>
   <g clip-path="url(#pabc)"><use xlink:href="#m043" x="69.123" y="346" style="fill: #59636e"/></g>
  </g>
  <g id="patch_2"><path d="M 1 1 L 2 2" style="fill: none"/></g>
  <g id="mark-1"><path d="M 1 1 L 2 2" style="fill: none"/></g>
  <g id="patch_3"><path d="M 5 5 L 6 5 z" style="fill: url(#h1); opacity: 0.5"/></g>
  <g id="text_1"><text style="font: 700 10.5px 'DejaVu Sans', sans-serif; text-anchor: middle" x="6" y="360.978"
     transform="rotate(-0 6 360.978)">a &lt; b</text></g>
  <g id="text_2"><text style="font: 10.5px 'DejaVu Sans'" transform="translate(5 6) rotate(-35)">slanted</text></g>
 </g>
 <defs><clipPath id="pabc"><rect x="52" y="56" width="374" height="290"/></clipPath>
  <pattern id="h1" patternUnits="userSpaceOnUse" width="72" height="72">
   <path d="M 0 0 L 72 72" style="stroke: #59636e"/></pattern>
 </defs>
</svg>"""


@pytest.fixture
def chart():
    return compact(SVG, {"mark-0": 'data-m="0"', "mark-1": 'data-m="1"'})


def test_lines_become_steps_without_moving_a_point(chart):
    assert 'd="M69 346v-289.7h11l1.5 3.7"' in chart.body


def test_curves_keep_their_shape(chart):
    assert any('d="M0 0C.27 0 1 1 0 -3.5z"' in text for text in chart.shared.values())


def test_only_marks_keep_an_id_and_a_group_of_one_hands_it_on(chart):
    assert chart.body.count("data-m") == 2 and "figure_1" not in chart.body and "patch_3" not in chart.body
    assert re.search(r'<path d="M1 1l1 1" class="~\w+~" data-m="1"/>', chart.body)
    assert chart.body.startswith('<g data-m="0"><path')


def test_what_draws_nothing_is_left_out(chart):
    assert chart.body.count("M1 1l1 1") == 1 and "dropped" not in chart.body and "M0 300" not in chart.body


def test_text_is_upright_or_slanted_and_escaped(chart):
    assert re.search(r'<text class="~\w+~" x="6" y="361">a &lt; b</text>', chart.body)
    assert 'transform="translate(5 6) rotate(-35)"' in chart.body
    assert "font-size:10.5px;font-weight:700;text-anchor:middle" in chart.styles.values()


def test_what_charts_share_is_in_the_page_once(chart):
    pool = Pool()
    bodies = {pool.body_of(chart), pool.body_of(compact(SVG, {"mark-0": 'data-m="0"', "mark-1": 'data-m="1"'}))}
    assert len(bodies) == 1
    ids = re.findall(r'id="(\w+)"', pool.shared)
    assert len(ids) == len(set(ids)) == 3
    referred = set(re.findall(r"#([A-Z]\w+)", "".join(bodies) + pool.style_sheet))
    assert referred == set(ids)
    classes = set(re.findall(r'class="(\w+)"', "".join(bodies) + pool.shared))
    assert classes == set(re.findall(r"\.(\w+){", pool.style_sheet))
    ElementTree.fromstring(f"<svg>{bodies.pop()}{pool.shared}</svg>")
