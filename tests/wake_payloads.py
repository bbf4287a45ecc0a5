"""The least that a wakeup of each source says."""

from typing import Any

from roundtable_desktop.model.states import Source

LEAST: dict[Source, dict[str, Any]] = {
    Source.ROUTINE: {"routine_id": "r1", "variables": {}},
    Source.COMMENT: {"task_id": "t1", "comment_id": "c1"},
    Source.AGENT_ERROR: {"agent_id": "a1", "run_id": "r1", "error": "it broke"},
    Source.SELF: {"reason": "look again"},
    Source.USER: {"user_id": "owner"},
    Source.TASK_ASSIGNED: {"task_id": "t1"},
    Source.TASK_BLOCKERS_RESOLVED: {"task_id": "t1", "resolved_blocker_ids": ["t0"]},
    Source.TASK_CHILDREN_COMPLETED: {"task_id": "t1"},
    Source.APPROVAL_RESOLVED: {"approval_id": "p1", "status": "approved", "decision_note": None},
    Source.BUDGET_ALERT: {"agent_id": "a1", "budget_pct": 90},
}
