"""The page's own sections: figures 7 to 11 simulated, tendencies by assumption, this machine, what the model is told."""
from lab.deposit import live, network_live, source
from lab.deposit.findings import held, holds, in_words, tendencies
from lab.deposit.model import BASE, DELAYED, VARIANTS
from lab.deposit.network import PATTERNS
from lab.frame import charts
from lab.frame.machines import parameters_section
from lab.frame.medians import spread, with_interval
from lab.frame.page import figures_section, kind_mark, paragraph, section

SIMULATED, MEASURED = (f"<p>{kind_mark(kind)}</p>" for kind in ("simulated", "measured"))
KINDS = ("main", "cold", "wait", "other", "bound")  # of lines
NAMES = {"1": "(1) no optimization", "2": "(2) efficient queues", "3": "(3) and redirection", "4": "(4) and header apart",
         "5": "(5) by size", DELAYED: "(5) delayed sends"}
FIGURES = {"7": ("2", "1"), "8": ("3", "2"), "9": ("4", "2"), "10": ("5", "2", "3", "4", DELAYED), "11": ("5",)}
MARKS = {"8": [(8 << 10, "8 KiB")], "9": [(16 << 10, "16 KiB")], "10": [(2 << 20, "2 MiB")]}  # as the source names them
BEGINS = {"10": 4096, "11": 4096}  # bytes, so that what differs there is seen
DRAWN = ("stream", "ping-pong")  # the third pattern is in the table
ASSUMED = [["order of a host's messages", "one after the other", "the source, section 3.1", "하나의 큐 내에서의 모든 메시지 전송은 순차화(serialize)된다"],
           ["the head, in (1)", "read before each message, as long as a message of 8 bytes", "assumed from section 3.2.1; its other reading is among the assumptions", "매번 이 값을 수신자로부터 얻어야 한다"],
           ["MPI above the queues", "nothing", "not found; 5 and 15 us a side are among the assumptions", ""]]


def curves(modes, figure, pattern, raw):
    lines = [(NAMES[name], kind, {int(size): value for size, value in modes[name].items() if int(size) >= BEGINS.get(figure, 0)})
             for name, kind in zip(FIGURES[figure], KINDS)]
    return charts.curves(f"figure {figure}, {pattern}", lines, "MB/s", MARKS.get(figure, ()), raw if figure == "11" else None)


def redrawn(data):
    parts = []
    for pattern in DRAWN:
        modes = data["bandwidth"][BASE][pattern]
        parts += [f"<h3>{pattern}</h3>", *[curves(modes, figure, pattern, data["raw"]) for figure in FIGURES]]
    return section("Figures 7 to 11, redrawn", SIMULATED,
                   paragraph("MB/s one way by bytes of a message. The source does not say whether its messages stream or answer each "
                             "other; a stream leads, as its communication layer's bandwidth is measured. The line of figure 11 is the raw layer."), *parts)


def assumptions(data):
    told = source.outputs()["tendencies"]
    parts = []
    for pattern in PATTERNS:
        rows = []
        for label in VARIANTS:
            found = tendencies(data["bandwidth"][label][pattern], data["raw"])
            rows.append([label, len(held(data, label, pattern)), *[f"{in_words(name, found[name])}{'' if holds(name, found[name]) else ' (missed)'}" for name in told]])
        parts += [f"<h3>{pattern}</h3>", charts.table(["", "hold#", *[row["what"] for row in told.values()]], rows, stacked=True)]
    return section("What the assumptions do", SIMULATED,
                   paragraph("Each row but the first changes one assumption. Bounds: (2) over (1) 2.5 to 3.2; sizes within one power of "
                             "two of the source's; (5) 5 % ahead, 2 % lower when it falls and 1 % when it is mended; 90 to 97 % of the raw layer."), *parts)


