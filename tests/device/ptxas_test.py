#!/usr/bin/env python3
"""The kernels by NVIDIA's own assembler, for the oldest and a recent device. It comes from PyPI
(nvidia-cuda-nvcc-cu12) and is skipped, with code 77, where that cannot be fetched. Usage: ptxas_test.py WRITE_KERNELS"""
import os
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "nvidia-cuda-nvcc-cu12"
ARCHITECTURES = ("sm_70", "sm_90")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def fetch(folder):
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
    try:
        got = subprocess.run(words, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        skip(error)
    wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
    if got.returncode != 0 or not wheels:
        skip(f"{PACKAGE} cannot be fetched: {got.stderr.strip().splitlines()[-1:]}")
    with zipfile.ZipFile(os.path.join(folder, wheels[0])) as wheel:
        names = [name for name in wheel.namelist() if name.endswith("bin/ptxas")]
        if not names:
            skip(f"{wheels[0]} has no ptxas")
        path = wheel.extract(names[0], folder)
    os.chmod(path, 0o755)
    return path


def main():
    text = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True, timeout=60).stdout
    entries = text.count(".entry ")
    assert entries > 300, entries
    with tempfile.TemporaryDirectory() as folder:
        ptxas = fetch(folder)
        source = os.path.join(folder, "kernels.ptx")
        with open(source, "w") as file:
            file.write(text)
        for architecture in ARCHITECTURES:
            done = subprocess.run([ptxas, "--verbose", f"--gpu-name={architecture}", source, "-o", os.devnull],
                                  capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, done.stdout + done.stderr
            compiled = (done.stdout + done.stderr).count("Compiling entry function")
            assert compiled == entries, (architecture, compiled, entries)
        print(f"{entries} kernels for {', '.join(ARCHITECTURES)}")


if __name__ == "__main__":
    main()
