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
"""Messages to one run that are told of, the newest."""


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
    """Before the runner is: what it takes is never without its row. name: the same for a repeat,
    for which there is no second row."""
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


@dataclass(frozen=True, slots=True)
class _Line:
    """What became of one message; event: the one that has its words."""

    event: int
    state: State
    comment_id: str | None


def to(view: View, run_id: str) -> list[Said]:
    """All that was told to it, oldest first; of more than `MOST` the newest."""
    lines = _lines(view, run_id)
    words = events.these(view, [line.event for line in lines.values()][-MOST:])
    named = {line.event: (name, line) for name, line in lines.items()}
    return [_said(*named[one.id], one) for one in words]


def is_told(view: View, run_id: str, name: str) -> bool:
    """Whether its row is there: a repeat has the same name."""
    return name in _lines(view, run_id)


def is_commented(view: View, run_id: str, name: str) -> bool:
    """Whether it became a comment. What was told is not read for this: it may be megabytes."""
    found = events.told(view, run_id, Kind.RUN_UNHEARD)
    return any(one["message"] == name and one["comment_id"] for one in found)


def _lines(view: View, run_id: str) -> dict[str, _Line]:
    """By their names, oldest first. One that the runner refused is none."""
    found = events.told(view, run_id, *_KINDS)
    told: dict[str, int] = {}
    read = {one["message"] for one in found if one["does"] == "heard"}
    kept: dict[str, str | None] = {}
    for one in found:
        name = str(one["message"] or "")
        if one["kind"] == Kind.RUN_TOLD and one["message"] is not None:
            told[name] = one["id"]
        elif one["kind"] == Kind.RUN_UNHEARD and one["refused"]:
            told.pop(name, None)
        elif one["kind"] == Kind.RUN_UNHEARD:
            kept[name] = one["comment_id"]
    return {
        name: _Line(event, _state(name, read, kept), kept.get(name)) for name, event in told.items()
    }


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


def _state(name: str, read: set[str], kept: Mapping[str, str | None]) -> State:
    return "read" if name in read else "not_delivered" if name in kept else "sent"


def _said(name: str, line: _Line, told: Event) -> Said:
    return Said(
        id=name,
        text=str(told.data.get("text") or ""),
        at=told.at,
        actor=Actor(told.actor_type, told.actor_id),
        state=line.state,
        comment_id=line.comment_id or None,
    )
