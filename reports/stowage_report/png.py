"""Writes what matplotlib has drawn as PNG, in half the time of Pillow, which tries five filters for each line."""

from __future__ import annotations

import struct
import zlib

import numpy
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

#: Of 9; flat colours become no smaller by more.
_EFFORT = 1
_EIGHT_BITS, _RED_GREEN_BLUE = 8, 2
_NO_FILTER = 0


def png_of(figure: Figure, dots_per_inch: float) -> bytes:
    """Opaque: the figure's own background is behind everything. The figure's resolution is what it was, afterwards."""
    before = figure.dpi
    try:
        figure.dpi = dots_per_inch
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return _encoded(numpy.asarray(canvas.buffer_rgba())[:, :, :3])
    finally:
        figure.dpi = before


def _encoded(pixels: numpy.ndarray) -> bytes:
    height, width, channels = pixels.shape
    lines = numpy.full((height, 1 + width * channels), _NO_FILTER, numpy.uint8)
    lines[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, _EIGHT_BITS, _RED_GREEN_BLUE, 0, 0, 0)
    return b"".join((b"\x89PNG\r\n\x1a\n", _chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(lines, _EFFORT)),
                     _chunk(b"IEND", b"")))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
