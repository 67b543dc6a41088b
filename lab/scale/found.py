"""What the steps have found, by fabric: times of points, what is best, and how far flows and shares are apart."""
from dataclasses import dataclass, field

from lab.scale import fabrics, model, questions
from lab.scale.questions import FLOWS, SHARES

AGREED = 0.05


@dataclass(frozen=True)
class Point:
    seconds: float
    kind: str
    by: str


@dataclass
class Found:
    """Of one fabric."""
    name: str
    per_node: int
    described: dict
    flows: dict = field(default_factory=dict)   # (operation, algorithm, size, ranks) -> Point
    shares: dict = field(default_factory=dict)
    scatters: dict = field(default_factory=dict)  # (by, ranks, bytes, order) -> answer
    startups: dict = field(default_factory=dict)  # (by, ranks) -> answer
    memories: dict = field(default_factory=dict)  # ranks -> answer
    selections: dict = field(default_factory=dict)  # (operation, ranks) -> rows

    @property
    def words(self):
        return fabrics.WORDS[self.name]

    def best_known(self, point):
        """By flows where that was done."""
        return self.flows.get(point) or self.shares.get(point)

    def all_points(self):
        return list(dict.fromkeys([*self.flows, *self.shares]))

    def sizes(self, operation, ranks):
        return sorted({size for of, _, size, count in self.all_points() if of == operation and count == ranks})

    def ranks(self, operation, size):
        return sorted({count for of, _, each, count in self.all_points() if of == operation and each == size})

    def times(self, operation, size, ranks):
        """Algorithm -> seconds."""
        made = {name: self.best_known((operation, name, size, ranks)) for name in questions.ALGORITHMS[operation]}
        return {name: point.seconds for name, point in made.items() if point}

    def chosen(self, operation, size, ranks):
        """The library's: by its rows at these ranks."""
        rows = self.selections.get((operation, ranks))
        total = size * ranks if operation == "alltoall" else size
        fitting = [row for row in rows or () if row["bytes_from"] <= total]
        return fitting[-1]["algorithm"] if fitting else None

    def is_in_library(self, name):
        return any(each["name"] == name and each["in_library"] for each in self.described["algorithms"])

    def apart(self):
        """Of each algorithm that both ways have been asked of: (points, the most that shares differ from flows)."""
        told = {}
        for point, flows in self.flows.items():
            shares = self.shares.get(point)
            if shares and flows.seconds > 0:
                count, most = told.get(point[1], (0, 0.0))
                off = shares.seconds / flows.seconds - 1
                told[point[1]] = (count + 1, off if abs(off) > abs(most) else most)
        for by, ranks, size, order in self.scatters:
            if by == FLOWS and (SHARES, ranks, size, order) in self.scatters:
                count, most = told.get(f"scatter, order {order}", (0, 0.0))
                off = self.scatters[SHARES, ranks, size, order]["seconds"] / self.scatters[by, ranks, size, order]["seconds"] - 1
                told[f"scatter, order {order}"] = (count + 1, off if abs(off) > abs(most) else most)
        for by, ranks in self.startups:
            if by == FLOWS and (SHARES, ranks) in self.startups:
                count, most = told.get("startup", (0, 0.0))
                off = self.startups[SHARES, ranks]["seconds"] / self.startups[by, ranks]["seconds"] - 1
                told["startup"] = (count + 1, off if abs(off) > abs(most) else most)
        return told

    def hand_overs(self, operation, ranks):
        """[(from this size on, algorithm)]: the quickest of those sizes that were tried."""
        found = []
        for size in self.sizes(operation, ranks):
            times = self.times(operation, size, ranks)
            best = min(times, key=times.get)
            # Of nearly equal ones the one before stays.
            if not found or times[best] < 0.97 * times.get(found[-1][1], float("inf")):
                found.append((size, best))
        return found

    def regret(self, operation, ranks):
        """The most times that the library's choice is as slow as the quickest, and at which size; None: nothing to compare."""
        worst = None
        for size in self.sizes(operation, ranks):
            times = self.times(operation, size, ranks)
            own = times.get(self.chosen(operation, size, ranks))
            if own and (worst is None or own / min(times.values()) > worst[0]):
                worst = (own / min(times.values()), size)
        return worst


def take(made, by, answer):
    operation, ranks = answer["operation"], answer["ranks"]
    if operation == "selection":
        made.selections[answer["of"], ranks] = answer["rows"]
    elif operation == "memory":
        made.memories[ranks] = answer
    elif operation == "startup":
        made.startups[by, ranks] = answer
    elif "order" in answer:
        made.scatters[by, ranks, answer["bytes"], answer["order"]] = answer
    else:
        size = answer["bytes"] // ranks if operation == "alltoall" else answer["bytes"]
        points = made.flows if by == FLOWS else made.shares
        points[operation, answer["algorithm"], size, ranks] = Point(answer["seconds"], answer["kind"], answer["by"])


def of_steps(done):
    """Fabrics of which anything was found."""
    all_found = []
    for name in fabrics.NAMES:
        made = None
        for by in (FLOWS, SHARES):
            step = done.get(model.step_name(name, by))
            if step is None or step.data is None:
                continue
            made = made or Found(name, fabrics.ranks_per_node(name), step.data["fabric"])
            for answer in step.data["answers"]:
                take(made, by, answer)
        if made:
            all_found.append(made)
    return all_found


def rows_of(all_found):
    rows = []
    for one in all_found:
        for points in (one.flows, one.shares):
            rows += [{"fabric": one.name, "operation": operation, "algorithm": algorithm, "bytes": size, "ranks": ranks,
                      "ranks_per_node": one.per_node, "seconds": point.seconds, "kind": point.kind, "by": point.by}
                     for (operation, algorithm, size, ranks), point in points.items()]
        for answers in (one.scatters, one.startups, one.memories):
            rows += [{"fabric": one.name, **answer} for answer in answers.values()]
    return rows
