"""The step that counts: how much fast memory each way of using it takes (figure 8), in a guest with such memory."""
from lab.frame import charts, guest
from lab.frame.findings import Finding
from lab.frame.page import paragraph
from lab.hbm import source

FORMAT = 1  # of what we keep
RANKS, BUFFERS, OWN = 4, 16 << 20, 2 << 20  # bytes of MPI_Alloc_mem, and of what the program has besides
WHAT = "how many pages of four ranks lie in fast memory, in an emulated machine that has some"
KINDS = ("queues", "heap", "anonymous")
WAYS = {"segments only": "queues=hbm", "segments and buffers": "queues=hbm,heap=hbm", "whole processes": "all=hbm"}


def steps(context):
    jobs = [{"name": name, "options": ["--memory", memory], "ranks": RANKS, "heap_bytes": BUFFERS, "plain_bytes": OWN}
            for name, memory in WAYS.items()]
    return [guest.step(context.programs, WHAT, jobs, FORMAT)]


def fast_pages(done):
    """Way -> pages in fast memory."""
    return {name: sum(count for node, count in guest.pages(ranks, KINDS).items() if node in guest.FAST_NODES)
            for name, ranks in done["guest"].data["jobs"].items()}


def more_of_whole(done):
    """Percent that whole processes take more than segments and buffers."""
    pages = fast_pages(done)
    return 100 * (pages["whole processes"] / pages["segments and buffers"] - 1)


def rows(done):
    if guest.why_not(done):
        return []
    return [{"table": "guest", "kind": "measured", "way": name, "fast_pages": count} for name, count in fast_pages(done).items()]


def finding(done):
    told = source.outputs()["whole_over_bound"]
    what = "whole processes over segments and buffers, memory used in MCDRAM (figure 8)"
    why = guest.why_not(done)
    if why:
        return Finding(source.NAME, what, told["percent"], None, "measured", "%", note=why)
    return Finding(source.NAME, what, told["percent"], round(more_of_whole(done), 1), "measured", "%",
                   f"{told['place']}; pages of {RANKS} ranks in a guest, each with {charts.in_bytes(BUFFERS)} of buffers and "
                   f"{charts.in_bytes(OWN)} besides: what it has besides is what is more")


def drawing(done):
    why = guest.why_not(done)
    if why:
        return paragraph(f"{why[0].upper()}{why[1:]}.", "problem")
    return charts.bars("pages in fast memory", [(name, count * 4 / 1024, WAYS[name]) for name, count in fast_pages(done).items()], " MiB")
