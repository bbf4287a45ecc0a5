"""Tells who has to know when something has failed for good: a person, and the coordinator
(K-35, K-07)."""

from roundtable_desktop.engine import troubles, wakers
from roundtable_desktop.model.messages import ERROR_BYTES
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Json, Run, Wakeup
from roundtable_desktop.model.states import ErrorKind, Role, Severity, Source
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.store import agents, wakeups
from roundtable_desktop.store.db import Tx

ANSWERS = ("retry", "mark_fixed", "pause_agent")
"""What can be done about it there (contract, Inbox kinds)."""


def escalate(
    tx: Tx, ids: Ids, wakeup: Wakeup, run: Run, settlement: Settlement, *, outcome: str
) -> None:
    """Once for a wakeup; part of the transaction that gives up. outcome: why nothing tries again,
    of the wakeup, or of the last attempt where those are used up."""
    known: Json = {"run_id": run.id, "outcome": outcome, "error_kind": settlement.kind}
    if settlement.kind is ErrorKind.SPECIAL_FILE:
        path, _, mend = settlement.text.partition("\n")
        known = {**known, "outcome": settlement.kind, "path": path, "mend": mend}
    troubles.ask(tx, ids, wakeup, Severity.ATTENTION, ANSWERS, known)
    _wake_coordinator(tx, ids, run, settlement)


def _wake_coordinator(tx: Tx, ids: Ids, run: Run, settlement: Settlement) -> None:
    """Never for a coordinator's own failure: two of them would wake each other for ever (C-29)."""
    failed = agents.get(tx, run.agent_id)
    coordinator = agents.coordinator(tx, run.workspace_id)
    if failed is None or failed.role is Role.COORDINATOR or coordinator is None:
        return
    error = f"{settlement.kind}: {clip(settlement.text, ERROR_BYTES)}"
    cause = wakeups.Cause(
        workspace_id=run.workspace_id,
        agent_id=coordinator.id,
        source=Source.AGENT_ERROR,
        reason="agent_error",
        payload={"agent_id": run.agent_id, "run_id": run.id, "error": error},
        key=f"agent_error:{run.id}",
    )
    wakers.wake(tx, ids.new(), cause)
