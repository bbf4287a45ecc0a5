"""What a person tells an agent at work: whether it was heard, and what becomes of what was not."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from roundtable_desktop.engine import wakers
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Actor, Event, Run, Subject, Task
from roundtable_desktop.store import comments, events, journal
from roundtable_desktop.store.db import Tx, View

State = Literal["sent", "read", "not_delivered"]

_KINDS = (Kind.RUN_TOLD, Kind.RUN_CONTROLLED, Kind.RUN_UNHEARD)
MOST = 1000
"""Events of one run that are looked through, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """state: `read` when the turn that began with it has ended; `not_delivered` when the run was
    over first. comment_id: of the comment on its task that it became then, if it had one."""

    id: str
    text: str
    at: datetime
    actor: Actor
    state: State
    comment_id: str | None


def tell(tx: Tx, run: Run, actor: Actor, name: str, text: str) -> None:
    """Before the runner is: what it takes is never without its row. name: the same for a repeat."""
    if any(one.id == name for one in to(tx, run.id)):
        return
    journal.tell(
        tx,
        Kind.RUN_TOLD,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        actor=actor,
        data={
            "agent_id": run.agent_id,
            "task_id": run.task_id,
            "message": name,
            "text": text,
            "characters": len(text),
        },
    )


def take_back(tx: Tx, run: Run, name: str) -> None:
    """The runner did not take it, and whoever said it was told so."""
    _unheard(tx, run, name, None, refused=True)


def _unheard(tx: Tx, run: Run, name: str, comment_id: str | None, **more: bool) -> None:
    about = {"agent_id": run.agent_id, "task_id": run.task_id, "message": name}
    journal.tell(
        tx,
        Kind.RUN_UNHEARD,
        Subject("run", run.id),
        workspace_id=run.workspace_id,
        data={**about, "comment_id": comment_id, **more},
    )


def to(view: View, run_id: str) -> list[Said]:
    """All that was told to it, oldest first."""
    found = events.of(view, Subject("run", run_id), limit=MOST, only=_KINDS)
    read = {_name(one) for one in found if one.data.get("do") == "heard"}
    kept: dict[str, Mapping[str, object]] = {}
    told: dict[str, Event] = {}
    for one in found:
        if one.kind == Kind.RUN_TOLD and "message" in one.data:
            told[_name(one)] = one
        elif one.kind == Kind.RUN_UNHEARD and one.data.get("refused"):
            told.pop(_name(one), None)
        elif one.kind == Kind.RUN_UNHEARD:
            kept[_name(one)] = one.data
    return [_said(name, one, read, kept) for name, one in told.items()]


def settle(tx: Tx, ids: Ids, run: Run, task: Task | None, *, wakes: bool) -> None:
    """The run is over. What it did not hear is a comment on its task, as if it had been said there;
    one that is about no task is told to be lost. wakes: whether the comment wakes its assignee, as
    after an end of the agent's own; else the next run is told of it, whoever asks for that."""
    for one in to(tx, run.id):
        if one.state != "sent":
            continue
        comment_id = _as_comment(tx, ids, task, one, wakes=wakes) if task is not None else None
        _unheard(tx, run, one.id, comment_id)


def _as_comment(tx: Tx, ids: Ids, task: Task, said: Said, *, wakes: bool) -> str:
    comment_id = ids.new()
    comments.add(tx, task, comment_id, said.actor, said.text, None)
    agent_id = task.assignee_agent_id
    if wakes and agent_id is not None:
        wakers.wake(tx, ids.new(), wakers.commented(task, agent_id, comment_id, said.actor))
    return comment_id


def _name(event: Event) -> str:
    return str(event.data.get("message") or "")


def _said(name: str, told: Event, read: set[str], kept: Mapping[str, Mapping[str, object]]) -> Said:
    state: State = "read" if name in read else "not_delivered" if name in kept else "sent"
    comment_id = kept.get(name, {}).get("comment_id")
    return Said(
        id=name,
        text=str(told.data.get("text") or ""),
        at=told.at,
        actor=Actor(told.actor_type, told.actor_id),
        state=state,
        comment_id=str(comment_id) if comment_id else None,
    )
