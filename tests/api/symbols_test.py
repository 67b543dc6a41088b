#!/usr/bin/env python3
"""What the library exports: every procedure and every extension under both names, and nothing else; and what it needs.
Usage: symbols_test.py PROJECT_ROOT LIBRARY"""

import re
import subprocess
import sys
from pathlib import Path

# The library promises to need only the C library.
ALLOWED_NEEDS = re.compile(r"lib(c|m|pthread|rt|dl)\.so|ld-linux.*\.so")


# Removed in MPI 3.0 and not in mpi.h; there for programs linked against a library that has them (src/api/removed.cpp).
REMOVED = {f"{prefix}MPI_{name}" for prefix in ("", "P") for name in (
    "Address", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed",
    "Type_hvector", "Type_lb", "Type_struct", "Type_ub")}


def defined(library):
    """Exported names -> address."""
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", library]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {words[0].split("@")[0]: words[2] for words in map(str.split, lines)}


def main():
    root, library = Path(sys.argv[1]), sys.argv[2]
    expected = set((root / "tests/api/generated/symbols.txt").read_text().split())
    problems = [f"{name} was removed, and the table has it" for name in sorted(expected & REMOVED)]
    expected |= REMOVED
    extensions = set(re.findall(r"\b(P?MPIX_\w+)\(", (root / "include/mpi-ext.h").read_text()))
    expected |= extensions
    problems += [f"mpi-ext.h does not declare P{name}" for name in sorted(extensions)
                 if name.startswith("MPIX_") and "P" + name not in extensions]
    exported = defined(library)
    problems += [f"{name} is not exported" for name in sorted(expected - set(exported))]
    problems += [f"{name} is exported, but is no MPI procedure"
                 for name in sorted(set(exported) - expected)]
    problems += [f"{name} and P{name} are not one function" for name in sorted(expected)
                 if name.startswith("MPI") and exported.get(name) != exported.get("P" + name)]
    dynamic = subprocess.run(["readelf", "--dynamic", "--wide", library], check=True,
                             capture_output=True, text=True).stdout
    for need in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if not ALLOWED_NEEDS.match(need):
            problems.append(f"the library needs {need}")
    if "[libmpi_abi.so.1]" not in dynamic:
        problems.append("the library's soname is not libmpi_abi.so.1")
    version = re.search(r"project\(baton VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())
    source = (root / "src/base/version.hpp").read_text()
    if f'"{version[1]}"' not in source:
        problems.append(f"src/base/version.hpp does not say {version[1]}")
    print("\n".join(problems))
    print(f"{len(expected)} names expected, {len(problems)} problems")
    return 1 if problems or len(expected) < 1300 else 0


if __name__ == "__main__":
    sys.exit(main())
