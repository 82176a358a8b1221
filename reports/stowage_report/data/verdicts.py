"""Which strategy for which kind of work: what a run says of each, over all of its blocks of that kind.

THE list of kinds is here; the page's summary and the terminal's show them. A kind is decided by one metric, over the
blocks of some workloads, each of which counts as much as any other: the best has the lowest geometric mean of its
costs, and the others are equal to it, worse or open by the mean of their ratios to it. Of the best and its equals the
pick is the one with the fewest bytes, and the first of the run's list if these are the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import fmean, geometric_mean
from typing import Callable, Iterable, Mapping, Sequence

from stowage_report.data import metrics, wording
from stowage_report.data.estimates import EQUAL_WITHIN, Estimate, Standing, mean_ratio, standing_of, times_as_much
from stowage_report.data.metrics import BYTES, FRAME_P99, SPIKE, TIME, Metric
from stowage_report.data.model import REFERENCE, Block, Cell, Run, family_of

#: Blocks that only a part of the strategies take part in would decide between these alone; if others of that kind
#: have more of them they have a verdict of their own.
_NEARLY_ALL = 0.75
#: Counts that differ by no more than a share of them, or by so many an item, are those of the same work.
_SAME_COUNTS = {"instructions_per_item": (0.005, 0.05), "l1d_misses_per_item": (0.02, 0.005),
                "ll_misses_per_item": (0.02, 0.005)}
#: What takes longer than this is not a matter of patience.
_MOST_PATIENCE_S = 3600
#: What the components alone need, which is the floor of all bytes.
_PAYLOAD = "payload_bytes_per_entity"


#: Of a parameter's value.
Test = Callable[[str], bool]


@dataclass(frozen=True)
class Source:
    """Blocks of a workload whose parameters pass the tests; one that a run does not have is none to fail by."""

    workload: str
    tests: Mapping[str, Test]

    def covers(self, block: Block) -> bool:
        return block.workload == self.workload and all(self.tests[key](value) for key, value in block.parameters
                                                       if key in self.tests)


def source(workload: str, **tests: Test) -> Source:
    return Source(workload, tests)


def among(*values: str) -> Test:
    return lambda value: value in values


def other_than(unwanted: str) -> Test:
    return lambda value: value != unwanted


@dataclass(frozen=True)
class Kind:
    """A kind of work, by the name that a user looks for."""

    name: str
    explained: str
    metric: Metric
    sources: tuple[Source, ...]

    @property
    def workloads(self) -> list[str]:
        return list(dict.fromkeys(each.workload for each in self.sources))


KINDS = (
    Kind("Whole frame", "all that a game does with its entities in a frame", TIME, (source("world.frame"),)),
    Kind("Iteration (dense)", "a loop over every entity; in a world, over those of the writing system that has most", TIME,
         (source("point_mass"), source("world.iterate_dense"))),
    Kind("Iteration (sparse)", "a loop over components that at most a quarter of the entities have", TIME,
         (source("occupancy", share=among("1", "5", "10", "25")), source("world.iterate_sparse"))),
    Kind("Random access", "components of one entity, by handles in random order", TIME,
         (source("lookup"), source("world.lookup"))),
    Kind("Join (same order)", "a loop over components that lie in the same order", TIME,
         (source("join", via=among("each"), order=among("same", "grouped")), source("world.join", age=among("fresh")))),
    Kind("Join (unrelated order)",
         "a loop over components in unrelated orders; in an aged world, half of the destructible entities were replaced", TIME,
         (source("join", via=among("each"), order=among("unrelated")), source("world.join", age=among("aged")))),
    Kind("Churn", "entities created and destroyed in every frame", TIME, (source("churn"), source("world.churn"))),
    Kind("Structural change", "adding and removing a component of living entities", TIME,
         (source("structural"), source("world.structural"))),
    Kind("Memory", "memory footprint, from few entities with a component to all of them", BYTES,
         (source("point_mass"), source("occupancy"), source("world.frame"))),
    Kind("Frame-time p99", "the time that 99 of 100 frames do not exceed, during churn or of a whole game", FRAME_P99,
         (source("churn"), source("world.frame"))),
    Kind("Creation spikes", "the frame in which many entities are created at once", SPIKE, (source("spike"),)),
    Kind("Creating at once", "a sixteenth more entities of a world, in the room of earlier ones", TIME, (source("world.spike"),)),
    Kind("Transform hierarchy", "world transforms of trees, flat to deep", TIME,
         (source("hierarchy_flat"), source("hierarchy_tree"), source("hierarchy_deep"), source("world.hierarchy"))),
    Kind("Save and load", "a whole storage as one file", TIME,
         (source("serialize"), source("world.save"), source("world.load"))),
    Kind("Multithreading", "the same loop, split over threads", TIME,
         (source("point_mass_parallel", threads=other_than("1")), source("world.threads", threads=other_than("1")))),
)


#: Of other workloads, what is long enough for a clock: frames without deaths are there to be counted.
_TIMED = {"despawn": source("despawn", dead=other_than("0"))}


@dataclass(frozen=True)
class Contender:
    strategy: str
    to_best: Estimate  # mean over the blocks; of the best itself 1 without an interval
    standing: Standing
    same_work: bool  # in all blocks the instructions and misses of the best; of times, about which it decides nothing
    to_floor: Estimate | None  # None if a block has no floor
    to_contract: Estimate | None  # of times, relative to the contract floor; None if a block has none
    value: float  # geometric mean, in the metric's unit
    bytes_per_entity: float | None  # mean; None if they were not counted in all blocks
    leads: int  # in how many of the blocks nothing is certainly better


@dataclass(frozen=True)
class Verdict:
    """What a run says of a kind of work."""

    kind: Kind
    blocks: tuple[Block, ...]  # that decided
    contenders: tuple[Contender, ...]  # the pick, its equals, what is open, what is worse; each by the mean
    sizes_apart: tuple[Verdict, ...] = ()  # one for each size, if these differ; see _apart()
    beyond: Verdict | None = None  # of the blocks that fewer strategies take part in: the largest of a preset
    look_s: float = 0.0  # seconds that a further look at the blocks takes

    @property
    def pick(self) -> Contender:
        return self.contenders[0]

    @property
    def winners(self) -> list[Contender]:
        """The best and its equals; the pick is the first."""
        return [each for each in self.contenders if each.standing in (Standing.BEST, Standing.EQUAL)]

    @property
    def open(self) -> list[Contender]:
        return [each for each in self.contenders if each.standing is Standing.OPEN]

    @property
    def others(self) -> list[Contender]:
        """What may be the best as well as the pick."""
        return [each for each in self.contenders[1:] if each.standing.may_be_best]

    @property
    def worse(self) -> list[Contender]:
        return [each for each in self.contenders if each.standing is Standing.WORSE]

    @property
    def second_family(self) -> Contender | None:
        """The first that is worse and shares its family with nothing that may be the best."""
        families = {family_of(each.strategy) for each in (self.pick, *self.others)}
        return next((each for each in self.worse if family_of(each.strategy) not in families), None)

    @property
    def has_intervals(self) -> bool:
        """Without them all is open."""
        return len(self.contenders) < 2 or any(each.to_best.has_interval for each in self.contenders)

    @property
    def sizes(self) -> str:
        """`1k to 256k entities`."""
        sizes = sorted({block.entities for block in self.blocks})
        return f"{wording.ends(list(map(wording.entities, sizes)))} entities"

    @property
    def places(self) -> str:
        """`point_mass at 1k to 256k entities, 3 blocks`."""
        workloads = wording.listing(list(dict.fromkeys(block.workload for block in self.blocks)))
        return f"{workloads} at {self.sizes}, {wording.plural(len(self.blocks), 'block')}"

    @property
    def picks_beyond(self) -> str:
        """The answer of the blocks with fewer strategies; empty if there are none."""
        if self.beyond is None:
            return ""
        strategies = wording.plural(len(self.beyond.contenders), "strategy", "strategies")
        return f"{self.beyond.sizes}, {strategies}: {self.beyond.answer()}"

    def answer(self, most: int = 3, shown: Callable[[str], str] = str) -> str:
        """`any of A, B, C (equal within 5 %)`, `A, certainly`, or `A or B: open (same work), about 40 s more`; for each size
        if these have different winners. Of each sort `most` names, as `shown`, and how many there are more."""
        if self.sizes_apart:
            return "; ".join(f"{wording.entities(each.blocks[0].entities)}: {each.answer(most, shown)}"
                             for each in self.sizes_apart)
        winners, unsure = ([shown(each.strategy) for each in its] for its in (self.winners, self.open))
        if len(self.contenders) < 2:
            return f"{winners[0]}, alone"
        told = winners
        if len(winners) > 1:
            told = [f"any of {', '.join(winners[:most])}{_more(' +{}', winners, most)} (equal within 5 %)"]
        if not unsure:
            return told[0] if len(winners) > 1 else f"{told[0]}, certainly"
        rest = unsure[:most] if len(unsure) <= most else [*unsure[:most], _more("{}", unsure, most)]
        same = " (same work)" if all(each.same_work for each in self.open) else ""
        return f"{', '.join([*told, *rest[:-1]])} or {rest[-1]}: open{same}{self._how_much_more}"

    @property
    def _how_much_more(self) -> str:
        """How long to measure on until what is open is decided, if its intervals go on to shrink as they did: whole looks,
        each with as many processes as the first."""
        if not self.has_intervals:
            return f", too few {'repetitions' if self.kind.metric is TIME else 'frames'} for an interval"
        if self.kind.metric is not TIME:
            return ""
        times = max(times_as_much(each.to_best) for each in self.open)
        more_s = self.look_s * max(1, math.ceil((times - 1) * max(map(_looks, self.blocks))))
        if more_s > _MOST_PATIENCE_S:
            return ", this machine cannot tell"
        number, unit = (more_s, "s") if more_s < 100 else (more_s / 60, "min")
        return f", about {max(1, float(f'{number:.1g}')):.0f} {unit} more" if more_s else ""

    @property
    def how_sure(self) -> str:
        """In a sentence or two: the answer, in how many blocks nothing is better, and what other sizes say."""
        many = wording.plural(len(self.blocks), "block")
        beyond = f" At {self.picks_beyond}." if self.beyond else ""
        return f"{self.answer()}. `{self.pick.strategy}` is among the best in {self.pick.leads} of {many}.{beyond}"


def _more(text: str, names: Sequence[str], most: int) -> str:
    return text.format(f"{len(names) - most} more") if len(names) > most else ""


def verdicts(run: Run, fewest: int = 2) -> list[Verdict]:
    """Of the kinds that the run has figures for, in the order of the list. A verdict on one strategy alone says how far
    it is from the floor; it takes `fewest` to choose between."""
    return [verdict for kind in KINDS if (verdict := _judged(run, kind, fewest))]


def other_verdicts(run: Run, fewest: int = 2) -> list[Verdict]:
    """By workload, of those that no kind is about: what a run measured besides, and workloads of users."""
    known = {workload for kind in KINDS for workload in kind.workloads}
    kinds = [Kind(name, run.item_of(name), TIME, (_TIMED.get(name, source(name)),)) for name in run.workloads
             if name not in known]
    return [found for kind in kinds if (found := _judged(run, kind, fewest))]


def _judged(run: Run, kind: Kind, fewest: int) -> Verdict | None:
    """None if the run has no block with so many strategies."""
    blocks = [block for block in run.blocks if any(each.covers(block) for each in kind.sources)]
    deciding = _deciding(blocks, kind.metric, fewest)
    found = _verdict(run, kind, deciding, fewest)
    if found is None:
        return None
    decided = set(map(id, deciding))
    others = [block for block in blocks if id(block) not in decided]
    return replace(found, sizes_apart=_apart(run, found, fewest),
                   beyond=_verdict(run, kind, _deciding(others, kind.metric, fewest), fewest))


def by_size(found: Iterable[Verdict]) -> list[Verdict]:
    """A row for each; one for each size where these have different winners, so that its figures are those of its pick."""
    return [row for each in found for row in each.sizes_apart or (each,)]


def _apart(run: Run, pooled: Verdict, fewest: int) -> tuple[Verdict, ...]:
    """The verdicts of the sizes, if nothing may be best at all of them, or if at one of them something seems better than all
    that win certainly over all."""
    sizes = sorted({block.entities for block in pooled.blocks})
    found = [_verdict(run, replace(pooled.kind, name=f"{pooled.kind.name}, {wording.entities(size)}"),
                      [block for block in pooled.blocks if block.entities == size], fewest) for size in sizes]
    may_be_best = [{each.strategy for each in verdict.contenders if each.standing.may_be_best} for verdict in found]
    overall = {each.strategy for each in pooled.winners}
    surpassed = not pooled.open and any(
        all(each.to_best.median > EQUAL_WITHIN for each in verdict.contenders if each.strategy in overall) for verdict in found)
    return tuple(found) if surpassed or not set.intersection(*may_be_best) else ()


def _verdict(run: Run, kind: Kind, blocks: Sequence[Block], fewest: int) -> Verdict | None:
    cells = _in_all(blocks, kind.metric)
    if len(cells) < fewest:
        return None
    costs = {name: geometric_mean(_cost(kind.metric, cell) for cell in its) for name, its in cells.items()}
    best = min(cells, key=costs.__getitem__)
    leading = [metrics.leaders(block, kind.metric) for block in blocks]

    def contender(name: str) -> Contender:
        to_best, to_contract = _to_best(cells, name, best, kind.metric), [cell.ratio_to_contract for cell in cells[name]]
        return Contender(
            name, to_best, Standing.BEST if name == best else standing_of(to_best),
            all(map(same_work, cells[name], cells[best])), _to_floor(blocks, cells[name], kind.metric),
            mean_ratio(to_contract) if kind.metric is TIME and all(to_contract) else None,
            geometric_mean(kind.metric.value(cell).median for cell in cells[name]), _bytes(run, blocks, cells[name]),
            sum(name in names for names in leading))

    contenders = [contender(name) for name in sorted(cells, key=costs.__getitem__)]
    winners = [each for each in contenders if each.standing in (Standing.BEST, Standing.EQUAL)]
    listed = {name: place for place, name in enumerate(run.strategies)}
    pick = min(winners, key=lambda each: (math.inf if each.bytes_per_entity is None else each.bytes_per_entity,
                                          listed[each.strategy]))
    order = [each for standings in ((Standing.BEST, Standing.EQUAL), (Standing.OPEN,), (Standing.WORSE,))
             for each in contenders if each.standing in standings and each is not pick]
    return Verdict(kind, tuple(blocks), (pick, *order), look_s=_look_s(run, blocks))


def _look_s(run: Run, blocks: Sequence[Block]) -> float:
    """Of the blocks that are open, their repetitions, and what building and verifying took beside them. Blocks of one
    population share that, so it takes as long for one of them. Only the time pass is repeated; files of older versions
    have the time of the whole run instead."""
    def timed_s(some: Iterable[Block]) -> float:
        return sum(cell.timed_s / _looks(block) for block in some for cell in block.cells.values())

    spent_s = float(run.record.get("time_pass_s") or run.record.get("wall_s") or 0)
    all_s = sum(cell.timed_s for block in run.blocks for cell in block.cells.values())
    visited = [block for block in blocks if not block.is_decided] or blocks
    populations = {block.population for block in visited} - {""}
    beside = [block for block in run.blocks if block in visited or block.population in populations]
    return timed_s(visited) + timed_s(beside) * max(0.0, spent_s / all_s - 1) if all_s else 0.0


def _looks(block: Block) -> int:
    return max(1, *(cell.looks for cell in block.cells.values()))


def same_work(one: Cell, other: Cell) -> bool:
    """Whether both counted the same instructions and misses. That decides nothing about their times."""
    def agree(name: str, share: float, count: float) -> bool:
        counts = [cell.counters.get(name) for cell in (one, other)]
        return None not in counts and abs(counts[0] - counts[1]) <= max(share * max(counts), count)

    return all(agree(name, *limits) for name, limits in _SAME_COUNTS.items())


def _deciding(blocks: Sequence[Block], metric: Metric, fewest: int) -> list[Block]:
    """Those with nearly as many strategies as the block that has the most."""
    counts = [len(_candidates(block, metric)) for block in blocks]
    most = max(counts, default=0)
    return [block for block, count in zip(blocks, counts) if count >= max(fewest, _NEARLY_ALL * most)]


def _candidates(block: Block, metric: Metric) -> list[Cell]:
    """Without those that take nothing at all, of which nothing is so many times as much."""
    return [cell for cell in metrics.candidates(block, metric) if metric.value(cell).median > 0]


def _in_all(blocks: Sequence[Block], metric: Metric) -> dict[str, list[Cell]]:
    """By strategy its cells, one of each block; a strategy that lacks one is no contender."""
    by_block = [{cell.strategy: cell for cell in _candidates(block, metric)} for block in blocks]
    common = [name for name in by_block[0] if all(name in cells for cells in by_block)] if by_block else []
    return {name: [cells[name] for cells in by_block] for name in common}


def _cost(metric: Metric, cell: Cell) -> float:
    """Times are ordered as their block orders them: round by round, what slowed the machine cancels."""
    return cell.cost if metric is TIME else metric.value(cell).median


def _to_best(cells: Mapping[str, list[Cell]], name: str, best: str, metric: Metric) -> Estimate:
    if name == best:
        return Estimate(1.0)
    compared = metrics.comparisons(metric, len(cells) - 1, cells[name])
    return metric.mean_ratio(list(zip(cells[name], cells[best])), compared)


def _to_floor(blocks: Sequence[Block], cells: Sequence[Cell], metric: Metric) -> Estimate | None:
    """Of bytes the components by themselves; else the hand-written reference."""
    if metric is BYTES:
        floors = [cell.counters.get(_PAYLOAD) for cell in cells]
        ratios = [Estimate(*3 * (cell.counters[metric.name] / floor,)) for cell, floor in zip(cells, floors) if floor]
        return mean_ratio(ratios) if len(ratios) == len(blocks) else None
    pairs = [(cell, block.cells.get(REFERENCE)) for block, cell in zip(blocks, cells)]
    return metric.mean_ratio(pairs) if all(floor and metric.value(floor) for _, floor in pairs) else None


def _bytes(run: Run, blocks: Sequence[Block], cells: Sequence[Cell]) -> float | None:
    """All work in a world is done on one population, whose bytes are counted once: of its frames."""
    known = [cell.counters.get(BYTES.name) or _of_frames(run, block, cell.strategy)
             for block, cell in zip(blocks, cells, strict=True)]
    return fmean(known) if all(known) else None


def _of_frames(run: Run, block: Block, strategy: str) -> float | None:
    if not block.workload.startswith("world."):
        return None
    return next((frames.cells[strategy].counters.get(BYTES.name) for frames in run.blocks
                 if (frames.workload, frames.entities) == ("world.frame", block.entities) and strategy in frames.cells),
                None)
