"""Evaluated claims as JSON, as a table for a terminal, and as Markdown for docs/record/claims.md and the README."""

import json
import shlex
import textwrap
from collections import Counter
from typing import Sequence

from stowage_report import commands
from stowage_report.claims.evaluate import THEN, Evaluation, undecided
from stowage_report.claims.evidence import LEAST_TELLING
from stowage_report.claims.ruling import Verdict, interval_text
from stowage_report.claims.shapes import SAME
from stowage_report.console import WIDTH
from stowage_report.data import wording
from stowage_report.data.environment import machine_summary
from stowage_report.data.model import Run

_ID, _VERDICT = 5, 11
_COLOURS = {Verdict.HOLDS: "32", Verdict.REFUTED: "31", Verdict.DEPENDS: "33", Verdict.UNDECIDED: "2"}
#: In a summary, with one and with several.
_SAID = {Verdict.HOLDS: ("holds", "hold"), Verdict.REFUTED: ("is refuted", "are refuted"),
         Verdict.DEPENDS: ("depends", "depend"), Verdict.UNDECIDED: ("is undecided", "are undecided")}


def as_json(evaluations: Sequence[Evaluation]) -> str:
    return json.dumps([{
        "id": evaluation.claim.id,
        "verdict": evaluation.ruling.verdict.value,
        "figure": evaluation.ruling.told,
        "interval": list(evaluation.ruling.interval) if evaluation.ruling.interval else None,
        "command": evaluation.command,
    } for evaluation in evaluations], indent=2) + "\n"


def as_table(evaluations: Sequence[Evaluation], deciding: str = "", *, coloured: bool = False) -> str:
    """Each claim with its figure, its interval and the command that repeats them; how many of each verdict. With a
    `deciding` command those that are undecided share one line and that command."""
    gathered = undecided(evaluations) if deciding else []
    lines = [line for evaluation in evaluations if evaluation not in gathered
             for line in (*_lines(evaluation, coloured), "")]
    lines.append(summary(evaluations))
    if gathered:
        names = _ranges([each.claim.id for each in gathered])
        lines += ["", f"Undecided: {names}. To measure what they need:",
                  *_command_lines(deciding, "")]
    return "\n".join(lines) + "\n"


def _ranges(ids: Sequence[str]) -> str:
    """`C1, C4-C8`"""
    numbers = [int(name[1:]) for name in ids]
    starts = [number for number in numbers if number - 1 not in numbers]
    ends = [number for number in numbers if number + 1 not in numbers]
    return ", ".join(f"C{first}" if first == last else f"C{first}-C{last}" for first, last in zip(starts, ends))


def summary(evaluations: Sequence[Evaluation]) -> str:
    """`20 hold, 1 is refuted and 7 are undecided.`"""
    counts = Counter(evaluation.ruling.verdict for evaluation in evaluations)
    told = [f"{counts[verdict]} {_SAID[verdict][counts[verdict] > 1]}" for verdict in Verdict if counts[verdict]]
    return f"{wording.listing(told)}."


def _lines(evaluation: Evaluation, coloured: bool) -> list[str]:
    claim, ruling = evaluation.claim, evaluation.ruling
    verdict = f"{ruling.verdict.value:<{_VERDICT}}"
    if coloured:
        verdict = f"\x1b[{_COLOURS[ruling.verdict]}m{verdict}\x1b[0m"
    first, *rest = _wrapped(f"{claim.statement} ({claim.source})")
    interval = interval_text(ruling.interval)
    figure = f"{ruling.told} [{interval}]" if interval and not ruling.tells_interval else ruling.told
    indent = " " * (_ID + _VERDICT)
    return [f"{claim.id:<{_ID}}{verdict}{first}", *(indent + line for line in (*rest, *_wrapped(figure))),
            *_command_lines(evaluation.command)]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - _ID - _VERDICT, break_long_words=False, break_on_hyphens=False)


def _command_lines(command: str, indent: str = " " * (_ID + _VERDICT)) -> list[str]:
    """To be copied as they stand: an option stays with its value, and every line but the last ends with a backslash."""
    return [line for each in command.split(THEN) for line in _lines_of_one(each, indent)]


def _lines_of_one(command: str, indent: str) -> list[str]:
    room = WIDTH - len(indent) - len("    ") - len(" \\")
    lines: list[str] = []
    for words in commands.options(shlex.split(command)):
        part = commands.line(*words)
        if lines and len(lines[-1]) + len(part) < room:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    indented = [indent + ("    " if index else "$ ") + line for index, line in enumerate(lines)]
    return " \\\n".join(_broken(line) for line in indented).split("\n")


def _broken(line: str) -> str:
    """A list that is too long goes on at the beginning of the next line, where a shell joins it without a space."""
    if len(line) <= WIDTH - len(" \\"):
        return line
    end = WIDTH - len("'\\")
    after = max(line.rfind(",", 0, end), line.rfind("|^", 0, end)) + 1
    if after == 0:
        return line
    quote = "'" * (line[:after].count("'") % 2)  # what stands between quotes is joined outside of them
    return f"{line[:after]}{quote}\\\n{_broken(quote + line[after:])}"


