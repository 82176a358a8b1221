"""Every adopted header by itself: it compiles alone, its example runs, and its storage passes the conformance suite."""

import shutil

import pytest

from conftest import (ALL, COMPILERS, SOURCE, TARGETS, THOROUGH, adopt, build, by_header, example_of, note_of_target,
                      read_list)

EXCEPTIONS = ([], ["-fno-exceptions"])
# With -O2 compilers see what a cursor was made of, and warn of what it was not.
LOOP = """int hurt({type}<Scene>& scene) {{
  int sum = 0;
  scene.each<const Position, stowage::Optional<const Health>>([&](const Position& p, const auto& health) {{
    if (health != nullptr && health->points != 0) {{ if (p.x > 3) ++sum; }} else {{ sum += 2; }}
  }});
  return sum;
}}
"""
# The code of all is the library's, on which the suite runs for every strategy.
USUALLY_CONFORMING = "indirection_map"
# What the suite asks of any storage; no storage needs it. What it includes leads to the adopted header.
OF_THE_SUITE = "stowage/contract/capabilities.hpp"
SUPPORT = ("tests/support/counting_new.cpp", "harness/measure/memory/heap.cpp")


def is_usual(strategy, compiler, exceptions):
    """Each header once: every other one by another compiler, if there are two, and without exceptions."""
    first_of_header = by_header(read_list())
    odd = list(first_of_header).index(strategy.header) % 2
    return first_of_header[strategy.header] == strategy and (compiler, exceptions) == (list(COMPILERS)[-odd], odd)


@pytest.mark.parametrize("exceptions", (0, 1), ids=("exceptions", "no_exceptions"))
@pytest.mark.parametrize("compiler", COMPILERS)
def test_it_compiles_alone_and_its_example_runs(strategy, compiler, exceptions, tmp_path):
    if not THOROUGH and not is_usual(strategy, compiler, exceptions):
        pytest.skip("only if everything is compiled: scripts/checks/adopt")
    header = adopt(strategy, tmp_path)
    types, statements = example_of(header)
    assert f"{strategy.type}<Scene> scene;" in statements
    (tmp_path / "example.cpp").write_text(
        f'#include "{header.name}"\n{types}\n{LOOP.format(type=strategy.type)}int main() {{\n{statements}\n'
        'return scene.alive(hero) ? 1 : hurt(scene);\n}\n')
    outcome = build(COMPILERS[compiler], ["example.cpp"], tmp_path, "example", [*EXCEPTIONS[exceptions], "-O2"])
    assert outcome.returncode == 0


def lead_to(header, include):
    """A directory in which every <stowage/...> that the header has a part of leads to it."""
    for line in header.read_text().splitlines():
        if line.startswith("// stowage/") and line.endswith("---"):
            stub = include / line.split()[1]
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.write_text(f'#include "{header}"\n')
    assert not (include / OF_THE_SUITE).exists()
    shutil.copy(SOURCE / "strategies" / OF_THE_SUITE, include / OF_THE_SUITE)


def strategy_with(strategy):
    if "REGISTRY" not in strategy.traits:
        return ""
    return f"template <class SchemaType, class Registry>\nusing StrategyWith = {strategy.type}<SchemaType, Registry>;"


def more_checks(strategy):
    checks = []
    if "REGISTRY" in strategy.traits:
        checks.append("for_each_registry_check<StrategyWith>(run_one);")
    if "UNPACKED" not in strategy.traits:
        checks.append("for_each_packed_check<Strategy>(run_one);")
    if "HEAP_PER_ENTITY" not in strategy.traits:
        checks.append("for_each_reserved_check<Strategy>(run_one);")
    return "\n  ".join(checks)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_its_storage_conforms(strategy, target, tmp_path):
    if not target.is_there:
        pytest.skip(f"needs {target.package or target.compiler}")
    if not THOROUGH and not (ALL and strategy.name == USUALLY_CONFORMING and target.is_usual):
        pytest.skip("only if everything is compiled: scripts/checks/adopt")
    header = adopt(strategy, tmp_path)
    lead_to(header, tmp_path / "include")
    text = (SOURCE / "tests/adopt/conformance.cpp.in").read_text()
    guard = "STOWAGE_PART_" + strategy.header.removeprefix("stowage/").upper().replace("/", "_").replace(".", "_")
    for key, value in (("@HEADER@", strategy.header), ("@GUARD@", guard), ("@TYPE@", strategy.type),
                       ("@STRATEGY_WITH@", strategy_with(strategy)), ("@MORE_CHECKS@", more_checks(strategy))):
        text = text.replace(key, value)
    (tmp_path / "conformance.cpp").write_text(text)
    outcome = build(target.compiler, ["conformance.cpp", *(SOURCE / path for path in SUPPORT)], tmp_path, "conformance.exe",
                    [*target.flags, "-I", tmp_path / "include", "-isystem", SOURCE, "-MD"],
                    [*target.flags, *target.linking, "-pthread"], target.runs_with)
    assert outcome.returncode == 0, outcome.stderr
    # What was read proves where the types come from.
    assert "strategies/stowage" not in (tmp_path / "conformance.d").read_text()
    assert (checks := int(outcome.stdout.split()[0])) > 50
    note_of_target(target, strategy, checks)
