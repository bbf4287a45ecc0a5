"""The statuses of tasks by all the names that other systems have for them (C-01)."""

from collections.abc import Mapping

from roundtable_desktop.model.states import TaskStatus

ALIASES: Mapping[str, TaskStatus] = {
    "open": TaskStatus.TODO,
    "pending": TaskStatus.TODO,
    "running": TaskStatus.IN_PROGRESS,
    "review": TaskStatus.IN_REVIEW,
    "completed": TaskStatus.DONE,
    "closed": TaskStatus.DONE,
    "canceled": TaskStatus.CANCELLED,
}
"""Taken, never stored and never shown."""


def by_own_name(given: object) -> object:
    """In either case; what is no status's name stays what it is."""
    if not isinstance(given, str):
        return given
    plain = given.lower()
    return str(ALIASES.get(plain, plain))
