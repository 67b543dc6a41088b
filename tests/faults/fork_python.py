"""A rank written in Python: child processes of several kinds between messages. It speaks to the library by ctypes,
as far as that goes, and finalizes at exit as MPI packages do. usage: fork_python.py LIBRARY"""
import atexit
import ctypes
import multiprocessing
import os
import subprocess
import sys

mpi = ctypes.CDLL(sys.argv[1])
WORLD, INT, IGNORE = ctypes.c_void_p(0x101), ctypes.c_void_p(0x209), None
rank, size = ctypes.c_int(), ctypes.c_int()


def finalize():
    flag = ctypes.c_int()
    mpi.MPI_Finalized(ctypes.byref(flag))
    if not flag.value:
        mpi.MPI_Finalize()


def exchange(round_):
    mine, got = ctypes.c_int(round_ * 100 + rank.value), ctypes.c_int()
    to, from_ = (rank.value + 1) % size.value, (rank.value - 1) % size.value
    mpi.MPI_Sendrecv(ctypes.byref(mine), 1, INT, to, 5, ctypes.byref(got), 1, INT, from_, 5, WORLD, IGNORE)
    assert got.value == round_ * 100 + from_, got.value


def in_child(queue):
    queue.put(os.getpid())


def main():
    mpi.MPI_Init(None, None)
    atexit.register(finalize)
    mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
    mpi.MPI_Comm_size(WORLD, ctypes.byref(size))
    for round_ in range(5):
        exchange(round_)
        done = subprocess.run([sys.executable, "-c", "print('word')"], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "word\n", ""), done
        exchange(round_)
        child = os.fork()
        if child == 0:
            sys.exit(3)  # runs the exit handlers
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        exchange(round_)
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        process = context.Process(target=in_child, args=(queue,))
        process.start()
        assert queue.get() != os.getpid()
        process.join()
        assert process.exitcode == 0
        exchange(round_)
    if rank.value == 0:
        print("came to the end")


if __name__ == "__main__":
    main()
