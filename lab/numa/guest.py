"""The step that counts: where the pages of two ranks lie in each configuration, in a guest with two NUMA nodes."""
from lab.frame import charts, guest
from lab.frame.findings import Finding
from lab.frame.page import paragraph
from lab.numa import source

FORMAT = 1  # of what we keep
RANKS = 2  # as many cores as a socket of the guest has
BYTES = 4 << 20  # of MPI_Alloc_mem, and of the program's own
WHAT = "where each page of two ranks lies in the five configurations, in an emulated machine with two NUMA nodes"
KINDS = ("heap", "plain")
# Configuration -> the share of pages on the first node, the second one has the rest; sockets of the ranks.
CLAIMS = {"local": (1, (0, 0)), "interleave": (0.5, (0, 0)), "spread": (1, (0, 1)), "spread-interleave": (0.5, (0, 1)), "remote": (0, (0, 0))}
TOLERANCE = 0.02


def steps(context):
    jobs = [{"name": name, "options": ["--config", name], "ranks": RANKS, "heap_bytes": BYTES, "plain_bytes": BYTES} for name in CLAIMS]
    return [guest.step(context.programs, WHAT, jobs, FORMAT)]


def rows(done):
    if guest.why_not(done):
        return []
    found = []
    for name, ranks in done["guest"].data["jobs"].items():
        pages = guest.pages(ranks, KINDS)
        found.append({"table": "guest", "kind": "measured", "configuration": name, "number": source.CONFIGURATIONS[name],
                      "sockets": [rank["socket"] for rank in ranks], "pages": sum(pages.values()),
                      "share": pages.get(0, 0) / sum(pages.values()), "elsewhere": sum(count for node, count in pages.items() if node > 1)})
    return found


def holds(row):
    share, sockets = CLAIMS[row["configuration"]]
    return abs(row["share"] - share) <= TOLERANCE and tuple(row["sockets"]) == sockets and not row["elsewhere"]


def in_words(share):
    return f"{100 * share:.1f} : {100 * (1 - share):.1f}"


def findings(done):
    why = guest.why_not(done)
    if why:
        return [Finding(source.NAME, "pages by NUMA node in a guest", None, None, "measured", note=why)]
    return [Finding(source.NAME, f"pages on NUMA nodes 0 and 1: ({row['number']}) {row['configuration']}", in_words(CLAIMS[row["configuration"]][0]),
                    in_words(row["share"]), "measured",
                    note=f"{row['pages']} pages of two ranks in a guest, {'as claimed' if holds(row) else 'not as claimed'}", met=holds(row))
            for row in rows(done)]


def drawing(done):
    why = guest.why_not(done)
    if why:
        return paragraph(f"{why[0].upper()}{why[1:]}.", "problem")
    lines = [[f"({row['number']}) {row['configuration']}", ", ".join(map(str, row["sockets"])), row["pages"], in_words(row["share"]),
              "yes" if holds(row) else "no"] for row in rows(done)]
    return charts.table(["", "sockets of the ranks", "pages#", "nodes 0 : 1, %#", "as claimed"], lines, stacked=True)
