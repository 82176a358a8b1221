"""Makes a results.json that looks like a real run's, always the same: what the tests of the report work on."""

import itertools
import json
import math
import random
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Iterator, Sequence

from make_catalogue import ALL_STRATEGIES, BANDWIDTH, STRATEGIES, WORKLOADS, factor
from make_counters import (
    CACHE_RECORD, MEMORY_RECORD, TOO_LARGE, cache_counters, floor_counters, frame_figures, memory_counters,
)
from make_figures import INTERVAL_SAMPLES, INTERVALS, judged, samples as samples_of, stored
from stowage_report.data.estimates import estimate_ratio

KIB, MIB = 1 << 10, 1 << 20
SIZES = (1024, 16384, 262144)
SEED = 20140908

#: Of most runs: what is measured at every size and on every strategy.
PLAIN = {name: WORKLOADS[name].axes for name in ("point_mass", "join", "lookup", "create", "destroy")}


@dataclass(frozen=True)
class Options:
    sizes: tuple[int, ...] = SIZES
    axes: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=lambda: PLAIN)
    strategies: tuple[str, ...] = tuple(STRATEGIES)
    failing: tuple[str, ...] = ()  # cells that fail verification
    repetitions: int | None = None  # 7 to 11 if not given
    passes: tuple[str, ...] = ("cache", "memory", "frames")
    simulated_up_to: int = 262144  # entities; the cache pass leaves out what is larger
    timed: bool = True
    has_contract: bool = True  # distances to contract floors, which files of older versions do not have


#: What a standard run of every strategy is like.
EVERYTHING = Options(sizes=(*SIZES, 1 << 20), strategies=ALL_STRATEGIES, simulated_up_to=1 << 20)


def results(options: Options = Options()) -> dict:
    blocks = [(workload, entities, parameters) for workload, axes in options.axes.items()
              for parameters in _products(axes) for entities in options.sizes
              if any(_is_possible(name, dict(parameters)) for name in options.strategies)]
    benchmarks = [entry for block in blocks for entry in _block(options, *block)]
    families = {name: number for number, name in enumerate(dict.fromkeys(entry["run_name"] for entry in benchmarks))}
    for entry in benchmarks:
        entry["family_index"] = families[entry["run_name"]]
    cells = [(*block, strategy) for block in blocks for strategy in options.strategies
             if _is_possible(strategy, dict(block[2]))]
    left_out = [_name(*cell) for cell in cells if "cache" in options.passes and cell[1] > options.simulated_up_to]
    errors = [{"cell": entry["name"], "message": entry["error_message"]} for entry in benchmarks
              if entry.get("error_occurred")]
    return {"context": context(options, len(blocks), errors, left_out), "benchmarks": benchmarks}


def _name(workload: str, entities: int, parameters: tuple, strategy: str) -> str:
    return "/".join([workload, strategy, f"entities:{entities}", *(f"{key}:{value}" for key, value in parameters)])


def _products(axes: dict[str, tuple[str, ...]]) -> Iterator[tuple[tuple[str, str], ...]]:
    return (tuple(zip(axes, values)) for values in itertools.product(*axes.values()))


