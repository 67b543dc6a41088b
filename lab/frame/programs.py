"""The programs that steps run: found beside `baton`, watched, and ended with us."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from lab.frame.errors import LabError, StepFailed
from lab.frame.files import read_json

END_SECONDS = 5


class Programs:
    def __init__(self, *folders):
        self.folders = folders

    def path(self, name):
        """Where it is, or where it would be."""
        paths = [os.path.join(folder, name) for folder in self.folders]
        return next((path for path in paths if os.path.exists(path)), paths[0])

    def has(self, name):
        return os.access(self.path(name), os.X_OK)

    def build_folder(self):
        return os.path.dirname(os.path.abspath(self.folders[0]))

    def source_folder(self):
        """Baton's sources, of a build folder; None: the programs are in no build folder."""
        try:
            with open(os.path.join(self.build_folder(), "CMakeCache.txt"), encoding="utf-8") as file:
                home = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", file.read(), re.M)
        except OSError:
            return None
        return home.group(1) if home else None

    def make_missing(self, names):
        """A build folder has at first what users install; what a study runs besides is built when it is missed."""
        build = self.build_folder()
        missing = [name for name in names if not self.has(name)]
        if not missing or not os.path.exists(os.path.join(build, "CMakeCache.txt")):
            return
        print(f"baton lab: building what the study runs, once: {', '.join(missing)}", file=sys.stderr, flush=True)
        words = ["cmake", "--build", build, "--target", "lab"]
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace")
            if done.returncode != 0:
                print(f"baton lab: {' '.join(words)} failed:\n{done.stdout[-2000:]}", file=sys.stderr)
        except OSError as error:
            print(f"baton lab: cmake does not start: {error.strerror}", file=sys.stderr)

    def fingerprint(self, name):
        """Another build, another fingerprint: what an older one has found does not count."""
        try:
            with open(self.path(name), "rb") as file:
                return hashlib.sha256(file.read()).hexdigest()
        except OSError:
            return None

    def version(self):
        try:
            done = subprocess.run([self.path("baton"), "--version"], capture_output=True, text=True, timeout=20)
            return done.stdout.strip() or "unknown"
        except (OSError, subprocess.TimeoutExpired):
            return "unknown"

    def report(self, name, words, heard):
        """What `name words --out FILE` writes; its lines on standard error go to `heard`."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "report.json")
            lines = self.watch([self.path(name), *words, "--out", file], heard)
            report = read_json(file)
        if report is None:
            raise StepFailed(f"{name} {' '.join(words)} wrote no report: {lines[-1] if lines else 'it said nothing'}")
        return report

    def job(self, ranks, name, words, seconds, heard, launch=()):
        """What rank 0 of `mpiexec LAUNCH -n RANKS name words` prints, as JSON; ranks None: as mpiexec chooses."""
        count = [] if ranks is None else ["-n", str(ranks)]
        words = [self.path("mpiexec"), "--timeout", str(seconds), *launch, *count, self.path(name), *words]
        try:
            return json.loads(self.output(words, heard))
        except ValueError as error:
            raise StepFailed(f"{name} on {ranks} ranks printed no JSON: {error}") from None

    def output(self, words, heard):
        """What a command prints."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            self.watch(words, heard, stdout=out)
            out.seek(0)
            return out.read()

    def answer(self, name, words):
        """What `name words` prints at once, as JSON."""
        try:
            done = subprocess.run([self.path(name), *words], capture_output=True, text=True, timeout=60)
            return json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise LabError(f"{name} {' '.join(words)} gave no answer: {error}") from None

    def timed(self, words, seconds, heard):
        """How long `mpiexec words` takes, in seconds."""
        began = time.monotonic()
        self.watch([self.path("mpiexec"), "--timeout", str(seconds), *words], heard)
        return time.monotonic() - began

    def watch(self, words, heard, stdout=subprocess.DEVNULL):
        try:
            # Text that is no UTF-8 is no reason to fail.
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=stdout,
                                     stderr=subprocess.PIPE, text=True, errors="replace")
        except OSError as error:
            raise StepFailed(f"{words[0]} does not start: {error.strerror}") from None
        lines = []
        try:
            for line in child.stderr:
                lines.append(line.strip())
                heard(line.strip())
            code = child.wait()
        except BaseException:
            end(child)
            raise
        finally:
            child.stderr.close()
        if code != 0:
            raise StepFailed(f"{os.path.basename(words[0])} ended with {code}: {' / '.join(lines[-2:])}")
        return lines


def end(child):
    child.terminate()
    try:
        child.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
