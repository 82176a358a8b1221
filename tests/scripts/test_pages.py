"""The tables of the pages are those that follow from docs/record/, byte for byte."""

import subprocess

from conftest import SOURCE

MOST_BYTES = 20 << 20


def test_every_table_that_has_a_record_follows_from_it():
    said = subprocess.run([SOURCE / "scripts/checks/pages"], text=True, capture_output=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert said.stdout.count("has no record") == said.stdout.count("./scripts/checks/pages --keep")


def test_records_are_packed_and_small():
    files = [file for file in (SOURCE / "docs/record").rglob("*") if file.is_file() and file.name != "README.md"]
    assert all(file.name.endswith(".json.xz") for file in files)
    assert sum(file.stat().st_size for file in files) <= MOST_BYTES
