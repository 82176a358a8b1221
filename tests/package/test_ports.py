"""The header-only library as a port of vcpkg and as a package of Conan, made here without either."""

import json
import re
import shutil
import sys
import types
from pathlib import Path

from conftest import CMAKE, SOURCE, succeed

#: What vcpkg offers a portfile, as far as ours uses it.
VCPKG = """
cmake_minimum_required(VERSION 3.25)
set(PORT stowage)
set(CURRENT_PACKAGES_DIR "${CMAKE_CURRENT_LIST_DIR}/packages")
set(build "${CMAKE_CURRENT_LIST_DIR}/build")
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${arg_SOURCE_PATH} -B ${build} -DCMAKE_INSTALL_LIBDIR=lib
                          -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_BUILD_TYPE=Release ${arg_OPTIONS}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
  file(COPY ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/ DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(GLOB files ${CURRENT_PACKAGES_DIR}/share/${PORT}/*.cmake)
  foreach(file IN LISTS files)  # which lie a level less deep now
    file(READ ${file} text)
    string(REPLACE "/../../../\\" ABSOLUTE" "/../../\\" ABSOLUTE" text "${text}")
    string(REPLACE [[get_filename_component(_IMPORT_PREFIX "${CMAKE_CURRENT_LIST_FILE}" PATH)]]
                   [[set(_IMPORT_PREFIX "${CMAKE_CURRENT_LIST_FILE}")]] text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" FILE_LIST "")
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()
"""
LIBRARY = sorted(str(file.relative_to(SOURCE / "strategies")) for file in (SOURCE / "strategies/stowage").rglob("*.hpp"))


def headers_in(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*.hpp"))


def test_the_port_has_what_a_project_needs_and_nothing_else(tmp_path, project):
    port = SOURCE / "ports/stowage"
    (tmp_path / "port.cmake").write_text(VCPKG + f"include({port}/portfile.cmake)\n")
    succeed(CMAKE, "-P", tmp_path / "port.cmake")
    packages = tmp_path / "packages"
    assert headers_in(packages / "include") == LIBRARY
    assert sorted(file.name for file in packages.rglob("*") if file.is_file() and file.suffix != ".hpp") == [
        "copyright", "stowageConfig.cmake", "stowageConfigVersion.cmake", "stowageTargets.cmake", "usage"]
    use = [line.strip() for line in (port / "usage").read_text().splitlines() if line.startswith("    ")]
    game = project("add_executable(main game.cpp)\n" + "\n".join(use), name="port")
    shutil.copy(SOURCE / "tests/consumer/game.cpp", game.source)
    outcome = game.configure(packages)
    assert outcome.returncode == 0, outcome.stderr
    succeed(CMAKE, "--build", game.build)
    succeed(game.build / "main")


def test_the_port_names_the_libraries_that_headers_include():
    port = json.loads((SOURCE / "ports/stowage/vcpkg.json").read_text())
    included = {name for header in LIBRARY
                for name in re.findall(r"#include <(\w+)(?:/|\.h>)", (SOURCE / "strategies" / header).read_text())}
    assert included - {"stowage", "immintrin"} == {"boost", "glm", "tbb", "entt", "flecs"}
    assert {str(name).split("-")[0] for name in port["dependencies"] if isinstance(name, str)} == {"boost", "glm"}


def test_the_recipe_packages_the_headers_under_the_version_of_the_project(tmp_path, monkeypatch):
    """With what it uses of Conan."""
    def copy(_, pattern, source, target):
        for file in Path(source).rglob(pattern):
            (Path(target) / file.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, Path(target) / file.relative_to(source))

    modules = {"conan": {"ConanFile": object}, "conan.tools": {}, "conan.tools.build": {"check_min_cppstd": None},
               "conan.tools.files": {"copy": copy, "load": lambda _, path: Path(path).read_text()}}
    for name, members in modules.items():
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(__path__=[], **members))
    recipe_text = {}
    exec((SOURCE / "conanfile.py").read_text(), recipe_text)
    recipe = recipe_text["Stowage"]()
    recipe.recipe_folder, recipe.source_folder, recipe.package_folder = str(SOURCE), tmp_path / "source", tmp_path / "made"
    for pattern in recipe.exports_sources:
        folder, name = pattern.rpartition("/")[::2]
        copy(None, name, SOURCE / folder, recipe.source_folder / folder) if folder else shutil.copy(SOURCE / name, recipe.source_folder)
    recipe.set_version()
    recipe.package()
    assert f"project(stowage VERSION {recipe.version} " in (SOURCE / "CMakeLists.txt").read_text()
    assert headers_in(recipe.package_folder / "include") == LIBRARY
    assert (recipe.package_folder / "licenses/LICENSE").exists()
