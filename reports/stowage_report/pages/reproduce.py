"""The command line that measures a figure again. The page's script makes the same of a single cell's name."""

from __future__ import annotations

import re

from stowage_report.data.model import ENTITIES, REFERENCE, Run, Sweep
from stowage_report.findings.finding import Finding

#: More names than these say less than the preset's own choice does.
_FEW_STRATEGIES = 9


def sweep_command(run: Run, sweep: Sweep) -> str:
    """`./scripts/stowage run --preset quick --workloads join --entities 1024 --cells '/order:same(/|$)'`"""
    sizes = sorted({block.entities for block in sweep.blocks})
    words = [command_of(run), f"--workloads {sweep.workload}"]
    chosen = [name for name in sweep.strategies if name != REFERENCE]
    if "--strategies" in str(run.record.get("command", "")) or len(chosen) <= _FEW_STRATEGIES:
        words.append(f"--strategies {','.join(chosen)}")
    words.append(f"--entities {','.join(map(str, sizes))}")
    parameters = [item for item in sweep.parameters if item[0] != ENTITIES]
    if parameters:
        words.append(f"--cells '{_expression(parameters)}'")
    return " ".join(words)


def finding_command(run: Run, finding: Finding) -> str:
    """All of the workloads that it compares, as far as the run has them."""
    known = [name for name in finding.workloads if name in run.workloads]
    return f"{command_of(run)} --workloads {','.join(known)}"


def command_of(run: Run) -> str:
    """What every command begins with."""
    return f"./scripts/stowage run --preset {run.record.get('preset') or 'quick'}"


def _expression(parameters: list[tuple[str, str]]) -> str:
    """Searched for in names of cells, in which other parameters may stand between these."""
    *first, last = (f"{key}:{re.escape(value)}" for key, value in parameters)
    return "/" + "".join(f"{part}/(.*/)?" for part in first) + f"{last}(/|$)"
