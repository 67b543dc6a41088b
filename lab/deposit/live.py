"""The live step: the five models, delayed sends and Baton's own protocols on this machine's shared memory, in turn; `live.c`
beside this is the program."""
from lab.deposit.model import DELAYED, PROTOCOLS
from lab.frame import live
from lab.frame.medians import spread

PROGRAM = "baton-deposit-live"
FORMAT = 1  # of what we keep
SECONDS = 120  # after which a job is given up
BATON = "Baton"
WHAT = "the five models, (5) with delayed sends and Baton's own protocols between two ranks of this machine, in turn"
MODES = {BATON: {"MODEL": 0}, **{name: {"MODEL": protocol.number, "DELAYED": int(protocol.delayed)} for name, protocol in PROTOCOLS.items()}}
QUICK = {"rounds": 3, "seconds": 0.003, "sizes": [8, 512, 4096, 8192, 16384, 65536, 262144, 1 << 20, 2 << 20, 3 << 20]}
FULL = {"rounds": 9, "seconds": 0.008, "sizes": [8 << power for power in range(21)] + [3 << 20]}


def launch(mode):
    return [word for name, value in MODES[mode].items() for word in ("-genv", f"BATON_DEPOSIT_{name}", str(value))]


def measure(context, size, heard):
    words = [str(size["seconds"]), *map(str, size["sizes"])]
    cells = {}
    for number in range(size["rounds"] * len(MODES)):
        mode = list(MODES)[number % len(MODES)]  # interleaved: what changes meanwhile changes all
        heard(f"{number} of {size['rounds'] * len(MODES)}")
        for cell in context.programs.job(2, PROGRAM, words, SECONDS, heard, launch(mode))["cells"]:
            at = cells.setdefault(f"{cell['pattern']}, {cell['data']}", {}).setdefault(mode, {})
            at.setdefault(str(cell["bytes"]), []).append(cell["mbs"])
    return {"measured": True, "rounds": size["rounds"], "bandwidth": cells}


def steps(context):
    size = QUICK if context.quick else FULL
    return [live.live_step(context, "live", WHAT, PROGRAM, {"format": FORMAT, "size": size}, lambda heard: measure(context, size, heard),
                      f"mpiexec -n 2 -genv BATON_DEPOSIT_MODEL MODEL {PROGRAM} {size['seconds']} BYTES...")]


def why_not(done):
    return live.why_not(done, "live")


def ratio(modes, over, under, size):
    """Median and interval of one mode over another, or over that of some which is the best in the median, round by round."""
    best = max(under, key=lambda mode: spread(modes[mode][size])[0])
    return spread([ours / theirs for ours, theirs in zip(modes[over][size], modes[best][size])])


# What the source's figures 7 to 10 and their mend say, as ratios; and Baton beside them.
RATIOS = {"(2) over (1)": ("2", ["1"]), "(3) over (2)": ("3", ["2"]), "(4) over (2)": ("4", ["2"]),
          "(5) over the best of (2) to (4)": ("5", ["2", "3", "4"]), "delayed over (5)": (DELAYED, ["5"]),
          "Baton over the best model": (BATON, list(PROTOCOLS))}


def ratios(modes):
    """Name -> size -> (median, low, high)."""
    return {name: {size: ratio(modes, over, under, size) for size in modes[over]} for name, (over, under) in RATIOS.items()}


def rows(done):
    if why_not(done):
        return []
    return [{"table": "live", "kind": "measured", "case": case, "mode": mode, "bytes": int(size), "rounds": len(values),
             **dict(zip(("mbs", "mbs_low", "mbs_high"), spread(values)))}
            for case, modes in done["live"].data["bandwidth"].items() for mode, sizes in modes.items() for size, values in sizes.items()]
