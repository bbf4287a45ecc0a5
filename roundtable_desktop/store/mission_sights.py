"""What is seen of missions at once: counts, edges, waves and runs of all their tasks."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from roundtable_desktop.model.graph import Dependency
from roundtable_desktop.model.missions import Mission, Wave
from roundtable_desktop.model.records import InboxItem, Run, Task
from roundtable_desktop.model.times import instant
from roundtable_desktop.store.db import View
from roundtable_desktop.store.mission_tables import Missions, Waves
from roundtable_desktop.store.rows import by_ids, read
from roundtable_desktop.store.tables import InboxItems, Runs, TaskDependencies, Tasks

_COUNTS = """
SELECT t.mission_id, t.status, count(*) AS n
FROM tasks AS t JOIN missions AS m ON m.id = t.mission_id
WHERE t.mission_id IN (SELECT value FROM json_each(?)) AND t.id <> m.root_task_id
GROUP BY t.mission_id, t.status
"""
_EDGES = """
SELECT * FROM task_dependencies WHERE task_id IN (SELECT value FROM json_each(?))
ORDER BY created_at, depends_on_task_id
"""
_OPEN_BLOCKERS = """
SELECT d.task_id AS held, b.* FROM task_dependencies AS d
JOIN tasks AS b ON b.id = d.depends_on_task_id
WHERE d.task_id IN (SELECT value FROM json_each(?)) AND d.dependency_type = 'hard'
AND b.status <> 'done' ORDER BY b.number
"""
_WAVES = """
SELECT w.id, w.number, w.created_at, w.ended_at,
    (SELECT json_group_array(t.task_id) FROM wave_tasks AS t WHERE t.wave_id = w.id) AS task_ids
FROM waves AS w WHERE w.mission_id = ? ORDER BY w.number
"""
_LIVE = """
SELECT r.* FROM runs AS r JOIN tasks AS t ON t.id = r.task_id
WHERE t.mission_id = ? AND r.status IN ('starting', 'running')
"""
# By the workspace, as the index is: what is settled only grows.
_ASKED = """
SELECT i.* FROM inbox_items AS i
WHERE i.workspace_id = ? AND i.status = 'open' AND (
    (i.subject_type = 'mission' AND i.subject_id = ?)
    OR coalesce(json_extract(i.data, '$.task_id'), i.subject_id) IN (
        SELECT id FROM tasks WHERE mission_id = ?
    )
) ORDER BY i.id LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class WaveHead:
    """A wave without its plan. task_ids: what it set off."""

    id: str
    number: int
    created_at: datetime
    ended_at: datetime | None
    task_ids: tuple[str, ...]


def counts(view: View, mission_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """By mission and status, how many tasks there are; roots are none of them."""
    found: dict[str, dict[str, int]] = {one: {} for one in mission_ids}
    for row in view.sql(_COUNTS, (json.dumps(list(mission_ids)),)):
        found[row["mission_id"]][row["status"]] = int(row["n"])
    return found


def edges(view: View, task_ids: Iterable[str]) -> dict[str, list[Dependency]]:
    """By the tasks' ids, the oldest first, in one statement."""
    wanted = list(task_ids)
    found: dict[str, list[Dependency]] = {one: [] for one in wanted}
    for row in view.sql(_EDGES, (json.dumps(wanted),)):
        found[row["task_id"]].append(read(Dependency, TaskDependencies, row))
    return found


def open_blockers(view: View, task_ids: Iterable[str]) -> dict[str, list[Task]]:
    """By the tasks' ids, what is to be done before, by their numbers."""
    wanted = list(task_ids)
    found: dict[str, list[Task]] = {one: [] for one in wanted}
    for row in view.sql(_OPEN_BLOCKERS, (json.dumps(wanted),)):
        found[row["held"]].append(read(Task, Tasks, row))
    return found


def waves(view: View, mission_id: str) -> list[WaveHead]:
    """Oldest first; their plans are read one by one."""
    return [
        WaveHead(
            row["id"],
            int(row["number"]),
            instant(row["created_at"]),
            None if row["ended_at"] is None else instant(row["ended_at"]),
            tuple(json.loads(row["task_ids"])),
        )
        for row in view.sql(_WAVES, (mission_id,))
    ]


def newest_wave(view: View, mission_id: str, number: int | None = None) -> Wave | None:
    """With its plan; number: that one instead."""
    here = Waves.mission_id == mission_id
    if number is not None:
        here &= Waves.number == number
    return view.one(Wave, Waves.select().where(here).order_by(Waves.number.desc()))


def wave_page(view: View, mission_id: str, after: str | None, limit: int) -> list[Wave]:
    """Newest first, each with its plan."""
    query = Waves.select().where(Waves.mission_id == mission_id)
    if after is not None:
        before = Waves.select(Waves.number).where(Waves.id == after)
        query = query.where(Waves.number < before)
    return view.all(Wave, query.order_by(Waves.number.desc()).limit(limit))


def wave_of(view: View, task_id: str) -> int | None:
    """The number of the newest wave that set the task off."""
    sql = (
        "SELECT max(w.number) AS n FROM wave_tasks AS t JOIN waves AS w ON w.id = t.wave_id"
        " WHERE t.task_id = ?"
    )
    found = view.sql(sql, (task_id,))[0]["n"]
    return None if found is None else int(found)


def live_runs(view: View, mission_id: str) -> dict[str, Run]:
    """By the tasks that they work on."""
    rows = view.sql(_LIVE, (mission_id,))
    return {row["task_id"]: read(Run, Runs, row) for row in rows}


def asked(view: View, workspace_id: str, mission_id: str, most: int) -> list[InboxItem]:
    """What of the mission, or of a task of it, waits for a person; oldest first."""
    rows = view.sql(_ASKED, (workspace_id, mission_id, mission_id, most))
    return [read(InboxItem, InboxItems, row) for row in rows]


def of_ids(view: View, ids: Iterable[str | None]) -> dict[str, Mission]:
    return by_ids(view, Mission, Missions, ids)
