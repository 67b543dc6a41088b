#!/usr/bin/env python3
"""Boots a machine with two kinds of memory under qemu, emulated, and runs Baton's jobs in it: every rank has to run, and
every page to lie, where the options said. It proves that and says nothing about speed. Called by `./dev test-numa`.
"""
import argparse
import json
import os
import re
import shutil
import signal
import sys
import time

import boot
import kernel
from errors import Failure

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}


def read_options(words):
    parser = argparse.ArgumentParser(prog="./dev test-numa", description=__doc__)
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="PATTERN", default="", help="checks whose sentence matches")
    parser.add_argument("--kernel", metavar="PACKAGE", help="Debian's, e.g. linux-image-6.1-amd64 "
                        f"(default: the first there is of {', '.join(kernel.PACKAGES)})")
    parser.add_argument("--seconds", type=int, default=600, help="the guest is ended after that time (%(default)s)")
    parser.add_argument("command", nargs="*", help="run this in the guest instead of the checks (after --)")
    return parser.parse_args(words)


class Account:
    """Counts results and prints each as it comes."""

    def __init__(self):
        self.counts = dict.fromkeys(WORDS, 0)
        self.under_way = None
        self.ended = False

    def tell(self, line):
        found = json.loads(line)
        if "ended" in found:
            self.ended = True
            return
        if "begun" in found:
            self.under_way = found["begun"]
            return
        self.under_way = None
        if "note" in found:
            print(f"guest: {found['note']}", flush=True)
            return
        self.counts[found["outcome"]] += 1
        why = f"\n{found['why']}".replace("\n", "\n                   ") if found["why"] else ""
        print(f"{WORDS[found['outcome']]:<8}{found['seconds']:7.1f} s  {found['sentence']}{why}", flush=True)

    def line(self):
        return ", ".join(f"{count} {outcome}" for outcome, count in self.counts.items())


def remove_old(cache):
    """Folders of runs that were killed."""
    for name in os.listdir(cache):
        if name.startswith("run.") and not os.path.exists(f"/proc/{name[4:]}"):
            shutil.rmtree(os.path.join(cache, name), ignore_errors=True)


def run_checks(options, folder, results):
    account = Account()
    began = time.monotonic()
    words = [sys.executable, os.path.join(HERE, "inside.py"), os.path.abspath(options.build), "--only", options.only]
    try:
        code = boot.boot(folder, results, words, options.seconds, {"results": account.tell})
        if not account.ended:
            raise Failure(f"the checks ended with code {code}\n{boot.tail(os.path.join(results, 'output'))}"
                          f"{boot.tail(os.path.join(results, 'console'))}")
    except Failure as failure:
        during = f" during \"{account.under_way}\"" if account.under_way else ""
        raise Failure(f"{account.line()}; then{during}: {failure}") from None
    if sum(account.counts.values()) == 0:
        raise Failure(f"no check's sentence matches {options.only}")
    print(f"guest: {account.line()}, in {time.monotonic() - began:.0f} s")
    return 1 if account.counts["failed"] else 0


def main():
    options = read_options(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    cache = os.path.join(os.path.abspath(options.build), "guest")
    os.makedirs(cache, exist_ok=True)
    remove_old(cache)
    results = os.path.join(cache, f"run.{os.getpid()}")
    try:
        folder = kernel.prepare(options.kernel, cache)
        if not options.command:
            re.compile(options.only)
            return run_checks(options, folder, results)
        return boot.boot(folder, results, options.command, options.seconds, {"output": lambda line: print(line)})
    except (Failure, re.error) as failure:
        print(f"guest: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(results, ignore_errors=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
