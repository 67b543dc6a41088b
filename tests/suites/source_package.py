"""Source packages of the distribution, fetched by apt: programs by others that tests build. Where apt cannot, the test is
skipped and says why."""
import glob
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

SECONDS = 1500  # far


def run(*words, **more):
    """Runs a command to its end and returns what it printed; fails with the last of it."""
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=SECONDS, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words[:4]))}: code {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def source_packages(folder):
    """A configuration of apt's own that knows the sources of the distribution's main packages, in this folder."""
    form = "$(REPO_URI) $(CODENAME) $(COMPONENT)"
    targets = {tuple(line.split()) for line in run("apt-get", "indextargets", "--format", form,
                                                   "Created-By: Packages").splitlines()}
    keys = [f"/usr/share/keyrings/{name}-archive-keyring.gpg" for name in ("debian", "ubuntu")]
    signed = "".join(f"[signed-by={path}] " for path in keys if os.path.exists(path))
    lists = os.path.join(folder, "sources.list")
    with open(lists, "w") as file:
        for target in targets:
            if len(target) == 3 and target[2] == "main":
                uri, suite, component = target
                file.write(f"deb-src {signed}{uri} {suite} {component}\n")
    for name in ("lists/partial", "archives/partial"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    return [f"-oDir::Etc::sourcelist={lists}", "-oDir::Etc::sourceparts=-", f"-oDir::State::Lists={folder}/lists",
            f"-oDir::Cache={folder}"]


def fetch(package, kept):
    """The package's folder below `kept`, unpacked, with what Debian adds in `debian`."""
    place = os.path.join(kept, package)
    if os.path.exists(place):
        return place
    if not shutil.which("apt-get"):
        raise unittest.SkipTest("there is no apt-get to fetch sources with")
    os.makedirs(kept, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as folder:
        try:
            options = source_packages(folder)
            run("apt-get", *options, "update", cwd=folder)
            run("apt-get", *options, "source", "--download-only", package, cwd=folder)
        except AssertionError as failure:
            raise unittest.SkipTest(f"{package} cannot be fetched: {str(failure).splitlines()[-1]}") from None
        unpacked = os.path.join(folder, "unpacked")
        for pattern in "*.orig.tar.*", "*.debian.tar.*":
            with tarfile.open(glob.glob(os.path.join(folder, pattern))[0]) as file:
                file.extractall(unpacked)
        program = next(name for name in os.listdir(unpacked) if name != "debian")
        shutil.move(os.path.join(unpacked, "debian"), os.path.join(unpacked, program))
        os.rename(os.path.join(unpacked, program), place)
    return place
