"""Lists for the faces: filtered, newest first, by keyset and never by offset (contract, HTTP)."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Proposal, Run, Task, Wakeup
from roundtable_desktop.store.db import View
from roundtable_desktop.store.tables import Proposals, Runs, Tasks, Wakeups

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Noun(Generic[R]):
    """A table that can be listed, and the record that its rows become."""

    table: Any
    record: type[R]


TASKS = Noun(Tasks, Task)
WAKEUPS = Noun(Wakeups, Wakeup)
RUNS = Noun(Runs, Run)
PROPOSALS = Noun(Proposals, Proposal)


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """`next_after` is the id to go on from, or None at the end."""

    items: list[R]
    next_after: str | None


def page(
    view: View, noun: Noun[R], *, before: str | None, limit: int, **filters: object
) -> Page[R]:
    """Rows whose columns equal the filters; a filter of None does not count."""
    table = noun.table
    query = table.select()
    for column, wanted in filters.items():
        if wanted is not None:
            query = query.where(getattr(table, column) == wanted)
    if before is not None:
        query = query.where(table.id < before)
    found = view.all(noun.record, query.order_by(table.id.desc()).limit(limit + 1))
    return Page(found[:limit], getattr(found[limit - 1], "id", None) if found[limit:] else None)


def by_suffix(view: View, noun: Noun[R], suffix: str) -> R | None:
    """The one row whose id ends so; at least 6 characters (house, Rows, ids)."""
    table = noun.table
    if len(suffix) < 6 or not suffix.isalnum():
        return None
    found = view.all(noun.record, table.select().where(table.id.endswith(suffix)).limit(2))
    if len(found) > 1:
        raise Conflict("ambiguous_id", given=suffix)
    return found[0] if found else None
