"""Writes the site: one page on what wins where, and the report of each run. No page needs a network or a script."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from markupsafe import Markup

from stowage_report import commands
from stowage_report.charts.style import Looks
from stowage_report.claims.ruling import Verdict as Ruled
from stowage_report.data import wording
from stowage_report.data.environment import cautions, machine_summary
from stowage_report.data.model import Run
from stowage_report.gallery.agreement import Agreement, claims_of, labels_of, rows_of
from stowage_report.pages.ledger import SIGNS
from stowage_report.pages.markup import environment
from stowage_report.pages.report import PAGE, RUNS, replaced_directory, style_of, write_report
from stowage_report.pages.together import differences

INDEX = "index.html"
_MARK = '<meta name="generator" content="stowage gallery">'
#: As signs of claims, which mean the same.
_AGREED = {Agreement.HOLDS: Ruled.HOLDS, Agreement.DEPENDS: Ruled.DEPENDS, Agreement.INCOMPARABLE: Ruled.UNDECIDED,
           Agreement.UNDECIDED: Ruled.UNDECIDED}


@dataclass(frozen=True)
class Entry:
    """A run of the gallery."""

    number: int
    run: Run
    label: str

    @property
    def anchor(self) -> str:
        return f"run-{self.number}"

    @property
    def folder(self) -> str:
        return f"{self.number}-" + re.sub(r"[^\w.-]+", "_", self.run.name)

    @property
    def page(self) -> str:
        return f"{RUNS}/{self.folder}/{PAGE}"

    @property
    def cautions(self) -> list[str]:
        return cautions(self.run)

    @property
    def doctor(self) -> str:
        """`fit`, `unfit`, or empty if the run has no verdict."""
        verdict = str(self.run.record.get("doctor") or "")
        return "fit" if verdict.startswith("fit") else "unfit" if verdict else ""

    @property
    def facts(self) -> dict[str, object]:
        """Those that are known, by what the page calls them."""
        run, record = self.run, self.run.record
        found = {"Machine": machine_summary(run), "Compiler": record.get("compiler"), "Flags": record.get("flags"),
                 "Commit": record.get("commit"), "Date": run.host.get("date"), "Preset": record.get("preset"),
                 "Command": f"`{commands.of_run(record)}`",
                 "Verdict of `doctor` on the machine during the run": record.get("doctor") or "not recorded",
                 "Checked": "not submitted: a directory on this machine"}
        if submission := record.get("submission"):
            again = wording.plural(submission["cells_run_again"], "cell")
            found |= {"Checked": "here, the form of the file alone. The file itself says that `stowage submit` had "
                                 f"{again} run again, with equal checksums",
                      "On its word alone": "the machine, the build, and all times and counts: measure the same commit on "
                                           "such a machine to confirm them",
                      "Replaced in the file": ", ".join(submission["replaced"])}
        return {label: value for label, value in found.items() if value}


def write_site(runs: Sequence[Run], output: Path) -> Path:
    """Returns the path of the first page. An earlier gallery is replaced; other files are not."""
    entries = [Entry(number, run, label) for number, (run, label) in enumerate(zip(runs, labels_of(runs)), start=1)]
    with replaced_directory(output, "gallery", INDEX, _MARK) as unfinished:
        for entry in entries:
            write_report([entry.run], unfinished / RUNS / entry.folder)
        (unfinished / INDEX).write_text(index_html(entries), encoding="utf-8")
    return output / INDEX


def index_html(entries: Sequence[Entry]) -> str:
    runs = [entry.run for entry in entries]
    rows = rows_of(runs)
    looks = Looks(strategy for run in runs for strategy in run.strategies)
    counts = Counter(row.agreement for row in rows)
    lines = differences(runs)
    return environment().get_template("gallery.html.j2").render(
        **style_of(looks), generator=_MARK, RUNS=RUNS, entries=entries, rows=rows, claims=claims_of(runs),
        links=[Markup('<a href="#{}">{}</a>').format(entry.anchor, entry.label) for entry in entries],
        differences=lines, counts={each.value: counts[each] for each in Agreement},
        machines=len(set(map(machine_summary, runs))),
        sign_of={each: SIGNS[_AGREED[each]] if each in _AGREED else "=" for each in Agreement})
