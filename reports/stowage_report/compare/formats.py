"""A comparison for a terminal, for a pull request, and for programs."""

import json
import os
import re
import textwrap
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

from stowage_report.calibrate.store import FACTS, quoted
from stowage_report.compare.change import FALSE_DISCOVERY_RATE, SMALL_ENTITIES, SMALLEST_RUN_SCATTER
from stowage_report.compare.comparison import (
    CellChange, Comparison, CountChange, Counts, Excess, TimeChange, Verdict,
)
from stowage_report.console import WIDTH
from stowage_report.data.estimates import CONFIDENCE, EQUAL_WITHIN
from stowage_report.data.wording import plural

#: A table that is longer is not read; JSON has the rest.
_ROWS_ON_SCREEN = 20
#: More than these are folded away.
_ROWS_IN_A_COMMENT = 10
_MOST_NAMES = 3
#: What is said of names that are apart, the most serious first.
_APART = {"failed_after": "failed after, and not before", "failed_before": "failed before",
          "skipped_after": "skipped after, and not before", "skipped_before": "skipped before", "only_before": "only before",
          "only_after": "only after", "time_only_before": "with a time only before",
          "time_only_after": "with a time only after", "without_figures": "without a time or a count"}
_GAP, _WIDEST_COLUMN, _NARROWEST_LAST = 2, 40, 20
#: What is left of a line beside the figures of a change.
_NAME_WIDTH = 68


def percent(ratio: float) -> str:
    """1.102 -> `+10.2%`"""
    return f"{100 * (ratio - 1):+.1f}%"


def _interval(interval: tuple[float, float] | None) -> str:
    """`+8.1 to +12.3%`"""
    return f"{100 * (interval[0] - 1):+.1f} to {100 * (interval[1] - 1):+.1f}%" if interval else "no interval"


def excess_summary(excess: Excess) -> str:
    """`1 strategy in time, 12 cells in time, 3 counts`"""
    parts = ((excess.strategies, "strategy in time", "strategies in time"), (excess.cells, "cell in time", "cells in time"),
             (excess.counts, "count", "counts"), (excess.failures, "cell that fails now", "cells that fail now"))
    return ", ".join(plural(len(found), one, many) for found, one, many in parts if found)


def _excess_text(comparison: Comparison, excess: Excess) -> str:
    text = f"--fail-above {100 * excess.limit:g}% is {f'exceeded: {excess_summary(excess)}' if excess else 'not exceeded'}"
    is_open = comparison.count(Verdict.OPEN)
    return text + (f"; {is_open} of {len(comparison.cells)} cells open" if is_open else "")


def _time_headline(comparison: Comparison) -> str:
    if not comparison.cells:
        return "no cell has a time in both"
    slower, faster, equal, is_open = map(comparison.count, Verdict)
    return f"{slower} of {len(comparison.cells)} cells slower, {faster} faster, {equal} equal, {is_open} open"


def _counts_headline(counts: Counts) -> str:
    if counts.figures == 0:
        return "none to compare"
    if not counts.changes:
        return f"all {counts.figures} figures of {counts.cells} cells are equal"
    return f"{len(counts.changes)} of {counts.figures} differ, over {counts.cells} cells"


def _shown(counts: Counts) -> list[CountChange]:
    return [change for change in counts.changes if change.growth is not None]


