"""Commands of agents, in the name of the run whose token they hold; ids come from the token."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from roundtable_desktop.engine.asking import ask_approval
from roundtable_desktop.engine.desk import Asked, Desk, once, tasks, waking
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.records import Actor, Agent, Run, Subject, Task
from roundtable_desktop.model.states import LIVE_RUNS
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store import agents, approvals, comments, runs, wakeups
from roundtable_desktop.store import tasks as rows
from roundtable_desktop.store.db import Reader, Tx, View

Answer = Mapping[str, object]
R = TypeVar("R")

SUBTASKS = 20
"""Below one task."""
LEVELS = 4
"""A task, and three below it."""


class Holders:
    """Who holds a token: the live run whose row has its hash."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def find(self, token_hash: str) -> Holder | None:
        with self._reader.snapshot() as view:
            run = runs.of_token(view, token_hash)
        if run is None:
            return None
        return Holder(
            run_id=run.id,
            agent_id=run.agent_id,
            task_id=run.task_id,
            workspace_id=run.workspace_id,
        )


class Agency:
    """Each write looks in its own transaction whether the run still lives: a call that came before
    its end may arrive after it (F-13). hidden: what is redacted besides an agent's own secrets."""

    def __init__(self, desk: Desk, reader: Reader, hidden: Sequence[str] = ()) -> None:
        self._desk = desk
        self._reader = reader
        self._hidden = hidden

    def get_task(self, holder: Holder, task_id: str | None) -> Answer:
        """The own task, its parent or one of its subtasks; others are as if they were not."""
        with self._reader.snapshot() as view:
            own = _own(view, holder)
            task = own if task_id in (None, own.id) else rows.get(view, str(task_id))
            if task is None or (task.id != own.id and not _near(own, task)):
                raise Absent("unknown_task")
            said = comments.of_task(view, task.id)
            below = [_shown(one) for one in rows.below(view, task.id)]
        words = [{"author": one.author_type, "text": one.text} for one in said]
        more = {"description": task.description, "comments": words, "subtasks": below}
        return {**_shown(task), **more}

    def comment(self, holder: Holder, text: str, key: str | None) -> Answer:
        clean = self._clean(holder, text)

        def act(tx: Tx, task: Task) -> Subject:
            actor = Actor("agent", holder.agent_id)
            made = tasks.add_comment(tx, self._desk, actor, task, clean, holder.run_id)
            return Subject("comment", made)

        made = self._about_task(holder, key, f"comment:{text}", act, comments.get)
        return {"comment_id": made.id}

    def result(self, holder: Holder, result: WorkerResult, key: str | None) -> Answer:
        """The last call before the turn's end counts; of two different ones with a note."""
        text = self._clean(holder, result.model_dump_json(exclude_none=True))

        def act(tx: Tx, run: Run) -> Subject:
            before = (run.ended or {}).get("mcp")
            part: dict[str, object] = {"mcp": text}
            if before is not None and before != text:
                part["mcp_changed"] = True
            runs.keep_ended(tx, run, part)
            return Subject("run", run.id)

        self._once(holder, key, f"result:{text}", act, runs.get)
        with self._reader.snapshot() as view:
            task = rows.get(view, holder.task_id) if holder.task_id else None
        return {"task": _shown(task) if task else None, "accepted": True}

    def create_task(
        self,
        holder: Holder,
        title: str,
        description: str,
        assignee: str | None,
        blocked_by: Sequence[str],
        key: str | None,
    ) -> Answer:
        def act(tx: Tx, task: Task) -> Subject:
            _check_room(tx, task)
            agent = _agent(tx, holder, assignee) if assignee is not None else None
            actor = Actor("agent", holder.agent_id)
            told = self._clean(holder, title), self._clean(holder, description)
            before = [_before(tx, task, one, at) for at, one in enumerate(blocked_by)]
            made = tasks.add_below(tx, self._desk, actor, task, *told, agent, before)
            return Subject("task", made.id)

        words = f"create_task:{title}:{description}:{assignee}:{','.join(blocked_by)}"
        return _shown(self._about_task(holder, key, words, act, rows.get))

    def wake_self(
        self,
        holder: Holder,
        note: str,
        at: datetime | None,
        after: timedelta | None,
        key: str | None,
    ) -> Answer:
        """About the run's own task, if it has one: then it goes on where it was."""
        text = self._clean(holder, note)

        def act(tx: Tx, run: Run) -> Subject:
            moment = at if after is None else tx.now + after
            return waking.wake_self(tx, self._desk, run, text, moment, key)

        words = f"wake_self:{note}:{at}:{after}"
        try:
            made = self._once(holder, key, words, act, wakeups.get)
        except Blocked:
            with self._desk.store.transaction() as tx:
                waking.tell_refused(tx, holder)
            raise
        until = made.scheduled_retry_at
        return {"wakeup_id": made.id, "not_before": rfc3339(until) if until else None}

    def request_approval(self, holder: Holder, text: str, key: str | None) -> Answer:
        """Asks the person; the answer wakes this agent again (K-67)."""
        clean = self._clean(holder, text)

        def act(tx: Tx, task: Task) -> Subject:
            run, agent = holder.run_id, holder.agent_id
            ids = self._desk.ids
            made = ask_approval(tx, ids, task, run_id=run, agent_id=agent, text=clean)
            return Subject("approval", made)

        made = self._about_task(holder, key, f"approval:{text}", act, approvals.get)
        return {"approval_id": made.id, "status": str(made.status)}

    def _clean(self, holder: Holder, text: str) -> str:
        """No secret of the agent's environment enters the database, nor its token (S-71), and
        nothing that drives a terminal."""
        own = self._desk.secrets.get(holder.agent_id).values()
        return redact(printed(text), {holder.token, *own, *self._hidden})

    def _about_task(
        self,
        holder: Holder,
        key: str | None,
        words: str,
        act: Callable[[Tx, Task], Subject],
        show: Callable[[View, str], R | None],
    ) -> R:
        return self._once(holder, key, words, lambda tx, _: act(tx, _own(tx, holder)), show)

    def _once(
        self,
        holder: Holder,
        key: str | None,
        words: str,
        act: Callable[[Tx, Run], Subject],
        show: Callable[[View, str], R | None],
    ) -> R:
        """The same key of the same run is the same act (W-30)."""
        who = Actor("agent", f"{holder.agent_id}:{holder.run_id}")
        asked = Asked(who, key, hashlib.sha256(words.encode()).hexdigest())
        with self._desk.store.transaction() as tx:
            run = runs.get(tx, holder.run_id)
            if run is None or run.status not in LIVE_RUNS:
                raise Absent("run_access_over")
            return once(tx, asked, lambda: act(tx, run), show)


