"""What of a mission waits or is at work: its runs and wakeups, those of its reviewers too."""

from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.records import Run, Wakeup
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Runs, Wakeups

_OF_MISSION = """
(SELECT t.mission_id FROM tasks AS t WHERE t.id = coalesce({one}.task_id, CASE
    WHEN json_valid({one}.payload) AND json_extract({one}.payload, '$.gate_id') IS NOT NULL
    THEN json_extract({one}.payload, '$.task_id') END)) = :mission_id
"""
# As the indexes say it: with bound values SQLite would read every row there ever was.
_LIVE = f"""
SELECT r.* FROM runs AS r WHERE r.status IN ('starting', 'running')
AND {_OF_MISSION.format(one="r")} ORDER BY r.id
"""
_WAITING = f"""
SELECT w.* FROM agent_wakeup_requests AS w INDEXED BY wakeups_scope
WHERE w.status IN ('queued', 'claimed') AND w.status = :status
AND {_OF_MISSION.format(one="w")} ORDER BY w.id
"""
_TAKE_UP = f"""
UPDATE agent_wakeup_requests AS w INDEXED BY wakeups_scope
SET scheduled_retry_at = NULL, held_by = NULL
WHERE w.status IN ('queued', 'claimed') AND w.status = 'queued' AND w.held_by = :held_by
AND {_OF_MISSION.format(one="w")}
"""
_STATE = """
SELECT m.state AS state FROM tasks AS t JOIN missions AS m ON m.id = t.mission_id WHERE t.id = ?
"""


def live(view: View, mission_id: str) -> list[Run]:
    rows = view.sql(_LIVE, {"mission_id": mission_id})
    return [read(Run, Runs, row) for row in rows]


def queued(view: View, mission_id: str) -> list[Wakeup]:
    return _waiting(view, mission_id, "queued")


def claimed(view: View, mission_id: str) -> list[Wakeup]:
    return _waiting(view, mission_id, "claimed")


def _waiting(view: View, mission_id: str, status: str) -> list[Wakeup]:
    rows = view.sql(_WAITING, {"mission_id": mission_id, "status": status})
    return [read(Wakeup, Wakeups, row) for row in rows]


def take_up(tx: Tx, mission_id: str, held_by: str) -> int:
    """Those of it that wait because of this wait with the others again. Their number."""
    return tx.write_sql(_TAKE_UP, {"mission_id": mission_id, "held_by": held_by})


def state_of(view: View, task_id: str | None) -> MissionState | None:
    """Of the mission that the task belongs to; None: it belongs to none."""
    rows = view.sql(_STATE, (task_id,)) if task_id else []
    return MissionState(str(rows[0]["state"])) if rows else None
