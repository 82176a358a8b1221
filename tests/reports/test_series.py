"""What is shown if there is no room for all."""

import pytest

from make_catalogue import ALL_STRATEGIES
from stowage_report.charts import series
from stowage_report.data.model import Block, Cell, is_headline, sweeps_along, widest_axis

HEADLINES = [name for name in ALL_STRATEGIES if is_headline(name)]


def block(costs: dict[str, float], entities=1024, parameters=()) -> Block:
    return Block("join", entities, parameters,
                 {name: Cell(name, name, counters={"cost": cost}) for name, cost in costs.items()})


def shown(costs: dict[str, float], *more: dict[str, float]) -> list[str]:
    blocks = [block(costs), *map(block, more)]
    return series.shown(list(costs), blocks, series.counter("cost"))


ONES = dict.fromkeys(ALL_STRATEGIES, 1.0)
FEW = [*ALL_STRATEGIES[-8:], "reference"]


@pytest.mark.parametrize("costs, expected", [
    pytest.param([dict.fromkeys(FEW, 1.0)], set(FEW), id="up to nine are all shown"),
    pytest.param([ONES], set(HEADLINES), id="of more the base forms"),
    pytest.param([ONES | {"hash_index.node_hash": 0.9, "hash_index.fixed_capacity": 0.8}],
                 {*HEADLINES, "hash_index.fixed_capacity"}, id="and the best variant that beats its base form"),
    pytest.param([ONES | {"hash_index.node_hash": 0.9}, ONES | {"hash_index.node_hash": 2.0}], set(HEADLINES),
                 id="over all blocks"),
    pytest.param([{name: 1.0 for name in ALL_STRATEGIES if name != "hash_index"} | {"hash_index.node_hash": 0.5}],
                 {*HEADLINES, "hash_index.node_hash"} - {"hash_index"}, id="a family without its base form by its best"),
    pytest.param([ONES | {"reference.store": 1.0}], {*HEADLINES, "reference.store"}, id="what is hand-written always"),
])
def test_a_chart_shows_what_it_has_room_for_in_the_order_of_the_run(costs, expected):
    assert shown(*costs) == [name for name in costs[0] if name in expected]


def test_families_are_those_with_variants_and_the_number_of_those_not_drawn_is_said():
    assert list(series.families(ALL_STRATEGIES)) == ["indirection_map", "hash_index", "archetype_sections", "offset_table"]
    assert series.strategies_note(HEADLINES, HEADLINES) == ()
    assert "19 other variants" in series.strategies_note(ALL_STRATEGIES, HEADLINES)[0]


@pytest.mark.parametrize("count, kept", [(3, [0, 1, 2]), (4, [0, 2, 3]), (7, [0, 3, 6])])
def test_of_many_blocks_both_ends_and_what_is_between(count, kept):
    assert series.some_of(list(range(count))) == kept


def blocks_of(sizes, **values) -> list[Block]:
    (key, its), = values.items()
    return [block({"a": 1.0}, size, ((key, value), ("how", "x"))) for size in sizes for value in its]


@pytest.mark.parametrize("sizes, values, axis", [
    ((1024,), {"share": "1 10 100".split()}, "share"), ((1024, 2048, 4096), {"share": "1 10 100".split()}, "share"),
    ((1024, 2048, 4096, 8192), {"share": "1 10 100".split()}, "entities"),
    ((1024,), {"share": "1 10".split()}, "entities"),
    ((1024,), {"order": "same unrelated grouped".split()}, "entities"), ((1024,), {"rate": "0.1 1 10".split()}, "rate"),
])
def test_the_axis_of_a_workload_is_what_it_has_most_values_of(sizes, values, axis):
    assert widest_axis(blocks_of(sizes, **values)) == axis


def test_sweeps_along_a_parameter_have_one_number_of_entities_and_are_in_its_order():
    small, large = sweeps_along("share", blocks_of((1024, 2048), share=["100", "5", "25"]))
    assert small.values == [5, 25, 100] and small.parameters == (("entities", "1024"), ("how", "x"))
    assert large.covers("join", 2048, (("share", "1"), ("how", "x"))) and not large.covers("join", 1024, ())
