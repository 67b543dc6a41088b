#!/usr/bin/env python3
"""What cmake --install puts into a prefix can be used: wrappers, pkg-config, CMake's FindMPI, mpiexec.
Usage: install_test.py BUILD_FOLDER"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
WATCHDOG_SECONDS = 1200
HELLO = """#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  printf("%d of %d\\n", rank, ranks);
  MPI_Finalize();
  return 0;
}
"""
FORTRAN_HELLO = """program hello
  use mpi_f08
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  print "(i0, a, i0)", rank, " of ", size
  call MPI_Finalize()
end program
"""
FORTRAN_PROJECT = """cmake_minimum_required(VERSION 3.16)
project(hello Fortran)
find_package(MPI REQUIRED)
message(STATUS "forms: ${MPI_Fortran_HAVE_F77_HEADER} ${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE}")
add_executable(hello hello.f90)
target_link_libraries(hello PRIVATE MPI::MPI_Fortran)
"""
PROJECT = """cmake_minimum_required(VERSION 3.16)
project(hello C CXX)
find_package(MPI REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE MPI::MPI_C)
add_executable(hello_cxx hello.cpp)
target_link_libraries(hello_cxx PRIVATE MPI::MPI_CXX)
"""


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG_SECONDS, **more)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = os.path.join(cls.folder.name, "a prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        for name, text in (("hello.c", HELLO), ("hello.cpp", HELLO), ("hello.f90", FORTRAN_HELLO)):
            with open(os.path.join(cls.folder.name, name), "w") as file:
                file.write(text)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, *parts):
        return os.path.join(self.folder.name, *parts)

    def says_hello(self, program, bin_folder=None):
        mpiexec = os.path.join(bin_folder or os.path.join(self.prefix, "bin"), "mpiexec")
        out = run(mpiexec, "--timeout", "600", "-n", "2", program)
        self.assertEqual(sorted(out.splitlines()), ["0 of 2", "1 of 2"])

    def test_wrappers_compile_link_and_run_in_both_places(self):
        for bin_folder in (os.path.join(BUILD, "bin"), os.path.join(self.prefix, "bin")):
            fortran = [("mpifort", "hello.f90")] if shutil.which("gfortran") else []
            for wrapper, source in (("mpicc", "hello.c"), ("mpicxx", "hello.cpp"), *fortran):
                run(os.path.join(bin_folder, wrapper), self.path(source), "-o", self.path("hello"))
                self.says_hello(self.path("hello"), bin_folder)

    def test_compiling_and_linking_in_two_steps_works(self):
        mpicc = os.path.join(self.prefix, "bin", "mpicc")
        run(mpicc, "-c", self.path("hello.c"), "-o", self.path("hello.o"))
        run(mpicc, self.path("hello.o"), "-o", self.path("hello"))
        self.says_hello(self.path("hello"))

    def test_what_a_wrapper_would_do_is_shown(self):
        mpicc = os.path.join(self.prefix, "bin", "mpicc")
        self.assertIn("-lmpi_abi", run(mpicc, "-show"))
        self.assertNotIn("-lmpi_abi", run(mpicc, "-showme:compile"))
        self.assertEqual(run(mpicc, "-showme:incdirs").strip(), os.path.join(os.path.realpath(self.prefix), "include"))
        self.assertNotEqual(subprocess.run([mpicc, "-showme:nonsense"], capture_output=True).returncode, 0)

    def test_the_line_shown_can_be_evaluated_whatever_is_in_the_names(self):
        mpicc = os.path.join(self.prefix, "bin", "mpicc")
        source = self.path("it's a $HOME file.c")
        with open(source, "w") as file:
            file.write(HELLO)
        run("sh", "-c", run(mpicc, "-show", "-DA=\"b c\"", source, "-o", self.path("hello shown")))
        self.says_hello(self.path("hello shown"))
        run("sh", "-c", f"cc {run(mpicc, '-showme:compile').strip()} -c hello.c -o shown.o && "
            f"cc shown.o -o shown {run(mpicc, '-showme:link').strip()}", cwd=self.folder.name)
        self.says_hello(self.path("shown"))

    def test_pages_completions_and_the_license_come_along(self):
        for name in ("share/man/man1/mpiexec.1", "share/man/man1/mpirun.1", "share/man/man1/mpicc.1", "share/man/man1/baton.1",
                     "share/bash-completion/completions/mpiexec", "share/bash-completion/completions/mpirun",
                     "share/bash-completion/completions/baton", "share/zsh/site-functions/_mpiexec",
                     "share/fish/vendor_completions.d/mpiexec.fish", "share/doc/baton/LICENSE",
                     "share/doc/baton/docs/launching.md", "share/doc/baton/docs/from-another-mpi.md"):
            with open(os.path.join(self.prefix, name)) as file:
                self.assertGreater(len(file.read()), 10, name)

    def test_cmakes_find_package_finds_the_wrappers(self):
        # In a path without spaces, which FindMPI does not take apart rightly.
        prefix = self.path("plain")
        run("cmake", "--install", BUILD, "--prefix", prefix)
        project = self.path("project")
        os.makedirs(project)
        for name, text in (("CMakeLists.txt", PROJECT), ("hello.c", HELLO), ("hello.cpp", HELLO)):
            with open(os.path.join(project, name), "w") as file:
                file.write(text)
        environment = {**os.environ, "PATH": os.path.join(prefix, "bin") + ":" + os.environ["PATH"]}
        said = run("cmake", "-S", project, "-B", os.path.join(project, "build"), env=environment)
        self.assertIn(os.path.join(prefix, "lib"), said)
        run("cmake", "--build", os.path.join(project, "build"), env=environment)
        for program in ("hello", "hello_cxx"):
            self.says_hello(os.path.join(project, "build", program))

    @unittest.skipUnless(shutil.which("gfortran"), "there is no gfortran")
    def test_cmakes_find_package_finds_all_forms_of_fortran(self):
        prefix = self.path("fortran_prefix")
        run("cmake", "--install", BUILD, "--prefix", prefix)
        project = self.path("fortran_project")
        os.makedirs(project)
        for name, text in (("CMakeLists.txt", FORTRAN_PROJECT), ("hello.f90", FORTRAN_HELLO)):
            with open(os.path.join(project, name), "w") as file:
                file.write(text)
        environment = {**os.environ, "PATH": os.path.join(prefix, "bin") + ":" + os.environ["PATH"]}
        said = run("cmake", "-S", project, "-B", os.path.join(project, "build"), env=environment)
        self.assertIn("forms: TRUE TRUE TRUE", said)
        run("cmake", "--build", os.path.join(project, "build"), env=environment)
        self.says_hello(os.path.join(project, "build", "hello"))

    def test_pkg_config_flags_build_a_program_wherever_it_is_installed(self):
        prefix = self.path("packaged")
        run("cmake", "--install", BUILD, "--prefix", prefix)
        folders = [folder for folder, _, names in os.walk(prefix) if "baton.pc" in names]
        self.assertEqual(len(folders), 1)
        environment = {**os.environ, "PKG_CONFIG_PATH": folders[0]}
        flags = run("pkg-config", "--cflags", "--libs", "baton", env=environment).split()
        lib = os.path.dirname(folders[0])
        run("cc", self.path("hello.c"), *flags, f"-Wl,-rpath,{lib}", "-o", self.path("hello"))
        self.says_hello(self.path("hello"))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "tuning needs two CPUs")
    def test_the_installed_tool_measures_with_what_is_installed(self):
        profile = self.path("profile.json")
        run(os.path.join(self.prefix, "bin", "baton"), "tune", "--seconds", "1", "--output", profile)
        self.assertTrue(os.path.exists(profile))

    def test_the_installed_lab_has_its_data(self):
        """What its studies read beside their code: sources and machines."""
        lab = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lab")
        wanted = {os.path.relpath(os.path.join(folder, name), lab) for folder, _, names in os.walk(lab) for name in names
                  if name.endswith((".json", ".css"))}
        installed = os.path.join(self.prefix, "share", "baton", "lab")
        self.assertTrue(wanted)
        self.assertEqual([name for name in sorted(wanted) if not os.path.exists(os.path.join(installed, name))], [])

    def test_the_installed_tool_runs_the_lab(self):
        out = self.path("lab")
        baton = os.path.join(self.prefix, "bin", "baton")
        self.assertIn("scatter", run(baton, "lab"))
        if os.path.exists(os.path.join(self.prefix, "libexec", "baton", "baton-bus")):
            run(baton, "lab", "scatter", "--quick", "--out", out)
            self.assertTrue(os.path.exists(os.path.join(out, "index.html")))

    def test_all_promised_files_are_there(self):
        for name in ("bin/mpiexec", "bin/mpirun", "bin/mpicc", "bin/mpicxx", "bin/baton", "include/mpi.h"):
            self.assertTrue(os.path.exists(os.path.join(self.prefix, name)), name)
            self.assertTrue(os.path.exists(os.path.join(BUILD, name)), name)
        self.assertTrue(os.path.exists(os.path.join(BUILD, "lib", "libmpi_abi.so.1")))

    def test_the_installed_mpiexec_leads_to_the_installed_library(self):
        prefix = os.path.realpath(self.prefix)
        folder, = (os.path.join(folder, "baton") for folder, _, names in os.walk(prefix)
                   if "libmpi_abi.so.1" in names and os.path.basename(folder) != "baton")
        self.assertEqual(os.listdir(folder), ["libmpi_abi.so.1"])
        library = os.path.join(folder, "libmpi_abi.so.1")
        self.assertTrue(os.path.samefile(library, os.path.join(folder, "..", "libmpi_abi.so.1")))
        # Linked against the one of the build folder.
        run(os.path.join(BUILD, "bin", "mpicc"), self.path("hello.c"), "-o", self.path("hello"))
        done = subprocess.run([os.path.join(prefix, "bin", "mpiexec"), "--explain", "-n", "1", self.path("hello")],
                              capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
        self.assertEqual((done.returncode, done.stdout), (0, "0 of 1\n"), done.stderr)
        self.assertIn(f"library: {library} (Baton ", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
