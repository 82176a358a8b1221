"""What time does to storages, counted: after a thousand frames of churn, after a mass despawn, among many component sets and
with few owners. Exact figures, the same on every machine."""

import pytest
from conftest import ALL, SMALL, compiled, of_others

from test_figures import COLUMNS

PACKED = compiled("indirection_map", "hash_index", "offset_table", "archetype_sections", "archetype_sections.fixed_32k")
ENTITIES = 100_000 if ALL else 16 * 1024


def standard(cache, *arguments):
    return cache.figures("--preset", "standard", *arguments, *([] if ALL else SMALL))


@pytest.fixture(scope="module")
def changes(cache):
    """After churn, and of changes of components if an entity has four others."""
    cells = (f"/entities:{ENTITIES}/work:point_mass/frames:(0|1000)/defragment:no"
             f"|/(indirection_map|archetype_sections)/entities:{ENTITIES}/work:join/frames:1000/defragment:no"
             "|/archetype_sections[^/]*/entities:16384/others:4/sets:(10|100|1000)/grouped:no"
             "|/(indirection_map|archetype_sections)/entities:16384/others:4/sets:1/"
             "|/indirection_map/entities:16384/rate:1/loops:(1|10)/as:component")
    return standard(cache, "--workloads", "aging,structural,toggle", "--entities", ",".join({"16384", str(ENTITIES)}),
                    "--strategies", ",".join(PACKED), "--cells", cells)


@pytest.fixture(scope="module")
def aged(changes):
    return lambda strategy, values: changes[f"aging/{strategy}/entities:{ENTITIES}/{values}/defragment:no"]["l1d_misses_per_item"]


def test_packed_rows_are_as_packed_after_a_thousand_frames_of_churn(aged):
    for strategy in PACKED:
        fresh = aged(strategy, "work:point_mass/frames:0")
        assert aged(strategy, "work:point_mass/frames:1000") == pytest.approx(fresh, rel=0.01)
        assert fresh == pytest.approx(COLUMNS, rel=0.01)


def test_a_join_over_pools_in_unrelated_orders_pays_for_every_row_and_sections_do_not(aged):
    # Sections fetch the 48 bytes of both components. Of two pools one is walked, and for each of its rows the entity's
    # entry in the map and its row in the other pool are lines of their own.
    assert aged("archetype_sections", "work:join/frames:1000") == pytest.approx(48 / 64, rel=0.01)
    assert aged("indirection_map", "work:join/frames:1000") > 2


@of_others
def test_holes_of_a_despawn_are_there_until_they_are_closed(cache):
    # A tenth of the rows survives: nearly every line of the columns still has one, and 4 bytes of 64 are hardly ever used.
    with_holes = "archetype_sections.fixed_32k_free_list"
    found = standard(cache, "--workloads", "aging", "--entities", "100000", "--cells", "work:despawn",
                     "--strategies", f"{with_holes},archetype_sections.fixed_32k")
    def misses(strategy, defragment):
        return found[f"aging/{strategy}/entities:100000/work:despawn/frames:0/defragment:{defragment}"]["l1d_misses_per_item"]
    assert misses(with_holes, "no") > 4 * COLUMNS
    for strategy in (with_holes, "archetype_sections.fixed_32k"):
        assert misses(strategy, "yes") == pytest.approx(COLUMNS, rel=0.02)


@pytest.fixture(scope="module")
def cost(changes):
    """The instructions of a change of components."""
    return lambda strategy, sets, grouped: changes[
        f"structural/{strategy}/entities:16384/others:4/sets:{sets}/grouped:{grouped}"]["instructions_per_item"]


def test_a_change_of_components_costs_the_same_among_few_and_many_sets(cost):
    for strategy in compiled("archetype_sections", "archetype_sections.fixed_32k"):
        costs = [cost(strategy, sets, "no") for sets in (10, 100, 1000)]
        assert costs == pytest.approx([costs[0]] * 3, rel=0.10)


def test_what_makes_up_a_group_moves_its_rows_in_pools_and_is_any_other_change_to_sections(cost):
    assert cost("indirection_map", 1, "yes") > 1.5 * cost("indirection_map", 1, "no")
    assert cost("archetype_sections", 1, "yes") == pytest.approx(cost("archetype_sections", 1, "no"), rel=0.01)


@of_others
def test_collecting_where_nothing_is_dead_costs_a_test_for_each_pool(cache):
    # Five pools: the group's and one for each of its components alone.
    found = standard(cache, "--workloads", "despawn", "--cells", "dead:0$", "--entities", "100000",
                     "--strategies", "indirection_map.lazy")
    assert found["despawn/indirection_map.lazy/entities:100000/dead:0"]["instructions_per_item"] < 5 * 20


def test_few_owners_cost_packed_rows_nothing_and_direct_rows_their_holes(out_of_the_cache):
    for strategy in (*PACKED, *compiled("object_indices", "interleaved_pairs", "sparse_direct")):
        misses = out_of_the_cache[f"occupancy/{strategy}/entities:131072/share:1"]["l1d_misses_per_item"]
        assert misses > 5 * COLUMNS if strategy == "sparse_direct" else misses < 1.5 * COLUMNS


def test_a_loop_over_a_state_looks_other_components_up_in_the_one_pool_that_has_them(changes):
    # 4,096 of 16,384 entities burn, and 326 toggle in a frame. A second lookup of each would cost 6 instructions more.
    one, ten = (changes[f"toggle/indirection_map/entities:16384/rate:1/loops:{loops}/as:component"]["instructions_per_item"]
                for loops in (1, 10))
    assert (ten - one) / 9 < 16 * 4096 / 326
