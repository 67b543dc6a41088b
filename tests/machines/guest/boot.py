"""Boots the guest and follows it until it ends or its time is over. Used by guest.py.

The guest ends with the process that started it, whatever happens to that one, and is ended by its own process id.
"""
import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time

import hardware
import ramdisk
from errors import Failure

HERE = os.path.dirname(os.path.abspath(__file__))
# The emulated machine's clock and timer need no calibration; a panic ends qemu (-no-reboot).
KERNEL_WORDS = "console=ttyS0 panic=-1 quiet mitigations=off no_timer_check tsc=reliable"
LOOK_SECONDS = 0.2
SET_PARENT_DEATH_SIGNAL = 1  # prctl


def escaped(path):
    """A comma ends a value of qemu's."""
    return path.replace(",", ",,")


def share(name, folder, more):
    return ["-fsdev", f"local,id={name},path={escaped(folder)},security_model=none{more}",
            "-device", f"virtio-9p-pci,fsdev={name},mount_tag={name}"]


def qemu_words(kernel, disk, results):
    return ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{escaped(os.path.join(results, 'console'))}", *hardware.words(),
            *share("host", "/", ",readonly=on,multidevs=remap"), *share("results", results, ""),
            "-kernel", os.path.join(kernel, "kernel"), "-initrd", disk, "-append", KERNEL_WORDS]


def die_with_parent():
    ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def tail(path, lines=12):
    try:
        with open(path, errors="replace") as file:
            return "".join(file.readlines()[-lines:])
    except OSError:
        return ""


def set_up(kernel, results, words):
    """What the guest finds: its first files, and the command it is to run."""
    os.makedirs(results, exist_ok=True)
    for name in ("code", "output", "results", "console"):
        if os.path.exists(os.path.join(results, name)):
            os.remove(os.path.join(results, name))
    with open(os.path.join(results, "command"), "w") as file:
        file.write("export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "
                   f"PYTHONDONTWRITEBYTECODE=1\ncd {shlex.quote(os.getcwd())}\nexec {shlex.join(words)}\n")
    disk = os.path.join(results, "ramdisk")
    with open(disk, "wb") as file:
        file.write(ramdisk.ramdisk(kernel, os.path.join(HERE, "init"), "/bin/busybox"))
    return disk


class Follower:
    """Hands new lines of a file on as they come."""

    def __init__(self, path, tell):
        self.path, self.tell, self.rest, self.at = path, tell, "", 0

    def look(self):
        try:
            with open(self.path, errors="replace") as file:
                file.seek(self.at)
                new = file.read()
                self.at = file.tell()
        except OSError:
            return
        *lines, self.rest = (self.rest + new).split("\n")
        for line in lines:
            self.tell(line)


def wait(process, followers, deadline):
    """False when the time is over."""
    while process.poll() is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(LOOK_SECONDS)
        for follower in followers:
            follower.look()
    for follower in followers:
        follower.look()
    return True


def boot(kernel, results, words, seconds, followed):
    """Runs the command in the guest; `followed` maps files among the results to what is told of their lines.
    Returns the command's code."""
    disk = set_up(kernel, results, words)
    followers = [Follower(os.path.join(results, name), tell) for name, tell in followed.items()]
    try:
        process = subprocess.Popen(qemu_words(kernel, disk, results), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=die_with_parent)
    except FileNotFoundError:
        raise Failure("qemu-system-x86_64 is not installed") from None
    try:
        in_time = wait(process, followers, time.monotonic() + seconds)
    finally:
        if process.poll() is None:
            process.kill()
        complaint = process.communicate()[1]
    sys.stdout.flush()
    try:
        with open(os.path.join(results, "code")) as file:
            return int(file.read())
    except (OSError, ValueError):
        why = f"it did not end within {seconds} seconds" if not in_time else \
            f"it ended before its command did (qemu: code {process.returncode})"
        raise Failure(f"{why}\n{complaint[-600:]}{tail(os.path.join(results, 'console'))}"
                      f"{tail(os.path.join(results, 'output'))}".rstrip()) from None
