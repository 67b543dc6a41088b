#!/usr/bin/env python3
"""Passes on the packets between the hosts of hosts.py, badly: with loss, delay, copies and packets that overtake. The
kernel here has no such queue (netem), so each host's eth0 is a TUN device that ends in this process.
Usage: forwarder.py TROUBLE ADDRESS=PID ...   (TROUBLE as of Trouble.words, PID of a process that keeps the host's network)

Orders come one a line and are answered by a line: cut ADDRESS, restore ADDRESS (a host's link, without a word to anybody),
count (passed on, lost, copied, overtaken so far). It ends with its standard input."""
import ctypes
import dataclasses
import fcntl
import heapq
import os
import random
import select
import socket
import struct
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
PACKETS_AT_ONCE = 64
WAITING_MAX = 2000  # packets on their way; a router has no more space either
MTU = 9000


@dataclasses.dataclass
class Trouble:
    """What happens to packets: shares of them, and seconds."""
    loss: float = 0.0
    copies: float = 0.0
    overtaken: float = 0.0  # these wait longer
    delay: float = 0.0
    jitter: float = 0.0  # up to so much is added
    seed: int = 7

    def words(self):
        return ",".join(f"{field.name}={getattr(self, field.name)}" for field in dataclasses.fields(self))

    @classmethod
    def read(cls, words):
        pairs = dict(pair.split("=") for pair in words.split(","))
        return cls(**{field.name: field.type(pairs[field.name]) for field in dataclasses.fields(cls)})


def open_tun(pid):
    """A device eth0 in the process's network namespace."""
    with open(f"/proc/{pid}/ns/net") as space:
        if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TUN | IFF_NO_PI))
    return tun


class Forwarder:
    def __init__(self, trouble, hosts):
        self.trouble, self.random = trouble, random.Random(trouble.seed)
        with open("/proc/self/ns/net") as own:
            self.tuns = {socket.inet_aton(address): open_tun(pid) for address, pid in hosts.items()}
            ctypes.CDLL(None).setns(own.fileno(), CLONE_NEWNET)
        self.cut = set()
        self.waiting, self.number = [], 0
        self.passed = self.lost = self.copied = self.overtaken = 0

    def put(self, now, packet):
        trouble, chance = self.trouble, self.random.random
        if len(self.waiting) >= WAITING_MAX or chance() < trouble.loss:
            self.lost += 1
            return
        due = now + trouble.delay + trouble.jitter * chance()
        if chance() < trouble.overtaken:
            self.overtaken += 1
            due += 0.002 + trouble.delay
        self.number += 1
        heapq.heappush(self.waiting, (due, self.number, packet))

    def take_in(self, source, tun):
        now = time.monotonic()
        for _ in range(PACKETS_AT_ONCE):
            try:
                packet = os.read(tun, 65536)
            except BlockingIOError:
                return
            if packet[0] >> 4 != 4 or source in self.cut or packet[16:20] in self.cut or packet[16:20] not in self.tuns:
                continue
            self.put(now, packet)
            if self.random.random() < self.trouble.copies:
                self.copied += 1
                self.put(now, packet)

    def pass_on(self):
        """What is due; how long nothing is, in seconds, or None."""
        now = time.monotonic()
        while self.waiting and self.waiting[0][0] <= now:
            packet = heapq.heappop(self.waiting)[2]
            if packet[16:20] in self.cut or packet[12:16] in self.cut:
                continue
            try:
                os.write(self.tuns[packet[16:20]], packet)
                self.passed += 1
            except OSError:
                self.lost += 1  # the host's eth0 is not up, or has no space
        return max(0.0, self.waiting[0][0] - now) if self.waiting else None

    def obey(self, order, address=None):
        if order == "count":
            return f"{self.passed} {self.lost} {self.copied} {self.overtaken}"
        change = self.cut.add if order == "cut" else self.cut.discard
        change(socket.inet_aton(address))
        return "done"

    def run(self):
        poll = select.epoll()
        sources = {tun: address for address, tun in self.tuns.items()}
        for tun in sources:
            poll.register(tun, select.EPOLLIN)
        poll.register(0, select.EPOLLIN)
        text = b""
        print("up", flush=True)
        while True:
            for ready, _ in poll.poll(self.pass_on()):
                if ready != 0:
                    self.take_in(sources[ready], ready)
                    continue
                more = os.read(0, 4096)
                if not more:
                    return
                *orders, text = (text + more).split(b"\n")
                for order in orders:
                    print(self.obey(*order.decode().split()), flush=True)


if __name__ == "__main__":
    Forwarder(Trouble.read(sys.argv[1]), dict(pair.split("=") for pair in sys.argv[2:])).run()
