"""Runs in the guest: jobs of guest_places, each under the options given, and prints where the pages of each rank lie, a line
of JSON a job. Called by `baton lab` through guest.py. usage: count.py BUILD JOBS, where JOBS is JSON: a list of objects with
name, options (of mpiexec), ranks, heap_bytes and plain_bytes."""
import json
import sys

from check import Guest, spare_from_kills
from jobs import places

WHAT = ("queues", "heap", "plain", "anonymous")


def count(guest, job):
    ranks = places(guest, job["options"], ranks=job["ranks"], heap=job["heap_bytes"], plain=job["plain_bytes"]).ranks
    return {"name": job["name"], "ranks": [{"rank": rank.rank, "socket": rank.socket,
                                            "pages": {what: rank.pages_of(what) for what in WHAT}} for rank in ranks]}


def main():
    build, jobs = sys.argv[1:]
    spare_from_kills()
    for job in json.loads(jobs):
        print(json.dumps(count(Guest(build), job)), flush=True)


if __name__ == "__main__":
    main()
