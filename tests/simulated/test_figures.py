"""Figures of the simulator with the reference model, beside what counting by hand predicts. They are exact, and the same
on every machine; the tolerances are for what is counted by hand, not for noise."""

import pytest
from conftest import of_others, compiled

LINE = 64
PACKED = compiled("indirection_map", "indirection_map.vectors", "hash_index", "archetype_sections")


@pytest.fixture(scope="module")
def point_mass(cache):
    figures = cache.figures("--workloads", "point_mass", "--entities", "100000", "--strategies", ",".join((
        *PACKED, *compiled("archetype_sections.fixed_32k", "sparse_direct", "interleaved_pairs"))))
    return lambda strategy: figures[f"point_mass/{strategy}/entities:100000"]


def cells_of(strategy, figures):
    return [cell for name, cell in figures.items() if f"/{strategy}/" in name]


# Velocity, position and acceleration of an entity are 36 bytes. 100,000 entities are 75 times the first level, so every
# line is fetched once in a pass.
COLUMNS = 36 / LINE


@pytest.mark.parametrize("strategy", ("reference", *PACKED))
def test_packed_columns_fetch_their_bytes_and_nothing_else(point_mass, strategy):
    cell = point_mass(strategy)
    assert cell["l1d_misses_per_item"] == pytest.approx(COLUMNS, rel=0.01)
    assert cell["line_use_share"] == pytest.approx(1, rel=0.01)
    assert cell["line_use_share_evicted"] == pytest.approx(1, rel=0.01)


@of_others
def test_sections_of_32_kib_fetch_their_head_beside_their_bytes(point_mass):
    # A section of 32 KiB holds 728 rows of 44 bytes (40 of components, 4 of owner). For each section the loop reads its
    # entry in the list of sections (a line), and the three columns it walks begin and end in the middle of a line.
    assert point_mass("archetype_sections.fixed_32k")["l1d_misses_per_item"] == pytest.approx(COLUMNS, rel=0.05)


@of_others
def test_direct_rows_fetch_the_presence_of_their_components_too(point_mass):
    # For 64 rows a word for each of the four components: 4 * 8 / 64 bytes a row.
    with_presence = COLUMNS + 4 * 8 / 64 / LINE
    assert point_mass("sparse_direct")["l1d_misses_per_item"] == pytest.approx(with_presence, rel=0.01)
    assert point_mass("sparse_direct")["l1d_misses_per_item"] == pytest.approx(COLUMNS, rel=0.02)


@of_others
def test_interleaved_rows_fetch_the_mass_that_is_not_needed(point_mass):
    cell = point_mass("interleaved_pairs")
    assert cell["l1d_misses_per_item"] == pytest.approx(40 / LINE, rel=0.01)
    assert cell["line_use_share"] == pytest.approx(36 / 40, rel=0.01)


def test_parts_of_whole_components_are_read_row_by_row_and_lanes_as_vectors(cache):
    in_lanes = compiled("indirection_map.lanes", "archetype_sections.lanes")
    by_row = compiled("indirection_map", "archetype_sections", "sparse_direct")
    figures = cache.figures("--workloads", "join", "--cells", "order:grouped/via:each", "--entities", "16k", "--strategies",
                            ",".join(("reference", *by_row, *in_lanes)))
    instructions = {name.split("/")[1]: cell["instructions_per_item"] for name, cell in figures.items()}
    by_hand = instructions["reference"]
    lanes = {name: instructions[name] for name in in_lanes}
    # 4 loads, 2 shifts, 3 additions and an exclusive or: 10, and what counts the rows. Vectors take 10 for all of that.
    assert 11 < by_hand < 16
    assert max(lanes.values(), default=0) < 5, lanes
    assert [instructions[name] for name in by_row] == pytest.approx([by_hand] * len(by_row), abs=2.5)


def test_a_sum_stays_in_a_register_wherever_the_rows_lie_side_by_side(cache):
    # 4 rows take a load with an addition and 3 instructions that count: 1 a row. A row by itself takes at least 3, and 5
    # where the sum, which the function has by reference, is in memory because the function stands in two places.
    strategies = (*PACKED, *compiled("archetype_sections.fixed_32k", "archetype_sections.fixed_32k_free_list", "sparse_direct"))
    figures = cache.figures("--workloads", "point_mass_subset", "--cells", "bytes:16", "--entities", "16k",
                            "--strategies", ",".join(("reference", *strategies)))
    instructions = {name.split("/")[1]: cell["instructions_per_item"] for name, cell in figures.items()}
    assert instructions.keys() >= {"reference", *strategies}
    assert {name: count for name, count in instructions.items() if name in strategies and count >= 2} == {}


def test_the_lengths_of_several_vectors_are_computed_at_once(cache):
    # Nine loads, six stores and some 25 operations, for eight entities together. A root or a quotient that is computed
    # for one entity alone makes it 30 and more.
    strategies = compiled("indirection_map.lanes", "archetype_sections.lanes")
    figures = cache.figures("--workloads", "point_mass_mixed", "--entities", "16k", "--strategies",
                            ",".join(("reference", *strategies)))
    instructions = {name.split("/")[1]: cell["instructions_per_item"] for name, cell in figures.items()}
    assert instructions.keys() >= {"reference", *strategies}
    assert max(instructions.values()) < 10, instructions


