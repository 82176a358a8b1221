"""The suite on 64-bit ARM, compiled crosswise and run in qemu as docs/arm.md says: the results of this machine."""

import json
import os
import shutil
from pathlib import Path

import pytest

from conftest import SOURCE, only_among_all_tests, run, succeed

LIBRARIES = SOURCE / "build/debian-arm64/usr"
SELECTION = ("--strategies", "indirection_map", "--workloads", "point_mass,join", "--entities", "1k")


@only_among_all_tests
def test_a_run_in_qemu_has_the_checksums_of_this_machine(tmp_path):
    missing = [package for program, package in {"aarch64-linux-gnu-g++-12": "g++-12-aarch64-linux-gnu",
                                                "qemu-aarch64": "qemu-user"}.items() if not shutil.which(program)]
    if not LIBRARIES.is_dir():
        missing.append(f"the packages of docs/arm.md in {LIBRARIES}")
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    succeed(SOURCE / "scripts/build", "arm64", "stowage", env={"CMAKE_PREFIX_PATH": str(LIBRARIES)})
    here = [Path(os.environ["STOWAGE_RELEASE_DIR"]) / "stowage"]
    arm = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", SOURCE / "build/arm64/stowage"]
    succeed(*arm, "verify", *SELECTION)
    found = {}
    for name, command in (("here", here), ("arm", arm)):
        outcome = run(*command, "run", *SELECTION, "--out", tmp_path / name)
        results = json.loads((tmp_path / name / "results.json").read_text())
        found[name] = {entry["run_name"]: (entry["items"], entry["checksum"])
                       for entry in results["benchmarks"] if "checksum" in entry}
    assert "without times" in outcome.stderr
    assert found["arm"] == found["here"] != {}
