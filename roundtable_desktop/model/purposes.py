"""What a task is for.

Standard library only, as `states` is.
"""

from enum import StrEnum


class Purpose(StrEnum):
    """Work of the graph, or what the scheduler made for it (A-27, A-28)."""

    WORK = "work"
    REPAIR = "repair"
    VERIFY = "verify"
    DEBUG = "debug"
