"""`roundtable run` from inside: who stays with a mission, at which pace, and what they leave."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage
from ground import JOAN, set_columns

from roundtable_desktop.engine import mission_control, waves
from roundtable_desktop.engine.desk import Asked, missions_control, sittings
from roundtable_desktop.engine.desk.look_graph import standing
from roundtable_desktop.model.errors import Absent, Busy, Illegal, Invalid
from roundtable_desktop.model.missions import MissionState, Pace, Sitting
from roundtable_desktop.model.run_actions import RunAction
from roundtable_desktop.store import missions as stored
from roundtable_desktop.store import sittings as rows

S = MissionState
PACE = sittings.pace_of(50, 400, 3)


@pytest.fixture
def crew(stage: Stage) -> Crew:
    made = Crew(stage)
    made.open()
    return made


def sit(crew: Crew, key: str | None = None, **words: Any) -> Sitting:
    asked = Asked(JOAN, key, "print")
    return sittings.begin(crew.stage.desk, asked, crew.home.id, PACE, **words)


def put(crew: Crew, state: MissionState) -> None:
    with crew.stage.store.transaction() as tx:
        set_columns(tx, "missions", crew.id, state=str(state))


def snapshots(crew: Crew, mission_id: str) -> list[Any]:
    with crew.stage.ground.reader.snapshot() as view:
        return rows.snapshots(view, mission_id)


@pytest.mark.proves("R-07")
def test_what_is_not_above_zero_is_the_usual_pace() -> None:
    usual = Pace(gives_up=True)
    assert sittings.pace_of(0, -1, 0) == sittings.pace_of(-5, 0, -3) == usual
    assert (usual.interval.total_seconds(), usual.backoff.total_seconds()) == (1, 0.25)
    assert (usual.max_errors, usual.most, Pace().most) == (5, 5, 10)


@pytest.mark.proves("R-04", "W-25", "C-57")
def test_it_makes_a_mission_or_takes_one_up(crew: Crew) -> None:
    assert sit(crew).mission_id == crew.id
    assert sit(crew, run_id=crew.id[-8:]).mission_id == crew.id
    with pytest.raises(Absent, match="unknown_mission"):
        sit(crew, run_id="zzzzzzzz")
    for words in ({"resume": True}, {"run_id": crew.id}):
        with pytest.raises(Invalid, match="goal_of_another"):
            sit(crew, goal="Another", **words)
    with pytest.raises(Invalid, match="goal_needed"):
        sit(crew, goal=" \n ")
    made = sit(crew, goal="Another", key="once")
    assert made.mission_id != crew.id and sit(crew, goal="Another", key="once") == made
    old, crew.id = crew.id, made.mission_id
    for state in (S.BLOCKED, S.FAILED, S.STOPPED, S.COMPLETED):
        put(crew, state)
        with pytest.raises(Illegal, match="run_is_over"):
            sit(crew)
        if state is S.COMPLETED:
            with pytest.raises(Illegal, match="mission_not_reopened"):
                sit(crew, resume=True)
        else:
            assert sit(crew, resume=True).mission_id == crew.id
            assert crew.mission.state is S.ACTIVE
    crew.id = old
    put(crew, S.PAUSED_INTAKE)
    assert sit(crew, run_id=old) and crew.mission.state is S.PAUSED_INTAKE
    assert sit(crew, run_id=old, resume=True) and crew.mission.state is S.ACTIVE


@pytest.mark.proves("R-22", "R-11", "W-11", "C-57")
def test_who_goes_settles_nothing_and_leaves_a_picture(crew: Crew) -> None:
    crew.task("One")
    first = sit(crew)
    second = sit(crew)
    before = crew.mission
    for _ in range(2):
        asked = Asked(JOAN, "go", "print")
        gone = sittings.end(crew.stage.desk, asked, second.id, "iteration_limit", 7)
    assert (gone.exit, gone.cycles) == ("iteration_limit", 7)
    after = crew.mission
    assert (after.state, after.ended_at, after.revision) == (before.state, None, before.revision)
    assert after.last_exit is not None and after.last_exit["reason"] == "iteration_limit"
    with crew.stage.ground.reader.snapshot() as view:
        lost = rows.get(view, first.id)
        assert lost is not None and lost.exit == "lost" and rows.present(view, crew.id) is None
    third = sit(crew)
    with crew.stage.store.transaction() as tx:
        assert rows.lose_all(tx) == 1, "as a start of the owner does"
    asked = Asked(JOAN, "gone", "print")
    gone = sittings.end(crew.stage.desk, asked, third.id, "cancelled", 2)
    assert gone.exit == "lost" and crew.mission.last_exit["reason"] == "cancelled"  # type: ignore[index]
    kept = [one for one in snapshots(crew, crew.id) if one.sitting_id != third.id]
    assert [(one.sitting_id, one.kind) for one in kept] == [
        (first.id, "initial"),
        (second.id, "initial"),
        (second.id, "final"),
    ]
    assert kept[0].counts == {"tasks": {"todo": 1}, "live_runs": 0, "waves": 0}


@pytest.mark.proves("W-11", "R-22")
def test_a_snapshot_that_cannot_be_kept_is_a_warning_and_undoes_nothing(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise Busy("database_busy")

    monkeypatch.setattr(rows, "keep_snapshot", full)
    with caplog.at_level(logging.WARNING):
        made = sit(crew, goal="Another")
    assert "no snapshot" in caplog.text
    with crew.stage.ground.reader.snapshot() as view:
        assert stored.get(view, made.mission_id) is not None
        assert rows.present(view, made.mission_id) == made


@pytest.mark.proves("R-07", "R-09", "R-10", "C-84")
def test_a_mission_somebody_stays_with_fails_at_the_first_threshold_and_at_their_pace(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, whole = sit(crew), waves.picture

    def picture(view: Any, mission: Any, *more: Any) -> Any:
        if mission.id == crew.id:
            raise ValueError("no more")
        return whole(view, mission, *more)

    with crew.stage.ground.reader.snapshot() as view:
        now = crew.stage.clock.now()
        monkeypatch.setattr(type(crew.stage.clock), "stands", False)
        due = crew.missions.next_due(view, now)
    assert due is not None and due - now == PACE.interval
    monkeypatch.setattr(waves, "picture", picture)
    crew.task("Never")
    states = []
    for _ in range(3):
        crew.look()
        states.append(crew.mission.state)
        crew.stage.clock.forward(seconds=40)
        sittings.beat(crew.stage.desk, made.id)
    assert states == [S.ACTIVE, S.ACTIVE, S.FAILED]
    told = [one.data for one in crew.stage.ground.events() if one.kind == "orchestrator.retry"]
    assert [(one["next_delay_ms"], one["max"]) for one in told][:2] == [(400, 3), (800, 3)]
    assert crew.mission.ended_at is not None and made.exit is None


@pytest.mark.proves("R-31", "R-04")
def test_what_is_planned_while_somebody_stays_is_launched_and_a_stop_ends_it(crew: Crew) -> None:
    sit(crew)
    task = crew.task("Do it", crew.agents[0])
    crew.turn()
    run = crew.run_of(task)
    act: Callable[..., Any] = missions_control.on
    stopped = act(crew.stage.desk, ASKED, crew.id, RunAction.STOP).mission
    assert stopped.state is S.DRAINING
    crew.end(run)
    with crew.stage.store.transaction() as tx:
        mission_control.pass_time(tx)
    assert crew.mission.state is S.STOPPED


@pytest.mark.proves("C-72")
def test_newer_tasks_of_others_hide_none_of_the_mission(crew: Crew) -> None:
    task = crew.task("Of it")
    for _ in range(50):
        crew.stage.task(crew.home, None, title="Of nobody")
    with crew.stage.ground.reader.snapshot() as view:
        every = standing(view, crew.home, crew.stage.clock.now())
        own = standing(view, crew.home, crew.stage.clock.now(), crew.id)
    assert task.id not in {one.task.id for one in every} and len(every) == 50
    assert [one.task.id for one in own] == [task.id, crew.mission.root_task_id]


@pytest.mark.proves("R-22", "C-57")
def test_who_was_killed_is_gone_within_a_minute_and_who_slept_is_back(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(crew.stage.clock), "stands", False)
    made, slow = sit(crew), sittings.pace_of(30_000, 0, 0)

    def present(mission_id: str = "") -> Sitting | None:
        with crew.stage.ground.reader.snapshot() as view:
            return rows.present(view, mission_id or crew.id)

    def after(seconds: int) -> Sitting | None:
        crew.stage.clock.forward(seconds=seconds)
        crew.look()
        return present()

    for _ in range(5):
        assert after(40) is not None, "it says something each interval"
        sittings.beat(crew.stage.desk, made.id)
    with crew.stage.ground.reader.snapshot() as view:
        due = crew.missions.next_due(view, crew.stage.clock.now())
    assert due is not None and due <= crew.stage.clock.now() + rows.SILENT
    assert after(59) is not None
    assert after(2) is None, "nobody has heard it for a minute"
    with crew.stage.ground.reader.snapshot() as view:
        gone = rows.get(view, made.id)
        assert gone is not None and (gone.exit, gone.ended_at is None) == (rows.LOST, False)
        assert crew.missions._pace(view, crew.id) == Pace(), "nor is its pace anybody's"
    sittings.beat(crew.stage.desk, made.id)
    back = present()
    assert back is not None and (back.id, back.exit) == (made.id, None), "both had slept"
    other = sittings.begin(crew.stage.desk, ASKED, crew.home.id, slow)
    sittings.beat(crew.stage.desk, made.id)
    now = present()
    assert now is not None and now.id == other.id, "only one stays at a time"
    assert after(80) is not None, "a slow one has three of its intervals"
    assert after(11) is None


@pytest.mark.proves("R-22")
def test_that_it_stays_is_written_down_now_and_then(crew: Crew) -> None:
    made = sit(crew)

    def heard() -> int:
        before = crew.stage.ground.rows("sittings")
        sittings.beat(crew.stage.desk, made.id)
        return sum(one not in before for one in crew.stage.ground.rows("sittings"))

    written = []
    for _ in range(40):
        crew.stage.clock.forward(seconds=1)
        written.append(heard())
    assert sum(written) == 2
