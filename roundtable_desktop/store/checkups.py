"""What the doctor asks the database about things that it found outside."""

from roundtable_desktop.model.records import Run
from roundtable_desktop.store.db import View
from roundtable_desktop.store.tables import Runs, Tasks

_SETTINGS = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys", "trusted_schema")


def connection_settings(view: View) -> dict[str, object]:
    """As they are on this very connection (F-16)."""
    return {name: next(iter(view.sql(f"PRAGMA {name}")[0].values())) for name in _SETTINGS}


def leases_left(view: View) -> list[str]:
    """Runs that are over and still hold something."""
    text = (
        "SELECT l.run_id AS run FROM leases AS l JOIN runs AS r ON r.id = l.run_id"
        " WHERE r.ended_at IS NOT NULL"
    )
    return [row["run"] for row in view.sql(text)]


def knows_run(view: View, run_id: str) -> bool:
    return bool(view.sql("SELECT 1 FROM runs WHERE id = ?", (run_id,)))


def is_at_work(view: View, run_id: str) -> bool:
    return bool(view.sql("SELECT 1 FROM runs WHERE id = ? AND ended_at IS NULL", (run_id,)))


def runs_of_task(view: View, workspace_id: str, number: int) -> list[Run]:
    task = (Tasks.workspace_id == workspace_id) & (Tasks.number == number)
    return view.all(Run, Runs.select().where(Runs.task_id.in_(Tasks.select(Tasks.id).where(task))))


def began_in_own_copy(view: View, agent_id: str, nth: int) -> bool:
    text = (
        "SELECT 1 FROM runs WHERE agent_id = ? AND copy_number = ? AND task_id IS NULL"
        " AND base_commit IS NOT NULL LIMIT 1"
    )
    return bool(view.sql(text, (agent_id, nth)))


def has_task(view: View, workspace_id: str, number: int) -> bool:
    text = "SELECT 1 FROM tasks WHERE workspace_id = ? AND number = ?"
    return bool(view.sql(text, (workspace_id, number)))
