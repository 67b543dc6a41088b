#!/usr/bin/env python3
"""Makes a folder against which GCC links for an older glibc than this system's, so that what is built here also runs on
systems that have that one. Usage: make_folder.py FOLDER [GLIBC_VERSION]

Zig (package ziglang) knows the symbols of each glibc: its stub libraries and start files are taken from the line with
which it links an empty program. What the older glibc lacks and GCC's libraries want is in newer_functions.c, what hwloc wants in no_udev.c.
GCC takes both from the folder with -B FOLDER -L FOLDER."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STUBS = ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libld.so.2"]
PARTS = ["Scrt1.o", "libc_nonshared.a"]
STAND_INS = ["newer_functions", "no_udev"]
# The linker looks for these names; programs for newer systems are told of libc alone, so that it brings the others.
SCRIPTS = {"libc.so": "GROUP({0}/libc.so.6 {0}/libc_nonshared.a {0}/libstand_ins.a "
                      "AS_NEEDED({0}/libpthread.so.0 {0}/libdl.so.2 {0}/librt.so.1 {0}/libld.so.2))",
           "libm.so": "INPUT({0}/libm.so.6)", "libpthread.so": "INPUT({0}/libpthread.so.0)",
           "libdl.so": "INPUT({0}/libdl.so.2)", "librt.so": "INPUT({0}/librt.so.1)"}


def link_line(version):
    """How Zig links an empty program for that glibc."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "empty.c")
        with open(source, "w") as file:
            file.write("int main(void) { return 0; }\n")
        done = subprocess.run([sys.executable, "-m", "ziglang", "cc", "-target", f"x86_64-linux-gnu.{version}", "-fPIE", "-pie",
                               "-fno-sanitize=all", "--verbose", source, "-o", os.path.join(folder, "empty")],
                              capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"make_folder.py: zig cannot link for glibc {version}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[1])
    line = link_line(sys.argv[2] if len(sys.argv) == 3 else "2.28")
    os.makedirs(folder, exist_ok=True)
    for name in STUBS + PARTS:
        found = re.search(rf"\S+/{re.escape(name)}(?=\s)", line)
        if not found:
            sys.exit(f"make_folder.py: zig's line for the linker has no {name}:\n{line}")
        shutil.copy(found.group(), folder)
    for name in STAND_INS:
        subprocess.run(["gcc", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", os.path.join(HERE, name + ".c"),
                        "-o", os.path.join(folder, name + ".o")], check=True)
    subprocess.run(["ar", "rcs", "libstand_ins.a", *[name + ".o" for name in STAND_INS]], check=True, cwd=folder)
    for name, text in SCRIPTS.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text.format(folder) + "\n")


if __name__ == "__main__":
    main()
