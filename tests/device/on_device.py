#!/usr/bin/env python3
"""All that can only be shown on a machine with an NVIDIA device, within eight minutes and without a network: run by hand in a
session that has one, from a tree that is built (./dev build tests). Each part has its own limit of time; what was skipped says why.
Writes OUT/results.json and one page, OUT/results.md. With --standin all runs on the tests' stand-in for a driver, as a test of this
script: its times say nothing.

    python3 tests/device/on_device.py --out results [--build build] [--mpi4py mpi4py-4.1.1.tar.gz] [--parts bench,leaks]
"""
import argparse
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Skipped(Exception):
    """Why a part was left out, in words."""


class Failed(Exception):
    """What was not so, in words."""


class Session:
    """Where things are, and how a command is run."""

    def __init__(self, options):
        self.options = options
        self.bin = os.path.join(options.build, "bin")
        self.programs = os.path.join(options.build, "tests", "bin")
        self.end = 0.0  # of the present part
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("PMI", "OMPI_", "I_MPI_", "BATON_"))}
        if options.standin:
            folder = os.path.join(self.programs, "device")
            self.environment |= {"DEVICE_LIBRARY": os.path.join(folder, "libcuda.so.1"), "LD_LIBRARY_PATH": folder,
                                 "BATON_DEVICE": "1"}

    def program(self, name):
        path = os.path.join(self.programs, name)
        if not os.path.exists(path):
            raise Skipped(f"{path} is not built; ./dev build tests makes it")
        return path

    def run(self, *words, code=0, **environment):
        """What a command printed. It ends with the part, with all that it has started."""
        words = list(map(str, words))
        left = self.end - time.monotonic()
        process = subprocess.Popen(words, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                   start_new_session=True)
        try:
            out = process.communicate(timeout=max(1, left))[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out = process.communicate()[0]
            raise Failed(f"{' '.join(words)[:200]} did not end in its time:\n{out[-2000:]}") from None
        if code is not None and process.returncode != code:
            raise Failed(f"{' '.join(words)[:200]} ended with {process.returncode}:\n{out[-3000:]}")
        return out

    def mpiexec(self, ranks, *words, options=(), **more):
        return self.run(os.path.join(self.bin, "mpiexec"), "-n", ranks, *options, *words, **more)


# ---- the parts: each returns what it has found, as data

def machine(session):
    """Which machine, what baton doctor says."""
    told = session.run(os.path.join(session.bin, "baton"), "doctor", "--json", code=None)
    doctor = json.loads(next((line for line in told.splitlines() if line.startswith("{")), "{}"))
    if "findings" not in doctor:
        raise Failed(told[-2000:])
    about = [one for one in doctor["findings"] if one["subject"].startswith(("device", "other device"))]
    smi = shutil.which("nvidia-smi")
    return {"host": platform.node(), "kernel": platform.release(), "doctor": about,
            "nvidia-smi": session.run(smi, "-L", code=None).splitlines() if smi else "not found"}


def forms(session):
    """All kinds of memory in messages, collectives and operations."""
    return {ranks: session.mpiexec(ranks, session.program("lifetimes_program"), "forms").splitlines()[:12] for ranks in (2, 3)}


def ways(session):
    """That messages between processes go by one copy of the device."""
    told = session.mpiexec(2, session.program("lifetimes_program"), "leaks", 100, options=["--explain=json"],
                           BATON_DEVICE_PATIENCE_US="-1")
    traffic = next((json.loads(line)["traffic"] for line in told.splitlines() if line.startswith("{")), [])
    found = {}
    for way in (way for row in traffic for way in row["ways"]):
        found[way["way"]] = found.get(way["way"], 0) + way["messages"]
    # 300 messages warm the program up.
    if found.get("device", 0) < 400:
        raise Failed("messages did not go by copies of the device:\n" + told[-3000:])
    return found


def gaps(session):
    """Runs without a rule, by copies and then by kernels, which must be translated and reach host memory."""
    runs = 300 if session.options.standin else 20000
    found = {}
    for least in "32768", "0":  # when it pays, and at once
        found[f"BATON_DEVICE_BYTES_MIN={least}"] = [
            line for line in session.mpiexec(2, session.program("lifetimes_program"), "gaps", runs,
                                             BATON_DEVICE_BYTES_MIN=least).splitlines() if "message" in line]
    return found


CONFORMANCE = [("conformance_foreign_memory", 2, ["local"]),
               ("conformance_collectives", 3, ["cases=10", "operations=9"]), ("conformance_neighborhood", 3, []),
               ("conformance_random_types", 2, ["1", "100"])]


def conformance(session):
    """Conformance programs with buffers of the device: on a device in managed memory, which the programs can look at."""
    library = "device/libcuda.so.1" if session.options.standin else "device/managed_device.so"
    found, missing = {}, []
    for name, ranks, words in CONFORMANCE:
        path = os.path.join(session.programs, name)
        if not os.path.exists(path):
            missing.append(name)
            continue
        out = session.mpiexec(ranks, path, *words, TEST_DEVICE_DRIVER=session.program(library))
        found[name] = out.splitlines()[-1:]
    if not found:
        raise Skipped(f"{', '.join(missing)} are not built")
    return {"passed": found, "not built": missing}


def bench(session):
    """The bench: ./dev bench --device."""
    out = os.path.join(session.options.out, "bench.json")
    words = ["--build", session.options.build, "--json", out, "--work", session.options.out, "--rounds",
             1 if session.options.standin else 3, "--milliseconds", 1 if session.options.standin else 15]
    if session.options.standin:
        words += ["--library", session.environment["DEVICE_LIBRARY"], "--sizes-max", 65536]
    peers = "none" if session.options.standin or not session.options.cache else "intel"
    words += ["--peers", peers] + (["--cache", session.options.cache] if session.options.cache else [])
    session.run(sys.executable, os.path.join(ROOT, "bench", "bench.py"), "--device", *words, code=None)
    if not os.path.exists(out):
        raise Failed("the bench has written nothing")
    with open(out) as file:
        found = json.load(file)
    missed = [row["cell"] for row in found["rows"] if row["held"] is False]
    result = {"rows": found["rows"], "failures": found["failures"], "absent": found["absent"], "missed": missed}
    if found["failures"]:
        raise Failed(json.dumps(result, indent=1))
    return result


def leaks(session):
    """Descriptors, mappings and device memory over allocations that are sent from and freed."""
    count = 500 if session.options.standin else 10000
    return [line for line in session.mpiexec(2, session.program("lifetimes_program"), "leaks", count).splitlines()
            if "allocations" in line]


def used_mib():
    """What nvidia-smi says is used of all devices; None: it is not there."""
    smi = shutil.which("nvidia-smi")
    if not smi:
        return None
    out = subprocess.run([smi, "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True,
                         timeout=30).stdout
    return sum(map(int, re.findall(r"\d+", out)))


def deaths(session):
    """A rank that is killed with handles open: the job ends, and the device's memory comes back."""
    before = used_mib()
    out = session.mpiexec(3, session.program("lifetimes_program"), "die", code=None)
    if out.count("has handles open") != 3 or "signal 9" not in out:
        raise Failed(out[-3000:])
    after = used_mib()
    while before is not None and after > before + 8 and time.monotonic() < session.end - 2:
        time.sleep(.5)
        after = used_mib()
    if before is not None and after > before + 8:
        raise Failed(f"{after - before} MiB of the devices are still used")
    return {"used before, MiB": before, "used after, MiB": after}


ARRAYS = '''
import sys
from mpi4py import MPI
import {name} as made
comm = MPI.COMM_WORLD
x, total = {vector}
{wait}
comm.Allreduce(x, total)
assert float(total[5]) == sum(5 + r for r in range(comm.size)), total[:8]
other = comm.rank ^ 1
if other < comm.size:
    comm.Sendrecv(x, dest=other, recvbuf=total, source=other)
    assert float(total[5]) == 5 + other, total[:8]
print("rank", comm.rank, "held", MPI.Get_library_version().split()[0])
'''
CUPY = {"name": "cupy", "vector": "made.arange(100000, dtype=made.float64) + comm.rank, made.zeros(100000)",
        "wait": "made.cuda.get_current_stream().synchronize()"}
TORCH = {"name": "torch", "vector": "[made.arange(100000, dtype=made.float64, device='cuda') + comm.rank, "
                                    "made.zeros(100000, dtype=made.float64, device='cuda')]",
         "wait": "made.cuda.current_stream().synchronize()"}


def mpi4py(session):
    """mpi4py, built for the standard ABI, with arrays of CuPy and PyTorch."""
    source = session.options.mpi4py
    if not source:
        raise Skipped("no --mpi4py SOURCE was given")
    if subprocess.run([sys.executable, "-c", "import setuptools"], capture_output=True, timeout=60).returncode != 0:
        raise Skipped("setuptools, which builds mpi4py, is not installed")
    target = os.path.join(session.options.out, "python")
    session.run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target",
                target, source, MPI4PY_BUILD_MPIABI="1", MPI4PY_BUILD_MPICC=os.path.join(session.bin, "mpicc"), CFLAGS="-O0")
    found = {}
    for array in CUPY, TORCH:
        name = array["name"]
        if subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, timeout=120).returncode != 0:
            found[name] = "skipped: it is not installed"
            continue
        out = session.mpiexec(2, sys.executable, "-c", ARRAYS.format(**array), PYTHONPATH=target)
        found[name] = sorted(line for line in out.splitlines() if "held" in line)
        if len(found[name]) != 2:
            raise Failed(out[-3000:])
    if not any(isinstance(value, list) for value in found.values()):
        raise Skipped("mpi4py is built; neither CuPy nor PyTorch is installed")
    return found


