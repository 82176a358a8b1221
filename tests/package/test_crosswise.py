"""The suite compiled crosswise and run as docs/arm.md and docs/windows.md say: the results of this machine."""

import json
import os
import shutil
from pathlib import Path

import pytest

from conftest import SOURCE, only_among_all_tests, run, succeed

HERE = [Path(os.environ["STOWAGE_RELEASE_DIR"]) / "stowage"]
SELECTION = ("--strategies", "indirection_map", "--workloads", "point_mass,join", "--entities", "1k")


def build(preset, packages, libraries, page):
    """Of Debian, by a program of each."""
    missing = [package for program, package in packages.items() if not shutil.which(program)]
    if not libraries.is_dir():
        missing.append(f"the packages of {page} in {libraries}")
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    succeed(SOURCE / "scripts/build", preset, "stowage", env={"CMAKE_PREFIX_PATH": str(libraries)})


def checksums(command, directory, out, env={}):
    """With what the program said, and its record of the run."""
    directory.mkdir()
    outcome = run(*command, "run", *SELECTION, "--out", out, cwd=directory, env=env)
    results = json.loads((directory / out / "results.json").read_text(encoding="utf-8"))
    found = {entry["run_name"]: (entry["items"], entry["checksum"])
             for entry in results["benchmarks"] if "checksum" in entry}
    return found, outcome.stderr, results["context"]["stowage"]


@only_among_all_tests
def test_a_run_in_qemu_has_the_checksums_of_this_machine(tmp_path):
    build("arm64", {"aarch64-linux-gnu-g++-12": "g++-12-aarch64-linux-gnu", "qemu-aarch64": "qemu-user"},
          SOURCE / "build/debian-arm64/usr", "docs/arm.md")
    arm = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", SOURCE / "build/arm64/stowage"]
    succeed(*arm, "verify", *SELECTION)
    here, *_ = checksums(HERE, tmp_path / "here", "out")
    there, said, _ = checksums(arm, tmp_path / "arm", "out")
    assert "without times" in said and there == here != {}


@only_among_all_tests
def test_a_run_in_wine_has_the_checksums_of_this_machine(tmp_path):
    build("mingw", {"x86_64-w64-mingw32-g++-posix": "g++-mingw-w64-x86-64-posix", "wine": "wine"},
          SOURCE / "build/debian-windows/usr", "docs/windows.md")
    wine = ["wine", SOURCE / "build/mingw/stowage.exe"]
    succeed(*HERE, "__modules", "indirection_map",
            env={"STOWAGE_TOOLCHAIN": str(SOURCE / "build/mingw/toolchain.json")})
    windows = {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all", "LC_ALL": "C.UTF-8"}
    assert "indirection_map" in succeed(*wine, "list", "strategies", env=windows).stdout
    succeed(*wine, "verify", *SELECTION, env=windows)
    odd = "und Maße 日本"  # spaces, and letters beyond ASCII
    here, *_ = checksums(HERE, tmp_path / "here", "out", windows)
    there, _, record = checksums(wine, tmp_path / odd, f"{odd} 1", windows)
    assert "Windows" in record["os"] and there == here != {}
