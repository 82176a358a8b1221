"""Every link of a page to a file of the repository, or to a heading, leads there."""

import os
import re
from pathlib import Path

SOURCE = Path(os.environ["STOWAGE_SOURCE_DIR"])
PAGES = [*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"), SOURCE / "gallery/README.md"]


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
