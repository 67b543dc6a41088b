"""Instructions that one message of 8 bytes takes in MPI_Send and MPI_Recv together, counted by callgrind.

Nobody waits while it counts (see mpi_bench.c), so the figure is the same in every round.
"""
import glob
import os
import re
import shutil
import tempfile

import peers

MESSAGES = 3200


def value(library, run):
    """`run(command, environment)` carries the job out."""
    if not shutil.which("valgrind"):
        raise peers.Unusable("valgrind is not installed (Debian: apt-get install valgrind)")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts")
        valgrind = ["valgrind", "--quiet", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=send_window",
                    "--toggle-collect=receive_window", f"--callgrind-out-file={out}.%p"]
        words = ["instructions", "1", str(MESSAGES), os.path.join(folder, "turn")]
        run(library.command(2, words, valgrind), library.full_environment())
        total = 0
        for name in glob.glob(out + ".*"):
            with open(name) as file:
                total += sum(map(int, re.findall(r"(?m)^totals: (\d+)", file.read())))
    if total == 0:
        raise peers.Unusable("callgrind counted nothing")
    return total / MESSAGES
