"""The three applications that stand in for the source's, and how each is run; or a command of the user's."""
import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class App:
    name: str
    stands_for: str           # of the source's programs
    program: str
    quick: list = field(default_factory=list)  # words
    full: list = field(default_factory=list)
    master: bool = False      # hands out work: tried with an extra rank, too
    threads: bool = True      # and ranks at the same time, as the source's had it


APPS = [
    App("Hartree-Fock", "Gamess", "baton-hartree-fock", ["--waters", "9"], ["--waters", "20"], master=True),
    App("weather", "Wrf", "baton-weather", ["--cells", "1000", "--steps", "60"], ["--cells", "1000", "--steps", "350"]),
    App("seismic", "Seis", "baton-seismic", ["--cells", "1400", "--steps", "600"], ["--cells", "2600", "--steps", "1700"], threads=False),
]
TIME = re.compile(r"^time: ([0-9.]+) s$", re.M)


def words_for(app, quick):
    return app.quick if quick else app.full


def filled_in(command, layout):
    """A user's command with {ranks} and {threads} replaced."""
    ranks = layout.ranks + layout.master
    return [word.replace("{ranks}", str(ranks)).replace("{threads}", str(layout.threads)) for word in command]


def seconds_in(output):
    """What a program says of its own time; None: nothing."""
    found = TIME.search(output)
    return float(found[1]) if found else None
