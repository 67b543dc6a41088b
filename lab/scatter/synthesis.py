"""The step that synthesizes: whom to serve next, in hardware (hardware/), as NAND gates. It needs yosys; without it there is
no data and says why, which is no failure."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

from lab.frame.errors import StepFailed
from lab.frame.steps import Step

FORMAT = 1  # of what we keep
PROGRAM, REPORT = "yosys", "cells.json"
SECONDS = 120  # after which one design is given up
DESIGNS = {"idle_first": "idle lines and a priority encoder", "least_left": "classes and a tree of comparators"}
RECEIVERS = (7, 15, 31)  # of 8, 16 and 32 nodes
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hardware")
# An edge-triggered D flip-flop is six NAND gates (as in the SN7474's data sheet), an inverter one.
FLIP_FLOP_GATES = 6
PUBLISHED_GATES = 2288.1
PUBLISHED = "J. Park, Mathematics 7(12):1159, 2019: its engine that monitors nodes' status, in NAND gates"
WHY_NOT = f"not synthesized: {PROGRAM} is missing (on Debian: yosys)"


def path_of(design):
    return os.path.join(FOLDER, f"{design}.v")


def script(design, receivers):
    """In a folder that has the design: names of folders may have blanks, which yosys takes for ends of words."""
    return (f"read_verilog {design}.v; chparam -set NODES {receivers} {design}; synth -flatten -top {design}; "
            f"dfflegalize -cell $_DFF_P_ 01; abc -g NAND; opt_clean; tee -q -o {REPORT} stat -json")


def cells_of(design, receivers):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path_of(design), folder)
        done = subprocess.run([PROGRAM, "-q", "-p", script(design, receivers)], capture_output=True, text=True, cwd=folder,
                              stdin=subprocess.DEVNULL, timeout=SECONDS)
        try:
            with open(os.path.join(folder, REPORT), encoding="utf-8") as file:
                text = file.read()
            return json.loads(text[text.index("{"):])["design"]["num_cells_by_type"]
        except (OSError, ValueError, KeyError):
            raise StepFailed(f"{PROGRAM} made nothing of {design}: {(done.stderr or done.stdout).strip()[-200:]}") from None


def size_of(design, receivers):
    cells = cells_of(design, receivers)
    nand, inverters, flip_flops = (cells.get(name, 0) for name in ("$_NAND_", "$_NOT_", "$_DFF_P_"))
    if sum(cells.values()) != nand + inverters + flip_flops:
        raise StepFailed(f"{PROGRAM} made other cells of {design}: {cells}")
    return {"design": design, "what": DESIGNS[design], "nodes": receivers + 1, "nand": nand, "inverters": inverters,
            "flip_flops": flip_flops, "gates": nand + inverters + FLIP_FLOP_GATES * flip_flops}


def synthesize(heard):
    if not shutil.which(PROGRAM):
        return {"measured": False, "why": WHY_NOT}
    sizes = []
    for design in DESIGNS:
        for receivers in RECEIVERS:
            heard(f"{len(sizes)} of {len(DESIGNS) * len(RECEIVERS)}")
            sizes.append(size_of(design, receivers))
    return {"measured": True, "sizes": sizes}


def version():
    try:
        return subprocess.run([PROGRAM, "-V"], capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None


def design_hash(design):
    try:
        with open(path_of(design), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def steps(_):
    key = {"format": FORMAT, "version": version(), "designs": {design: design_hash(design) for design in DESIGNS}}
    return [Step("synthesis", "whom to serve next, in hardware: two designs as NAND gates", "modelled", synthesize, key,
                 f"{PROGRAM} -p 'synth ...; abc -g NAND; stat' DESIGN.v")]


def why_not(done):
    step = done["synthesis"]
    return step.problem or step.data.get("why", "")


def sizes(done):
    return [] if why_not(done) else done["synthesis"].data["sizes"]
