"""What the charts are drawn from; how they look is for eyes."""

import pytest

from stowage_report.charts.axes import decade_ticks, with_room
from stowage_report.charts.canvas import file_name
from stowage_report.charts.scaling import cache_lines, typical_bytes_per_entity
from stowage_report.data.metrics import plain
from stowage_report.data.model import Cache

CACHES = (Cache("Data", 1, 48 << 10, 1), Cache("Instruction", 1, 32 << 10, 1), Cache("Unified", 2, 2 << 20, 1))


def test_a_cache_is_drawn_where_the_data_outgrow_it():
    lines = cache_lines(CACHES, 48, [512, 1 << 20])
    assert [line.name for line in lines] == ["L1d 48 KiB", "L2 2 MiB"]
    assert [line.entities for line in lines] == [(48 << 10) / 48, (2 << 20) / 48]


def test_caches_outside_the_measured_sizes_are_left_out():
    assert [line.name for line in cache_lines(CACHES, 48, [16384, 1 << 20])] == ["L2 2 MiB"]


def test_without_bytes_per_entity_there_are_no_cache_lines(make_run):
    run = make_run(sizes=(1024, 2048), axes={"join": {}}, passes=())
    assert typical_bytes_per_entity(run.sweeps[0]) is None
    assert cache_lines(CACHES, None, [1024]) == []


def test_bytes_per_entity_are_those_of_the_strategies(run):
    assert typical_bytes_per_entity(run.sweeps[0]) == pytest.approx(57.5)


@pytest.mark.parametrize("low, high", [(0.9, 1.2), (0.2, 35), (0.001, 3e5)])
def test_ticks_are_few_and_inside(low, high):
    ticks = decade_ticks(low, high)
    assert ticks == sorted(ticks) and all(low <= tick <= high for tick in ticks) and len(ticks) <= 9


def test_ticks_without_room_give_way_to_earlier_ones():
    assert with_room([1, 1.1, 10, 100], 1, 100, 0.2) == [1, 10, 100]


@pytest.mark.parametrize("value, text", [(0.5, "0.5"), (30000, "30000"), (1e5, "10⁵"), (2.5e5, "2.5·10⁵"), (3e6, "3·10⁶"),
                                         (1e12, "10¹²")])
def test_ticks_fit_into_the_margin(value, text):
    assert plain(value) == text and len(text) <= 7


def test_file_names_are_plain():
    assert file_name("scaling", "join", "order:same via:each") == "scaling-join-order-same-via-each"
    assert file_name("a/../b", "") == "a-..-b"
