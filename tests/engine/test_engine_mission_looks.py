"""Looks at missions that fail, stand still, end, or are asked for something else meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine import waves
from roundtable_desktop.engine.desk import (
    Asked,
    approvals,
    board,
    edges,
    inbox,
    missions_control,
    requirements,
)
from roundtable_desktop.engine.desk import tasks as desk_tasks
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import Impact, MissionOutcome, MissionState, Phase
from roundtable_desktop.model.records import Actor, Subject
from roundtable_desktop.model.states import InboxStatus, TaskStatus
from roundtable_desktop.store import events, missions
from roundtable_desktop.store import inbox as items

REPORTED_BLOCKED = {
    "status": "blocked",
    "blocked": {"owner": "user", "action": "Say which colour"},
}


@pytest.fixture
def crew(stage: Stage) -> Crew:
    made = Crew(stage)
    made.open()
    return made


def poison(crew: Crew, monkeypatch: pytest.MonkeyPatch, mission_id: str) -> list[bool]:
    """Looks at that mission fail while the list has something in it."""
    on, whole = [True], waves.picture

    def picture(view: Any, mission: Any, *more: Any) -> Any:
        if on and mission.id == mission_id:
            raise ValueError("a row that nobody can read token=sk-ant-api03-aaaaaaaaaaaaaaaaaaaa")
        return whole(view, mission, *more)

    monkeypatch.setattr(waves, "picture", picture)
    return on


def pass_time(crew: Crew) -> None:
    """To the next look of its own."""
    crew.stage.clock.forward(seconds=40)


def told(crew: Crew, kind: str) -> list[Any]:
    return [one for one in crew.stage.ground.events() if one.kind == kind]


@pytest.mark.proves("R-02", "R-09", "W-07", "C-84", "R-10", "W-10")
def test_a_poisoned_mission_is_degraded_then_given_up_and_the_other_goes_on(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = crew.begin("Another")
    poison(crew, monkeypatch, crew.id)
    crew.task("Never")
    states, looked = [], 0
    for number in range(1, 11):
        crew.look()
        crew.stage.play()
        states.append(crew.mission.state)
        assert crew.mission.consecutive_errors == number
        assert (crew.id in crew.missions.failing) == (number >= 5 and number < 11)
        looked = len(told(crew, "orchestrator.retry"))
        crew.look()
        assert len(told(crew, "orchestrator.retry")) == looked, "it is not tried before its time"
        pass_time(crew)
    A, D, F = MissionState.ACTIVE, MissionState.DEGRADED, MissionState.FAILED
    assert states == [A] * 4 + [D] * 5 + [F]
    retries = [one.data for one in told(crew, "orchestrator.retry")]
    assert [one["attempt"] for one in retries] == list(range(1, 11))
    assert [one["next_delay_ms"] for one in retries][:4] == [250, 500, 1000, 2000]
    assert max(one["next_delay_ms"] for one in retries) == 30000
    assert {one["max"] for one in retries} == {10}
    assert [one["iteration"] for one in retries] == list(range(1, 11))
    assert "sk-ant" not in str(retries) and "ValueError" in str(retries[0])
    failed = crew.mission
    assert (failed.reason, failed.outcome) == ("look_failed", MissionOutcome.FAILED)
    assert failed.ended_at is not None and crew.kinds("orchestrator.f") == ["orchestrator.failed"]
    crew.look()
    assert crew.missions.failing == set()
    crew.id = other.id
    made = crew.task("Goes on")
    crew.turn()
    assert crew.run_of(made) and crew.mission.state is A


@pytest.mark.proves("W-07", "C-84")
def test_one_good_look_and_its_errors_do_not_count_any_more(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    on = poison(crew, monkeypatch, crew.id)
    crew.task("Do it")
    for _ in range(6):
        crew.look()
        pass_time(crew)
    assert crew.mission.state is MissionState.DEGRADED
    crew.restart()  # how often it failed is kept
    crew.look()
    assert crew.mission.consecutive_errors == 7
    on.clear()
    pass_time(crew)
    crew.look()
    mission = crew.mission
    assert (mission.state, mission.consecutive_errors) == (MissionState.ACTIVE, 0)
    assert mission.error is None and crew.missions.failing == set()
    assert len(crew.waves()) == 1


@pytest.mark.proves("W-08")
def test_that_a_retry_cannot_be_told_stops_nothing(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    on = poison(crew, monkeypatch, crew.id)
    crew.task("Do it")

    def broken(*_: Any) -> None:
        raise KeyError("no words")

    with monkeypatch.context() as patched:
        patched.setattr(crew.missions, "_tell", broken)
        crew.look()
        assert crew.missions.failing == {crew.id} and told(crew, "orchestrator.retry") == []
        assert crew.look() == 0, "and not at once again"
    on.clear()
    pass_time(crew)
    crew.look()
    assert crew.missions.failing == set() and len(crew.waves()) == 1


@pytest.mark.proves("A-37", "R-14", "R-32", "A-12", "C-59", "A-24", "A-01")
def test_a_mission_with_only_blocked_work_is_blocked_reported_and_opened_again(crew: Crew) -> None:
    task = crew.task("Paint it")
    crew.turn()
    crew.stage.finish(crew.run_of(task), result=REPORTED_BLOCKED)
    crew.look()
    mission = crew.mission
    assert (mission.state, mission.phase) == (MissionState.BLOCKED, Phase.BLOCKED)
    assert mission.reason == "all_remaining_tasks_blocked" and mission.outcome is None
    report: Any = mission.report
    assert [one["number"] for one in report["blocked"]] == [task.number]
    assert report["blocked"][0]["blocked"]["action"] == "Say which colour"
    assert report["required_decision"] == "unblock_tasks" and report["next_step"] == "reopen"
    assert crew.root.status is TaskStatus.BLOCKED
    with crew.stage.store.transaction() as tx:
        (item,) = items.open_about(tx, Subject("mission", crew.id))
    assert item.code == "inbox_mission_blocked" and item.data["report"] == report
    assert crew.look() == 0, "nobody looks at what is over"
    board.move(crew.stage.desk, ASKED, task.id, TaskStatus.TODO)
    inbox.act(crew.stage.desk, ASKED, item.id, "reopen")
    crew.turn()
    assert crew.mission.state is MissionState.ACTIVE and crew.mission.report is None
    crew.end(crew.run_of(task))
    crew.look()
    assert crew.mission.state is MissionState.COMPLETED and crew.root.status is TaskStatus.DONE


@pytest.mark.proves("A-37", "R-30")
def test_what_is_asked_about_a_blocked_mission_goes_when_it_goes_on(crew: Crew) -> None:
    crew.task("Nobody's", agent=None)
    for agent in crew.agents:
        missions_pause(crew, agent.id)
    crew.look()
    assert crew.mission.state is MissionState.BLOCKED
    missions_control.reopen(crew.stage.desk, ASKED, crew.id)
    with crew.stage.store.transaction() as tx:
        assert items.open_about(tx, Subject("mission", crew.id)) == []
    rows = [one for one in crew.stage.ground.rows("inbox_items") if one["kind"] == "blocked"]
    assert [one["status"] for one in rows] == [InboxStatus.RESOLVED]


def missions_pause(crew: Crew, agent_id: str) -> None:
    from roundtable_desktop.engine.desk import pausing

    pausing.pause(crew.stage.desk, ASKED, agent_id)


@pytest.mark.proves("C-82")
def test_what_waits_for_a_time_is_not_blocked(crew: Crew) -> None:
    task = crew.task("Do it")
    crew.turn()
    crew.stage.finish(crew.run_of(task), "crashed", 1)
    crew.look()
    assert crew.mission.state is MissionState.ACTIVE
    assert crew.mission.phase is Phase.MONITORING
    (waiting,) = crew.waiting(task)
    assert crew.mission.look_at == waiting.scheduled_retry_at


@pytest.mark.proves("A-36", "W-06", "R-29")
def test_what_failed_shows_in_the_outcome(crew: Crew) -> None:
    good = crew.task("Good", write_area=["a/"])
    bad = crew.task("Bad", write_area=["b/"], optional=True, retry_budget=0)
    crew.turn()
    crew.stage.finish(crew.run_of(bad), result={"status": "failed", "summary": "No."})
    crew.end(crew.run_of(good), good="1")
    crew.turn()
    mission = crew.mission
    report: Any = mission.report
    assert mission.state is MissionState.COMPLETED
    assert mission.outcome is MissionOutcome.WITH_FAILURES
    assert (report["skipped"], report["failed"], report["basis"]) == ([bad.number], [], "state")


@pytest.mark.proves("W-04", "R-14")
def test_a_mission_is_judged_by_its_own_rows(crew: Crew) -> None:
    done = crew.task("Done")
    crew.stage.task(crew.home, None, title="Loose and open")
    other = crew.begin("Another")
    crew.open()
    crew.stage.task(crew.home, None, title="Open elsewhere", mission_id=other.id)
    crew.turn()
    crew.end(crew.run_of(done))
    crew.turn()
    assert crew.mission.state is MissionState.COMPLETED
    crew.id = other.id
    assert crew.mission.state is MissionState.ACTIVE


@pytest.mark.proves("W-37", "R-15")
def test_while_its_coordinator_is_at_work_it_is_not_over(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    chair = crew.run_of(crew.root)
    task = crew.task("Do it")
    crew.turn()
    crew.end(crew.run_of(task), a="1")
    crew.turn()
    assert crew.mission.state is MissionState.ACTIVE
    crew.end(chair)
    crew.turn()
    again = crew.wakes()[-1]
    assert again == (crew.root.id, "children_completed") or crew.root.status is TaskStatus.DONE
    for run in crew.live():
        crew.end(run)
    crew.stage.clock.forward(seconds=20)
    crew.turn()
    for run in crew.live():
        crew.end(run)
        crew.turn()
    assert crew.mission.state is MissionState.COMPLETED


@pytest.mark.proves("A-37")
def test_a_coordinator_that_ends_without_a_plan_leaves_no_silence(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    crew.end(crew.run_of(crew.root))
    crew.turn()
    assert crew.mission.state is MissionState.BLOCKED
    assert crew.mission.reason == "no_work_planned"


@pytest.mark.proves("C-82", "W-37")
def test_what_the_coordinator_was_asked_to_see_to_is_not_blocked(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    task = crew.task("Paint it")
    crew.turn()
    crew.end(crew.run_of(crew.root))
    blocked = {"status": "blocked", "blocked": {"owner": "coordinator", "action": "Choose"}}
    stage.finish(crew.run_of(task), result=blocked)
    crew.look()
    assert crew.now(task).status is TaskStatus.BLOCKED
    assert crew.mission.state is MissionState.ACTIVE


@pytest.mark.proves("R-14", "A-10")
def test_without_any_task_it_waits_for_work(crew: Crew) -> None:
    crew.turn()
    assert (crew.mission.state, crew.mission.phase) == (MissionState.ACTIVE, Phase.IDLE)
    crew.task("Now")
    crew.look()
    moved = [one.data["to"] for one in told(crew, "mission.phase")]
    assert moved == ["LOADING_GRAPH", "PLANNING_WAVE", "DISPATCHING", "MONITORING"]


@pytest.mark.proves("A-11", "A-12")
def test_a_circle_that_came_in_by_another_door_blocks_it(crew: Crew) -> None:
    one, other = crew.task("One"), crew.task("Other")
    edges_of(crew, other.id, one.id)
    crew.stage.ground.store.db.execute_sql(
        "INSERT INTO task_dependencies SELECT depends_on_task_id, task_id, dependency_type, reason,"
        " source, created_at FROM task_dependencies WHERE task_id = ?",
        (other.id,),
    )
    crew.look()
    assert (crew.mission.state, crew.mission.reason) == (MissionState.BLOCKED, "invalid")
    report: Any = crew.mission.report
    assert report["faults"][0]["code"] == "circle"


def edges_of(crew: Crew, task_id: str, on: str) -> None:
    drawn = [Edge(depends_on_task_id=on)]
    desk_tasks.change(crew.stage.desk, ASKED, task_id, depends_on=drawn)
    assert edges.MOST


@pytest.mark.proves("A-23")
@pytest.mark.parametrize("word", ["yes", "no"])
def test_a_change_of_requirements_holds_what_it_touches_until_it_is_understood(
    stage: Stage, word: str
) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    touched, other = crew.task("Touched", write_area=["a/"]), crew.task("Other", write_area=["b/"])
    with pytest.raises(Absent):
        requirements.require(stage.desk, ASKED, crew.id, "Blue", [crew.root.id])
    requirements.require(stage.desk, ASKED, crew.id, "It is to be blue", [touched.id])
    assert crew.wakes()[-1] == (crew.root.id, "comment")
    crew.turn()
    assert crew.run_of(other) and crew.waiting(touched) == []
    chair = Actor("agent", crew.chair.id if crew.chair else "")
    by = Asked(chair)
    requirements.assessed(stage.desk, by, crew.id, Impact.ARCHITECTURE, "The API changes")
    assert told(crew, "architecture.impact.completed") == []
    assert len(stage.ground.rows("approvals")) == 1
    requirements.assessed(stage.desk, by, crew.id, Impact.ARCHITECTURE, "Once more")
    crew.turn()
    assert crew.waiting(touched) == [] and crew.now(touched).status is TaskStatus.TODO
    (asks,) = stage.ground.rows("approvals")
    if word == "yes":
        approvals.decide(stage.desk, Asked(JOAN), asks["id"], approved=True, note="So be it")
    else:
        approvals.decide(stage.desk, Asked(JOAN), asks["id"], approved=False, note="No")
        crew.turn()
        assert crew.waiting(touched) == [], "it is for whoever leads it to find another way"
        requirements.assessed(stage.desk, by, crew.id, Impact.IMPLEMENTATION)
    crew.turn()
    assert crew.run_of(touched)
    completed = [one.data["impact"] for one in told(crew, "architecture.impact.completed")]
    assert completed == ["architecture" if word == "yes" else "implementation"]


@pytest.mark.proves("A-23", "A-37")
def test_what_stands_still_for_a_change_goes_on_when_somebody_says_what_it_means(
    crew: Crew,
) -> None:
    touched = crew.task("Touched")
    requirements.require(crew.stage.desk, ASKED, crew.id, "It is to be blue", [touched.id])
    crew.turn()
    assert crew.mission.state is MissionState.BLOCKED, "nobody else is at work, and nobody leads it"
    requirements.assessed(crew.stage.desk, ASKED, crew.id, Impact.IMPLEMENTATION)
    crew.turn()
    assert crew.mission.state is MissionState.ACTIVE and crew.run_of(touched)


@pytest.mark.proves("R-32")
@pytest.mark.parametrize("at", ["before", "after"])
def test_an_end_is_whole_or_not_at_all(
    crew: Crew, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = crew.task("Do it")
    crew.turn()
    crew.end(crew.run_of(task), a="1")
    before = crew.mission
    whole: Callable[..., bool] = missions.move

    def killed(*words: Any, **more: Any) -> bool:
        if at == "after":
            whole(*words, **more)
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(missions, "move", killed)
        with pytest.raises(SystemExit):
            crew.look()
    assert crew.mission.state is before.state and crew.kinds("orchestrator.") == []
    crew.restart()
    crew.look()
    assert crew.mission.state is MissionState.COMPLETED
    with crew.stage.store.transaction() as tx:
        assert events.last_id(tx)
