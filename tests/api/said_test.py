#!/usr/bin/env python3
"""What Baton says once about programs that do what was removed, or what is not portable. Usage: said_test.py MPIEXEC PROGRAM"""

import os
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]
del sys.argv[1:3]
WATCHDOG_SECONDS = 600
REMOVED = {"Address": "Get_address", "Errhandler_create": "Comm_create_errhandler",
           "Errhandler_get": "Comm_get_errhandler", "Errhandler_set": "Comm_set_errhandler",
           "Type_extent": "Type_get_extent", "Type_hindexed": "Type_create_hindexed",
           "Type_hvector": "Type_create_hvector", "Type_lb": "Type_get_extent", "Type_struct": "Type_create_struct",
           "Type_ub": "Type_get_extent"}


class Said(unittest.TestCase):
    def lines(self, word, *options):
        job = subprocess.run([MPIEXEC, "--timeout", "300", *options, "-n", "3", PROGRAM, word], capture_output=True,
                             text=True, timeout=WATCHDOG_SECONDS, check=False)
        self.assertEqual((job.returncode, job.stdout), (0, ""), job.stderr)
        return sorted(job.stderr.splitlines())

    def test_removed_procedures_work_and_name_their_successors(self):
        self.assertEqual(self.lines("removed"),
                         sorted(f"baton: rank 0: MPI_{name} was removed in MPI 3.0; call MPI_{successor} instead (said "
                                "once)" for name, successor in REMOVED.items()))

    def test_what_is_not_portable_is_said_with_check_alone(self):
        self.assertEqual(self.lines("unportable"), [])
        said = self.lines("unportable", "--check")
        self.assertEqual(len(said), 4, said)
        for words in ("a reduction of MPI_CHAR", "a logical reduction of MPI_AINT", "MPI_DATATYPE_NULL",
                      "deleting an attribute that is not set"):
            self.assertEqual(len([line for line in said if f"not portable: {words}" in line]), 1, said)

    def test_one_buffer_for_both_sides_is_named_once(self):
        first, second = self.lines("aliased")
        self.assertIn("baton: rank 0: MPI_Allreduce: argument 2 (recvbuf) is also the send buffer", first)
        self.assertIn("baton: rank 1: MPI_Gather: argument 4 (recvbuf) is also the send buffer", second)

    def test_what_nobody_reads_harms_no_rank(self):
        for word, variable in (("removed", ""), ("aliased", ""), ("unportable", "BATON_CHECK=1"),
                               ("nothing", "BATON_LEAK_REPORT=1"), ("nothing", "BATON_NO_SUCH_SETTING=1"),
                               ("nothing", "BATON_EAGER_BYTES_MAX=x"), ("nothing", "BATON_ORDER=x"),
                               ("nothing", "BATON_COLLECTIVES=x")):
            with self.subTest(word, variable=variable):
                self.with_closed_error(word, variable)

    def with_closed_error(self, word, variable):
        reader, writer = os.pipe()
        os.close(reader)
        job = subprocess.run([MPIEXEC, "--timeout", "300", "-n", "3", PROGRAM, word], stderr=writer,
                             env={**os.environ, **dict([variable.split("=")] if variable else [])},
                             stdout=subprocess.PIPE, text=True, timeout=WATCHDOG_SECONDS, check=False)
        os.close(writer)
        self.assertEqual((job.returncode, job.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
