"""The modules of the harness include one way only: the order that docs/decisions.md states."""

import os
import re
from pathlib import Path

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
GENERATED = {"build_info", "build_commit"}


def module_of(path):
    """harness/plan/preset.hpp -> plan; harness/text.hpp -> text."""
    return re.match(r"harness/(\w+)", path)[1]


def includes():
    """Every include of the harness by the harness: the file and the header."""
    for file in sorted((SOURCE / "harness").rglob("*.?pp")):
        for header in re.findall(r'^#include "(harness/[^"]+)"', file.read_text(), re.MULTILINE):
            yield str(file.relative_to(SOURCE)), header


def test_no_module_includes_one_that_stands_behind_it():
    listed = re.search(r"^    (errors < .*)$", (SOURCE / "docs/decisions.md").read_text(), re.MULTILINE)[1]
    rank = {module: place for place, module in enumerate(listed.split(" < "))}  # the lowest first
    known = [(file, header) for file, header in includes() if module_of(header) not in GENERATED]
    assert len(known) > 100
    assert [f"{file} includes {header}" for file, header in known
            if rank[module_of(header)] > rank[module_of(file)]] == []
