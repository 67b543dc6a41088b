"""The values of a comparison, kept apart by the distance of CPUs at which they were measured: what is concluded from
values is concluded within a column.
"""
import collections


def put(values, round_number, value):
    """Into a list of one value a round; None stands where there is none."""
    values.extend([None] * (round_number + 1 - len(values)))
    values[round_number] = value


class Column:
    """What was measured at one distance: cell -> library -> values, and bare loop -> values."""

    def __init__(self, distance, libraries):
        self.distance, self.libraries, self.values, self.limit_values = distance, libraries, {}, {}

    def keep(self, cell, library, round_number, value):
        put(self.values.setdefault(cell, {}).setdefault(library, []), round_number, value)

    def keep_limit(self, loop, round_number, value):
        put(self.limit_values.setdefault(loop, []), round_number, value)

    def rounds_with(self, libraries):
        """In how many rounds any cell has values of so many libraries."""
        rounds = set()
        for its in self.values.values():
            filled = collections.Counter(at for values in its.values() for at, value in enumerate(values) if value is not None)
            rounds.update(at for at, count in filled.items() if count >= libraries)
        return len(rounds)

    @property
    def rounds(self):
        return self.rounds_with(1)

    @property
    def paired_rounds(self):
        return self.rounds_with(min(2, len(self.libraries)))


class Columns:
    """All of them, by distance."""

    def __init__(self, libraries):
        self.libraries, self.by_distance = libraries, {}

    def at(self, distance):
        return self.by_distance.setdefault(distance, Column(distance, self.libraries))

    def measured(self, distances=()):
        """Those with values of libraries, in the order of some distances, the others behind."""
        order = list(distances)
        return sorted((column for column in self.by_distance.values() if column.values),
                      key=lambda column: order.index(column.distance) if column.distance in order else len(order))
