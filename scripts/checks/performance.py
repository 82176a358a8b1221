"""The tables of docs/record/performance.md: how far strategies are from hand-written code, beside the distance that the
project aims for, and counts beside those of hand-written code."""

from dataclasses import dataclass
from statistics import median
from typing import Callable, Iterable, Mapping, Sequence

from stowage_report.data import wording
from stowage_report.data.estimates import Estimate
from stowage_report.data.model import REFERENCE, Block, Cell, Run, is_hand_written
from tables import BREAK, NONE, estimate, place, quoted, same_blocks, table

STRATEGIES = ("sparse_direct", "indirection_map", "interleaved_pairs", "archetype_sections")
SIZES = (16 << 10, 256 << 10)
#: Of hierarchies, whose workloads have sizes of their own.
NODES = (64 << 10,)
#: The size whose instructions and misses the table has.
COUNTED = 16 << 10
#: A compiler that needs more instructions than this multiple of another's makes something else of the loop.
MORE = 1.2
COUNTS = ("instructions_per_item", "l1d_misses_per_item", "ll_misses_per_item")


@dataclass(frozen=True)
class Target:
    workload: str
    most: float  # times the contract floor
    values: Mapping[str, Sequence[str]]  # of parameters; others may have any value
    in_sections: float | None = None  # of archetype_sections, if that is another
    of_floor: bool = False  # times the floor instead
    sizes: Sequence[int] = SIZES

    def covers(self, block: Block) -> bool:
        parameters = dict(block.parameters)
        return (block.workload == self.workload and block.entities in self.sizes
                and all(parameters.get(key) in values for key, values in self.values.items()))

    def most_of(self, strategy: str) -> float:
        return self.in_sections if self.in_sections and strategy == "archetype_sections" else self.most

    def ratio(self, cell: Cell) -> Estimate | None:
        return cell.ratio_to_reference if self.of_floor else cell.ratio_to_contract


def target(workload: str, most: float, *, in_sections: float | None = None, of_floor: bool = False,
           sizes: Sequence[int] = SIZES, **values: str) -> Target:
    return Target(workload, most, {key: its.split() for key, its in values.items()}, in_sections, of_floor, sizes)


#: THE list. The first one that covers a block is that block's.
TARGETS = (
    target("point_mass", 1.05),
    target("occupancy", 1.05),
    target("join", 1.05, via="each"),
    target("fragmented", 1.05),
    target("lookup", 1.15, sizes=(*SIZES, 4 << 20)),
    target("alive", 1.15),
    target("create", 1.3, memory="reserved"),
    target("create", 1.5, memory="growing"),
    target("destroy", 1.3, how="each each_shuffled"),
    target("despawn", 1.3),
    target("churn", 1.3),
    target("spike", 1.3),
    target("structural", 1.3, in_sections=1.5, grouped="no"),
    target("multi_instance", 1.5),
    *(target(f"hierarchy_{shape}", 1.5, of_floor=True, sizes=NODES, order="kept", dirty="none_kept")
      for shape in ("flat", "deep", "tree")),
    *(target(f"hierarchy_{shape}", 1.3, sizes=NODES, order="kept shuffled", dirty="1 100")
      for shape in ("flat", "deep", "tree")),
    target("hierarchy_attach", 2, sizes=(10_000,)),
    target("serialize", 1.3, ids="none"),
    target("serialize", 1.5, ids="remap xor"),
)


def distances(runs: Sequence[Run]) -> list[str]:
    """How many meet their target, a table of all, and what it has no rows of."""
    rows, lacking = rows_of(runs, distances_of)
    texts = [text for row in rows for text in row]
    known, missed, certain = (sum(text.count(word) for text in texts) for word in (BREAK, "missed", "**missed**"))
    return [f"{known - missed} of {wording.plural(known, 'distance')} meet their target; {certain} miss it in every run.", "",
            *table(["× code, × floor", "entities", "target", *quoted(STRATEGIES)], rows),
            *(["", f"Not measured: {', '.join(lacking)}."] if lacking else [])]


def counts(runs: Sequence[Run]) -> list[str]:
    rows, _ = rows_of(runs, counts_of)
    return table(["instructions, L1d misses, last-level misses", *quoted(STRATEGIES)], rows)


