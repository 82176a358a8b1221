"""The header-only library as a package of Conan 2: docs/bring_your_own.md."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load


class Stowage(ConanFile):
    name = "stowage"
    description = "ECS storage strategies, header-only"
    license = "MIT"
    topics = ("ecs", "entity-component-system", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "strategies/stowage/*.hpp", "LICENSE"
    no_copy_source = True
    implements = ("auto_header_only",)

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(stowage VERSION (\S+)", text)[1]

    def requirements(self):
        self.requires("boost/[>=1.81 <2]", options={"header_only": True})
        self.requires("glm/[>=0.9.9 <2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "strategies"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_target_name", "stowage::strategies")
