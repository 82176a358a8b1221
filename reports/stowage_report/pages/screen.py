"""The screen that `stowage run` ends with: what to pick for which work, what is surprising, how sure that is, and what
to type next. At most LINES lines of at most WIDTH columns."""

import math
import os
import re
import shutil
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from stowage_report import commands
from stowage_report.claims import Verdict as Ruled, evaluate
from stowage_report.claims.formats import most_surprising
from stowage_report.console import WIDTH, Terminal, fitted, wrapped
from stowage_report.data import wording
from stowage_report.data.environment import cautions, machine_summary
from stowage_report.data.estimates import Estimate, Standing
from stowage_report.data.metrics import TIME
from stowage_report.data.model import REFERENCE, Run, is_hand_written
from stowage_report.data.verdicts import Verdict, by_size, other_verdicts, verdicts
from stowage_report.pages.summary import for_the_game, measured
from stowage_report.pages.tables import column

LINES = 45
_WORK = 24  # columns at most
_TIMES = "\N{MULTIPLICATION SIGN}"
_RULED = {Ruled.REFUTED: "Refuted here", Ruled.DEPENDS: "Depends"}
#: A setting is a workload of one size with one value of each of its options.
_FLOOR = ("\N{MULTIPLICATION SIGN} floor: cost relative to hand-written arrays, \N{PLUS-MINUS SIGN} 95 % "
          "(Memory: to the bare components)")
_CODE = "\N{MULTIPLICATION SIGN} code: relative to hand-written code that also rejects stale handles"
_MEANINGS = {" (equal": "equal: any will do; the first has the fewest bytes",
             " open": "open: any of these may be the best; --until-decided measures on"}
_SOURCES = {"B1": "Bitsquid", "B2": "Bitsquid", "CS": "Cerulean Skies", "NG": "Nomad", "WE": "Wicked Engine"}
_BOLD, _BEST, _FAINT = "1", "1;32", "2"


@dataclass(frozen=True)
class _Detail:
    """How much the screen says: less if more does not fit."""

    names: int  # of each sort in an answer
    others: bool  # rows of workloads that are no kind of work
    surprises: int
    claim: int  # lines of it in a surprise, and of the figure that contradicts it
    caution: int  # lines
    cautions: int
    nearest: bool  # the best ratio of a strategy that is never among the best


_HEADINGS = ("Surprises", "Confidence")
_DETAILS = (_Detail(3, True, 3, 2, 2, 9, True), _Detail(3, False, 3, 2, 2, 5, True), _Detail(2, False, 3, 2, 2, 5, True),
            _Detail(2, False, 3, 1, 2, 5, True), _Detail(1, False, 3, 1, 2, 5, True), _Detail(1, False, 3, 1, 1, 4, False),
            _Detail(1, False, 1, 1, 1, 2, False), _Detail(1, False, 0, 1, 1, 2, False))


def screen_text(run: Run, directory: Path, page: Path | None, terminal: Terminal) -> str:
    """`directory` and `page` as their user would type them; without a page the screen says how to get one."""
    screens = ([*_lines(run, detail, terminal), "", *_foot(run, directory, page)] for detail in _DETAILS)
    fitting = next((lines for lines in screens if len(lines) <= LINES), None)
    return terminal.text("\n".join(fitting or _cut(run, directory, page, terminal)) + "\n")


def picks(run: Run) -> list[str]:
    """The answers of the screen alone, for a page that explains its columns."""
    found = verdicts(run)
    return [*wrapped(wording.plain(for_the_game(found))), *_answers(found, _Detail(2, False, 0, 0, 0, 0, False), Terminal())]


def _cut(run: Run, directory: Path, page: Path | None, terminal: Terminal) -> list[str]:
    """Of a run with so many names that they alone do not fit, the end is what matters least, but for the foot."""
    foot = list(_foot(run, directory, page))
    kept = list(_lines(run, _DETAILS[-1], terminal))[:LINES - len(foot) - 1]
    while kept[-1] in ("", *(terminal.coloured(heading, _BOLD) for heading in _HEADINGS)):
        kept.pop()  # with nothing below it
    return [*kept, "", *foot]


