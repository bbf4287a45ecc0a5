"""Holds of accounts at providers: met, tried by one, lifted, and then one start after another."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.model.holds import PATIENCE, SPACING, ProviderHold
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Actor, Agent, Subject, Wakeup
from roundtable_desktop.model.states import HoldState
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Row, Tx, View
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import ProviderHolds

# A trial is over when its wakeup is no longer at work, whatever became of it: nothing has to
# give it back.
_TRYING = """EXISTS (
    SELECT 1 FROM agent_wakeup_requests AS t WHERE t.id = h.trial_id AND t.status = 'claimed'
) AS trying"""
_OF_AGENT = f"""
SELECT h.*, {_TRYING} FROM provider_holds AS h
WHERE h.account = :account AND h.agent_id IN ('', :agent_id) ORDER BY h.agent_id
"""
_ALL = f"SELECT h.*, {_TRYING} FROM provider_holds AS h ORDER BY h.account, h.agent_id"

_TAKE = """
UPDATE provider_holds SET
    trial_id = CASE state WHEN 'held' THEN :wakeup_id END,
    trial_until_at = CASE state WHEN 'held' THEN :patience END,
    until_at = CASE state WHEN 'held' THEN until_at ELSE :gap END
WHERE account = (SELECT account FROM agents WHERE id = :agent_id AND status = 'active')
AND agent_id IN ('', :agent_id)
"""

# Started so long ago that the provider must have answered it.
_OUTLIVED = """
SELECT h.trial_id FROM provider_holds AS h JOIN agent_wakeup_requests AS t ON t.id = h.trial_id
WHERE h.state = 'held' AND h.trial_until_at <= :now AND t.status = 'claimed'
"""

# Nobody waits for a turn any more, or nobody has taken one for long, or nobody is left.
_CLEAR = """
DELETE FROM provider_holds AS h WHERE h.until_at <= :now AND (
    h.state = 'spread' AND (
        h.until_at <= :long_ago OR NOT EXISTS (
            SELECT 1 FROM agents AS a JOIN agent_wakeup_requests AS q ON q.agent_id = a.id
            WHERE a.account = h.account AND h.agent_id IN ('', a.id)
            AND q.status = 'queued' AND q.scheduled_retry_at IS NULL
        )
    )
    OR NOT EXISTS (
        SELECT 1 FROM agents AS a
        WHERE a.account = h.account AND h.agent_id IN ('', a.id) AND a.status <> 'retired'
    )
)
"""

_BROUGHT_FORWARD = """
UPDATE agent_wakeup_requests SET scheduled_retry_at = NULL, held_by = NULL
WHERE status = 'queued' AND (
    held_by = 'limit' OR held_by = 'retry'
    AND (SELECT outcome FROM runs WHERE runs.id = agent_wakeup_requests.run_id) = 'limited'
)
AND agent_id IN (SELECT id FROM agents WHERE account = :account)
"""

_WORK_WAITS_UNTIL = """
SELECT min(h.until_at) AS until FROM provider_holds AS h
WHERE h.state = 'held' AND h.until_at > :now AND EXISTS (
    SELECT 1 FROM agents AS a JOIN agent_wakeup_requests AS q ON q.agent_id = a.id
    WHERE a.account = h.account AND h.agent_id IN ('', a.id) AND q.status = 'queued'
)
"""

# What is asked for at a later time than the limit's end does not wait for it.
_WAITING_FOR = """
SELECT DISTINCT a.id FROM agents AS a JOIN agent_wakeup_requests AS q ON q.agent_id = a.id
WHERE a.account = :account AND :agent_id IN ('', a.id) AND q.status = 'queued' AND (
    q.scheduled_retry_at IS NULL OR q.scheduled_retry_at <= :until
    OR q.held_by IN ('limit', 'retry')
)
"""

_LAST_WORD = """
SELECT kind, actor_type FROM events
WHERE subject_type = 'account' AND subject_id = :account
AND coalesce(json_extract(data, '$.agent_id'), '') = :agent_id
ORDER BY id DESC LIMIT 1
"""

_UNUSED = timedelta(minutes=1)


def of_agent(view: View, agent: Agent) -> list[ProviderHold]:
    """Those that may keep it from starting."""
    rows = view.sql(_OF_AGENT, {"account": agent.account, "agent_id": agent.id})
    return [_read(row) for row in rows]


def every(view: View) -> list[ProviderHold]:
    return [_read(row) for row in view.sql(_ALL)]


def waiting_for(view: View, hold: ProviderHold) -> set[str]:
    """The agents that have a wakeup which would start if there were no such hold."""
    values = {"account": hold.account, "agent_id": hold.agent_id, "until": micros(hold.until_at)}
    return {str(row["id"]) for row in view.sql(_WAITING_FOR, values)}


def work_waits_until(view: View, now: datetime) -> datetime | None:
    """When the first limit that work waits for ends; None while none waits for one."""
    until = view.sql(_WORK_WAITS_UNTIL, {"now": micros(now)})[0]["until"]
    return None if until is None else instant(until)


def put(tx: Tx, hold: ProviderHold, workspace_id: str) -> None:
    """The one of its scope, in place of what was there; no trial of before counts any more."""
    values: dict[str, Any] = {name: getattr(hold, name) for name in ProviderHolds._meta.fields}
    tx.write(ProviderHolds.replace(**values))
    _tell(tx, Kind.ACCOUNT_HELD, hold, SYSTEM, workspace_id)
    tx.nudge("queue")


def take(tx: Tx, wakeup: Wakeup) -> None:
    """Part of the claim: the first one after a limit's end is its trial, and what follows takes
    its turn."""
    values = {"wakeup_id": wakeup.id, "agent_id": wakeup.agent_id}
    ends = {"patience": micros(tx.now + PATIENCE), "gap": micros(tx.now + SPACING)}
    tx.write_sql(_TAKE, {**values, **ends})


def proven(tx: Tx, wakeup_id: str) -> None:
    """Its run shows that the provider answers again: the others follow, one after the other."""
    found = [one for one in every(tx) if one.trial_id == wakeup_id and one.state is HoldState.HELD]
    for hold in found:
        changes = {"state": HoldState.SPREAD, "trial_id": None, "trial_until_at": None}
        freed = _update(tx, hold, until_at=tx.now + SPACING, **changes)
        _tell(tx, Kind.ACCOUNT_FREED, freed, SYSTEM, _workspace_of(tx, hold))
        _free_alike(tx, hold)
    if found:
        tx.nudge("queue")


def _free_alike(tx: Tx, proven: ProviderHold) -> None:
    """Who waits for the same model follows, one after the other."""
    if proven.model is None:
        return
    turn = tx.now + SPACING
    for hold in every(tx):
        same = (hold.account, hold.model) == (proven.account, proven.model)
        if same and hold.agent_id not in ("", proven.agent_id) and hold.state is HoldState.HELD:
            turn += SPACING
            freed = _update(tx, hold, state=HoldState.SPREAD, until_at=turn, trial_id=None)
            _tell(tx, Kind.ACCOUNT_FREED, freed, SYSTEM, _workspace_of(tx, hold))


def clear(tx: Tx) -> None:
    """What time alone changes: a trial that has lived long enough, and turns nobody waits for."""
    for row in tx.sql(_OUTLIVED, {"now": micros(tx.now)}):
        proven(tx, str(row["trial_id"]))
    tx.write_sql(_CLEAR, {"now": micros(tx.now), "long_ago": micros(tx.now - _UNUSED)})


def try_now(tx: Tx, account: str, actor: Actor) -> int:
    """A person knows better: one may go first at once. How many holds that concerns."""
    due = [
        hold
        for hold in every(tx)
        if hold.account == account and hold.state is HoldState.HELD and hold.until_at > tx.now
    ]
    due.sort(key=lambda hold: (hold.until_at, hold.agent_id))
    models: set[str] = set()
    for hold in due:
        behind = PATIENCE if hold.model in models else timedelta(0)
        models |= {hold.model} if hold.model else set()
        freed = _update(tx, hold, until_at=tx.now + behind)
        _tell(tx, Kind.ACCOUNT_FREED, freed, actor, _workspace_of(tx, hold))
    if due:
        tx.write_sql(_BROUGHT_FORWARD, {"account": account})
        tx.nudge("queue")
    return len(due)


def freed_by_person(view: View, hold: ProviderHold) -> bool:
    """Whether the last word on it is a person's, who had it tried before its end."""
    rows = view.sql(_LAST_WORD, {"account": hold.account, "agent_id": hold.agent_id})
    last = rows[0] if rows else {}
    freed = last.get("kind") == Kind.ACCOUNT_FREED
    return freed and last["actor_type"] != SYSTEM.type


def _update(tx: Tx, hold: ProviderHold, **changes: Any) -> ProviderHold:
    """As it is now."""
    here = (ProviderHolds.account == hold.account) & (ProviderHolds.agent_id == hold.agent_id)
    tx.write(ProviderHolds.update(**changes).where(here))
    return replace(hold, **changes)


def _workspace_of(view: View, hold: ProviderHold) -> str:
    """Where the limit was met: what ends it is told where it began."""
    met = view.sql("SELECT workspace_id FROM runs WHERE id = ?", (hold.run_id,))
    return str(met[0]["workspace_id"])


def _tell(tx: Tx, kind: Kind, hold: ProviderHold, actor: Actor, workspace_id: str) -> None:
    data = {
        "agent_id": hold.agent_id or None,
        "until": micros(hold.until_at),
        "kind": hold.kind,
        "model": hold.model,
        "run_id": hold.run_id,
    }
    subject = Subject("account", hold.account)
    journal.tell(tx, kind, subject, workspace_id=workspace_id, actor=actor, data=data)


def _read(row: Row) -> ProviderHold:
    found = read(ProviderHold, ProviderHolds, row)
    return replace(found, trying=bool(row["trying"]))
