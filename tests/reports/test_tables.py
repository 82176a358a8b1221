"""All figures of a run as text."""

import dataclasses

from make_blocks import make_block, run_of, samples_of
from make_catalogue import ALL_STRATEGIES
from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.console import WIDTH, Terminal
from stowage_report.data.load import load_run
from stowage_report.data.model import Omission, PassRecord, StrategyCard
from stowage_report.pages.tables import tables_text

SAMPLES = {"plodder": samples_of(6), "fast": samples_of(2), "reference": samples_of(1)}
COUNTERS = {
    "fast": {"instructions_per_item": 3, "l1d_misses_per_item": 0, "floor_lines_per_item": 0.5, "bytes_per_entity": 61},
    "plodder": {"frames": 1000, "frame_p50_ns": 1000, "frame_max_ns": 20e6, "worst_frame_growths": 2}}
RUN = run_of(make_block("walk", 1024, SAMPLES, COUNTERS, via="each"),
             make_block("walk", 4096, {"fast": samples_of(7), "plodder": samples_of(5)}, via="each"))
TABLES = """\
walk, via:each: ns per one item
                                     1k                   4k
               ns     ±  × floor             ns     ±
reference    1.00  ±11%     1.00              –     –
plodder      6.00  ±11%     6.00  worse    5.00  ±10%   best
fast         2.00  ±11%     2.00   best    7.00  ±11%  worse

walk, via:each: counts per one item
                       1k
        instr  floor  L1d
fast     3.00  0.500    0

walk, via:each: one frame
                                       1k
           frames   p50  worst     beside
plodder     1,000  1 µs  20 ms  2 growths

walk, via:each: bytes per entity
           1k
        bytes
fast     61.0"""


def test_each_pass_has_a_table_with_the_floors_first_and_then_the_cheapest_of_the_largest_size():
    parts = tables_text(RUN).split("\n\n")
    assert [part for part in parts if part.startswith("walk")] == TABLES.split("\n\n")
    assert tables_text(RUN, Terminal(unicode=False)).isascii()


def test_the_legend_explains_the_columns_that_are_there_and_lines_below_fit_the_page():
    reason = "no room of so many words that all of them would never fit into a line of the page " * 2
    text = tables_text(dataclasses.replace(RUN, omissions=(
        Omission("memory", "walk/fast/entities:1024/via:each", "walk", 1024, (("via", "each"),), reason),)))
    assert "\ninstr: instructions   floor: fewest lines" in text and "L1d: misses of the first level\n" in text
    assert "LL:" not in text and "peak:" not in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_what_failed_what_was_left_out_and_where_counts_come_from_is_below(run):
    card = StrategyCard("fast", not_offered={"serialize": "nothing is saved"})
    left_out = [Omission("memory", f"walk/{name}/entities:1024/via:each", "walk", 1024, (("via", "each"),), "it lies")
                for name in ("fast", "plodder")]
    text = tables_text(dataclasses.replace(RUN, omissions=tuple(left_out), strategy_cards={"fast": card},
                                           passes=(PassRecord("cache", "simulated", {"limits": "no prefetcher"}),)))
    assert text.endswith("memory: Left out at 1k, 2 cells: it lies. (fast of walk/entities:1024/via:each, ...)\n"
                         "no serialize of fast: nothing is saved\n"
                         "cache: simulated; limits: no prefetcher\n")
    (failed,) = run.errors
    assert f"\nERROR {failed.name}: {failed.error}\n" in tables_text(run) and "  ERROR" in tables_text(run)


def test_lines_fit_the_page_and_no_strategy_is_missing(tmp_path, capsys):
    run = load_run(write_run(tmp_path, Options(strategies=tuple(ALL_STRATEGIES), axes={"point_mass": {}})))
    text = tables_text(run)
    assert set(run.strategies) <= set(text.split())
    assert max(map(len, text.splitlines())) <= WIDTH
    assert main([str(tmp_path / "results.json"), "--format", "tables"]) == 0
    assert capsys.readouterr().out == text
