"""The answer of `stowage recommend` as a person reads it in a terminal: the reasons, the ranking, and what to know before
taking the winner."""

from __future__ import annotations

import textwrap
from operator import itemgetter
from typing import Any, Iterator, Mapping, Sequence

from stowage_report.data import grouped, wording
from stowage_report.data.estimates import Estimate, Standing, standing_of
from stowage_report.pages.tables import column, side_by_side

Answer = Mapping[str, Any]

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
_GAP = "  "
_NARROWEST = 20  # the last column of a table


def answer_text(answer: Answer, width: int) -> str:
    """In lines of `width` columns; a reason to leave something out is one line, however long."""
    return "\n".join(_lines(answer, width)) + "\n"


def _lines(answer: Answer, width: int) -> Iterator[str]:
    yield from (f"{answer['profile']}: {answer['entities']} entities", "")
    for reason in answer["reasons"]:
        yield from textwrap.wrap(reason, width, initial_indent="-  ", subsequent_indent="   ", break_on_hyphens=False)
    yield from ("", *_ranking(answer, width), *_legend(answer))
    for part in (_worth(answer, width), _placements(answer, width), _misses(answer, width), _sensitivity(answer, width),
                 _semantics(answer, width), _rest(answer), _effort(answer)):
        yield from ("", *part) if part else ()


def _number(value: float | None) -> str:
    """Three digits, without an exponent."""
    return "-" if value is None else f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def _ratio(ratio: float, interval: Sequence[float] | None) -> str:
    """An end of the interval that is near 1 says on which side of 1 it lies."""
    ends = [wording.beside_one(end) if f"{end:.2f}" == "1.00" else f"{end:.2f}" for end in interval or ()]
    return f"{ratio:.2f}" + (f" ({' to '.join(ends)})" if ends else "")


def _table(*rows: Sequence[str], width: int) -> list[str]:
    """Columns below their headings, the last one wrapped at words."""
    *others, last = zip(*rows)
    room = max(_NARROWEST, width - sum(max(map(len, each)) + len(_GAP) for each in others))
    cells = [textwrap.wrap(text, room, break_on_hyphens=False) or [""] for text in last]
    begun = [_GAP.join(line) for line in zip(*(column(each, str.ljust) for each in others))]
    return [f"{begin if first else ' ' * len(begin)}{_GAP}{line}".rstrip()
            for begin, lines in zip(begun, cells) for first, line in zip([True] + [False] * len(lines), lines)]