def notes_of(comparison: Comparison) -> Iterator[str]:
    """What a reader must know before the figures: cells that are not compared, names that several benchmarks have,
    absolute times, a machine that was busy, passes that cannot be compared."""
    if _is_one_file(comparison.before.path, comparison.after.path):
        yield "before and after are the same file"
    if not comparison.pairs:
        yield "no cell was measured in both"
    for key, what in _APART.items():
        if names := comparison.apart[key]:
            yield f"{plural(len(names), 'cell')} {what}: {_first_names(names)}"
    if names := comparison.apart["repeated_names"]:
        yield (f"several benchmarks have one name, so they are numbered and compared in their order: {_first_names(names)}; "
               "give each its own name")
    cells = comparison.cells
    absolute = sum(not change.is_of_ratios for change in cells)
    if absolute:
        yield (f"absolute times are compared for {absolute} of {len(cells)} cells, which have no ratio to a reference in "
               "both: what else the machine did shows in them")
    for reason in dict.fromkeys(change.reason for change in cells if change.reason):
        count = sum(change.reason == reason for change in cells)
        yield f"{count} of {len(cells)} cells open in time: {reason}"
    references = comparison.references
    if references and abs(references.median - 1) >= SMALLEST_RUN_SCATTER:
        interval = (references.low, references.high) if references.has_interval else None
        yield (f"the references' own times changed by {percent(references.median)} ({_interval(interval)}): either "
               "the machine (ratios cancel it) or their code")
    yield from comparison.counts.not_compared
    if comparison.counts.only_one_has:
        yield f"{comparison.counts.only_one_has} counts exist in one of the two only"
    if any(change.interval for change in [*cells, *comparison.strategies]) and (rates := _rates(comparison)):
        yield rates


def _is_one_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # a pipe that is gone
        return False


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")


def _rates(comparison: Comparison) -> str:
    """How often such verdicts are right here, if that was measured and both files are of this machine and version."""
    before, after = comparison.before, comparison.after
    if any(before.facts.get(name) != after.facts.get(name) for name in FACTS):
        return ""
    return quoted("compare", after.facts, [Path(after.path).parent, Path(after.path).parent.parent])


def as_table(comparison: Comparison, excess: Excess | None) -> str:
    """For a terminal of 100 columns: what differs around the figures, significant changes of time with the worst first,
    a line for each strategy, counts that differ, and what the words mean."""
    text = f"before  {comparison.before.path}\nafter   {comparison.after.path}\n\n"
    if comparison.differences:
        text += _table(("DIFFERS", "BEFORE", "AFTER"), comparison.differences)
    else:
        text += "Nothing that the files say of machine, build and options differs.\n"
    text += "".join(_table(("!", note), ()) for note in notes_of(comparison))
    text += f"\nTime: {_time_headline(comparison)}\n"
    text += _first_rows(("CHANGE", "95 % INTERVAL", "CELL"),
                        [(percent(change.ratio), _interval(change.interval), _breakable(change.pair.name))
                         for change in comparison.significant])
    if comparison.strategies:
        text += "\n" + _table(("STRATEGY", "CHANGE", "95 % INTERVAL", "", "CELLS"),
                              [(change.strategy, percent(change.ratio) if change.interval else "",
                                _interval(change.interval), change.verdict.value,
                                f"{change.verdicts[Verdict.SLOWER]} slower, {change.verdicts[Verdict.FASTER]} faster, "
                                f"{change.verdicts[Verdict.OPEN]} open of {change.cells}")
                               for change in comparison.strategies])
    text += f"\nCounts: {_counts_headline(comparison.counts)}\n{_counts_text(comparison.counts)}"
    if comparison.cells:
        small, large = (f"{100 * comparison.run_scatter[is_large]:.1f}%" for is_large in (False, True))
        text += f"""
Times are compared as ratios to the reference of the same rounds, if there are any. A cell is
slower or faster if its change is certain beside a scatter between runs of {small}, or {large}
with more than {SMALL_ENTITIES // 1024}k entities. Up to 5 % of the cells named may be false alarms. It is equal if
its interval stays within {100 * (EQUAL_WITHIN - 1):g}%, and open otherwise. A strategy is slower or faster if all of its
cells together, each counted by its own certainty, certainly differ by more than {100 * SMALLEST_RUN_SCATTER:g}%. To settle one
small cell, repeat both runs with --cells.
"""
    return text + (f"\n{_excess_text(comparison, excess)}\n" if excess is not None else "")


