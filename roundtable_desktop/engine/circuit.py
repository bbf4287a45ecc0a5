"""Pauses an agent that could not work five times in a row, or whose last three wakeups failed for
good, before every task of it has failed, and lets one rest whose program ends at once."""

from datetime import datetime

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Agent, Json, Run, Subject
from roundtable_desktop.model.states import (
    AgentStatus,
    ErrorKind,
    InboxKind,
    Severity,
    WakeupOutcome,
)
from roundtable_desktop.rules import admission
from roundtable_desktop.store import agents, endings, inbox, runs, wakeups
from roundtable_desktop.store.db import Tx

OPENS_AFTER = 5
GIVES_UP_AFTER = 3
"""Wakeups in a row whose retries are all used up."""

OPEN, GAVE_UP = "circuit_open", "gave_up"
"""Why the agent is paused; of the item too."""

FOR_A_PERSON = (
    ErrorKind.CLI_MISSING,
    ErrorKind.CLI_OUTDATED,
    ErrorKind.PERMISSION_DENIED,
    ErrorKind.AUTH_REQUIRED,
)
"""No wait and no other task cures these (F-44)."""


def watch(tx: Tx, ids: Ids, agent: Agent, run: Run, kind: ErrorKind | None) -> None:
    """After each end of a run. Resumed and failing again, the agent is paused again at once."""
    if kind in FOR_A_PERSON and _could_not_work(tx, agent):
        _pause(tx, ids, agent, OPEN, {"error_kind": kind})
    elif kind is not None and _gave_up(tx, agent, run):
        _pause(tx, ids, agent, GAVE_UP, {"error_kind": kind, "count": GIVES_UP_AFTER})


def _could_not_work(tx: Tx, agent: Agent) -> bool:
    last = runs.last_errors(tx, agent.id, OPENS_AFTER)
    return len(last) == OPENS_AFTER and set(last) <= {str(one) for one in FOR_A_PERSON}


def _gave_up(tx: Tx, agent: Agent, run: Run) -> bool:
    """Whether this run's wakeup was the last straw; one that is tried again is none."""
    wakeup = wakeups.get(tx, run.wakeup_id)
    if wakeup is None or wakeup.outcome is not WakeupOutcome.EXHAUSTED:
        return False
    last = endings.of_agent(tx, agent.id, GIVES_UP_AFTER)
    return len(last) == GIVES_UP_AFTER and set(last) == {WakeupOutcome.EXHAUSTED}


def _pause(tx: Tx, ids: Ids, agent: Agent, why: str, known: Json) -> None:
    now = agents.get(tx, agent.id)
    if now is None or now.status is not AgentStatus.ACTIVE:
        return
    agents.move(tx, now, AgentStatus.PAUSED, SYSTEM, paused_reason=why)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.AGENT_ERROR,
        Severity.ATTENTION,
        key=f"agent.error:{why}:{agent.id}:{now.revision}",
        subject=Subject("agent", agent.id),
        workspace_id=agent.workspace_id,
        data={
            "agent_id": agent.id,
            "agent": agent.name,
            "run_id": None,
            "outcome": why,
            **known,
            "options": inbox.options(["mark_fixed"]),
        },
    )


def rests_from(tx: Tx, agent: Agent) -> datetime:
    """At the end of a run: from when its cooldown counts. A program that ends at once, again and
    again, is not started again and again."""
    lasted = runs.failed_within(tx, agent.id, admission.QUICK_ENDS)
    return admission.rests_until(agent, lasted, tx.now)


def closed(tx: Tx, agent: Agent) -> None:
    """A person resumed it: nothing is asked about it any more."""
    for item in inbox.open_about(tx, Subject("agent", agent.id)):
        if item.data.get("outcome") in (OPEN, GAVE_UP):
            inbox.resolve(tx, item, {"by": "cause", "status": AgentStatus.ACTIVE})
