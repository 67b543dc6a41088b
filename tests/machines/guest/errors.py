"""What is printed instead of a traceback when the guest cannot be had."""


class Failure(Exception):
    """What went wrong, and the remedy, in words for people."""
