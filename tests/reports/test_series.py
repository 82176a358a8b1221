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


def test_up_to_nine_are_all_shown():
    few = [*ALL_STRATEGIES[-8:], "reference"]
    assert shown(dict.fromkeys(few, 1.0)) == few


def test_of_more_the_plain_forms_are_shown():
    assert shown(dict.fromkeys(ALL_STRATEGIES, 1.0)) == HEADLINES


def test_a_variant_that_beats_its_plain_form_is_shown_too_and_the_best_one_alone():
    costs = dict.fromkeys(ALL_STRATEGIES, 1.0) | {"hash_index.node_hash": 0.9, "hash_index.fixed_capacity": 0.8}
    assert set(shown(costs)) - set(HEADLINES) == {"hash_index.fixed_capacity"}


def test_what_beats_it_is_decided_over_all_blocks():
    costs = dict.fromkeys(ALL_STRATEGIES, 1.0)
    assert shown(costs | {"hash_index.node_hash": 0.9}, costs | {"hash_index.node_hash": 2.0}) == HEADLINES


def test_a_family_without_its_plain_form_is_shown_by_its_best():
    costs = {name: 1.0 for name in ALL_STRATEGIES if name != "hash_index"} | {"hash_index.node_hash": 0.5}
    assert set(shown(costs)) - set(HEADLINES) == {"hash_index.node_hash"}


def test_what_was_written_by_hand_is_always_shown():
    costs = dict.fromkeys([*ALL_STRATEGIES, "reference.store"], 1.0)
    assert shown(costs) == [*HEADLINES, "reference.store"]


def test_says_how_many_are_not_drawn():
    assert series.strategies_note(HEADLINES, HEADLINES) == ()
    assert "19 other variants" in series.strategies_note(ALL_STRATEGIES, HEADLINES)[0]


def test_families_are_those_with_variants():
    families = list(series.families(ALL_STRATEGIES))
    assert families == ["indirection_map", "hash_index", "archetype_sections", "offset_table"]


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
