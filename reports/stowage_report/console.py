"""What every command shares: errors with exit codes, arguments, and what a terminal can show."""

from __future__ import annotations

import argparse
import errno
import os
import re
import secrets
import sys
import textwrap
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, NoReturn, Sequence, TextIO

WIDTH = 100  # columns

_IN_ASCII = {"\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-", "\N{HORIZONTAL ELLIPSIS}": "~",
             "\N{MICRO SIGN}": "u", "\N{MINUS SIGN}": "-", "\N{PLUS-MINUS SIGN}": "~"}


class ReportError(Exception):
    """Something wrong outside this package: one line for the user, and the exit code that scripts rely on."""

    exit_code = 1


#: What to do if the machine lacks something, by the error that says so: as harness/system/files.cpp has it.
_REMEDIES = {
    errno.ENOSPC: "free some space or choose another disk", errno.EDQUOT: "free some space or choose another disk",
    errno.EFBIG: "raise the limit on file sizes (ulimit -f)", errno.EIO: "check the disk",
    errno.EMFILE: "raise the limit on open files (ulimit -n)", errno.ENFILE: "raise the limit on open files (ulimit -n)",
    errno.EAGAIN: "raise the limit on processes (ulimit -u)", errno.ENOMEM: "end other programs",
}


class UserError(ReportError):
    """The input is wrong: a directory, a file, an argument."""

    exit_code = 2


class MissingError(ReportError):
    """This machine lacks something that a report needs."""

    exit_code = 3


def refused(what: str, error: OSError, otherwise: str) -> ReportError:
    """What to raise if the system refuses `what`: exit code 3 if the machine lacks something, else 2 with `otherwise` for
    a remedy."""
    remedy = _REMEDIES.get(error.errno)
    return (MissingError if remedy else UserError)(f"{what}: {error.strerror or error}; {remedy or otherwise}")


class Parser(argparse.ArgumentParser):
    """Reports wrong arguments as a UserError."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; {' '.join(self.format_usage().split())}")


def exit_code_of(work: Callable[[], int | None], interrupted: str = "interrupted") -> int:
    """Runs a command: its own exit code, 0 if it has none, or one line and the code of what stopped it."""
    try:
        return work() or 0
    except ReportError as error:
        say(error)
        return error.exit_code
    except OSError as error:
        problem = refused(f"cannot use {error.filename or 'a file'}", error, "name another place")
        say(problem)
        return problem.exit_code
    except KeyboardInterrupt:
        say(interrupted)
        return 130
    except Exception:  # Python's own exit code would be 1, which is an answer
        traceback.print_exc()
        return 70


def command(parser: Parser, work: Callable[[argparse.Namespace], int | None], arguments: Sequence[str] | None,
            interrupted: str = "interrupted") -> int:
    """A whole program: what it does with its arguments, by default those of the command line."""
    return exit_code_of(lambda: work(parser.parse_args(arguments)), interrupted)


#: ESC, line breaks and the like; in a text of lines, neither line breaks nor the colours of Terminal.coloured().
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_TEXT = re.compile(r"(?!\x1b\[(?:[0-9]|3[0-9])m)[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def _escaped(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def say(message: object) -> None:
    """`stowage: message` as one line on stderr, whatever is in the message. The exit code says the same: it matters more
    than a stderr that is full or closed."""
    if sys.stderr is None:
        return
    try:
        print(f"stowage: {CONTROL.sub(_escaped, str(message))}", file=sys.stderr, flush=True)
    except OSError:
        _send_nowhere(sys.stderr)


def _send_nowhere(stream: TextIO) -> None:
    """What is left in a stream that cannot be written is flushed at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def replace_file(path: Path, content: str | bytes) -> None:
    """Writes a file whole or not at all. What is unfinished has a new name, so that no link is followed. Raises
    OSError."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    new = unfinished.open("xb")
    try:
        with new as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class Terminal:
    unicode: bool = True  # whether its encoding has more than ASCII
    colours: bool = False

    @staticmethod
    def of(stream: TextIO) -> Terminal:
        """By the stream's encoding, by whether it is a terminal, and by https://no-color.org."""
        encoding = (stream.encoding or "").lower().replace("-", "").replace("_", "")
        return Terminal(encoding.startswith("utf"), stream.isatty() and not os.environ.get("NO_COLOR"))

    def text(self, text: str) -> str:
        """As this terminal can show it; as long as before."""
        if self.unicode:
            return text
        return "".join(_IN_ASCII.get(character, character if character.isascii() else "?") for character in text)

    def coloured(self, text: str, code: str) -> str:
        """With that SGR code (`1`: bold, `32`: green) if there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours else text


def write(text: str, stream: TextIO) -> None:
    """A reader that stops early, as `head` does, has what it wants. Bytes of a path that are no text are shown as numbers,
    and control characters in names move no cursor."""
    encoding = stream.encoding or "utf-8"
    text = _CONTROL_IN_TEXT.sub(_escaped, text).encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        _send_nowhere(stream)
        if not isinstance(error, BrokenPipeError):
            raise MissingError("the answer cannot be written to standard output; free some space, or send it elsewhere"
                               ) from error


def fitted(name: str, columns: int) -> str:
    """A name whose middle is left out if it is too long: what it begins and ends with tells it from others."""
    if len(name) <= columns:
        return name
    end = (columns - 1) // 2
    return f"{name[: columns - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"


def wrapped(text: str, indent: str = "", first: str | None = None) -> list[str]:
    """Lines of at most WIDTH columns; only what has no place to break is cut, and that is nothing to be copied."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent if first is None else first, subsequent_indent=indent,
                         break_on_hyphens=False)