def by_two_compilers(runs: Sequence[Run]) -> list[str]:
    """Instructions of the same cells, in bold if the second compiler needs many more, and how far they are apart."""
    blocks = [its for its in same_blocks(runs) if len(its) == 2]
    names = [name for name in blocks[0][0].cells if not is_hand_written(name)]
    quotients = [of[1] / of[0] for its in blocks for name in names if all(of := instructions(its, name))]
    above = sum(each > MORE for each in quotients)
    rows = [[place(its[0].workload, its[0].parameters), *(beside(instructions(its, name)) for name in names)] for its in blocks]
    return [f"In {above} of {len(quotients)} cells the second needs more than {MORE} times as many (in bold); "
            f"the median ratio is {wording.number(median(quotients))}, the largest {wording.number(max(quotients))}.", "",
            *table(["instructions per item", *quoted(names)], [row for row in rows if set(row[1:]) != {NONE}])]


def instructions(blocks: Sequence[Block], name: str) -> list[float | None]:
    return [block.cells[name].counters.get(COUNTS[0]) if name in block.cells else None for block in blocks]


def beside(counts: Sequence[float | None]) -> str:
    if not all(counts):
        return NONE
    mark = "**" if counts[1] > MORE * counts[0] else ""
    return f"{mark}{' / '.join(map(wording.figure, counts))}{mark}"


def rows_of(runs: Sequence[Run], row_of: Callable[[Sequence[Block], Target], list[str]]) -> tuple[list[list[str]], list[str]]:
    """The rows of all blocks that have a target, in the order of the list, and the targets of no block."""
    blocks = same_blocks(runs)
    rows, lacking = [], []
    for wanted in TARGETS:
        its = [same for same in blocks if target_of(same[0]) is wanted]
        rows += filter(None, (row_of(same, wanted) for same in its))
        if not its:
            lacking.append(place(wanted.workload, ((key, " or ".join(values)) for key, values in wanted.values.items())))
    return rows, lacking


def target_of(block: Block) -> Target | None:
    return next((wanted for wanted in TARGETS if wanted.covers(block)), None)


def distances_of(blocks: Sequence[Block], wanted: Target) -> list[str]:
    """Of the same block in each run that has it; empty if no strategy has any."""
    block = blocks[-1]
    texts = [distance([each.cells[strategy] for each in blocks if strategy in each.cells], wanted, strategy)
             for strategy in STRATEGIES]
    if set(texts) == {NONE}:
        return []
    aim = f"{wanted.most:g}{' of the floor' if wanted.of_floor else ''}"
    aim += f", in sections {wanted.in_sections:g}" if wanted.in_sections else ""
    return [place(block.workload, block.parameters), wording.entities(block.entities), aim, *texts]


def distance(cells: Sequence[Cell], wanted: Target, strategy: str) -> str:
    judged = of_runs(map(wanted.ratio, cells))
    if not judged:
        return NONE
    both = [estimate(of_runs(getattr(cell, name) for cell in cells)) for name in ("ratio_to_contract", "ratio_to_reference")]
    both[wanted.of_floor] += mark(judged, wanted.most_of(strategy))
    return BREAK.join(both)


def of_runs(ratios: Iterable[Estimate | None]) -> Estimate | None:
    """One run's estimate, or the median of several with their range: the addresses of a process's arrays make more of a
    difference than its repetitions do."""
    known = [ratio for ratio in ratios if ratio]
    if len(known) < 2:
        return known[0] if known else None
    medians = [ratio.median for ratio in known]
    return Estimate(median(medians), min(medians), max(medians))


def mark(ratio: Estimate, most: float) -> str:
    """Bold if it is certain."""
    if ratio.median <= most:
        return ""
    return " **missed**" if ratio.has_interval and ratio.low > most else " missed"


def counts_of(blocks: Sequence[Block], _: Target) -> list[str]:
    """Of each strategy, of its contract floor and of the floor; empty if all are unknown or at another size."""
    block = blocks[-1]
    texts = [counts_beside_floors(block, block.cells.get(strategy)) for strategy in STRATEGIES]
    if block.entities != COUNTED or set(texts) == {NONE}:
        return []
    return [place(block.workload, block.parameters), *texts]


def counts_beside_floors(block: Block, cell: Cell | None) -> str:
    cells = [cell, *(block.cells.get(floor) for floor in (cell.contract_floor, REFERENCE))] if cell else []
    figures = [[each.counters.get(name) if each else None for each in cells] for name in COUNTS]
    if not any(figure is not None for its in figures for figure in its):
        return NONE
    return BREAK.join(" / ".join(NONE if figure is None else wording.figure(figure) for figure in its) for its in figures)
