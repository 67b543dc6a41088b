#!/usr/bin/env python3
"""Makes mpi.h, the entry points, their tests and the coverage page from the tables in ../table.

    python3 src/api/generate/generate.py          # writes into the tree
    python3 src/api/generate/generate.py --into D # writes below D instead (the freshness test)
Python 3.11, standard library only; the output depends on the tables and on nothing else.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import coverage  # noqa: E402
import entries  # noqa: E402
import header  # noqa: E402
import proofs  # noqa: E402
import tables  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def files(api):
    """Every generated file: path below the project's root -> text."""
    made = {"include/mpi.h": header.write(api), "docs/coverage.md": coverage.write(api)}
    made |= {"src/api/generated/" + name: text for name, text in entries.write(api).items()}
    made |= {"tests/api/generated/" + name: text for name, text in proofs.write(api).items()}
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=ROOT, help="folder to write below")
    parser.add_argument("--list", action="store_true", help="print the files' names only")
    arguments = parser.parse_args()
    for name, text in files(tables.Api()).items():
        if arguments.list:
            print(name)
            continue
        path = arguments.into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
