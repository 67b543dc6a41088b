"""Inputs of a study's model: numbers or ranges from JSON files, each with its unit and reference."""
from lab.frame.errors import LabError


def ends_of(name, parameter):
    """The least and the most it may be; of a number that is the same. Refuses what has no reference."""
    for part in ("unit", "source", "words"):
        if not parameter.get(part):
            raise LabError(f"inputs.json: {name!r} has no {part!r}; a number without a reference is not used")
    ends = parameter.get("range", [parameter.get("value")])
    if not all(isinstance(end, (int, float)) and end > 0 for end in ends) or ends[0] > ends[-1] or len(ends) > 2:
        raise LabError(f"inputs.json: {name!r} has neither a positive value nor a range of such")
    return ends[0], ends[-1]
