"""Draws a figure as SVG, or as SVG and PNG in one pass.

Matplotlib's own way asks every artist twice for its position, and measures every text again for each figure. That is
most of the time that a report takes. `png_of` takes half the time of Pillow, which tries five filters for each line.
"""

from __future__ import annotations

import io
import struct
import zlib
from functools import lru_cache
from typing import Mapping

import numpy
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from matplotlib.transforms import Affine2D

POINTS_PER_INCH = 72
PNG_SCALE = 2  # pixels per point
_DOUBLED = Affine2D().scale(PNG_SCALE)

_text_to_path = TextToPath()


def svg_picture(figure: Figure, metadata: Mapping[str, object]) -> str:
    """With `metadata` as savefig takes it, of a figure whose resolution is POINTS_PER_INCH."""
    text = io.StringIO()
    picture = _Vector(*(figure.get_size_inches() * POINTS_PER_INCH), text, metadata)
    figure.draw(picture)
    picture.finish()
    return text.getvalue()


def two_pictures(figure: Figure, metadata: Mapping[str, object]) -> tuple[str, bytes]:
    """The same SVG, and the PNG."""
    text = io.StringIO()
    both = _Both(*(figure.get_size_inches() * POINTS_PER_INCH), text, metadata)
    figure.draw(both)
    both.finish()
    return text.getvalue(), both.png()


class _Vector(RendererBase):
    """What our charts draw: paths, markers, areas and text, no images."""

    def __init__(self, width: float, height: float, svg: io.StringIO, metadata: Mapping[str, object]):
        super().__init__()
        self._svg = RendererSVG(width, height, svg, metadata=metadata)

    def finish(self) -> None:
        self._svg.finalize()

    def draw_path(self, gc, path, transform, rgbFace=None) -> None:
        self._svg.draw_path(gc, path, transform, rgbFace)

    def draw_markers(self, gc, marker_path, marker_trans, path, trans, rgbFace=None) -> None:
        self._svg.draw_markers(gc, marker_path, marker_trans, path, trans, rgbFace)

    def draw_path_collection(self, gc, master_transform, paths, all_transforms, offsets, offset_trans, *style) -> None:
        self._svg.draw_path_collection(gc, master_transform, paths, all_transforms, offsets, offset_trans, *style)

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None) -> None:
        self._svg.draw_text(gc, x, y, s, prop, angle, ismath, mtext)

    def open_group(self, s, gid=None) -> None:
        self._svg.open_group(s, gid)

    def close_group(self, s) -> None:
        self._svg.close_group(s)

    def flipy(self) -> bool:
        return self._svg.flipy()

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self._svg.get_canvas_width_height()

    def get_text_width_height_descent(self, s, prop, ismath) -> tuple[float, float, float]:
        return _measured(s, prop, ismath)


class _Both(_Vector):
    """All is told in points; the PNG's renderer gets it enlarged."""

    def __init__(self, width: float, height: float, svg: io.StringIO, metadata: Mapping[str, object]):
        super().__init__(width, height, svg, metadata)
        self._png = RendererAgg(width * PNG_SCALE, height * PNG_SCALE, POINTS_PER_INCH * PNG_SCALE)

    def png(self) -> bytes:
        return png_of(numpy.asarray(self._png.buffer_rgba()))

    def draw_path(self, gc, path, transform, rgbFace=None) -> None:
        super().draw_path(gc, path, transform, rgbFace)
        if rgbFace is not None or gc.get_linewidth() > 0 or gc.get_hatch() is not None:
            self._png.draw_path(_Enlarged(gc), path, transform + _DOUBLED, rgbFace)

    def draw_markers(self, gc, marker_path, marker_trans, path, trans, rgbFace=None) -> None:
        super().draw_markers(gc, marker_path, marker_trans, path, trans, rgbFace)
        self._png.draw_markers(_Enlarged(gc), marker_path, marker_trans + _DOUBLED, path, trans + _DOUBLED, rgbFace)

    def draw_path_collection(self, gc, master_transform, paths, all_transforms, offsets, offset_trans, *style) -> None:
        super().draw_path_collection(gc, master_transform, paths, all_transforms, offsets, offset_trans, *style)
        self._png.draw_path_collection(_Enlarged(gc), master_transform + _DOUBLED, paths, all_transforms, offsets,
                                       offset_trans + _DOUBLED, *style)

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None) -> None:
        super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
        self._png.draw_text(_Enlarged(gc), x * PNG_SCALE, y * PNG_SCALE, s, prop, angle, ismath, mtext)


class _Enlarged(GraphicsContextBase):
    """With its clipping areas in pixels; lengths such as the width of a line are in points for both renderers."""

    def __init__(self, gc: GraphicsContextBase):
        self.copy_properties(gc)
        if self._cliprect is not None:
            self._cliprect = self._cliprect.transformed(_DOUBLED)

    def get_clip_path(self):
        path, transform = super().get_clip_path()
        return path, transform and transform + _DOUBLED


@lru_cache(maxsize=None)
def _measured(text: str, font: FontProperties, mathematical: bool) -> tuple[float, float, float]:
    """The same names and figures stand in many charts."""
    return _text_to_path.get_text_width_height_descent(text, font, mathematical)


#: Of 9; flat colours become no smaller by more.
_EFFORT = 1
_EIGHT_BITS, _RED_GREEN_BLUE = 8, 2
_NO_FILTER = 0


def png_of(pixels: numpy.ndarray) -> bytes:
    """Of lines of pixels of four bytes, the fourth of which says that they are opaque, and goes unsaid."""
    height, width, _ = pixels.shape
    lines = numpy.full((height, 1 + width * 3), _NO_FILTER, numpy.uint8)
    for channel in range(3):  # one by one: a copy of three of every four bytes takes longer than to pack them
        lines[:, 1 + channel::3] = pixels[:, :, channel]
    head = struct.pack(">IIBBBBB", width, height, _EIGHT_BITS, _RED_GREEN_BLUE, 0, 0, 0)
    return b"".join((b"\x89PNG\r\n\x1a\n", _chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(lines, _EFFORT)),
                     _chunk(b"IEND", b"")))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
