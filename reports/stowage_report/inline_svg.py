"""Puts a chart into the page: its colours follow the page's theme, its text the page's font, its ids stay its own."""

from __future__ import annotations

import html
import re

from stowage_report.canvas import Chart
from stowage_report.style import NEUTRALS, Colour, Looks


def theme_colours(looks: Looks) -> dict[str, Colour]:
    """CSS variable -> what it is in either theme, for all colours that follow it."""
    colours = {f"--{name}": colour for name, colour in NEUTRALS.items()}
    for colour in looks.colours():
        if colour not in colours.values():
            colours[f"--c{colour.light[1:]}"] = colour
    return colours


def inline_svg(chart: Chart, colours: dict[str, Colour], prefix: str) -> str:
    svg = chart.svg[chart.svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = _own_ids(svg, prefix)
    svg = _page_fonts(svg)
    for variable, colour in colours.items():
        svg = svg.replace(colour.light, f"var({variable})")
    return _accessible_root(svg, chart)


def _own_ids(svg: str, prefix: str) -> str:
    """Several charts share a page, and matplotlib counts from 1 in each: keep only ids in use, made unique."""
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in used else "", svg)
    svg = re.sub(r'xlink:href="#', f'href="#{prefix}-', svg)
    return svg.replace("url(#", f"url(#{prefix}-")


def _page_fonts(svg: str) -> str:
    """The family comes from the page; size and weight stay."""
    return re.sub(r"font: ((?:[\w.]+ )*?)([\d.]+px) [^;\"]*", r"font-size: \2; font-weight: \1", svg)


def _accessible_root(svg: str, chart: Chart) -> str:
    """Sized by the page, named for those who cannot see it."""
    root, rest = svg.split(">", 1)
    view_box = re.search(r'viewBox="([^"]+)"', root)[1]
    width = view_box.split()[2]
    rest = re.sub(r"<title>.*?</title>", "", rest, count=1, flags=re.DOTALL)
    label = html.escape(f"{chart.title}: {chart.description}", quote=True)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}" role="img" aria-label="{label}" '
            f'style="--native: {float(width):g}px">{rest}')
