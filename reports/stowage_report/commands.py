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
    cells = ["--cells", record["filter"]] if record.get("filter") else []
    world = [] if _world(record) == USUAL_WORLD else _in_its_world(record)
    return [*_with_its_storages(record), *cells, *world]


def of_its_kind(record: Mapping[str, Any]) -> list[str]:
    """What another run needs that names workloads of this one: its storages, and its world, which has such workloads."""
    return [*_with_its_storages(record), *_in_its_world(record)]


def _world(record: Mapping[str, Any]) -> str:
    return record.get("world", "").rpartition("-")[0]


def _with_its_storages(record: Mapping[str, Any]) -> list[str]:
    return [word for storage in record.get("storages", []) for word in ("--storage", storage)]


def _in_its_world(record: Mapping[str, Any]) -> list[str]:
    world = _world(record)
    likely = f"profiles/{world}.toml" if world == USUAL_WORLD else f"{world}.toml"
    return ["--world", dict(typed(record, ["--world"])).get("--world") or likely] if world else []


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
