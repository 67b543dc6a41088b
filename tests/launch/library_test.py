#!/usr/bin/env python3
"""Which MPI library the programs of a job load: Baton's own, or mpiexec says before the start what is in the way. The
other libraries are made here. Usage: library_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIEXEC = os.path.join(BIN, "mpiexec")
MPICC = os.path.join(BIN, "mpicc")
RANK = os.path.join(PROGRAMS, "fake_rank")
OWN_FOLDER = os.path.join(os.path.realpath(os.path.join(BIN, "..", "lib")), "baton")
WATCHDOG_SECONDS = 600
# A job in which this test itself may run would be another launcher.
CLEAN = {name: value for name, value in os.environ.items()
         if name != "LD_LIBRARY_PATH" and not name.startswith(("PMI", "SLURM_", "BATON_RANK", "BATON_JOB", "BATON_LIB"))}

# Another library with this name: it knows of no other rank.
OTHER = """#include <stdio.h>
int MPI_Init(int *count, char ***words) { puts("other"); return 0; }
int MPI_Comm_size(void *comm, int *size) { *size = 1; return 0; }
int MPI_Finalize(void) { return 0; }
"""
HELLO = """#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
  int ranks;
  MPI_Init(&count, &words);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  printf("one of %d\\n", ranks);
  MPI_Finalize();
  return 0;
}
"""
# After MPI_Init it runs its arguments as a shell does.
STARTER = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  MPI_Init(&count, &words);
  fflush(stdout);
  int status = system(words[1]);
  MPI_Finalize();
  return status != 0;
}
"""
# A program for an MPI with an interface of its own, as far as mpiexec can see.
FOREIGN = "int MPI_Init(void *, void *); int main(void) { return MPI_Init(0, 0); }\n"
# What a library such as PETSc is.
BETWEEN = "int MPI_Init(void *, void *); int solve(void) { return MPI_Init(0, 0); }\n"
SOLVES = "int solve(void); int main(void) { return solve(); }\n"
# Another MPI's mpiexec: it offers PMI, and what it starts may go through LD_LIBRARY_PATH.
LAUNCHER = """#!/bin/sh
echo "path ${LD_LIBRARY_PATH-unset}"
PMI_RANK=0 PMI_SIZE=1 exec "$@"
"""


def run(*words, env=None, cwd=None, timeout=WATCHDOG_SECONDS):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=timeout, env={**CLEAN, **(env or {})}, cwd=cwd)


def must(*words, **more):
    done = run(*words, **more)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        cls.other = cls.library("other", "libmpi_abi.so.1", OTHER)
        cls.program("led", HELLO, *cls.linked(cls.other, "libmpi_abi.so.1", "--enable-new-dtags"), header=True)
        cls.program("insisting", HELLO, *cls.linked(cls.other, "libmpi_abi.so.1", "--disable-new-dtags"), header=True)
        must(MPICC, cls.source("own.c", HELLO), "-o", cls.path("own"))
        must(MPICC, cls.source("starter.c", STARTER), "-o", cls.path("starter"))
        cls.script("mpiexec", LAUNCHER)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def path(cls, *parts):
        return os.path.join(cls.folder, *parts)

    @classmethod
    def source(cls, name, text):
        with open(cls.path(name), "w") as file:
            file.write(text)
        return cls.path(name)

    @classmethod
    def script(cls, name, text):
        os.chmod(cls.source(name, text), 0o755)
        return cls.path(name)

    @classmethod
    def library(cls, place, name, text, *words):
        """Makes it in a folder of its own, which it returns."""
        os.makedirs(cls.path(place), exist_ok=True)
        must("cc", "-shared", "-fPIC", cls.source(f"{place}-{name}.c", text), f"-Wl,-soname,{name}",
             "-o", cls.path(place, name), *words)
        return cls.path(place)

    @classmethod
    def program(cls, name, text, *words, header=False):
        include = ["-I" + os.path.join(BIN, "..", "include")] if header else []
        must("cc", cls.source(name + ".c", text), *include, "-o", cls.path(name), *words)
        return cls.path(name)

    @staticmethod
    def linked(folder, name, tags="--enable-new-dtags"):
        return [os.path.join(folder, name), f"-Wl,-rpath,{folder}", f"-Wl,{tags}"]

    def refused(self, done, *told):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("mpiexec: "), 1, done.stderr)
        for words in told:
            self.assertIn(words, done.stderr)

    def joined(self, done, ranks=2):
        self.assertEqual((done.returncode, done.stdout), (0, f"one of {ranks}\n" * ranks), done.stderr)


