"""The programs that steps run: found beside `baton`, watched, and ended with us."""
import hashlib
import os
import subprocess
import tempfile

from lab.frame.errors import StepFailed
from lab.frame.files import read_json

END_SECONDS = 5


class Programs:
    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def has(self, name):
        return os.access(self.path(name), os.X_OK)

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

    def watch(self, words, heard, **more):
        try:
            # Text that is no UTF-8 is no reason to fail.
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True, errors="replace", **more)
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
