"""Runs in the guest: all checks, in order; tells each result as a line of JSON, which guest.py prints on the host."""
import argparse
import platform
import sys

import machine_checks  # noqa: F401  registers its checks
import placement_checks  # noqa: F401
from check import Guest, Teller, run_all

RESULTS = "/run/guest/results"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tell = Teller(RESULTS)
    with open("/proc/uptime") as file:
        tell({"note": f"Linux {platform.release()}, up since {file.read().split()[0]} s"})
    return 0 if run_all(Guest(options.build), options.only, tell) else 1


if __name__ == "__main__":
    sys.exit(main())
