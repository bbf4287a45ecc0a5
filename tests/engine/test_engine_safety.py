"""Backups and looks for damage are housekeeping's; a restored past runs nothing by itself."""

import contextlib
import json
import random
import shutil
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from engine_stage import ScriptedLauncher
from ground import JOAN, NOW, Ground

from roundtable_desktop.adapters.pretend import PretendGit
from roundtable_desktop.engine import heartbeat, restored, worries
from roundtable_desktop.engine.forgotten import Runners
from roundtable_desktop.engine.housekeeping import PERIOD, Housekeeping
from roundtable_desktop.engine.safety import Safety
from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.errors import Broken
from roundtable_desktop.model.states import InboxStatus
from roundtable_desktop.model.times import instant
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.store import backups, browsers, restoring, settings


def safety(ground: Ground) -> Safety:
    folder = ground.path.parent / "backups"
    folder.mkdir(exist_ok=True)
    return Safety(ground.store, ground.reader, ground.ids, ground.clock, ground.path, folder)


def hours(ground: Ground, kept: Housekeeping, count: float) -> int:
    """How many backups there are after so many hours of awake time, with a look each minute."""
    for _ in range(int(count * 60)):
        ground.clock.forward(seconds=PERIOD)
        kept.look()
    return len(backups.kept(ground.path.parent / "backups"))


@pytest.mark.proves("F-25")
def test_a_backup_is_made_each_day_once_there_is_something(ground: Ground) -> None:
    safe = safety(ground)
    kept = Housekeeping(ground.store, ground.clock, {"backup": safe.back_up})
    assert hours(ground, kept, 2) == 0, "nothing is there yet"
    ground.workspace()
    assert hours(ground, kept, 1.1) == 1
    assert hours(ground, kept, 22) == 1
    assert hours(ground, kept, 3) == 2
    with ground.store.transaction() as tx:
        settings.put_home(tx, backup_hours=2)
    assert hours(ground, kept, 3.1) == 4


@pytest.mark.proves("F-25")
def test_the_work_of_the_first_hours_is_in_a_backup_soon(ground: Ground) -> None:
    """Nothing is looked at more often for it: a look a minute there is anyway."""
    kept = Housekeeping(ground.store, ground.clock, {"backup": safety(ground).back_up})
    kept.begin()
    assert hours(ground, kept, 0.5) == 0
    workspace = ground.workspace()
    assert hours(ground, kept, 2 / 60) == 1
    ground.task(workspace)
    assert hours(ground, kept, 3 / 60) == 1
    assert hours(ground, kept, 4 / 60) == 2
    newest = backups.kept(ground.path.parent / "backups")[0].path
    with contextlib.closing(sqlite3.connect(newest)) as made:
        assert made.execute("SELECT count(*) FROM tasks").fetchone() == (1,)
    assert hours(ground, kept, 3) == 2, "nothing happened since"
    ground.task(workspace)
    assert hours(ground, kept, 2 / 60) == 3
    ground.task(workspace)
    assert hours(ground, kept, 20) == 3, "from then on one a day"


@pytest.mark.proves("F-25")
@pytest.mark.parametrize("room", [1.5, 2.5])
def test_a_database_of_which_few_backups_have_room_is_not_taken_for_a_young_one(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, room: float
) -> None:
    """Each costs as much reading and writing as it is large."""
    workspace, safe = ground.workspace(), safety(ground)
    kept = Housekeeping(ground.store, ground.clock, {"backup": safe.back_up})
    kept.begin()
    [first] = backups.kept(ground.path.parent / "backups")
    monkeypatch.setattr(backups, "KEPT_BYTES", int(room * first.size))
    made = set()
    for _ in range(30):
        ground.task(workspace)
        hours(ground, kept, 1)
        made |= {one.path for one in backups.kept(ground.path.parent / "backups")}
    assert len(made) <= 3, "one a day, and at most one more on the first"


@pytest.mark.proves("F-25")
def test_a_backup_that_fails_is_not_tried_each_minute(ground: Ground) -> None:
    ground.workspace()
    safe = safety(ground)
    folder = ground.path.parent / "backups"
    kept = Housekeeping(ground.store, ground.clock, {"backup": safe.back_up})
    folder.rmdir()
    folder.write_text("no folder")
    hours(ground, kept, 1.1)
    [_] = ground.rows("inbox_items")
    folder.unlink()
    folder.mkdir()
    assert hours(ground, kept, 0.8) == 0, "the next try is within an hour"
    assert hours(ground, kept, 0.15) == 1


@pytest.mark.proves("F-25")
def test_backups_of_a_time_to_come_crowd_no_new_one_out(ground: Ground) -> None:
    """The clock was wrong for a week, and is right again."""
    ground.workspace()
    safe = safety(ground)
    folder = ground.path.parent / "backups"
    for day in range(backups.KEPT):
        later = ground.clock.now() + timedelta(days=400 + day)
        backups.keep(ground.path, folder, later, 1)
    for _ in range(3):
        safe.back_up()
        safe.back_up()
        [newest, *others] = backups.kept(folder, ground.clock.now())
        assert newest.at == ground.clock.now() and len(others) == backups.KEPT - 1
        ground.clock.forward(hours=25)
    dates = [one.at > ground.clock.now() for one in backups.kept(folder)]
    assert dates == [True] * 4 + [False] * 3, "and one backup a day, as ever"