def _check_room(tx: Tx, task: Task) -> None:
    """An agent that asks for ever is stopped by name (A5)."""
    if len(rows.below(tx, task.id)) >= SUBTASKS:
        raise Blocked("too_many_subtasks", most=SUBTASKS)
    depth, above = 1, task
    while above.parent_id is not None and depth <= LEVELS:
        found = rows.get(tx, above.parent_id)
        assert found is not None, "foreign keys hold"
        depth, above = depth + 1, found
    if depth >= LEVELS:
        raise Blocked("too_deep_subtasks", most=LEVELS)


def _own(view: View, holder: Holder) -> Task:
    task = rows.get(view, holder.task_id) if holder.task_id else None
    if task is None:
        raise Absent("unknown_task")
    return task


def _near(own: Task, task: Task) -> bool:
    return task.parent_id == own.id or task.id == own.parent_id


def _before(tx: Tx, own: Task, given: str, at: int) -> Edge:
    """A subtask of its own; others are as if they were not."""
    pointer = f"/blocked_by/{at}"
    task = rows.get(tx, given)
    if task is None or task.parent_id != own.id:
        raise Absent("unknown_task", pointer)
    return Edge(depends_on_task_id=task.id, pointer=pointer)


def _agent(tx: Tx, holder: Holder, given: str) -> Agent:
    """By name or id, of the same workspace only (K-64)."""
    agent = agents.named(tx, holder.workspace_id, given) or agents.get(tx, given)
    if agent is None or agent.workspace_id != holder.workspace_id:
        raise Absent("unknown_agent", "/assignee")
    return agent


def _shown(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "number": task.number,
        "title": task.title,
        "status": str(task.status),
        "parent_id": task.parent_id,
    }
