"""Charts as SVG inside the page, a fourth as long as what matplotlib writes by itself.

`PageRenderer` is a matplotlib backend. Styles, markers, hatches and clipping areas recur in every chart, so a picture
has them between START and END, and the page has each of them once: `InlineCharts` puts a short name in its place. There
colours follow the page's theme as well, text has its font, and marks name their strategies and cells. So one picture
serves light and dark pages and screens of any width.
"""

from __future__ import annotations

import html
import itertools
import re
from functools import lru_cache
from string import ascii_letters, ascii_uppercase, digits
from typing import TYPE_CHECKING, Mapping, Sequence

import numpy
from markupsafe import Markup
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.colors import rgb2hex
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from stowage_report.charts.style import NEUTRALS, Colour, Looks
from stowage_report.console import CONTROL

if TYPE_CHECKING:
    from stowage_report.charts.canvas import Chart

#: Around what charts share: declarations of a style, or an element.
START, END = "\x01", "\x02"
_SHARED = re.compile(f"{START}([^{START}{END}]*){END}")
#: Of the group of an artist that stands for a strategy; the names of its cells follow.
_MARK = re.compile(r'data-m="([^"]*)"')
_ANCHORS = {"left": "", "center": "text-anchor:middle;", "right": "text-anchor:end;"}
_HATCH_SIZE = 72  # points, as matplotlib draws it
#: Digits after the point: of places in a chart, and of shapes that are small and may be enlarged.
_PLACES, _FINE = 1, 2
_DIGITS = digits + ascii_letters  # of short names


class PageRenderer(RendererBase):
    """Draws figures of 72 dots per inch, one after the other: what it measured of a text is known to all of them."""

    def begin(self, width: float, height: float) -> None:
        self._width, self._height = width, height
        self._upright = Affine2D().scale(1, -1).translate(0, height)
        self._elements: list[str] = []
        self._groups: list[tuple[str, int]] = []  # what they are marked by, and their first element

    def picture(self) -> str:
        return "".join(self._elements)

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self._width, self._height

    def flipy(self) -> bool:
        return True

    def open_group(self, s: str, gid: str | None = None) -> None:
        self._groups.append((gid or "", len(self._elements)))

    def close_group(self, s: str) -> None:
        """A mark is an attribute of a single element, or of a group of several."""
        gid, first = self._groups.pop()
        drawn = self._elements[first:]
        if not gid or not drawn:
            return
        mark = f' data-m="{_escaped(gid)}"'
        self._elements[first:] = ([re.sub(r"^<\w+", lambda match: match[0] + mark, drawn[0])] if len(drawn) == 1 else
                                  [f"<g{mark}>", *drawn, "</g>"])

    def draw_path(self, gc, path, transform, rgbFace=None) -> None:
        style = _style_of(gc, rgbFace)
        placed = path.transformed(transform + self._upright)
        is_marked = bool(self._groups and self._groups[-1][0])  # what can be pointed at without being seen
        if (style or is_marked) and len(placed.vertices) > 1:
            style = style or "fill:none;"
            self._elements.append(f'<path {_class(style)} d="{path_data(placed, _PLACES)}"{self._clip(gc, placed)}/>')

    def draw_markers(self, gc, marker_path, marker_trans, path, trans, rgbFace=None) -> None:
        """A marker is drawn whole or, if its middle is outside of the axes, not at all."""
        shape = path_data(marker_path.transformed(marker_trans + Affine2D().scale(1, -1)), _FINE)
        marker = f'href="#{START}<path d="{shape}"/>{END}"'
        area = gc.get_clip_rectangle()
        points = [(x, y) for x, y in trans.transform(path.vertices) if area is None or area.padded(0.5).contains(x, y)]
        uses = [f'<use {marker} x="{number(x, _PLACES)}" y="{number(self._height - y, _PLACES)}"/>' for x, y in points]
        style = _class(_style_of(gc, rgbFace))
        if len(uses) > 1:
            self._elements += [f"<g {style}>{''.join(uses)}</g>"]
        else:
            self._elements += [use.replace("<use", f"<use {style}") for use in uses]

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None) -> None:
        """Upright text is anchored at its own place, because the page's font is of another width than matplotlib's."""
        anchor = ""
        if mtext and not angle:
            x, _ = mtext.get_transform().transform(mtext.get_unitless_position())
            anchor = _ANCHORS[mtext.get_horizontalalignment()]
        weight = "font-weight:700;" if prop.get_weight() == "bold" else ""
        alpha = f"opacity:{number(gc.get_alpha(), _FINE)};" if gc.get_alpha() not in (None, 1) else ""
        size, colour = number(prop.get_size(), _FINE), rgb2hex(gc.get_rgb())
        style = _class(f"font-size:{size}px;{weight}{anchor}fill:{colour};{alpha}")
        at = (f'transform="translate({number(x, _PLACES)} {number(y, _PLACES)}) rotate({number(-angle, 0)})"' if angle
              else f'x="{number(x, _PLACES)}" y="{number(y, _PLACES)}"')
        self._elements.append(f"<text {style} {at}>{_escaped(s)}</text>")

    def _clip(self, gc: GraphicsContextBase, path: Path) -> str:
        """Only of what reaches beyond its area."""
        area = gc.get_clip_rectangle()
        if area is None:
            return ""
        extents, room = path.get_extents(), area.padded(0.01).transformed(self._upright)
        area = area.transformed(self._upright)
        if all(room.contains(*corner) for corner in (extents.min, extents.max)):
            return ""
        sides = zip(("x", "y", "width", "height"), (area.xmin, area.ymin, area.xmax - area.xmin, area.ymax - area.ymin))
        rectangle = " ".join(f'{name}="{number(value, _PLACES)}"' for name, value in sides)
        return f' clip-path="url(#{START}<clipPath><rect {rectangle}/></clipPath>{END})"'