FEW = 5

_HEADING = """# The claims, as measured here

Made by `scripts/checks/pages` from {runs}. B1 and B2 are Bitsquid's articles on entities and on components,
CS is Cerulean Skies, NG Nomad, WE Wicked Engine. {machine}

Each entry quotes the article, states the test, and says why the article's author could accept it. The test uses the
published structure, the article's words and its conditions. Time decides claims about speed. Exact counts of simulated
caches decide claims about caches. The figure that does not decide is printed, too. Misses decide from {telling:,}
entities on, because the simulated first level does not hold so many. Exact counts that differ by {same:g} % or less count as equal,
because no article claims so small a difference. Times decide at every size. Tests along another axis (a share, a depth)
use the largest size, and so do counts unless the test says "at every size".

A claim *holds* or is *refuted* only if every place of its range has that verdict. If places certainly differ, it
*depends*, and the figure says where it changes. If a place is open, it is *undecided*, and the figure says what would
decide it. A claim about *somewhere* needs one place. If a claim says several things, each has its own verdict, and if
these differ, it *depends*. The interval covers every place of the part that tells most; other parts have theirs in
brackets.
[method.md](../method.md#verdicts-on-claims) has the rule for times. `stowage claims` applies these tests to your own run,
from its stored results alone. The entries are in `reports/stowage_report/claims/claims.toml`. {summary}
"""

_TABLE = """
| | from | claim | verdict | figure | interval |
| --- | --- | --- | --- | --- | --- |
"""

_TESTS = """
## How each claim is tested
"""


def claims_page(evaluations: Sequence[Evaluation], runs: Sequence[Run]) -> str:
    heading = _HEADING.format(runs=_runs(runs), machine=_machine(runs), summary=summary(evaluations),
                              telling=LEAST_TELLING, same=100 * SAME)
    rows = "".join(_row(evaluation) for evaluation in evaluations)
    return heading + _TABLE + rows + _TESTS + "".join(map(_test, evaluations))


def most_surprising(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """What contradicts its claim: refuted before bounded, and in each of the two what lies furthest on the other side for
    certain. Of exact counts that only fulfil a condition or do not, nothing says how far."""
    ruled = [each for each in evaluations if each.ruling.verdict in (Verdict.REFUTED, Verdict.DEPENDS)]
    return sorted(ruled, key=lambda each: (each.ruling.verdict is Verdict.DEPENDS, -each.ruling.against))[:FEW]


def surprises(evaluations: Sequence[Evaluation], runs: Sequence[Run]) -> str:
    """The README's section."""
    lines = [f"- **{_sentence(each.claim.statement)}** ({each.claim.source}, {each.claim.id}) "
             f"*{each.ruling.verdict.value.capitalize()}*: {each.ruling.sentence}." for each in most_surprising(evaluations)]
    return "\n".join([f"{summary(evaluations)} {_machine(runs)} The most surprising:", "", *lines])


def _sentence(statement: str) -> str:
    return f"{statement[0].upper()}{statement[1:]}."


def _machine(runs: Sequence[Run]) -> str:
    dates = sorted({str(run.host.get("date", ""))[:10] for run in runs} - {""})
    known = next((run for run in runs if run.record.get("cpu_model")), runs[0])
    return f"Measured on {machine_summary(known)}{''.join(f', {date}' for date in dates)}."


def _runs(runs: Sequence[Run]) -> str:
    """If several decide, the first that has a figure gives it."""
    presets = list(dict.fromkeys(str(run.record.get("preset", "")) for run in runs))
    named = " and ".join(f"`{preset}`" for preset in presets)
    return f"{len(runs)} runs of parts of {named}" if len(runs) > 1 else f"a run of {named}"


def _row(evaluation: Evaluation) -> str:
    claim, ruling = evaluation.claim, evaluation.ruling
    cells = (f"[{claim.id}](#{claim.id.lower()})", claim.source, claim.statement, f"**{ruling.verdict.value}**",
             ruling.figure, interval_text(ruling.interval))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _test(evaluation: Evaluation) -> str:
    claim = evaluation.claim
    beside = "; ".join(evaluation.ruling.others)
    return (f"\n### {claim.id}\n\n{_sentence(claim.statement)} **{evaluation.ruling.verdict.value}**. As published: "
            f"\"{claim.quote}\" ({claim.source}, {claim.heading})\n\n"
            f"- Test: {claim.test} Refuted by: {claim.refuted_by}.\n- Claimed for: {claim.speaks_of}.\n- Why: {claim.why}\n"
            + f"- Other figures: {beside}.\n" * bool(beside) + f"- Measured by: `{evaluation.command}`\n")
