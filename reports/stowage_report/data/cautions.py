"""What a reader should know before trusting a run's figures, with what to do about it."""

from __future__ import annotations

from typing import Iterator

from stowage_report.data import wording
from stowage_report.data.estimates import FEWEST_SAMPLES
from stowage_report.data.model import Cell, Run

#: An interval wider than this share of its median says more about the machine than about the strategy.
_WIDE_INTERVAL = 0.25
#: In processors: less is what any system does in the background.
_OTHER_PROGRAMS = 0.2


def cautions(run: Run) -> list[str]:
    """Most serious first."""
    checks = (_failed, _unfinished, _build, _machine, _precision)
    return [caution for check in checks for caution in check(run)]


def _failed(run: Run) -> Iterator[str]:
    if run.errors:
        yield (f"{wording.plural(len(run.errors), 'cell')} failed verification and have no figures; they are shown as "
               "ERROR, and nothing should be concluded about them: `stowage verify` tells more.")


def _unfinished(run: Run) -> Iterator[str]:
    done, planned = run.record.get("blocks_done"), run.record.get("blocks_planned")
    if run.record.get("interrupted") or (done and planned and done < planned):
        yield (f"The run is not complete: {done} of {planned} blocks. `stowage run --resume {run.name}` goes on "
               "where it ended.")


def _build(run: Run) -> Iterator[str]:
    if run.host.get("library_build_type") == "debug":
        yield "This is a debug build: its times say nothing about a release build. Use the preset `release`."
    if "local changes" in str(run.record.get("commit", "")):
        yield "The source had local changes: the commit alone does not reproduce these figures."


def _machine(run: Run) -> Iterator[str]:
    virtualisation = run.record.get("virtualisation", "unknown")
    if virtualisation not in ("none", "unknown"):
        yield (f"This is a virtual machine ({virtualisation}): its neighbours take caches and cycles unseen. Ratios "
               "within a block hold up well, times in ns less so; repeat on bare metal what matters.")
    governor = run.record.get("governor", "none")
    if governor not in ("none", "unknown", "performance"):
        yield (f"The frequency governor is `{governor}`, so clock speed followed load: "
               "`cpupower frequency-set --governor performance` keeps it up.")
    load, processors = (run.host.get("load_avg") or [0])[0], run.host.get("num_cpus") or 1
    others = float(run.record.get("other_programs") or 0)
    if others > _OTHER_PROGRAMS:
        yield (f"The machine was busy: other programs kept {others:.1f} of {wording.plural(processors, 'processor')} "
               "busy during the run. Repeat it when nothing else runs.")
    elif load > 0.5 * processors:
        yield (f"The machine was busy when the run began: load {load:.1f} on "
               f"{wording.plural(processors, 'processor')}. Measure when nothing else runs.")


def _precision(run: Run) -> Iterator[str]:
    cells = [cell for block in run.blocks for cell in block.measured]
    few = [cell for cell in cells if not cell.ns_per_item.has_interval]
    if few:
        yield (f"{wording.plural(len(few), 'cell')} have fewer than {FEWEST_SAMPLES} repetitions, which give no "
               "95 % interval; nothing can be told from the best there.")
    wide = [cell for cell in cells if cell.ns_per_item.relative_width > _WIDE_INTERVAL]
    if wide:
        worst = max(wide, key=_width)
        yield (f"{len(wide)} of {wording.plural(len(cells), 'cell')} have an interval wider than {_WIDE_INTERVAL:.0%} "
               f"of the median, the widest {_width(worst):.0%} (`{worst.name}`). A longer preset narrows them.")


def _width(cell: Cell) -> float:
    return cell.ns_per_item.relative_width
