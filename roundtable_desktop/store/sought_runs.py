"""Runs as somebody looks for them: by how they ended, by routine, by time, by words."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from roundtable_desktop.model.records import Run
from roundtable_desktop.store import lists
from roundtable_desktop.store.db import View
from roundtable_desktop.store.routine_tables import Firings
from roundtable_desktop.store.tables import Runs, Tasks


def page(
    view: View,
    *,
    after: str | None,
    limit: int,
    routine_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    q: str = "",
    **filters: object,
) -> list[Run]:
    """Newest first. since, until: when it was decided to start it; the second is not included.
    q: stands in its task's title, in what it said at its end, or in its error, whatever the case
    of ASCII letters."""
    where = [*_of_routine(routine_id), *_within(since, until), *_with(q)]
    return lists.page(view, lists.RUNS, where, after=after, limit=limit, **filters)


def _of_routine(routine_id: str | None) -> Iterator[Any]:
    """Of its tasks, or without one."""
    if routine_id is None:
        return
    made = Tasks.select(Tasks.id).where(Tasks.routine_id == routine_id)
    here = (Firings.routine_id == routine_id) & Firings.run_id.is_null(False)
    light = Firings.select(Firings.run_id).where(here)
    yield Runs.task_id.in_(made) | Runs.id.in_(light)


def _within(since: datetime | None, until: datetime | None) -> Iterator[Any]:
    if since is not None:
        yield Runs.created_at >= since
    if until is not None:
        yield Runs.created_at < until


def _with(words: str) -> Iterator[Any]:
    if words:
        titled = Tasks.select(Tasks.id).where(Tasks.title.contains(words))
        said = Runs.output_summary.contains(words) | Runs.error_text.contains(words)
        yield said | Runs.task_id.in_(titled)
