"""The part of a page that a script writes, between two comments."""

from __future__ import annotations

from pathlib import Path

from stowage_report.console import UserError


def replace_section(page: Path, begin: str, end: str, text: str) -> None:
    """TEXT becomes what stands between BEGIN and END in PAGE; UserError if they are not there."""
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise UserError(f"{page} has no section between '{begin}' and '{end}'")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