def _block(options: Options, workload: str, entities: int, parameters: tuple) -> Iterator[dict]:
    rng = random.Random(f"{SEED} {_name(workload, entities, parameters, '')}")
    rounds = options.repetitions or rng.randint(7, 11)
    drift = [1 + rng.random() * 0.04 for _ in range(rounds)]
    samples = {}
    values = dict(parameters)
    strategies = [name for name in options.strategies if _is_possible(name, values)]
    for strategy in strategies:
        typical = _typical_ns(workload, strategy, entities, values)
        samples[strategy] = [typical * slow * (1 + abs(rng.gauss(0, 0.02))) for slow in drift]
    judgements = judged({name: its for name, its in samples.items()
                         if _name(workload, entities, parameters, name) not in options.failing})
    floor = None if _name(workload, entities, parameters, "reference") in options.failing else samples.get("reference")
    for strategy in strategies:
        name = _name(workload, entities, parameters, strategy)
        items = max(1, entities * int(values["share"]) // 100) if "share" in values else entities
        counters = {"items": items} | _of_passes(options, workload, entities, values, strategy)
        if "frames" in options.passes and WORKLOADS[workload].frames:
            counters |= frame_figures(workload, strategy, samples[strategy][0] * 164, values)
        if name in options.failing:
            yield _failure(name)
        elif options.timed:
            to_best, standing = judgements[strategy]
            yield from _cell(name, items, samples[strategy], floor, counters | stored("ratio_to_best", to_best)
                             | {"standing": standing.value} | _to_contract(options, strategy, samples))
        else:
            yield _entry(name, name, "iteration", 0, 0) | {"repetitions": 1, "repetition_index": 0} | counters


def _to_contract(options: Options, strategy: str, samples: dict[str, list[float]]) -> dict[str, object]:
    """As of pools; a block without `reference.store` has `reference` for it."""
    floor = next((name for name in ("reference.store", "reference") if name in samples), None)
    if not (options.has_contract and floor):
        return {}
    ratio = estimate_ratio(samples_of(samples[strategy]), samples[floor])
    return stored("ratio_to_contract", ratio) | {"contract_floor": floor}


def _of_passes(options: Options, workload: str, entities: int, parameters: dict[str, str],
               strategy: str) -> dict[str, float]:
    counters = floor_counters(workload) if options.passes else {}
    counts = "cache" in options.passes and parameters.get("threads", "1") == "1"
    if counts and entities <= options.simulated_up_to:
        finds = workload in ("lookup", "destroy") or parameters.get("via") == "find"
        counters |= cache_counters(workload, strategy, entities, finds)
    if "memory" in options.passes:
        counters |= memory_counters(workload, strategy, entities, parameters)
    return counters


def _is_possible(strategy: str, parameters: dict[str, str]) -> bool:
    """Not every strategy can do everything, and some of the parameters of `aging` go together alone."""
    if strategy == BANDWIDTH:
        return "threads" in parameters
    if "defragment" not in parameters:
        return True
    despawns, is_fresh = parameters["work"] == "despawn", parameters["frames"] == "0"
    tidies = strategy == "reference" or "sections.fixed" in strategy or strategy.endswith(".lazy")
    is_tidied = parameters["defragment"] == "yes"
    return (is_fresh or not despawns) and not (is_tidied and (
        parameters["work"] == "join_grouped" or not tidies or (is_fresh and not despawns)))


def _typical_ns(workload: str, strategy: str, entities: int, parameters: dict[str, str]) -> float:
    its = WORKLOADS[workload]
    small, growth, kind = its.ns, its.growth, its.kind
    position = (entities.bit_length() - 11) / 8
    if parameters.get("via") == "find":
        kind, small = "find", small * 2.5
    if parameters.get("order") == "unrelated" and not strategy.startswith(("archetype", "reference")):
        growth *= 3
    if parameters.get("work") == "lookup":
        kind = "find"
    return small * _slowdown(workload, strategy, parameters) * factor(strategy, kind) * growth ** max(0.0, position)


def _slowdown(workload: str, strategy: str, parameters: dict[str, str]) -> float:
    """Times what the floor and the kind of work say."""
    if "threads" in parameters:
        return (0.7 if strategy == BANDWIDTH else 1.0) * max(1 / int(parameters["threads"]), 1 / 9)
    if strategy == "reference":
        return 1.0
    if strategy == "form.recursion":  # twice a linear form's when flat
        return 2.2 / (1 + 0.15 * math.log2(float(parameters["depth"])))
    if workload == "occupancy":
        share = float(parameters["share"])
        return (0.8 + 12 / share) * 0.75 if strategy == "sparse_direct" else 1 + 0.002 * share
    if workload == "aging":
        worn = math.log10(1 + float(parameters["frames"])) * (0.4 if "archetype" in strategy else 0.12)
        return 1 + worn * (0.15 if parameters["defragment"] == "yes" else 1)
    if "sets" in parameters:
        return 1 + 0.15 * math.log2(float(parameters["sets"])) * ("archetype" in strategy)
    return 1.0


def _failure(name: str) -> dict:
    message = "checksum 0x2b992ddfa23249d6 differs from 0x7c0a5e11d0c3f4aa of reference"
    return _entry(name, name, "iteration", 0, 0) | {
        "repetition_index": 0, "error_occurred": True, "error_message": message,
    }


def _entry(name: str, run_name: str, run_type: str, iterations: int, real_time: float) -> dict:
    return {"name": name, "per_family_instance_index": 0, "run_name": run_name, "run_type": run_type, "threads": 1,
            "iterations": iterations, "real_time": real_time, "cpu_time": real_time, "time_unit": "ns"}


def _cell(name: str, items: int, samples: list[float], floor: list[float] | None,
          counters: dict[str, float]) -> Iterator[dict]:
    for index, sample in enumerate(samples):
        entry = _entry(name, name, "iteration", 512, sample * items)
        entry |= {"repetitions": len(samples), "repetition_index": index, "ns_per_item": sample}
        if floor:
            entry["ratio_to_reference"] = sample / floor[index]
        yield entry
    entry = _entry(f"{name}_median", name, "aggregate", len(samples), median(samples) * items)
    entry |= {"repetitions": len(samples), "aggregate_name": "median", "aggregate_unit": "time"}
    entry |= stored("ns_per_item", INTERVALS.median(samples)) | counters
    yield entry | (stored("ratio_to_reference", estimate_ratio(samples_of(samples), floor)) if floor else {})


def context(options: Options, blocks: int = 0, errors: Sequence[dict] = (), left_out: Sequence[str] = ()) -> dict:
    return {
        "date": "2026-11-20T19:00:00+00:00", "host_name": "bench", "executable": "build/release/stowage",
        "num_cpus": 2, "mhz_per_cpu": 2600, "cpu_scaling_enabled": False,
        "caches": [{"type": "Data", "level": 1, "size": 48 * KIB, "num_sharing": 1},
                   {"type": "Instruction", "level": 1, "size": 32 * KIB, "num_sharing": 1},
                   {"type": "Unified", "level": 2, "size": 2 * MIB, "num_sharing": 1},
                   {"type": "Unified", "level": 3, "size": 32 * MIB, "num_sharing": 8}],
        "load_avg": [0.12, 0.3, 0.4], "library_build_type": "release",
        "stowage": _record(options, blocks, errors) | _passes(options, left_out),
    }


def _passes(options: Options, left_out: Sequence[str]) -> dict:
    records = [record for record in (CACHE_RECORD, MEMORY_RECORD) if record["pass"] in options.passes]
    return {"passes": records, "omissions": [{"pass": "cache", "cell": cell, "reason": TOO_LARGE} for cell in left_out]}


def _record(options: Options, blocks: int, errors: Sequence[dict]) -> dict:
    return {
        "interval_samples": INTERVAL_SAMPLES, "format": 2, "version": "0.1.0", "preset": "quick", "seed": SEED, "compiler": "g++ 12.2.0",
        "flags": "-O3 -march=native -fno-math-errno -fno-trapping-math -DNDEBUG -ffp-contract=off", "commit": "0123abc", "cpu_model": "Example CPU 9000",
        "governor": "none", "virtualisation": "kvm", "transparent_hugepages": "madvise", "page_size": 4 * KIB,
        "memory_bytes": 8 << 30, "os": "Debian GNU/Linux 12 (bookworm), Linux 6.1.0", "aslr": True,
        "strategies": list(options.strategies), "workloads": list(options.axes), "entities": list(options.sizes),
        "repetitions": 11, "min_time_s": 0.004, "shard": "1/1", "filter": "",
        "precision": "short repetitions, 7 to 11 of them: its intervals are wider than those of `standard`.",
        "blocks_planned": blocks, "blocks_done": blocks, "interrupted": False, "wall_s": 81.2,
        "command": "stowage run --preset quick", "errors": list(errors),
        "strategy_cards": [_strategy_card(name) for name in options.strategies],
        "workload_cards": [_workload_card(name) for name in options.axes],
    }


def _strategy_card(name: str) -> dict:
    semantics = {"pointer_stability_on_insert": name == "naive_objects", "pointer_stability_on_erase": name == "sparse_direct",
                 "creation_order": True, "create_while_iterating": False, "immediate_destruction": True}
    is_floor = name == "reference"
    lacks = {"lacks": {"table_exchange": "nothing is saved"},
             "not_offered": {"serialize": "not offered: table_exchange, because nothing is saved"}}
    return {**(lacks if name == "sparse_direct" else {}), "name": name, "family": "floor" if is_floor else name.partition(".")[0],
            "source": "" if is_floor else "S6 (B2)", "semantics": None if is_floor else semantics,
            "summary": "hand-written arrays for that one workload" if is_floor
            else "packed columns behind an array from entity to row: the default if most entities are visited"}


def _workload_card(name: str) -> dict:
    return {"name": name, "item": "one entity visited", "setup": f"Entities of {name} from one seeded generator.",
            "measured": "One pass of the loop over all entities; neither setup nor teardown.",
            "checksum": "Wrapping sum of a hash of each entity's ordinal and the bits of its result.",
            "favours": "Packed columns, which need no index to walk.",
            "disadvantages": "Heap objects, whose every component is another line.",
            "floor": "Four arrays and one loop: 36 bytes per entity."}


def write_run(directory: Path, options: Options = Options(), **record: object) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    document = results(options)
    document["context"]["stowage"] |= record
    (directory / "results.json").write_text(json.dumps(document), encoding="utf-8")
    return directory
