"""For each claim stored results that a few numbers make, and what these numbers make of the claim."""

from typing import Callable

from make_claims import Block
from stowage_report.claims.evidence import (BYTES, FLOOR, INDEX, INSTRUCTIONS, LAST_LEVEL_MISSES, MEDIAN_FRAME, MISSES, SLACK, SLOW_FRAME,
                                            TIME)
from stowage_report.claims.ruling import Verdict
from stowage_report.data.metrics import SPIKE

HOLDS, REFUTED, DEPENDS, UNDECIDED = Verdict.HOLDS, Verdict.REFUTED, Verdict.DEPENDS, Verdict.UNDECIDED

DIRECT, MAP, HASH, PAIRS, SECTIONS = ("sparse_direct", "indirection_map", "hash_index", "interleaved_pairs",
                                      "archetype_sections")
FREE_LIST, STREAM = f"{SECTIONS}.fixed_32k_free_list", f"{SECTIONS}.byte_stream"
LISTED, TABLE, NODES = f"{HASH}.list_in_array", f"{HASH}.linear", f"{HASH}.node_hash"
MANAGER = f"{HASH}.node_hash_vectors"
CAPACITY, WICKED, POINTERS = f"{HASH}.fixed_capacity", "form.wicked", "form.recursion"
SHARES, SIZES = (1, 10, 50, 75, 100), (1024, 16384, 262144)


def occupancy(metric: str, **ratios: tuple[float, ...]) -> list[Block]:
    """`metric` of some strategies at each share, a strategy a keyword."""
    return [Block("occupancy", f"share:{share}").put(metric, {name: values[place] for name, values in ratios.items()})
            for place, share in enumerate(SHARES)]


def by_size(workload: str, parameters: str, one: str, other: str, ratios: tuple[float, ...]) -> list[Block]:
    """Times of `one`, as many times those of `other`."""
    return [Block(workload, parameters, size).put(TIME, {one: ratio, other: 1.0}) for size, ratio in zip(SIZES, ratios)]


def direct(universal: float, misses: tuple[float, ...], held: tuple[float, ...]) -> list[Block]:
    """Of direct rows as many times the misses and bytes of the map."""
    universal_block = Block("point_mass").put(MISSES, {DIRECT: 0.5625 * universal, MAP: 0.5625})
    return [universal_block.put(BYTES, {DIRECT: 44, MAP: 56}),
            *occupancy(MISSES, sparse_direct=misses, indirection_map=(1,) * 5),
            *occupancy(BYTES, sparse_direct=held, indirection_map=(1,) * 5)]


WASTEFUL = (50, 9, 1.8, 1.3, 1.0)


def mapped(entry: float, look_ups: tuple[float, ...], holes=WASTEFUL) -> list[Block]:
    """An owner takes so many bytes in the hash index, whose lookups take so many ns, against one of the map."""
    blocks = [Block("occupancy", f"share:{share}").put(BYTES, {DIRECT: 60 * hole, MAP: 60})
              .put(MISSES, {DIRECT: hole, MAP: 1}) for share, hole in zip(SHARES, holes)]
    blocks[-1].put(INDEX, {LISTED: 8 + entry}).put(SLACK, {LISTED: 0})
    return blocks + by_size("lookup", "components:1", LISTED, MAP, look_ups)


def allocations(one_manager: float, many: float, blocks: int) -> list[Block]:
    """A vector for each array misses as many times as often as one buffer."""
    names = {"": one_manager, "_of_16": many}
    misses = {f"reference.{form}{of}": ratio if form == "vectors" else 1.0
              for of, ratio in names.items() for form in ("vectors", "buffer")}
    return [Block("point_mass").put(MISSES, misses).put(
        "allocations", {"reference.vectors": blocks, "reference.buffer": 2})]


def subset(*ratios: float) -> list[Block]:
    return [Block("point_mass_subset", f"bytes:{width}").put(TIME, {PAIRS: ratio, MAP: 1})
            for width, ratio in zip((16, 64, 256), ratios)]


def by_entity(*ratios: float, objects: float = 1.0) -> list[Block]:
    """An entity at a time takes as many times as long as a system at a time, by size; of heap objects `objects` times that."""
    return [Block("by_entity", f"by:{order}", size).put(TIME, {MAP: ratio, "naive_objects": objects * ratio})
            for size, of_entities in zip(SIZES, ratios) for order, ratio in (("entity", of_entities), ("system", 1.0))]


