"""Command lines that pages and messages offer for copying. A shell takes each word as it is, whatever a file says."""

import os
import shlex
from pathlib import Path
from typing import Any, Collection, Iterable, Mapping


def line(*words: str | os.PathLike) -> str:
    """Each word quoted if it has to be; a path that begins with a dash is no option."""
    return shlex.join(f"./{word}" if isinstance(word, os.PathLike) and str(word).startswith("-") else str(word)
                      for word in words)


def recorded(record: Mapping[str, Any]) -> list[str]:
    """The words of the command that made a run; `stowage run` if what it recorded is none."""
    try:
        words = shlex.split(str(record.get("command") or ""))
    except ValueError:  # a quotation does not end
        words = []
    return words if words[:2] == ["stowage", "run"] else ["stowage", "run"]


def of_run(record: Mapping[str, Any]) -> str:
    """What made the run, to be typed again."""
    return line(*recorded(record))


USUAL_WORLD = "typical"  # in which `run` measures if nothing else is said: --resume finds its profile


def to_resume(directory: Path, record: Mapping[str, Any]) -> str:
    """What goes on with a run."""
    return line("stowage", "run", "--resume", directory, *named_again(record))


def named_again(record: Mapping[str, Any]) -> list[str]:
    """What --resume does not take from a file. The profile of a world is where the run was told, or likely so."""
    storages = [word for storage in record.get("storages", []) for word in ("--storage", storage)]
    cells = ["--cells", record["filter"]] if record.get("filter") else []
    world = record.get("world", "").rpartition("-")[0]
    profile = dict(typed(record, ["--world"])).get("--world") or f"{world}.toml"
    return [*storages, *cells, *(["--world", profile] if world not in ("", USUAL_WORLD) else [])]


def typed(record: Mapping[str, Any], names: Collection[str]) -> list[tuple[str, str]]:
    """The options with these names, and their values, of the command that made a run."""
    words = recorded(record)
    found = []
    for word, following in zip(words, [*words[1:], ""]):
        name, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name in names:
            found.append((name, value or following))
    return found


def options(words: Iterable[str | os.PathLike]) -> list[list[str | os.PathLike]]:
    """What begins with each `--`: an option with its value. What is before the first one is the first entry."""
    parts: list[list[str | os.PathLike]] = [[]]
    for word in words:
        if str(word).startswith("--") and not isinstance(word, os.PathLike):
            parts.append([])
        parts[-1].append(word)
    return parts
