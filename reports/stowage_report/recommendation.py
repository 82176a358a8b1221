"""`python3 -m stowage_report.recommendation ANSWER.json [PROFILE.toml COMMAND]`: prints the answer of `stowage recommend`,
or writes one self-contained page beside it, and prints the page's path."""

import shutil
import sys
from pathlib import Path
from typing import Any, Sequence

from stowage_report.charts.style import HUES, NEUTRALS, PAGE_FONTS, Colour, Looks
from stowage_report.console import MissingError, UserError, exit_code_of, refused, replace_file, write
from stowage_report.data import wording
from stowage_report.data.document import check, read_json
from stowage_report.pages.answer import (
    answer_text, in_other_game, judged_ratio, share_of_storage, standing, untimed, which_worst,
)

PAGE = "recommendation.html"

#: The parts of a frame in the order of the frame, with what the page calls them.
PARTS = {
    "frame_systems_ns": "systems",
    "frame_lookups_ns": "lookups",
    "frame_changes_ns": "changes",
    "frame_hierarchy_ns": "hierarchy",
    "frame_turnover_ns": "churn",
    "frame_saves_ns": "saves",
}


def figure(ns: float | None, interval: list[float] | None = None) -> str:
    """What was not measured is a dash."""
    if ns is None:
        return wording.ABSENT
    return wording.time(ns) + (f" ({wording.time(interval[0])} to {wording.time(interval[1])})" if interval else "")


def bars(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Lengths are percent of the longest bar of the page."""
    ranking = answer["ranking"]
    looks = Looks(entry["strategy"] for entry in ranking)
    longest = max(max(entry["frame_ns"], *(entry["interval"] or (0,))) for entry in ranking)

    def bar(entry: dict[str, Any]) -> dict[str, Any]:
        name, ns = entry["strategy"], entry["frame_ns"]
        low, high = entry["interval"] or (ns, ns)
        told = standing(answer, entry)
        return {"strategy": name, "standing": told + " ×" * told[-1].isdigit(), "colour": looks[name].colour,
                "length": 100 * ns / longest, "low": 100 * low / longest, "high": 100 * high / longest, "text": wording.time(ns),
                "interval": f"{wording.time(low)} to {wording.time(high)}"}

    return list(map(bar, ranking))


def stacks(answer: dict[str, Any], most: int = 8) -> list[tuple[str, list[tuple[str, float, str]]]]:
    """Of the first of the ranking: what their frames consist of, each part with its length in percent and its time."""
    first = [entry for entry in answer["ranking"][:most] if entry["parts"]]
    longest = max((sum(entry["parts"].values()) for entry in first), default=1) or 1
    return [(entry["strategy"], [(PARTS[part], 100 * entry["parts"][part] / longest, wording.time(entry["parts"][part]))
                                 for part in PARTS if entry["parts"].get(part, 0) > 0])
            for entry in first]


def part_colours(answer: dict[str, Any]) -> dict[str, Colour]:
    """Of the parts that the game has."""
    there = {part for entry in answer["ranking"] for part, ns in entry["parts"].items() if ns > 0}
    return {name: HUES[number] for number, (part, name) in enumerate(PARTS.items()) if part in there}


def page_html(answer: dict[str, Any], profile: str, command: str) -> str:
    from markupsafe import Markup

    from stowage_report.pages.markup import environment

    pages = environment()
    pages.globals.update(wording=wording, figure=figure, ratio=judged_ratio, share_of_storage=share_of_storage,
                         untimed=untimed, in_other_game=in_other_game, which_worst=which_worst)
    return pages.get_template("recommendation.html.j2").render(
        answer=answer, bars=bars(answer), stacks=stacks(answer), part_colours=part_colours(answer), profile=profile,
        command=command, neutrals=NEUTRALS, fonts=Markup(PAGE_FONTS))


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)

    def work() -> None:
        if len(words) == 1:
            columns = max(80, min(shutil.get_terminal_size((100, 24)).columns, 100))
            return write(answer_text(_read(Path(words[0])), columns), sys.stdout)
        if len(words) != 3:
            raise UserError("give the answer, and for a page the profile and the command: ANSWER.json [PROFILE.toml COMMAND]")
        write(f"{write_page(Path(words[0]), Path(words[1]), words[2])}\n", sys.stderr)

    return exit_code_of(work)


def _read(answer: Path) -> dict[str, Any]:
    remedy = "give what `stowage recommend --format json` printed, or repeat it"
    document = read_json(answer, remedy)
    check(document, "answer", answer, remedy)
    return document


def write_page(answer: Path, profile: Path, command: str) -> Path:
    document = _read(answer)
    try:
        text = page_html(document, profile.read_text(encoding="utf-8"), command)
        page = answer.with_name(PAGE)
        replace_file(page, text)
    except ModuleNotFoundError as error:
        raise MissingError(f"{sys.executable} has no module '{error.name}', which the page needs; install "
                           "python3-jinja2, or take an interpreter that has it") from error
    except OSError as error:
        raise refused(f"cannot make a page of {answer}", error, "repeat `stowage recommend`") from error
    except UnicodeDecodeError as error:
        raise UserError(f"cannot make a page of {answer}: {error}; repeat `stowage recommend`") from error
    return page


if __name__ == "__main__":
    sys.exit(main())
