"""A strategy made worse is caught by its misses alone: it is right in every answer, and no clock is asked."""

import subprocess

LOOK_UPS = ("--workloads", "lookup", "--entities", "64k")


def misses(figures, strategy):
    return figures[f"lookup/{strategy}/entities:65536/components:1"]["l1d_misses_per_item"]


def is_as_drawn(misses_per_lookup):
    """indirection_map's header: a line for generation and row, one for the component, and the workload's own list."""
    return misses_per_lookup <= 1.1 * (1 + 1 + 8 / 64)


def test_a_pointer_too_many_for_each_look_up_shows_in_the_misses(worse):
    figures = worse.figures(*LOOK_UPS, "--strategies", "indirection_map,extra_hop")
    assert is_as_drawn(misses(figures, "indirection_map"))
    assert not is_as_drawn(misses(figures, "extra_hop"))


def test_compare_finds_it_when_it_takes_the_place_of_the_strategy(worse, tmp_path):
    as_it_was, made_worse = tmp_path / "before.json", tmp_path / "after.json"
    as_it_was.write_text(worse.text(*LOOK_UPS, "--strategies", "indirection_map"))
    made_worse.write_text(worse.text(*LOOK_UPS, "--strategies", "extra_hop").replace("extra_hop", "indirection_map"))

    def compare(after):
        return subprocess.run([worse.binary, "compare", as_it_was, after, "--fail-above", "5%"],
                              capture_output=True, text=True, timeout=60, check=False)

    unchanged, found = compare(as_it_was), compare(made_worse)
    assert unchanged.returncode == 0, unchanged.stderr
    assert found.returncode == 1, found.stderr
    for figure in ("instructions_per_item", "l1d_misses_per_item"):
        assert figure in found.stdout
    assert "lookup/indirection_map/entities:65536/components:1" in found.stdout
    assert "lookup/reference" not in found.stdout