def _escaped(text: str) -> str:
    """Without control characters: START and END would make a style of it. A quote would look like a mark."""
    return html.escape(CONTROL.sub("", text))


def _class(style: str) -> str:
    return f'class="{START}{style}{END}"'


def _style_of(gc: GraphicsContextBase, face: Sequence[float] | None) -> str:
    """Declarations; empty if nothing is to be seen."""
    alpha, is_one = gc.get_alpha(), gc.get_forced_alpha()
    style = ""
    if gc.get_hatch() is not None:
        style += f"fill:url(#{START}{_hatch(gc, face)}{END});"
    elif face is None or (len(face) > 3 and not face[3]):
        style += "fill:none;"
    else:
        style += f"fill:{rgb2hex(face)};"
        if len(face) > 3 and face[3] != 1 and not is_one:
            style += f"fill-opacity:{number(face[3], _FINE)};"
    colour, width = gc.get_rgb(), gc.get_linewidth()
    if width and (is_one or colour[3]):
        style += f"stroke:{rgb2hex(colour)};"
        style += f"stroke-width:{number(width, _FINE)};" if width != 1 else ""
        style += f"stroke-opacity:{number(colour[3], _FINE)};" if colour[3] != 1 and not is_one else ""
        _, dashes = gc.get_dashes()
        style += f"stroke-dasharray:{' '.join(number(dash, _FINE) for dash in dashes)};" if dashes is not None else ""
    elif style == "fill:none;":
        return ""
    return style + (f"opacity:{number(alpha, _FINE)};" if is_one and alpha != 1 else "")


def _hatch(gc: GraphicsContextBase, face: Sequence[float] | None) -> str:
    lines = path_data(gc.get_hatch_path().transformed(Affine2D().scale(_HATCH_SIZE)), _FINE)
    colour = rgb2hex(gc.get_hatch_color())
    style = _class(f"fill:{colour};stroke:{colour};stroke-width:{number(gc.get_hatch_linewidth(), _FINE)};")
    ground = ""
    if face is not None and (len(face) < 4 or face[3]):
        ground = f'<rect width="{_HATCH_SIZE}" height="{_HATCH_SIZE}" {_class(f"fill:{rgb2hex(face)};")}/>'
    return (f'<pattern patternUnits="userSpaceOnUse" width="{_HATCH_SIZE}" height="{_HATCH_SIZE}">{ground}'
            f'<path {style} d="{lines}"/></pattern>')


