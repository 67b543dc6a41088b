"""One model of the Fortran bindings, from the tables of the C bindings' generator and ../../src/api/table/fortran.json."""
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "api" / "generate"))

import tables  # noqa: E402

CHOICE = "TYPE(*), DIMENSION(..)"


@dataclass
class Argument:
    """A dummy argument of one form."""
    name: str
    type: str  # with its attributes
    dimensions: str
    c: object = None  # the C parameter that it is, or None (ierror)

    @property
    def is_choice(self):
        return self.type.startswith(CHOICE) or self.type == "<type>"


@dataclass
class Form:
    """A procedure in one form: f90 (mpif.h, module mpi), f08, or f08 with large counts."""
    kind: str  # f90, f08, f08_large
    c: object  # the C procedure that it calls
    name: str  # the generic name: MPI_Send
    arguments: list = field(default_factory=list)
    returns: str = ""
    variant: str = ""  # what tells it from another one of the same name and kind

    @property
    def has_choice(self):
        return any(a.is_choice for a in self.arguments)

    @property
    def is_extension(self):
        """Returns whether other libraries may lack the C procedure."""
        return self.name.startswith("MPIX_")

    @property
    def takes_descriptors(self):
        return self.kind != "f90" and self.has_choice

    @property
    def specific(self):
        """The specific procedure's name in Fortran."""
        if self.kind == "f90":
            return self.name.upper()
        large = "_c" if self.kind == "f08_large" and not self.name.endswith("_c") else ""
        return f"{self.name}{large}{self.variant}_f08" + ("ts" if self.takes_descriptors else "")

    @property
    def symbol(self):
        """The linker's name: as written with bind(C), else as gfortran and flang make it."""
        return self.specific if self.takes_descriptors else self.specific.lower() + "_"


class Bindings:
    def __init__(self):
        api = tables.Api()
        facts = json.loads((tables.TABLE / "fortran.json").read_text())
        self.api = api
        self.constants = api.constants
        self.callbacks = {name: [Argument(*a) for a in arguments] for name, arguments in facts["callbacks"].items()}
        by_name = {p.name: p for p in api.procedures}
        self.forms = []
        for base, fact in facts["procedures"].items():
            for kind in ("f90", "f08", "f08_large"):
                if kind not in fact or base in ("MPI_Sizeof", "MPI_F_sync_reg"):  # written by hand: they call nothing
                    continue
                c = by_name[base + ("_c" if kind == "f08_large" else "")]
                parameters = {p.name.lower(): p for p in c.parameters}
                arguments = [Argument(*a, parameters.get(a[0])) for a in fact[kind]]
                name = fact.get("f08_large_name", base) if kind == "f08_large" else base
                self.forms.append(Form(kind, c, name, arguments, fact.get("returns", "")))

    def of(self, *kinds):
        return [f for f in self.forms if f.kind in kinds]
