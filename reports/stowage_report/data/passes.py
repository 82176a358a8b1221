"""The passes beside the clock in words: how they came to their figures, and what they left out."""

from dataclasses import dataclass
from typing import Iterable

from stowage_report.data import grouped, wording
from stowage_report.data.model import Omission, PassRecord, Run, Sweep

CACHE = "cache"
MEMORY = "memory"

#: The detail that a reader has to know beside every figure, and not in the environment alone.
_LIMITS = "limits"


@dataclass(frozen=True)
class LeftOut:
    """All cells of these strategies in these blocks, for one reason."""

    reason: str
    strategies: tuple[str, ...]
    blocks: tuple[str, ...]  # names of cells without the strategy


def source(run: Run, pass_name: str) -> str:
    """Short, for a chart: `simulated, model reference`."""
    sources = [f"{record.source}, model {model}" if (model := record.details.get("model")) else record.source
               for record in _records(run, pass_name)]
    return " and ".join(dict.fromkeys(sources)) or "source not recorded"


def is_hardware(run: Run) -> bool:
    return any(record.source == "hardware" for record in _records(run, CACHE))


def limits(run: Run, pass_name: str) -> list[str]:
    """What every figure of this pass must be read with."""
    stated = [record.details[_LIMITS] for record in _records(run, pass_name) if _LIMITS in record.details]
    return [_sentence(f"Limits of the source: {text}") for text in dict.fromkeys(stated)]


def description(record: PassRecord) -> str:
    """All that is recorded, for the table of the environment."""
    details = [f"{key.replace('_', ' ')}: {value}" for key, value in record.details.items()]
    return "; ".join([record.source, *details])


def left_out(run: Run, pass_name: str, sweep: Sweep) -> list[str]:
    """A sentence for each size of which cells are missing."""
    its = [omission for omission in run.omissions
           if sweep.covers(omission.workload, omission.entities, omission.parameters)]
    return [_left_out_at(size, omissions) for name, size, omissions in _by_pass_and_size(its) if name == pass_name]


def all_left_out(run: Run) -> list[tuple[str, str, list[LeftOut]]]:
    """For each pass and size: the pass, the sentence, and which cells it is about."""
    return [(name, _left_out_at(size, omissions), _gathered(omissions))
            for name, size, omissions in _by_pass_and_size(run.omissions)]


def _gathered(omissions: list[Omission]) -> list[LeftOut]:
    """Not cell by cell: a pass that has no time left leaves out thousands, block after block."""
    parts = [(omission.reason, *omission.cell.split("/", 2)) for omission in omissions]
    cells = grouped(parts, lambda part: (part[0], f"{part[1]}/{part[3]}"))
    blocks = grouped(cells, lambda cell: (cell[0], tuple(strategy for _, _, strategy, _ in cells[cell])))
    return [LeftOut(reason, names, tuple(block for _, block in its)) for (reason, names), its in blocks.items()]


def _by_pass_and_size(omissions: Iterable[Omission]) -> list[tuple[str, int, list[Omission]]]:
    groups = grouped(omissions, lambda omission: (omission.pass_name, omission.entities))
    return [(*key, its) for key, its in sorted(groups.items())]


def _left_out_at(entities: int, omissions: list[Omission]) -> str:
    reasons = list(dict.fromkeys(omission.reason for omission in omissions))
    why = f": {reasons[0]}" if len(reasons) == 1 else f" for {len(reasons)} reasons, the first: {reasons[0]}"
    return _sentence(f"Left out at {wording.entities(entities)}, {wording.plural(len(omissions), 'cell')}{why}")


def _records(run: Run, pass_name: str) -> list[PassRecord]:
    return [record for record in run.passes if record.name == pass_name]


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
