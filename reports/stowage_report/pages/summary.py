"""What a busy reader takes away: what to pick for which kind of work, what surprised, and how sure all of it is."""

import math
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from statistics import fmean, median
from typing import Iterator, Sequence

from stowage_report.calibrate.store import quoted
from stowage_report.claims.evaluate import Evaluation
from stowage_report.claims.formats import most_surprising
from stowage_report.compare.read import facts_of
from stowage_report.data import grouped, wording
from stowage_report.data.environment import cautions
from stowage_report.data.metrics import TIME, candidates
from stowage_report.data.model import REFERENCE, Block, Cell, Run, is_hand_written
from stowage_report.data.verdicts import Verdict, by_size, verdicts

HEAD = ["kind of work", "decided by", "pick", "equal or open", "times the floor", "interval of the floor",
        "times the contract floor", "interval of the contract floor", "next family", "times the best",
        "interval of the best", "how sure"]


def csv_row(verdict: Verdict) -> list[str]:
    """Below HEAD."""
    second = verdict.second_family
    ratios = [[wording.times(ratio.median), wording.interval_beside_one(ratio)] if ratio else ["", ""]
              for ratio in (verdict.pick.to_floor, verdict.pick.to_contract, second and second.to_best)]
    return [verdict.kind.name, verdict.places, verdict.pick.strategy, " ".join(each.strategy for each in verdict.others),
            *ratios[0], *ratios[1], second.strategy if second else "", *ratios[2], verdict.how_sure]


@dataclass(frozen=True)
class Summary:
    verdicts: list[Verdict]
    rows: list[Verdict]  # of the table: one for each size where these differ
    surprises: list[Evaluation]
    how_sure: list[str]
    for_the_game: str


def summary(run: Run, evaluations: Sequence[Evaluation]) -> Summary:
    """`evaluations` are what this run says to the claims."""
    many = len(cautions(run))
    warned = f"{wording.plural(many, 'caution')} on these figures." if many else (
        "No cautions on these figures.")
    found = verdicts(run)
    return Summary(found, by_size(found), most_surprising(evaluations), [*measured(run), warned], for_the_game(found))


def for_the_game(found: Sequence[Verdict]) -> str:
    """What to take for a game like the measured one, of which whole frames are measured; empty if they were not."""
    frame = next((each for each in found if any(source.workload == "world.frame" for source in each.kind.sources)
                  and each.kind.metric is TIME), None)
    if frame is None or len(frame.contenders) < 2:
        return ""
    told = f"For a game like this world (Whole frame): {frame.answer()}"
    if frame.sizes_apart:
        return f"{told}."
    if size := frame.pick.bytes_per_entity:
        whose = f" in `{frame.pick.strategy}`" if frame.others else ""
        told += f"; {wording.number(size)} bytes per entity{whose}"
    if second := frame.second_family:
        told += f". The best other design, `{second.strategy}`, takes {wording.times(second.to_best.median)} the time"
    return f"{told}."


def measured(run: Run) -> Iterator[str]:
    """How much there is, how wide its intervals are, and how many blocks it decides."""
    cells = [cell for block in run.blocks for cell in block.measured]
    if cells:
        counts = sorted({len(cell.samples) for cell in cells})
        ratios = [cell.ratio_to_reference for cell in cells if cell.strategy != REFERENCE and cell.ratio_to_reference]
        widths = [ratio.relative_width / 2 for ratio in ratios if ratio.has_interval]
        noise = ("; half of the 95 % intervals of \N{MULTIPLICATION SIGN} floor are "
                 f"\N{PLUS-MINUS SIGN}{median(widths):.1%} at most") if widths else ""
        yield f"{wording.plural(len(cells), 'cell')}, each timed {wording.ends(counts)} times{noise}."
    judged = [block for block in run.blocks if len(candidates(block, TIME)) > 1]  # alone, nothing is to decide
    if judged:
        decided = sum(block.is_decided for block in judged)
        yield (f"{decided:,} of {wording.plural(len(judged), 'block')} are decided: in time, every strategy is certainly equal to "
               "the best, or worse; in the others some are open.")
    for name, left_out in Counter(each.pass_name for each in run.omissions).items():
        yield f"The {name} pass left out {wording.plural(left_out, 'cell')}; the report lists the reasons."
    if shares := shares_of_layout(run):
        most = max(shares, key=shares.get)
        yield (f"With {run.record.get('layouts')} code layouts, the layout causes {median(shares.values()):.0%} of a cell's scatter "
               f"(median), and at most {shares[most]:.0%} (`{most}`).")
    facts = facts_of(run.host | {"stowage": run.record})
    if rates := quoted("report", facts, [run.directory.parent]):
        yield rates


# ---- how much of a figure's scatter is where its code lies: of runs with `--layouts`


def shares_of_layout(run: Run) -> dict[str, float]:
    """By cell, the share of the variance between repetitions that is one of code layouts; the rest is within a layout.
    Hand-written loops have one layout. A cell that is built once in each process has one there: what scatters may be
    the processes, and it has no share."""
    return {cell.name: share for block in run.blocks for cell in block.measured
            if not is_hand_written(cell.strategy) and _has_several_in_a_process(cell)
            and (share := _share(_by_layout(block, cell))) is not None}


def _has_several_in_a_process(cell: Cell) -> bool:
    processes = cell.samples.processes
    return len(set(zip(processes, cell.layouts))) > len(set(processes))


def _by_layout(block: Block, cell: Cell) -> list[list[float]]:
    """Logarithms of the ratios to the reference; of times where there is none."""
    reference = block.cells.get(REFERENCE)
    others = reference.samples if reference and reference.samples else [1.0] * len(cell.samples)
    groups = grouped(zip(cell.layouts, cell.samples, others), itemgetter(0))
    return [[math.log(sample / other) for _, sample, other in its] for its in groups.values()]


def _share(groups: list[list[float]]) -> float | None:
    """The intraclass correlation of a one-way analysis of variance. None without two layouts and a spare repetition."""
    count = sum(map(len, groups))
    if len(groups) < 2 or count <= len(groups):
        return None
    middle = fmean(value for group in groups for value in group)
    between = sum(len(group) * (fmean(group) - middle) ** 2 for group in groups) / (len(groups) - 1)
    within = sum((value - fmean(group)) ** 2 for group in groups for value in group) / (count - len(groups))
    usual = (count - sum(len(group) ** 2 for group in groups) / count) / (len(groups) - 1)
    of_layout = max(0.0, (between - within) / usual)
    return of_layout / (of_layout + within) if of_layout + within > 0 else 0.0
