"""The environment of a run as lines of a table: everything that its figures depend on."""

from __future__ import annotations

from stowage_report.data import passes, wording
from stowage_report.data.model import Cache, Run

UNKNOWN = "not recorded"


def environment(run: Run) -> list[tuple[str, str]]:
    return [*_machine(run), *_system(run), *_build(run), *_protocol(run), *_passes(run)]


def machine_summary(run: Run) -> str:
    """One phrase: `AMD EPYC (2 processors, L1d 48 KiB, L2 2 MiB, L3 32 MiB, virtual machine: kvm)`."""
    details = [wording.plural(int(run.host.get("num_cpus") or 1), "processor")]
    details += [f"{cache.name} {wording.size(cache.size_bytes)}" for cache in _data_caches(run)]
    virtualisation = run.record.get("virtualisation", "unknown")
    if virtualisation not in ("none", "unknown"):
        details.append(f"virtual machine: {virtualisation}")
    return f"{run.record.get('cpu_model') or 'an unnamed processor'} ({', '.join(details)})"


def _data_caches(run: Run) -> list[Cache]:
    return [cache for cache in run.caches if cache.type != "Instruction"]


def _machine(run: Run) -> list[tuple[str, str]]:
    host, record = run.host, run.record
    caches = [
        f"{cache.name} {wording.size(cache.size_bytes)}" + (f" shared by {cache.sharing}" if cache.sharing > 1 else "")
        for cache in run.caches
    ]
    memory = record.get("memory_bytes")
    return [
        ("Processor", _text(record.get("cpu_model"))),
        ("Processors", f"{host.get('num_cpus', '?')} at {host.get('mhz_per_cpu', '?')} MHz"),
        ("Caches", ", ".join(caches) or UNKNOWN),
        ("Memory", wording.size(int(memory)) if memory else UNKNOWN),
        ("Virtualisation", _text(record.get("virtualisation"))),
        ("Frequency governor", _text(record.get("governor"))),
    ]


def _system(run: Run) -> list[tuple[str, str]]:
    host, record = run.host, run.record
    page_size, load = record.get("page_size"), host.get("load_avg")
    huge_pages = _text(record.get("transparent_hugepages"))
    aslr = {True: "on", False: "off"}.get(record.get("aslr"), UNKNOWN)
    return [
        ("Host", _text(host.get("host_name"))),
        ("System", _text(record.get("os"))),
        ("Pages", f"{wording.size(int(page_size))}, huge: {huge_pages}" if page_size else UNKNOWN),
        ("Address randomisation", aslr),
        ("Load at the start", ", ".join(f"{value:.2f}" for value in load) if load else UNKNOWN),
    ]


def _build(run: Run) -> list[tuple[str, str]]:
    record = run.record
    return [
        ("Compiler", _text(record.get("compiler"))),
        ("Flags", _text(record.get("flags"))),
        ("stowage", _text(record.get("version"))),
        ("Commit", _text(record.get("commit"))),
    ]


def _protocol(run: Run) -> list[tuple[str, str]]:
    record = run.record
    return [
        ("Date", _text(run.host.get("date"))),
        ("Preset", f"{_text(record.get('preset'))}: {_text(record.get('precision'))}"),
        ("Seed", _text(record.get("seed"))),
        ("Repetitions", f"{_repetitions(run)}, each of about {float(record.get('min_time_s') or 0) * 1e3:g} ms"),
        ("Blocks", f"{record.get('blocks_done', '?')} of {record.get('blocks_planned', '?')}"),
        ("Duration", f"{float(record.get('wall_s') or 0):.0f} s"),
    ]


def _passes(run: Run) -> list[tuple[str, str]]:
    lines = [(f"Pass `{record.name}`", passes.description(record)) for record in run.passes]
    return lines or [("Passes", "the clock alone: neither cache nor memory figures")]


def _repetitions(run: Run) -> str:
    counts = sorted({len(cell.samples) for block in run.blocks for cell in block.measured})
    if not counts:
        return "none"
    return str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"


def _text(value: object) -> str:
    return UNKNOWN if value in (None, "") else str(value)
