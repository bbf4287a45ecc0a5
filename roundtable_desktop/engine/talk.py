"""What there was between an agent and a task before: their conversation, and what is new in it."""

from dataclasses import dataclass

from roundtable_desktop.model.records import Agent, Task
from roundtable_desktop.store import comments, runs, sessions
from roundtable_desktop.store.db import View


@dataclass(frozen=True, slots=True)
class Talk:
    """session: the agent's own name for it, None for a first turn. script: `@demo` lines."""

    session: str | None
    script: str


def talk_of(view: View, agent: Agent, task: Task) -> Talk:
    """A later run of the same agent and task goes on with their conversation (K-48). The lines of
    what is new count, if there are any, else those of the task (contract, demo agent)."""
    said = [one.text for one in comments.of_task(view, task.id, _seen(view, task))]
    fresh = "\n".join(text for text in said if "@demo " in text)
    return Talk(sessions.of(view, agent.id, task.id), fresh or task.description)


def _seen(view: View, task: Task) -> str:
    """The last comment that an earlier attempt has read; ids rise with time."""
    listener = runs.last_to_listen(view, task.id)
    said = comments.of_task(view, task.id)
    heard = [one.id for one in said if listener is not None and one.id < listener.id]
    return heard[-1] if heard else ""