def _lines(run: Run, detail: _Detail, terminal: Terminal) -> Iterator[str]:
    yield from _head(run, terminal)
    fewest = min(2, sum(not is_hand_written(name) for name in run.strategies)) or 2
    kinds, others = verdicts(run, fewest), other_verdicts(run, fewest)
    rows = [*kinds, *(others if detail.others or not kinds else [])]
    yield ""
    yield from wrapped(wording.plain(for_the_game(kinds)))
    yield from _table(rows, detail, terminal)
    if len(rows) < len(kinds) + len(others):
        yield from wrapped(f"Only in the report ({wording.plural(len(others), 'workload')}): "
                           f"{', '.join(each.kind.name for each in others)}.")
    yield from _of_user(run, [*kinds, *others])
    yield from _unlisted(run, [*kinds, *others], "\n".join(_table(rows, detail, Terminal())), detail)
    yield ""
    if detail.surprises:
        yield terminal.coloured(_HEADINGS[0], _BOLD)
        for told in _surprises(run, kinds)[:detail.surprises]:
            for place, text in enumerate(told):
                yield from _at_most(detail.claim, wrapped(text, "  ", ("- ", "  ")[place > 0]))
        yield ""
    yield terminal.coloured(_HEADINGS[1], _BOLD)
    yield from wrapped(" ".join(measured(run)), "  ", "- ")
    found = cautions(run)
    for text in found[:detail.cautions]:
        lines = _at_most(detail.caution, wrapped(wording.plain(text), "  ", "! "))
        yield from (terminal.coloured(line, _FAINT) for line in lines)
    if len(found) > detail.cautions:
        yield f"! {len(found) - detail.cautions} more in the report"


def _head(run: Run, terminal: Terminal) -> Iterator[str]:
    strategies = [name for name in run.strategies if not is_hand_written(name)]
    yield terminal.coloured("Summary: which storage for which work", _BOLD)
    yield from wrapped(f"Preset {run.record.get('preset') or 'not recorded'}: "
                       f"{wording.plural(len(strategies), 'strategy', 'strategies')}, "
                       f"{wording.plural(len(run.workloads), 'workload')}, {wording.ends(list(map(wording.entities, run.sizes)))} entities. "
                       f"{machine_summary(run)}, {str(run.host.get('date', ''))[:10] or 'date unknown'}.")


def _table(rows: Sequence[Verdict], detail: _Detail, terminal: Terminal) -> Iterator[str]:
    if not rows:
        yield from wrapped("No workload was timed for two strategies, so there is nothing to choose between.")
        return
    lines = list(_answers(rows, detail, terminal))
    yield from lines
    meanings = "; ".join(meaning for word, meaning in _MEANINGS.items() if any(word in line for line in lines))
    legend = [_FLOOR, *[_CODE] * any(each.pick.to_contract for each in rows), *wrapped(meanings, "  ")]
    yield from (terminal.coloured(line, _FAINT) for line in legend)


def _answers(rows: Sequence[Verdict], detail: _Detail, terminal: Terminal) -> Iterator[str]:
    """The table without its legend."""
    rows = by_size(rows)
    columns = [["Work", *(fitted(each.kind.name, _WORK) for each in rows)],
               [f"{_TIMES} floor", *map(_to_floor, rows)], *_codes(rows),
               ["B/entity", *(f"{wording.number(size) if size is not None else wording.ABSENT:>8}"
                              for size in (each.pick.bytes_per_entity for each in rows))]]
    heading, *figures = ("  ".join(cells) + "  " for cells in zip(*(column(each, str.ljust) for each in columns)))
    room = WIDTH - len(heading)
    yield terminal.coloured(f"{heading}Take", _BOLD)
    answers = [_answer(each, detail, room) for each in rows]
    for row, (first, *others) in zip(figures, answers):
        pick, space, rest = first.partition(" ")
        if pick == "any":
            yield f"{row}{first}"
        else:
            yield f"{row}{terminal.coloured(pick, _BEST)}{space}{rest}"
        yield from (" " * len(heading) + line for line in others)


