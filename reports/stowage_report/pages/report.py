"""Writes a report: one self-contained page, a CSV file, and with `plots` every chart and table as a file.

The page holds everything it needs. A report is built in a temporary folder and moved into place when it is complete.
"""

import fcntl
import os
import shutil
import tempfile
from base64 import b64encode
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Iterator, Sequence

from markupsafe import Markup

from stowage_report.charts.style import PAGE_FONTS, Looks
from stowage_report.charts.svg import InlineCharts, theme_colours
from stowage_report.console import UserError, refused
from stowage_report.data import wording
from stowage_report.data.model import Run
from stowage_report.findings.clock import FIGURES
from stowage_report.pages.downloads import TABLES, Download, Downloads, csv_text, table_csv
from stowage_report.pages.drawing import PLOTS, draw_all
from stowage_report.pages.ledger import SIGNS
from stowage_report.pages.markup import environment
from stowage_report.pages.together import differences, picks
from stowage_report.pages.views import Drawn, RunView, finding_command

#: Marks a page as a report of stowage, which a new report may replace.
_BRAND = '<p class="brand">stowage</p>'
#: Each comes after those that it needs.
_SCRIPTS = ("base", "pointing", "charts", "files", "tables", "explorer", "start")


#: Stand in the page for what is known only after all charts are in it. No text of a page has them: it is escaped.
_SLOTS = {"styles": "<!--styles-->", "shapes": "<!--shapes-->"}


def page_html(runs: Sequence[Run], drawn: Sequence[Drawn], together: Drawn, downloads: Downloads, looks: Looks) -> str:
    """Adds to `downloads` what the page links to."""
    views = [RunView(run, its, f"run{number}", downloads) for number, (run, its) in enumerate(zip(runs, drawn), start=1)]
    charts = InlineCharts(theme_colours(looks), looks.names)
    style = style_of(looks)
    script = _script()
    lines = differences(runs)
    picked = picks([view.summary for view in views])
    names = [run.name for run in runs]
    page = environment().get_template("report.html.j2").render(
        **style,
        views=views,
        together=together,
        differences=lines,
        differences_csv=_several(downloads, "environment", names, [[line.label, *line.values] for line in lines]),
        picks=picked,
        picks_csv=_several(downloads, "kind of work", names, [[kind, *its] for kind, its in picked]),
        one_colour=looks.of_one_colour(),
        explaining=FIGURES,
        series_table=[(name, *mark) for name, mark in zip(looks.names, style["marks"])],
        slot=_SLOTS,
        script=Markup(script),
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        figure=lambda chart, rows: charts.svg(chart, rows or {}),
        finding_command=finding_command,
    )
    return page.replace(_SLOTS["styles"], charts.style_sheet, 1).replace(_SLOTS["shapes"], charts.shared, 1)


def style_of(looks: Looks) -> dict[str, object]:
    """What the templates of every page need."""
    colours = theme_colours(looks)
    variables = {colour: variable for variable, colour in colours.items()}
    return {
        "light": _css_variables({name: colour.light for name, colour in colours.items()}),
        "dark": _css_variables({name: colour.dark for name, colour in colours.items()}),
        "fonts": Markup(PAGE_FONTS),
        "number_of": {name: number for number, name in enumerate(looks.names)},
        "marks": [(looks[name].glyph, variables[looks[name].colour]) for name in looks.names],
        "brand": Markup(_BRAND),
        "sign_of_claim": SIGNS,
        "wording": wording,
    }


def _script() -> str:
    """One, of several files: by its hash the page's policy lets it run, and no other."""
    parts = [(files("stowage_report.pages") / "templates" / "scripts" / f"{name}.js").read_text(encoding="utf-8")
             for name in _SCRIPTS]
    return '"use strict";\n(async () => {\n' + "\n".join(parts) + "})();\n"


def _several(downloads: Downloads, what: str, names: list[str], rows: list[list[str]]) -> Download | None:
    """A table with a column for each run; None if there is only one run."""
    if len(names) < 2:
        return None
    return downloads.add(table_csv([what, *names], [map(wording.plain, row) for row in rows]), "runs", what)


def _css_variables(values: dict[str, str]) -> Markup:
    return Markup(" ".join(f"{name}: {value};" for name, value in values.items()))


PAGE = "report.html"
#: Of a gallery: the folder of the reports on its runs.
RUNS = "runs"
DATA = "data.csv"


def write_report(runs: list[Run], output: Path, *, plots: bool = False) -> Path:
    """Returns the path of the page. An earlier report is replaced; other files are not."""
    with replaced_directory(output, "report", PAGE, _BRAND) as unfinished:
        _write_parts(runs, unfinished, plots)
    return output / PAGE


@contextmanager
def replaced_directory(output: Path, what: str, page: str, mark: str) -> Iterator[Path]:
    """A folder to write a report or a site into, which is moved to `output` when it is complete. An earlier one is known
    by the `mark` in its `page`; a directory without it is refused unless it is empty."""
    def is_ours() -> bool:
        return (output / page).is_file() and mark.encode() in (output / page).read_bytes()

    try:
        if output.exists() and not (output.is_dir() and (not any(output.iterdir()) or is_ours())):
            raise UserError(f"{output} is not a {what} of stowage, so it is kept; name with --out a directory that is "
                            f"new, empty, or holds an earlier {what}")
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{what}-", dir=output.parent) as unfinished:
            yield Path(unfinished)
            _move_into_place(Path(unfinished), output, page)
    except OSError as error:
        raise refused(f"cannot write the {what} to {output}", error, "name a directory with --out") from error


def _write_parts(runs: list[Run], directory: Path, plots: bool) -> None:
    looks = Looks(strategy for run in runs for strategy in run.strategies)
    drawn, together = draw_all(runs, directory if plots else None, looks)
    downloads = Downloads()
    (directory / PAGE).write_text(page_html(runs, drawn, together, downloads, looks), encoding="utf-8")
    (directory / DATA).write_text(csv_text(runs), encoding="utf-8")
    if plots:
        downloads.write(directory)


def _move_into_place(finished: Path, output: Path, page: str) -> None:
    """The page first: by it the rest is known as ours, should this be interrupted. Files of the user stay. Of two at once
    one waits, so that all files are of one report."""
    output.mkdir(exist_ok=True)
    with locked(output):
        os.replace(finished / page, output / page)
        for folder in (PLOTS, TABLES, RUNS):
            shutil.rmtree(output / folder, ignore_errors=True)
        for part in finished.iterdir():
            os.replace(part, output / part.name)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """While it lasts no other report is moved there; harness/system/lock.hpp says what that means on a network."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