def duplicated(*ratios: float) -> list[Block]:
    """A lookup takes as many times as long as keeping a copy, by the share of writes."""
    return [Block("duplicated", f"read:{how} writes:{writes}").put(TIME, {MANAGER: ratio})
            for writes, of_lookups in zip((0, 10, 50, 100), ratios)
            for how, ratio in (("lookup", of_lookups), ("copy", 1.0))]


def collected(probing: float, *shares: float) -> list[Block]:
    """Instructions of a frame without deaths, and what share of the dead is ended, by how many died."""
    lazy = f"{MAP}.lazy_probing"
    return [Block("despawn", "dead:0", 100_000).put(INSTRUCTIONS, {lazy: probing, MAP: 10}),
            *(Block("despawn", f"dead:{dead}", rows).put("collected_rows_per_frame", {lazy: share * (rows * dead // 100) / 64})
              for rows in (16_384, 100_000) for dead, share in zip((50, 90, 99), shares))]


def alive(*ratios: float) -> list[Block]:
    return by_size("alive", "", "reference.registry_hash_set", "reference.registry_published", ratios)


def loops(strategy: str, **misses: float) -> list[Block]:
    """Of the loop over a list of entities, by order."""
    return [Block("join", f"order:{order} via:find").put(MISSES, {strategy: count}).put(FLOOR, {strategy: 0.75})
            for order, count in misses.items()]


def tables(mixed: tuple[float, float], identity: tuple[float, float]) -> list[Block]:
    """Misses of the loop over a list, in the same and in unrelated orders, by hash. 52 bytes an entity are index."""
    blocks = loops(TABLE, same=mixed[0], unrelated=mixed[1]) + loops(
        f"{TABLE}_identity", same=identity[0], unrelated=identity[1])
    for block in blocks:
        block.put(INDEX, dict.fromkeys(block.figures, 28)).put(SLACK, dict.fromkeys(block.figures, 24))
    return blocks


def nodes(create: float, destroy: float, look_ups: tuple[float, ...], aged: float, held: float,
          identity: float = 1.0) -> list[Block]:
    """Of the node-based map as many times what the flat array takes with a hash that mixes; with the number itself for a
    hash that takes `identity` times as much."""
    blocks = by_size("lookup", "components:1", NODES, TABLE, look_ups)
    blocks[0].put(BYTES, {NODES: 60 * held, TABLE: 60})
    for place, ratio in ((("create", "how:single memory:growing components:4"), create), (("destroy", "how:each_shuffled"), destroy),
                         (("aging", "work:lookup frames:1000 defragment:no"), aged)):
        blocks.append(Block(*place).put(TIME, {NODES: ratio, TABLE: 1.0}))
    blocks[0].put(BYTES, {f"{TABLE}_identity": 60})
    return [block.put(TIME, {f"{TABLE}_identity": identity}) for block in blocks]


def interleaving(single: float, many: float, loop: float) -> list[Block]:
    """Columns miss as many times as often as interleaved rows."""
    return [Block("lookup", "components:1").put(MISSES, {MAP: single, PAIRS: 1}),
            Block("lookup", "components:4").put(MISSES, {MAP: many, PAIRS: 1}),
            Block("join", "order:grouped via:each").put(MISSES, {MAP: loop, PAIRS: 1})]


def sections(times: tuple[float, ...], misses: float, last: float = 1.0, mixing: float = 1.0) -> list[Block]:
    """The map takes as many times as long as a section, whose misses are so many times its; `last` times these if the two
    components are the last of a stream; a hash that mixes takes `mixing` times as long."""
    streams = {"reference.byte_stream": 1, "reference.byte_stream_first": 1, "reference.byte_stream_last": last}
    return [Block("join", "order:same via:find", size)
            .put(TIME, {"reference.hash_map": ratio * mixing, "reference.hash_map_identity": ratio, **dict.fromkeys(streams, 1.0)})
            .put(MISSES, {"reference.hash_map": 2, "reference.hash_map_identity": 2}
                 | {name: 2 * misses * times for name, times in streams.items()}) for size, ratio in zip(SIZES, times)]


def spikes(growing_us: float, fixed_us: float, slack: float) -> list[Block]:
    times_ns = {STREAM: 1e3 * growing_us, f"{SECTIONS}.published": 1e3 * fixed_us}
    return [*(Block("spike", "memory:growing", size).put(SPIKE.name, times_ns) for size in SIZES),
            Block("fragmented", "sets:64", 16384).put(SLACK, {STREAM: 10, f"{SECTIONS}.published": slack})]


def passes(four: float) -> list[Block]:
    """One component takes 60 ns, where the hand-written lookup takes 16."""
    return [Block("lookup", f"components:{components}", size).put(TIME, times) for size in SIZES
            for components, times in ((1, {STREAM: 60, "reference": 16}), (4, {STREAM: four}))]


def section_sizes(misses: tuple[float, ...], slack: tuple[float, ...]) -> list[Block]:
    names = [f"{SECTIONS}.fixed_{size}k" for size in (4, 16, 32, 128)]
    return [Block("point_mass").put(MISSES, dict(zip(names, misses))),
            Block("fragmented", "sets:64", 16384).put(SLACK, dict(zip(names, slack)))]


def survivors(before: float, after: float) -> list[Block]:
    return [Block("aging", f"work:despawn frames:0 defragment:{tidied}").put(MISSES, {FREE_LIST: misses})
            .put(FLOOR, {FREE_LIST: 0.5625}) for tidied, misses in (("no", before), ("yes", after))]


def removals(ordered: float, growing: float) -> list[Block]:
    return [Block("removal", "rows:any").put(TIME, {CAPACITY: 120}),
            Block("removal", "rows:ordered").put(TIME, {CAPACITY: ordered}),
            Block("create", "how:single memory:growing components:4").put(TIME, {HASH: growing}),
            Block("create", "how:single memory:reserved components:4").put(TIME, {CAPACITY: 150})]


def change_and_join(sections_change: float, pools_joins: tuple[float, ...], in_order: tuple[float, ...] = ()) -> list[Block]:
    return [*(Block("structural", f"others:{others} sets:1 grouped:no", size).put(TIME, {MAP: 40, SECTIONS: sections_change})
              for size in SIZES[1:] for others in (1, 4, 8)),
            *by_size("join", "order:unrelated via:each", MAP, SECTIONS, pools_joins),
            *by_size("join", "order:same via:each", MAP, SECTIONS, in_order or pools_joins)]


def paired(misses: float, instructions: float) -> list[Block]:
    name = f"{MAP}.paired"
    return [Block("join", "order:grouped via:each").put(MISSES, {name: misses, "reference": 0.75})
            .put(FLOOR, {name: 0.75}).put(INSTRUCTIONS, {name: instructions}),
            Block("join", "order:same via:each").put(MISSES, {MANAGER: 2.2}).put(INSTRUCTIONS, {MANAGER: 25})]


def chains(*ratios: float, stack: float = 1.2, by_level: float = 1.5) -> list[Block]:
    """The recursive pointer tree takes as many times as long as the published array if it is made chain by chain, or at
    random if it is flat, the other one `stack` times that, and either `by_level` times that if made level by level."""
    apart = ["scattered", *["chains"] * (len(ratios) - 1)]
    return [Block("hierarchy_deep", f"depth:{depth} order:{order} dirty:100", 65536)
            .put(TIME, {WICKED: 6.0, POINTERS: 6 * ratio * made, "form.stack": 6 * ratio * made * stack})
            for orders, made in ((apart, 1), (["kept"] * len(ratios), by_level))
            for depth, order, ratio in zip((1, 64, 4096), orders, ratios)]


def attaching(attach: float, detach: float) -> list[Block]:
    return [Block("hierarchy_attach", f"work:{work}", 1000).put(TIME, {WICKED: time, POINTERS: 50})
            for work, time in (("attach", attach), ("detach", detach))]


def levels(*ratios: float) -> list[Block]:
    """One thread against many, with chains that get longer."""
    return [Block("hierarchy_deep", f"depth:{depth} order:kept dirty:100", 65536)
            .put(TIME, {WICKED: 6 * ratio, f"{WICKED}_parallel": 6})
            for depth, ratio in zip((1, 16, 4096), ratios)]


def threads(arrays: tuple[float, ...], bandwidth: tuple[float, ...]) -> list[Block]:
    """Speed-ups with 1, 2 and 4 threads."""
    return [Block("point_mass_parallel", f"threads:{count}", 1 << 20)
            .put(TIME, {MAP: 4 / mine, "reference.bandwidth": 4 / possible})
            for count, mine, possible in zip((1, 2, 4), arrays, bandwidth)]


def saved(times: tuple[float, float], objects: tuple[float, float], remap: float) -> list[Block]:
    """To save and to load: ns, of which objects take as many times as much; remapping takes as many times as long as
    seeded ids."""
    return [block for size in SIZES[1:] for block in (
        *(Block("serialize", f"what:{what} ids:none", size).put(TIME, {WICKED: time, f"{WICKED}_objects": time * ratio})
          for what, time, ratio in zip(("save", "load"), times, objects)),
        Block("serialize", "what:load ids:remap", size).put(TIME, {WICKED: remap}),
        Block("serialize", "what:load ids:xor", size).put(TIME, {WICKED: 1.0}))]


def loaded_twice(**failure: object) -> list[Block]:
    cell = Block("serialize", "what:twice ids:remap").put(TIME, {WICKED: 10.0})
    for key, value in failure.items():
        cell.put(key, {WICKED: value})
    return [cell]


def generations(misses: tuple[float, ...], times: tuple[float, ...], last: float = 1.0) -> list[Block]:
    """Of 32 bits, as many times those of 8 bits; misses are those in the array, beside the list of handles."""
    wide, narrow = "reference.registry_published_wide", "reference.registry_published"
    return [Block("alive", entities=size).put(TIME, {wide: ratio, narrow: 1.0})
            .put(MISSES, {wide: missed * 0.5 + 8 / 64, narrow: 0.5 + 4 / 64})
            .put(LAST_LEVEL_MISSES, {wide: last * 0.5 + 8 / 64, narrow: 0.5 + 4 / 64}) for size, missed, ratio in zip(SIZES, misses, times)]


def callbacks(times: tuple[float, ...], held: tuple[float, ...]) -> list[Block]:
    """As many times what lazy collection takes, by rate."""
    return [Block("churn", f"rate:{rate} payload:64").put(TIME, {"reference.managers_called": ratio, "reference.managers_collecting": 1.0})
            .put(BYTES, {"reference.managers_called": 100 * of_bytes, "reference.managers_collecting": 100})
            for rate, ratio, of_bytes in zip((0.1, 1, 10), times, held)]


def neighbours(saved: float, *times: float) -> list[Block]:
    """Sections side by side save so many misses for each of them; the others take as many times as long, by sets."""
    return [Block("fragmented", f"sets:{sets}").put(MISSES, {f"{SECTIONS}.fixed_32k": 0.1875 + saved / 2048,
                                                             f"{SECTIONS}.fixed_32k_arena": 0.1875})
            .put(TIME, {f"{SECTIONS}.fixed_32k": ratio, f"{SECTIONS}.fixed_32k_arena": 1.0})
            for sets, ratio in zip((1, 4, 16, 64), times)]


def games(**times: dict[str, float]) -> list[Block]:
    """Of frames in each world, by strategy."""
    return [Block("world.frame", f"world:{world}-0123abcd age:{age}", 2893)
            .put(TIME, {name: time * usual for name, time in of_world.items()})
            for world, of_world in times.items() for age, usual in (("aged", 1.0), ("fresh", 0.1))]


def mixtures(*games_of: tuple[float, float]) -> list[Block]:
    """Columns and interleaved rows take as many times as long as the mixture."""
    return games(**{world: {SECTIONS: columns, f"{SECTIONS}.interleaved": rows, f"{SECTIONS}.mixed_lanes": 1.0}
                    for world, (columns, rows) in zip(("archers", "tower_defense"), games_of)})


def defences(longer: tuple[float, float], steadiness: tuple[float, float]) -> list[Block]:
    """Of arrays of structs and of objects: as many times the frame, and the p99 in medians, of archetypes."""
    rivals = (f"{SECTIONS}.interleaved", "naive_objects.inline_fields")
    (aged, _) = games(tower_defense={SECTIONS: 1.0, **dict(zip(rivals, longer))})
    medians = {SECTIONS: 1000.0, **{name: 1000 * ratio for name, ratio in zip(rivals, longer)}}
    slow = {SECTIONS: 1500.0, **{name: 1500 * ratio * worse for name, ratio, worse in zip(rivals, longer, steadiness)}}
    return [aged.put(MEDIAN_FRAME, medians).put(SLOW_FRAME, slow).put("frame_max_ns", slow)]


#: Claim, what makes the results, and the numbers by the verdict on them.
_CASES: list[tuple[str, Callable[..., list[Block]], dict[Verdict, list[tuple]]]] = [
    ("C1", direct, {HOLDS: [(1.0, WASTEFUL, WASTEFUL)],
                    REFUTED: [(1.03, (1,) * 5, (1,) * 5)],
                    DEPENDS: [(1.03, WASTEFUL, WASTEFUL), (1.0, (1,) * 5, WASTEFUL), (1.0, WASTEFUL, (50, 9, 0.9, 0.8, 0.8))]}),
    ("C2", mapped, {HOLDS: [(5, (3, 4, 6))],
                    REFUTED: [(500, (0.5, 0.5, 0.5), (1,) * 5)],
                    DEPENDS: [(20, (3, 4, 6)), (5, (0.5, 0.5, 0.5)), (500, (3, 4, 6)), (5, (3, 4, 6), (1,) * 5)]}),
    ("C3", mapped, {HOLDS: [(5, (14, 15, 60))], REFUTED: [(500, (300, 400, 600))],
                    DEPENDS: [(20, (14, 15, 60)), (5, (14, 60, 300)), (5, (300, 400, 600)), (500, (14, 15, 60))]}),
    ("C4", allocations, {HOLDS: [(1.1, 1.05, 6)], REFUTED: [(1.0, 1.0, 2)],
                         DEPENDS: [(1.0, 1.0, 6), (1.1, 1.05, 2), (1.0, 1.05, 6)]}),
    ("C5", subset, {HOLDS: [(2, 4, 8)], REFUTED: [(0.9, 0.9, 0.9)], DEPENDS: [(0.9, 4, 8)]}),
    ("C6", lambda *ratios: by_size("point_mass_mixed", "", MAP, f"{MAP}.lanes", ratios), {
        DEPENDS: [(1.1, 1.1, 1.1), (1.1, 1.1, 1.0)], REFUTED: [(0.9, 0.9, 0.9), (1.0, 1.0, 1.0)]}),
    ("C7", collected, {HOLDS: [(14, 0.95, 0.95, 1)], REFUTED: [(5000, 0.1, 0.8, 0.8)],
                       DEPENDS: [(14, 0.1, 0.8, 1), (5000, 0.95, 0.95, 1), (14, 0.1, 0.8, 0.8)]}),
    ("C8", alive, {HOLDS: [(1.5, 1.6, 1.7)], REFUTED: [(0.5, 0.6, 0.7)], DEPENDS: [(0.5, 3, 12)]}),
    ("C10", lambda count: loops("naive_objects", unrelated=count), {HOLDS: [(4.3,)], REFUTED: [(5.1,), (3.0,)]}),
    ("C11", lambda count: loops("object_indices", scattered=count), {HOLDS: [(2.9,)], REFUTED: [(4.0,), (2.0,)]}),
    ("C11", lambda same, unrelated: loops("object_indices", same=same, unrelated=unrelated), {UNDECIDED: [(2.0, 2.9)]}),
    ("C12", tables, {HOLDS: [((1.7, 1.8), (1.7, 1.8))], REFUTED: [((5.1, 5.9), (5.1, 5.9))],
                     DEPENDS: [((1.7, 5.9), (1.7, 5.9)), ((5.1, 5.9), (0.9, 0.9))]}),
    ("C13", nodes, {HOLDS: [(3, 2, (1.5, 2, 3), 4, 1.5)], REFUTED: [(0.8, 0.9, (0.7, 0.8, 0.9), 0.9, 0.8)],
                    DEPENDS: [(3, 2, (0.7, 0.8, 0.9), 4, 1.5), (3, 2, (0.7, 1.3, 1.6), 4, 1.5),
                              (3, 2, (1.5, 2, 3), 4, 1.5, 10.0)]}),
    ("C14", interleaving, {HOLDS: [(1.1, 2.0, 1.3)], REFUTED: [(0.9, 1.0, 1.0)], DEPENDS: [(0.9, 2.0, 1.0)]}),
    ("C15", sections, {HOLDS: [((2, 3, 4), 0.6), ((2, 3, 4), 1.0)],
                       REFUTED: [((0.7, 0.8, 0.9), 1.1)],
                       DEPENDS: [((2, 3, 4), 1.1), ((0.7, 0.8, 0.9), 0.6), ((0.7, 2, 3), 0.6), ((2, 3, 4), 0.6, 2.0), ((0.7, 0.8, 0.9), 0.6, 1.0, 4.0)]}),
    ("C16", spikes, {HOLDS: [(110, 30, 120)], REFUTED: [(30, 110, 5)],
                     DEPENDS: [(110, 30, 5), (30, 110, 120), (30, 30, 120)]}),
    ("C17", passes, {HOLDS: [(135,)], REFUTED: [(260,)], UNDECIDED: [(210,)]}),
    ("C18", section_sizes, {HOLDS: [((0.577, 0.566, 0.565, 0.564), (10, 40, 90, 400))],
                            REFUTED: [((0.567, 0.566, 0.565, 0.564), (40, 40, 40, 40))],
                            DEPENDS: [((0.577, 0.566, 0.58, 0.564), (10, 40, 90, 400)),
                                      ((0.567, 0.566, 0.565, 0.564), (10, 40, 90, 400)),
                                      ((0.577, 0.566, 0.565, 0.564), (40, 40, 40, 40))]}),
    ("C19", survivors, {HOLDS: [(2.6, 0.57)], REFUTED: [(0.57, 0.57), (2.6, 1.8)]}),
    ("C20", removals, {HOLDS: [(9000, 360)], REFUTED: [(110, 140)], DEPENDS: [(110, 360), (9000, 140)]}),
    ("C21", chains, {HOLDS: [(1.5, 1.1, 0.7)], REFUTED: [(0.5, 1.4, 1.3)],
                     DEPENDS: [(1.5, 1.4, 1.3), (0.5, 0.4, 0.4), (0.8, 0.7, 0.7), (1.0, 0.9, 0.7)]}),
    ("C21", lambda *ratios: chains(*ratios, by_level=0.5), {HOLDS: [(3.0, 1.4, 1.3)]}),
    ("C21", lambda *ratios: chains(*ratios)[3:], {UNDECIDED: [(1.5, 1.1, 0.7)]}),  # only made level by level
    ("C22", attaching, {HOLDS: [(900, 400)], REFUTED: [(40, 40)], DEPENDS: [(900, 40)]}),
    ("C23", saved, {HOLDS: [((14, 90), (5, 1.7), 1.4)],
                    DEPENDS: [((14, 310), (5, 1.7), 1.4), ((14, 90), (5, 0.9), 1.4), ((14, 310), (5, 0.9), 1.4),
                              ((14, 90), (5, 1.7), 4)],
                    REFUTED: [((130, 310), (0.9, 0.8), 4)]}),
    ("C24", paired, {HOLDS: [(0.752, 10)], REFUTED: [(1.9, 10), (0.752, 25)]}),
    ("C25", threads, {HOLDS: [((1, 1.9, 3.7), (1, 2, 3.9)), ((1, 1.4, 1.4), (1, 1.5, 1.5))],
                      REFUTED: [((1, 1.2, 1.3), (1, 2, 3.9))], DEPENDS: [((1, 1.9, 1.9), (1, 2, 3.9))],
                      UNDECIDED: [((1, 1.9, 3.7), (1, 1.3, 1.5)), ((1, 1.9), (1, 2))]}),
    ("C26", change_and_join, {HOLDS: [(178, (1.1, 2, 3)), (178, (0.7, 0.9, 3))],
                              REFUTED: [(38, (3, 2, 1.5)), (38, (0.7, 0.8, 0.9)), (38, (2, 2, 2))],
                              DEPENDS: [(38, (1.1, 2, 3)), (178, (2, 2, 2)), (178, (1.1, 2, 3), (1, 1, 1))]}),
    ("C27", levels, {HOLDS: [(0.9, 0.8, 0.7), (0.9, 0.8, 1.9)], REFUTED: [(1.9, 1.8)], DEPENDS: [(1.9, 1.2, 0.7), (1.9, 1.8, 1.9)]}),
    ("C28", loaded_twice, {HOLDS: [()]}),
    ("C28", lambda: loaded_twice(error_occurred=True), {DEPENDS: [()]}),
    ("C29", lambda *ratios: by_entity(*ratios, objects=0.1), {DEPENDS: [(2.0, 3.0, 4.0)]}),
    ("C29", by_entity, {HOLDS: [(2.0, 3.0, 4.0)], REFUTED: [(0.7, 0.8, 0.9)], DEPENDS: [(0.8, 1.2, 4.0)]}),
    ("C30", duplicated, {HOLDS: [(4.0, 3.0, 2.0, 1.5)], REFUTED: [(0.9, 0.8, 0.7, 0.6)],
                         DEPENDS: [(4.0, 2.0, 0.8, 0.6), (101, 10, 2, 0.899)]}),
    ("C31", lambda *misses: [
        Block("streams", f"components:{components}").put(MISSES, {"reference.vectors": aligned, f"{MAP}.vectors": spread})
        for components, aligned, spread in zip((1, 16), (0.125, misses[0]), (0.125, misses[1]))], {
            HOLDS: [(1.0, 1.0), (1.0, 0.125), (0.125, 1.0)], REFUTED: [(0.125, 0.125)]}),
    ("C33", generations, {HOLDS: [((3, 3, 1.1), (2, 2, 1.2)), ((3, 1, 1), (2, 2, 2), 3.0)], REFUTED: [((1, 1, 1), (0.9, 0.9, 0.9))],
                          DEPENDS: [((1, 1, 1), (2, 2, 2)), ((3, 3, 3), (0.9, 0.9, 0.9)), ((3, 3, 1.1), (0.9, 2, 2)), ((3, 3, 1), (2, 2, 2))]}),
    ("C34", callbacks, {HOLDS: [((2, 2, 2), (1.1, 1.1, 1.1))], REFUTED: [((0.9, 0.9, 0.9), (0.9, 0.9, 0.9))],
                        DEPENDS: [((2, 2, 2), (0.9, 0.9, 0.9)), ((0.9, 1.2, 2), (1.1, 1.1, 1.1))]}),
    ("C35", neighbours, {HOLDS: [(1.0, 1.0, 1.1, 1.1, 1.1)], REFUTED: [(0.0, 1.1, 1.0, 1.0, 0.9)],
                         DEPENDS: [(0.0, 1.0, 1.1, 1.1, 1.1)], UNDECIDED: [(1.0, 1.1)]}),
    ("C36", mixtures, {HOLDS: [((2.0, 2.0), (0.5, 0.5))], UNDECIDED: [((2.0, 0.9), (0.9, 2.0))]}),
    ("C37", defences, {HOLDS: [((1.2, 3.0), (1.2, 2.0))], REFUTED: [((0.8, 0.9), (0.9, 0.9))],
                       DEPENDS: [((0.8, 0.9), (1.2, 2.0)), ((1.2, 3.0), (0.9, 0.9)), ((0.8, 3.0), (1.2, 2.0))]}),
    ("C38", lambda *ratios: games(**{world: {SECTIONS: ratio, MAP: 1.0} for world, ratio in zip(
        ("typical", "archers", "tower_defense", "gardn", "island_war"), ratios)}), {
            HOLDS: [(1.2, 1.3, 1.4, 1.5, 1.6), (0.7, 0.8, 1.3, 1.4, 1.5)],
            REFUTED: [(0.7, 0.8, 0.9, 0.6, 0.5), (0.7, 1.3, 0.9, 1.4, 0.8)]}),
    ("C32", lambda *ratios: [
        Block("wide", f"do:100_systems/types:{types}").put(BYTES, {"offset_table.16bit": ratio * 100, "hash_index": 100})
        for types, ratio in zip((8, 300), ratios)], {HOLDS: [(0.6, 10.0), (0.6, 2.1)], REFUTED: [(0.6, 1.9), (11.0, 10.0)]}),
]
CASES = [(claim, make, numbers, verdict) for claim, make, verdicts in _CASES for verdict, its in verdicts.items()
         for numbers in its]
