"""Failures in words for people: cause first, then remedy."""


class LabError(Exception):
    """Ends the command."""


class StepFailed(Exception):
    """Ends one step; the others run, the page says so, and the command ends with 1."""
