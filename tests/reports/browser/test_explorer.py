"""Any two metrics against each other, in a real browser."""

BOX = 'document.querySelector("#run1-join article .any-two")'
SELECTS = f'[...{BOX}.querySelectorAll("select")]'
CHART = f'{BOX}.querySelector("svg.explorer")'
NAMES = f'[...{CHART}.querySelectorAll("g[data-c]")].length'


def choose(page, place, text):
    page.value(f'''(() => {{ const select = {SELECTS}[{place}];
        select.value = [...select.options].find((option) => option.textContent.includes("{text}")).value;
        select.dispatchEvent(new Event("change")); }})()''')


def opened(page):
    page.value(f"{BOX}.open = true")
    page.value("new Promise((resolve) => setTimeout(resolve, 100))")
    return page


def test_draws_every_strategy_that_has_both_figures(open_page, run):
    page = opened(open_page())
    choose(page, 0, "entities:16384")
    block = next(block for block in run.blocks if block.workload == "join" and block.entities == 16384
                 and ("order", "same") in block.parameters)
    both = [cell for cell in block.cells.values() if {"l1d_misses_per_item", "bytes_per_entity"} <= set(cell.counters)]
    assert page.value(NAMES) == len(both) > 2
    assert page.value(f'{CHART}.getAttribute("aria-label")').startswith("first-level misses per item against bytes")


def test_other_metrics_give_another_picture(open_page):
    page = opened(open_page())
    before = page.value(f"{CHART}.innerHTML")
    choose(page, 1, "time")
    assert page.value(f"{CHART}.innerHTML") != before
    assert page.value(f'{CHART}.getAttribute("aria-label")').startswith("ns per item against bytes")


def test_says_what_a_block_does_not_have(open_page):
    page = opened(open_page())
    choose(page, 0, "entities:262144")
    assert page.value(f'{CHART}.hasAttribute("hidden")')
    assert "has no figures of misses" in page.value(f'{BOX}.querySelector("[role=status]").textContent')
