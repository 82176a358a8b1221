"""`python3 -m stowage_report.gallery.submission RUN_DIR --again CELLS [--out FILE]`: packs a run that `stowage submit`
has checked as one file, without what is private, and prints the file's path. The same run gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Sequence

from stowage_report.console import Parser, UserError, exit_code_of, refused, write
from stowage_report.data.environment import architecture
from stowage_report.data.load import RESULTS_FILE, SUBMISSION_SUFFIX, load_run, parse_json

_WHERE_TO_WRITE = re.compile(r" --(?:out|resume)[ =](?:'[^']*'|\S+)")
#: From the root or from a home; a cell's name and `and/or` have a letter before the stroke.
_PATH = re.compile(r"(?<![\w.)])~?/[^\s:;,'\"()]+")
_PATH_IN_FLAG = re.compile(r"(?<==)/\S+|(?<=-[ILB])/\S+")
_KERNEL = re.compile(r"(Linux \d+(?:\.\d+)+)-\S+")


def submission_text(document: dict[str, Any], again: int) -> str:
    """Of a results file: what is packed, with what was replaced and what was checked."""
    context = document["context"]
    record = context["stowage"]
    replaced: list[str] = []

    def replace(holder: dict[str, Any], key: str, value: str, what: str) -> None:
        if holder.get(key, value) != value:
            holder[key] = value
            replaced.append(what)

    host = str(context.get("host_name", ""))
    replace(context, "host_name", "host", "the host name")
    replace(context, "executable", "stowage", "the path of the program")
    replace(record, "command", _WHERE_TO_WRITE.sub("", record["command"]), "where the command wrote to")
    replace(record, "os", _KERNEL.sub(r"\1", record["os"]), "the suffix of the kernel's version")
    if hosts := list(dict.fromkeys(entry["host"] for entry in document["benchmarks"] if "host" in entry)):
        for entry in document["benchmarks"]:
            if "host" in entry:
                entry["host"] = f"host {1 + hosts.index(entry['host'])}"
        replaced.append("the host of each cell")

    def cleaned(text: str) -> str:
        text = _PATH.sub("PATH", _PATH_IN_FLAG.sub("PATH", text))
        return re.sub(rf"\b{re.escape(host)}\b", "host", text) if len(host) > 1 else text

    free_text = {key: record[key] for key in ("command", "filter", "flags", "passes", "omissions") if key in record}
    if (clean := _mapped(free_text, cleaned)) != free_text:
        record.update(clean)
        replaced.append("paths and host names in texts")
    record["submission"] = {"cells_run_again": again, "replaced": replaced}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Every text in it changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(each, change) for each in value]
    return {key: _mapped(each, change) for key, each in value.items()} if isinstance(value, dict) else value


def pack(directory: Path, again: int, out: Path | None) -> tuple[Path, list[str]]:
    """Returns the file and what was replaced in it."""
    load_run(directory)  # names what is wrong with it
    document = parse_json(directory / RESULTS_FILE, "give a directory that `stowage run` wrote")
    text = submission_text(document, again)
    file = out or Path(_name(document, text))
    if not file.name.endswith(SUBMISSION_SUFFIX):
        raise UserError(f"--out {file} must end with {SUBMISSION_SUFFIX}")
    if file.exists():
        raise UserError(f"{file} exists; remove it, or name another file with --out")
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        try:
            unfinished.write_bytes(lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise refused(f"cannot write {file}", error, "name a file with --out") from error
    return file, document["context"]["stowage"]["submission"]["replaced"]


def _name(document: dict[str, Any], text: str) -> str:
    """By what tells runs of a gallery apart, and by the bytes."""
    context = document["context"]
    record = context["stowage"]
    parts = [str(context["date"])[:10], record["cpu_model"], record["compiler"], architecture(record["flags"]),
             record["preset"], hashlib.sha256(text.encode()).hexdigest()[:8]]
    return re.sub(r"[^a-z0-9._]+", "-", "-".join(parts).lower()) + SUBMISSION_SUFFIX


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage submit", description="Packs a run as one file for the gallery.")
    parser.add_argument("run_directory", metavar="RUN_DIR", type=Path)
    parser.add_argument("--again", type=int, required=True, help="how many cells were run again, with equal checksums")
    parser.add_argument("--out", metavar="FILE", type=Path)

    def work() -> None:
        options = parser.parse_args(arguments)
        file, replaced = pack(options.run_directory, options.again, options.out)
        print(f"stowage: all {options.again} checksums are equal\n"
              f"stowage: replaced, because they are private: {', '.join(replaced) or 'nothing'}\n"
              "stowage: add the file to gallery/ in a clone of the repository, and open a pull request", file=sys.stderr)
        write(f"{file}\n", sys.stdout)

    return exit_code_of(work, "interrupted, nothing was written")


if __name__ == "__main__":
    sys.exit(main())