class OtherInterfaces(Library):
    def test_a_program_for_another_mpis_interface_is_refused_with_what_it_needs(self):
        for name, whose in (("libmpi.so.12", "MPICH"), ("libmpi.so.40", "Open MPI"), ("libmpi.so.20", "Open MPI"),
                            ("libmpich.so.12", "MPICH"), ("libmpi_cray.so.12", "Cray"), ("libmpifort.so.12", "MPICH"),
                            ("libmpi_mpifh.so.40", "Open MPI"), ("libmpicxx.so.12", "MPICH")):
            with self.subTest(name):
                folder = self.library("foreign", name, OTHER)
                program = self.program("foreign_program", FOREIGN, *self.linked(folder, name))
                self.refused(run(MPIEXEC, "-n", 2, program), program, f"needs {name},", whose, "mpicc", "libmpi_abi.so.1",
                             "that library's own mpiexec")

    def test_the_library_through_which_it_comes_is_named(self):
        folder = self.library("indirect", "libmpi.so.12", OTHER)
        self.library("indirect", "libpetsc.so.3", BETWEEN, *self.linked(folder, "libmpi.so.12"))
        program = self.program("solver", SOLVES, *self.linked(folder, "libpetsc.so.3"))
        self.refused(run(MPIEXEC, "-n", 2, program), f"needs libmpi.so.12 (through {folder}/libpetsc.so.3)",
                     "Compile it and libpetsc.so.3 with")

    def test_a_library_that_is_not_there_is_named_the_same(self):
        folder = self.library("gone", "libmpi.so.40", OTHER)
        program = self.program("lonely", FOREIGN, *self.linked(folder, "libmpi.so.40"))
        os.remove(os.path.join(folder, "libmpi.so.40"))
        self.refused(run(MPIEXEC, "-n", 2, program), "needs libmpi.so.40", "Open MPI")

    def test_a_program_that_needs_both_is_refused(self):
        folder = self.library("both", "libmpi.so.12", OTHER)
        self.library("both", "libpetsc.so.3", BETWEEN, *self.linked(folder, "libmpi.so.12"))
        own = os.path.join(BIN, "..", "lib")
        program = self.program("both_program", HELLO, "-Wl,--no-as-needed", *self.linked(folder, "libpetsc.so.3"),
                               "-L" + own, "-lmpi_abi", "-Wl,-rpath," + own, header=True)
        self.refused(run(MPIEXEC, "-n", 2, program), "needs libmpi.so.12")

    def test_other_libraries_of_the_standard_interface_are_let_go(self):
        folder = self.library("standard", "libmpifort_abi.so.1", BETWEEN.replace("MPI_Init", "other_init") +
                              "int other_init(void *count, void *words) { return 0; }\n")
        program = self.program("standard_program", SOLVES, *self.linked(folder, "libmpifort_abi.so.1"))
        must(MPIEXEC, "-n", 2, program)

    def test_the_second_of_two_programs_is_looked_at_too(self):
        folder = self.library("second", "libmpi.so.12", OTHER)
        program = self.program("second_program", FOREIGN, *self.linked(folder, "libmpi.so.12"))
        self.refused(run(MPIEXEC, "-n", 1, self.path("own"), ":", "-n", 1, program), program, "needs libmpi.so.12")

    def test_one_program_in_many_surroundings_is_asked_once(self):
        loader = self.script("counting", "#!/bin/sh\necho asked >> " + self.path("asked") + "\n")
        program = self.program("counted", "int main(void) { return 0; }\n", f"-Wl,--dynamic-linker={loader}")
        words = []
        for number in range(5):
            words += ["-n", 1, "-env", "NUMBER", number, program, ":"]
        run(MPIEXEC, "--dry-run", *words[:-1])
        with open(self.path("asked")) as file:
            self.assertEqual(file.read(), "asked\n")

    def test_programs_are_found_as_ranks_find_them(self):
        folder = self.library("found", "libmpi.so.12", OTHER)
        self.program("found_program", FOREIGN, *self.linked(folder, "libmpi.so.12"))
        for words in (["-wdir", self.folder, "./found_program"], ["-path", self.folder, "found_program"],
                      ["-x", "PATH=" + self.folder, "found_program"]):
            self.refused(run(MPIEXEC, "-n", 1, *words, cwd="/"), "found_program needs libmpi.so.12")


