"""The tables of this machine: which steps they have, and what is made of them."""
import datetime
import json
import os

from lab.frame import charts
from lab.frame.files import write_json
from lab.frame.findings import Finding
from lab.frame.page import kind_mark, paragraph, section
from lab.frame.run import Result
from lab.system import machine_file, measure

ABOUT = ("Messages between two ranks, latency of memory, and what cores copy at the same time, in the form of the hybrid "
         "study's tables 1 and 2. The same numbers stand in machine.json beside this page, a file that baton-machine takes.")
ABOUT_SOURCE = "The source's three systems are of 2003; they stand here for the form of its tables, not to be compared."
PROGRAMS = (measure.PROGRAM,)
SOURCE = "hybrid"  # whose tables these are
MACHINE_FILE = "machine.json"


def source():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "source.json"), encoding="utf-8") as file:
        return json.load(file)["systems"]


def figures():
    return [("table 1", "redrawn for this machine: messages, beside the source's systems"),
            ("table 2", "redrawn for this machine: memory, beside the source's systems")]


def steps(context):
    return measure.steps(context)


def tables_of(done, home):
    """Of this machine, as the source has them for a system."""
    near = done[home]
    far = [data["load_ns"] for node, data in done.items() if node != home]
    return {"message_us": near.get("message_us"), "message_mbs": near.get("message_mbs"), "local_ns": near["load_ns"],
            "remote_ns": max(far, default=None), "copy_mbs": near["copy_mbs"]}


def text(value):
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


ROWS = (("message_us", "MPI latency, us"), ("message_mbs", "MPI bandwidth, MB/s"), ("local_ns", "memory latency, near, ns"),
        ("remote_ns", "memory latency, far, ns"))


def findings_of(ours):
    found = [Finding(SOURCE, f"table {1 if at < 2 else 2}: {name}", ", ".join(text(each[key]) for each in source().values()),
                     text(ours[key]) if ours[key] is not None else None, "measured",
                     note="" if ours[key] is not None else "this machine has one core, or one NUMA node")
             for at, (key, name) in enumerate(ROWS)]
    return found + [Finding(SOURCE, f"table 2: copy bandwidth of {count} core{'s' * (count != '1')}, MB/s",
                            ", ".join(text(each["copy_mbs"].get(count)) for each in source().values()), text(value), "measured")
                    for count, value in ours["copy_mbs"].items()]


def sections_of(done, ours, written):
    systems = source()
    counts = sorted({int(count) for each in systems.values() for count in each["copy_mbs"]} | set(map(int, ours["copy_mbs"])))
    lines = [[name, text(ours[key]), *[text(each[key]) for each in systems.values()]] for key, name in ROWS]
    lines += [[f"copy, {count} core{'s' * (count > 1)}, MB/s", text(ours["copy_mbs"].get(str(count))),
               *[text(each["copy_mbs"].get(str(count))) for each in systems.values()]] for count in counts]
    nodes = [[f"node {node}", text(data["load_ns"]), *[text(data[key][count]) for key in ("copy_mbs", "read_mbs")
                                                       for count in ("1", str(data["ranks"]))]] for node, data in done.items()]
    most = next(iter(done.values()))["ranks"]
    return [
        section("Tables 1 and 2", f"<p>{kind_mark('measured')} this machine</p>",
                charts.table(["", "this machine#", *[f"{name}#" for name in systems]], lines, stacked=True)),
        section("Memory by NUMA node", f"<p>{kind_mark('measured')}</p>",
                charts.table(["", "load, ns#", "copy, 1 core#", f"copy, {most}#", "read, 1 core#", f"read, {most}#"], nodes,
                             stacked=True),
                paragraph("MB/s of all cores together. A copy counts what it reads and what it writes.")),
        section("As a machine file", paragraph(f"{MACHINE_FILE} was written." if written else
                                               f"{MACHINE_FILE} was not written: the packages, nodes or caches of this machine "
                                               "are not alike, and the model has no such shape.", "" if written else "problem"))]


def result(done, context):
    machine = measure.topology(context)
    home = measure.home_node(machine)
    data = {each["node"]: done[f"node{each['node']}"].data for each in machine["memory"]}
    problem = next((each.problem for each in done.values() if each.problem), "")
    if data.get(home) is None:
        return Result([Finding(SOURCE, "tables 1 and 2", None, None, "measured", note=problem)], [],
                      [f"Nothing was measured: {problem}."], [], f"nothing was measured: {problem}")
    measured = {node: each for node, each in data.items() if each is not None}
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    described = machine_file.file_of(machine, data, date, home)
    if described:
        write_json(os.path.join(context.folder, MACHINE_FILE), described, indent=1)
    ours = tables_of(measured, home)
    rows = [{"table": "node", "kind": "measured", "node": node, **each} for node, each in measured.items()]
    copies = ours["copy_mbs"]
    most = max(copies, key=lambda count: copies[count])
    verdict = [f"A load of memory takes {ours['local_ns']:.0f} ns, one core copies {copies['1'] / 1e3:.1f} GB/s, and "
               f"{most} core{'s' * (most != '1')} copy the most, {copies[most] / 1e3:.1f} GB/s."]
    if ours["message_us"]:
        verdict.append(f"A message of 8 bytes takes {ours['message_us']:.2f} us, long ones go at {ours['message_mbs'] / 1e3:.1f} GB/s.")
    return Result(findings_of(ours), rows, verdict, sections_of(measured, ours, bool(described)), verdict[0])
