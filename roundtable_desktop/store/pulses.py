"""When a run of a task or of an agent last gave a sign of life (A-21, C-87)."""

import json
from collections.abc import Sequence
from datetime import datetime

from roundtable_desktop.model.times import instant
from roundtable_desktop.store.db import View

# The newest run that ever gave one: by index, however many there were.
_LAST = """
SELECT one.value AS id, (
    SELECT r.last_pulse_at FROM runs AS r
    WHERE r.{column} = one.value AND r.last_pulse_at IS NOT NULL
    ORDER BY r.{newest} DESC LIMIT 1
) AS at FROM json_each(?) AS one
"""
_OF_TASKS = _LAST.format(column="task_id", newest="attempt_index")
_OF_AGENTS = _LAST.format(column="agent_id", newest="id")


def of_tasks(view: View, ids: Sequence[str]) -> dict[str, datetime | None]:
    return _read(view, _OF_TASKS, ids)


def of_agents(view: View, ids: Sequence[str]) -> dict[str, datetime | None]:
    return _read(view, _OF_AGENTS, ids)


def _read(view: View, sql: str, ids: Sequence[str]) -> dict[str, datetime | None]:
    rows = view.sql(sql, (json.dumps(list(ids)),))
    return {row["id"]: None if row["at"] is None else instant(row["at"]) for row in rows}
