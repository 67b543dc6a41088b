#!/usr/bin/env python3
"""The committed generated files are what the tables give today. Usage: fresh_test.py PROJECT_ROOT"""

import subprocess
import sys
import tempfile
from pathlib import Path

GENERATORS = ("src/api/generate/generate.py", "fortran/generate/generate.py")
FOLDERS = ("src/api/generated", "tests/api/generated", "fortran/generated", "fortran/modules", "tests/fortran/generated")


def main():
    root = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for generator in GENERATORS:
            subprocess.run([sys.executable, root / generator, "--into", folder], check=True)
        fresh = {p.relative_to(folder): p for p in Path(folder).rglob("*") if p.is_file()}
        stale = [n for n, p in fresh.items() if not (root / n).is_file()
                 or (root / n).read_bytes() != p.read_bytes()]
        extra = [p.relative_to(root) for f in FOLDERS for p in (root / f).rglob("*")
                 if p.is_file() and p.relative_to(root) not in fresh]
    for name in stale:
        print(f"{name} is not what the tables give; run ./dev gen")
    for name in extra:
        print(f"{name} is no generated file any more; remove it")
    print(f"{len(fresh)} generated files, {len(stale)} stale, {len(extra)} left over")
    return 1 if stale or extra or len(fresh) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
