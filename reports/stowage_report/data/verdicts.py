"""Which strategy for which kind of work: what a run says of each, over all of its blocks of that kind.

THE list of kinds is here; the page's summary and the terminal's show them. A kind is decided by one metric, over the
blocks of some workloads, each of which counts as much as any other: strategies are ordered by the geometric mean of
their figures, and tied if the mean of the ratios, with the intervals of all of them, does not exclude 1. Of those that
are tied and cost at most 5 % more on the mean, the pick is the one that is among the best in the most kinds of work.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Callable, Mapping, Sequence

from stowage_report.data import metrics, wording
from stowage_report.data.estimates import Estimate, is_tie, mean_ratio
from stowage_report.data.metrics import BYTES, FRAME_P99, SPIKE, TIME, Metric
from stowage_report.data.model import ENTITIES, REFERENCE, Block, Cell, Run, family_of

#: Blocks that only a part of the strategies take part in would decide between these alone; if others of that kind
#: have more of them they have a verdict of their own.
_NEARLY_ALL = 0.75
#: What is tied by wide intervals alone is not taken for being good at other work.
_NEARLY_AS_GOOD = 1.05
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
    Kind("Iteration (dense)", "a loop over every entity", TIME, (source("point_mass"),)),
    Kind("Iteration (sparse)", "a loop over components that at most a quarter of the entities have", TIME,
         (source("occupancy", share=among("1", "5", "10", "25")),)),
    Kind("Random access", "components of one entity, by handles in random order", TIME, (source("lookup"),)),
    Kind("Join (same order)", "a loop over two components that lie in the same order", TIME,
         (source("join", via=among("each"), order=among("same", "grouped")),)),
    Kind("Join (unrelated order)", "a loop over two components that lie in unrelated orders", TIME,
         (source("join", via=among("each"), order=among("unrelated")),)),
    Kind("Churn", "entities created and destroyed in every frame", TIME, (source("churn"),)),
    Kind("Structural change", "adding and removing a component of living entities", TIME, (source("structural"),)),
    Kind("Memory", "memory footprint, from few entities with a component to all of them", BYTES,
         (source("point_mass"), source("occupancy"))),
    Kind("Frame-time p99", "the time that 99 of 100 frames do not exceed, during churn", FRAME_P99,
         (source("churn"),)),
    Kind("Creation spikes", "the frame in which many entities are created at once", SPIKE, (source("spike"),)),
    Kind("Transform hierarchy", "world transforms of trees, flat to deep", TIME,
         (source("hierarchy_flat"), source("hierarchy_tree"), source("hierarchy_deep"))),
    Kind("Save and load", "a whole storage as one file", TIME, (source("serialize"),)),
    Kind("Multithreading", "a loop over every entity, split over threads", TIME,
         (source("point_mass_parallel", threads=other_than("1")),)),
)


#: Of other workloads, what is long enough for a clock: frames without deaths are there to be counted.
_TIMED = {"despawn": source("despawn", dead=other_than("0"))}


@dataclass(frozen=True)
class Contender:
    strategy: str
    to_best: Estimate  # mean over the blocks; of the best itself 1 without an interval
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
    contenders: tuple[Contender, ...]  # the pick, then by the mean; those that are tied have no rank among each other
    exceptions: tuple[tuple[Block, tuple[str, ...]], ...]  # blocks in which the best of all is not among the best, and which are
    beyond: Verdict | None = None  # of the blocks that fewer strategies take part in: the largest of a preset

    @property
    def best(self) -> Contender:
        return self.contenders[0]

    @cached_property
    def tied(self) -> list[Contender]:
        """With the best, which is not among them."""
        return [each for each in self.contenders[1:] if is_tie(each.to_best)]

    @cached_property
    def behind(self) -> list[Contender]:
        return [each for each in self.contenders[1:] if not is_tie(each.to_best)]

    @property
    def second_family(self) -> Contender | None:
        """The first that shares its family with none of the best: what to take if those will not do."""
        families = {family_of(each.strategy) for each in (self.best, *self.tied)}
        return next((each for each in self.behind if family_of(each.strategy) not in families), None)

    @property
    def has_intervals(self) -> bool:
        """Without them nothing is certain: all of them count as tied."""
        return len(self.contenders) < 2 or any(each.to_best.has_interval for each in self.contenders[1:])

    @property
    def is_noise(self) -> bool:
        """Nothing is picked by a figure that may as well be twice as much."""
        floor = self.best.to_floor
        return bool(self.tied) and floor is not None and floor.reach > 1

    @property
    def sizes(self) -> str:
        """`1k to 256k entities`."""
        sizes = sorted({block.entities for block in self.blocks})
        ends = list(dict.fromkeys(wording.entities(size) for size in (sizes[0], sizes[-1])))
        return f"{' to '.join(ends)} entities"

    @property
    def places(self) -> str:
        """`point_mass at 1k to 256k entities, 3 blocks`."""
        workloads = wording.listing(list(dict.fromkeys(block.workload for block in self.blocks)))
        return f"{workloads} at {self.sizes}, {wording.plural(len(self.blocks), 'block')}"

    @property
    def picks_beyond(self) -> str:
        """The winner of the blocks with fewer strategies; empty if there are none."""
        if self.beyond is None:
            return ""
        tied = [each.strategy for each in self.beyond.tied]
        others = f", tied with {tied[0] if len(tied) == 1 else wording.plural(len(tied), 'other')}" if tied else ""
        strategies = wording.plural(len(self.beyond.contenders), "strategy", "strategies")
        return f"{self.beyond.sizes}, {strategies}: {self.beyond.best.strategy}{others}"

    @property
    def how_sure(self) -> str:
        """In a sentence or two: whether something is certainly ahead, in how many blocks, and what other sizes say."""
        beyond = f"At {self.picks_beyond}." if self.beyond else ""
        return " ".join(filter(None, (self._certainty, beyond)))

    @property
    def _certainty(self) -> str:
        if not self.has_intervals:
            return "Too few repetitions for intervals, so nothing is certain."
        if self.is_noise:
            return "The interval of the best is over 100 %, so there is no pick: measure again on a quiet machine."
        many = len(self.blocks)
        leads = f"among the best in {self.best.leads} of {wording.plural(many, 'block')}"
        ahead = f"tied with {wording.plural(len(self.tied), 'other')}" if self.tied else "ahead of all on the mean"
        if not self.exceptions:
            return f"{ahead.capitalize()}, and {leads}."
        others = Counter(name for _, names in self.exceptions for name in names).most_common(1)[0][0]
        block = next(block for block, names in self.exceptions if others in names)
        place = wording.title(block.workload, ((ENTITIES, str(block.entities)), *block.parameters))
        return f"{ahead.capitalize()}, but {leads}: `{others}` is ahead at {place}."


def verdicts(run: Run, fewest: int = 2) -> list[Verdict]:
    """Of the kinds that the run has figures for, in the order of the list. A verdict on one strategy alone says how far
    it is from the floor; it takes `fewest` to choose between."""
    def found(often: Mapping[str, int]) -> list[Verdict]:
        return [verdict for kind in KINDS if (verdict := _judged(run, kind, fewest, often))]

    return found(Counter(each.strategy for verdict in found({}) for each in (verdict.best, *verdict.tied)))


def other_verdicts(run: Run, fewest: int = 2) -> list[Verdict]:
    """By workload, of those that no kind is about: what a run measured besides, and workloads of users."""
    known = {workload for kind in KINDS for workload in kind.workloads}
    kinds = [Kind(name, run.item_of(name), TIME, (_TIMED.get(name, source(name)),)) for name in run.workloads
             if name not in known]
    return [found for kind in kinds if (found := _judged(run, kind, fewest, {}))]


def _judged(run: Run, kind: Kind, fewest: int, often: Mapping[str, int]) -> Verdict | None:
    """None if the run has no block with so many strategies."""
    blocks = [block for block in run.blocks if any(each.covers(block) for each in kind.sources)]
    deciding = _deciding(blocks, kind.metric, fewest)
    found = _verdict(kind, deciding, fewest, often)
    if found is None:
        return None
    decided = set(map(id, deciding))
    others = [block for block in blocks if id(block) not in decided]
    return replace(found, beyond=_verdict(kind, _deciding(others, kind.metric, fewest), fewest, often))


def _verdict(kind: Kind, blocks: Sequence[Block], fewest: int, often: Mapping[str, int]) -> Verdict | None:
    cells = _in_all(blocks, kind.metric)
    if len(cells) < fewest:
        return None
    means = {name: fmean(math.log(kind.metric.value(cell).median) for cell in its) for name, its in cells.items()}
    ranked = sorted(cells, key=means.__getitem__)
    pick = _pick(cells, ranked, kind.metric, often)
    ranked = [pick, *(name for name in ranked if name != pick)]
    leading = [metrics.leaders(block, kind.metric) for block in blocks]
    contenders = tuple(
        Contender(name, _to_best(cells, name, pick, kind.metric), _to_floor(blocks, cells[name], kind.metric),
                  _to_contract(cells[name], kind.metric), math.exp(means[name]), _bytes(cells[name]), sum(name in names for names in leading))
        for name in ranked)
    exceptions = tuple((block, tuple(names)) for block, names in zip(blocks, leading) if pick not in names)
    return Verdict(kind, tuple(blocks), contenders, exceptions)


def _pick(cells: Mapping[str, list[Cell]], ranked: Sequence[str], metric: Metric, often: Mapping[str, int]) -> str:
    """Of those that nothing is certainly better than, and that are nearly as good as the best mean, the one that is
    `often` so; of several a base form, then by the mean. Without intervals all of them would be that, so that the mean alone decides, as it does while nothing is known
    of `often`."""
    def is_beaten_by(name: str, other: str) -> bool:
        return name != other and not is_tie(_to_best(cells, name, other, metric))

    first = ranked[0]
    if not often:
        return first
    tied = [name for name in ranked[1:]
            if (ratio := _to_best(cells, name, first, metric)).has_interval and is_tie(ratio)
            and ratio.median <= _NEARLY_AS_GOOD]
    unbeaten = [name for name in (first, *tied) if not any(is_beaten_by(name, other) for other in tied)]
    return max(unbeaten or [first], key=lambda name: (often.get(name, 0), "." not in name))


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


def _to_best(cells: Mapping[str, list[Cell]], name: str, best: str, metric: Metric) -> Estimate:
    if name == best:
        return Estimate(1.0)
    rivals = len(cells) - 1
    return mean_ratio([metric.ratio(cell, other, rivals) for cell, other in zip(cells[name], cells[best])])


def _to_floor(blocks: Sequence[Block], cells: Sequence[Cell], metric: Metric) -> Estimate | None:
    """Of bytes the components by themselves; else the hand-written reference."""
    if metric is BYTES:
        floors = [cell.counters.get(_PAYLOAD) for cell in cells]
        ratios = [Estimate(*3 * (cell.counters[metric.name] / floor,)) for cell, floor in zip(cells, floors) if floor]
    else:
        pairs = [(cell, block.cells.get(REFERENCE)) for block, cell in zip(blocks, cells)]
        ratios = [metric.ratio(cell, floor, 1) for cell, floor in pairs if floor and metric.value(floor)]
    return mean_ratio(ratios) if len(ratios) == len(blocks) else None


def _to_contract(cells: Sequence[Cell], metric: Metric) -> Estimate | None:
    ratios = [cell.ratio_to_contract for cell in cells]
    return mean_ratio(ratios) if metric is TIME and all(ratios) else None


def _bytes(cells: Sequence[Cell]) -> float | None:
    known = [cell.counters[BYTES.name] for cell in cells if BYTES.name in cell.counters]
    return fmean(known) if len(known) == len(cells) else None