def live_section(done):
    why = live.why_not(done)
    if why:
        return section("On this machine", MEASURED, paragraph(f"{why[0].upper()}{why[1:]}.", "problem"))
    data, parts = done["live"].data, []
    for case, modes in data["bandwidth"].items():
        medians = {mode: {size: spread(values)[0] for size, values in sizes.items()} for mode, sizes in modes.items()}
        lines = [(NAMES.get(mode, mode), kind, {int(size): value for size, value in medians[mode].items()})
                 for mode, kind in zip((live.BATON, "5", "2", "3", "4"), KINDS)]
        rows = [[charts.in_bytes(int(size)), *[with_interval(values[size]) for values in live.ratios(modes).values()]]
                for size in sorted(modes[live.BATON], key=int)]
        parts += [f"<h3>{case}</h3>", charts.curves(f"{case}: MB/s by bytes of a message", lines, "MB/s"),
                  charts.table(["", *[f"{name}#" for name in live.RATIOS]], rows, stacked=True)]
    return section("On this machine's shared memory", MEASURED,
                   paragraph(f"Two ranks, {data['rounds']} rounds in turn; of each ratio the median and its interval (of fewer than six rounds: "
                             "the least and the most). In the stream receives are blocking, so a model seldom finds one posted; in the "
                             "ping-pong each is posted before what answers it is sent. Fresh: each message is written before it is sent "
                             "and read when it has come, in the time."), *parts)


def network_section(done):
    why = network_live.why_not(done)
    title = "Figure 11 on this machine: MPI and the raw provider"
    if why:
        return section(title, MEASURED, paragraph(f"{why[0].upper()}{why[1:]}.", "problem"))
    data = done["network"].data
    return section(title, MEASURED,
                   paragraph(f"Two ranks, each a node of its own, over {data['raw']}, on this machine's loopback: no wire, and the kernel "
                             f"does the copying; {data['rounds']} rounds in one run, all ways of a size in turn. us a message. The share is "
                             "the quicker raw way's time over MPI's, round by round. Short nonblocking messages share packets, "
                             "so that a window of them takes less than raw."),
                   *network_live.section_parts(done))


WAYS = [["(1) no optimization", "the head read remotely before each message, and waited for; a tail as a message of its own; packed by "
         "the sender, copied out of the ring by the receiver"],
        ["(2) efficient queues", "neither: the sender knows from answers what is free, and arrival is told by the provider's completion. The "
         "source looks at the ring's memory for the message's number; a provider over TCP moves data only when it is asked, and promises no "
         "order of bytes, so the number is checked, not waited for"],
        ["(3) and redirection", "the receive is posted to the provider, which puts data into the user's buffer: a call of the library, where "
         "VMMC told its interface. That it comes too late is left out: receives are posted by agreement"],
        ["(4) and header apart", "a write for the header, one for the data from the user's buffer; copied out of the ring"],
        ["(5) by size", "table 2: (2) to 8 KiB; (3) below 16 KiB; from there on the header apart and no copy on either side"],
        ["gathered", "what MPI-FM has and VMMC has not: header and data from two places in one message, into two places, no copy"]]


def figure_12_section(done):
    why, title = network_live.why_not(done), "Figure 12 on this machine: all five models over the network"
    if why:
        return section(title, MEASURED, paragraph(f"{why[0].upper()}{why[1:]}.", "problem"))
    return section(title, MEASURED,
                   paragraph("The source sets its MPI beside MPI-FM, whose layer gathers and scatters headers. Neither is here, so "
                             "the source's models are made of the raw provider's calls, in the same run as figure 11, and gathered "
                             "headers stand for MPI-FM. In the table: share of the raw provider's rate, its quicker way, round by round, the "
                             "median. What a model is here:"),
                   charts.table(["", "over the network"], WAYS, stacked=True),
                   paragraph("All five run. Not repeated: a ring that is full or met at its end (figure 10's fall), as each message of a "
                             "window has its own place; a tag to match; both ways at a time."),
                   *network_live.figure_12_parts(done))


def sections_of(done):
    data = done["model"].data
    parts = [redrawn(data), assumptions(data)] if data else \
        [section("Figures 7 to 11, redrawn", paragraph(done["model"].problem, "problem"))]
    return [*parts, live_section(done), network_section(done), figure_12_section(done), parameters_section({"parameters": source.parameters()}, ASSUMED),
            figures_section("The source's figures and tables", source.figures())]
