"""Writes the guest's first file system: busybox, the modules and `init`, as a cpio archive (format "newc")."""
import os

from errors import Failure

FOLDERS = ("bin", "modules", "proc", "sys", "dev", "host", "upper", "root")
FILE, FOLDER, PROGRAM = 0o100644, 0o040755, 0o100755


def padded(data):
    return data + bytes(-len(data) % 4)


def entry(number, name, mode, data=b""):
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields)
    return padded(head + name.encode() + b"\0") + padded(data)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}; the guest's first file system needs it") from None


def ramdisk(kernel, init, busybox):
    """The archive's bytes."""
    parts = [(name, FOLDER, b"") for name in FOLDERS]
    parts += [("init", PROGRAM, read(init)), ("bin/busybox", PROGRAM, read(busybox)),
              ("order", FILE, read(os.path.join(kernel, "order")))]
    for name in read(os.path.join(kernel, "order")).decode().split():
        parts.append((f"modules/{name}.ko", FILE, read(os.path.join(kernel, "modules", name + ".ko"))))
    parts.append(("TRAILER!!!", 0, b""))
    return b"".join(entry(number, *part) for number, part in enumerate(parts, 1))
