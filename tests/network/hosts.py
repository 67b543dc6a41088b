#!/usr/bin/env python3
"""Several hosts on one machine, for tests of jobs on several nodes.

A host is a process that keeps network, name, IPC and mount namespaces of its own, with its own /dev/shm and temporary
folder; process ids and files are the machine's. A bridge in one more namespace joins them: this machine's own network
sees nothing of it, so sets of hosts never meet. Nothing stays: a process apart ends by its id whatever runs in the hosts
as soon as the one that made them has ended, even if that was killed. Instead of the bridge a program (forwarder.py) may
pass their packets on, badly.

usage: hosts.py up N | down | enter HOST COMMAND ...   (for people: one set of hosts a user, until `down`)
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from forwarder import MTU  # noqa: E402

TOOLS = ("ip", "nsenter", "unshare", "mount")
END_SECONDS = 100
TUN = "/dev/net/tun"
STATE = os.path.join(tempfile.gettempdir(), f"baton-hosts-{os.getuid()}")


class Unusable(Exception):
    """Why this machine can have no such hosts, in words for people."""


def run(*words, **more):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise Unusable(f"`{' '.join(map(str, words))}` failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def space_of(pid):
    """A process's network namespace; no other has this name while anything of it lives."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return None


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def inhabitants(spaces):
    """Living processes in these network namespaces."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if space_of(pid) in spaces and is_alive(pid)]


def clear(spaces, folder):
    """Ends what runs in the hosts; with its last process the kernel takes a namespace and its cables back."""
    limit = time.monotonic() + END_SECONDS
    while spaces and (found := inhabitants(spaces)) and time.monotonic() < limit:
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    shutil.rmtree(folder, ignore_errors=True)


class Reaper:
    """A process apart that clears up when this one has ended, however. No child of ours: whoever kills us with all our
    children leaves it alone."""

    def __init__(self, folder):
        orders, self.orders = os.pipe()
        self.done, done = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() != 0:
                os._exit(0)
            # Nobody waits for our output.
            keep = {orders, done}
            for number in map(int, os.listdir("/proc/self/fd")):
                if number not in keep:
                    try:
                        os.close(number)
                    except OSError:
                        pass
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            with os.fdopen(orders) as lines:
                spaces = set(lines.read().split())
            clear(spaces - {space_of(os.getpid())}, folder)
            os._exit(0)
        os.waitpid(child, 0)
        os.close(orders)
        os.close(done)

    def watch(self, space):
        os.write(self.orders, f"{space}\n".encode())

    def finish(self):
        os.close(self.orders)
        os.read(self.done, 1)
        os.close(self.done)


class Hosts:
    """N hosts, up while the `with` block runs. `trouble` (a forwarder.Trouble): what happens to packets between them.
    `interfaces`: of each host, eth0 and so on, each kind in a network of its own; `megabits` a second of each."""

    def __init__(self, count, trouble=None, interfaces=1, megabits=None):
        self.trouble, self.forwarder = trouble, None
        self.interfaces, self.megabits = interfaces, megabits
        self.names = [f"b{os.getpid():x}h{number}" for number in range(1, count + 1)]
        self.network = f"10.{64 + os.getpid() // 256 % 128}.{os.getpid() % 256}"
        self.holders, self.pids = [], {}

    def __enter__(self):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing:
            raise Unusable(f"{missing[0]} is not installed (Debian: apt-get install iproute2 util-linux)")
        if os.geteuid() != 0:
            raise Unusable("network namespaces and bridges need root")
        if self.trouble and not os.path.exists(TUN):
            raise Unusable(f"there is no {TUN}, by which packets would be lost")
        self.folder = tempfile.mkdtemp(prefix="baton-hosts-")
        self.reaper = Reaper(self.folder)
        try:
            self._write_names()
            make = "ip link add bridge{0} type bridge && ip link set bridge{0} up"
            bridges = "true" if self.trouble else " && ".join(make.format(i) for i in range(self.interfaces))
            self.bridge = self._hold(bridges)
            for number, name in enumerate(self.names, 1):
                self._make_host(number, name)
            if self.trouble:
                self._start_forwarder()
            for number, name in enumerate(self.names, 1):
                on_host = ("nsenter", "-t", self.pids[name], "--net")
                for i in range(self.interfaces):
                    run(*on_host, "ip", "addr", "add", f"{self._network(i)}.{number}/24", "dev", f"eth{i}")
                    run(*on_host, "ip", "link", "set", f"eth{i}", "up")
                    if self.megabits:
                        run(*on_host, "tc", "qdisc", "add", "dev", f"eth{i}", "root", "tbf", "rate",
                            f"{self.megabits}mbit", "burst", "256k", "latency", "50ms")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.reaper.finish()
        for holder in self.holders:
            holder.stdin.close()
            holder.stdout.close()
            holder.wait()

    def _network(self, interface):
        """Of the interfaces of that number; those behind the first are in 172.16.0.0/12."""
        if interface == 0:
            return self.network
        return f"172.{16 + 4 * interface + os.getpid() // 256 % 4}.{os.getpid() % 256}"

    def _write_names(self):
        self.hosts_file = os.path.join(self.folder, "hosts")
        with open(self.hosts_file, "w") as file:
            file.write("127.0.0.1 localhost\n")
            for number, name in enumerate(self.names, 1):
                file.write(f"{self.network}.{number} {name}\n")

    def _hold(self, script):
        """A process that sets its own namespaces up and then keeps them."""
        holder = subprocess.Popen(["unshare", "--net", "--uts", "--ipc", "--mount", "--propagation", "private",
                                   "sh", "-c", f"{script} && echo up && exec cat"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.holders.append(holder)
        said = holder.stdout.readline().strip()
        if said != "up":
            raise Unusable(f"this machine allows no namespaces: {said or 'unshare failed'}")
        self.reaper.watch(space_of(holder.pid))
        return holder.pid

    def _make_host(self, number, name):
        os.mkdir(self.temporary(name))
        pid = self._hold(f"hostname {name} && mount -t tmpfs -o size=2g shm /dev/shm && "
                         f"mount --bind '{self.hosts_file}' /etc/hosts && ip link set lo up")
        self.pids[name] = pid
        if self.trouble:
            return
        on_bridge = ("nsenter", "-t", self.bridge, "--net", "ip")
        for i in range(self.interfaces):
            run(*on_bridge, "link", "add", f"host{number}n{i}", "type", "veth", "peer", "name", f"eth{i}", "netns", pid)
            run(*on_bridge, "link", "set", f"host{number}n{i}", "master", f"bridge{i}", "up")

    def _start_forwarder(self):
        """It lives where the bridge would be, and ends with it."""
        pairs = [f"{self.address(name)}={pid}" for name, pid in self.pids.items()]
        self.forwarder = subprocess.Popen(
            ["nsenter", "-t", str(self.bridge), "--net", sys.executable, os.path.join(HERE, "forwarder.py"),
             self.trouble.words(), *pairs], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.holders.append(self.forwarder)
        if self.forwarder.stdout.readline().strip() != "up":
            raise Unusable(f"no packets can be passed on: {self.forwarder.stderr.read().strip()}")
        for pid in self.pids.values():
            run("nsenter", "-t", pid, "--net", "ip", "link", "set", "eth0", "mtu", MTU)

    def order(self, *words):
        """An order to the forwarder; its answer."""
        self.forwarder.stdin.write(" ".join(words) + "\n")
        self.forwarder.stdin.flush()
        return self.forwarder.stdout.readline().strip()

    def cut(self, name):
        """The host's link is dead from now on, and nobody is told."""
        return self.order("cut", self.address(name))

    def restore(self, name):
        return self.order("restore", self.address(name))

    def address(self, name):
        return f"{self.network}.{self.names.index(name) + 1}"

    def temporary(self, name):
        return os.path.join(self.folder, name)

    def enter(self, name, *words):
        """The words that run a command on a host."""
        return enter_words(self.pids[name], self.temporary(name), words)

    def environment(self):
        """For rsh.py, which launchers start in place of ssh."""
        pids = ",".join(f"{name}={pid}" for name, pid in self.pids.items())
        return {"TEST_HOSTS": pids, "TEST_HOSTS_FOLDER": self.folder}


