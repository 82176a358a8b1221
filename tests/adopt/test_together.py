"""What holds of several adopted headers, and of the programs that the documentation shows."""

import platform
import re
import shutil
import signal
from pathlib import Path

import pytest
from conftest import ALL, COMPILERS, OLDEST, SOURCE, adopt, build, by_header, compile, read_list, run
from conftest import STRATEGIES as TRIED

STRATEGIES = {strategy.name: strategy for strategy in read_list()}
ALL_HEADERS = by_header(TRIED).values()


def work_of(strategy):
    """A function that uses the storage, with types that every function shares."""
    return (f"int work_of_{strategy.identifier}() {{\n  {strategy.type}<Scene> storage;\n"
            "  const auto entity = storage.create(A{1}, B{2});\n"
            "  storage.each<A, const B>([](A& a, const B& b) { a.value += b.value; });\n"
            "  return storage.find<A>(entity)->value;\n}\n")


TYPES = "struct A { int value; };\nstruct B { int value; };\nusing Scene = stowage::Schema<stowage::Group<A, B>>;\n"


#: What adopted headers include from elsewhere, and more of it.
OF_OTHERS = ("bits/stdc++.h", "immintrin.h", "boost/unordered/unordered_flat_map.hpp", "tbb/parallel_for.h", "glm/glm.hpp")


def macros_of_others(directory):
    """A header that defines all words of macros.txt, of which each group begins with its name."""
    lines = (Path(__file__).parent / "macros.txt").read_text().splitlines()
    words = [word for line in lines if not line.startswith("#") for word in re.sub(r"^\S.*?: ", "", line).split()]
    includes = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in OF_OTHERS)
    (directory / "macros.hpp").write_text(includes + "".join(f"#define {word} )\n" for word in words))
    return directory / "macros.hpp"


