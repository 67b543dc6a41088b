"""A finding: one number or statement of the source, and ours beside it."""
from dataclasses import asdict, dataclass

KINDS = ("measured", "simulated", "modelled")


@dataclass(frozen=True)
class Finding:
    source: str               # the source's short name
    what: str                 # what both numbers are about
    paper: float | str | None  # the source's; None: it says nothing
    ours: float | str | None   # None: we have none, and `note` says why
    kind: str                 # how ours was found
    unit: str = ""
    note: str = ""
    met: bool | None = None    # whether ours is the source's, within the study's bound; None: not to be compared

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of finding; there are {', '.join(KINDS)}")
        if not self.source or not self.what:
            raise ValueError("a finding names its source and what it is about")
        if self.paper is None and self.ours is None and not self.note:
            raise ValueError(f"nothing is said about {self.what!r}")

    def as_dict(self):
        return asdict(self)


def with_unit(value, unit):
    """As the page shows it."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    number = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value}"
    return f"{number} {unit}".strip()
