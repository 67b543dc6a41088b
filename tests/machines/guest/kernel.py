"""Fetches a Debian kernel for the guest and keeps what is needed of it: the kernel itself, unpacked (a compressed one
would unpack itself slowly, emulated), and the modules between it and the host's files. Used by guest.py.
"""
import lzma
import os
import re
import shutil
import struct
import subprocess
import zlib

from errors import Failure

# The first that the distribution has. 6.12 has memory tiers and weighted interleaving, 6.1 has neither.
PACKAGES = ("linux-image-6.12-amd64", "linux-image-amd64")
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
FETCH_SECONDS = 600


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=FETCH_SECONDS, **more)


def package_that_is_meant(wanted):
    """Debian's names for "the newest 6.12" and the like depend on the package that has the kernel."""
    for name in (wanted,) if wanted else PACKAGES:
        if re.fullmatch(r"linux-image-\d+\.\d+\..*", name):
            return name
        found = re.search(r"^\s*Depends: (linux-image-\S+)", run(["apt-cache", "depends", name]).stdout, re.M)
        if found:
            return found.group(1)
    raise Failure(f"apt knows no package {wanted or ' or '.join(PACKAGES)}; `apt-get update` as root may help, "
                  "--kernel PACKAGE takes another")


def fetch(package, folder):
    """Downloads and unpacks the package into the folder."""
    done = run(["apt-get", "download", "-q", package], cwd=folder)
    files = [name for name in os.listdir(folder) if name.endswith(".deb")]
    if done.returncode != 0 or not files:
        raise Failure(f"the guest's kernel cannot be fetched (apt-get download {package}): "
                      f"{done.stderr.strip()[-300:]}")
    done = run(["dpkg-deb", "-x", os.path.join(folder, files[0]), os.path.join(folder, "unpacked")])
    if done.returncode != 0:
        raise Failure(f"{files[0]} cannot be unpacked: {done.stderr.strip()[-300:]}")
    return os.path.join(folder, "unpacked")


def unpacked_kernel(image):
    """The kernel inside a bzImage (Linux's boot protocol says where), or None when it is packed in an unknown way."""
    sectors = image[0x1f1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (sectors + 1) * 512 + offset
    packed = image[start:start + length]
    if packed.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(packed)
    if packed.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(31).decompress(packed)
    if packed.startswith(b"\x28\xb5\x2f\xfd"):
        # The unpacked length stands behind it.
        done = subprocess.run(["zstd", "-d", "-c", "-q"], input=packed[:-4], capture_output=True, timeout=60)
        return done.stdout if done.stdout.startswith(b"\x7fELF") else None
    return None


def read_module(path):
    with open(path, "rb") as file:
        data = file.read()
    return lzma.decompress(data) if path.endswith(".xz") else data


def needed_modules(folder):
    """name -> contents, in the order of loading. What a kernel has no module for is built into it."""
    files = {}
    for place, _, names in os.walk(folder):
        for name in names:
            found = re.fullmatch(r"(.+)\.ko(\.xz)?", name)
            if found:
                files[found.group(1).replace("-", "_")] = os.path.join(place, name)
    ordered = {}

    def add(name):
        if name in ordered or name not in files:
            return
        contents = read_module(files[name])
        for depends in re.findall(rb"\0depends=([^\0]*)\0", contents):
            for other in filter(None, depends.decode().split(",")):
                add(other.replace("-", "_"))
        ordered[name] = contents
    for name in MODULES:
        add(name)
    return ordered


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def keep(unpacked, folder):
    """What the guest needs, as files of ours; the last of them says that all are there."""
    boot = os.path.join(unpacked, "boot")
    name = next((name for name in os.listdir(boot) if name.startswith("vmlinuz-")), None)
    if not name:
        raise Failure("the kernel's package has no boot/vmlinuz-*; --kernel PACKAGE takes another")
    with open(os.path.join(boot, name), "rb") as file:
        image = file.read()
    write(os.path.join(folder, "kernel"), unpacked_kernel(image) or image)
    modules = needed_modules(unpacked)
    os.makedirs(os.path.join(folder, "modules"), exist_ok=True)
    for module, contents in modules.items():
        write(os.path.join(folder, "modules", module + ".ko"), contents)
    write(os.path.join(folder, "order"), "\n".join(modules).encode())


def prepare(wanted, cache):
    """The folder with `kernel`, `order` and `modules/`, made at the first call."""
    package = package_that_is_meant(wanted)
    folder = os.path.join(cache, package)
    if not os.path.exists(os.path.join(folder, "order")):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "package"))
        print(f"guest: fetching {package}", flush=True)
        keep(fetch(package, os.path.join(folder, "package")), folder)
        shutil.rmtree(os.path.join(folder, "package"))
    return folder
