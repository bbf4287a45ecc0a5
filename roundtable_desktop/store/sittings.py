"""Who stays with a mission by `roundtable run`, its pace, and snapshots of the mission (R-22)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.model.missions import Mission, Pace, Sitting, Snapshot
from roundtable_desktop.model.records import Json
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.lists import Noun
from roundtable_desktop.store.rows import by_id, read
from roundtable_desktop.store.sitting_tables import MissionSnapshots, Sittings

_PRESENT = "SELECT * FROM sittings WHERE mission_id = ? AND ended_at IS NULL"
_EVERY_PRESENT = "SELECT * FROM sittings INDEXED BY sittings_present WHERE ended_at IS NULL"
_TASKS = """
SELECT t.status AS status, count(*) AS n FROM tasks AS t JOIN missions AS m ON m.id = t.mission_id
WHERE t.mission_id = ? AND t.id <> m.root_task_id GROUP BY t.status ORDER BY t.status
"""
_WAVES = "SELECT count(*) AS n FROM waves WHERE mission_id = ?"


LOST = "lost"
SILENT = timedelta(seconds=60)
"""After which whoever stays and says nothing has gone: killed, or its machine was taken away."""
_BEATS = 3
"""So many of its own intervals are waited for, where that is longer."""
_WRITTEN = timedelta(seconds=15)
"""How often it is written down at most that it was heard; it says something each interval."""
_HEARD = "heard_at"
"""Beside its pace: when it said something last."""
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


def hear(tx: Tx, sitting: Sitting) -> None:
    """It says that it stays. One that was thought lost, while both slept perhaps, is there again,
    unless another one has come."""
    if sitting.exit == LOST and present(tx, sitting.mission_id) is None:
        tx.write(
            Sittings.update(exit=None, ended_at=None, pace=_heard(sitting, tx.now)).where(
                (Sittings.id == sitting.id) & (Sittings.exit == LOST)
            )
        )
    elif sitting.exit is None and tx.now >= heard_at(sitting) + _WRITTEN:
        there = (Sittings.id == sitting.id) & Sittings.ended_at.is_null()
        tx.write(Sittings.update(pace=_heard(sitting, tx.now)).where(there))


def _heard(sitting: Sitting, now: datetime) -> Json:
    return {**sitting.pace, _HEARD: micros(now)}


def heard_at(sitting: Sitting) -> datetime:
    at = sitting.pace.get(_HEARD)
    return instant(at) if isinstance(at, int) else sitting.started_at


def silent_at(sitting: Sitting) -> datetime:
    """When it counts as gone if it says nothing until then."""
    return heard_at(sitting) + max(SILENT, _BEATS * pace(sitting.pace).interval)


def every_present(view: View) -> list[Sitting]:
    return [read(Sitting, Sittings, row) for row in view.sql(_EVERY_PRESENT)]


def lose(tx: Tx, sitting_id: str) -> None:
    """Unless it was heard meanwhile."""
    sitting = get(tx, sitting_id)
    if sitting is not None and sitting.ended_at is None and silent_at(sitting) <= tx.now:
        end(tx, sitting, LOST, sitting.cycles)


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
