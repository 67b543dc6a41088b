#!/usr/bin/env python3
"""A stranger that sends to ports what nobody there can want, and stays until its standard input ends.
Usage: stranger.py ADDRESS PORT..."""
import random
import socket
import struct
import sys

PATIENCE_SECONDS = 100


class Stranger:
    def __init__(self, address, ports):
        self.address, self.ports = address, ports
        self.random = random.Random(7)
        self.open = []

    def connect(self, port):
        connection = socket.create_connection((self.address, port), PATIENCE_SECONDS)
        connection.settimeout(0.2)
        return connection

    def send(self, port, data, reset=False):
        connection = self.connect(port)
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1000)
        except OSError:
            pass  # it has hung up, or says nothing
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def texts(self):
        yield b""
        yield b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
        yield b"\0" * 5000
        yield b"\xff" * 5000
        for length in (1, 3, 8, 16, 64, 300, 4000, 200000):
            yield self.random.randbytes(length)
        # As libfabric's connections begin (a header of 16 bytes: version, type), with lengths that are not true.
        for version in range(5):
            for kind in range(4):
                yield bytes((version, kind)) + self.random.randbytes(62)
                lengths = struct.pack(">IQ", 0xffffffff, 1 << 62)
                yield bytes((version, 16, kind, 0)) + lengths + self.random.randbytes(300)

    def pester(self):
        for port in self.ports:
            for number, text in enumerate(self.texts()):
                self.send(port, text, reset=number % 2 == 1)
            # Some stay, and say nothing or half of something.
            for text in (b"", b"\3", b"\3\1" + bytes(20)):
                connection = self.connect(port)
                connection.sendall(text)
                self.open.append(connection)
        print("pestered", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    Stranger(sys.argv[1], list(map(int, sys.argv[2:]))).pester()