def enter_words(pid, temporary, words):
    return ["nsenter", "-t", str(pid), "--net", "--uts", "--ipc", "--mount", f"--wd={os.getcwd()}", "--",
            "env", f"TMPDIR={temporary}", *map(str, words)]


def keep(count):
    """`up`: stays behind as the process to which everything belongs."""
    with Hosts(count) as hosts:
        os.makedirs(STATE, exist_ok=True)
        with open(os.path.join(STATE, "new"), "w") as file:
            file.write("\n".join([str(os.getpid()), hosts.folder, *(f"{name} {pid}" for name, pid in hosts.pids.items())]))
        os.rename(os.path.join(STATE, "new"), os.path.join(STATE, "hosts"))
        print(f"up: {' '.join(hosts.names)} ({hosts.network}.0/24)", flush=True)
        os.close(1)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        while True:
            signal.pause()


def up(count):
    if os.path.exists(os.path.join(STATE, "hosts")):
        sys.exit("hosts.py: there are hosts already; `hosts.py down` first")
    keeper = subprocess.Popen([sys.executable, os.path.abspath(__file__), "keep", str(count)], stdout=subprocess.PIPE,
                              text=True, start_new_session=True)
    said = keeper.stdout.readline()
    print(said, end="")
    return 0 if said.startswith("up") else 1


def read_state():
    try:
        with open(os.path.join(STATE, "hosts")) as file:
            keeper, folder, *hosts = file.read().splitlines()
    except OSError:
        sys.exit("hosts.py: there are no hosts; `hosts.py up N` first")
    return int(keeper), folder, {name: int(pid) for name, pid in (line.split() for line in hosts)}


def down():
    keeper, folder, _ = read_state()
    shutil.rmtree(STATE)
    try:
        os.kill(keeper, signal.SIGTERM)
    except ProcessLookupError:
        pass
    limit = time.monotonic() + END_SECONDS
    while os.path.exists(f"/proc/{keeper}") and os.path.exists(folder) and time.monotonic() < limit:
        time.sleep(0.02)
    return 0


def main():
    words = sys.argv[1:]
    if words in (["-h"], ["--help"], []):
        print(__doc__)
        return 0 if words else 2
    try:
        if words[0] == "up" and len(words) == 2:
            return up(int(words[1]))
        if words[0] == "keep" and len(words) == 2:
            return keep(int(words[1]))
        if words == ["down"]:
            return down()
        if words[0] == "enter" and len(words) > 2:
            _, folder, pids = read_state()
            names = list(pids)
            name = names[int(words[1]) - 1] if words[1].isdigit() else words[1]
            entered = enter_words(pids[name], os.path.join(folder, name), words[2:])
            os.execvp(entered[0], entered)
    except Unusable as why:
        print(f"hosts.py: {why}", file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
