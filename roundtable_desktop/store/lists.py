"""Lists for the faces: filtered, newest first, by keyset and never by offset (contract, HTTP)."""

import functools
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import peewee as pw

from roundtable_desktop.model.budgets import Budget
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.graph import Approval
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Agent, InboxItem, Run, Task, Wakeup, Workspace
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.store.db import View
from roundtable_desktop.store.mission_tables import Missions
from roundtable_desktop.store.routine_tables import Routines
from roundtable_desktop.store.tables import (
    Agents,
    Approvals,
    Comments,
    InboxItems,
    Proposals,
    Runs,
    Tasks,
    Wakeups,
    Workspaces,
)
from roundtable_desktop.store.usage_tables import Budgets

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
BUDGETS = Noun(Budgets, Budget)
MISSIONS = Noun(Missions, Mission)


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

    A tuple means any of its values, NOTHING that there is none, None is no filter; `words` are in
    the text of a task. where: what else must hold, as peewee says it.
    """
    table = noun.table
    query = table.select()
    for condition in where:
        query = query.where(condition)
    for name, wanted in filters.items():
        if wanted is not None:
            told = _said(wanted) if name == "words" else _where(getattr(table, name), wanted)
            query = query.where(told)
    if after is not None:
        query = query.where(table.id < after)
    return view.all(noun.record, query.order_by(table.id.desc()).limit(limit))


def _where(column: Any, wanted: object) -> Any:
    if wanted is NOTHING:
        return column.is_null()
    return column.in_(wanted) if isinstance(wanted, tuple) else column == wanted


def _said(words: object) -> Any:
    """Every word of it, anywhere in the title, the description or what was said about the task."""
    return functools.reduce(operator.and_, (_has(word) for word in str(words).split()))


_MEANT, _AS_IT_IS = re.compile(r"[%_!]"), r"!\g<0>"
"""What LIKE would read as something else."""


def _has(word: str) -> Any:
    """LIKE of SQLite folds the letters of ASCII alone, so others are looked for in each case."""
    spelt = {word, word.lower(), word.upper(), word.capitalize()}
    patterns = [f"%{_MEANT.sub(_AS_IT_IS, one)}%" for one in sorted(spelt)]
    columns = (Tasks.title, Tasks.description)
    here = functools.reduce(operator.or_, (_like(c, p) for c in columns for p in patterns))
    about = functools.reduce(operator.or_, (_like(Comments.text, p) for p in patterns))
    return here | Tasks.id.in_(Comments.select(Comments.task_id).where(about))


def _like(column: Any, pattern: str) -> Any:
    escaped = pw.SQL("ESCAPE '!'")
    return pw.NodeList((column, pw.SQL("LIKE"), pw.Value(pattern), escaped), parens=True)


def by_suffix(view: View, noun: Noun[R], suffix: str) -> R | None:
    """The one row whose id ends so; at least 6 characters (house, Rows, ids)."""
    table = noun.table
    if len(suffix) < 6 or not suffix.isalnum():
        return None
    found = view.all(noun.record, table.select().where(table.id.endswith(suffix)).limit(2))
    if len(found) > 1:
        raise Conflict("ambiguous_id", given=suffix)
    return found[0] if found else None
