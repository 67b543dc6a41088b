"""What the tests of packages share."""
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WATCHDOG_SECONDS = 1500
HELLO = """#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int rank, ranks, length;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Get_library_version(version, &length);
  printf("%d of %d: %s\\n", rank, ranks, version);
  MPI_Finalize();
  return 0;
}
"""
FORTRAN_HELLO = """program hello
  use mpi_f08
  implicit none
  integer :: rank, ranks, length
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Get_library_version(version, length)
  print '(i0, a, i0, 2a)', rank, ' of ', ranks, ': ', version(:length)
  call MPI_Finalize
end program hello
"""


def run(*words, fails=False, **more):
    """What was said on both streams; the code must be 0, or with `fails` must not be."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=WATCHDOG_SECONDS, **more)
    assert (done.returncode != 0) == fails, (words, done.returncode, done.stdout[-4000:])
    return done.stdout


def make(kind, build, out):
    """The path of a package, made by the command that people use."""
    said = run(sys.executable, os.path.join(ROOT, "dev"), "package", kind, "--build", build, "--out", out)
    return said.splitlines()[-1]
