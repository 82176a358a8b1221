"""Writes pixels as PNG, in half the time of Pillow, which tries five filters for each line."""

from __future__ import annotations

import struct
import zlib

import numpy

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
