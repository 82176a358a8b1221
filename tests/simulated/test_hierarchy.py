"""Hierarchies, counted: what an update fetches in every shape, and that attaching or destroying a tree costs what the tree
has."""

import pytest
from conftest import SMALL

#: A local and a world transform and the row of the parent, of 64, 64 and 4 bytes.
UPDATE = 132 / 64
SHAPES = ("hierarchy_flat/{}/entities:16384/order:shuffled/dirty:100",
          "hierarchy_tree/{}/entities:16384/order:shuffled/dirty:100",
          "hierarchy_deep/{}/entities:16384/depth:100/order:shuffled/dirty:100",
          "hierarchy_deep/{}/entities:16384/depth:1000/order:shuffled/dirty:100")


@pytest.fixture(scope="module")
def found(cache):
    cells = "/(reference|form.sorted|form.lazy_sorted|indirection_map)/entities:16384/.*order:shuffled/dirty:100|/form[^/]*/.*work:attach|^hierarchy_destroy/"
    return cache.figures("--preset", "standard", "--workloads",
                         "hierarchy_flat,hierarchy_tree,hierarchy_deep,hierarchy_attach,hierarchy_destroy",
                         "--strategies", "form.sorted,form.lazy_sorted,indirection_map", "--entities", "1000,4000,16384",
                         "--cells", cells, *SMALL)


@pytest.mark.parametrize("row", ("form.lazy_sorted", "indirection_map"))
def test_an_update_fetches_every_line_once_and_walks_rows_as_by_hand_whatever_the_shape(found, row):
    for shape in SHAPES:
        cell, by_hand = found[shape.format(row)], found[shape.format("reference")]
        assert cell["l1d_misses_per_item"] == pytest.approx(UPDATE, rel=0.10), shape
        assert cell["instructions_per_item"] <= 1.10 * by_hand["instructions_per_item"], shape


def test_the_floor_of_short_chains_finds_parents_in_the_cache(cache):
    name = "hierarchy_deep/reference/entities:16384/depth:4/order:kept/dirty:100"
    found = cache.figures("--preset", "standard", "--workloads", "hierarchy_deep", "--strategies", "reference", "--entities", "16384",
                          "--cells", f"^{name}$")
    assert found[name]["l1d_misses_per_item"] == pytest.approx(UPDATE, rel=0.01)


def test_multiplying_matrices_is_payload_by_whichever_hand(found):
    for shape in SHAPES:
        by_hand, form = found[shape.format("reference")], found[shape.format("form.sorted")]
        assert by_hand["l1d_misses_index_per_item"] == 0
        assert form["l1d_misses_payload_per_item"] > 1.95, shape


@pytest.mark.parametrize("work", ("hierarchy_attach/{}/entities:{}/work:attach", "hierarchy_destroy/{}/entities:{}"))
def test_attaching_and_destroying_a_tree_is_linear_in_its_nodes(found, work):
    for form in ("form.sorted", "form.lazy_sorted"):
        costs = [found[work.format(form, size)]["instructions_per_item"] for size in (1000, 4000, 16384)]
        assert costs == pytest.approx([costs[0]] * 3, rel=0.10)
