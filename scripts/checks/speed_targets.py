"""Prints how far each strategy is from the yardstick it is held against, beside the ratio we aim for."""

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

COLUMNS = "indirection_map", "sparse_direct", "archetype_sections"

# workload and parameters, yardstick, strategies, the ratio we aim for at each size
TARGETS = [
    ("point_mass", "reference", COLUMNS, {1024: 1.3, 16384: 1.05, 262144: 1.05}),
    ("point_mass", "reference.interleaved", ("interleaved_pairs",), {1024: 1.3, 16384: 1.05, 262144: 1.05}),
    ("lookup/components:1", "reference.store", COLUMNS[::2], {16384: 1.2, 262144: 1.2, 4194304: 1.2}),
    ("lookup/components:4", "reference.store", COLUMNS[::2], {16384: 1.2, 262144: 1.2, 4194304: 1.2}),
    ("alive", "reference", ("indirection_map",), {16384: 1.2, 262144: 1.2, 4194304: 1.2}),
    ("create/how:single/memory:reserved", "reference", COLUMNS, {16384: 1.5, 262144: 1.5}),
    ("create/how:bulk/memory:reserved", "reference", COLUMNS, {16384: 1.3, 262144: 1.3}),
    ("join/order:unrelated/via:each", "reference", ("archetype_sections",), {262144: 1.0}),
    ("join/order:unrelated/via:each", "reference.store", ("indirection_map",), {262144: 1.1}),
]


def samples_by_cell(paths):
    """ns per item of every repetition, by (workload with parameters, strategy, entities)."""
    samples = defaultdict(dict)
    for entry in (entry for path in paths for entry in json.loads(Path(path).read_text(encoding="utf-8"))["benchmarks"]):
        if entry.get("run_type") != "iteration" or "ns_per_item" not in entry:
            continue
        workload, strategy, entities, *parameters = entry["name"].split("/")
        key = "/".join([workload, *parameters]), strategy, int(entities.partition(":")[2])
        samples[key][entry["repetition_index"]] = entry["ns_per_item"]
    return samples


def ratio(samples, other):
    """Median over rounds of the ratio within the round."""
    return statistics.median(samples[i] / other[i] for i in samples.keys() & other.keys())


def main(paths):
    samples = samples_by_cell(paths)
    print(f"{'work':36} {'entities':>9}  {'strategy':20} {'against':22} {'ratio':>6} {'aim':>6}")
    for work, yardstick, strategies, aims in TARGETS:
        for entities, aim in aims.items():
            base = samples.get((work, yardstick, entities))
            for strategy in strategies:
                measured = samples.get((work, strategy, entities))
                if not base or not measured:
                    continue
                found = ratio(measured, base)
                mark = "" if found <= aim else "  over"
                print(f"{work:36} {entities:9}  {strategy:20} {yardstick:22} {found:6.2f} {aim:6.2f}{mark}")
    for strategy in (*COLUMNS, "interleaved_pairs"):
        calls = samples.get(("point_mass", strategy, 1))
        if calls:
            print(f"one each() call on one entity: {strategy:20} {statistics.median(calls.values()):6.2f} ns, aim under 10")


if __name__ == "__main__":
    main(sys.argv[1:])