def sanitizer(session):
    """compute-sanitizer over messages of all kinds."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(tool):
        raise Skipped("compute-sanitizer was not found")
    out = session.mpiexec(2, tool, "--error-exitcode", 9, session.program("lifetimes_program"), "leaks", 20)
    return re.findall(r"ERROR SUMMARY.*", out)


# The part, and the seconds that it may take on a device, whose time is short. On the stand-in the limit only ends what hangs.
PARTS = {machine: 40, forms: 60, ways: 20, gaps: 30, conformance: 90, leaks: 60, deaths: 30, bench: 130, mpi4py: 100, sanitizer: 40}
STANDIN_PATIENCE = 10


def run_part(session, part, seconds):
    start = time.monotonic()
    left = session.options.seconds - (start - session.start)
    if left < 5:
        return {"state": "skipped", "why": f"the {session.options.seconds:g} s of all parts were over"}
    session.end = start + min(seconds, left)
    try:
        result = {"state": "held", "found": part(session)}
    except Skipped as reason:
        result = {"state": "skipped", "why": str(reason)}
    except (Failed, OSError, ValueError, subprocess.SubprocessError) as reason:
        result = {"state": "FAILED", "why": str(reason)}
    return {**result, "seconds": round(time.monotonic() - start, 1)}


def bench_table(rows):
    lines = ["| cell | Baton, µs | Intel MPI, µs | wanted, µs | |", "|---|---|---|---|---|"]
    for row in rows:
        number = {name: f"{value:.2f}" for name, value in row["us"].items()}
        wanted = "" if row["wanted_us"] is None else f"{row['wanted_us']:.1f}"
        verdict = "" if row["held"] is None else "held" if row["held"] else "MISSED"
        lines.append(f"| {row['cell']} | {number.get('baton', '')} | {number.get('intel', '')} | {wanted} | {verdict} |")
    return lines


def page(results):
    lines = ["# Device memory: results of a session", "",
             f"{results['date']}, {results['host']}." + (" **On the stand-in for a driver: no figure here is a device's.**"
                                                          if results["standin"] else ""), "",
             "| part | state | seconds | |", "|---|---|---|---|"]
    for name, result in results["parts"].items():
        why = " ".join(result.get("why", result["about"]).split())[:200].replace("|", "/")
        lines.append(f"| {name} | {result['state']} | {result.get('seconds', 0)} | {why} |")
    for name, result in results["parts"].items():
        if "found" not in result:
            continue
        lines += ["", f"## {name}", ""]
        if name == "bench":
            lines += bench_table(result["found"]["rows"])
        else:
            lines += ["```", json.dumps(result["found"], indent=1), "```"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="folder for the results")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--mpi4py", metavar="SOURCE", help="mpi4py's source distribution, or its unpacked folder")
    parser.add_argument("--cache", help="folder in which ./dev bench has installed Intel MPI before")
    parser.add_argument("--seconds", type=float, default=480, help="for all parts together")
    parser.add_argument("--parts", default="", help=", ".join(part.__name__ for part in PARTS))
    parser.add_argument("--standin", action="store_true", help="on the tests' stand-in for a driver")
    options = parser.parse_args()
    wanted = [name for name in options.parts.split(",") if name]
    if set(wanted) - {part.__name__ for part in PARTS}:
        parser.error(f"the parts are {', '.join(part.__name__ for part in PARTS)}")
    options.out, options.build = os.path.abspath(options.out), os.path.abspath(options.build)
    os.makedirs(options.out, exist_ok=True)
    session = Session(options)
    session.start = time.monotonic()
    results = {"date": time.strftime("%Y-%m-%d %H:%M"), "host": platform.node(), "standin": options.standin, "parts": {}}
    patience = STANDIN_PATIENCE if options.standin else 1
    options.seconds *= patience
    for part, seconds in PARTS.items():
        if wanted and part.__name__ not in wanted:
            continue
        result = run_part(session, part, seconds * patience)
        results["parts"][part.__name__] = {"about": part.__doc__, **result}
        print(f"{part.__name__}: {result['state']} {result.get('why', '')[:2000]}", flush=True)
        # Whatever ends this script later, what it has is there.
        with open(os.path.join(options.out, "results.json"), "w") as file:
            json.dump(results, file, indent=1)
        with open(os.path.join(options.out, "results.md"), "w") as file:
            file.write(page(results))
    return 1 if any(result["state"] == "FAILED" for result in results["parts"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
