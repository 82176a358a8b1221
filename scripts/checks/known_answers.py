"""`known_answers.py ANSWER_DIR TARGET_FILE`: what the processes of a recommendation measured of the game itself, and of
other places of its components if the game is there for these. A line is one strategy in one process: its bytes per
entity (0 if that process did not count them), and for each round the nanoseconds by the clock and of the processor."""

import json
import sys
from pathlib import Path


def is_of_the_game(root):
    """Not of other games, which have no such block, nor of the process that counts misses."""
    return "frames" in {record["pass"] for record in root["context"]["stowage"]["passes"]}


def kept_results(answer, has_search):
    for kind in ("process", "search", "confirmation") if has_search else ("process",):
        for source in sorted(answer.glob(f"{kind}-*/results.json")):
            root = json.loads(source.read_text(encoding="utf-8"))
            if kind != "process" or is_of_the_game(root):
                yield source.parent.name, root


def lines_of(process, root):
    cells = {}
    for entry in root["benchmarks"]:
        name = entry["run_name"].split("/")[1]
        if "error_occurred" in entry:
            sys.exit(f"{process}: {name}: {entry['error_message']}")
        size, times = cells.setdefault(name, ([], []))
        if entry["run_type"] == "iteration":
            times += [round(entry["real_time"]), round(entry["cpu_time"])]
        elif entry["aggregate_name"] == "median" and "bytes_per_entity" in entry:
            size.append(f"{entry['bytes_per_entity']:.6g}")
    return [" ".join(map(str, [process, name, *(size or [0]), *times])) for name, (size, times) in cells.items()]


def main(answer, target):
    results = kept_results(answer, has_search=target.stem == "placed")
    lines = [line for process, root in results for line in lines_of(process, root)]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{target}: {len(lines)} lines")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
