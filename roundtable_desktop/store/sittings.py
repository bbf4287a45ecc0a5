"""Who stays with a mission by `roundtable run`, its pace, and snapshots of the mission (R-22)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from roundtable_desktop.model.missions import Mission, Pace, Sitting, Snapshot
from roundtable_desktop.model.records import Json
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.lists import Noun
from roundtable_desktop.store.rows import by_id, read
from roundtable_desktop.store.sitting_tables import MissionSnapshots, Sittings

_PRESENT = "SELECT * FROM sittings WHERE mission_id = ? AND ended_at IS NULL"
_TASKS = """
SELECT t.status AS status, count(*) AS n FROM tasks AS t JOIN missions AS m ON m.id = t.mission_id
WHERE t.mission_id = ? AND t.id <> m.root_task_id GROUP BY t.status ORDER BY t.status
"""
_WAVES = "SELECT count(*) AS n FROM waves WHERE mission_id = ?"


LOST = "lost"
SITTINGS = Noun(Sittings, Sitting)


def get(view: View, sitting_id: str) -> Sitting | None:
    return by_id(view, Sitting, Sittings, sitting_id)


def present(view: View, mission_id: str) -> Sitting | None:
    """The one that stays with it now."""
    rows = view.sql(_PRESENT, (mission_id,))
    return read(Sitting, Sittings, rows[0]) if rows else None


def pace(stored: Mapping[str, Any]) -> Pace:
    return Pace(
        interval=timedelta(milliseconds=int(stored["interval_ms"])),
        backoff=timedelta(milliseconds=int(stored["backoff_ms"])),
        max_errors=int(stored["max_errors"]),
        gives_up=True,
    )


def stored(pace: Pace) -> Json:
    return {
        "interval_ms": pace.interval // timedelta(milliseconds=1),
        "backoff_ms": pace.backoff // timedelta(milliseconds=1),
        "max_errors": pace.max_errors,
    }


def begin(tx: Tx, mission: Mission, id: str, pace: Pace, *, headless: bool) -> Sitting:
    """One at a time: whoever sat there and did not say that they go is `lost`."""
    before = present(tx, mission.id)
    if before is not None:
        end(tx, before, LOST, before.cycles)
    tx.write(
        Sittings.insert(
            id=id,
            workspace_id=mission.workspace_id,
            mission_id=mission.id,
            headless=headless,
            pace=stored(pace),
            started_at=tx.now,
        )
    )
    begun = get(tx, id)
    assert begun is not None
    return begun


def end(tx: Tx, sitting: Sitting, exit: str, cycles: int) -> bool:
    """False when it had ended already."""
    there = (Sittings.id == sitting.id) & Sittings.ended_at.is_null()
    return tx.write(Sittings.update(exit=exit, cycles=cycles, ended_at=tx.now).where(there)) == 1


def lose_all(tx: Tx) -> int:
    """With the life of an owner: nobody's pace outlasts it. Their number."""
    lost = Sittings.update(exit=LOST, ended_at=tx.now).where(Sittings.ended_at.is_null())
    return tx.write(lost)


def counts_of(view: View, mission_id: str, live_runs: int) -> Json:
    """Tasks by their status, without the root."""
    tasks = {str(row["status"]): int(row["n"]) for row in view.sql(_TASKS, (mission_id,))}
    return {"tasks": tasks, "live_runs": live_runs, "waves": count_waves(view, mission_id)}


def count_waves(view: View, mission_id: str) -> int:
    return int(view.sql(_WAVES, (mission_id,))[0]["n"])


def keep_snapshot(tx: Tx, sitting: Sitting, mission: Mission, kind: str, counts: Json) -> None:
    """Of the same kind the first stays."""
    tx.write(
        MissionSnapshots.insert(
            sitting_id=sitting.id,
            mission_id=mission.id,
            kind=kind,
            state=mission.state,
            phase=mission.phase,
            counts=counts,
            at=tx.now,
        ).on_conflict_ignore()
    )


def snapshots(view: View, mission_id: str) -> list[Snapshot]:
    """Oldest first."""
    sql = "SELECT * FROM mission_snapshots WHERE mission_id = ? ORDER BY at, kind DESC"
    return [read(Snapshot, MissionSnapshots, row) for row in view.sql(sql, (mission_id,))]
