"""What every command of an agent has in common: in whose name it is, and that its run lives."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from roundtable_desktop.engine.desk import Asked, Desk, once, reach
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.records import Actor, Agent, Run, Subject, Task
from roundtable_desktop.model.states import LIVE_RUNS
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store import agents, runs
from roundtable_desktop.store.db import Reader, Tx, View

Answer = Mapping[str, object]
R = TypeVar("R")


class InName:
    """Each write looks in its own transaction whether the run still lives: a call that came before
    its end may arrive after it (F-13). hidden: what is redacted besides an agent's own secrets."""

    def __init__(self, desk: Desk, reader: Reader, hidden: Sequence[str] = ()) -> None:
        self._desk = desk
        self._reader = reader
        self._hidden = hidden

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
        return self._once(holder, key, words, lambda tx, _: act(tx, reach.own(tx, holder)), show)

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
            run = self._living(tx, holder)
            return once(tx, asked, lambda: act(tx, run), show)

    def _living(self, view: View, holder: Holder) -> Run:
        run = runs.get(view, holder.run_id)
        if run is None or run.status not in LIVE_RUNS:
            raise Absent("run_access_over")
        return run


def named_agent(tx: Tx, holder: Holder, given: str, pointer: str = "/assignee_agent") -> Agent:
    """By name or id, of the same workspace only (K-64)."""
    agent = agents.named(tx, holder.workspace_id, given) or agents.get(tx, given)
    if agent is None or agent.workspace_id != holder.workspace_id:
        raise Absent("unknown_agent", pointer)
    return agent


def shown(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "number": task.number,
        "title": task.title,
        "status": str(task.status),
        "parent_id": task.parent_id,
    }
