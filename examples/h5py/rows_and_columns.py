#!/usr/bin/env python3
"""All ranks together write one dataset, each a block of rows, and read it again, each a block of columns.
Usage: mpiexec -n 4 python3 rows_and_columns.py FILE"""
import sys

import h5py
import numpy
from mpi4py import MPI

ROWS, COLUMNS = 1201, 1003
ALL = slice(None)


def share(length, comm):
    """This rank's block; the ranks' blocks differ by one at most."""
    return slice(length * comm.rank // comm.size, length * (comm.rank + 1) // comm.size)


def values(rows, columns):
    """What belongs in these rows and columns."""
    return COLUMNS * numpy.arange(ROWS)[rows, None] + numpy.arange(COLUMNS)[None, columns]


def write(path, comm):
    rows = share(ROWS, comm)
    with h5py.File(path, "w", driver="mpio", comm=comm) as file:
        # All that changes the file's structure is collective: every rank makes the same calls with the same values.
        table = file.create_dataset("table", (ROWS, COLUMNS), dtype="i8")
        table.attrs["ranks"] = comm.size
        with table.collective:
            table[rows, :] = values(rows, ALL)


def read_and_check(path, comm):
    columns = share(COLUMNS, comm)
    with h5py.File(path, "r", driver="mpio", comm=comm) as file:
        table = file["table"]
        mine = numpy.empty((ROWS, columns.stop - columns.start), dtype="i8")
        with table.collective:
            table.read_direct(mine, numpy.s_[:, columns])  # table[:, columns] would read independently (h5py 3.16)
        return table.attrs["ranks"] == comm.size and numpy.array_equal(mine, values(ALL, columns))


def main(path, comm=MPI.COMM_WORLD):
    write(path, comm)
    is_right = comm.allreduce(read_and_check(path, comm), MPI.LAND)
    if comm.rank == 0:
        print(f"{comm.size} ranks wrote {ROWS} rows and read {COLUMNS} columns:", "right" if is_right else "WRONG")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
