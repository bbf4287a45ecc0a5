"""Tells who has to know when something has failed for good: a person, and the coordinator
(K-35, K-07)."""

from roundtable_desktop.engine import escalating, troubles, wakers
from roundtable_desktop.engine.collecting import read_ended
from roundtable_desktop.model.attempts import Cause
from roundtable_desktop.model.messages import ERROR_BYTES
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Json, Run, Wakeup
from roundtable_desktop.model.states import ErrorKind, Role, Severity, Source
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.store import agents, tasks, wakeups
from roundtable_desktop.store.db import Tx, View

ANSWERS = ("retry", "mark_fixed", "pause_agent")
"""What can be done about it there (contract, Inbox kinds)."""
TEXT_BYTES = 500
"""Of what the last run said, for the item."""


def escalate(
    tx: Tx, ids: Ids, wakeup: Wakeup, run: Run, settlement: Settlement, *, outcome: str
) -> None:
    """Once for a wakeup; part of the transaction that gives up. outcome: why nothing tries again,
    of the wakeup, or of the last attempt where those are used up."""
    known: Json = {"run_id": run.id, "outcome": outcome, "error_kind": settlement.kind}
    if settlement.kind is ErrorKind.SPECIAL_FILE:
        path, _, mend = settlement.text.partition("\n")
        told: Json = {"outcome": settlement.kind, "path": path, "mend": mend}
    else:
        told = _told(tx, wakeup, run, settlement)
    if run.gate_id is None:  # else its gate asks, and says what can be done there
        troubles.ask(tx, ids, wakeup, Severity.ATTENTION, ANSWERS, {**known, **told})
    _bring(tx, ids, run, settlement)


def _bring(tx: Tx, ids: Ids, run: Run, settlement: Settlement) -> None:
    """A mission's task to whom its failure is for (A-34), all else to the coordinator."""
    task = tasks.get(tx, run.task_id) if run.task_id else None
    if task is None or task.mission_id is None:
        return _wake_coordinator(tx, ids, run, settlement)
    escalating.tell(
        tx,
        ids,
        escalating.trigger_of(settlement.kind, settlement.cause),
        task=task,
        text=f"{settlement.kind}: {clip(settlement.text, ERROR_BYTES)}",
        key=f"error:{run.id}",
        run=run,
        failed_agent=run.agent_id,
    )
    return None


def _told(view: View, wakeup: Wakeup, run: Run, settlement: Settlement) -> Json:
    """Who failed with what, why, how often, and what can be done about it: codes and values."""
    agent = agents.get(view, run.agent_id)
    assert agent is not None, "foreign keys hold"
    task = tasks.get(view, run.task_id) if run.task_id else None
    count = run.attempt_index or wakeup.retry_count + 1  # of a task, as every face counts it
    kind, values = _cause(run, settlement)
    return {
        "says": "failed_wake" if task is None else "failed_task",
        "agent": agent.name,
        **({"number": task.number} if task is not None else {}),
        "tried": {"code": "tried_often", "count": count} if count > 1 else {"code": "tried_once"},
        "cause": {"code": f"cause_{kind}", **values},
        "cure": {"code": f"cure_{kind}", "agent": agent.name},
        "text": clip(settlement.text.strip(), TEXT_BYTES),
    }


def _cause(run: Run, settlement: Settlement) -> tuple[str, Json]:
    end = (run.ended or {}).get("end")
    if settlement.cause is not Cause.WORK:
        return str(settlement.cause), {}
    own = settlement.kind in (ErrorKind.TASK_FAILED, ErrorKind.NO_RESULT)
    if not own or not isinstance(end, dict):
        return str(settlement.kind), {}
    if end.get("why") != "memory":
        unfit = read_ended(run.ended or {}).unfit is not None
        return "report_unfit" if unfit else str(settlement.kind), {}
    used, most = end.get("memory") or 0, end.get("most_memory") or 0
    values = {"used": used >> 20, "most": most >> 20}
    return ("memory" if used > most else "no_memory"), values


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
