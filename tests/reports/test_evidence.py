"""What a run says of a strategy in the header that `stowage adopt` writes."""

import dataclasses

from make_blocks import make_block, run_of, samples_of
from stowage_report.data.model import PassRecord
from stowage_report.evidence import evidence

SAMPLES = {"reference": samples_of(2), "fast": samples_of(3)}
MISSES = {"l1d_misses_per_item": 4.75}
RUN = dataclasses.replace(
    run_of(*(make_block("lookup", size, SAMPLES, {"fast": {"floor_lines_per_item": 1.625} | (MISSES if size < 99999 else {})},
                        components="4") for size in (1024, 16384, 262144)),
           commit="c0ffee", os="an \N{LATIN SMALL LETTER O WITH DIAERESIS}s", compiler="a compiler", flags="-O3"),
    passes=(PassRecord("cache", "simulated", {"valgrind": "3.19.0"}),))


def test_figures_are_at_the_largest_sizes_beside_reference_and_floor():
    head, first, second, *_ = evidence(RUN, "fast", "c0ffee").splitlines()
    assert head.split() == ["per", "item", "size", "ns", "x", "ref", "95", "%", "L1d", "LL", "floor", "bytes"]
    assert first.split() == ["lookup", "components:4", "16k", "3.00", "1.50", "1.50", "to", "1.50", "4.75", "-", "1.625", "-"]
    assert second.split()[2:5] == ["256k", "3.00", "1.50"]


def test_it_says_where_the_figures_come_from_and_whether_they_are_of_another_commit():
    text = evidence(RUN, "fast", "c0ffee")
    assert all(word in text for word in ("2026-11-20", "Example CPU 9000", "a compiler", "-O3", "valgrind: 3.19.0"))
    assert text.isascii() and "measure again" not in text
    assert "The run is of stowage c0ffee, this header of decade" in evidence(RUN, "fast", "decade")


def test_without_a_cell_of_a_main_workload_there_is_none():
    assert evidence(RUN, "plodder", "c0ffee") == ""
    assert evidence(run_of(make_block("walk", 1024, SAMPLES)), "fast", "c0ffee") == ""
