# SPDX-License-Identifier: Apache-2.0
#
# Conan 2: recipes/yoke/all/conanfile.py. The library alone, built with CMake.

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir

required_conan_version = ">=2.0"


class YokeConan(ConanFile):
    name = "yoke"
    version = "@VERSION@"
    description = "GPU computing in C, the same on NVIDIA's CUDA driver and on any OpenCL driver"
    license = "Apache-2.0"
    homepage = "@HOME@"
    topics = ("gpu", "gpgpu", "cuda", "opencl")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}
    languages = "C"

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Yoke runs on Linux")

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        self.requires("opencl-headers/[>=2023.04.17]", libs=False, visible=False)

    def source(self):
        get(self, "@TARBALL@", sha256="@SHA256@", strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["YOKE_INSTALL"] = True
        headers = self.dependencies["opencl-headers"].cpp_info.includedirs[0]
        toolchain.cache_variables["YOKE_OPENCL_INCLUDE_DIR"] = headers
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Yoke")
        # No target of the package as a whole: each library has its own.
        self.cpp_info.set_property("cmake_target_name", "Yoke::all")
        self.cpp_info.set_property("pkg_config_name", "none")
        core = self.cpp_info.components["yoke"]
        core.set_property("cmake_target_name", "Yoke::yoke")
        core.set_property("pkg_config_name", "yoke")
        core.libs = ["yoke"]
        core.requires = ["opencl-headers::opencl-headers"]
        ops = self.cpp_info.components["ops"]
        ops.set_property("cmake_target_name", "Yoke::ops")
        ops.set_property("pkg_config_name", "yoke-ops")
        ops.libs = ["yoke-ops"]
        ops.requires = ["yoke"]
        if not self.options.shared:
            core.system_libs = ["dl", "m", "pthread"]
            core.exelinkflags = ["-Wl,-z,nodelete"]
            core.sharedlinkflags = ["-Wl,-z,nodelete"]
