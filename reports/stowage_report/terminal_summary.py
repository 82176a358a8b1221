"""The summary of a run for a terminal: for each kind of work who is best, who is tied with it, and what others cost."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Sequence

from stowage_report import wording
from stowage_report.cautions import cautions
from stowage_report.claims import evaluate
from stowage_report.claims.formats import summary as claims_summary
from stowage_report.environment import machine_summary
from stowage_report.estimates import Estimate
from stowage_report.model import Run, family_of, is_hand_written
from stowage_report.terminal import WIDTH, Terminal, fitted, wrapped
from stowage_report.verdicts import Contender, Verdict, other_verdicts, verdicts

_NAME, _BAR, _RATIO, _INTERVAL, _BYTES = 38, 22, 8, 15, 9  # columns
_INDENT = "  "
#: Of those that are tied, so many have a bar; the others are named.
_TIED_BARS = 3
#: Bars of what costs more than so many times the best are cut off, or nobody could tell the best ones apart.
_LONGEST = 6
_BOLD, _BEST, _FAINT = "1", "1;32", "2"


def summary_text(runs: Sequence[Run], terminal: Terminal) -> str:
    """Of each run by itself: times of different runs have no order."""
    return terminal.text("\n\n".join("\n".join(_lines(run, terminal)) for run in runs) + "\n")


def _lines(run: Run, terminal: Terminal) -> Iterator[str]:
    yield from _head(run, terminal)
    found = verdicts(run)
    for verdict in found:
        yield ""
        yield from _kind(verdict, terminal)
    others = other_verdicts(run)
    if others:
        yield ""
        yield terminal.coloured("Other workloads" if found else "Workloads", _BOLD)
        for verdict in others:
            yield from _other(verdict)
    if not found and not others:
        yield from wrapped("Nothing was timed that two strategies took part in, so there is nothing to choose.")
    yield ""
    yield from _foot(run, terminal)


def _head(run: Run, terminal: Terminal) -> Iterator[str]:
    strategies = [name for name in run.strategies if not is_hand_written(name)]
    cells = sum(len(block.cells) for block in run.blocks)
    counts = (f"{wording.plural(len(strategies), 'strategy', 'strategies')} on "
              f"{wording.plural(len(run.workloads), 'workload')}, {wording.plural(cells, 'cell')}")
    yield terminal.coloured(fitted(run.name, WIDTH), _BOLD)
    yield from wrapped(f"Preset {run.record.get('preset') or 'not recorded'}: {counts}. Measured on "
                       f"{machine_summary(run)}, {str(run.host.get('date', ''))[:10] or 'at an unknown date'}.")
    yield from wrapped("Bars and ratios: how many times the floor (the loop written by hand for that work, or of bytes "
                       "the components by themselves; without a floor, times the best), with the 95 % interval; then "
                       "bytes per entity. * best, = tied: its ratio to the best, over all rivals together, may be 1, "
                       "which the intervals to the floor do not show.")


def _kind(verdict: Verdict, terminal: Terminal) -> Iterator[str]:
    heading = f"{verdict.kind.name}: {verdict.kind.explained}"
    yield terminal.coloured(fitted(heading, WIDTH), _BOLD)
    yield from wrapped(f"{verdict.places}. {verdict.how_sure.replace('`', '')}", _INDENT)
    rows = _shown(verdict)
    costs = [_cost(verdict, each).median for each in rows]
    full = min(max(costs), _LONGEST * min(costs))
    for contender, cost in zip(rows, costs):
        yield _row(verdict, contender, terminal.bar(cost, full, _BAR), terminal)
        if contender is _leading(verdict)[-1]:
            yield from _unshown(verdict)


def _leading(verdict: Verdict) -> list[Contender]:
    """Those of the best that have a bar."""
    return [verdict.best, *verdict.tied][:_TIED_BARS]


def _shown(verdict: Verdict) -> list[Contender]:
    """The best, then the best of another family, and what costs most."""
    others = {each for each in (verdict.second_family, *verdict.behind[-1:]) if each}
    return [*_leading(verdict), *(each for each in verdict.behind if each in others)]


def _unshown(verdict: Verdict) -> list[str]:
    rest = [each.strategy for each in verdict.tied[_TIED_BARS - 1:]]
    indent = " " * (len(_INDENT) + 2)
    lines = wrapped(f"and {', '.join(rest)}", indent, f"{_INDENT}= ") if rest else []
    return lines if len(lines) < 3 else wrapped(f"and {_families(rest)}", indent, f"{_INDENT}= ")


def _families(names: Sequence[str]) -> str:
    """Where all names would be too many: of a family with several members how many these are."""
    counts = Counter(map(family_of, names))
    return ", ".join(dict.fromkeys(name if counts[family_of(name)] == 1
                                   else f"{counts[family_of(name)]} of {family_of(name)}" for name in names))


def _cost(verdict: Verdict, contender: Contender) -> Estimate:
    """To the floor; where a block has none, to the best."""
    return contender.to_floor if all(each.to_floor for each in verdict.contenders) else contender.to_best


def _row(verdict: Verdict, contender: Contender, bar: str, terminal: Terminal) -> str:
    leads = contender is verdict.best or contender in verdict.tied
    mark = " " if not leads else "=" if verdict.tied else "*"
    cost = _cost(verdict, contender)
    interval = f"({wording.interval(cost)})" if cost.has_interval and cost.low != cost.high else ""
    size = "" if contender.bytes_per_entity is None else f"{wording.number(contender.bytes_per_entity)} B"
    figures = f"{wording.times(cost.median):>{_RATIO}} {interval:<{_INTERVAL}} {size:>{_BYTES}}".rstrip()
    columns = min(_NAME, WIDTH - len(_INDENT) - len("*   ") - _BAR - len(figures))
    name = f"{fitted(contender.strategy, columns):<{columns}}"
    return f"{_INDENT}{mark} {terminal.coloured(name, _BEST) if leads else name} {bar:<{_BAR}} {figures}"


def _other(verdict: Verdict) -> list[str]:
    """One line or two: the best, those tied with it, and the next family."""
    names = [each.strategy for each in (verdict.best, *verdict.tied)]
    best = names[0] if len(names) == 1 else f"{len(names)} tied: {_families(names)}"
    second = verdict.second_family
    behind = f"; then {second.strategy}, {wording.times(second.to_best.median)}" if second else ""
    name = fitted(verdict.kind.name, 22)
    return wrapped(f"{name:<22} {best}{behind}", " " * 25, _INDENT)


def _foot(run: Run, terminal: Terminal) -> Iterator[str]:
    decided = evaluate([run])
    yield from wrapped(f"Of {len(decided)} published claims {claims_summary(decided)} `stowage claims` has them.")
    for caution in cautions(run):
        for line in wrapped(caution, _INDENT, "! "):
            yield terminal.coloured(line, _FAINT)
