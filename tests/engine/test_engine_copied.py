"""A home that was copied waits for a person: nothing of it is launched, fired or delivered."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import JOAN, NOW
from routine_stage import Routines

from roundtable_desktop.engine import intake, restored, worries
from roundtable_desktop.engine.desk import control, inbox
from roundtable_desktop.engine.forgotten import Runners
from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.records import SYSTEM
from roundtable_desktop.model.states import DeliveryMode, Severity
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import browsers, restoring, settings
from roundtable_desktop.store import copied as stored
from roundtable_desktop.store.restored import Past

FIRST = Whereabouts(
    root="/homes/first", machine="m", kind="ext4", database=1_000, lock=1_001, folder=1_002
)
COPY = replace(FIRST, root="/homes/copy", database=2_000, lock=2_001, folder=2_002)


class Killed(BaseException):
    """As by a signal that nothing catches."""


def start(stage: Stage, here: Whereabouts) -> Past | None:
    runs = stage.folders.root / "runs"
    runs.mkdir(exist_ok=True)
    runners = Runners(stage.launcher, lambda run: "/homes/first/copies/1/t1", dict, runs)
    return restored.settle(stage.store, stage.git, stage.ids, stage.folders.copies, runners, here)


def open_items(stage: Stage) -> list[dict[str, Any]]:
    rows = [row for row in stage.ground.rows("inbox_items") if row["kind"] == "doctor"]
    return [dict(row) for row in rows if row["status"] == "open"]


def home_rows(stage: Stage) -> list[Any]:
    return [row for row in stage.ground.rows("settings") if row["scope"] == "owner"]


def intake_now(stage: Stage) -> tuple[str, int | None]:
    with stage.store.transaction() as tx:
        home = settings.of_home(tx)
    return home.intake, home.intake_until


@pytest.mark.proves("copied home")
def test_a_home_that_stays_or_moves_starts_as_ever(stage: Stage) -> None:
    """So does one of an older version, that does not know yet where it lies."""
    stage.assigned()
    assert start(stage, FIRST) is None
    known = home_rows(stage)
    stage.clock.forward(hours=1)
    assert start(stage, FIRST) is None
    assert home_rows(stage) == known, "nothing is written for it"
    moved = replace(FIRST, root="/homes/moved")
    assert start(stage, moved) is None and start(stage, moved) is None
    assert intake_now(stage) == ("open", None) and not open_items(stage)


@pytest.mark.proves("copied home")
def test_a_copy_with_nothing_in_it_is_a_home_like_any_other(stage: Stage) -> None:
    assert start(stage, FIRST) is None and start(stage, COPY) is None
    stage.assigned()
    assert start(stage, COPY) is None and intake_now(stage) == ("open", None)


@pytest.mark.proves("copied home")
@pytest.mark.parametrize("before", ["open", "paused for an hour", "leaving", "stopped"])
def test_a_copy_waits_until_a_person_resumes_it(stage: Stage, before: str) -> None:
    stage.assigned()
    assert start(stage, FIRST) is None
    soon = stage.clock.now() + timedelta(hours=1)
    with stage.store.transaction() as tx:
        browsers.add(tx, WebSession(id_hash="h", created_at=NOW, seen_at=NOW))
        if before != "open":
            word, until = before.partition(" ")[0], None if before == "stopped" else soon
            intake.turn(tx, JOAN, word, until)
    past = start(stage, COPY)
    assert past is not None and (past.why, past.source) == ("copied", FIRST.root)
    assert intake_now(stage) == ("stopped" if before == "stopped" else "paused", None)
    with stage.store.transaction() as tx:
        assert browsers.find(tx, "h") is None, "it may have been signed out there since"
    [item] = open_items(stage)
    data = json.loads(item["data"])
    assert item["severity"] == Severity.CRITICAL and data["waiting"] == 1
    said = sentence("inbox_copied", data)
    assert FIRST.root in said and "1 wakeups wait here and there" in said
    assert stage.ground.kinds().count("database.copied") == 1
    assert start(stage, COPY) is None and len(open_items(stage)) == 1, "once"

    with pytest.raises(Invalid, match="until_after_copy"):
        control.pause(stage.desk, ASKED, soon)
    with stage.store.transaction() as tx:
        intake.turn(tx, SYSTEM, intake.PAUSED, soon)
    stage.clock.forward(hours=2)
    with stage.store.transaction() as tx:
        intake.pass_time(tx)
    assert intake_now(stage) == ("paused", None), "no time opens it"
    assert not stage.dispatcher.step()

    inbox.act(stage.desk, ASKED, item["id"], "resume")
    assert intake_now(stage) == ("open", None) and not open_items(stage)
    assert start(stage, COPY) is None and intake_now(stage) == ("open", None)
    assert stage.dispatcher.step(), "from now on it is the home"
    later = start(stage, replace(COPY, root="/homes/third", database=3_000))
    assert later is not None and later.source == COPY.root


@pytest.mark.proves("copied home")
def test_a_copy_of_a_copy_tells_where_it_is_from(stage: Stage) -> None:
    stage.assigned()
    start(stage, FIRST)
    start(stage, COPY)
    again = start(stage, replace(COPY, root="/homes/third", database=3_000))
    assert again is not None and again.source == COPY.root
    [item] = open_items(stage)
    assert json.loads(item["data"])["source"] == COPY.root
    inbox.act(stage.desk, ASKED, item["id"], "fix")
    assert intake_now(stage) == ("open", None) and not open_items(stage)
    control.resume(stage.desk, ASKED)
    assert intake_now(stage) == ("open", None) and not open_items(stage)


@pytest.mark.proves("copied home")
def test_a_start_that_is_killed_before_it_paused_is_noticed_by_the_next(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is noticed, where it lies now and the pause are one decision."""
    stage.assigned()
    start(stage, FIRST)

    def killed(*_: object, **__: object) -> None:
        raise Killed

    for room, name in ((restored, "put_all_away"), (worries, "ask"), (stored, "lies")):
        with monkeypatch.context() as now:
            now.setattr(room, name, killed)
            with pytest.raises(Killed):
                start(stage, COPY)
        assert intake_now(stage) == ("open", None) and not open_items(stage), "nothing is half done"
    assert start(stage, COPY) is not None
    assert intake_now(stage) == ("paused", None) and len(open_items(stage)) == 1


