"""The shapes of the three programs, as stand-ins for Gamess, Wrf and Seis: how long each takes on a layout, from how slow its
threads are there, how long its messages take, and what is known of it. Pure: all simulating is done elsewhere.

A shape is made for what is known (`values`), the source's shares of time or None, and `slow`: how much slower than one CPU of
system 1 alone a CPU computes in the run that the shares were taken of. `rounds(cell)` are its messages by name, those of a
round at the same time; `seconds(cell, slow, messages, latency)` adds up: `slow` of all threads and of each rank's first one
alone, `messages` seconds by name, `latency` of the slowest pair."""
import heapq
import math

SHARED_SYSTEM = "1"  # the source does not say on which system the shares were taken: the only one with so many CPUs in a host
OPENMP_CPUS = 20     # of the source's OpenMP runs
CHUNK = 20           # c$omp do schedule (dynamic, 20)


def handed_out(iterations, workers):
    """A master hands out remaining / (2 x workers) iterations, and one more, to whoever asks; iteration i takes i, as of a
    triangular loop. How much longer than the mean the last worker takes, and how often one asks."""
    free, begin, chunks = [0] * workers, 0, 0
    while begin < iterations:
        chunk = min((iterations - begin) // (2 * workers) + 1, iterations - begin)
        heapq.heapreplace(free, free[0] + chunk * (2 * begin + chunk + 1) / 2)
        begin, chunks = begin + chunk, chunks + 1
    return max(free) * workers / (iterations * (iterations + 1) / 2), math.ceil(chunks / workers) + 1


def iterations_for(longest_over_mean, workers):
    """With how many iterations the last worker takes so much longer."""
    tried = sorted({round(workers * 1.02 ** step) for step in range(300)})
    return min(tried, key=lambda count: abs(handed_out(count, workers)[0] - longest_over_mean))


def tree(count):
    """Rounds of (from, to) in which rank 0 reaches all: in round k whoever has it passes it on by 2^k ranks."""
    return [[(rank, rank + step) for rank in range(min(step, count - step))]
            for step in (1 << k for k in range((count - 1).bit_length()))]


def grid(count):
    """As square as possible, no wider than high."""
    wide = max(side for side in range(1, math.isqrt(count) + 1) if count % side == 0)
    return wide, count // wide


def neighbors(wide, high):
    """(from, to, whether beside each other) on a grid, both ways; rank by rank along the width."""
    beside = [(y * wide + x, y * wide + x + 1, True) for y in range(high) for x in range(wide - 1)]
    above = [(y * wide + x, (y + 1) * wide + x, False) for y in range(high - 1) for x in range(wide)]
    return [pair for one, other, flat in beside + above for pair in ((one, other, flat), (other, one, flat))]


def messages(pairs, size, first=0):
    return [{"from": first + one, "to": first + other, "bytes": size} for one, other in pairs]


def bytes_for(seconds, times, latency, bandwidth):
    """Of a message that takes so long in all, `times` after each other."""
    return max(seconds / times - latency, 0) * bandwidth


class HartreeFock:
    """Rank 0 hands out work; workers then wait for each other, reduce without it, and broadcast to all."""
    NAME, REFERENCE = "hartree_fock", 32

    def __init__(self, values, shares, slow, pair):
        self.values, self.total = values, values["run_seconds"]
        self.loop_loss = CHUNK / (2 * values["hartree_fock.loop_iterations"])  # for each thread but one
        self.serial, self.iterations = values["hartree_fock.serial"], round(values["hartree_fock.iterations"])
        self.reduced = self.broadcast = values["hartree_fock.matrix_bytes"]
        self.collective_waiting = 0
        if shares:
            self.take(shares, slow, pair)

    def take(self, shares, slow, pair):
        loops, workers, times = shares["hartree_fock.loops"], self.REFERENCE - 1, self.values["hartree_fock.rounds"]
        alone = (1 - loops) / loops * (1 + self.loop_loss * (OPENMP_CPUS - 1)) / OPENMP_CPUS
        self.serial = alone / (1 + alone)
        in_mpi = {name: shares[f"hartree_fock.{name}"] for name in ("barrier", "reduce", "broadcast")}
        computing = 1 - sum(in_mpi.values())
        self.iterations = iterations_for(1 + in_mpi["barrier"] / computing, workers)
        whole = self.total * slow / workers / computing
        moving = whole * self.values["hartree_fock.moving"]
        self.collective_waiting = (1 - self.values["hartree_fock.moving"]) * (in_mpi["reduce"] + in_mpi["broadcast"]) / computing
        self.reduced = bytes_for(moving * in_mpi["reduce"], times * len(tree(workers)), *pair)
        self.broadcast = bytes_for(moving * in_mpi["broadcast"], times * len(tree(workers + 1)), *pair)

    def rounds(self, cell):
        gather = [[(other, one) for one, other in pairs] for pairs in reversed(tree(cell.workers))]
        return {"reduce": [messages(pairs, self.reduced, first=1) for pairs in gather],
                "broadcast": [messages(pairs, self.broadcast) for pairs in tree(cell.workers + 1)]}

    def seconds(self, cell, slow, messages_seconds, latency):
        threads = cell.layout.threads
        shared = (1 - self.serial) * slow["all"] / threads * (1 + self.loop_loss * (threads - 1))
        longest, asked = handed_out(self.iterations, cell.workers)
        mean = self.total / cell.workers * (self.serial * slow["first"] + shared)
        times = self.values["hartree_fock.rounds"]
        return {"computing": mean, "waiting": mean * (longest - 1 + self.collective_waiting),
                "messages": times * (2 * latency * asked + messages_seconds["reduce"] + messages_seconds["broadcast"])}


class Weather:
    """A grid of blocks that exchange their edges; in a block loops are shared by rows, and each ends with a barrier."""
    NAME, REFERENCE = "weather", 20

    def __init__(self, values, shares, slow, pair):
        self.values, self.total = values, values["run_seconds"]
        self.serial, self.rows, self.imbalance = values["weather.serial"], values["weather.points_y"], 0
        self.edge, self.start = values["weather.point_bytes"], 0
        if shares:
            self.take(shares, slow, pair)

    def exchanges(self):
        return self.values["weather.steps"] * self.values["weather.exchanges"]

    def take(self, shares, slow, pair):
        self.serial, waiting = shares["weather.serial"], shares["weather.loop_waiting"]
        self.rows = (OPENMP_CPUS - 1) / 2 * (1 - waiting) / waiting
        exchange, start = shares["weather.exchange"], shares["weather.broadcast"]
        whole, computing = self.total * slow / self.REFERENCE / (1 - exchange - start), 1 - exchange - start
        self.imbalance = (1 - self.values["moving"]) * exchange / computing / (1 - 1 / self.REFERENCE)
        wide, high = grid(self.REFERENCE)
        points = 2 * (self.values["weather.points_x"] / wide + self.values["weather.points_y"] / high)
        self.edge = bytes_for(whole * exchange * self.values["moving"], self.exchanges(), *pair) / points
        self.start = bytes_for(whole * start, len(tree(self.REFERENCE)), *pair)

    def rounds(self, cell):
        wide, high = grid(cell.workers)
        beside, above = (self.edge * points for points in (self.values["weather.points_y"] / high, self.values["weather.points_x"] / wide))
        edges = [{"from": one, "to": other, "bytes": beside if flat else above} for one, other, flat in neighbors(wide, high)]
        return {"exchange": [edges], "start": [messages(pairs, self.start) for pairs in tree(cell.workers)]}

    def seconds(self, cell, slow, messages_seconds, latency):
        threads, others = cell.layout.threads, cell.layout.threads - 1
        loss = others / (2 * self.rows / grid(cell.workers)[1])
        shared = (1 - self.serial) * slow["all"] / threads * (1 + loss)
        loops = self.values["weather.steps"] * self.values["weather.loops"] * self.values["weather.loop_overhead"] * 1e-9 * others
        computing = self.total / cell.workers * (self.serial * slow["first"] + shared) + loops
        return {"computing": computing, "waiting": computing * self.imbalance * (1 - 1 / cell.workers),
                "messages": self.exchanges() * messages_seconds["exchange"] + messages_seconds["start"]}


class Seismic:
    """Slabs in a row, each of which exchanges its edges with both neighbors."""
    NAME, REFERENCE = "seismic", 16

    def __init__(self, values, shares, slow, pair):
        self.values, self.total = values, values["run_seconds"]
        self.imbalance, self.edge = 0, values["seismic.edge_bytes"]
        if shares:
            self.take(shares, slow, pair)

    def take(self, shares, slow, pair):
        share, moving = shares["seismic.messages"], self.values["moving"]
        whole = self.total * slow / self.REFERENCE / (1 - share)
        self.imbalance = (1 - moving) * share / (1 - share) / (1 - 1 / self.REFERENCE)
        self.edge = bytes_for(whole * share * moving, self.values["seismic.steps"], *pair) / 2

    def rounds(self, cell):
        return {"exchange": [messages([pair[:2] for pair in neighbors(1, cell.workers)], self.edge)]}

    def seconds(self, cell, slow, messages_seconds, latency):
        computing = self.total / cell.workers * slow["all"]
        return {"computing": computing, "waiting": computing * self.imbalance * (1 - 1 / cell.workers),
                "messages": self.values["seismic.steps"] * messages_seconds["exchange"]}


SHAPES = {shape.NAME: shape for shape in (HartreeFock, Weather, Seismic)}
