"""Checks of what missions did: which were asked for, and what came of each."""

from typing import Any

from roundtable_desktop.model.checks import CHECK, Check, CheckStatus
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.records import SYSTEM, Actor, Subject
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.merge_tables import Checks
from roundtable_desktop.store.rows import read

# By the newest wake that carried it: a pause or a budget that skipped one brings it back (C-10).
_LOST = """
SELECT c.* FROM checks AS c JOIN agent_wakeup_requests AS w ON w.id = c.wakeup_id
WHERE c.status = 'asked' AND (
    SELECT o.status NOT IN ('queued', 'claimed')
        AND coalesce(o.outcome, '') NOT IN ('agent_paused', 'agent_stopped', 'budget_blocked')
    FROM agent_wakeup_requests AS o
    WHERE o.agent_id = w.agent_id AND o.id >= w.id AND c.id = CASE
        WHEN json_valid(o.payload) THEN json_extract(o.payload, '$.payload.check_id')
    END ORDER BY o.id DESC LIMIT 1
) ORDER BY c.id LIMIT ?
"""


def get(view: View, check_id: str) -> Check | None:
    return view.one(Check, Checks.select().where(Checks.id == check_id))


def of_proposal(view: View, proposal_id: str) -> list[Check]:
    """In the order in which they were asked for."""
    sql = "SELECT * FROM checks WHERE proposal_id = ? ORDER BY id"
    return [read(Check, Checks, row) for row in view.sql(sql, (proposal_id,))]


def asked(view: View, mission_id: str) -> list[Check]:
    """Those of the mission that have not ended."""
    sql = "SELECT * FROM checks WHERE mission_id = ? AND status = 'asked' ORDER BY id"
    return [read(Check, Checks, row) for row in view.sql(sql, (mission_id,))]


def lost(view: View, most: int) -> list[Check]:
    """Asked for, and no run will say how it went: a person took it off the queue, say."""
    return [read(Check, Checks, row) for row in view.sql(_LOST, (most,))]


def ask(tx: Tx, mission: Mission, actor: Actor = SYSTEM, **values: Any) -> Check:
    tx.write(
        Checks.insert(
            workspace_id=mission.workspace_id,
            mission_id=mission.id,
            status=CheckStatus.ASKED,
            created_at=tx.now,
            **values,
        )
    )
    check = get(tx, values["id"])
    assert check is not None
    journal.tell(
        tx,
        Kind.CHECK_ASKED,
        Subject("check", check.id),
        workspace_id=mission.workspace_id,
        actor=actor,
        data=_told(check),
    )
    return check


def _told(check: Check) -> dict[str, object]:
    return {"mission_id": check.mission_id, "proposal_id": check.proposal_id, "name": check.name}


def end(tx: Tx, check: Check, to: CheckStatus, run_id: str | None, exit_code: int | None) -> bool:
    return journal.move(
        tx,
        CHECK,
        check,
        to=to,
        kind=Kind.CHECK_ENDED,
        data={**_told(check), "exit_code": exit_code},
        run_id=run_id,
        exit_code=exit_code,
        ended_at=tx.now,
    )
