"""Parallel HDF5 built with mpicc from the distribution's source package: for its own tests, and for h5py."""
import os

import source_package


def build(bin_folder, kept):
    """Its source folder, and the one where its shared libraries are installed."""
    place, installed = source_package.fetch("hdf5", kept), os.path.join(kept, "hdf5-installed")
    if not os.path.exists(os.path.join(installed, "lib", "libhdf5_hl.so")):
        run = source_package.run
        run("./configure", "--enable-parallel", "--disable-static", "--disable-fortran", "--disable-cxx",
            f"--prefix={installed}", f"CC={bin_folder}/mpicc", "CFLAGS=-O1 -w", cwd=place)
        for folder in "src", "hl/src":
            run("make", f"-j{os.cpu_count()}", "-C", folder, "install", cwd=place)
    return place, installed
