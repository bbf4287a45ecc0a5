"""Continuation summaries, and what of a workspace they are made of (K-49, K-51)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import InboxKind
from roundtable_desktop.model.summaries import Summary, scope_of
from roundtable_desktop.model.times import micros
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.events import QUEUE_KEEPING
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.summary_tables import Summaries
from roundtable_desktop.store.tables import Tasks

MOST_EVENTS = 5000
"""That are looked at where no summary was before: the newest."""

# By SQL text: each end of a routine's run asks, and peewee's builder would be half of its cost.
_OF_SCOPE = """
SELECT * FROM agent_continuation_summaries WHERE agent_id = ? AND scope = ?
"""
_NEWEST = """
SELECT * FROM agent_continuation_summaries WHERE agent_id = ?
ORDER BY updated_at DESC, scope LIMIT 1
"""
_PUT = """
INSERT INTO agent_continuation_summaries
    (agent_id, scope, content, content_tokens, updated_at, updated_by_run_id)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id, scope) DO UPDATE SET
    content = excluded.content, content_tokens = excluded.content_tokens,
    updated_at = excluded.updated_at, updated_by_run_id = excluded.updated_by_run_id
"""

# By the index of what the scheduler does not tell of its own work, in its words.
_HAPPENED = f"""
WITH seen AS (
    SELECT kind, at, subject_type, subject_id, data FROM events INDEXED BY events_asked
    WHERE workspace_id = :workspace_id AND id > (
        SELECT coalesce(max(id), 0) FROM events
        WHERE subject_type = 'run' AND subject_id = :after_run AND kind = '{Kind.RUN_ENDED}'
    )
    AND kind NOT IN ({", ".join(f"'{kind}'" for kind in QUEUE_KEEPING)})
    ORDER BY id DESC LIMIT {MOST_EVENTS}
)
SELECT count(*) FILTER (WHERE kind = '{Kind.TASK_COMPLETED}' AND own) AS completed,
    count(*) FILTER (WHERE kind = '{Kind.TASK_FAILED}' AND own) AS failed,
    count(*) FILTER (WHERE gave_up AND :agent_id IS NULL) AS errors,
    count(*) FILTER (WHERE kind GLOB 'budget.*' AND :agent_id IS NULL) AS budget
FROM (
    SELECT kind,
        kind = '{Kind.INBOX_OPENED}'
            AND json_extract(data, '$.kind') = '{InboxKind.AGENT_ERROR}' AS gave_up,
        :agent_id IS NULL OR subject_type = 'task' AND EXISTS (
            SELECT 1 FROM tasks AS t WHERE t.id = subject_id AND t.assignee_agent_id = :agent_id
        ) AS own
    FROM seen WHERE at > :since
)
"""

_STANDS = """
SELECT status, count(*) AS n FROM tasks INDEXED BY tasks_status
WHERE workspace_id = :workspace_id AND status IN ('todo', 'in_progress', 'in_review')
AND (:agent_id IS NULL OR assignee_agent_id = :agent_id)
GROUP BY status
"""

_BLOCKED = f"""
SELECT t.*, (
    SELECT max(e.at) FROM events AS e
    WHERE e.subject_type = 'task' AND e.subject_id = t.id AND e.kind = '{Kind.TASK_BLOCKED}'
) AS blocked_at
FROM tasks AS t INDEXED BY tasks_status
WHERE t.workspace_id = :workspace_id AND t.status = 'blocked'
AND t.assignee_agent_id IS NOT NULL
AND (:agent_id IS NULL OR t.assignee_agent_id = :agent_id)
ORDER BY t.id
"""


@dataclass(frozen=True, slots=True)
class Happened:
    """How often, since then: tasks that were done and that failed, agents that were given up,
    signals of budgets."""

    completed: int
    failed: int
    errors: int
    budget: int


def of_scope(view: View, agent_id: str, scope: str) -> Summary | None:
    found = view.records(Summary, Summaries, _OF_SCOPE, (agent_id, scope))
    return found[0] if found else None


def of_agent(view: View, agent_id: str, after: str | None, limit: int) -> list[Summary]:
    """Of its routines, the newest first; after: a routine, for those that are older."""
    here = Summaries.agent_id == agent_id
    if after is not None:
        here &= Summaries.scope < scope_of(after)
    found = Summaries.select().where(here).order_by(Summaries.scope.desc()).limit(limit)
    return view.all(Summary, found)


def newest(view: View, agent_id: str) -> Summary | None:
    """The one that was written last."""
    found = view.records(Summary, Summaries, _NEWEST, (agent_id,))
    return found[0] if found else None


def put(tx: Tx, agent_id: str, scope: str, content: str, content_tokens: int, run_id: str) -> None:
    """One current row for each agent and scope."""
    tx.write_sql(_PUT, (agent_id, scope, content, content_tokens, micros(tx.now), run_id))


def happened(
    view: View, workspace_id: str, after_run: str, since: datetime, agent_id: str | None
) -> Happened:
    """After the end of that run, "" for none, and after `since`. agent_id: whose tasks count; None
    for all."""
    words: Mapping[str, object] = {
        "workspace_id": workspace_id,
        "after_run": after_run,
        "since": micros(since),
        "agent_id": agent_id,
    }
    (row,) = view.sql(_HAPPENED, words)
    return Happened(**{name: int(row[name]) for name in Happened.__dataclass_fields__})


def standing(view: View, workspace_id: str, agent_id: str | None) -> dict[str, int]:
    """How many tasks are to do, in progress and in review, by their status."""
    words = {"workspace_id": workspace_id, "agent_id": agent_id}
    return {str(row["status"]): int(row["n"]) for row in view.sql(_STANDS, words)}


def blocked(view: View, workspace_id: str, agent_id: str | None) -> list[tuple[Task, int | None]]:
    """Those that agents have, oldest first, each with since when (µs)."""
    words = {"workspace_id": workspace_id, "agent_id": agent_id}
    rows = view.sql(_BLOCKED, words)
    return [(read(Task, Tasks, row), row["blocked_at"]) for row in rows]
