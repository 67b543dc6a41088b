"""A pool of processes that another package uses: dask computes the blocks of an array in it.

    python3 pool.py                                  # starts its workers: MPI_Comm_spawn
    mpiexec -n 4 python3 -m mpi4py.futures pool.py   # its workers are ranks 1 to 3

It needs mpi4py, built for the standard ABI, and dask[array].
"""
import sys

import dask
import dask.array
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor


def where(_):
    return f"rank {MPI.COMM_WORLD.rank} of {MPI.COMM_WORLD.size}"


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(MPI.Get_library_version().split(",")[0])
    with MPIPoolExecutor(max_workers=3) as pool, dask.config.set(pool=pool, scheduler="processes"):
        print("workers:", ", ".join(sorted(set(pool.map(where, range(100))))))
        numbers = dask.array.arange(size, chunks=size // 10)
        table = numbers[:, None] * numbers[None, :]
        print("sum of the table:", int(table.sum().compute()))
        print("it should be:    ", (size * (size - 1) // 2) ** 2)


if __name__ == "__main__":
    main()
