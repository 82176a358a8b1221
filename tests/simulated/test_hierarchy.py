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
    cells = "/(reference|form.lazy_sorted|indirection_map)/entities:16384/.*order:shuffled/dirty:100|/form[^/]*/.*work:attach|^hierarchy_destroy/"
    return cache.figures("--preset", "standard", "--workloads",
                         "hierarchy_flat,hierarchy_tree,hierarchy_deep,hierarchy_attach,hierarchy_destroy",
                         "--strategies", "form.sorted,form.lazy_sorted,indirection_map", "--entities", "1000,4000,16384",
                         "--cells", cells, *SMALL)


@pytest.fixture(scope="module")
def updates(found):
    return lambda row, shape: found[shape.format(row)]


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_in_batches_fetch_every_line_once_whatever_the_shape(updates, shape):
    assert updates("form.lazy_sorted", shape)["l1d_misses_per_item"] == pytest.approx(UPDATE, rel=0.10)


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_walked_as_by_hand(updates, shape):
    by_hand = updates("reference", shape)["instructions_per_item"]
    assert updates("form.lazy_sorted", shape)["instructions_per_item"] <= 1.10 * by_hand


@pytest.mark.parametrize("shape", SHAPES)
def test_transforms_in_a_storage_are_read_as_arrays_are(updates, shape):
    assert updates("indirection_map", shape)["l1d_misses_per_item"] == pytest.approx(UPDATE, rel=0.10)
    by_hand = updates("reference", shape)["instructions_per_item"]
    assert updates("indirection_map", shape)["instructions_per_item"] <= 1.10 * by_hand


@pytest.mark.parametrize("work", ("hierarchy_attach/{}/entities:{}/work:attach", "hierarchy_destroy/{}/entities:{}"))
def test_attaching_and_destroying_a_tree_is_linear_in_its_nodes(found, work):
    for form in ("form.sorted", "form.lazy_sorted"):
        costs = [found[work.format(form, size)]["instructions_per_item"] for size in (1000, 4000, 16384)]
        assert costs == pytest.approx([costs[0]] * 3, rel=0.10)
