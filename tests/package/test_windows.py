"""The suite on Windows, compiled crosswise and run in wine as docs/windows.md says: the results of this machine."""

import json
import os
import shutil
from pathlib import Path

import pytest

from conftest import SOURCE, only_among_all_tests, run, succeed

LIBRARIES = SOURCE / "build/debian-windows/usr"
SELECTION = ("--strategies", "indirection_map", "--workloads", "point_mass,join", "--entities", "1k")


@only_among_all_tests
def test_a_run_in_wine_has_the_checksums_of_this_machine(tmp_path):
    missing = [package for program, package in {"x86_64-w64-mingw32-g++-posix": "g++-mingw-w64-x86-64-posix",
                                                "wine": "wine"}.items() if not shutil.which(program)]
    if not LIBRARIES.is_dir():
        missing.append(f"the libraries of docs/windows.md in {LIBRARIES}")
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    here = [Path(os.environ["STOWAGE_RELEASE_DIR"]) / "stowage"]
    wine = ["wine", SOURCE / "build/mingw/stowage.exe"]
    succeed(SOURCE / "scripts/build", "mingw", "stowage", env={"CMAKE_PREFIX_PATH": str(LIBRARIES)})
    succeed(*here, "__modules", "indirection_map",
            env={"STOWAGE_TOOLCHAIN": str(SOURCE / "build/mingw/toolchain.json")})
    windows = {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all", "LC_ALL": "C.UTF-8"}
    assert "indirection_map" in succeed(*wine, "list", "strategies", env=windows).stdout
    succeed(*wine, "verify", *SELECTION, env=windows)
    found = {}
    for name, command in (("here", here), ("und Maße 日本", wine)):  # spaces, and letters beyond ASCII
        (tmp_path / name).mkdir()
        run(*command, "run", *SELECTION, "--out", f"{name} 1", cwd=tmp_path / name, env=windows)
        results = json.loads((tmp_path / name / f"{name} 1" / "results.json").read_text(encoding="utf-8"))
        found[name] = {entry["run_name"]: (entry["items"], entry["checksum"])
                       for entry in results["benchmarks"] if "checksum" in entry}
    assert "Windows" in results["context"]["stowage"]["os"]
    here, there = found.values()
    assert there == here != {}
