"""Memories: written down by agents, found by their words, forgotten by a person."""

import functools
import operator
import re
from typing import Any

import peewee as pw

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.memories import Memory
from roundtable_desktop.model.records import Actor, Run, Subject
from roundtable_desktop.store import journal, lists
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.memory_tables import Memories

WORDS = 8


def get(view: View, memory_id: str) -> Memory | None:
    return view.one(Memory, Memories.select().where(Memories.id == memory_id))


def named(view: View, ref: str) -> Memory | None:
    """By its id, or a unique end of it."""
    return get(view, ref) or lists.by_suffix(view, lists.Noun(Memories, Memory), ref)


def count(view: View, workspace_id: str) -> int:
    here = Memories.workspace_id == workspace_id
    found: int = view.value(Memories.select(pw.fn.COUNT(Memories.id)).where(here))
    return found


def page(
    view: View, *, after: str | None, limit: int, workspace_id: str | None, words: str = ""
) -> list[Memory]:
    """Newest first, those that have every word in topic or text, whatever the case of its letters
    (of ASCII alone: SQLite knows no others)."""
    conditions: list[Any] = [_has(word) for word in words.split()[:WORDS]]
    if workspace_id is not None:
        conditions.append(Memories.workspace_id == workspace_id)
    if after is not None:
        conditions.append(Memories.id < after)
    query = Memories.select()
    if conditions:
        query = query.where(functools.reduce(operator.and_, conditions))
    return view.all(Memory, query.order_by(Memories.id.desc()).limit(limit))


def record(tx: Tx, run: Run, **values: Any) -> Memory:
    """values: id, topic, text."""
    tx.write(
        Memories.insert(
            workspace_id=run.workspace_id,
            agent_id=run.agent_id,
            run_id=run.id,
            task_id=run.task_id,
            created_at=tx.now,
            **values,
        )
    )
    made = get(tx, values["id"])
    assert made is not None
    _tell(tx, Kind.MEMORY_RECORDED, made, Actor("agent", run.agent_id))
    return made


def forget(tx: Tx, memory: Memory, actor: Actor) -> None:
    tx.write(Memories.delete().where(Memories.id == memory.id))
    _tell(tx, Kind.MEMORY_FORGOTTEN, memory, actor)


def _tell(tx: Tx, kind: Kind, memory: Memory, actor: Actor) -> None:
    subject, where = Subject("memory", memory.id), memory.workspace_id
    data = {"agent_id": memory.agent_id, "task_id": memory.task_id, "topic": memory.topic}
    journal.tell(tx, kind, subject, workspace_id=where, actor=actor, data=data)


def _has(word: str) -> Any:
    pattern = "%" + re.sub(r"([%_\\])", r"\\\1", word) + "%"
    both = (Memories.topic, Memories.text)
    found = [pw.NodeList((one, pw.SQL("LIKE"), pattern, pw.SQL("ESCAPE '\\'"))) for one in both]
    return pw.NodeList((pw.SQL("("), found[0], pw.SQL("OR"), found[1], pw.SQL(")")))
