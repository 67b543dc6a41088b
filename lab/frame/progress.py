"""Progress on standard error: a bar by `rich` on a terminal where that is installed, else plain lines."""
import sys
import time

LINE_SECONDS = 2


class PlainProgress:
    """A line when a step begins or ends, and every two seconds between."""

    def __init__(self, name, steps, out=None):
        self.name, self.steps, self.out = name, steps, out or sys.stderr
        self.number, self.title, self.last = 0, "", 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def say(self, text):
        print(f"baton lab {self.name}: {text}", file=self.out, flush=True)

    def begin(self, title):
        self.number += 1
        self.title, self.last = title, time.monotonic()
        self.say(f"step {self.number} of {self.steps}: {title}")

    def at(self, text):
        if time.monotonic() - self.last >= LINE_SECONDS:
            self.last = time.monotonic()
            self.say(f"step {self.number} of {self.steps}: {self.title}: {text}")

    def end(self, text):
        self.say(f"step {self.number} of {self.steps}: {self.title}: {text}")


class BarProgress(PlainProgress):
    """One bar of all steps."""

    def __init__(self, name, steps, rich_progress, console):
        super().__init__(name, steps)
        self.bar = rich_progress.Progress(
            rich_progress.TextColumn("{task.description}", markup=False), rich_progress.BarColumn(),
            rich_progress.TextColumn("{task.completed} of {task.total}"), rich_progress.TimeElapsedColumn(),
            console=console)
        self.task = self.bar.add_task(f"baton lab {name}", total=steps)

    def __enter__(self):
        self.bar.start()
        return self

    def __exit__(self, *_):
        self.bar.stop()
        return False

    def begin(self, title):
        self.title = title
        self.bar.update(self.task, description=title)

    def at(self, text):
        self.bar.update(self.task, description=f"{self.title}: {text}")

    def end(self, text):
        self.bar.update(self.task, description=f"{self.title}: {text}", advance=1)


def progress(name, steps):
    if sys.stderr.isatty():
        try:
            from rich import console, progress as rich_progress
        except ImportError:
            return PlainProgress(name, steps)
        return BarProgress(name, steps, rich_progress, console.Console(stderr=True))
    return PlainProgress(name, steps)
