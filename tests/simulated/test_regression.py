"""A strategy made worse is caught by its misses alone: it is right in every answer, and no clock is asked."""


def misses(figures, strategy):
    return figures[f"lookup/{strategy}/entities:65536/components:1"]["l1d_misses_per_item"]


def is_as_drawn(misses_per_lookup):
    """indirection_map's header: a line for generation and row, one for the component, and the workload's own list."""
    return misses_per_lookup <= 1.1 * (1 + 1 + 8 / 64)


def test_a_pointer_too_many_for_each_look_up_shows_in_the_misses(worse):
    figures = worse.figures("--workloads", "lookup", "--strategies", "indirection_map,extra_hop", "--entities", "64k")
    assert is_as_drawn(misses(figures, "indirection_map"))
    assert not is_as_drawn(misses(figures, "extra_hop"))
