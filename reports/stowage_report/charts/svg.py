"""Charts as SVG inside the page. `compact` makes matplotlib's SVG a fourth as long, with the same picture.

Styles, markers, hatches and clipping areas recur in every chart, so the page has each of them once (`Pool`). A chart is
compacted in the process that drew it. It refers to shared parts by names that come from their content. The page knows
all charts and replaces these names with the shortest possible ones. `InlineCharts` puts charts into the page: colours
follow its theme, text has its font, and marks name their strategies and cells.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from hashlib import blake2b
from string import ascii_letters, ascii_uppercase, digits
from typing import TYPE_CHECKING, Iterator, Mapping, Sequence
from xml.etree import ElementTree

from markupsafe import Markup

from stowage_report.charts.style import NEUTRALS, Colour, Looks

if TYPE_CHECKING:
    from stowage_report.charts.canvas import Chart, Mark

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NAME = re.compile(r"~(\w+)~")
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_REFERENCE = re.compile(r"#([\w-]+)")
_CLASS = re.compile(r' class="[^"]*"')
_UPRIGHT = re.compile(r"rotate\(-?0(?: [-\d.]+)*\)")
#: Of the names that the page gives to what charts share.
_DIGITS = digits + ascii_letters
#: Digits after the point: of places in a chart, in its points, and of what is small and may be enlarged.
_PLACES, _FINE = 1, 2
#: In points, from its middle.
_LARGEST_MARKER = 6
_DROPPED = {"metadata", "title", "style"}
_LINES_ONLY = re.compile(r"[MLz\s\d.e-]*")


@dataclass(frozen=True)
class CompactSvg:
    view_box: tuple[float, ...]
    body: str
    styles: dict[str, str] = field(default_factory=dict)  # by names as in the body, between tildes
    shared: dict[str, str] = field(default_factory=dict)


class Pool:
    """What the charts of one page share, with short names."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._styles: dict[str, str] = {}
        self._shared: dict[str, str] = {}

    def body_of(self, chart: CompactSvg) -> str:
        """With the names that the page has for what it refers to."""
        self._styles |= chart.styles
        self._shared |= chart.shared
        return _NAME.sub(self._short, chart.body)

    @property
    def style_sheet(self) -> str:
        rules = "".join(f".~{key}~{{{style}}}" for key, style in self._styles.items())
        return _NAME.sub(self._short, rules)

    @property
    def shared(self) -> str:
        """Elements for one `<defs>`."""
        return _NAME.sub(self._short, "".join(self._shared.values()))

    def _short(self, match: re.Match[str]) -> str:
        return self._name(match[1])

    def _name(self, key: str) -> str:
        return self._names.setdefault(key, _short_name(len(self._names)))


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


def compact(svg: str, names: dict[str, str]) -> CompactSvg:
    """`names` are the attributes that elements with these ids get; all other ids go."""
    root = ElementTree.fromstring(svg)
    return _Compactor(root, names).result()


class _Compactor:
    def __init__(self, root: ElementTree.Element, names: dict[str, str]):
        self._root = root
        self._names = names
        self._styles: dict[str, str] = {}
        self._shared: dict[str, str] = {}
        self._keys: dict[str, str] = {}  # of what is shared, by its id in this chart
        self._areas = {f"url(#{clip.get('id')})": _area(clip[0]) for clip in root.iter(f"{_SVG}clipPath")}
        for element in root.iter():
            if _tag(element) == "defs":
                self._share(element)

    def result(self) -> CompactSvg:
        view_box = tuple(map(float, self._root.get("viewBox").split()))
        background, *drawn = next(iter(self._root.findall(f"{_SVG}g")))  # the page has its own
        assert background.get("id") == "patch_1"
        body = "".join(text for element in drawn for text in self._written(element, _PLACES))
        return CompactSvg(view_box, body, self._styles, self._shared)

    def _share(self, definitions: ElementTree.Element) -> None:
        for element in definitions:
            name = element.attrib.pop("id", None)
            if name is not None:
                text = "".join(self._written(element, _FINE))
                key = f"d{_digest(text)}"
                self._keys[name] = key
                self._shared[key] = re.sub(r"^<\w+", lambda match: f'{match[0]} id="~{key}~"', text)

    def _written(self, element: ElementTree.Element, digits: int, marked: str = "") -> Iterator[str]:
        tag = _tag(element)
        if tag in _DROPPED or tag == "defs" or (_is_empty(element) and not marked):
            return
        attributes = self._attributes(element, digits) + (f" {marked}" if marked else "")
        handed_on = ""
        if tag == "g" and len(element) == 1 and attributes == f" {self._names.get(element.get('id', ''))}":
            attributes, handed_on = "", attributes.strip()  # a group of one has no need to be
        inner = "".join(text for child in element for text in self._written(child, digits, handed_on))
        if tag == "g" and len(element) > 1 and all(_tag(child) == "use" for child in element):
            attributes, inner = _hoisted(attributes, inner)
        if tag in ("text", "tspan"):
            inner = html.escape((element.text or ""), quote=False) + inner
        if tag == "g" and (not attributes or not inner):
            yield inner
        elif inner:
            yield f"<{tag}{attributes}>{inner}</{tag}>"
        else:
            yield f"<{tag}{attributes}/>"
        if tag == "tspan":
            yield html.escape(element.tail or "", quote=False)

    def _attributes(self, element: ElementTree.Element, digits: int) -> str:
        parts = []
        for name, value in element.attrib.items():
            if name == "id":
                parts.append(self._names.get(value, ""))
            elif name == "style":
                parts.append(self._class(value))
            elif name == "d":
                parts.append(f'd="{_path(value, digits)}"')
            elif name == "clip-path" and self._is_inside(element, value):
                continue
            elif name == "transform":
                moved = _UPRIGHT.sub("", value).strip()
                parts.append(f'transform="{_rounded(moved, _FINE)}"' if moved else "")
            elif name == _HREF:
                parts.append(f'href="{self._referring(value)}"')
            elif "#" in value:
                parts.append(f'{name}="{self._referring(value)}"')
            else:
                parts.append(f'{name}="{_rounded(html.escape(value), digits)}"')
        return "".join(f" {part}" for part in parts if part)

    def _is_inside(self, element: ElementTree.Element, clip: str) -> bool:
        """Of lines, areas between points and markers, which most charts are made of: nothing of it is clipped."""
        places = _places(element)
        if clip not in self._areas or not places:
            return False
        left, top, right, bottom = self._areas[clip]
        room = _LARGEST_MARKER if _tag(element) == "g" else -(10**-_FINE)
        return all(left + room <= x <= right - room and top + room <= y <= bottom - room for x, y in places)

    def _class(self, style: str) -> str:
        """The family of fonts comes from the page; size and weight stay."""
        style = re.sub(r"font: ((?:[\w.]+ )*?)([\d.]+px) [^;]*",
                       lambda match: f"font-size:{match[2]}" + (f";font-weight:{match[1].strip()}" if match[1] else ""),
                       self._referring(style) if "url(" in style else style)
        style = re.sub(r"\s*([:;])\s*", r"\1", style)
        key = f"s{_digest(style)}"
        self._styles[key] = style
        return f'class="~{key}~"'

    def _referring(self, value: str) -> str:
        """Content comes before what refers to it in matplotlib's files, so its key is known."""
        return _REFERENCE.sub(lambda match: f"#~{self._keys[match[1]]}~" if match[1] in self._keys else match[0], value)


