"""Where the work of one mission stands: what its planner and its convergence are decided by (W-04).

Only rows of the mission itself are read, and what its agents have to do elsewhere.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.convergence import Open, ProposalFact
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.model.times import instant
from roundtable_desktop.store import merged_reviews, turns
from roundtable_desktop.store.db import View

_WAITING = """
SELECT w.task_id, w.status, w.scheduled_retry_at FROM tasks AS t
CROSS JOIN agent_wakeup_requests AS w ON w.task_id = t.id AND w.status IN ('queued', 'claimed')
WHERE t.mission_id = ?
"""
_LIVE = """
SELECT r.task_id FROM runs AS r INDEXED BY runs_live CROSS JOIN tasks AS t ON t.id = r.task_id
WHERE r.status IN ('starting', 'running') AND t.mission_id = ?
"""
_JUDGING = """
SELECT count(*) AS n FROM runs AS r INDEXED BY runs_live
CROSS JOIN tasks AS t
    ON t.id = CASE WHEN json_valid(r.payload) THEN json_extract(r.payload, '$.task_id') END
WHERE r.status IN ('starting', 'running') AND r.task_id IS NULL AND t.mission_id = ?
"""
_LEASES = """
SELECT count(*) AS n FROM leases AS l CROSS JOIN tasks AS t ON l.kind = 'task' AND l.key = t.id
WHERE t.mission_id = ?
"""
# Of a reviewer, or of who was asked to see to what failed or is stuck: about a task, not for it.
_ABOUT = """
SELECT count(*) AS n FROM agent_wakeup_requests AS w INDEXED BY wakeups_scope
CROSS JOIN tasks AS t ON t.id = CASE WHEN json_valid(w.payload) THEN coalesce(
    json_extract(w.payload, '$.task_id'),
    (SELECT r.task_id FROM runs AS r WHERE r.id = json_extract(w.payload, '$.run_id'))
) END
WHERE w.status IN ('queued', 'claimed') AND w.task_id IS NULL
AND w.workspace_id = :workspace AND t.mission_id = :mission
"""
_ATTEMPTS = """
SELECT r.task_id, count(*) AS n FROM tasks AS t CROSS JOIN runs AS r ON r.task_id = t.id
WHERE t.mission_id = ? GROUP BY r.task_id
"""
_PROPOSALS = """
SELECT p.id, p.task_id, p.run_id, p.status, p.files, t.status AS task,
    p.status = 'revision_requested' AND (t.status = 'done' OR EXISTS (
        SELECT 1 FROM proposals AS n WHERE n.task_id = p.task_id AND n.id > p.id
    )) AS revised
FROM tasks AS t CROSS JOIN proposals AS p ON p.task_id = t.id
WHERE t.mission_id = ? ORDER BY p.id
"""
_MERGES = """
SELECT count(*) AS n FROM tasks AS t CROSS JOIN proposals AS p ON p.task_id = t.id
CROSS JOIN deliveries AS d ON d.proposal_id = p.id
WHERE d.status = 'intended' AND t.mission_id = ?
"""
_APPROVALS = """
SELECT count(*) AS n FROM approvals AS a JOIN tasks AS t ON t.id = a.task_id
WHERE a.status = 'requested' AND t.mission_id = ?
"""
_GATES = """
SELECT g.id, g.status, t.status AS task FROM tasks AS t CROSS JOIN gates AS g ON g.task_id = t.id
WHERE t.mission_id = ? AND g.status NOT IN ('passed', 'dropped')
AND (g.snapshot IS NULL OR g.status = 'asked') ORDER BY g.id
"""
# A wake that ended on purpose speaks against another one until the task is opened anew (C-50), also
# where it would have been one more try of what was begun.
_ENDED = """
SELECT task_id, outcome FROM (
    SELECT w.task_id, w.outcome, row_number() OVER (
        PARTITION BY w.task_id ORDER BY w.requested_at DESC, w.id DESC
    ) AS place
    FROM tasks AS t CROSS JOIN agent_wakeup_requests AS w ON w.task_id = t.id
    WHERE t.mission_id = ? AND t.status IN ('todo', 'in_progress') AND w.requested_at >= t.afresh_at
    AND w.status <> 'coalesced'
)
WHERE place = 1 AND outcome IN ('exhausted', 'incurable', 'quarantined', 'user_cancelled')
"""
_OF_AGENTS = """
SELECT agent_id, sum(status = 'claimed') AS active,
    sum(status = 'queued' AND scheduled_retry_at IS NULL) AS queued
