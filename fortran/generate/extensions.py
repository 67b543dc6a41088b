"""The procedures of include/mpi-ext.h about failed processes, in Fortran: their bodies, the modules mpi_ext and mpi_f08_ext, and
mpif-ext.h. The standard does not have them yet, so that they are in no table; the names of files and procedures are those of
Open MPI."""
import re
from dataclasses import dataclass, field

import bodies
import fortran_table
import modules
from fortran_table import Argument, Form, tables

NAME = "extensions"
HANDLES = {"comm": "Comm", "newcomm": "Comm", "win": "Win", "fh": "File", "failedgrp": "Group", "request": "Request"}
KINDS = {handle: kind for kind, handle in bodies.HANDLE_KINDS.items()}

# name -> arguments: in, out, or in and out; LOGICAL where it is not an INTEGER or a handle.
PROCEDURES = {
    "Comm_revoke": "in comm",
    "Comm_is_revoked": "in comm, out logical flag",
    "Comm_get_failed": "in comm, out failedgrp",
    "Comm_ack_failed": "in comm, in num_to_ack, out num_acked",
    "Comm_agree": "in comm, inout flag",
    "Comm_iagree": "in comm, inout later flag, out request",
    "Comm_shrink": "in comm, out newcomm",
    "Comm_ishrink": "in comm, out later newcomm, out request",
    "Win_revoke": "in win",
    "Win_get_failed": "in win, out failedgrp",
    "File_revoke": "in fh",
    "Comm_failure_ack": "in comm",
    "Comm_failure_get_acked": "in comm, out failedgrp",
}
# Written when the request is complete, where Fortran has its number and C the handle.
BY_NUMBER = {"Comm_ishrink": "newcomm"}
CONSTANTS = re.compile(r"^#define (MPIX_ERR_\w+|MPIX_FT) (\d+)$", re.M)


@dataclass
class Chapter:
    """What bodies.write takes for the tables of the standard."""
    forms: list = field(default_factory=list)
    api: object = None

    def chapters(self):
        return [NAME]

    def of(self, *kinds):
        return [f for f in self.forms if f.kind in kinds]


def parameter(words, by_number):
    direction, *_, name = words.split()
    handle = HANDLES.get(name)
    out = direction != "in"
    if handle and name != by_number:
        return tables.Parameter(name, KINDS[handle], direction, f"MPI_{handle}", stars=int(out))
    return tables.Parameter(name, "LOGICAL" if " logical " in words else "INT", direction, "int", stars=int(out))


def argument(words, kind, c):
    direction, *_, name = words.split()
    base = "LOGICAL" if " logical " in words else "INTEGER"
    if kind == "f90":
        return Argument(name, base, "", c)
    if name in HANDLES:
        base = f"TYPE(MPI_{HANDLES[name]})"
    later = ", ASYNCHRONOUS" if " later " in words else ""
    return Argument(name, f"{base}, INTENT({direction.upper()}){later}", "", c)


def chapter():
    made = Chapter()
    made.api = made
    for name, text in PROCEDURES.items():
        words = text.split(", ")
        by_number = BY_NUMBER.get(name)
        c = tables.Procedure(f"MPIX_{name}" + ("_toint" if by_number else ""), f"MPIX_{name}", "int", True, chapter=NAME)
        c.parameters = [parameter(each, by_number) for each in words]
        for kind, last in (("f90", "INTEGER"), ("f08", "INTEGER, OPTIONAL, INTENT(OUT)")):
            arguments = [argument(each, kind, p) for each, p in zip(words, c.parameters)]
            made.forms.append(Form(kind, c, f"MPIX_{name}", [*arguments, Argument("ierror", last, "")]))
    # Open MPI has the flag as a LOGICAL in module mpi_ext and as an INTEGER in mpi_f08_ext.
    flag = next(f for f in made.of("f08") if f.name == "MPIX_Comm_is_revoked")
    arguments = [Argument(a.name, a.type.replace("LOGICAL", "INTEGER"), "", a.c) for a in flag.arguments]
    made.forms.append(Form("f08", flag.c, flag.name, arguments, variant="_integer"))
    return made


def constants():
    """Name -> number, from the header in C; Open MPI's names of the error classes, too."""
    found = dict(CONSTANTS.findall((fortran_table.ROOT / "include/mpi-ext.h").read_text()))
    return found | {name.replace("MPIX_", "MPI_"): value for name, value in found.items() if "_ERR_" in name}


def module(made, name, interfaces):
    used = sorted({f"MPI_{handle}" for handle in HANDLES.values()})
    lines = [modules.HEAD, f"MODULE {name}"]
    if name == "mpi_f08_ext":
        lines += [f"  USE mpi_abi_types, ONLY : {', '.join(used)}", "  IMPLICIT NONE", "  PUBLIC", f"  PRIVATE :: {', '.join(used)}"]
    else:
        lines += ["  IMPLICIT NONE", "  PUBLIC"]
    lines += [f"  INTEGER, PARAMETER :: {constant} = {value}" for constant, value in constants().items()]
    for prefix in ("", "P"):
        lines += interfaces(made, prefix)
    return "\n".join([*lines, f"END MODULE {name}", ""])


def old_interfaces(made, prefix):
    lines = []
    for form in made.of("f90"):
        lines += ["  INTERFACE", *modules.old_interface(form, prefix + form.specific, "    "), "  END INTERFACE"]
    return lines


def include_file():
    lines = [modules.HEAD]
    for name, value in constants().items():
        lines += modules.both_forms(f"INTEGER {name}") + modules.both_forms(f"PARAMETER ({name}={value})")
    return "\n".join([*lines, ""])


def write():
    """Every file: path below fortran/ -> text."""
    made = chapter()
    text = bodies.write(made)[f"{NAME}.cpp"]
    weak = "".join(f"#pragma weak {prefix}{name}\n" for name in dict.fromkeys(f.c.name for f in made.forms) for prefix in ("", "P"))
    text = text.replace('#include "../src/by_hand.hpp"\n', f'#include "../src/extension.hpp"\n\n{weak}', 1)
    return {f"generated/{NAME}.cpp": text, "modules/mpi_ext.f90": module(made, "mpi_ext", old_interfaces),
            "modules/mpi_f08_ext.f90": module(made, "mpi_f08_ext", modules.interfaces), "modules/mpif-ext.h": include_file()}
