"""The environment of a run: what its figures depend on, as lines of a table, and what to know before trusting them."""

import os
import re
from pathlib import Path
from typing import Iterator

from stowage_report import commands
from stowage_report.data import passes, wording
from stowage_report.data.estimates import FEWEST_SAMPLES
from stowage_report.data.model import Run

UNKNOWN = "not recorded"
#: Of a program that does the work of a processor; such a run has no times.
EMULATED = "emulated by "


def environment(run: Run) -> list[tuple[str, str]]:
    host, record = run.host, run.record

    def recorded(key: str) -> str:
        return _text(record.get(key))

    caches = [f"{cache.name} {wording.size(cache.size_bytes)}" + (f" shared by {cache.sharing}" if cache.sharing > 1 else "")
              for cache in run.caches]
    repetitions = sorted({len(cell.samples) for block in run.blocks for cell in block.measured})
    memory, page_size, load = record.get("memory_bytes"), record.get("page_size"), host.get("load_avg")
    passes_of = [(f"Pass `{each.name}`", passes.description(each)) for each in run.passes]
    return [
        ("Processor", recorded("cpu_model")),
        ("Processors", f"{host.get('num_cpus', '?')} at {host.get('mhz_per_cpu', '?')} MHz"),
        ("Caches", ", ".join(caches) or UNKNOWN),
        ("Memory", wording.size(int(memory)) if memory else UNKNOWN),
        ("Virtualisation", recorded("virtualisation")),
        ("Frequency governor", recorded("governor")),
        ("Host", _text(host.get("host_name"))),
        ("System", recorded("os")),
        ("Pages", f"{wording.size(int(page_size))}, huge: {recorded('transparent_hugepages')}" if page_size else UNKNOWN),
        ("Address randomisation", {True: "on", False: "off"}.get(record.get("aslr"), UNKNOWN)),
        ("Load at the start", ", ".join(f"{value:.2f}" for value in load) if load else UNKNOWN),
        ("Verdict of `doctor`", recorded("doctor")),
        ("Compiler", recorded("compiler")),
        ("Flags", recorded("flags")),
        ("stowage", recorded("version")),
        ("Commit", recorded("commit")),
        ("Date", _text(host.get("date"))),
        ("Command", commands.of_run(record)),
        ("Preset", f"{recorded('preset')}: {recorded('precision')}"),
        ("Seed", recorded("seed")),
        ("Repetitions", f"{wording.ends(repetitions)}, each of about {float(record.get('min_time_s') or 0) * 1e3:g} ms"
                        f"{', timed by Google Benchmark' if record.get('timer') else ''}" if repetitions else "none"),
        ("Blocks", f"{record.get('blocks_done', '?')} of {record.get('blocks_planned', '?')}"),
        ("Duration", f"{float(record.get('wall_s') or 0):.0f} s"),
        *(passes_of or [("Passes", "the clock alone: neither cache nor memory figures")]),
    ]


def machine_summary(run: Run) -> str:
    """One phrase: `AMD EPYC (2 processors, L1d 48 KiB, L2 2 MiB, L3 32 MiB, virtual machine: kvm)`."""
    details = [wording.plural(int(run.host.get("num_cpus") or 1), "processor")]
    details += [f"{cache.name} {wording.size(cache.size_bytes)}" for cache in run.caches if cache.type != "Instruction"]
    virtualisation = run.record.get("virtualisation", "unknown")
    if virtualisation.startswith(EMULATED):
        details.append(virtualisation)
    elif virtualisation not in ("none", "unknown"):
        details.append(f"virtual machine: {virtualisation}")
    return f"{run.record.get('cpu_model') or 'an unnamed processor'} ({', '.join(details)})"


def architecture(flags: str) -> str:
    """`x86-64-v3`, by the last `-march`; empty if there is none."""
    return (re.findall(r"-march=(\S+)", flags) or [""])[-1]