FROM agent_wakeup_requests INDEXED BY wakeups_scope
WHERE status IN ('queued', 'claimed') AND workspace_id = ? GROUP BY agent_id
"""
_ASSIGNED = """
SELECT assignee_agent_id AS agent_id, max(afresh_at) AS last FROM tasks
WHERE mission_id = ? AND assignee_agent_id IS NOT NULL GROUP BY assignee_agent_id
"""
_OUTSIDE = """
SELECT DISTINCT b.id, b.status FROM tasks AS t
CROSS JOIN task_dependencies AS d ON d.task_id = t.id
JOIN tasks AS b ON b.id = d.depends_on_task_id
WHERE t.mission_id = :mission AND b.mission_id IS NOT :mission
"""
# A wakeup that was taken up is a run; one that waits for a time is none.
_ELSEWHERE = """
SELECT count(*) AS n FROM agent_wakeup_requests AS w INDEXED BY wakeups_scope
CROSS JOIN tasks AS t ON t.id = w.task_id
CROSS JOIN missions AS m ON m.id = t.mission_id AND m.root_task_id <> t.id
WHERE w.status IN ('queued', 'claimed') AND w.scheduled_retry_at IS NULL
AND w.workspace_id = :workspace AND m.id <> :mission
"""
_OPEN_WAVES = """
SELECT w.id, s.task_id, t.status FROM waves AS w JOIN wave_tasks AS s ON s.wave_id = w.id
JOIN tasks AS t ON t.id = s.task_id
WHERE w.mission_id = ? AND w.ended_at IS NULL
"""
_CHANGED = """
SELECT id, kind, data FROM events
WHERE subject_type = 'mission' AND subject_id = :id AND kind IN (:changed, :assessed) ORDER BY id
"""
_NEWS = """
SELECT max(id) AS last FROM events
WHERE id > :seen AND (workspace_id = :workspace OR workspace_id IS NULL)
AND kind NOT IN (SELECT value FROM json_each(:noise))
"""
_NOISE = json.dumps(
    [
        *(Kind.AGENT_HEARTBEAT, Kind.RUN_USED, Kind.TASK_PROGRESS, Kind.OWNER_LATE),
        *(Kind.WAKEUP_CLAIMED, Kind.RECOVERY_SWEEP_COMPLETE, Kind.RUN_STARTED),
        *(Kind.AGENT_SILENT, Kind.AGENT_HEARD, Kind.MISSION_PHASE, Kind.WAVE_PLANNED),
    ]
)
"""What changes nothing that a mission is planned by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """By ids of tasks, its root among them. due: of each that a wakeup waits or works for: until
    when it waits, None for now. live: those that a run works on. ended: why nobody is woken for
    them. learned: the paths that they changed. turn: one that was asked for is not over (C-54).
    reviews: of merged work, that are not over. held: as `paused` says."""

    due: Mapping[str, datetime | None]
    live: frozenset[str]
    attempts: Mapping[str, int]
    ended: Mapping[str, str]
    learned: Mapping[str, frozenset[str]]
    proposals: Sequence[ProposalFact]
    open: Open
    gates_not_run: tuple[str, ...]
    turn: bool
    reviews: int
    held: frozenset[str]


