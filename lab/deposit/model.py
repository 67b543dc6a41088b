"""The step that simulates: the five models, and the source's mend, on its network. Reads inputs.json only."""
import hashlib
from dataclasses import asdict, replace

from lab.deposit import network, source
from lab.deposit.network import PATTERNS, PUSHED, Costs, Protocol, bandwidth
from lab.frame.steps import Step

FORMAT = 1  # of what we keep
WHAT = "the five models, and (5) with delayed sends, between two hosts of the source; other assumptions beside"
DELAYED = "5 delayed"
PROTOCOLS = {**{str(number): Protocol(number) for number in range(1, 6)}, DELAYED: Protocol(5, delayed=True)}
SIZES = [8 << power for power in range(21)] + [3 << 20]
BASE = "base"
VARIANTS = {
    BASE: {},
    "(1): the receiver sends its head": {"head": PUSHED},
    "latency 8 us, as later optimized (Chen and others)": {"latency_us": 8},
    "a page takes 0.5 us": {"page_us": 0.5},
    "a page takes 2 us": {"page_us": 2},
    "MPI above takes 5 us a side": {"library_us": 5},
    "MPI above takes 15 us a side": {"library_us": 15},
    "copies beyond 512 KiB at 135 MB/s": {"long_copy": 135},
    "a sender does not wait for its interface": {"overlap": True},
}


def costs(known):
    copy = known["copy in one redirection"]["value"] / known["redirection"]["value"]
    return Costs(raw=known["raw.bandwidth"]["value"], copy=copy, send_us=known["copy in one message of 8 bytes"]["value"] / copy,
                 latency_us=known["latency"]["value"], redirect_us=known["redirection"]["value"],
                 page_us=known["page of a user's buffer"]["value"])


def predict(heard):
    base, table = costs(source.parameters()), {}
    for number, (label, change) in enumerate(VARIANTS.items()):
        heard(f"{number} of {len(VARIANTS)}")
        changed = replace(base, **change)
        table[label] = {pattern: {name: {str(size): bandwidth(pattern, protocol, size, changed) for size in SIZES}
                                  for name, protocol in PROTOCOLS.items()} for pattern in PATTERNS}
    return {"bandwidth": table, "raw": base.raw}


def fingerprint():
    with open(network.__file__, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def steps():
    known = {name: parameter["value"] for name, parameter in source.parameters().items()}
    return [Step("model", WHAT, "simulated", predict,
                 {"format": FORMAT, "program": fingerprint(), "costs": asdict(costs(source.parameters())), "known": known,
                  "variants": VARIANTS, "sizes": SIZES})]