@pytest.mark.proves("F-25", "F-20")
def test_what_keeps_a_backup_from_being_made_is_asked_until_one_is(ground: Ground) -> None:
    ground.workspace()
    safe = safety(ground)
    folder = ground.path.parent / "backups"
    shutil.rmtree(folder)
    folder.write_text("no folder")
    safe.back_up()
    safe.back_up()
    [item] = ground.rows("inbox_items")
    assert item["kind"] == "doctor" and item["severity"] == "critical"
    folder.unlink()
    folder.mkdir()
    safe.back_up()
    [item] = ground.rows("inbox_items")
    assert item["status"] == InboxStatus.RESOLVED and len(backups.kept(folder)) == 1


@pytest.mark.proves("F-20", "F-25")
def test_what_is_asked_is_of_the_last_time(ground: Ground) -> None:
    """The state that was gone back to may ask already, of another file and another time."""
    ground.workspace()
    for source in ("first.db", "second.db", "second.db"):
        with ground.store.transaction() as tx:
            worries.ask(tx, ground.ids, worries.RESTORED, {"source": source}, options=("resume",))
    asked = {json.loads(row["data"])["source"]: row["status"] for row in ground.rows("inbox_items")}
    assert asked == {"first.db": InboxStatus.RESOLVED, "second.db": InboxStatus.OPEN}
    assert len(ground.rows("inbox_items")) == 2


@pytest.mark.proves("F-25")
def test_a_backup_that_cannot_be_made_is_told_by_the_name_that_was_given(ground: Ground) -> None:
    target = ground.path.parent / "nowhere" / "kept.db"
    with pytest.raises(Broken) as refused:
        backups.back_up_sound(ground.path, target)
    assert refused.value.code == "backup_failed" and refused.value.values["path"] == str(target)


@pytest.mark.proves("F-20")
def test_damage_that_is_found_at_work_is_asked_about_and_remembered(ground: Ground) -> None:
    """The start looks for a second; the rest is looked through beside the work, table by table."""
    workspace = ground.workspace()
    agent = ground.agent(workspace)
    for _ in range(60):
        ground.task(workspace, agent, description="words " * 60)
    safe = safety(ground)
    safe.look_through()
    assert ground.rows("inbox_items") == []
    with ground.store.transaction() as tx:
        page = tx.sql("SELECT rootpage AS p FROM sqlite_master WHERE name = 'tasks_status'")[0]["p"]
    ground.reopen()
    ground.close()
    with open(ground.path, "r+b") as file:
        file.seek((page - 1) * 4096)
        whole = file.read(100)
        file.seek((page - 1) * 4096)
        file.write(random.Random(1).randbytes(100))
    ground.open()
    safe = safety(ground)
    safe.look_through()
    [item] = ground.rows("inbox_items")
    assert item["kind"] == "doctor" and ground.path.with_name("roundtable.db.suspect").exists()
    ground.close()
    with open(ground.path, "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(whole)
    ground.open()
    safety(ground).look_through()
    [item] = ground.rows("inbox_items")
    assert item["status"] == InboxStatus.RESOLVED, "it is sound again"


@pytest.mark.proves("F-25")
def test_a_restored_past_fires_and_launches_nothing_by_itself(
    ground: Ground, tmp_path: Path
) -> None:
    workspace = ground.workspace()
    agent = ground.agent(workspace)
    ground.wakeup(agent, ground.task(workspace, agent))
    with ground.store.transaction() as tx:
        heartbeat.install(tx, ground.ids, JOAN, agent.id)
        session = WebSession(id_hash="h", created_at=NOW, seen_at=NOW)
        browsers.add(tx, session)
    copy = tmp_path / "copy.db"
    backups.back_up(ground.path, copy)
    for _ in range(3):
        ground.task(workspace)
    last = ground.events()[-1].id
    ground.clock.forward(days=3)
    copies, runs = tmp_path / "copies", tmp_path / "runs"
    (copies / "1" / "t4").mkdir(parents=True)
    (runs / "unknown").mkdir(parents=True)
    launcher = ScriptedLauncher(tmp_path / "runs")
    runners = Runners(launcher, lambda run: None, dict, runs)
    ground.close()
    restoring.put_in_place(ground.path, copy, NOW, ground.clock.now(), why="asked")
    ground.open()
    here = Whereabouts(root=str(tmp_path))
    past = restored.settle(ground.store, PretendGit(), ground.ids, copies, runners, here)
    assert past is not None and past.last_event == last
    again = restored.settle(ground.store, PretendGit(), ground.ids, copies, runners, here)
    assert again is None, "once"
    with ground.store.transaction() as tx:
        assert settings.of_home(tx).intake == "paused"
        assert browsers.find(tx, "h") is None, "it may have been signed out since"
    dues = [row["next_run_at"] for row in ground.rows("office_routine_triggers")]
    [due] = [instant(one) for one in dues if one is not None]
    assert due > ground.clock.now(), "what lay between was fired then"
    assert ground.task(workspace).number == 5, "t4 is the folder of a task that is forgotten"
    [item] = ground.rows("inbox_items")
    data = json.loads(item["data"])
    assert (data["waiting"], data["forgotten"]) == (1, 1)
    assert min(one.id for one in ground.events() if one.kind == "database.restored") > last
