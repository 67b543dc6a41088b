# A recipe for Spack, not tried there: only its syntax is checked (tests/packaging). To use it, put this folder into a
# repository of yours as packages/baton_mpi.
from spack.package import *


class BatonMpi(CMakePackage):
    """MPI library for nodes with many cores, several NUMA nodes and several kinds of memory, with the MPI 5.0 standard
    ABI (libmpi_abi.so.1)."""

    homepage = "file:README.md"
    license("BSD-3-Clause", checked_by="the Baton developers")

    version("develop")  # spack develop --path FOLDER baton-mpi@develop

    variant("export_heap", default=True, description="mpiexec --export-heap, by jemalloc")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.1:")
    depends_on("fmt@9:")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("jemalloc", when="+export_heap")
    depends_on("python@3.11:", type="run")

    provides("mpi@:5.0")
    requires("%gcc@12:", msg="Baton is C++23 as GCC 12 has it")
    requires("platform=linux target=x86_64:", msg="Baton runs on 64-bit Linux on x86")

    def cmake_args(self):
        return [self.define("BATON_TESTS", False)]

    def setup_dependent_build_environment(self, env, dependent_spec):
        env.set("MPICC", join_path(self.prefix.bin, "mpicc"))
        env.set("MPICXX", join_path(self.prefix.bin, "mpicxx"))

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = join_path(self.prefix.bin, "mpicc")
        self.spec.mpicxx = join_path(self.prefix.bin, "mpicxx")
