"""Reads the three tables and gives the writers one model of the API.

A Procedure is one C function: MPI_Send and MPI_Send_c are two, and know each other's base name.
"""

import csv
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "table"


@dataclass
class Parameter:
    name: str
    kind: str
    direction: str
    type: str  # C type without stars
    stars: int = 0
    array: str = ""
    constant: bool = False
    root_only: bool = False
    length: object = None
    widens: bool = False  # int here, MPI_Count or MPI_Aint in the _c twin

    @property
    def is_array(self):
        return bool(self.array)

    @property
    def is_pointer(self):
        return self.stars > 0 or self.is_array

    def declaration(self):
        if self.type == "...":
            return "..."
        const = "const " if self.constant else ""
        if self.kind == "WEIGHT":  # as an array compilers take MPI_UNWEIGHTED for memory that is read, and warn
            return f"{const}{self.type} *{self.name}"
        return f"{const}{self.type} {'*' * self.stars}{self.name}{self.array}"

    def pointer_type(self):
        """The type with every array written as a pointer: for casts and function pointers."""
        if self.type == "...":
            return "..."
        const = "const " if self.constant else ""
        if self.array.startswith("[]["):
            return f"{const}{self.type} (*){self.array[2:]}"
        return f"{const}{self.type}{'*' * (self.stars + (1 if self.array else 0))}"


@dataclass
class Procedure:
    name: str  # MPI_Send or MPI_Send_c
    base: str  # MPI_Send
    returns: str
    returns_error: bool
    parameters: list = field(default_factory=list)
    large: bool = False
    has_twin: bool = False
    chapter: str = ""

    def declaration(self, prefix=""):
        inside = ", ".join(p.declaration() for p in self.parameters) or "void"
        return f"{self.returns} {prefix}{self.name}({inside})"


def _parameter(raw, large):
    raw = dict(raw)
    large_type = raw.pop("large_type", None)
    raw.pop("large_only", None)
    widens = bool(large_type) or raw["kind"].startswith("POLY")
    if large and large_type:
        raw["type"] = large_type
    return Parameter(widens=widens, **raw)


def _procedure(raw, large, chapter):
    kept = [p for p in raw["parameters"] if large or not p.get("large_only")]
    return Procedure(
        name=raw["name"] + ("_c" if large else ""),
        base=raw["name"],
        returns=raw["returns"],
        returns_error=raw["returns_error"],
        parameters=[_parameter(p, large) for p in kept],
        large=large,
        has_twin=raw["large"],
        chapter=chapter,
    )


@dataclass
class Constant:
    name: str
    type: str
    value: str


class Api:
    def __init__(self):
        table = json.loads((TABLE / "procedures.json").read_text())
        self.overlay = json.loads((TABLE / "overlay.json").read_text())
        self.callbacks = table["callbacks"]
        self.procedures = []
        for raw in table["procedures"]:
            chapter = self._chapter(raw["name"])
            self.procedures.append(_procedure(raw, False, chapter))
            if raw["large"]:
                self.procedures.append(_procedure(raw, True, chapter))
        self._check_overlay({p.name for p in self.procedures})
        with (TABLE / "constants.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.constants = [Constant(r["name"], r["type"], r["value"]) for r in rows]

    def _chapter(self, name):
        for chapter, pattern in self.overlay["chapters"].items():
            if re.fullmatch(pattern, name):
                return chapter
        raise SystemExit(f"overlay.json: no chapter takes {name}")

    def _check_overlay(self, names):
        """A misspelt name in the overlay must not pass as 'nothing to do'."""
        mentioned = set(self.overlay["implemented"]) | set(self.overlay["parameters"])
        mentioned |= set(self.overlay["any_time"])
        for group in self.overlay["rules"].values():
            mentioned |= set(group)
        unknown = sorted(n for n in mentioned if n not in names)
        if unknown:
            raise SystemExit("overlay.json names unknown procedures: " + ", ".join(unknown))

    def chapters(self):
        order = list(self.overlay["chapters"])
        used = {p.chapter for p in self.procedures}
        return [c for c in order if c in used]

    def of_chapter(self, chapter):
        return [p for p in self.procedures if p.chapter == chapter]

    def facts(self, procedure):
        """The overlay's entry of an implemented procedure, or None."""
        return self.overlay["implemented"].get(procedure.base)
