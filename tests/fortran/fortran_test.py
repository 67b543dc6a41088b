#!/usr/bin/env python3
"""The Fortran library: every interface calls its C procedure with the right arguments, and what the table cannot say is right.
The environment's FC names another compiler than gfortran. Usage: fortran_test.py BIN_FOLDER PROJECT_ROOT [unittest's]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN, ROOT = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
MPIFORT = os.path.join(BIN, "mpifort")
HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 900  # far; mpiexec ends what no longer moves
COMPILER = os.environ.get("FC", "gfortran")


def run(*words, folder, **more):
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words[:4]))}: code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class InAFolder(unittest.TestCase):
    def setUp(self):
        if not shutil.which(COMPILER):
            self.skipTest(f"there is no {COMPILER}")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def build(self, name, *sources, flags=()):
        """Builds with mpifort. gfortran gives all warnings but those of unused arguments; there must be none."""
        files = [os.path.join(HERE, source) for source in sources]
        if COMPILER == "gfortran":
            done = run(MPIFORT, "-O3", "-Wall", "-Wno-unused-dummy-argument", *flags, *files, "-o", name, folder=self.folder)
            self.assertEqual(done.stderr, "")
        else:
            known = [flag for flag in flags if flag != "-fcray-pointer"]  # it knows them without
            run(MPIFORT, f"-fc={COMPILER}", "-O2", *known, *files, "-o", name, folder=self.folder)
        return os.path.join(self.folder, name)

    def job(self, ranks, *words):
        return run(os.path.join(BIN, "mpiexec"), "--hang-after", "60:end", "--check", "-n", ranks, *words, folder=self.folder)


class EveryInterface(InAFolder):
    """The stand-in for libmpi_abi.so.1 writes down what arrives."""

    def arrives(self, name):
        run("cc", "-shared", "-fPIC", "-w", "-I", os.path.join(ROOT, "include"), os.path.join(HERE, "generated", "recorder.c"),
            "-o", "libmpi_abi.so.1", folder=self.folder)
        program = self.build(name, f"generated/{name}.f90", flags=["-w"])
        done = run(program, folder=self.folder, env={**os.environ, "LD_LIBRARY_PATH": self.folder})
        with open(os.path.join(HERE, "generated", f"{name}.expected")) as file:
            expected = file.read().splitlines()
        self.assertGreater(len(expected), 800)
        self.assertEqual(done.stdout.splitlines(), expected)

    def test_of_mpi_f08(self):
        self.arrives("calls_f08")

    def test_of_module_mpi(self):
        self.arrives("calls_mpi")

    def test_of_mpif_h(self):
        self.arrives("calls_mpif")


class Programs(InAFolder):
    def says(self, sentence, ranks, *words):
        done = self.job(ranks, *words)
        self.assertEqual(done.stdout.splitlines().count(sentence), ranks, done.stdout)
        return done

    def test_sections(self):
        self.says("all sections are right", 2, self.build("sections", "sections.f90"))

    def test_callbacks_and_attributes(self):
        run(os.path.join(BIN, "mpicc"), "-c", os.path.join(HERE, "attributes.c"), folder=self.folder)
        self.says("all callbacks are right", 3,
                  self.build("callbacks", "callbacks.f90", os.path.join(self.folder, "attributes.o")))

    def test_conversions_for_c(self):
        run(os.path.join(BIN, "mpicc"), "-Wall", "-Wextra", "-c", os.path.join(HERE, "conversions.c"), folder=self.folder)
        self.says("all conversions are right", 2,
                  self.build("conversions", "conversions.f90", os.path.join(self.folder, "conversions.o")))

    def test_values_that_differ_between_the_languages(self):
        done = self.says("all values are right", 3, self.build("values", "values.f90"))
        self.assertIn("library: Baton", done.stdout)

    def test_on_many_ranks(self):
        self.says("all ranks are right", 160, self.build("many_ranks", "many_ranks.f90"))

    def test_older_forms(self):
        for name in ("old_module", "old_include"):
            with self.subTest(name):
                self.says("all older forms are right", 3,
                          self.build(name, "old_functions.f90", f"{name}.f90", flags=["-fcray-pointer", "-I", HERE]))

    def test_survivors(self):
        for form in ("f08", "module", "include"):
            with self.subTest(form):
                program = self.build(form, f"survivors_{form}.f90", flags=["-I", HERE])
                done = run(os.path.join(BIN, "mpiexec"), "--hang-after", "60:end", "--check", "--continue-on-failure", "-n", 4,
                           program, folder=self.folder)
                self.assertEqual(done.stdout.splitlines(), 3 * ["all that are left are right"], done.stderr)

    @unittest.skipUnless(COMPILER == "gfortran", "the flags are gfortran's")
    def test_waves_are_those_of_the_example_in_c(self):
        program = self.build("waves", os.path.join(ROOT, "examples", "shallow_water.f90"),
                             flags=["-O2", "-fwrapv", "-fno-tree-vectorize"])
        in_c = os.path.join(os.path.dirname(BIN), "examples", "shallow_water")

        def fingerprint(ranks, *words):
            said = self.job(ranks, *words, "--cells", 60, "--steps", 20).stdout
            self.assertIn("volume: conserved", said)
            return re.search(r"fingerprint: (\w{16})\n", said)[1].lower()
        wanted = fingerprint(1, in_c, "--picture", "waves.png")
        for ranks in (1, 3, 4):
            self.assertEqual(fingerprint(ranks, program), wanted)

    def test_fixed_form(self):
        self.says("fixed form is right", 2, self.build("fixed", "fixed_form.f"))


class OnOtherLibraries(InAFolder):
    """The same binaries on MPICH's and Intel's libmpi_abi.so.1. What those lack is named in docs/fortran.md."""

    def setUp(self):
        super().setUp()
        sys.path.insert(0, os.path.join(ROOT, "bench"))
        import peers
        self.peers = {}
        for name in ("mpich", "intel"):
            try:
                self.peers[name] = getattr(peers, name)(peers.default_cache())
            except peers.Unusable as why:
                self.skipTest(f"{name} cannot be installed: {why}")

    def says(self, name, sentence, ranks, program):
        peer = self.peers[name]
        environment = peer.full_environment()
        # Intel's folder has a Fortran library of the same name; this program's own comes first.
        only = os.path.join(self.folder, "only")
        os.makedirs(only, exist_ok=True)
        if not os.path.exists(os.path.join(only, "libmpifort_abi.so.1")):
            shutil.copy(os.path.join(os.path.dirname(BIN), "lib", "libmpifort_abi.so.1"), only)
        environment["LD_LIBRARY_PATH"] = f"{only}:{peer.folder}"
        done = run("timeout", 300, *peer.mpiexec, "-n", ranks, program, folder=self.folder, env=environment)
        self.assertEqual(done.stdout.splitlines().count(sentence), ranks, f"{name}: {done.stdout}")
        return done.stdout

    def test_values(self):
        program = self.build("values", "values.f90")
        self.assertIn("library: MPICH", self.says("mpich", "all values are right", 3, program))
        self.assertIn("library: Intel", self.says("intel", "all values are right", 3, program))

    def test_older_forms(self):
        program = self.build("old", "old_functions.f90", "old_module.f90", flags=["-fcray-pointer", "-I", HERE])
        self.says("intel", "all older forms are right", 3, program)

    def test_sections(self):
        self.says("mpich", "all sections are right", 2, self.build("sections", "sections.f90"))

    def test_fixed_form(self):
        program = self.build("fixed", "fixed_form.f")
        for name in self.peers:
            self.says(name, "fixed form is right", 2, program)

    def test_a_procedure_that_they_do_not_have(self):
        self.says("mpich", "what is absent is told", 2, self.build("absent", "absent.f90"))


class Wrong(InAFolder):
    def refused(self, line, ranks=1, options=("--check",)):
        path = os.path.join(self.folder, "wrong.f90")
        with open(path, "w") as file:
            file.write(f"program wrong\nuse mpi_f08\nimplicit none\ninteger :: a(10)\n"
                       f"call MPI_Init()\n{line}\nend program\n")
        run(MPIFORT, path, "-o", "wrong", folder=self.folder)
        return subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "60", *options, "-n", str(ranks), "./wrong"], cwd=self.folder,
                              capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)

    def test_a_rank_out_of_range_is_told_as_in_c(self):
        done = self.refused("call MPI_Send(a, 10, MPI_INTEGER, 5, 0, MPI_COMM_WORLD)")
        self.assertIn("MPI_Send: argument 4 (dest): rank 5 is not in this communicator of 1 rank ", done.stderr)

    def test_a_null_datatype_is_told_as_in_c(self):
        done = self.refused("call MPI_Send(a, 10, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD)")
        self.assertIn("MPI_Send: argument 3 (datatype)", done.stderr)

    def test_a_section_s_null_datatype_is_told_as_a_whole_array_s(self):
        done = self.refused("call MPI_Send(a(1:10:2), 5, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD)")
        self.assertIn("MPI_Send: argument 3 (datatype)", done.stderr)

    def test_types_and_calls_have_the_program_s_names(self):
        """What --check finds, and what --stats counts; the calls that the library makes for a section do not show."""
        collective = self.refused("call MPI_Comm_rank(MPI_COMM_WORLD, a(1))\n"
                                  "if (a(1) == 0) call MPI_Bcast(a, 10, MPI_INTEGER, 0, MPI_COMM_WORLD)\n"
                                  "if (a(1) == 1) call MPI_Bcast(a, 5, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)", ranks=2)
        self.assertRegex(collective.stderr, r"MPI_Bcast: .*rank 0 10 MPI_INTEGER .*rank 1 5 MPI_DOUBLE_PRECISION ")
        section = self.refused("call MPI_Sendrecv(a(1:9:2), 5, MPI_INTEGER, 0, 0, a(2:10:2), 5, MPI_INTEGER, 0, 0, "
                               "MPI_COMM_WORLD, MPI_STATUS_IGNORE)\ncall MPI_Finalize()", options=["--stats=json"])
        self.assertEqual(set(re.findall(r'"(MPI_\w+)"', section.stderr)) - {"MPI_Init"}, {"MPI_Sendrecv"})

    def test_long_integers_are_refused_in_one_line(self):
        done = subprocess.run([MPIFORT, "-fdefault-integer-8", "x.f90"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("makes INTEGER 8 bytes", done.stderr)


class Wrapper(InAFolder):
    def test_all_names_show_both_libraries(self):
        for name in ("mpifort", "mpif90", "mpif77", "mpifc"):
            done = run(os.path.join(BIN, name), "-show", "x.f90", folder=self.folder)
            self.assertIn("-lmpifort_abi -lmpi_abi", done.stdout)
            self.assertTrue(done.stdout.startswith("gfortran "), done.stdout)

    @unittest.skipUnless(COMPILER == "gfortran", "gcc links no other compiler's objects")
    def test_the_c_compiler_links_objects_in_fortran(self):
        """As libraries in both languages are made, PETSc among them."""
        for name, text in (("part.f90", "subroutine part() bind(C)\nuse mpi_f08\ncall MPI_Init()\ncall MPI_Finalize()\nend"),
                           ("main.c", "void part(void); int main(void) { part(); return 0; }"),
                           ("plain.c", "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }")):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
        mpicc = os.path.join(BIN, "mpicc")
        run(MPIFORT, "-c", "part.f90", folder=self.folder)
        for libraries, name, needed in ((["part.o"], "main", True), ([], "plain", False)):
            run(mpicc, f"{name}.c", *libraries, "-o", name, folder=self.folder)
            self.job(1, "./" + name)
            self.assertEqual("libmpifort_abi" in run("readelf", "-d", name, folder=self.folder).stdout, needed)

    @unittest.skipUnless(COMPILER == "gfortran", "the flags are gfortran's")
    def test_calls_that_fit_no_interface_are_compiled_where_that_is_asked(self):
        """Old programs have them, and compile with libraries whose mpif.h has no interfaces."""
        with open(os.path.join(self.folder, "p.f"), "w") as file:
            file.write("      program p\n      include 'mpif.h'\n      integer a, b, unused, ierr\n      real c\n      a = 3\n"
                       "      call MPI_INIT(ierr)\n"
                       "      call MPI_REDUCE(a, b, 1, MPI_INTEGER, MPI_SUM, 0,\n     &     MPI_COMM_WORLD, ierr, unused)\n"
                       "      call MPI_BCAST(c, 1, MPI_REAL, 0, MPI_COMM_WORLD, ierr)\n"
                       "      call MPI_BCAST(b, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)\n"
                       "      if (b .eq. 6) print '(a)', 'six'\n      call MPI_FINALIZE(ierr)\n      end\n")
        strict = subprocess.run([MPIFORT, "p.f", "-o", "p"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("More actual than formal arguments", strict.stderr)
        for flag in "-fallow-argument-mismatch", "-std=legacy":
            run(MPIFORT, "-w", flag, "p.f", "-o", "p", folder=self.folder)
            self.assertEqual(self.job(2, "./p").stdout, "six\nsix\n")

    def test_modules_for_another_compiler_are_made_once_and_that_is_said(self):
        other = os.path.join(self.folder, "other")
        with open(other, "w") as file:
            file.write('#!/bin/sh\n[ "$1" = --version ] && echo "Other Fortran 1.0" && exit 0\nexec gfortran "$@"\n')
        os.chmod(other, 0o755)
        with open(os.path.join(self.folder, "p.f90"), "w") as file:
            file.write("program p\nuse mpi_f08\ncall MPI_Init()\ncall MPI_Finalize()\nend program\n")
        environment = {**os.environ, "XDG_CACHE_HOME": os.path.join(self.folder, "cache")}
        first = run(MPIFORT, f"-fc={other}", "p.f90", "-o", "p", folder=self.folder, env=environment)
        self.assertEqual(first.stderr.count("making the modules mpi and mpi_f08 for Other Fortran 1.0, once"), 1)
        again = run(MPIFORT, f"-fc={other}", "p.f90", "-o", "p", folder=self.folder, env=environment)
        self.assertEqual(again.stderr, "")
        run(os.path.join(BIN, "mpiexec"), "-n", "2", "./p", folder=self.folder)


if __name__ == "__main__":
    unittest.main(verbosity=1)