def _tag(element: ElementTree.Element) -> str:
    return element.tag.removeprefix(_SVG)


def _is_empty(element: ElementTree.Element) -> bool:
    """Drawn with nothing, as the areas behind axes are, or a line with one point, as markers that stand alone have."""
    if _tag(element) != "path":
        return False
    return element.get("style") == "fill: none" or not re.search("[LCQ]", element.get("d"))


def _hoisted(attributes: str, inner: str) -> tuple[str, str]:
    """The one style of all markers of a curve, said once."""
    classes = set(_CLASS.findall(inner))
    return (attributes + classes.pop(), _CLASS.sub("", inner)) if len(classes) == 1 else (attributes, inner)


def _area(rectangle: ElementTree.Element) -> tuple[float, float, float, float]:
    left, top, width, height = (float(rectangle.get(name)) for name in ("x", "y", "width", "height"))
    return left, top, left + width, top + height


def _places(element: ElementTree.Element) -> list[tuple[float, float]]:
    """Of the points of a path or of a group's markers; none where that is something else, or drawn by a shape's own
    coordinates."""
    if _tag(element) == "g":
        if not all(_tag(child) == "use" and child.get("x") != "0" for child in element):
            return []
        return [(float(child.get("x")), float(child.get("y"))) for child in element]
    data = element.get("d", "")
    if not _LINES_ONLY.fullmatch(data):
        return []
    numbers = [float(number) for number in _NUMBER.findall(data)]
    return list(zip(numbers[::2], numbers[1::2]))


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _rounded(text: str, digits: int) -> str:
    return _NUMBER.sub(lambda match: _plain(float(match[0]), digits), text)


def _plain(value: float, digits: int) -> str:
    """The shortest way to write it: `.5` and `-3`."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
    return "0" if text in ("-0", "") else re.sub(r"^(-?)0\.", r"\1.", text)


def _path(data: str, digits: int) -> str:
    """Lines as steps from point to point; what has curves too keeps its shape."""
    if not _LINES_ONLY.fullmatch(data):
        return re.sub(r"\s*([A-Za-z])\s*", r"\1", _rounded(" ".join(data.split()), digits))
    parts, here, command = [], (0.0, 0.0), ""
    for step in re.finditer(r"([MLz])\s*(?:(\S+)\s+(\S+))?", data):
        if step[1] == "z":
            parts.append("z")
            continue
        there = (round(float(step[2]), digits), round(float(step[3]), digits))
        if step[1] == "M":
            parts.append(f"M{_pair(there, digits)}")
        elif there != here:
            parts.append(_step(there[0] - here[0], there[1] - here[1], digits))
        here = there
    return "".join(parts)


def _step(right: float, down: float, digits: int) -> str:
    if not round(down, digits):
        return f"h{_plain(right, digits)}"
    if not round(right, digits):
        return f"v{_plain(down, digits)}"
    return f"l{_pair((right, down), digits)}"


def _pair(place: tuple[float, float], digits: int) -> str:
    first, second = (_plain(value, digits) for value in place)
    return f"{first}{second}" if second.startswith("-") else f"{first} {second}"


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
