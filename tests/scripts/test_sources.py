"""What the sources say of each other: links of pages lead somewhere, docs/systems.md has what the strategies say of themselves,
tables follow from docs/record/, byte for byte, and the modules of the harness include one way only."""

import re
import subprocess

from conftest import SOURCE

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


def test_every_table_that_has_a_record_follows_from_it():
    said = subprocess.run([SOURCE / "scripts/checks/pages"], text=True, capture_output=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "has no record" not in said.stdout


def test_the_version_is_one():
    found = {re.search(pattern, (SOURCE / name).read_text())[1] for name, pattern in (
        ("CMakeLists.txt", r"project\(stowage VERSION (\S+)"), ("vcpkg.json", r'"version": "(.*?)"'),
        ("ports/stowage/vcpkg.json", r'"version": "(.*?)"'), ("CITATION.cff", r"\nversion: (\S+)"))}
    tags = subprocess.run(["git", "-C", SOURCE, "tag", "--points-at", "HEAD", "v*"], text=True, capture_output=True)
    found |= {tag.removeprefix("v") for tag in tags.stdout.split()}
    assert len(found) == 1


def test_records_are_packed_and_small():
    files = [file for file in (SOURCE / "docs/record").glob("*/**/*") if file.is_file()]
    assert files and all(file.name.endswith(".json.xz") for file in files)
    assert sum(file.stat().st_size for file in files) <= 20 << 20


def module_of(path):
    """harness/plan/preset.hpp -> plan; harness/text.hpp -> text."""
    return re.match(r"harness/(\w+)", path)[1]


def includes():
    """Every include of the harness by the harness: the file and the header."""
    for file in sorted((SOURCE / "harness").rglob("*.?pp")):
        for header in re.findall(r'^#include "(harness/[^"]+)"', file.read_text(), re.MULTILINE):
            yield str(file.relative_to(SOURCE)), header


def test_no_module_includes_one_that_stands_behind_it():
    """In the order that docs/decisions.md states."""
    listed = re.search(r"^    (errors < .*)$", (SOURCE / "docs/decisions.md").read_text(), re.MULTILINE)[1]
    rank = {module: place for place, module in enumerate(listed.split(" < "))}  # the lowest first
    known = [(file, header) for file, header in includes() if module_of(header) not in ("build_info", "build_commit")]
    assert len(known) > 100
    assert [f"{file} includes {header}" for file, header in known
            if rank[module_of(header)] > rank[module_of(file)]] == []