def _text(value: object) -> str:
    return UNKNOWN if value in (None, "") else str(value)


#: An interval wider than this share of its median says more about the machine than about the strategy.
_WIDE_INTERVAL = 0.25
#: In processors: less is what any system does in the background.
_OTHER_PROGRAMS = 0.2


def cautions(run: Run) -> list[str]:
    """Most serious first."""
    return [*_doubtful_run(run), *_doubtful_machine(run), *_precision(run)]


def in_short(caution: str) -> str:
    """Its first sentence without the reason; a name of a cell may have a colon, and a figure a point."""
    return re.split(r": |\. |\.$", caution, maxsplit=1)[0]


def _doubtful_run(run: Run) -> Iterator[str]:
    if run.errors:
        yield (f"{wording.plural(len(run.errors), 'cell')} failed verification, without figures (ERROR in tables). "
               "`stowage verify` shows what is wrong.")
    done, planned = run.record.get("blocks_done"), run.record.get("blocks_planned")
    if run.record.get("interrupted") or (done and planned and done < planned):
        again = commands.to_resume(Path(os.path.relpath(run.directory)), run.record)
        yield f"The run is not complete: {done} of {planned} blocks. `{again}` continues it."
    if run.host.get("library_build_type") == "debug":
        yield "This is a debug build: its times say nothing about a release build. Use the preset `release`."
    if "local changes" in str(run.record.get("commit", "")):
        yield "The source had local changes: the commit alone does not reproduce these figures."


def _doubtful_machine(run: Run) -> Iterator[str]:
    virtualisation = run.record.get("virtualisation", "unknown")
    if virtualisation.startswith(EMULATED):
        yield (f"The processor was {virtualisation}, so nothing was timed: the run shows that results are equal, and how "
               "many bytes they need.")
    elif virtualisation not in ("none", "unknown"):
        yield (f"This is a virtual machine ({virtualisation}): ratios within one block are reliable, times in "
               "ns less so. Repeat on bare metal what matters. Other machines on the host can slow it down unnoticed.")
    governor = run.record.get("governor", "none")
    if governor not in ("none", "unknown", "performance"):
        yield (f"The frequency governor is `{governor}`, so clock speed followed load: "
               "`cpupower frequency-set --governor performance` keeps it up.")
    load, processors = (run.host.get("load_avg") or [0])[0], run.host.get("num_cpus") or 1
    others = float(run.record.get("other_programs") or 0)
    if others > _OTHER_PROGRAMS:
        yield (f"The machine was busy: other programs kept {others:.1f} of {wording.plural(processors, 'processor')} "
               "busy during the run. Repeat it when nothing else runs.")
    elif "other_programs" not in run.record and load > 0.5 * processors:  # which may have been the build before the run
        yield (f"The machine was busy when the run began: load {load:.1f} on "
               f"{wording.plural(processors, 'processor')}. Measure when nothing else runs.")


def _precision(run: Run) -> Iterator[str]:
    cells = [cell for block in run.blocks for cell in block.measured]
    few = [cell for cell in cells if not cell.ns_per_item.has_interval]
    if few:
        yield (f"{wording.plural(len(few), 'cell')} have fewer than {FEWEST_SAMPLES} repetitions, which give no "
               "95 % interval. All of them count as open.")
    wide = [cell for cell in cells if cell.ns_per_item.relative_width > _WIDE_INTERVAL]
    if wide:
        worst = max(wide, key=lambda cell: cell.ns_per_item.relative_width)
        yield (f"{len(wide)} of {wording.plural(len(cells), 'cell')} have an interval wider than \N{PLUS-MINUS SIGN}"
               f"{_WIDE_INTERVAL / 2:.1%}. `--until-decided` or a longer preset narrows them. The "
               f"widest is \N{PLUS-MINUS SIGN}{worst.ns_per_item.relative_width / 2:.0%} (`{worst.name}`).")
