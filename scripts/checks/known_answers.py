"""`known_answers.py ANSWER_DIR TARGET_DIR`: what the processes of a recommendation measured of the game itself, and of
other places of its components if the game is there for these, in results files that have what deciding needs and no more: no aggregates but the one with the figures, no frames after the first 48,
whole nanoseconds."""

import json
import sys
from pathlib import Path

FRAMES = 48
OF_A_ROUND = "run_name", "run_type", "iterations", "real_time", "cpu_time"
OF_A_CELL = "run_name", "run_type", "items", "bytes_per_entity"
OF_AN_ERROR = *OF_A_ROUND, "error_occurred", "error_message"


def small(entry):
    if "error_occurred" in entry:
        return {key: entry[key] for key in OF_AN_ERROR}
    if entry["run_type"] == "iteration":
        return {key: round(entry[key]) if key.endswith("time") else entry[key] for key in OF_A_ROUND}
    kept = {key: entry[key] for key in OF_A_CELL if key in entry}
    parts = [key for key in entry if key.startswith("frame_") and key.endswith("_ns")]
    kept.update((key, round(entry[key])) for key in parts)
    return kept | {"frames_ns": [round(ns) for ns in entry.get("frames_ns", [])[:FRAMES]]}


def is_needed(entry):
    return entry["run_type"] == "iteration" or entry["aggregate_name"] == "median"


def is_of_the_game(root):
    """Not of other games, which have no such block, nor of the process that counts misses."""
    passes = {record["pass"] for record in root["context"]["stowage"]["passes"]}
    return "frames" in passes


def kept_results(answer, has_search):
    kinds = ("process", "search", "confirmation") if has_search else ("process",)
    for kind in kinds:
        for source in sorted(answer.glob(f"{kind}-*/results.json")):
            root = json.loads(source.read_text(encoding="utf-8"))
            if kind != "process" or is_of_the_game(root):
                yield source, root


def results_text(root):
    """An entry a line, so that a change can be read."""
    stowage = root["context"]["stowage"]
    stowage.update(strategy_cards=[], workload_cards=[], passes=[], command="stowage recommend")
    root["context"].update(host_name="", executable="stowage", caches=[])
    entries = ",\n".join(json.dumps(small(entry)) for entry in root["benchmarks"] if is_needed(entry))
    return f'{{"context": {json.dumps(root["context"])},\n"benchmarks": [\n{entries}\n]}}\n'


def main(answer, target):
    for source, root in kept_results(answer, has_search=target.name == "placed"):
        place = target / source.parent.name
        place.mkdir(parents=True, exist_ok=True)
        (place / "results.json").write_text(results_text(root), encoding="utf-8")
        print(f"{place / 'results.json'}: {(place / 'results.json').stat().st_size // 1024} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
