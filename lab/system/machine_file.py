"""What was measured as a machine file, which baton-machine takes."""
LINE_BYTES = 64


def parameter(value, unit, what, date):
    return {"value": round(value, 4), "unit": unit, "source": f"measured by baton lab system, {date}: {what}"}


def shape_of(machine):
    """Packages, nodes, tiles (cores that share an L2) and cores; None where they are not alike."""
    cores = {cpu["core"]: cpu for cpu in machine["cpus"]}.values()
    packages = {cpu["package"] for cpu in cores}
    nodes = {(cpu["package"], cpu["numa_node"]) for cpu in cores}
    tiles = {(cpu["numa_node"], cpu["l2"] if cpu["l2"] >= 0 else cpu["core"]) for cpu in cores}
    shape = {"packages": len(packages), "nodes_per_package": len(nodes) // len(packages),
             "tiles_per_node": len(tiles) // len(nodes), "cores_per_tile": len(cores) // len(tiles)}
    product = 1
    for count in shape.values():
        product *= count
    return shape if product == len(cores) else None


def kinds_of(machine):
    """One kind for the memory that CPUs have, one for the rest, by tier."""
    names = {}
    for node in machine["memory"]:
        names.setdefault((node["tier"].upper(), "cpus" if node["has_cpus"] else "package"), []).append(node)
    return names


def file_of(machine, done, date, home):
    """None where a step has no data, or the machine's parts are not alike."""
    shape = shape_of(machine)
    if shape is None or any(each is None for each in done.values()):
        return None
    memory, parameters = [], {}
    for (kind, where), nodes in kinds_of(machine).items():
        memory.append({"kind": kind, "bytes": min(node["bytes"] for node in nodes), "on": where})
        near = next((node["node"] for node in nodes if node["node"] == home), nodes[0]["node"])
        far = next((node["node"] for node in nodes if node["node"] != near), None)
        most = max(done[near]["read_mbs"].values())
        parameters[f"{kind}.bandwidth"] = parameter(most / 1e3, "GB/s", "the most that cores read together", date)
        parameters[f"{kind}.latency"] = parameter(done[near]["load_ns"], "ns", "a random cycle over all lines", date)
        if far is not None:
            parameters[f"{kind}.remote_latency"] = parameter(done[far]["load_ns"], "ns", "the same on another node", date)
            parameters[f"{kind}.remote_bandwidth"] = parameter(
                max(done[far]["read_mbs"].values()) / 1e3, "GB/s", "the most that all cores read of another node", date)
    one = done[home]
    lines = one["read_mbs"]["1"] * 1e6 * one["load_ns"] * 1e-9 / LINE_BYTES
    parameters["core.lines"] = parameter(lines, "lines", "what one core reads x latency / 64 B", date)
    if shape["packages"] > 1:
        far = next(node for node in done if node != home)
        parameters["link.bandwidth"] = parameter(max(done[far]["read_mbs"].values()) / 1e3, "GB/s",
                                                 "the most that all cores read of another node", date)
    return {"title": machine["model"], "shape": shape, "memory": memory, "parameters": parameters}