def test_all_headers_live_in_one_program_and_in_one_file(tmp_path):
    """In both orders, so that each part comes first from several headers; and beside the macros of other libraries."""
    macros = f'#include "{macros_of_others(tmp_path)}"\n'
    orders = {"forwards": list(ALL_HEADERS), "backwards": list(ALL_HEADERS)[::-1]}
    for strategy in ALL_HEADERS:
        adopt(strategy, tmp_path)
    for name, strategies in orders.items():
        includes = "".join(f'#include "{strategy.identifier}.hpp"\n' for strategy in strategies)
        half = strategies[:len(strategies) // 2]
        work = "".join(map(work_of, half))
        calls = " + ".join(f"work_of_{strategy.identifier}()" for strategy in half)
        (tmp_path / f"{name}.cpp").write_text(f"{macros}{includes}{TYPES}{work}int {name}() {{ return {calls}; }}\n")
    count = len(ALL_HEADERS) // 2
    (tmp_path / "main.cpp").write_text(
        f"int forwards();\nint backwards();\nint main() {{ return forwards() + backwards() == {3 * 2 * count} ? 0 : 1; }}\n")
    outcome = build(COMPILERS["g++"], ["forwards.cpp", "backwards.cpp", "main.cpp"], tmp_path, "together",
                    linking=["-ltbb"])
    assert outcome.returncode == 0


COMPANIONS = "serialize,hierarchy,each_divided,commands,multi_instance_pool"


@pytest.mark.parametrize("compiler", [*(COMPILERS.values() if ALL else ()), *(OLDEST or COMPILERS.values())])
def test_every_header_compiles_beside_the_macros_of_other_libraries(compiler, tmp_path):
    """With the oldest compilers that are promised, also what is for AVX2, and a copy of the recorder among the headers."""
    flags = ["-fsyntax-only", "-Wno-deprecated-declarations", "-I.", *(["-mavx2"] if platform.machine() == "x86_64" else [])]
    shutil.copytree(SOURCE / "strategies/stowage/record", tmp_path / "stowage/record")
    includes = [macros_of_others(tmp_path), "stowage/record/storage_look.hpp"]
    for strategy in by_header(read_list()).values():
        includes.append(adopt(strategy, tmp_path, *(["--with", COMPANIONS] if len(includes) == 2 else [])))
    (tmp_path / "program.cpp").write_text("".join(f'#include "{path}"\n' for path in includes))
    # clang 19 says of std::stable_sort in libstdc++ 12 that it uses something deprecated.
    outcome = compile(compiler, *flags, "program.cpp", cwd=tmp_path)
    assert outcome.returncode == 0, outcome.stderr[:4000]


def test_a_compiler_that_is_too_old_is_told_so_first(tmp_path):
    header = adopt(STRATEGIES["indirection_map"], tmp_path)
    (tmp_path / "program.cpp").write_text(f'#include "{header.name}"\n')
    for path in ("-std=c++17", "-std=c++14"):
        outcome = run(COMPILERS["g++"], path, "-fsyntax-only", "program.cpp", cwd=tmp_path)
        errors = [line for line in outcome.stderr.splitlines() if "error:" in line]
        assert "-std=c++20" in errors[0] and len(errors) == 2, errors


def errors_of(text, directory):
    (directory / "program.cpp").write_text(text)
    outcome = compile(COMPILERS["g++"], "-fsyntax-only", "-I", SOURCE / "strategies", "program.cpp", cwd=directory)
    assert outcome.returncode != 0
    return outcome.stderr


def test_headers_of_different_versions_say_so(tmp_path):
    one, other = adopt(STRATEGIES["sparse_direct"], tmp_path), adopt(STRATEGIES["indirection_map"], tmp_path)
    guard = "STOWAGE_PART_CONTRACT_SCHEMA_HPP"
    changed, times = re.subn(rf"({guard} (!= )?0x)....", r"\g<1>0000", other.read_text())
    assert times == 2
    other.write_text(changed)
    errors = errors_of(f'#include "{one.name}"\n#include "{other.name}"\n', tmp_path)
    assert "different versions of stowage/contract/schema.hpp" in errors


def test_a_header_beside_the_library_says_so(tmp_path):
    header = adopt(STRATEGIES["indirection_map"], tmp_path)
    errors = errors_of(f'#include <stowage/sparse_direct.hpp>\n#include "{header.name}"\n', tmp_path)
    assert "take the library or adopted headers" in errors


def test_companions_come_along_and_need_no_exceptions(tmp_path):
    header = adopt(STRATEGIES["indirection_map"], tmp_path, "--with",
                   "serialize,hierarchy,each_divided,each_parallel,commands,multi_instance_pool")
    (tmp_path / "program.cpp").write_text(f"""#include "{header.name}"
using Scene = stowage::Schema<stowage::LocalTransform, stowage::WorldTransform>;
int main() {{
  stowage::IndirectionMap<Scene> scene;
  stowage::Hierarchy hierarchy(scene);
  const auto ship = scene.create(stowage::LocalTransform{{stowage::Matrix(1.0f)}}, stowage::WorldTransform{{}});
  hierarchy.add(ship);
  hierarchy.update();
  stowage::each_parallel<stowage::LocalTransform>(scene, 64, [](stowage::LocalTransform& t) {{ t.matrix[3].x = 1; }});
  stowage::Commands<stowage::IndirectionMap<Scene>> commands;
  commands.create(stowage::LocalTransform{{stowage::Matrix(1.0f)}});
  commands.destroy(ship);
  commands.apply(scene);
  stowage::ByteBuffer file;
  stowage::save(scene, file);
  return stowage::load(scene, file.bytes()).entities.size() == 1 ? 0 : 1;
}}
""")
    outcome = build(COMPILERS["g++"], ["program.cpp"], tmp_path, "program", ["-fno-exceptions"], ["-ltbb"])
    assert outcome.returncode == 0


def test_without_exceptions_an_error_is_said_and_ends_the_program(tmp_path):
    adopt(STRATEGIES["sparse_direct"], tmp_path)
    (tmp_path / "program.cpp").write_text("""#include "sparse_direct.hpp"
struct A { int value; };
int main() {
  stowage::SparseDirect<stowage::Schema<A>> storage;
  storage.emplace<A>(stowage::Entity{}, 1);
}
""")
    outcome = build(COMPILERS["g++"], ["program.cpp"], tmp_path, "program", ["-fno-exceptions"])
    assert outcome.returncode == -signal.SIGABRT
    assert re.fullmatch(r"stowage: entity handle \d+ is not alive\n", outcome.stderr)


def test_nothing_comes_along_unasked(tmp_path):
    for strategy in ALL_HEADERS:
        text = adopt(strategy, tmp_path).read_text()
        assert "// stowage/serialize" not in text and "// stowage/hierarchy" not in text
        assert "#include <glm" not in text and "#include <tbb" not in text


@pytest.mark.parametrize("page", ["docs/adopt.md", "docs/create.md"])
def test_the_program_of_a_page_prints_what_the_page_says(page, tmp_path):
    adopt(STRATEGIES["indirection_map"], tmp_path)
    shown = (SOURCE / page).read_text()
    program, = re.findall(r"```cpp\n(.*?)```", shown, re.DOTALL)
    (tmp_path / "program.cpp").write_text(program)
    outcome = build(COMPILERS["g++"], ["program.cpp"], tmp_path, "program")
    assert f"It prints `{outcome.stdout.strip()}`" in shown


def test_the_programs_of_the_page_of_strategies_compile(tmp_path):
    programs = re.findall(r"```cpp\n(.*?)```", (SOURCE / "docs/strategies.md").read_text(), re.DOTALL)
    whole = [program for program in programs if "int main" in program]
    assert len(whole) == 2
    for program in whole:
        (tmp_path / "program.cpp").write_text(program)
        outcome = compile(COMPILERS["g++"], "-fsyntax-only", "-I", SOURCE / "strategies", "program.cpp", cwd=tmp_path)
        assert outcome.returncode == 0, outcome.stderr
