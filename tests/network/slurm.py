"""Slurm on the hosts of hosts.py, for tests: its controller on the first, a daemon on each, and munge for them alone.

Configuration, state and logs lie in the hosts' folder; the daemons run in the hosts and end with them."""
import os
import shutil
import subprocess
import time

import hosts as hosts_of_test

DAEMONS = {"munged": "munge", "slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "srun": "slurm-wlm"}
START_SECONDS = 300

CONFIGURATION = """\
ClusterName=baton
SlurmctldHost={first}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def find(program):
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    found = shutil.which(program, path=path)
    if not found:
        raise hosts_of_test.Unusable(f"{program} is not installed (Debian: apt-get install {DAEMONS[program]})")
    return found


class Slurm:
    """Up while the `with` block runs. `cpus` is what each host is said to have, whatever there is."""

    def __init__(self, hosts, cpus=64):
        self.hosts, self.cpus = hosts, cpus
        self.folder = os.path.join(hosts.folder, "slurm")
        self.processes = []

    def __enter__(self):
        programs = {name: find(name) for name in DAEMONS}
        os.mkdir(self.folder)
        try:
            self._write_configuration()
            first = self.hosts.names[0]
            self._start(first, programs["munged"], "--foreground", "--force", "--num-threads=2",
                        *(f"--{name}={self.folder}/munge.{ending}" for name, ending in
                          (("socket", "socket"), ("key-file", "key"), ("pid-file", "pid"), ("log-file", "log"),
                           ("seed-file", "seed"))))
            self._wait(lambda: os.path.exists(os.path.join(self.folder, "munge.socket")), "munged makes no socket")
            self._start(first, programs["slurmctld"], "-D", "-f", self.configuration)
            for name in self.hosts.names:
                self._start(name, programs["slurmd"], "-D", "-N", name, "-f", self.configuration)
            self._wait(self._all_idle, "the nodes do not become idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _write_configuration(self):
        self.configuration = os.path.join(self.folder, "slurm.conf")
        nodes = "\n".join(f"NodeName={name} NodeAddr={self.hosts.address(name)} CPUs={self.cpus} State=UNKNOWN"
                          for name in self.hosts.names)
        text = CONFIGURATION.format(first=self.hosts.names[0], address=self.hosts.address(self.hosts.names[0]),
                                    folder=self.folder, nodes=nodes)
        os.mkdir(os.path.join(self.folder, "state"))
        for name in self.hosts.names:
            os.mkdir(os.path.join(self.folder, f"spool.{name}"))
        # The PMIx plug-in's sockets need a folder that the hosts do not share.
        for file_name, lines in (("slurm.conf", text), ("mpi.conf", "PMIxCliTmpDirBase=/dev/shm\n")):
            with open(os.path.join(self.folder, file_name), "w") as file:
                file.write(lines)
        with open(os.path.join(self.folder, "munge.key"), "wb") as file:
            os.fchmod(file.fileno(), 0o400)
            file.write(os.urandom(128))

    def _start(self, name, *words):
        output = open(os.path.join(self.folder, f"output.{len(self.processes)}"), "w")
        with output:
            self.processes.append(subprocess.Popen(self.hosts.enter(name, *words), stdin=subprocess.DEVNULL, stdout=output,
                                                   stderr=subprocess.STDOUT, env={**os.environ, **self.environment()}))

    def _all_idle(self):
        done = subprocess.run(self.words("sinfo", "-h", "-N", "-o", "%t"), capture_output=True, text=True,
                              env={**os.environ, **self.environment()}, timeout=START_SECONDS)
        return done.stdout.split() == ["idle"] * len(self.hosts.names)

    def _wait(self, condition, what):
        limit = time.monotonic() + START_SECONDS
        while not condition():
            ended = [process.args[-4:] for process in self.processes if process.poll() is not None]
            if ended or time.monotonic() > limit:
                raise hosts_of_test.Unusable(f"Slurm does not start: {what}{f', {ended} ended' if ended else ''}\n{self.logs()}")
            time.sleep(0.05)

    def logs(self):
        """The last lines of each daemon."""
        told = []
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".log") or name.startswith("output."):
                with open(os.path.join(self.folder, name), errors="replace") as file:
                    told += [f"{name}: {line.rstrip()}" for line in file.readlines()[-6:]]
        return "\n".join(told)

    def environment(self):
        return {"SLURM_CONF": self.configuration}

    def words(self, *words):
        """A command of Slurm's, on the first host."""
        return self.hosts.enter(self.hosts.names[0], *words)
