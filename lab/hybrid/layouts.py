"""Which layouts there are: ranks times threads on so many CPUs, with an extra master or without. Pure."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    ranks: int
    threads: int
    master: bool = False  # one rank more, which shares a CPU with the others

    @property
    def name(self):
        """As `mpiexec --layout` takes it."""
        return f"{'1+' if self.master else ''}{self.ranks}x{self.threads}"

    @property
    def cpus(self):
        return self.ranks * self.threads


def halved(number):
    """The number, its half, and so on, to 1."""
    while number >= 1:
        yield number
        number //= 2


def layouts_on(cpus, master):
    """All that fill all the CPUs, half of them, a quarter and so on; of each all divisions by powers of two, which on many
    CPUs are those that follow the machine's own division. `master`: also with one rank more."""
    found = []
    for used in halved(cpus):
        ranks = [count for count in halved(used) if used % count == 0]
        for count in sorted({*ranks, used}):
            found.append(Layout(count, used // count))
            if master:
                found.append(Layout(count, used // count, True))
    return found