@of_others
def test_rows_of_one_component_are_a_column_however_they_are_laid_out(cache):
    # The other components of `fragmented` have no state: to the loop, rows of any set are positions side by side.
    figures = cache.figures("--workloads", "fragmented", "--cells", "sets:64", "--entities", "16k", "--strategies",
                            "archetype_sections,archetype_sections.interleaved")
    instructions = {name.split("/")[1]: cell["instructions_per_item"] for name, cell in figures.items()}
    assert instructions["archetype_sections.interleaved"] == pytest.approx(instructions["archetype_sections"], rel=0.1)


def test_a_copy_is_not_counted_byte_by_byte(cache):
    figures = cache.figures("--workloads", "serialize", "--cells", "reference/.*what:save/ids:none", "--entities", "16k",
                            "--strategies", "reference")
    (copy,) = cells_of("reference", figures)
    assert copy["instructions_per_item"] < 44 / 8  # bytes by vectors; glibc would take `rep movsb` from some size on


def test_what_fits_the_cache_is_fetched_once_and_then_no_more(cache):
    arguments = ("--workloads", "point_mass", "--strategies", "reference", "--entities", "1000")
    (warm,) = cells_of("reference", cache.figures(*arguments))
    assert warm["l1d_misses_per_item"] < 0.01
    assert "line_use_share" not in warm
    assert "line_use_share_evicted" not in warm
    (cold,) = cells_of("reference", cache.figures(*arguments, "--cold"))
    assert cold["l1d_misses_per_item"] == pytest.approx(COLUMNS, rel=0.02)
    assert cold["instructions_per_item"] == pytest.approx(warm["instructions_per_item"], rel=0.001)


def test_a_smaller_cache_misses_more(cache):
    arguments = ("--workloads", "lookup", "--strategies", "indirection_map", "--entities", "4k")
    reference = cache.figures(*arguments)
    small = cache.figures(*arguments, "--model", "L1=4k:4,LL=64k:8")
    assert cells_of("indirection_map", reference)
    for name, cell in reference.items():
        assert small[name]["l1d_misses_per_item"] > 1.1 * cell["l1d_misses_per_item"]
        assert small[name]["ll_misses_per_item"] > cell["ll_misses_per_item"]
        assert small[name]["instructions_per_item"] == cell["instructions_per_item"]


def test_the_same_inputs_and_the_same_binary_give_the_same_bytes(cache):
    arguments = ("--workloads", "lookup,create", "--strategies", "indirection_map,archetype_sections", "--entities", "1k,4k")
    once = cache.text(*arguments)
    assert "/indirection_map/" in once and "/archetype_sections/" in once
    assert cache.text(*arguments) == once
    assert cache.text(*arguments, "--jobs", "1") == once


def test_a_cell_has_the_same_figures_in_whatever_company(cache):
    alone = cache.figures("--workloads", "join", "--strategies", "indirection_map", "--entities", "4k", "--jobs", "1")
    company = cache.figures("--workloads", "join,alive", "--entities", "1k,4k", "--strategies",
                            "indirection_map,archetype_sections")
    assert cells_of("indirection_map", alone) and cells_of("archetype_sections", company)
    for name, cell in alone.items():
        for counter, value in cell.items():
            assert counter == "family_index" or company[name][counter] == value, (name, counter)


# A lookup of one component, all out of the first level: at least a line of index, which has
# generation and row together, a line of payload, and the eighth of a line that the workload reads of its list. That one
# is charged to whichever side the compiler lets use the handle first.
LISTED = 8 / LINE


@pytest.mark.parametrize("strategy", compiled("indirection_map", "indirection_map.vectors", "interleaved_pairs"))
def test_a_look_up_by_array_misses_once_in_the_index_and_once_in_the_payload(lookups, strategy):
    cell = lookups[strategy, "components:1"]
    assert 0.97 < cell["l1d_misses_index_per_item"] < 1 + LISTED
    assert 0.97 < cell["l1d_misses_payload_per_item"] < 1 + LISTED
    assert cell["l1d_misses_per_item"] == pytest.approx(2 + LISTED, rel=0.05)


@pytest.mark.parametrize("strategy", compiled("sparse_direct", "hash_index", "archetype_sections", "naive_objects"))
def test_whatever_the_index_costs_the_payload_is_a_line(lookups, strategy):
    cell = lookups[strategy, "components:1"]
    assert 0.97 < cell["l1d_misses_payload_per_item"] < 1 + 1.1 * LISTED
    total = cell["l1d_misses_index_per_item"] + cell["l1d_misses_payload_per_item"]
    assert total == pytest.approx(cell["l1d_misses_per_item"], rel=0.01)


@of_others
def test_a_side_that_cannot_be_told_is_absent(cache):
    # An object in the heap: the C library's books about it belong to neither side.
    figures = cache.figures("--workloads", "create", "--strategies", "naive_objects", "--entities", "16k")
    cells = cells_of("naive_objects", figures)
    assert cells and not any("l1d_misses_index_per_item" in cell for cell in cells)
    assert all("l1d_misses_per_item" in cell for cell in cells)
