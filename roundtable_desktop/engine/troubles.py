"""Asks a person about a wakeup that failed for good: once, or once for a light routine that fails
alike at each of its times; each task of a heavy one asks for itself."""

from collections.abc import Sequence

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import InboxItem, Json, Run, Subject, Wakeup
from roundtable_desktop.model.states import AgentStatus, InboxKind, RunOutcome, Severity
from roundtable_desktop.store import firings, inbox, wakeups
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.routines import SUCCEEDED


def ask(
    tx: Tx, ids: Ids, wakeup: Wakeup, severity: Severity, answers: Sequence[str], known: Json
) -> None:
    """About the task where there is one, else about the agent. known: `outcome` and what its
    sentence needs."""
    routine_id = _light_routine_of(wakeup)
    asked = _asked(tx, routine_id, known["outcome"]) if routine_id else None
    if asked is not None:
        return inbox.ask_again(tx, asked, wakeup.id)
    about = Subject("task", wakeup.task_id) if wakeup.task_id else Subject("agent", wakeup.agent_id)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.AGENT_ERROR,
        severity,
        key=f"agent.error:{wakeup.id}",
        subject=about,
        workspace_id=wakeup.workspace_id,
        data={
            "agent_id": wakeup.agent_id,
            "wakeup_id": wakeup.id,
            **({"routine_id": routine_id} if routine_id else {}),
            **known,
            "options": inbox.options(answers),
        },
    )


def ended_well(tx: Tx, run: Run, outcome: RunOutcome, wakeup: Wakeup) -> None:
    """A light routine works again: what was asked about its earlier times is asked no more, unless
    a person had it fire one of them."""
    routine_id = wakeup.payload.get("routine_id")
    if run.task_id is not None or routine_id is None or outcome not in SUCCEEDED:
        return
    for item in inbox.open_of_routine(tx, str(routine_id)):
        if item.subject_type == "agent" and _by_time_alone(tx, item):
            inbox.resolve(tx, item, {"by": "cause"})


def gone(tx: Tx, agent_id: str) -> None:
    """Nobody can be woken or mended any more: nothing is asked about the agent."""
    for item in inbox.open_about(tx, Subject("agent", agent_id)):
        inbox.resolve(tx, item, {"by": "cause", "status": AgentStatus.RETIRED})


def _by_time_alone(view: View, item: InboxItem) -> bool:
    found = [wakeups.get(view, one) for one in inbox.wakeups_of(item)]
    return all(one is None or firings.all_scheduled(view, one) for one in found)


def _light_routine_of(wakeup: Wakeup) -> str | None:
    named = wakeup.payload.get("routine_id")
    return str(named) if named and wakeup.task_id is None else None


def _asked(view: View, routine_id: str, outcome: object) -> InboxItem | None:
    """Of the same routine, and for the same reason."""
    open_items = inbox.open_of_routine(view, routine_id)
    return next((one for one in open_items if one.data.get("outcome") == outcome), None)
