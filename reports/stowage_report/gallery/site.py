"""Writes the site: one page on what wins where, and the report of each run. No page needs a network or a script."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

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
_AGREED = {Agreement.HOLDS: Ruled.HOLDS, Agreement.DEPENDS: Ruled.DEPENDS, Agreement.UNDECIDED: Ruled.UNDECIDED}


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
    def machine(self) -> str:
        return machine_summary(self.run)

    @property
    def command(self) -> str:
        return commands.of_run(self.run.record)

    @property
    def doctor(self) -> str:
        return str(self.run.record.get("doctor") or "not recorded")

    @property
    def is_fit(self) -> bool:
        return self.doctor.startswith("fit")

    @property
    def cautions(self) -> list[str]:
        return cautions(self.run)

    @property
    def checked(self) -> str:
        submission = self.run.record.get("submission")
        if not submission:
            return "not submitted: a directory on this machine"
        again = wording.plural(submission["cells_run_again"], "cell")
        return (f"here, the form of the file alone. The file itself says that `stowage submit` had {again} run again, with "
                "equal checksums")

    @property
    def on_its_word(self) -> str:
        """What no reader of a file can check."""
        return "" if not self.run.record.get("submission") else (
            "the machine, the build, and all times and counts: measure the same commit on such a machine to confirm them")

    @property
    def private(self) -> str:
        return ", ".join((self.run.record.get("submission") or {}).get("replaced", []))


def is_gallery(page: Path) -> bool:
    return page.is_file() and _MARK.encode() in page.read_bytes()


def write_site(runs: Sequence[Run], output: Path) -> Path:
    """Returns the path of the first page. An earlier gallery is replaced; other files are not."""
    entries = [Entry(number, run, label) for number, (run, label) in enumerate(zip(runs, labels_of(runs)), start=1)]
    with replaced_directory(output, "gallery", INDEX, is_gallery) as unfinished:
        for entry in entries:
            write_report([entry.run], unfinished / RUNS / entry.folder)
        (unfinished / INDEX).write_text(index_html(entries), encoding="utf-8")
    return output / INDEX


def index_html(entries: Sequence[Entry]) -> str:
    runs = [entry.run for entry in entries]
    rows = rows_of(runs)
    looks = Looks(strategy for run in runs for strategy in run.strategies)
    counts = Counter(row.agreement for row in rows)
    return environment().get_template("gallery.html.j2").render(
        **style_of(looks), generator=_MARK, RUNS=RUNS, entries=entries, rows=rows, claims=claims_of(runs),
        differences=differences(runs), counts={each.value: counts[each] for each in Agreement},
        machines=len({entry.machine for entry in entries}),
        sign_of_claim=SIGNS, sign_of={each: SIGNS[_AGREED[each]] if each in _AGREED else "=" for each in Agreement})
