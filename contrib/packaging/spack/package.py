# SPDX-License-Identifier: Apache-2.0
#
# Spack: var/spack/repos/.../packages/yoke/package.py, for Spack 1.0 or later.

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Yoke(AutotoolsPackage):
    """GPU computing in C, the same on NVIDIA's CUDA driver and on any OpenCL driver, chosen at run time."""

    homepage = "@HOME@"
    url = "@TARBALL@"

    license("Apache-2.0")

    version("@VERSION@", sha256="@SHA256@")

    variant("jansson", default=True, description="The tool writes JSON, and yoke trace works")
    variant("mpi", default=False, description="libyoke-comm: MPI in the order of streams")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("opencl-c-headers", type="build")
    depends_on("jansson@2.8:", when="+jansson")
    depends_on("mpi", when="+mpi")

    conflicts("platform=darwin", msg="Yoke runs on Linux")
    conflicts("platform=windows", msg="Yoke runs on Linux")

    def configure_args(self):
        args = ["--without-cuda-headers", "--without-gpuarray"]
        if self.spec.satisfies("~jansson"):
            args.append("--without-jansson")
        if self.spec.satisfies("+mpi"):
            args.append("--with-mpi=" + self.spec["mpi"].mpicc)
        else:
            args.append("--without-mpi")
        return args

    # The drivers' libraries are opened at run time, by soname: none is a dependency.
    def check(self):
        make("check", "TESTS=$(unit_tests) $(model_tests)")
