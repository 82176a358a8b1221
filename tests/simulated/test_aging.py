"""What time does to storages, counted: after a thousand frames of churn, after a mass despawn, among many component sets and
with few owners. Exact figures, the same on every machine."""

import pytest
from conftest import of_others, compiled

from test_figures import COLUMNS

PACKED = compiled("indirection_map", "hash_index", "offset_table", "archetype_sections", "archetype_sections.fixed_32k")


@pytest.fixture(scope="module")
def aged(cache):
    def figures(strategies, cells):
        found = cache.figures("--preset", "standard", "--workloads", "aging", "--entities", "100000",
                              "--strategies", ",".join(strategies), "--cells", cells)
        return lambda strategy, values: found[f"aging/{strategy}/entities:100000/{values}"]["l1d_misses_per_item"]
    return figures


def test_packed_rows_are_as_packed_after_a_thousand_frames_of_churn(aged):
    misses = aged(PACKED, "work:point_mass/frames:(0|1000)/defragment:no")
    for strategy in PACKED:
        fresh = misses(strategy, "work:point_mass/frames:0/defragment:no")
        assert misses(strategy, "work:point_mass/frames:1000/defragment:no") == pytest.approx(fresh, rel=0.01)
        assert fresh == pytest.approx(COLUMNS, rel=0.01)


def test_a_join_over_pools_in_unrelated_orders_pays_for_every_row_and_sections_do_not(aged):
    # Sections fetch the 48 bytes of both components. Of two pools one is walked, and for each of its rows the entity's
    # entry in the map and its row in the other pool are lines of their own.
    misses = aged(("indirection_map", "archetype_sections"), "work:join/frames:1000/defragment:no")
    values = "work:join/frames:1000/defragment:no"
    assert misses("archetype_sections", values) == pytest.approx(48 / 64, rel=0.01)
    assert misses("indirection_map", values) > 2


@of_others
def test_holes_of_a_despawn_are_there_until_they_are_closed(aged):
    # A tenth of the rows survives: nearly every line of the columns still has one, and 4 bytes of 64 are hardly ever used.
    with_holes = "archetype_sections.fixed_32k_free_list"
    misses = aged((with_holes, "archetype_sections.fixed_32k"), "work:despawn")
    assert misses(with_holes, "work:despawn/frames:0/defragment:no") > 4 * COLUMNS
    for strategy in (with_holes, "archetype_sections.fixed_32k"):
        assert misses(strategy, "work:despawn/frames:0/defragment:yes") == pytest.approx(COLUMNS, rel=0.02)


@pytest.fixture(scope="module")
def changes(cache):
    """The instructions of a change of components if an entity has four others, of the cells that are looked at here."""
    cells = ("/archetype_sections[^/]*/.*/others:4/sets:(10|100|1000)/grouped:no"
             "|/(indirection_map|archetype_sections)/.*/others:4/sets:1/")
    found = cache.figures("--preset", "standard", "--workloads", "structural", "--cells", cells, "--strategies",
                          ",".join(compiled("indirection_map", "archetype_sections", "archetype_sections.fixed_32k")))
    def cost(strategy, sets, grouped):
        cell = f"structural/{strategy}/entities:16384/others:4/sets:{sets}/grouped:{grouped}"
        return found[cell]["instructions_per_item"]
    return cost


def test_a_change_of_components_costs_the_same_among_few_and_many_sets(changes):
    for strategy in compiled("archetype_sections", "archetype_sections.fixed_32k"):
        costs = [changes(strategy, sets, "no") for sets in (10, 100, 1000)]
        assert costs == pytest.approx([costs[0]] * 3, rel=0.10)


def test_what_makes_up_a_group_moves_its_rows_in_pools_and_is_any_other_change_to_sections(changes):
    assert changes("indirection_map", 1, "yes") > 1.5 * changes("indirection_map", 1, "no")
    assert changes("archetype_sections", 1, "yes") == pytest.approx(changes("archetype_sections", 1, "no"), rel=0.01)


@of_others
def test_collecting_where_nothing_is_dead_costs_a_test_for_each_pool(cache):
    # Five pools: the group's and one for each of its components alone.
    found = cache.figures("--preset", "standard", "--workloads", "despawn", "--cells", "dead:0$",
                          "--entities", "100000", "--strategies", "indirection_map.lazy")
    assert found["despawn/indirection_map.lazy/entities:100000/dead:0"]["instructions_per_item"] < 5 * 20


def test_few_owners_cost_packed_rows_nothing_and_direct_rows_their_holes(cache):
    strategies = (*PACKED, *compiled("object_indices", "interleaved_pairs", "sparse_direct"))
    found = cache.figures("--workloads", "occupancy", "--entities", "256k", "--strategies", ",".join(strategies),
                          "--cells", "share:1$")
    for strategy in strategies:
        misses = found[f"occupancy/{strategy}/entities:262144/share:1"]["l1d_misses_per_item"]
        assert misses > 5 * COLUMNS if strategy == "sparse_direct" else misses < 1.5 * COLUMNS
