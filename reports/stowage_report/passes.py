"""The passes beside the clock in words: how they came to their figures, and what they left out."""

from __future__ import annotations

from stowage_report import wording
from stowage_report.load import parse_cell_name
from stowage_report.model import Omission, PassRecord, Run, Sweep

CACHE = "cache"
MEMORY = "memory"

#: The detail that a reader has to know beside every figure, and not in the environment alone.
_LIMITS = "limits"


def source(run: Run, pass_name: str) -> str:
    """Short, for a chart: `simulated, model reference`."""
    sources = []
    for record in _records(run, pass_name):
        model = record.details.get("model")
        sources.append(f"{record.source}, model {model}" if model else record.source)
    return " and ".join(dict.fromkeys(sources)) or "source not recorded"


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
    by_size: dict[int, list[Omission]] = {}
    for omission in run.omissions:
        if omission.pass_name == pass_name:
            workload, _, entities, parameters = parse_cell_name(omission.cell)
            if (workload, parameters) == (sweep.workload, sweep.parameters):
                by_size.setdefault(entities, []).append(omission)
    return [_left_out_at(entities, omissions) for entities, omissions in sorted(by_size.items())]


def _left_out_at(entities: int, omissions: list[Omission]) -> str:
    reasons = list(dict.fromkeys(omission.reason for omission in omissions))
    more = f" (and {wording.plural(len(reasons) - 1, 'other reason')})" if len(reasons) > 1 else ""
    cells = wording.plural(len(omissions), "cell")
    return _sentence(f"Left out at {wording.entities(entities)}: {cells}, {reasons[0].rstrip('.')}{more}")


def omissions_by_reason(run: Run) -> list[tuple[str, str, list[str]]]:
    """Pass, reason, and the cells that it applies to."""
    groups: dict[tuple[str, str], list[str]] = {}
    for omission in run.omissions:
        groups.setdefault((omission.pass_name, omission.reason), []).append(omission.cell)
    return [(*key, cells) for key, cells in groups.items()]


def _records(run: Run, pass_name: str) -> list[PassRecord]:
    return [record for record in run.passes if record.name == pass_name]


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
