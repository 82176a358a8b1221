"""`python3 -m stowage_report.build_cost REQUEST.json [--format table|json] [--out FILE]`: measures what `stowage build-cost`
asks for, in the directory of the request, and prints the answer. FILE gets it as JSON."""

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Iterator, Sequence

from stowage_report.build_cost.measure import measure
from stowage_report.build_cost.table import load, table_text
from stowage_report.console import Parser, Terminal, UserError, command, replace_file, say, write


def shown(title: str, items: Sequence[Any]) -> Iterator[Any]:
    """One line on stderr: redrawn on a terminal, else written every ten seconds at most, as the harness does."""
    begin, end, pause = ("\r\x1b[K", "", 0.25) if sys.stderr.isatty() else ("", "\n", 10)
    started = last = time.monotonic()
    for done, item in enumerate(items):
        if done and time.monotonic() - last >= pause:
            last = time.monotonic()
            left_s = (last - started) / done * (len(items) - done)
            line = f"{title}: {done} of {len(items)} steps, about {left_s:.0f} s to go"
            print(begin, line, sep="", end=end, file=sys.stderr, flush=True)
        yield item
    print(begin, end="", file=sys.stderr, flush=True)


def _check_is_replaceable(path: Path) -> None:
    """Before anything is measured."""
    if path.exists():
        load(path, "give another --out")
    elif not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise UserError(f"cannot write {path}: {path.parent} is no directory that you may write to; give another --out")


def _end(*_: object) -> None:
    """`stowage`, which waits for this process, says that it was interrupted, and removes the directory."""
    if sys.stderr.isatty():
        os.write(2, b"\r\x1b[K")
    os._exit(130)


def _answer(options: argparse.Namespace) -> None:
    signal.signal(signal.SIGINT, _end)
    if options.out:
        _check_is_replaceable(options.out)
    cost = measure(json.loads(options.request.read_text(encoding="utf-8")), options.request.parent, shown)
    text = json.dumps(cost, indent=2, ensure_ascii=False) + "\n"
    write(text if options.format == "json" else table_text(cost, Terminal.of(sys.stdout)), sys.stdout)
    if options.out:
        replace_file(options.out, text)
        say(f"{options.out} has the figures; beside a results.json, `stowage report` shows them")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage build-cost")
    parser.add_argument("request", type=Path)
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.add_argument("--out", type=Path)
    return command(parser, _answer, arguments)


if __name__ == "__main__":
    sys.exit(main())
