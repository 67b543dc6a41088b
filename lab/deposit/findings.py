"""The source's tendencies beside ours, each worked out from what a step found."""
from lab.deposit import live, network_live, source
from lab.deposit.model import BASE, DELAYED
from lab.deposit.network import PATTERNS
from lab.frame.charts import in_bytes, percent
from lab.frame.findings import Finding
from lab.frame.medians import with_interval

LEAD = "stream"  # bandwidth as Chen and others measured it, and the source after them
SMALL, SELECTIVE, FALLEN = (8, 512), (64 << 10, 1 << 20), (2 << 20, 3 << 20)


def best(modes, names, size):
    return max(modes[name][size] for name in names)


def sizes_in(modes, low, high):
    return [size for size in modes["1"] if low <= int(size) <= high]


def last_behind(modes, over, under):
    """The longest size of those, without a gap, at which `over` is behind `under`; 0: at none."""
    last = 0
    for size in sorted(map(int, modes[over])):
        if modes[over][str(size)] >= modes[under][str(size)]:
            break
        last = size
    return last


def over_best_below(modes, name):
    below = max(modes[name][size] for size in sizes_in(modes, 0, FALLEN[0] - 1))
    return [modes[name][str(size)] / below for size in FALLEN]


def tendencies(modes, raw):
    """Name -> the values that all have to lie within the source's bounds."""
    small, selective = (sizes_in(modes, *span) for span in (SMALL, SELECTIVE))
    return {
        "queues": [modes["2"][size] / modes["1"][size] for size in small],
        "redirection": [last_behind(modes, "3", "2")],
        "header": [last_behind(modes, "4", "2")],
        "selective": [modes["5"][size] / best(modes, "234", size) for size in selective],
        "fall": over_best_below(modes, "5"),
        "mend": over_best_below(modes, DELAYED),
        "peak": [max(modes["5"].values()) / raw],
    }


def holds(name, values):
    """Whether all of them lie within the source's bounds."""
    told = source.outputs()["tendencies"][name]
    return told.get("low", 0) <= min(values) and max(values) <= told.get("high", float("inf"))


def in_words(name, values):
    if source.outputs()["tendencies"][name]["unit"] == "bytes":
        return "never" if values[0] == 0 else in_bytes(values[0])
    share = source.outputs()["tendencies"][name]["unit"] == "share"
    low, high = (percent(value) if share else f"{value:.2f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def held(data, label, pattern):
    """Which of the source's tendencies come out."""
    return [name for name, values in tendencies(data["bandwidth"][label][pattern], data["raw"]).items() if holds(name, values)]


def finding(what, paper, ours, kind="simulated", note="", met=None):
    return Finding(source.NAME, what, paper, ours, kind, "", note, met)


def simulated(data):
    told, found = source.outputs()["tendencies"], []
    by_pattern = {pattern: tendencies(data["bandwidth"][BASE][pattern], data["raw"]) for pattern in PATTERNS}
    for name, row in told.items():
        others = "; ".join(f"{pattern}: {in_words(name, values[name])}" for pattern, values in by_pattern.items() if pattern != LEAD)
        said = "within its bound" if holds(name, by_pattern[LEAD][name]) else "missed"
        found.append(finding(row["what"], row["paper"], in_words(name, by_pattern[LEAD][name]),
                             note=f"{row['place']}; {said}. {others}", met=holds(name, by_pattern[LEAD][name])))
    return found


def measured(done):
    why = live.why_not(done)
    if why:
        return [finding("on this machine", None, None, "measured", why)]
    modes = done["live"].data["bandwidth"]["ping-pong, warm"]
    table = live.ratios(modes)
    shown = {"(2) over (1)": ("8", "512"), "(3) over (2)": ("8192", "65536"), "(4) over (2)": ("8192", "65536"),
             "(5) over the best of (2) to (4)": ("65536",), "delayed over (5)": (str(3 << 20),), "Baton over the best model": ("8", "65536")}
    return [finding(f"on this machine: {name} at {in_bytes(int(size))}", None, with_interval(table[name][size]), "measured",
                    "ping-pong, warm; the median of the rounds' ratios and its interval") for name, sizes in shown.items() for size in sizes]


def over_network(done):
    what, paper = "share of the raw provider's bandwidth, 1 MiB and more, over TCP on this machine", "94.8 % (90.7 of 95.7 MB/s)"
    why = network_live.why_not(done)
    if why:
        return finding(what, paper, None, "measured", why)
    shares = network_live.long_shares(done)
    return finding(what, paper, f"{percent(min(shares))} to {percent(max(shares))}", "measured",
                   f"{done['network'].data['raw']}; medians of sizes and patterns; the raw provider's quicker way, in the same run")


def figure_12(done):
    what, paper = "MPI-VMMC and MPI-FM (figure 12), as (5) and gathered headers over TCP", "MPI-FM ahead for small messages, MPI-VMMC from 16 KiB"
    why = network_live.why_not(done)
    if why:
        return finding(what, paper, None, "measured", why)
    return finding(what, paper, "; ".join(f"{pattern}: gathered over (5) {short:.2f} to 8 KiB, {long:.2f} from 16 KiB on"
                                          for pattern, (short, long) in network_live.leads(done).items()), "measured",
                   "medians of sizes; above 1 gathering leads. MPI-FM itself is not here: its gathered headers are")


def findings_of(done):
    model = done["model"]
    found = simulated(model.data) if model.data else [finding("all that is simulated", None, None, note=model.problem)]
    return [*found, over_network(done), figure_12(done), *measured(done)]
