"""What there was between an agent and a task before: their conversation, and what is new in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from roundtable_desktop.engine import reviewing
from roundtable_desktop.engine.told_routines import script_of
from roundtable_desktop.model.records import Comment, Run, Wakeup
from roundtable_desktop.model.states import TURN_ENDED, ErrorKind, RunStatus
from roundtable_desktop.rules.news import Remark
from roundtable_desktop.rules.woken import asked_for
from roundtable_desktop.store import agents, comments, runs, sessions, tasks
from roundtable_desktop.store.db import View

SAID_CHARACTERS = 65_536
"""Of comments in one prompt; the oldest give way."""
DEVELOPER = "The developer"
ROUNDTABLE = "Roundtable"
LEFT_OUT = "{count} earlier comments have no room here; the tool task_get tells them all."


@dataclass(frozen=True, slots=True)
class Talk:
    """session: the agent's own name for it, None for a first turn. script: `@demo` lines."""

    session: str | None
    script: str


def talk_of(view: View, run: Run) -> Talk:
    """A later run of the same agent and task goes on with their conversation (K-48); one without
    a task begins a new one (K-47). The lines of what is new count, if there are any, else those
    of the task (contract, demo agent)."""
    task = tasks.get(view, run.task_id) if run.task_id else None
    if run.gate_id is not None:
        return Talk(None, reviewing.script_of(view, run))
    if task is None:
        asked = "\n".join(map(asked_for, run.causes()))
        return Talk(None, asked.strip() or script_of(view, next(iter(run.causes()), {})))
    said = [one.text for one in unheard(view, run.agent_id, task.id)]
    fresh = "\n".join(text for text in said if "@demo " in text)
    return Talk(sessions.of(view, run.agent_id, task.id, run.model), fresh or task.description)


_BROKEN = (ErrorKind.CRASHED, ErrorKind.TIMED_OUT)


def load_failed(view: View, run: Run) -> bool:
    """Whether the agent's last run about the task came to nothing before a conversation was open.
    What broke on the earlier one would break on it again (B-087)."""
    before = [
        one
        for one in runs.of_task(view, run.task_id or "")
        if one.id != run.id and one.agent_id == run.agent_id and one.started_at is not None
    ]
    last = before[-1] if before else None
    return (
        last is not None
        and last.status is RunStatus.FAILED
        and last.session_id is None
        and last.error_kind in _BROKEN
    )


def all_said(view: View, agent_id: str, task_id: str) -> list[Remark]:
    """Everything that others said about the task, the last of it if it is long."""
    return _told(view, comments.of_task(view, task_id), agent_id)


def unheard(view: View, agent_id: str, task_id: str) -> list[Remark]:
    """What was said since the agent last ended a turn about it. A run that broke off may have
    heard it or not: it is told again."""
    heard = [
        run.created_at
        for run in runs.of_task(view, task_id)
        if run.agent_id == agent_id and run.outcome in TURN_ENDED
    ]
    said = comments.of_task(view, task_id)
    fresh = [one for one in said if not heard or one.created_at > heard[-1]]
    return _told(view, fresh, agent_id)


def _told(view: View, said: list[Comment], agent_id: str) -> list[Remark]:
    """What has no room is not passed over in silence."""
    kept: list[Remark] = []
    others = [one for one in said if one.author_id != agent_id]
    room = SAID_CHARACTERS
    for one in reversed(others):
        room -= len(one.text)
        if room < 0 and kept:
            left_out = LEFT_OUT.format(count=len(others) - len(kept))
            kept.append(Remark(ROUNDTABLE, left_out, by_person=False))
            break
        kept.append(Remark(_author(view, one), one.text, by_person=one.author_type == "person"))
    return kept[::-1]


def _author(view: View, comment: Comment) -> str:
    if comment.author_type == "person":
        return DEVELOPER
    if comment.author_type == "system":
        return ROUNDTABLE
    agent = agents.get(view, comment.author_id)
    return f"Agent {agent.name}" if agent is not None else "An agent"


def known_in(view: View, wakeup: Wakeup) -> dict[str, str]:
    """What the ids in its causes mean, for the agent to read; its own workspace's only (K-64)."""
    named: dict[str, str] = {}
    for cause in wakeup.causes():
        payload = cause.get("payload")
        for one in _ids(payload) if isinstance(payload, dict) else ():
            agent, task = agents.get(view, one), tasks.get(view, one)
            if agent is not None and agent.workspace_id == wakeup.workspace_id:
                named[one] = agent.name
            elif task is not None and task.workspace_id == wakeup.workspace_id:
                named[one] = f"T-{task.number}"
            elif (comment := comments.get(view, one)) is not None and (
                comment.task_id == wakeup.task_id
            ):
                named[one] = _author(view, comment)
    return named


def _ids(payload: Mapping[str, object]) -> list[str]:
    blockers = payload.get("resolved_blocker_ids")
    several = blockers if isinstance(blockers, list) else []
    single = (payload.get(name) for name in ("agent_id", "task_id", "comment_id"))
    return [str(one) for one in (*single, *several) if one]