def of_mission(view: View, mission: Mission) -> Standing:
    here = (mission.id,)
    waiting = view.sql(_WAITING, here)
    due: dict[str, datetime | None] = {}
    for row in waiting:
        at = row["scheduled_retry_at"]
        until = None if at is None or row["status"] == "claimed" else instant(at)
        known = due.get(row["task_id"], until)
        due[row["task_id"]] = None if known is None or until is None else min(known, until)
    live = [str(row["task_id"]) for row in view.sql(_LIVE, here)]
    gates = view.sql(_GATES, here)
    offered = view.sql(_PROPOSALS, here)
    learned: dict[str, set[str]] = {}
    for row in offered:
        paths = {str(one["path"]) for one in json.loads(row["files"]) if "path" in one}
        learned.setdefault(row["task_id"], set()).update(paths)
    over = (TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.DONE)
    return Standing(
        due=due,
        live=frozenset(live),
        attempts={row["task_id"]: row["n"] for row in view.sql(_ATTEMPTS, here)},
        ended=ended(view, mission.id),
        learned={task_id: frozenset(paths) for task_id, paths in learned.items()},
        proposals=[
            ProposalFact(id=row["id"], status=row["status"])
            for row in offered
            if row["task"] not in (TaskStatus.FAILED, TaskStatus.CANCELLED)
            and row["run_id"] is not None
            and not row["revised"]
        ],
        open=Open(
            runs=len(live) + _count(view, _JUDGING, here),
            leases=_count(view, _LEASES, here),
            wakeups=len(waiting) + _about(view, mission),
            approvals=_count(view, _APPROVALS, here),
            gates=sum(row["task"] not in over for row in gates),
            merges=_count(view, _MERGES, here),
        ),
        gates_not_run=tuple(row["id"] for row in gates if row["task"] in over),
        turn=bool(turns.open_in(view, mission.id)),
        reviews=merged_reviews.count_open(view, mission.id),
        held=paused(view, mission.id),
    )


def _about(view: View, mission: Mission) -> int:
    words = {"workspace": mission.workspace_id, "mission": mission.id}
    return int(view.sql(_ABOUT, words)[0]["n"])


def _count(view: View, sql: str, values: tuple[str, ...]) -> int:
    return int(view.sql(sql, values)[0]["n"])


def ended(view: View, mission_id: str) -> dict[str, str]:
    """By ids of tasks, the outcome of the wake that speaks against another one."""
    return {row["task_id"]: row["outcome"] for row in view.sql(_ENDED, (mission_id,))}


def paused(view: View, mission_id: str) -> frozenset[str]:
    """Tasks that a change of requirements touches whose impact is not known yet (A-23)."""
    words = {
        "id": mission_id,
        "changed": Kind.REQUIREMENT_CHANGED,
        "assessed": Kind.IMPACT_COMPLETED,
    }
    found: set[str] = set()
    for row in view.sql(_CHANGED, words):
        if row["kind"] == Kind.IMPACT_COMPLETED:
            found.clear()
        else:
            found.update(json.loads(row["data"]).get("task_ids", []))
    return frozenset(found)


def outside(view: View, mission_id: str) -> dict[str, TaskStatus]:
    """What its tasks wait for that is not of it."""
    rows = view.sql(_OUTSIDE, {"mission": mission_id})
    return {row["id"]: TaskStatus(row["status"]) for row in rows}


def elsewhere(view: View, mission: Mission) -> int:
    """Tasks of other missions of the workspace that are at work, or about to be."""
    words = {"workspace": mission.workspace_id, "mission": mission.id}
    return int(view.sql(_ELSEWHERE, words)[0]["n"])


def loads(view: View, workspace_id: str) -> dict[str, tuple[int, int]]:
    """How many wakeups of each agent are at work, and how many wait for it; one that waits for a
    time, in three days perhaps, keeps nobody from work until then."""
    rows = view.sql(_OF_AGENTS, (workspace_id,))
    return {row["agent_id"]: (row["active"], row["queued"]) for row in rows}


def assigned(view: View, mission_id: str) -> dict[str, int]:
    """When each agent was given a task of it last, in microseconds (W-02)."""
    return {row["agent_id"]: row["last"] for row in view.sql(_ASSIGNED, (mission_id,))}


def open_waves(view: View, mission_id: str) -> dict[str, dict[str, TaskStatus]]:
    """The tasks of each wave that has not ended, with what they are now."""
    found: dict[str, dict[str, TaskStatus]] = {}
    for row in view.sql(_OPEN_WAVES, (mission_id,)):
        found.setdefault(row["id"], {})[row["task_id"]] = TaskStatus(row["status"])
    return found


def news(view: View, workspace_id: str, seen: int) -> int | None:
    """The last event after `seen` that a mission of the workspace may have to look at."""
    words = {"seen": seen, "workspace": workspace_id, "noise": _NOISE}
    last = view.sql(_NEWS, words)[0]["last"]
    return None if last is None else int(last)