class Led(Library):
    def test_a_program_linked_against_another_library_loads_batons(self):
        self.joined(run(MPIEXEC, "-n", 2, self.path("led")))
        self.joined(run(MPIEXEC, "-n", 2, "sh", "-c", self.path("led") + "; true"))
        self.assertEqual(must(self.path("led")).stdout, "other\none of 1\n")

    def test_the_users_library_path_comes_behind(self):
        for path in (self.other, self.other + ":", f":{self.other}", f"{OWN_FOLDER}:{self.other}"):
            with self.subTest(path):
                self.joined(run(MPIEXEC, "-n", 2, self.path("led"), env={"LD_LIBRARY_PATH": path}))
        self.joined(run(MPIEXEC, "-n", 2, "-x", f"LD_LIBRARY_PATH={self.other}", self.path("own")))

    def test_library_path_is_batons_folder_once_and_then_what_was_there(self):
        for before, after in ((None, OWN_FOLDER), ("", OWN_FOLDER), ("/a:/b", f"{OWN_FOLDER}:/a:/b"),
                              (f"/a:{OWN_FOLDER}:/b", f"{OWN_FOLDER}:/a:/b"), (OWN_FOLDER, OWN_FOLDER)):
            done = must(MPIEXEC, "-n", 1, RANK, "variable", "LD_LIBRARY_PATH",
                        env={} if before is None else {"LD_LIBRARY_PATH": before})
            self.assertEqual(done.stdout, after + "\n", before)

    def test_the_folder_holds_the_library_alone(self):
        self.assertEqual(os.listdir(OWN_FOLDER), ["libmpi_abi.so.1"])

    def test_a_program_that_insists_on_another_library_is_refused(self):
        program = self.path("insisting")
        self.refused(run(MPIEXEC, "-n", 2, program), program, f"would load {self.other}/libmpi_abi.so.1", "DT_RPATH",
                     "-Wl,--enable-new-dtags", "chrpath -c", "that library's own mpiexec")
        preloaded = run(MPIEXEC, "-n", 2, self.path("own"), env={"LD_PRELOAD": f"{self.other}/libmpi_abi.so.1"})
        self.assertEqual(preloaded.returncode, 2, preloaded.stderr)
        self.assertIn("which LD_PRELOAD names", preloaded.stderr)

    def test_dt_rpath_to_batons_own_library_does_no_harm(self):
        # The folder may hold a copy of the library, where links cannot be packed.
        for folder in ("bin", "lib/baton"):
            os.makedirs(self.path("packed", folder))
        must("cp", MPIEXEC, self.path("packed", "bin"))
        for folder in ("lib", "lib/baton"):
            must("cp", os.path.join(OWN_FOLDER, "libmpi_abi.so.1"), self.path("packed", folder))
        for prefix in (os.path.realpath(os.path.join(BIN, "..")), self.path("packed")):
            lib = os.path.join(prefix, "lib")
            program = self.program("old_tags", HELLO, *self.linked(lib, "libmpi_abi.so.1", "--disable-new-dtags"), header=True)
            self.joined(run(os.path.join(prefix, "bin", "mpiexec"), "-n", 2, program))

    def test_explain_names_the_library(self):
        for program in ("own", "led"):
            done = must(MPIEXEC, "--explain", "-n", 2, self.path(program))
            self.assertIn(f"library: {OWN_FOLDER}/libmpi_abi.so.1 (Baton ", done.stderr)
            done = must(MPIEXEC, "--explain=json", "-n", 2, self.path(program))
            told = json.loads(done.stderr)["libraries"]
            self.assertEqual([(row["path"], row["ranks"]) for row in told], [(f"{OWN_FOLDER}/libmpi_abi.so.1", 2)])
        self.assertEqual(json.loads(must(MPIEXEC, "--explain=json", "-n", 2, "true").stderr)["libraries"], [])

    def test_a_place_that_cannot_stand_in_library_path_is_said(self):
        for folder in ("bin", "lib/baton"):
            os.makedirs(self.path("a:b", folder))
        must("cp", MPIEXEC, self.path("a:b", "bin"))
        must("cp", os.path.join(OWN_FOLDER, "libmpi_abi.so.1"), self.path("a:b", "lib", "baton"))
        words = [self.path("a:b", "bin", "mpiexec"), "-n", 1, RANK, "variable", "LD_LIBRARY_PATH"]
        done = must(*words)
        self.assertEqual(done.stdout, "unset\n")
        self.assertEqual(done.stderr.count("cannot stand in LD_LIBRARY_PATH"), 1, done.stderr)
        os.remove(self.path("a:b", "lib", "baton", "libmpi_abi.so.1"))
        done = must(*words)
        self.assertEqual((done.stdout, done.stderr), ("unset\n", ""))


