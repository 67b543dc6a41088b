"""A program that was built with AddressSanitizer finds no leaks of the library's: what a rank keeps of its peers until it
ends is in use."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WATCHDOG_S = 120
PROGRAM = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, size, from = -1;
  char* volatile kept = malloc(100);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 1; step < size; ++step)
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + step) % size, 0, &from, 1, MPI_INT, (rank + size - step) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (LEAKS) kept = NULL; else free(kept);
  return 0;
}
"""


class Leaks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
        if not cls.compiler:
            raise unittest.SkipTest("no C compiler")

    def run_program(self, leaks):
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
            with open(source, "w") as file:
                file.write(PROGRAM)
            library = os.path.join(os.path.dirname(BIN), "lib")
            made = subprocess.run([self.compiler, "-fsanitize=address", "-O0", f"-DLEAKS={int(leaks)}", "-I",
                                   os.path.join(ROOT, "include"), source, "-o", program, "-L", library,
                                   "-l:libmpi_abi.so.1", f"-Wl,-rpath,{library}"], capture_output=True, text=True)
            if made.returncode != 0:
                self.skipTest("this compiler has no AddressSanitizer")
            return subprocess.run([os.path.join(BIN, "mpiexec"), "-n", "3", program], capture_output=True, text=True,
                                  timeout=WATCHDOG_S)

    def test_the_library_leaks_nothing(self):
        ended = self.run_program(leaks=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_leak_of_the_programs_is_found(self):
        ended = self.run_program(leaks=True)
        if "LeakSanitizer has encountered a fatal error" in ended.stderr:
            self.skipTest("the leak checker does not work here")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("100 byte(s)", ended.stderr)
        self.assertNotIn("libmpi_abi", ended.stderr)


if __name__ == "__main__":
    unittest.main()
