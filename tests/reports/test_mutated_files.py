"""A few of the files that scripts/checks/mutated_files.py makes by the hundred thousand: each is read, or refused by one
line."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/checks"))

from mutated_files import WORK, try_all  # noqa: E402

FEW = {"report": 1, "gallery": 1, "submit": 2}  # which write pages, or pack


@pytest.mark.parametrize("what", WORK)
def test_mutated_files_are_read_or_refused_by_one_line(what, tmp_path):
    count = FEW.get(what, 30)
    _, failed = try_all(what, count, 7, tmp_path / "found")
    assert failed == 0, "".join(each.read_text() for each in sorted(tmp_path.glob("found/*.txt"))[:1])
