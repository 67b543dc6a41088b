"""Runs a design through spin: no deadlock, no failed assertion, every named property holds, and the
properties `reaches...`, which say that the interesting things never all happen, must be refuted.
The properties are verified with SAW defined, so that a design can leave out there what only they ask for.

usage: check.py DESIGN.pml
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

MEMORY_MIB = 1024
DEPTH_MAX = 4_000_000


def call(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=1200)
    return done.returncode, done.stdout + done.stderr


def errors(folder, *arguments):
    """How many errors the verifier found, and what it said."""
    _, text = call(["./pan", f"-m{DEPTH_MAX}", *arguments], folder)
    found = re.search(r"errors: (\d+)", text)
    cut_off = any(sign in text for sign in ("max search depth too small", "out of memory", "MEMLIM"))
    if not found or (cut_off and found.group(1) == "0"):
        sys.exit(f"the verifier did not finish:\n{text[-2000:]}")
    return int(found.group(1)), text


def main():
    design = os.path.abspath(sys.argv[1])
    for tool in ("spin", "gcc"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing; ./dev test installs it")
    properties = re.findall(r"^ltl (\w+)", open(design, encoding="utf-8").read(), re.M)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        build = ["gcc", "-w", "-O2", f"-DMEMLIM={MEMORY_MIB}", "-DCOLLAPSE", "-o", "pan", "pan.c"]
        for what, words, flags, arguments in [
                ("assertions and deadlocks", [], ["-DSAFETY", "-DNOCLAIM"], [[]]),
                ("properties", ["-DSAW"], [], [["-a", "-N", name] for name in properties])]:
            code, text = call(["spin", "-a", *words, design], folder)
            if code != 0 or "error" in text.lower():
                sys.exit(f"spin refuses the design:\n{text}")
            code, text = call([*build, *flags], folder)
            if code != 0:
                sys.exit(f"the verifier does not compile:\n{text}")
            for argument in arguments:
                name = argument[-1] if argument else what
                count, text = errors(folder, *argument)
                should_fail = name.startswith("reaches")
                states = re.search(r"(\d+) states, stored", text)
                print(f"{os.path.basename(design)}: {name}: "
                      f"{'refuted' if count else 'holds'} ({states.group(1) if states else '?'} states)")
                if bool(count) != should_fail:
                    failed.append(name)
                    print(text[-1500:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
