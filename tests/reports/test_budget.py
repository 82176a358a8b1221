"""A report on a `standard` run of everything stays small enough to be sent around."""

from dataclasses import replace

from make_results import EVERYTHING, PLAIN, write_run
from stowage_report.__main__ import main

#: Of a `standard` run of the whole suite.
LARGEST_BYTES = 8 * 10**6
CELLS = 6300


def test_pages_grow_with_their_cells_to_no_more_than_8_megabytes(tmp_path):
    """What one part of a run takes more than another, the whole takes more than both."""
    small_cells, small_bytes = size_of(tmp_path, "lookup")
    cells, bytes_of_page = size_of(tmp_path, "lookup", "point_mass", "join")
    assert cells > CELLS / 7
    growth = (bytes_of_page - small_bytes) / (cells - small_cells)
    assert bytes_of_page + growth * (CELLS - cells) < LARGEST_BYTES, f"{growth:.0f} bytes for each cell"


def size_of(tmp_path, *workloads):
    """Of a report on these: cells, and bytes of its page."""
    axes = {name: PLAIN[name] for name in workloads}
    run = write_run(tmp_path / "-".join(workloads), replace(EVERYTHING, axes=axes))
    assert main([str(run)]) == 0
    cells = len((run / "report/data.csv").read_text().splitlines()) - 1
    return cells, (run / "report/report.html").stat().st_size
