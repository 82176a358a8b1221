"""Puts charts into the page: colours follow its theme, text has its font, and marks say whose they are."""

from __future__ import annotations

import html
import re
from typing import Mapping, Sequence

from markupsafe import Markup

from stowage_report.charts.canvas import Chart
from stowage_report.charts.compact_svg import Pool
from stowage_report.charts.marks import Mark
from stowage_report.charts.style import NEUTRALS, Colour, Looks


def theme_colours(looks: Looks) -> dict[str, Colour]:
    """CSS variable -> what it is in either theme, for all colours that follow it."""
    colours = {f"--{name}": colour for name, colour in NEUTRALS.items()}
    for colour in looks.colours():
        if colour not in colours.values():
            colours[f"--c{colour.light[1:]}"] = colour
    return colours


class InlineCharts:
    """The charts of one page, which share styles and shapes."""

    def __init__(self, colours: Mapping[str, Colour], strategies: Sequence[str]):
        self._variables = {colour.light: f"var({name})" for name, colour in colours.items()}
        self._numbers = {name: number for number, name in enumerate(strategies)}
        self._pool = Pool()

    def svg(self, chart: Chart, rows: Mapping[str, int]) -> Markup:
        """Sized by the page, named for those who cannot see it. `rows` are the places of cells in their table."""
        body = self._pool.body_of(chart.picture)
        body = re.sub(r'data-m="(\d+)"', lambda match: self._mark(chart.marks[int(match[1])], rows), body)
        label = html.escape(f"{chart.title}: {chart.description}", quote=True)
        left, top, width, height = (f"{value:g}" for value in chart.picture.view_box)
        return Markup(f'<svg viewBox="{left} {top} {width} {height}" role="img" aria-label="{label}" '
                      f'style="--native: {width}px">{body}</svg>')

    @property
    def style_sheet(self) -> Markup:
        """To be asked for after the last chart."""
        return Markup(self._themed(self._pool.style_sheet))

    @property
    def shared(self) -> Markup:
        """What all charts refer to; it has to be in the page, and takes no room there."""
        return Markup('<svg class="shared" width="0" height="0" aria-hidden="true">'
                      f'<defs>{self._pool.shared}</defs></svg>')

    def _themed(self, text: str) -> str:
        return re.sub(r"#[0-9a-f]{6}\b", lambda match: self._variables.get(match[0], match[0]), text)

    def _mark(self, mark: Mark, rows: Mapping[str, int]) -> str:
        """Cells that are in no table of theirs have no figures to be shown."""
        known = [str(rows[cell]) for cell in mark.cells if cell in rows]
        cells = f' data-c="{" ".join(known)}"' if known and len(known) == len(mark.cells) else ""
        return f'data-s="{self._numbers[mark.strategy]}"{cells}'