def _right(labels: Sequence[str], columns: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    return side_by_side(column(labels, str.ljust), [column(each) for each in columns], _GAP, width)


# ---- the ranking


def standing(answer: Answer, entry: Answer) -> str:
    if entry["strategy"] == answer["winner"]:
        return "winner"
    if entry.get("standing") == "best":
        return "fastest"
    return entry.get("standing", "open") if entry["tied"] else f"{entry['ratio_to_winner']:.2f}"


def _ranking(answer: Answer, width: int) -> Iterator[str]:
    """In the unit of the winner. The most important columns come first, because a narrow page has the others below."""
    ranking = answer["ranking"]
    size, unit = next((each for each in _UNITS if ranking[0]["frame_ns"] >= 0.9995 * each[0]), _UNITS[-1])

    def figures(heading: str, key: str, step: float, budget: str = "") -> list[str]:
        """With a mark at what breaks that budget."""
        return [heading, *(_number(None if entry[key] is None else entry[key] / step)
                           + " !"[budget in entry["broken_budgets"]] for entry in ranking)]

    intervals = [" to ".join(_number(end / size) for end in entry["interval"] or ()) or "-" for entry in ranking]
    return _right(["strategy", *(entry["strategy"] for entry in ranking)],
                  [["", *(standing(answer, entry) for entry in ranking)],
                   figures(f"frame, {unit} ", "frame_ns", size, "frame_ms"), ["95 %", *intervals],
                   figures("p99 ", "frame_p99_ns", size), figures("worst ", "frame_max_ns", size, "worst_frame_ms"),
                   figures("B/entity ", "bytes_per_entity", 1, "memory")], width)


def which_worst(answer: Answer) -> str:
    """Of the worst frames of the processes, as the lower median of the harness has it."""
    return "the smaller" if answer["processes"] == 2 else "the median"


def _legend(answer: Answer) -> Iterator[str]:
    if answer["frames_per_process"]:
        yield (f"p99, worst: of {answer['frames_per_process']} frames in each process; of {answer['processes']} processes "
               f"{which_worst(answer)} of their worst")
    if left := sum(entry.get("processes", answer["processes"]) < answer["processes"] for entry in answer["ranking"]):
        yield f"too slow, so measured in the first process only: {left} strategies"
    budget = answer.get("budget", {})
    bytes_each = budget["memory_bytes"] / answer["entities"] if "memory_bytes" in budget else None
    limits = [text for key, text in (("frame_ms", f"frame {budget.get('frame_ms', 0):g} ms"),
                                     ("worst_frame_ms", f"worst {budget.get('worst_frame_ms', 0):g} ms"),
                                     ("memory_bytes", f"{_number(bytes_each)} B/entity")) if key in budget]
    if limits:
        yield f"!: over the budget of {', '.join(limits)}"


# ---- what else there is to say


def judged_ratio(ratio: float, interval: Sequence[float] | None) -> str:
    """Of the times of two frames; says so if no difference is certain."""
    its = standing_of(Estimate(ratio, *interval or ()))
    says_itself = its is Standing.WORSE or (its is Standing.OPEN and interval and interval[1] < 1)
    return f"{'' if says_itself else f'{its.value}, '}{_ratio(ratio, interval)}"


def _elsewhere(component: Answer) -> str:
    """What a frame takes with the component in another place."""
    if "elsewhere" not in component:
        return "not tried"
    place, ratio, interval = (component["elsewhere"][key] for key in ("place", "ratio", "interval"))
    return f"{place}: {judged_ratio(ratio, interval)}"


def share_of_storage(share: float) -> str:
    """Of a recorded time; the game's own loop may do less than the measured one, which reads all bytes."""
    return "all" if share >= 1 else f"{100 * share:.{share < .0995:d}f} %"


def in_other_game(winner: str, variation: Answer) -> str:
    """What the answer's winner takes there, beside the fastest."""
    if variation["winner"] == winner:
        return "stays"
    return (f"{variation['former_winner_ratio']:.2f} times as long"
            f"{'' if variation['changes_the_winner'] else ', equal or open'}")


def untimed(worth: Answer) -> str:
    """How many systems have no recorded time; empty if all do."""
    number = worth.get("untimed_systems", 0)
    return f"{number} system{'s' * (number != 1)} without a recorded time" if number else ""


def _worth(answer: Answer, width: int) -> list[str]:
    worth = answer.get("worth", {})
    if "storage_share" not in worth or not worth.get("systems"):
        return []
    rows = [(each["system"], wording.time(1e6 * each["recorded_ms"]), share_of_storage(each["storage_share"]))
            for each in worth["systems"]]
    return [f"Of the recorded time, the work of {worth['storage']}:",
            *_table(("system", "recorded", "of it storage"), *rows, width=width), *filter(None, [untimed(worth)])]


def _placements(answer: Answer, width: int) -> list[str]:
    placements = answer.get("placements")
    if not placements:
        return []
    trials = placements["trials"]
    text = f"Component by component, on {placements['strategy']}: {trials} design{'s' * (trials != 1)} tried"
    if "tried" not in placements:
        text += ", none certainly faster"
    else:
        interval = placements["ratio_interval"]
        ratio = _ratio(placements["ratio_to_winner"], interval)
        if placements["confirmed"]:
            text += f"; {placements['difference']}: {ratio} times as long as {answer['winner']}"
        elif interval and interval[1] < 1:
            text += f"; {placements['tried']} seemed faster, but breaks a budget"
        else:
            text += f"; {placements['tried']} seemed faster, but was {ratio} times as long measured again"
    if other := placements.get("other_kind"):
        text += f"; {other['design']}: {_ratio(other['ratio'], other['interval'])} times as long"
    rows = [(each["name"], each["place"], _elsewhere(each), each["why"]) for each in placements["components"]]
    return [*textwrap.wrap(text, width, break_on_hyphens=False),
            *_table(("component", "place", "elsewhere, times as long", "because"), *rows, width=width)]


def _misses(answer: Answer, width: int) -> list[str]:
    counts = {"L1d misses": "l1d_misses_per_frame", "LL misses": "ll_misses_per_frame",
              "instructions": "instructions_per_frame"}
    counted = [entry for entry in answer["ranking"] if any(key in entry for key in list(counts.values())[:2])]
    if not counted:
        return []
    columns = [[heading, *(_number(entry.get(key)) for entry in counted)] for heading, key in counts.items()]
    return [*_right(["a frame's", *(entry["strategy"] for entry in counted)], columns, width), "simulated: 48 KiB, 2 MiB"]


def _sensitivity(answer: Answer, width: int) -> list[str]:
    rows = [(each["what"], each["winner"], in_other_game(answer["winner"], each), ", ".join(each["tied"]))
            for each in answer["sensitivity"]]
    return ["Another game:", *_table(("with", "fastest", answer["winner"], "equal or open"), *rows, width=width)] if rows else []


def _semantics(answer: Answer, width: int) -> list[str]:
    rows = [(each["card"], each["reason"]) for each in answer["winner_does_not_promise"]]
    head = f"{answer['winner']} does not promise:"
    return [head, *_table(("promise", "because"), *rows, width=width)] if rows else []


def _rest(answer: Answer) -> list[str]:
    by_reason = grouped(answer["not_ranked"], itemgetter("reason"))
    return [*(f"not ranked: {', '.join(entry['strategy'] for entry in its)}: {reason}" for reason, its in by_reason.items()),
            *(f"left out: {what}" for what in answer["left_out"])]


def _effort(answer: Answer) -> list[str]:
    if answer["measured_s"] <= 0:
        return []
    files = answer.get("compiled_files", 0)
    compiled = f", after compiling {files} file{'s' * (files != 1)} in {answer['compiled_s']:.0f} s" if files else ""
    return [f"measured in {answer['measured_s']:.0f} s{compiled}"]
