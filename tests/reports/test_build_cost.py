"""`stowage build-cost`: a strategy at one level for real, and the table, also on a report's page."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from make_results import Options, write_run
from stowage_report.__main__ import main
from stowage_report.build_cost import measure
from stowage_report.build_cost.table import FILE, table_text

ROOT = Path(__file__).resolve().parents[2]
ABOUT = {"compiler": "g++ 12.2.0", "flags": "-O3", "commit": "0123abc", "processor": "Example CPU 9000"}


def a_level(**counts: float) -> dict:
    return {"compile_s": 1.5, "yardsticks": 0.5, **counts}


def a_cost(**counts: float) -> dict:
    levels = {level: a_level(**counts) for level in ("O0", "Og", "release")}
    return {**ABOUT, "yardstick_s": 3.0, "without_counts": "", "left_out": {}, "strategies": [
        {"strategy": name, "lines": 40_000, "bytes": 1_234_567, "code_bytes": 8192, "levels": levels}
        for name in (measure.HAND_WRITTEN, "archetype_sections.fixed_32k_free_list")]}


@pytest.mark.skipif(not shutil.which("c++"), reason="there is no compiler")
def test_a_strategy_is_compiled_and_counted_beside_code_by_hand_and_a_broken_one_is_left_out(tmp_path, monkeypatch):
    shutil.copytree(measure._UNIT, tmp_path / "unit")
    (tmp_path / "unit/yardstick.cpp").write_text("#include <vector>\n")  # the real one takes seconds
    monkeypatch.setattr(measure, "_UNIT", tmp_path / "unit")
    strategy = {"name": "naive_objects", "header": "stowage/naive_objects.hpp", "template": "stowage::NaiveObjects",
                "flags": [], "libraries": []}
    request = {"compiler": "c++", "flags": ["-std=c++20", "-O1", f"-I{ROOT}/strategies"], "about": ABOUT,
               "strategies": [strategy, {**strategy, "name": "broken", "template": "stowage::Broken"}]}
    cost = measure.measure(request, tmp_path, rounds=1, levels=["release"])
    assert list(cost["left_out"]) == ["broken"] and "storage.hpp:3" in cost["left_out"]["broken"]
    by_hand, storage = cost["strategies"]
    figures, others = ({**each, **each["levels"]["release"]} for each in (by_hand, storage))
    assert figures["yardsticks"] == pytest.approx(figures["compile_s"] / cost["yardstick_s"], rel=1e-4)
    assert all(1 < figures[name] < others[name] for name in ("lines", "bytes", "code_bytes"))
    if shutil.which("valgrind"):
        assert all(1 < each[f"instructions_per_{item}"] < 1000 for each in (figures, others) for item in ("entity", "lookup"))


@pytest.mark.skipif(not shutil.which("size"), reason="there is no `size`")
def test_code_is_what_size_says_it_is(tmp_path):
    (tmp_path / "a.cpp").write_text("int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\ninline int g() { return 3; }\n"
                                    "int (*h)() = g;\nconst char* text = \"text\";\n")
    subprocess.run(["c++", "-O2", "-c", "a.cpp"], cwd=tmp_path, check=True)
    listed = subprocess.run(["size", "-A", "a.o"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    expected = sum(int(line.split()[1]) for line in listed.splitlines() if line.startswith(".text"))
    assert measure.code_bytes((tmp_path / "a.o").read_bytes()) == expected > 0


def test_the_table_fits_and_has_no_columns_for_what_was_not_counted():
    counted = table_text(a_cost(instructions_per_entity=200.5, instructions_per_lookup=31.0))
    assert max(map(len, counted.splitlines())) <= 100
    assert "instructions per lookup" in counted and "40,000" in counted and "1,235" in counted
    assert "instructions per lookup" not in table_text(a_cost())


def test_a_report_shows_what_lies_beside_the_run_and_refuses_what_is_damaged(tmp_path, capsys):
    run = write_run(tmp_path / "run", Options(sizes=(1024,), axes={"point_mass": {}}, strategies=("reference", "hash_index")))
    assert main([str(run)]) == 0
    assert "Cost at the desk" not in (run / "report/report.html").read_text()
    (run / FILE).write_text(json.dumps(a_cost(instructions_per_entity=200.5) | {"left_out": {"flecs": "no <flecs.h>"}}))
    assert main([str(run)]) == 0
    page = (run / "report/report.html").read_text()
    for words in ("Cost at the desk</h3>", "archetype_<wbr>sections", "8,192", "no &lt;flecs.h&gt;",
                  "./scripts/stowage build-cost --out results/run/build_cost.json"):
        assert words in page
    (run / FILE).write_text("{}")
    assert main([str(run)]) == 2 and "build_cost.json is damaged: it lacks" in capsys.readouterr().err
