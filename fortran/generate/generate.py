#!/usr/bin/env python3
"""Makes the Fortran library's procedures and modules from the tables in ../../src/api/table.

    python3 fortran/generate/generate.py          # writes into the tree
    python3 fortran/generate/generate.py --into D # writes below D instead (the freshness test)
Python 3.11, standard library only; the output depends on the tables and on nothing else.
"""
import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import bodies  # noqa: E402
import calls  # noqa: E402
import extensions  # noqa: E402
import fortran_table  # noqa: E402
import modules  # noqa: E402


def files(bindings):
    """Every generated file: path below the project's root -> text."""
    made = {"fortran/generated/" + name: text for name, text in bodies.write(bindings).items()}
    made |= {"fortran/modules/" + name: text for name, text in modules.write(bindings).items()}
    made |= {"fortran/" + name: text for name, text in extensions.write().items()}
    return made | {"tests/fortran/generated/" + name: text for name, text in calls.write(bindings).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=fortran_table.ROOT, help="folder to write below")
    parser.add_argument("--list", action="store_true", help="print the files' names only")
    arguments = parser.parse_args()
    for name, text in files(fortran_table.Bindings()).items():
        if arguments.list:
            print(name)
            continue
        path = arguments.into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
