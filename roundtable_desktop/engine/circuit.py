"""Pauses an agent that could not work five times in a row, before every task of it has failed, and
lets one rest whose program ends at once."""

from datetime import datetime

from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import SYSTEM, Agent, Subject
from roundtable_desktop.model.states import AgentStatus, ErrorKind, InboxKind, Severity
from roundtable_desktop.rules import admission
from roundtable_desktop.store import agents, inbox, runs
from roundtable_desktop.store.db import Tx

OPENS_AFTER = 5

OPEN = "circuit_open"
"""Why the agent is paused; of the item too."""

FOR_A_PERSON = (
    ErrorKind.CLI_MISSING,
    ErrorKind.CLI_OUTDATED,
    ErrorKind.PERMISSION_DENIED,
    ErrorKind.AUTH_REQUIRED,
)
"""No wait and no other task cures these (F-44)."""


def watch(tx: Tx, ids: Ids, agent: Agent, kind: ErrorKind | None) -> None:
    """After each end of a run. Resumed and failing again, the agent is paused again at once."""
    if kind not in FOR_A_PERSON:
        return
    last = runs.last_errors(tx, agent.id, OPENS_AFTER)
    if len(last) < OPENS_AFTER or not set(last) <= {str(one) for one in FOR_A_PERSON}:
        return
    now = agents.get(tx, agent.id)
    if now is None or now.status is not AgentStatus.ACTIVE:
        return
    agents.move(tx, now, AgentStatus.PAUSED, SYSTEM, paused_reason=OPEN)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.AGENT_ERROR,
        Severity.ATTENTION,
        key=f"agent.error:{OPEN}:{agent.id}:{now.revision}",
        subject=Subject("agent", agent.id),
        workspace_id=agent.workspace_id,
        data={
            "agent_id": agent.id,
            "agent": agent.name,
            "run_id": None,
            "outcome": OPEN,
            "error_kind": kind,
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
        if item.data.get("outcome") == OPEN:
            inbox.resolve(tx, item, {"by": "cause", "status": AgentStatus.ACTIVE})