def _answer(verdict: Verdict, detail: _Detail, columns: int) -> list[str]:
    """Lines, the first of which begins with the pick."""
    told = verdict.answer(detail.names, lambda name: fitted(name, columns - 1))
    following = verdict.second_family
    if detail.nearest and following and not verdict.open:
        told += f"; next {fitted(following.strategy, columns)} {wording.times(following.to_best.median)}"
    return textwrap.wrap(told, columns, break_long_words=False, break_on_hyphens=False)


def _to_floor(verdict: Verdict) -> str:
    """`1.03\N{MULTIPLICATION SIGN} \N{PLUS-MINUS SIGN}2%`; counts are exact."""
    ratio = verdict.pick.to_floor
    if ratio is None:
        return f"{wording.ABSENT:>5}  "
    return f"{_times(ratio)} \N{PLUS-MINUS SIGN}{math.ceil(100 * ratio.reach)}%" if ratio.reach else _times(ratio)


def _codes(rows: Sequence[Verdict]) -> list[list[str]]:
    """The column of distances to the contract floor; none if the run has none."""
    found = [each.pick.to_contract for each in rows]
    texts = [_times(ratio) if ratio else f"{wording.ABSENT:>5}" for ratio in found]
    return [[f"{_TIMES} code", *texts]] if any(found) else []


def _times(ratio: Estimate) -> str:
    return f"{ratio.median:>4.{2 if ratio.median < 99.5 else 0}f}{_TIMES}"


def _is_of_user(run: Run, strategy: str) -> bool:
    return strategy in run.strategy_cards and run.strategy_cards[strategy].source == "yours"


def _of_user(run: Run, found: Sequence[Verdict]) -> Iterator[str]:
    """Of each storage of `--storage` its cost relative to the best, in every kind of work that it takes part in."""
    for name in filter(lambda name: _is_of_user(run, name), run.strategies):
        places = [(verdict, each) for verdict in by_size(found) for each in verdict.contenders
                  if each.strategy == name]
        told = [f"{verdict.kind.name} " + ("the pick" if each is verdict.pick else
                                           f"{wording.times(each.to_best.median)} {each.standing.value}")
                for verdict, each in places]
        yield from wrapped(f"Yours, relative to the best: {name}: {', '.join(told) or 'not comparable'}.", "  ")


def _unlisted(run: Run, found: Sequence[Verdict], table: str, detail: _Detail) -> Iterator[str]:
    """The strategies that the user named and the table does not."""
    shown = set(re.split(r"[\s,:;]+", table))
    names = [name for name in dict.fromkeys(dict(_typed(run)).get("--strategies", "").split(","))
             if name not in ("", REFERENCE, *shown) and not _is_of_user(run, name)]
    leading = {each.strategy: verdict.kind.name for verdict in found for each in (verdict.pick, *verdict.others)}
    nearest: dict[str, tuple[float, str]] = {}
    for verdict in found:
        for each in verdict.contenders:
            here = (each.to_best.median, verdict.kind.name)
            nearest[each.strategy] = min(here, nearest.get(each.strategy, here))

    def told(name: str) -> str:
        if name in leading:
            return f"{name} (equal or open: {leading[name]})"
        if name in nearest:
            at_best = f" (at best {wording.times(nearest[name][0])}, {nearest[name][1]})"
            return name + (at_best if detail.nearest else "")
        return f"{name} ({'hand-written' if is_hand_written(name) else 'not comparable'})"

    if names:
        yield from wrapped(f"Not in the table: {', '.join(map(told, names))}.")


