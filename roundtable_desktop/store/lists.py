"""Lists for the faces: filtered, newest first, by keyset and never by offset (contract, HTTP)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.graph import Approval
from roundtable_desktop.model.records import (
    Agent,
    InboxItem,
    Proposal,
    Run,
    Task,
    Wakeup,
    Workspace,
)
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.store.db import View
from roundtable_desktop.store.routine_tables import Routines
from roundtable_desktop.store.tables import (
    Agents,
    Approvals,
    InboxItems,
    Proposals,
    Runs,
    Tasks,
    Wakeups,
    Workspaces,
)

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Noun(Generic[R]):
    """A table that can be listed, and the record that its rows become."""

    table: Any
    record: type[R]


NOTHING = object()
"""The filter for rows where the column has no value."""

WORKSPACES = Noun(Workspaces, Workspace)
AGENTS = Noun(Agents, Agent)
TASKS = Noun(Tasks, Task)
WAKEUPS = Noun(Wakeups, Wakeup)
RUNS = Noun(Runs, Run)
PROPOSALS = Noun(Proposals, Proposal)
APPROVALS = Noun(Approvals, Approval)
INBOX = Noun(InboxItems, InboxItem)
ROUTINES = Noun(Routines, Routine)


def page(
    view: View,
    noun: Noun[R],
    where: Sequence[Any] = (),
    /,
    *,
    after: str | None,
    limit: int,
    **filters: object,
) -> list[R]:
    """At most `limit` rows older than `after` whose columns equal the filters.

    A tuple means any of its values, NOTHING that there is none, None is no filter. where: what
    else must hold, as peewee says it.
    """
    table = noun.table
    query = table.select()
    for condition in where:
        query = query.where(condition)
    for column, wanted in filters.items():
        column_of = getattr(table, column)
        if wanted is NOTHING:
            query = query.where(column_of.is_null())
        elif isinstance(wanted, tuple):
            query = query.where(column_of.in_(wanted))
        elif wanted is not None:
            query = query.where(column_of == wanted)
    if after is not None:
        query = query.where(table.id < after)
    return view.all(noun.record, query.order_by(table.id.desc()).limit(limit))


def by_suffix(view: View, noun: Noun[R], suffix: str) -> R | None:
    """The one row whose id ends so; at least 6 characters (house, Rows, ids)."""
    table = noun.table
    if len(suffix) < 6 or not suffix.isalnum():
        return None
    found = view.all(noun.record, table.select().where(table.id.endswith(suffix)).limit(2))
    if len(found) > 1:
        raise Conflict("ambiguous_id", given=suffix)
    return found[0] if found else None