def path_data(path: Path, places: int) -> str:
    """Lines as steps from point to point, `h` and `v` if they are level or upright; curves as they are."""
    codes = itertools.chain([Path.MOVETO], itertools.repeat(Path.LINETO)) if path.codes is None else path.codes
    parts: list[str] = []
    here = start = None  # in units of the last place; none after a gap
    curve: list[int] = []
    with numpy.errstate(invalid="ignore"):
        vertices = numpy.rint(path.vertices * 10**places)
    for (x, y), code in zip(vertices.tolist(), codes):
        if code == Path.CLOSEPOLY:
            parts.append("z")
            here = start
        elif x != x or y != y:
            here = None
        elif code == Path.MOVETO or here is None:
            parts.append(f"M{_pairs((x, y), places)}")
            here = start = (x, y)
        elif code == Path.LINETO:
            right, down = x - here[0], y - here[1]
            if right or down:
                parts.append(f"h{_unit(right, places)}" if not down else f"v{_unit(down, places)}" if not right else
                             f"l{_pairs((right, down), places)}")
            here = (x, y)
        else:
            curve += [x, y]
            if len(curve) == (4 if code == Path.CURVE3 else 6):
                parts.append(("Q" if code == Path.CURVE3 else "C") + _pairs(curve, places))
                here, curve = (x, y), []
    return "".join(parts)


def _pairs(units: Sequence[float], places: int) -> str:
    return " ".join(_unit(unit, places) for unit in units).replace(" -", "-")


@lru_cache(maxsize=None)
def _unit(units: float, places: int) -> str:
    return number(units / 10**places, places)


def number(value: float, places: int) -> str:
    """The shortest way to write it: `.5` and `-3`."""
    text = f"{value:.{places}f}"
    text = text.rstrip("0").rstrip(".") if places else text
    return "0" if text in ("-0", "") else re.sub(r"^(-?)0\.", r"\1.", text)


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
        self._names: dict[str, str] = {}  # of what is shared

    def svg(self, chart: Chart, rows: Mapping[str, int]) -> Markup:
        """Sized by the page, described for readers who cannot see it. `rows` are the places of cells in their table."""
        body = _MARK.sub(lambda match: self._mark(html.unescape(match[1]).split(), rows), self._named(chart.svg))
        label = html.escape(f"{chart.title}: {chart.description}", quote=True)
        return Markup(f'<svg viewBox="0 0 {chart.width:g} {chart.height:g}" role="img" aria-label="{label}" '
                      f'style="--native: {chart.width:g}px">{body}</svg>')

    @property
    def style_sheet(self) -> Markup:
        """To be asked for after the last chart."""
        rules = "".join(f".{name}{{{text}}}" for text, name in self._names.items() if not text.startswith("<"))
        return Markup(re.sub(r"#[0-9a-f]{6}\b", lambda match: self._variables.get(match[0], match[0]), rules))

    @property
    def shared(self) -> Markup:
        """What all charts refer to; it has to be in the page, and takes no room there."""
        shapes = "".join(re.sub(r"^<\w+", lambda match: f'{match[0]} id="{name}"', text)
                         for text, name in self._names.items() if text.startswith("<"))
        return Markup(f'<svg class="shared" width="0" height="0" aria-hidden="true"><defs>{shapes}</defs></svg>')

    def _named(self, picture: str) -> str:
        """What is shared may refer to what else is: the inner names come first."""
        while START in picture:
            picture = _SHARED.sub(
                lambda match: self._names.setdefault(match[1], _short_name(len(self._names))), picture)
        return picture

    def _mark(self, words: Sequence[str], rows: Mapping[str, int]) -> str:
        """Of a strategy and its cells. Cells that are in no table of theirs have no figures to be shown."""
        strategy, *cells = words
        known = [str(rows[cell]) for cell in cells if cell in rows]
        shown = f' data-c="{" ".join(known)}"' if known and len(known) == len(cells) else ""
        return f'data-s="{self._numbers[strategy]}"{shown}'


def _short_name(number: int) -> str:
    """Of two letters for the first 1,612: a page refers to them some ten thousand times. What the page names itself
    begins with a small letter."""
    rest, first = divmod(number, len(ascii_uppercase))
    name = ascii_uppercase[first]
    while True:
        rest, digit = divmod(rest, len(_DIGITS))
        name += _DIGITS[digit]
        if not rest:
            return name
        rest -= 1
