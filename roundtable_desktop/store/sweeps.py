"""What the recovery sweep looks for: tasks to be begun that nobody will ever be woken for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from roundtable_desktop.model.times import micros
from roundtable_desktop.store import dependencies
from roundtable_desktop.store.db import View

# Seed 001, Recovery sweep, by an index instead of its JSON (G6). Only a wake that ran, or that
# ended on purpose, speaks against another one (C-10, C-50); those of before the task was assigned
# or opened anew do not count. What waits for other tasks is woken by their end, and what a mission
# plans by its planner alone (C-96).
_UNSTARTED = f"""
SELECT t.id, t.workspace_id, t.project, t.assignee_agent_id AS agent_id, t.assignment_seq
FROM tasks AS t INDEXED BY tasks_unbegun
JOIN workspaces AS s ON s.id = t.workspace_id
JOIN agents AS a ON a.id = t.assignee_agent_id
WHERE t.status = 'todo' AND t.assignee_agent_id IS NOT NULL
AND a.status = 'active'
AND (t.mission_id IS NULL OR EXISTS (
    SELECT 1 FROM missions AS m WHERE m.root_task_id = t.id AND m.opened_at IS NOT NULL
    AND m.state IN ('active', 'degraded')
))
AND NOT {dependencies.UNRESOLVED} AND NOT {dependencies.OPEN_BELOW}
AND t.created_at >= :now - s.recovery_lookback_hours * 3600000000
AND NOT EXISTS (
    SELECT 1 FROM agent_wakeup_requests AS w
    WHERE w.task_id = t.id AND w.status IN ('queued', 'claimed')
)
AND NOT EXISTS (
    SELECT 1 FROM agent_wakeup_requests AS w
    WHERE w.task_id = t.id AND w.status = 'finished' AND w.outcome = 'executed'
    AND w.agent_id = t.assignee_agent_id AND w.requested_at >= t.afresh_at
)
AND NOT coalesce((
    SELECT w.status = 'skipped'
        OR w.outcome IN ('exhausted', 'incurable', 'quarantined')
        OR w.outcome IN ('user_cancelled', 'mission_stopped')
        OR EXISTS (
            SELECT 1 FROM agent_wakeup_requests AS h
            WHERE h.id = w.coalesced_into AND h.run_id IS NOT NULL
        )
    FROM agent_wakeup_requests AS w
    WHERE w.task_id = t.id
    AND w.agent_id = t.assignee_agent_id AND w.requested_at >= t.afresh_at
    ORDER BY w.requested_at DESC, w.id DESC LIMIT 1
), 0)
ORDER BY t.created_at, t.id LIMIT :most
"""

# A rule's delivery stood back for a word, and no wake is left that would bring it to anybody.
# By workspace, as the index is: few proposals are approved and not delivered.
_UNHEARD = """
SELECT d.id FROM workspaces AS s
CROSS JOIN proposals AS p INDEXED BY proposals_status
    ON p.workspace_id = s.id AND p.status = 'approved'
JOIN deliveries AS d ON d.proposal_id = p.id
JOIN tasks AS t ON t.id = p.task_id
WHERE d.status = 'held' AND json_extract(d.reason, '$.code') = 'word_waits'
AND t.status = 'in_review'
AND NOT EXISTS (
    SELECT 1 FROM deliveries AS n WHERE n.proposal_id = d.proposal_id AND n.id > d.id
)
AND NOT EXISTS (
    SELECT 1 FROM agent_wakeup_requests AS w
    WHERE w.task_id = t.id AND w.status IN ('queued', 'claimed')
)
ORDER BY d.id LIMIT :most
"""

# The part of a key after the last colon is a number; keys of one prefix are neighbours.
_DISPATCHES = """
SELECT coalesce(max(CAST(substr(idempotency_key, :length + 1) AS INTEGER)), 0) AS last
FROM agent_wakeup_requests
WHERE idempotency_key >= :prefix AND idempotency_key < :beyond
"""


def unstarted(view: View, now: datetime, most: int) -> list[Mapping[str, Any]]:
    """{id, workspace_id, project, agent_id, assignment_seq} of at most `most` tasks, the oldest
    first."""
    return view.sql(_UNSTARTED, {"now": micros(now), "most": most})


def unheard(view: View, most: int) -> list[str]:
    """Ids of deliveries that stand back for what nobody is going to hear, oldest first."""
    return [str(row["id"]) for row in view.sql(_UNHEARD, {"most": most})]


def recovery_key(view: View, task_id: str, assignment_seq: int) -> str:
    """One that no earlier dispatch of this assignment has (K-69)."""
    prefix = f"recovery:{task_id}:{assignment_seq}:"
    keys = {"prefix": prefix, "beyond": f"{prefix[:-1]};", "length": len(prefix)}
    return f"{prefix}{int(view.sql(_DISPATCHES, keys)[0]['last']) + 1}"