def _counts_text(counts: Counts) -> str:
    text = ""
    for figure, changes in groupby(_shown(counts), key=lambda change: change.figure):
        rows = [(percent(1 + change.growth), f"{change.before:.5g}", f"{change.after:.5g}", _breakable(change.pair.name))
                for change in changes]
        text += f"{figure}\n{textwrap.indent(_first_rows(('CHANGE', 'BEFORE', 'AFTER', 'CELL'), rows), '  ')}"
    parts = len(counts.changes) - len(_shown(counts))
    return text + (f"{parts} other figures differ, such as parts of these: --format json has them\n" if parts else "")


def _first_rows(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    more = len(rows) - _ROWS_ON_SCREEN
    rest = f"... and {more} more cells; --format json has all\n" if more > 0 else ""
    return _table(headings, rows[:_ROWS_ON_SCREEN]) + rest


def _breakable(name: str) -> str:
    """A name that is too long for its column may be broken after a slash."""
    slash = name.rfind("/", 0, _NAME_WIDTH) if len(name) > _NAME_WIDTH else -1
    return name if slash < 0 else f"{name[:slash + 1]} {name[slash + 1:]}"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns below their headings, wrapped at words: the last one so that no line is too long, the others so that they
    leave it room."""
    rows = [headings, *rows]
    widths = [min(_WIDEST_COLUMN, max(map(len, column))) for column in zip(*rows)]
    widths[-1] = max(_NARROWEST_LAST, WIDTH - sum(width + _GAP for width in widths[:-1]))
    lines = []
    for row in rows:
        cells = [textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
                 for text, width in zip(row, widths)]
        for parts in zip_longest(*cells, fillvalue=""):
            lines.append("".join(part.ljust(width + _GAP) for part, width in zip(parts[:-1], widths)) + parts[-1])
    return "\n".join(lines) + "\n"


def as_markdown(comparison: Comparison, excess: Excess | None) -> str:
    """For a pull request: the verdict and a short table, everything else folded."""
    if excess is None:
        has_changed = any(change.verdict in (Verdict.SLOWER, Verdict.FASTER) for change in comparison.strategies)
        is_calm = not (comparison.significant or has_changed or comparison.counts.changes or comparison.apart["failed_after"])
        text = f"### stowage: {'no significant change' if is_calm else 'changes'}\n\n"
    else:
        grew = excess.strategies or excess.cells or excess.counts
        told = "slower or larger" if grew else "new failures" if excess else "not exceeded"
        text = f"### stowage: {told}\n\n{_excess_text(comparison, excess)}\n\n"
    text += f"**Time**: {_time_headline(comparison)}  \n**Counts**: {_counts_headline(comparison.counts)}\n\n"
    text += _short_table(("time", "95 % interval", "cell"),
                         [(percent(change.ratio), _interval(change.interval), _escaped(change.pair.name))
                          for change in comparison.significant], "cells whose time changed")
    text += _short_table(("count", "of", "before", "after", "cell"),
                         [(percent(1 + change.growth), _escaped(change.figure), f"{change.before:.6g}",
                           f"{change.after:.6g}", _escaped(change.pair.name)) for change in _shown(comparison.counts)],
                         "counts that differ")
    if comparison.strategies:
        rows = [(_escaped(change.strategy), percent(change.ratio), _interval(change.interval), change.verdict.value,
                 *(str(change.verdicts[each]) for each in (Verdict.SLOWER, Verdict.FASTER, Verdict.OPEN)),
                 str(change.cells))
                for change in comparison.strategies]
        text += _folded("strategies: all of their cells together", _markdown_table(
            ("strategy", "time", "95 % interval", "", "slower", "faster", "open", "cells"), rows))
    context = f"before: {_escaped(comparison.before.path)}  \nafter: {_escaped(comparison.after.path)}\n\n"
    if comparison.differences:
        context += _markdown_table(("differs", "before", "after"),
                                   [tuple(map(_escaped, each)) for each in comparison.differences])
    notes = "".join(f"- {_escaped(note)}\n" for note in notes_of(comparison))
    return text + _folded("what was compared", f"{context}{notes}\n")


def _escaped(text: str) -> str:
    """A bar ends a cell, and what looks like markup is some; both come from names and paths of users."""
    return re.sub(r"[\\|`*_<>\[\]]", r"\\\g<0>", text.replace("\n", " "))


def _markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in (headings, ["---"] * len(headings), *rows)) + "\n"


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{content}</details>\n\n"


def _short_table(headings: Sequence[str], rows: Sequence[Sequence[str]], what: str) -> str:
    """The first rows in sight, all of them folded if there are more."""
    if not rows:
        return ""
    text = _markdown_table(headings, rows[:_ROWS_IN_A_COMMENT])
    if len(rows) <= _ROWS_IN_A_COMMENT:
        return text
    return text + _folded(f"all {len(rows)} {what}", _markdown_table(headings, rows))


def as_json(comparison: Comparison, excess: Excess | None) -> str:
    """All cells and all counts that differ; docs/results.md has the keys. What is not known is absent."""
    counts = comparison.counts
    time = {"confidence": CONFIDENCE, "false_discovery_rate": FALSE_DISCOVERY_RATE,
            "run_scatter": comparison.run_scatter[False], "run_scatter_of_large_cells": comparison.run_scatter[True]}
    if comparison.references:
        time["references_ratio"] = comparison.references.median
    time |= _verdicts_json(comparison.cells)
    time["strategies"] = [
        {"strategy": change.strategy, "cells": change.cells} | _change_json(change) |
        _verdicts_json([cell for cell in comparison.cells if cell.pair.strategy == change.strategy])
        for change in comparison.strategies]
    time["cells"] = [
        {"cell": change.pair.name, "of": "ratio_to_reference" if change.is_of_ratios else "real_time_ns",
         "before": change.before, "after": change.after} | _change_json(change) |
        ({} if change.chance is None else {"p": change.chance}) | ({"reason": change.reason} if change.reason else {})
        for change in comparison.cells]
    document = {
        "before": comparison.before.path, "after": comparison.after.path,
        "differences": [dict(zip(("what", "before", "after"), each)) for each in comparison.differences],
        "notes": list(notes_of(comparison)), **comparison.apart, "time": time,
        "counts": {"cells": counts.cells, "figures": counts.figures, "only_one_has": counts.only_one_has,
                   "differ": len(counts.changes), "changes": list(map(_count_json, counts.changes))},
    }
    if excess is not None:
        document["fail_above"] = {
            "limit": excess.limit, "exceeded": bool(excess), "open": comparison.count(Verdict.OPEN),
            "strategies": [change.strategy for change in excess.strategies],
            "cells": [change.pair.name for change in excess.cells],
            "counts": list(map(_count_json, excess.counts)), "failures": excess.failures}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _verdicts_json(cells: Sequence[CellChange]) -> dict[str, int]:
    """How many cells have each verdict. Older readers know the equal as `unchanged`, and the open that have no interval
    as `undecided`."""
    counts = {verdict.value: sum(cell.verdict is verdict for cell in cells) for verdict in Verdict}
    return counts | {"unchanged": counts["equal"], "undecided": sum(cell.interval is None for cell in cells)}


def _change_json(change: TimeChange) -> dict[str, Any]:
    interval = dict(zip(("ratio_low", "ratio_high"), change.interval)) if change.interval else {}
    return {"ratio": change.ratio} | interval | {"verdict": change.verdict.value}


def _count_json(change: CountChange) -> dict[str, Any]:
    growth = {} if change.growth is None else {"growth": change.growth}
    return {"cell": change.pair.name, "figure": change.figure, "before": change.before, "after": change.after} | growth