def _surprises(run: Run, found: Sequence[Verdict]) -> list[list[str]]:
    """Claims that the figures contradict; if there are few, what the picks for some work cost in other work."""
    told = [[f"{_SOURCES.get(each.claim.source, each.claim.source)} ({each.claim.id}): {each.claim.statement}",
             f"{_RULED[each.ruling.verdict]}: {each.ruling.figure}"] for each in most_surprising(evaluate([run]))]
    picks = {verdict.pick.strategy for verdict in found}
    costs = [(each.to_best.median, each.strategy, verdict) for verdict in found for each in verdict.worse]
    worst = {name: (ratio, verdict) for ratio, name, verdict in sorted(costs, key=lambda cost: cost[:2])}
    for name in sorted(worst, key=lambda name: (name in picks, worst[name][0]), reverse=True):
        ratio, verdict = worst[name]
        best = next(each.strategy for each in verdict.contenders if each.standing is Standing.BEST)
        told.append([f"{verdict.kind.name}: {name} costs {wording.times(ratio)} as much as {best}"])
    return [[wording.plain(line) for line in lines] for lines in told or [["None: too little was measured."]]]


def _at_most(most: int, lines: list[str]) -> list[str]:
    if len(lines) <= most:
        return lines
    *kept, last = lines[:most]
    end = len(last) if len(last) <= WIDTH - 2 else last.rfind(" ", 0, WIDTH - 1)
    return [*kept, f"{last[:end]} \N{HORIZONTAL ELLIPSIS}"]


def _foot(run: Run, directory: Path, page: Path | None) -> Iterator[str]:
    program = _program()
    yield (f"Report  {_short(page)}" if page else
           f"Report  none yet: {commands.line(program, 'report', Path(_short(directory)))}")
    yield f"Tables  {commands.line(program, 'report', Path(_short(directory)), '--format', 'tables')}"
    for place, (words, purpose) in enumerate(_next_commands(run, directory)):
        first, *options = (commands.line(*part) for part in commands.options([program, *words]))
        line = f"{'' if place else 'Next':<8}{first}"
        for option in options:
            if len(line) + len(f" {option} \\") > WIDTH:
                yield f"{line} \\"
                line = " " * 11
            line += f" {option}"
        yield f"{line}  # {purpose}" if len(line) + len(purpose) + 4 <= WIDTH else line


def _next_commands(run: Run, directory: Path) -> Iterator[tuple[list[str], str]]:
    """The words behind the program, and what they are for."""
    place = Path(_short(directory))
    if run.record.get("interrupted"):
        yield ["run", "--resume", place, *commands.named_again(run.record)], "continue the run"
    elif _may_be_decided(run):
        again = commands.named_again(run.record)
        yield ["run", "--resume", place, *again, "--until-decided"], "goes on with what is open, for 10 minutes"
    elif run.record.get("preset") == "quick":
        yield ["run", "--preset", "standard", *_selection(run)], "takes longer: more sizes and variants, and decides more"
    else:
        yield ["claims", place], "published claims, and whether they hold in this run"
    yield ["recommend", "--init"], "describe your game, then rank strategies for it"


def _may_be_decided(run: Run) -> bool:
    """Something is open in time, and --until-decided can go on with it: not with what was merged from several hosts."""
    is_of_one_host = ", " not in str(run.host.get("host_name"))
    found = by_size([*verdicts(run), *other_verdicts(run)])
    return bool(run.record.get("process_scatter")) and is_of_one_host and any(
        verdict.open and verdict.kind.metric is TIME for verdict in found)


def _typed(run: Run) -> list[tuple[str, str]]:
    """The options of the run that say what was measured, with their values."""
    return commands.typed(run.record, ("--world", "--strategies", "--workloads", "--storage"))


def _selection(run: Run) -> list[str]:
    """As it was typed, unless an option is too long for a line."""
    typed = _typed(run)
    longest = max((len(commands.line(*option)) for option in typed), default=0)
    return [word for option in typed for word in option] if longest < WIDTH - 16 else []


def _program() -> str:
    """How this user starts stowage: from the path, or by the script of a source tree."""
    script = Path(__file__).resolve().parents[3] / "scripts" / "stowage"
    if shutil.which("stowage") or not script.is_file():
        return "stowage"
    path = _short(script)
    return path if path.startswith(("/", "..")) else f"./{path}"


def _short(path: Path) -> str:
    """From the current directory if that is shorter."""
    return min(os.path.relpath(path), str(path), key=len)
