"""One browser and one report for all tests of this folder."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import chromium  # noqa: E402: the paths come first


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if chromium.PATH is None:
        pytest.skip("no Chromium here; scripts/checks/browser says how to get it")
    browser = chromium.Chromium(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def open_page(browser, report):
    """Opens the report; closed at the end, when the console has to be empty."""
    opened = []

    def open_it(**options):
        opened.append(browser.open(report / "report.html", **options))
        return opened[-1]

    yield open_it
    for page in opened:
        complaints = page.complaints()
        page.close()
        assert complaints == []
