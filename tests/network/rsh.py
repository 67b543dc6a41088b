#!/usr/bin/env python3
"""Stands in for ssh between the hosts of hosts.py. Usage: rsh.py [ssh's options] HOST COMMAND...

As there, a shell on the other side reads the command's words anew."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hosts  # noqa: E402

WITH_VALUE = ("-l", "-p", "-o", "-i", "-F")


def main():
    words = sys.argv[1:]
    while words and words[0].startswith("-"):
        del words[:2 if words[0] in WITH_VALUE else 1]
    if len(words) < 2:
        sys.exit("usage: rsh.py HOST COMMAND...")
    name, command = words[0].split("@")[-1], " ".join(words[1:])
    pids = dict(pair.split("=") for pair in os.environ.get("TEST_HOSTS", "").split(",") if pair)
    if name not in pids:
        sys.exit(f"rsh.py: no host {name}; there are: {' '.join(pids) or 'none'}")
    entered = hosts.enter_words(pids[name], os.path.join(os.environ["TEST_HOSTS_FOLDER"], name),
                                ["/bin/sh", "-c", command])
    os.execvp(entered[0], entered)


if __name__ == "__main__":
    main()
