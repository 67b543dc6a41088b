"""Runs in the guest: all checks, in order; tells each result as a line of JSON, which guest.py prints on the host."""
import argparse
import platform
import sys

import machine_checks  # noqa: F401  these register their checks, in this order
import core_checks  # noqa: F401
import placement_checks  # noqa: F401
import configuration_checks  # noqa: F401
import full_checks  # noqa: F401
from check import Guest, Teller, run_all, spare_from_kills

RESULTS = "/run/guest/results"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tell = Teller(RESULTS)
    with open("/proc/uptime") as file:
        tell({"note": f"Linux {platform.release()}, up since {file.read().split()[0]} s"})
    spare_from_kills()
    good = run_all(Guest(options.build), options.only, tell)
    tell({"ended": True})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