@pytest.mark.proves("copied home")
def test_a_restore_into_another_home_is_told_as_one(stage: Stage, tmp_path: Path) -> None:
    stage.assigned()
    start(stage, FIRST)
    with stage.store.transaction() as tx:
        told = {"why": "asked", "source": "/b.db", "as_of": 0, "aside": None, "last_event": None}
        values = {"scope_id": "", "value": json.dumps(told), "actor": "p", "updated_at": 1}
        names = "scope, key, scope_id, value, actor, updated_at"
        text = f"INSERT INTO settings ({names}) VALUES (?, ?, ?, ?, ?, ?)"
        tx.write_sql(text, (*restoring.MARK.values(), *values.values()))
    past = start(stage, COPY)
    assert past is not None and past.why == "asked"
    [item] = open_items(stage)
    assert json.loads(item["data"])["outcome"] == "restored"
    assert start(stage, COPY) is None, "it lies here from now on"


@pytest.mark.proves("copied home")
def test_no_routine_fires_in_a_copy_before_it_is_resumed(stage: Stage) -> None:
    """The other home fires at these instants."""
    routines = Routines(stage)
    routine = routines.add("0 * * * *")
    start(stage, FIRST)
    stage.clock.forward(minutes=90)
    start(stage, COPY)
    for _ in range(3):
        stage.clock.forward(hours=2)
        routines.due.fire_due()
        with stage.store.transaction() as tx:
            due = routines.due.next_due(tx)
            assert due is not None and due > tx.now, "the loop does not wake for nothing"
    assert stage.ground.rows("office_routine_runs") == []
    stage.clock.forward(hours=2)  # while no owner runs
    control.resume(stage.desk, ASKED)
    routines.due.fire_due()
    assert stage.ground.rows("office_routine_runs") == [], "what fell due was the other one's"
    stage.clock.forward(hours=1)
    routines.due.fire_due()
    [firing] = stage.ground.rows("office_routine_runs")
    assert firing["routine_id"] == routine.id


@pytest.mark.proves("copied home")
@pytest.mark.parametrize("copied", ["its run has ended", "it is intended"])
def test_what_was_to_be_delivered_waits_in_a_copy(stage: Stage, copied: str) -> None:
    """Both homes would put it on the same branch."""
    task = stage.assigned(DeliveryMode.AUTO)
    start(stage, FIRST)
    run = stage.launch()
    stage.leave(run, came="by an agent\n")
    if copied == "it is intended":
        stage.finish(run, result={"status": "completed"})
    start(stage, COPY)
    if copied == "its run has ended":
        stage.finish(run, result={"status": "completed"})
    stage.deliver()
    assert stage.folders.plain("ls-tree", "main", "came.txt") == ""
    [proposal] = stage.proposals(task)
    [held] = stage.tries(proposal)
    assert (held.status, held.reason) == ("held", {"code": "copied"})
    [item] = [one for one in stage.ground.rows("inbox_items") if one["kind"] != "doctor"]
    said = sentence("inbox_delivery_blocked", json.loads(item["data"]))
    assert "was copied since" in said
    inbox.act(stage.desk, ASKED, item["id"], "retry")
    stage.deliver()
    assert stage.folders.shown("came.txt") == "by an agent"


@pytest.mark.proves("copied home")
def test_a_working_copy_of_a_run_that_the_copy_does_not_know_is_kept_apart(stage: Stage) -> None:
    """The database was copied before the folders: there is more in them than it knows."""
    task = stage.assigned()
    start(stage, FIRST)
    stage.offered(task, known="1")
    (stage.folders.root / "runs").mkdir(exist_ok=True)
    (stage.folders.root / "runs" / "unknown").mkdir()
    start(stage, COPY)
    names = [one.name for one in (stage.folders.copies / "1").iterdir()]
    assert [one.partition(".before-")[::2] for one in names] != [("t1", "")] and len(names) == 1
    [item] = open_items(stage)
    assert names[0] in sentence("inbox_copied", json.loads(item["data"]))
