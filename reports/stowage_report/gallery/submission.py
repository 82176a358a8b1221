"""`python3 -m stowage_report.gallery.submission RUN_DIR --again CELLS [--out FILE]`: packs a run that `stowage submit`
has checked as one file, without what is private, and prints the file's path. The same run gives the same bytes."""

import argparse
import hashlib
import json
import lzma
import re
import shlex
import sys
from pathlib import Path
from typing import Any, Callable, Sequence

from stowage_report import commands
from stowage_report.console import Parser, UserError, command, refused, replace_file, say, write
from stowage_report.data.environment import architecture
from stowage_report.data.document import PACKED_SUFFIX
from stowage_report.data.load import load_document, load_run, results_path

#: What may be told of a command: the options that say what was measured.
_TOLD = ("--preset", "--strategies", "--workloads", "--entities", "--cells", "--shard", "--layouts", "--tables", "--plots")
#: From the root or from a home; a cell's name and `and/or` have a letter before the stroke. Where a path in a text ends
#: is not known, because it may have blanks.
_PATH = re.compile(r"(?<![\w.)])~?/.*", re.DOTALL)
#: Of a compiler's flag that has a path: what is before it.
_BEFORE_PATH = re.compile(r"-[ILB]|-[^=/]*=|")
_KERNEL = re.compile(r"(Linux \d+(?:\.\d+)+)-\S+")


def submission_text(document: dict[str, Any], again: int) -> str:
    """Of a results file: what is packed, with what was replaced and what was checked."""
    context = document["context"]
    record = context["stowage"]
    replaced: list[str] = []

    def replace(holder: dict[str, Any], key: str, value: str, what: str) -> None:
        if holder[key] != value:
            holder[key] = value
            replaced.append(what)

    host = context["host_name"]
    replace(context, "host_name", "host", "the host name")
    replace(context, "executable", "stowage", "the path of the program")
    replace(record, "command", _told_command(record), "where the command wrote to")
    replace(record, "flags", _told_flags(record["flags"]), "paths in the compiler's flags")
    replace(record, "os", _KERNEL.sub(r"\1", record["os"]), "the suffix of the kernel's version")
    if hosts := list(dict.fromkeys(entry["host"] for entry in document["benchmarks"] if "host" in entry)):
        for entry in document["benchmarks"]:
            if "host" in entry:
                entry["host"] = f"host {1 + hosts.index(entry['host'])}"
        replaced.append("the host of each cell")

    def cleaned(text: str) -> str:
        text = _PATH.sub("PATH", text)
        return re.sub(rf"\b{re.escape(host)}\b", "host", text) if len(host) > 1 else text

    free_text = {key: record[key] for key in ("passes", "omissions")}
    if (clean := _mapped(free_text, cleaned)) != free_text:
        record.update(clean)
        replaced.append("paths and host names in texts")
    record["submission"] = {"cells_run_again": again, "replaced": replaced}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def _told_command(record: dict[str, Any]) -> str:
    """Without the options that name places, and without anything else that is not known to be no place."""
    words, *options = commands.options(commands.recorded(record))
    told = []
    for name, *values in options:
        if name.partition("=")[0] in _TOLD:
            told += [name, *values[:1]]
        elif name == "--" or name.startswith("--benchmark_"):  # Google Benchmark's flags, which have no paths
            told.append(name)
    return commands.line(*words[:2], *told)


def _told_flags(flags: str) -> str:
    try:
        words = shlex.split(flags)
    except ValueError:
        return "unknown"
    return commands.line(*(_BEFORE_PATH.match(word)[0] + "PATH" if "/" in word else word for word in words))


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
    document = load_document(results_path(directory))
    text = submission_text(document, again)
    file = out or Path(_name(document, text))
    if not file.name.endswith(PACKED_SUFFIX):
        raise UserError(f"--out {file} must end with {PACKED_SUFFIX}")
    if file.exists():
        raise UserError(f"{file} exists; remove it, or name another file with --out")
    try:
        replace_file(file, lzma.compress(text.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))
    except OSError as error:
        raise refused(f"cannot write {file}", error, "name a file with --out") from error
    return file, document["context"]["stowage"]["submission"]["replaced"]


def _name(document: dict[str, Any], text: str) -> str:
    """By what tells runs of a gallery apart, and by the bytes."""
    context = document["context"]
    record = context["stowage"]
    parts = [context["date"][:10], record["cpu_model"], record["compiler"], architecture(record["flags"]),
             record["preset"], hashlib.sha256(text.encode()).hexdigest()[:8]]
    return re.sub(r"[^a-z0-9._]+", "-", "-".join(parts).lower()) + PACKED_SUFFIX


def _submit(options: argparse.Namespace) -> None:
    file, replaced = pack(options.run_directory, options.again, options.out)
    say(f"all {options.again} checksums are equal")
    say("not checked, because nothing can check them: the machine, the build, all times and counts")
    say(f"replaced, because they are private: {', '.join(replaced) or 'nothing'}")
    say("add the file to gallery/ in a clone of the repository, and open a pull request")
    write(f"{file}\n", sys.stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="stowage submit", description="Packs a run as one file for the gallery.")
    parser.add_argument("run_directory", metavar="RUN_DIR", type=Path)
    parser.add_argument("--again", type=int, required=True, help="how many cells were run again, with equal checksums")
    parser.add_argument("--out", metavar="FILE", type=Path)
    return command(parser, _submit, arguments, "interrupted, nothing was written")


if __name__ == "__main__":
    sys.exit(main())
