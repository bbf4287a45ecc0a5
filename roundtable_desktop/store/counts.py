"""How much there is of what a person asks for: each count is defined here, once (W-21)."""

from roundtable_desktop.model.glance import Counts, Outstanding
from roundtable_desktop.store import inbox, runs
from roundtable_desktop.store.db import View

# By workspace, as the indexes are: what is over only grows.
_PROPOSALS = """
WITH waiting AS (
    SELECT p.id AS id FROM workspaces AS room CROSS JOIN proposals AS p INDEXED BY proposals_status
        ON p.workspace_id = room.id AND p.status IN ('pending', 'in_review', 'approved')
    WHERE (p.status <> 'approved' OR NOT EXISTS (
        SELECT 1 FROM deliveries AS d WHERE d.proposal_id = p.id AND d.status = 'intended'
    ))
    AND NOT EXISTS (  -- its reviewers are asked, or a person is, by an item of the inbox
        SELECT 1 FROM gates AS g WHERE g.task_id = p.task_id AND g.status = 'asked'
    )
), asked AS (
    SELECT json_extract(i.data, '$.proposal_id') AS id
    FROM workspaces AS room CROSS JOIN inbox_items AS i INDEXED BY inbox_open
        ON i.workspace_id = room.id AND i.status IN ('open', 'snoozed')
)
SELECT count(*) AS undecided,
    count(*) FILTER (WHERE id NOT IN (SELECT id FROM asked WHERE id IS NOT NULL)) AS unasked
FROM waiting
"""
_BLOCKED = """
SELECT count(*) AS n FROM workspaces AS room CROSS JOIN tasks INDEXED BY tasks_status
    ON tasks.workspace_id = room.id AND tasks.status = 'blocked'
"""
_QUEUED = "SELECT count(*) AS n FROM agent_wakeup_requests WHERE status = 'queued'"


# A rejected proposal is answered by a newer one, or by the end of its task. A gate of review is
# deliberated on while somebody who was asked has not answered.
_OF_WORKSPACE = """
SELECT (SELECT count(DISTINCT gate_id) FROM verdicts INDEXED BY verdicts_asked
    WHERE status = 'asked' AND workspace_id = :workspace_id) AS active_deliberations,
(SELECT count(*) FROM proposals INDEXED BY proposals_status WHERE workspace_id = :workspace_id
    AND status IN ('pending', 'in_review', 'revision_requested')) AS open_proposals,
(SELECT count(*) FROM approvals INDEXED BY approvals_requested
    WHERE workspace_id = :workspace_id AND status = 'requested') AS pending_approvals,
(SELECT count(*) FROM tasks INDEXED BY tasks_status
    WHERE workspace_id = :workspace_id AND status = 'blocked')
+ (SELECT count(*) FROM proposals AS p INDEXED BY proposals_status
    JOIN tasks AS t ON t.id = p.task_id
    WHERE p.workspace_id = :workspace_id AND p.status = 'rejected'
    AND t.status NOT IN ('done', 'failed', 'cancelled')
    AND NOT EXISTS (SELECT 1 FROM proposals AS n WHERE n.task_id = p.task_id AND n.id > p.id))
    AS blockers
"""


def of_workspace(view: View, workspace_id: str) -> Outstanding:
    """In one statement."""
    row = view.sql(_OF_WORKSPACE, {"workspace_id": workspace_id})[0]
    return Outstanding(**{name: int(row[name]) for name in row})


def of_home(view: View) -> Counts:
    """Of all workspaces, at one instant.

    A proposal waits for a person while it is open and no gate is asked, or approved and nothing of
    it is under way: its last try was held. One that an item of the inbox asks about, open or put
    off, is counted as that item: nothing twice, and nothing that a person wants to hear of later.
    """
    items = inbox.count_open(view)
    offered = view.sql(_PROPOSALS)[0]
    return Counts(
        needs_you=items + int(offered["unasked"]),
        items=items,
        proposals=int(offered["undecided"]),
        blocked=int(view.sql(_BLOCKED)[0]["n"]),
        running=runs.count_live(view),
    )


def queued(view: View) -> int:
    """Wakeups that wait, for whatever."""
    return int(view.sql(_QUEUED)[0]["n"])
