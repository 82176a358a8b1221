"""Links of pages lead somewhere, and docs/systems.md has what the strategies say of themselves."""

import os
import re
from pathlib import Path

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
#: That the articles propose and engines add; each has a row of docs/systems.md.
SYSTEMS = 44
PAGES = [*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"), SOURCE / "gallery/README.md"]


def anchors(page):
    """The headings of PAGE as GitHub writes them into links."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere():
    dead, known = [], 0
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", page.read_text())):
            if re.match(r"\w+:", link):
                continue
            known += 1
            name, _, anchor = link.partition("#")
            target = page.parent / name if name else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                dead.append(f"{page.relative_to(SOURCE)}: {link}")
    assert known > 150 and dead == []


def test_every_system_of_the_articles_has_a_row_with_its_strategies_headers_and_tests():
    lines = [line.strip("| ").split(" | ") for line in (SOURCE / "docs/systems.md").read_text().splitlines()]
    rows = {row[0]: row[1:] for row in lines if re.fullmatch(r"S\d+", row[0])}
    assert list(rows) == [f"S{number}" for number in range(1, SYSTEMS + 1)]  # none missing, in this order
    for article, system, here, headers, tests in rows.values():
        assert article and system and here and "](../" in headers and tests
    listed = re.findall(r'^add_strategy\(\s*(\S+)\s+(\S+).*?SOURCE "([^"]*)"',
                        (SOURCE / "strategies/CMakeLists.txt").read_text(), re.MULTILINE | re.DOTALL)
    assert len(listed) > 40
    for name, header, source in listed:
        for number, rival in re.findall(r"\b(S\d+)\b('s rival)?", source):
            _, _, here, headers, _ = rows[number]
            strategies, _, rivals = here.partition("rival: ")
            assert f"`{name}`" in (rivals if rival else strategies), f"{name} says that it is {number}"
            assert rival or f"(../strategies/{header})" in headers, f"{number} lacks the header of {name}"
