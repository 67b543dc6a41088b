"""Page counts in the guest of ./dev test-numa: an emulated machine with two sockets and two kinds of memory. It tells where
pages lie, and no times. Only a build folder of Baton's sources has it; elsewhere nothing is counted, which is no failure."""
import json
import os
import shutil
import sys

from lab.frame.errors import StepFailed
from lab.frame.steps import Step

FAST_NODES = (2, 3)  # of the guest, memory only; one beside each socket
MISSING = ("not counted: it takes Baton's sources, their tests built, and an emulated machine with NUMA nodes; `./dev test-numa` "
           "installs and builds what is missing")
QEMU, PLACES = "qemu-system-x86_64", os.path.join("tests", "bin", "guest_places")


def parts(programs):
    """The build folder and the guest's scripts in its sources; None without them."""
    build, home = programs.build_folder(), programs.source_folder()
    scripts = os.path.join(home, "tests", "machines", "guest") if home else ""
    there = all(map(os.path.exists, (os.path.join(scripts, "guest.py"), os.path.join(build, PLACES), os.path.join(build, "guest"))))
    return (build, scripts) if there and shutil.which(QEMU) else None


def count(programs, jobs, heard):
    """{"counted": True, "jobs": {name: ranks}}, of each rank its socket and, of each kind of memory, pages by node."""
    found = parts(programs)
    if not found:
        return {"counted": False, "why": MISSING}
    build, scripts = found
    words = [sys.executable, os.path.join(scripts, "guest.py"), "--build", build, "--", sys.executable,
             os.path.join(scripts, "count.py"), build, json.dumps(jobs)]
    counted = {}
    for line in programs.output(words, heard).splitlines():
        if line.startswith("{"):
            job = json.loads(line)
            counted[job["name"]] = job["ranks"]
    if len(counted) != len(jobs):
        raise StepFailed(f"the guest counted {len(counted)} of {len(jobs)} jobs")
    return {"counted": True, "jobs": counted}


def step(programs, what, jobs, number):
    key = {"format": number, "jobs": jobs, "there": bool(parts(programs)), "library": programs.fingerprint("../lib/libmpi_abi.so.1")}
    return Step("guest", what, "measured", lambda heard: count(programs, jobs, heard), key, "./dev test-numa")


def why_not(done):
    return done["guest"].problem or done["guest"].data.get("why", "")


def pages(ranks, kinds):
    """By node, of all ranks."""
    total = {}
    for rank in ranks:
        for kind in kinds:
            for node, pages_there in rank["pages"][kind].items():
                total[int(node)] = total.get(int(node), 0) + pages_there
    return total
