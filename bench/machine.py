"""What this machine is and what its kernel permits; which single copy a library really makes on it."""
import contextlib
import ctypes
import datetime
import glob
import os
import platform
import re
import resource
import shutil
import signal
import tempfile

SINGLE_COPY_CALLS = ("process_vm_readv", "process_vm_writev")
KIB_PER_RANK, KIB_PER_RANK_OF_BATON = 8 << 10, 4 << 10  # guesses: of the most wasteful library, in a job of many
TRIALS_MOST = 8  # calls of a run that a library may make to find out whether they work; messages are more


def cpu_name():
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def cma():
    """Whether one process may copy from another of the same user: tried between two children."""
    libc = ctypes.CDLL(None, use_errno=True)
    word = ctypes.create_string_buffer(8)
    target = os.fork()
    if target == 0:
        signal.pause()
        os._exit(0)

    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    reader = os.fork()
    if reader == 0:
        own = ctypes.create_string_buffer(8)
        local, remote = Vector(ctypes.addressof(own), 8), Vector(ctypes.addressof(word), 8)
        got = libc.process_vm_readv(target, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
        os._exit(0 if got == 8 else ctypes.get_errno() or 255)
    code = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
    os.kill(target, signal.SIGKILL)
    os.waitpid(target, 0)
    return "permitted" if code == 0 else f"refused ({os.strerror(code)})"


def memory_left_kib():
    """What the kernel and the control group leave to us."""
    left = []
    with contextlib.suppress(OSError, ValueError), open("/proc/meminfo") as file:
        left += [int(line.split()[1]) for line in file if line.startswith("MemAvailable:")]
    most, used = control_group_limit("memory.max"), control_group_limit("memory.current")
    if most is not None and used is not None:
        left.append((most - used) >> 10)
    return min(left, default=None)


def processes_left():
    """How many more processes may be started, as far as limits say."""
    left = []
    most, used = control_group_limit("pids.max"), control_group_limit("pids.current")
    if most is not None and used is not None:
        left.append(most - used)
    own = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if own != resource.RLIM_INFINITY and os.getuid() != 0:
        left.append(own - sum(os.stat(entry).st_uid == os.getuid() for entry in glob.glob("/proc/[0-9]*")
                              if os.path.exists(entry)))
    return min(left, default=None)


def control_group_limit(name):
    """A number of our control group (version 2); None: there is none."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        with open("/proc/self/cgroup") as file:
            group = next(line.strip()[3:] for line in file if line.startswith("0::"))
        with open(f"/sys/fs/cgroup{group.rstrip('/')}/{name}") as file:
            return int(file.read())
    return None


def too_small_for(ranks, baton_alone=False):
    """Why a job of so many ranks does not fit onto this machine, in words; empty: it does."""
    needed = ranks * (KIB_PER_RANK_OF_BATON if baton_alone else KIB_PER_RANK)
    memory, processes = memory_left_kib(), processes_left()
    if memory is not None and memory < needed:
        return f"{needed >> 10} MiB of memory are needed, {memory >> 10} MiB are left"
    if processes is not None and processes < ranks:
        return f"limits allow {processes} more processes"
    return ""


def module(device):
    """Whether a kernel module for single copy can be used: by its device."""
    if not os.path.exists(device):
        return "absent"
    return "present" if os.access(device, os.R_OK | os.W_OK) else "present, but not for this user"


def describe():
    return {"cpu": cpu_name(), "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(), "cma": cma(),
            "xpmem": module("/dev/xpmem"), "knem": module("/dev/knem"),
            "date": datetime.date.today().isoformat()}


def calls_in(summary):
    """{system call: how often} of the table that strace -c prints."""
    found = re.findall(r"(?m)^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(\w+)$", summary)
    return {name: int(count) for count, name in found if name in SINGLE_COPY_CALLS}


def calls_in_words(calls):
    words = [f"{name} ({count} calls)" if count > TRIALS_MOST else f"{name} only tried ({count} calls)"
             for name, count in sorted(calls.items())]
    return " and ".join(words) or "no call of cross-memory attach"


def single_copy_seen(library, run):
    """Which calls a library made while messages of 1 MiB went back and forth, in words.
    `run(command, environment)` carries the job out."""
    if not shutil.which("strace"):
        return "not looked at (Debian: apt-get install strace)"
    with tempfile.TemporaryDirectory() as folder:
        summary = os.path.join(folder, "calls")
        strace = ["strace", "-f", "-qq", "-c", "-e", "trace=" + ",".join(SINGLE_COPY_CALLS), "-o", summary]
        run([*strace, *library.command(2, ["lat", "1", str(1 << 20)])], library.full_environment())
        with open(summary) as file:
            calls = calls_in(file.read())
    return calls_in_words(calls)
