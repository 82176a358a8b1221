"""Hand-written yardsticks share no code with the strategies that are compared with them."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

WORKLOADS = Path(os.environ["STOWAGE_SOURCE_DIR"]) / "workloads"
FLOORS = [f"workloads/floors/{header.name}" for header in sorted((WORKLOADS / "floors").glob("*.hpp"))]


@pytest.fixture
def included_of_strategies(stowage):
    """What these headers include of the strategies, by way of others too."""
    toolchain = stowage.toolchain()
    directories = [(Path(stowage.binary).parent / each).resolve() for each in toolchain["include_directories"]]
    command = [toolchain["compiler"], *shlex.split(toolchain["flags"]), *(f"-I{directory}" for directory in directories),
               "-M", "-x", "c++", "-"]

    def included(headers):
        source = "".join(f'#include "{header}"\n' for header in headers)
        told = subprocess.run(command, input=source, text=True, capture_output=True, check=True)
        return set(re.findall(r"strategies/stowage/(\S+)", told.stdout))
    return included


@pytest.mark.parametrize("headers, allowed", [
    (["workloads/game/plain_tables.hpp"], r"contract/.*"),
    (FLOORS, r"contract/(entity|memory)\.hpp"),
], ids=["of worlds", "of workloads"])
def test_yardsticks_use_nothing_of_the_strategies_but_the_contract(included_of_strategies, headers, allowed):
    used = included_of_strategies(headers)
    assert "contract/entity.hpp" in used
    assert not [header for header in used if not re.fullmatch(allowed, header)]


def test_no_workload_with_a_yardstick_includes_parts_of_strategies():
    headers = [*WORKLOADS.glob("*.[hc]pp"), *WORKLOADS.glob("support/*.[hc]pp")]
    assert len(headers) > 30
    assert not [header.name for header in headers if "<stowage/parts/" in header.read_text()]
