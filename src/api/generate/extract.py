#!/usr/bin/env python3
"""Writes table/procedures.json and table/fortran.json from the MPI Forum's data set (the Python package pympistandard).

Run by hand, and only when a new edition of the data set is wanted:
    python -m pip install pympistandard   # in a virtual environment
    python src/api/generate/extract.py
Only facts are kept (names, kinds, directions, C types); the standard's prose is not.
"""

import json
import re
from pathlib import Path

import pympistandard

TABLE = Path(__file__).resolve().parent.parent / "table"

# Facts the data set has wrong for C: argv of MPI_Info_create_env is an array of strings.
CORRECTIONS = {("MPI_Info_create_env", "argv"): {"type": "char", "stars": 1, "array": "[]"}}


def parameter_facts(raw, small, large, procedure):
    """One parameter as a small dictionary; absent keys mean 'no' or 'the same'."""
    facts = {"name": raw["name"], "kind": raw["kind"], "direction": raw["param_direction"]}
    shown = small or large
    if raw["kind"] == "VARARGS":
        facts["type"] = "..."
        return facts
    facts["type"] = shown.base_type
    facts["stars"] = shown.pointer_level
    facts["array"] = shown.array
    facts.update(CORRECTIONS.get((procedure, raw["name"]), {}))
    if large is not None and large.base_type != shown.base_type:
        facts["large_type"] = large.base_type
    for key in ("constant", "root_only", "large_only"):
        if raw[key]:
            facts[key] = True
    if raw["length"] not in (None, ""):
        facts["length"] = raw["length"]
    return {key: value for key, value in facts.items() if value not in (0, "")}


def symbol_facts(symbol):
    """A procedure or callback: name, return type, whether a _c twin exists, parameters."""
    raw = symbol._parseset
    small = symbol.express.iso_c
    large = symbol.express.embiggen.iso_c if symbol.has_embiggenment() else None
    small_by_name = {p._parseset["name"]: p for p in small.parameters}
    large_by_name = {p._parseset["name"]: p for p in large.parameters} if large else {}
    parameters = [
        parameter_facts(p, small_by_name.get(p["name"]), large_by_name.get(p["name"]), raw["name"])
        for p in raw["parameters"]
        if p["name"] in small_by_name or p["name"] in large_by_name
    ]
    facts = {"name": raw["name"], "returns": small.return_type, "large": large is not None}
    facts["returns_error"] = raw["return_kind"] in ("ERROR_CODE", "ERROR_CLASS")
    facts["parameters"] = parameters
    return facts


def fortran_parameters(symbol, modern, intents=True):
    """Name, type with attributes, and dimensions of each parameter."""
    facts = []
    for parameter in symbol.parameters:
        dimensions = parameter.name_length if modern else parameter.dimensions
        words = [parameter.type + (parameter.type_length if modern else "")]
        if modern:
            words += [parameter.optional, parameter.intent if intents else None, parameter.asynchronous]
        facts.append([parameter.name.lower(), ", ".join(word for word in words if word), dimensions.lower()])
    return facts


def fortran_facts(procedure):
    """A procedure's Fortran forms: f90 (mpif.h and module mpi), f08 and f08_large (module mpi_f08)."""
    raw = procedure._parseset
    facts = {}
    if raw["attributes"]["f90_expressible"]:
        facts["f90"] = fortran_parameters(procedure.express.f90, False)
        if procedure.express.f90.return_type:
            facts["returns"] = procedure.express.f90.return_type
    if raw["attributes"]["f08_expressible"]:
        facts["f08"] = fortran_parameters(procedure.express.f08, True)
        if procedure.has_embiggenment():
            large = procedure.express.embiggen.f08
            facts["f08_large"] = fortran_parameters(large, True)
            if large.name.endswith("_c"):  # a name of its own: what differs are procedures, not kinds
                facts["f08_large_name"] = large.name
    return facts


def fortran_callbacks():
    """The abstract interfaces of mpi_f08."""
    made = {}
    for callback in pympistandard.CALLBACKS.values():
        if not callback._parseset["attributes"]["f08_expressible"]:
            continue
        made[callback.express.f08.name] = fortran_parameters(callback.express.f08, True, intents=False)
        if callback.has_embiggenment():
            large = callback.express.embiggen.f08
            made[large.name] = fortran_parameters(large, True, intents=False)
    return made


def write_fortran():
    procedures = {p._parseset["name"]: fortran_facts(p) for p in pympistandard.PROCEDURES.values()}
    named = sorted((name, facts) for name, facts in procedures.items() if facts)
    lines = ["{", '"callbacks": {']
    lines.append(",\n".join(f" {json.dumps(n)}: {json.dumps(p)}" for n, p in sorted(fortran_callbacks().items())))
    lines += ["},", '"procedures": {']
    lines.append(",\n".join(f" {json.dumps(name)}: {json.dumps(facts)}" for name, facts in named))
    lines += ["}", "}"]
    (TABLE / "fortran.json").write_text("\n".join(lines) + "\n")


def main():
    pympistandard.use_api_version(1)
    write_fortran()
    procedures = [symbol_facts(p) for p in pympistandard.all_iso_c_procedures()]
    callbacks = []
    for callback in pympistandard.CALLBACKS.values():
        small = str(callback.express.iso_c)
        declarations = [small]
        if any(p["kind"].startswith("POLY") for p in callback._parseset["parameters"]):
            declarations.append(str(callback.express.embiggen.iso_c))
        callbacks += [re.sub(r"\\ldots\)?", "...", d).rstrip(")") + ")" for d in declarations]
    lines = ["{", '"callbacks": [']
    lines.append(",\n".join(json.dumps(c) for c in callbacks))
    lines += ["],", '"procedures": [']
    blocks = []
    for procedure in sorted(procedures, key=lambda p: p["name"]):
        parameters = procedure.pop("parameters")
        head = json.dumps(procedure)[:-1] + ', "parameters": ['
        blocks.append(head + ",".join("\n  " + json.dumps(p) for p in parameters) + "]}")
    lines.append(",\n".join(blocks))
    lines += ["]", "}"]
    (TABLE / "procedures.json").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
