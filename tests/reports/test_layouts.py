"""How much of a figure's scatter is where its code lies."""

import json
import math
import random
from statistics import fmean

import pytest

from make_results import Options, write_run
from stowage_report.data.load import load_run
from stowage_report.pages.summary import measured, shares_of_layout


def run_with(tmp_path, of_layout, within, layouts=4, repetitions=40):
    """Each cell's ratio differs by so much between layouts and within one, as standard deviations of logarithms."""
    rng = random.Random(1)
    options = Options(sizes=(1024, 16384), axes={"point_mass": {}}, passes=(), repetitions=repetitions)
    write_run(tmp_path / "run", options)
    file = tmp_path / "run" / "results.json"
    document = json.loads(file.read_text())
    document["context"]["stowage"]["layouts"] = layouts
    moves = {}
    for entry in document["benchmarks"]:
        if entry["run_type"] == "iteration":
            layout = entry["layout"] = entry["repetition_index"] % layouts
            move = moves.setdefault((entry["run_name"], layout), of_layout * rng.gauss(0, 1))
            is_fixed = "/reference/" in entry["name"]
            entry["ns_per_item"] = 100 if is_fixed else 200 * math.exp(move + within * rng.gauss(0, 1))
    file.write_text(json.dumps(document))
    return load_run(tmp_path / "run")


@pytest.mark.parametrize("of_layout, within, least, most", [(0.0, 0.02, 0.0, 0.1), (0.05, 0.0005, 0.99, 1.0),
                                                            (0.03, 0.03, 0.38, 0.62)])
def test_the_share_is_that_of_the_variance(tmp_path, of_layout, within, least, most):
    shares = shares_of_layout(run_with(tmp_path, of_layout, within, layouts=10, repetitions=100))
    assert least <= fmean(shares.values()) <= most
    assert not any("/reference" in name for name in shares)


def test_the_summary_tells_it_of_runs_with_layouts_alone(tmp_path):
    run = run_with(tmp_path, 0.05, 0.0005)
    assert any("code lay at 4 places" in line for line in measured(run))
    write_run(tmp_path / "plain", Options(passes=()))
    plain = load_run(tmp_path / "plain")
    assert shares_of_layout(plain) == {} and not any("places" in line for line in measured(plain))
