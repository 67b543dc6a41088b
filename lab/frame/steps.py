"""Steps that are done are kept as raw data, one file each, and used again while everything they depend on is the
same: that is their key."""
import os
import time
from dataclasses import dataclass, field
from typing import Any, Callable

from lab.frame.errors import StepFailed
from lab.frame.files import make_folder, read_json, write_json


@dataclass(frozen=True)
class Step:
    name: str                                   # also the raw data's file
    what: str                                   # for the method on the page
    kind: str                                   # measured, simulated or modelled
    work: Callable[[Callable[[str], None]], Any]  # gets what hears its progress; returns what can be written as JSON
    key: dict = field(default_factory=dict)     # program, parameters, versions
    command: str = ""                           # as one would type it


@dataclass
class Done:
    step: Step
    data: Any = None
    seconds: float = 0.0
    reused: bool = False
    problem: str = ""                           # why there is no data


class Steps:
    def __init__(self, folder, fresh):
        self.folder = os.path.join(folder, "raw")
        make_folder(self.folder)
        self.fresh = fresh

    def kept(self, step):
        raw = None if self.fresh else read_json(self.file(step))
        if not isinstance(raw, dict) or raw.get("key") != step.key or raw.get("data") is None:
            return None
        return Done(step, raw["data"], raw.get("seconds", 0.0), reused=True)

    def file(self, step):
        return os.path.join(self.folder, f"{step.name}.json")

    def run(self, step, progress):
        progress.begin(step.name)
        done = self.kept(step)
        if done:
            progress.end("already done, used again")
            return done
        began = time.monotonic()
        try:
            data = step.work(progress.at)
        except StepFailed as failure:
            progress.end(f"failed: {failure}")
            return Done(step, problem=str(failure))
        seconds = round(time.monotonic() - began, 2)
        write_json(self.file(step), {"step": step.name, "key": step.key, "seconds": seconds, "data": data})
        progress.end(f"done in {seconds:.1f} s")
        return Done(step, data, seconds)