class OtherLaunchers(Library):
    """Their programs find their own library, wherever they are started from."""
    OTHERS = "path unset\nother\none of 1\n"

    def test_a_rank_that_is_another_mpiexec_is_not_led(self):
        self.assertEqual(must(MPIEXEC, "-n", 1, self.path("mpiexec"), self.path("led")).stdout, self.OTHERS)

    def test_a_rank_may_start_another_mpiexec_after_mpi_init(self):
        line = f"{self.path('mpiexec')} {self.path('led')}"
        done = must(MPIEXEC, "-n", 1, self.path("starter"), line)
        self.assertEqual(done.stdout, self.OTHERS.replace("unset", ""))
        done = must(MPIEXEC, "-n", 1, self.path("starter"), line, env={"LD_LIBRARY_PATH": "/a:/b"})
        self.assertEqual(done.stdout, self.OTHERS.replace("unset", "/a:/b"))

    def test_a_rank_may_be_an_interpreter_and_start_another_mpiexec(self):
        lines = ("import ctypes, subprocess; mpi = ctypes.CDLL('libmpi_abi.so.1'); mpi.MPI_Init(None, None); "
                 f"subprocess.run(['{self.path('mpiexec')}', '{self.path('led')}'], check=True); mpi.MPI_Finalize()")
        self.assertEqual(must(MPIEXEC, "-n", 1, sys.executable, "-c", lines).stdout, self.OTHERS.replace("unset", ""))

    def test_a_script_that_starts_another_mpiexec_is_told_how(self):
        script = self.script("script", f"#!/bin/sh\n{self.path('mpiexec')} {self.path('led')}\n")
        done = run(MPIEXEC, "-n", 1, script)
        self.assertNotEqual(done.returncode, 0)
        for words in ("PMI_RANK is set", "env -u LD_LIBRARY_PATH mpiexec", f"without {OWN_FOLDER}"):
            self.assertIn(words, done.stderr)
        self.script("script", f"#!/bin/sh\nenv -u LD_LIBRARY_PATH {self.path('mpiexec')} {self.path('led')}\n")
        self.assertEqual(must(MPIEXEC, "-n", 1, script).stdout, self.OTHERS)

    def test_a_program_that_was_linked_with_baton_is_told_to_take_batons_mpiexec(self):
        done = run(MPIEXEC, "-n", 1, "sh", "-c", f"env -u LD_LIBRARY_PATH {self.path('mpiexec')} {self.path('own')}; exit")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Start the program with Baton's mpiexec", done.stderr)

    def test_a_plain_child_of_a_rank_finds_what_it_was_linked_against(self):
        self.assertEqual(must(MPIEXEC, "-n", 1, self.path("starter"), self.path("led")).stdout, "other\none of 1\n")


class NobodyToAsk(Library):
    def test_static_programs_and_scripts_run(self):
        static = self.program("static", "#include <stdio.h>\nint main(void) { puts(\"ran\"); }\n", "-static")
        for program in (static, self.script("ran", "#!/bin/sh\necho ran\n")):
            done = run(MPIEXEC, "-n", 2, program)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ran\nran\n", ""))

    def test_what_cannot_be_started_says_why_as_ever(self):
        os.chmod(self.source("plain", "echo ran\n"), 0o644)
        self.script("empty", "")
        self.script("torn", "\x7fELF\x02\x01\x01")
        for words, told in ((["./missing"], "cannot run ./missing: No such file"), (["no-such-program"], "cannot run no-such"),
                            (["./plain"], "cannot run ./plain: Permission denied"), (["./torn"], "cannot run ./torn: Exec format"),
                            (["-wdir", "/nowhere", "./plain"], "cannot enter the folder /nowhere")):
            done = run(MPIEXEC, "-n", 1, *words, cwd=self.folder)
            self.assertEqual(done.returncode, 127, done.stderr)
            self.assertIn(told, done.stderr)

    def test_a_loader_that_does_not_answer_keeps_nobody_long(self):
        # Its loader is a script that sleeps when it is asked.
        loader = self.script("loader", "#!/bin/sh\n[ \"$1\" != --list ] || exec sleep 1000\necho ran\n")
        program = self.program("slow", "int main(void) { return 0; }\n", f"-Wl,--dynamic-linker={loader}")
        done = run(MPIEXEC, "-n", 1, program, timeout=300)
        self.assertNotEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
