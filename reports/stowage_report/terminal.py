"""What a terminal can show: bars of eighths of a column, colours, and plain ASCII where it can show neither."""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass
from typing import TextIO

WIDTH = 100  # columns

_EIGHTHS = " \N{LEFT ONE EIGHTH BLOCK}\N{LEFT ONE QUARTER BLOCK}\N{LEFT THREE EIGHTHS BLOCK}\N{LEFT HALF BLOCK}" \
           "\N{LEFT FIVE EIGHTHS BLOCK}\N{LEFT THREE QUARTERS BLOCK}\N{LEFT SEVEN EIGHTHS BLOCK}"
_FULL, _FURTHER = "\N{FULL BLOCK}", "\N{BLACK RIGHT-POINTING TRIANGLE}"
_IN_ASCII = {"\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-", "\N{HORIZONTAL ELLIPSIS}": "~",
             "\N{MICRO SIGN}": "u", "\N{MINUS SIGN}": "-"}


@dataclass(frozen=True)
class Terminal:
    blocks: bool = True  # whether its encoding has more than ASCII
    colours: bool = False

    @staticmethod
    def of(stream: TextIO) -> Terminal:
        """By the stream's encoding, by whether anybody looks at it, and by the wish of https://no-color.org."""
        encoding = (stream.encoding or "").lower().replace("-", "").replace("_", "")
        return Terminal(encoding.startswith("utf"), stream.isatty() and not os.environ.get("NO_COLOR"))

    def text(self, text: str) -> str:
        """As this terminal can show it; as long as before."""
        if self.blocks:
            return text
        return "".join(_IN_ASCII.get(character, character if character.isascii() else "?") for character in text)

    def coloured(self, text: str, code: str) -> str:
        """With that SGR code (`1`: bold, `32`: green) where there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours else text

    def bar(self, value: float, full: float, columns: int) -> str:
        """A bar that `full` would fill all columns of; an arrow ends one that would be longer."""
        eighths = round(8 * columns * value / full)
        if eighths > 8 * columns:
            return (_FULL * (columns - 1) + _FURTHER) if self.blocks else "#" * (columns - 1) + ">"
        whole, rest = divmod(max(eighths, 1), 8)
        if not self.blocks:
            return "#" * max(1, round(eighths / 8))
        return _FULL * whole + _EIGHTHS[rest] * bool(rest)


def write(text: str, stream: TextIO) -> None:
    """Whoever reads the beginning alone, as `head` does, has what it wants."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is left is flushed at the end


def fitted(name: str, columns: int) -> str:
    """A name whose middle is left out where it is too long: what it begins and ends with tells it from others."""
    if len(name) <= columns:
        return name
    end = (columns - 1) // 2
    return f"{name[: columns - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"


def wrapped(text: str, indent: str = "", first: str | None = None) -> list[str]:
    """Lines of at most WIDTH columns; only what has no place to break is cut, and that is nothing to be copied."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent if first is None else first, subsequent_indent=indent,
                         break_on_hyphens=False)
