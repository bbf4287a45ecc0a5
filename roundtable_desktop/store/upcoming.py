"""What is due next: schedules and wakeups that wait for a time, by the indexes of those times."""

from collections.abc import Sequence
from datetime import datetime

from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import routines
from roundtable_desktop.store.db import View
from roundtable_desktop.store.routine_tables import Routines
from roundtable_desktop.store.rows import by_ids, read
from roundtable_desktop.store.tables import Wakeups

# By their next instant, and those of paused routines after them: they have none.
_ROUTINES = """
SELECT r.id FROM office_routines AS r JOIN office_routine_triggers AS t ON t.routine_id = r.id
WHERE r.deleted_at IS NULL AND r.status <> 'archived' AND t.kind = 'schedule' AND t.enabled
AND (:workspace_id IS NULL OR r.workspace_id = :workspace_id)
AND (t.next_run_at IS NULL OR t.next_run_at <= :until)
GROUP BY r.id ORDER BY min(coalesce(t.next_run_at, 9223372036854775807)), r.id LIMIT :most
"""

# The first few by their time, however many routines there are.
_SOONEST = """
SELECT routine_id AS id FROM office_routine_triggers
WHERE next_run_at IS NOT NULL ORDER BY next_run_at, id LIMIT :most
"""

# What is only looked at again after a while has no time of its own.
_WAITING = """
SELECT * FROM agent_wakeup_requests
WHERE status = 'queued' AND scheduled_retry_at IS NOT NULL AND scheduled_retry_at <= :until
AND (:workspace_id IS NULL OR workspace_id = :workspace_id)
AND held_by IN ('not_before', 'retry', 'limit', 'interrupted', 'stumbled', 'catch_up')
ORDER BY scheduled_retry_at, id LIMIT :most
"""


def routine_ids(view: View, until: datetime, workspace_id: str | None, most: int) -> list[str]:
    """Of those with a schedule that is switched on, also of a paused one; the next first."""
    asked = {"until": micros(until), "workspace_id": workspace_id, "most": most}
    return [str(row["id"]) for row in view.sql(_ROUTINES, asked)]


def soonest_ids(view: View, most: int) -> list[str]:
    """Routines that fire next, each once, the next first."""
    return list(dict.fromkeys(str(row["id"]) for row in view.sql(_SOONEST, {"most": most})))


def with_triggers(view: View, ids: Sequence[str]) -> list[tuple[Routine, Sequence[Trigger]]]:
    """Those that are there, in this order."""
    found, triggers = by_ids(view, Routine, Routines, ids), routines.triggers_of(view, ids)
    return [(found[one], triggers[one]) for one in ids if one in found]


def waiting(view: View, until: datetime, workspace_id: str | None, most: int) -> list[Wakeup]:
    """Wakeups that are to start at a time; the next first."""
    asked = {"until": micros(until), "workspace_id": workspace_id, "most": most}
    return [read(Wakeup, Wakeups, row) for row in view.sql(_WAITING, asked)]
