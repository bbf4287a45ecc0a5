"""A mission as a whole: the actions on it, and what they mean for its runs and its wakeups."""

from collections.abc import Sequence
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import JOAN, set_columns

from roundtable_desktop.engine import explain, mission_control
from roundtable_desktop.engine.desk import Asked, missions_control
from roundtable_desktop.engine.desk import missions as desk_missions
from roundtable_desktop.engine.desk.look_mission_control import LookMissionControl
from roundtable_desktop.model.errors import Busy, Conflict, Illegal, Invalid
from roundtable_desktop.model.missions import Mission, MissionState, Phase
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.run_actions import RUN_ACTIONS, RunAction, possible, spelled, state_of
from roundtable_desktop.model.states import RunStatus, TaskStatus, WakeupOutcome, WakeupStatus
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import counts, mission_work, missions, tasks, turns

S = MissionState
# As the seed has it, written down once more: prior states and where each leads.
MATRIX: dict[str, dict[str, str]] = {
    "start": {"stopped": "active", "starting": "active"},
    "pause": {"active": "paused_intake"},
    "resume": {"paused_intake": "active", "degraded": "active"},
    "stop": {"active": "stopped", "paused_intake": "stopped", "draining": "stopped"},
    "force-stop": {
        "active": "stopped",
        "paused_intake": "stopped",
        "draining": "stopped",
        "degraded": "stopped",
    },
}
ALL = [(action, state) for action in RunAction for state in MissionState]


class Standing:
    """A workspace with a mission, and an agent whose task belongs to it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.home = stage.workspace()
        self.agent = stage.agent(self.home, max_concurrent_sessions=3)
        self.mission = desk_missions.create(stage.desk, ASKED, self.home.id, goal="Go")
        with stage.store.transaction() as tx:
            missions.note(tx, self.mission, opened_at=tx.now)
        self.mission = self.now

    def put(self, state: MissionState) -> Mission:
        with self.stage.store.transaction() as tx:
            set_columns(tx, "missions", self.mission.id, state=str(state))
        return self.now

    @property
    def now(self) -> Mission:
        with self.stage.ground.reader.snapshot() as view:
            found = missions.get(view, self.mission.id)
        assert found is not None
        return found

    def newest(self) -> Mission:
        with self.stage.ground.reader.snapshot() as view:
            found = missions.newest(view, self.home.id)
        assert found is not None
        return found

    def act(self, action: str, key: str | None = None, **words: Any) -> missions_control.Acted:
        asked = Asked(JOAN, key, "print", request_id="r-1")
        return missions_control.act(
            self.stage.desk, asked, self.home.id, RunAction(action), **words
        )

    def task(self, **words: Any) -> Task:
        task = self.stage.task(self.home, self.agent, **words)
        with self.stage.store.transaction() as tx:
            set_columns(tx, "tasks", task.id, mission_id=self.mission.id)
            planned = "UPDATE agent_wakeup_requests SET reason = 'wave' WHERE task_id = ?"
            tx.write_sql(planned, (task.id,))
        return task

    def pass_time(self) -> None:
        with self.stage.store.transaction() as tx:
            mission_control.pass_time(tx)

    def live(self) -> Sequence[Run]:
        with self.stage.ground.reader.snapshot() as view:
            return mission_work.live(view, self.mission.id)

    def told(self) -> list[Any]:
        return [one for one in self.stage.ground.events() if one.kind.startswith("mission.")]


@pytest.fixture
def standing(stage: Stage) -> Standing:
    return Standing(stage)


@pytest.mark.proves("R-24", "W-25", "C-59")
def test_the_table_is_the_seeds() -> None:
    table = {
        str(action): {str(state): str(allowed.target) for state in allowed.prior}
        for action, allowed in RUN_ACTIONS.items()
    }
    assert table == MATRIX
    assert possible(None) == [RunAction.START] and possible(S.COMPLETED) == []
    assert [spelled(one) for one in (S.PAUSED_INTAKE, None)] == ["paused-intake", "stopped"]
    assert state_of("paused-intake") is state_of("paused_intake") is S.PAUSED_INTAKE


@pytest.mark.proves("R-24", "R-26", "R-27", "R-30", "W-24", "W-25", "C-57")
@pytest.mark.parametrize(("action", "state"), ALL)
def test_each_action_in_each_state(standing: Standing, action: RunAction, state: S) -> None:
    before = standing.put(state)
    told = len(standing.told())
    target = MATRIX[action].get(state)
    if target is None:
        with pytest.raises(Illegal) as refused:
            standing.act(action)
        assert refused.value.code == "illegal_run_transition"
        known = refused.value.values
        assert (known["state"], known["revision"]) == (spelled(state), before.revision)
        assert standing.now == before and len(standing.told()) == told
        return
    acted = standing.act(action).mission
    assert acted.state == target
    if (action, state) == (RunAction.START, S.STOPPED):
        assert acted.id != before.id and standing.now == before, "the stopped one stays as it is"
        assert (acted.goal, standing.newest()) == (before.goal, acted)
    else:
        assert acted.id == before.id and acted.revision > before.revision
    moves = [one for one in standing.told()[told:] if one.kind == "mission.moved"]
    assert moves and (moves[-1].actor_type, moves[-1].actor_id) == (JOAN.type, JOAN.id)
    if acted.id == before.id:
        data = dict(moves[-1].data)
        assert (data["action"], data["request_id"], data["to"]) == (action, "r-1", target)
    if target == "stopped":
        assert acted.ended_at is not None and acted.phase is Phase.CANCELLED


@pytest.mark.proves("R-24", "C-57")
@pytest.mark.parametrize("state", [S.STOPPED, S.BLOCKED, S.FAILED])
@pytest.mark.parametrize("action", [RunAction.RESUME, RunAction.PAUSE, RunAction.STOP])
def test_of_one_that_is_over_it_is_said_how_it_is_opened_again(
    standing: Standing, action: RunAction, state: S
) -> None:
    before = standing.put(state)
    with pytest.raises(Illegal) as refused:
        missions_control.on(standing.stage.desk, Asked(JOAN, "k", "print"), before.id, action)
    said = sentence(refused.value.code, refused.value.values)
    assert f"“roundtable mission reopen {before.slug}”" in said and "start" not in said


@pytest.mark.proves("R-27", "C-73")
def test_a_start_without_a_mission_needs_a_goal(stage: Stage) -> None:
    home = stage.workspace().id

    def act(action: str, **words: Any) -> Mission:
        asked = Asked(JOAN, "k" + action, "print")
        return missions_control.act(stage.desk, asked, home, RunAction(action), **words).mission

    for action in ("pause", "resume", "stop", "force-stop"):
        with pytest.raises(Illegal) as refused:
            act(action)
        assert refused.value.values["state"] == "stopped"
    with pytest.raises(Invalid, match="goal_needed") as missing:
        act("start")
    assert missing.value.pointer == "/goal"
    made = act("start", goal="Go")
    assert made.state is S.ACTIVE
    again = act("start", goal="Go")
    assert again.id == made.id, "the same request once more"
    kinds = [(one.data.get("from"), one.data.get("to")) for one in stage.ground.events()]
    assert ("starting", "active") in kinds


@pytest.mark.proves("W-23", "W-26")
def test_who_means_another_mission_or_revision_is_refused(standing: Standing) -> None:
    first = standing.mission
    with pytest.raises(Conflict, match="not_the_newest_run"):
        standing.act("pause", run_id="zzzzzz")
    asked = Asked(JOAN, "k", "print", revision=first.revision + 7)
    with pytest.raises(Conflict, match="changed_meanwhile"):
        missions_control.act(standing.stage.desk, asked, standing.home.id, RunAction.PAUSE)
    assert standing.now == first
    assert standing.act("pause", run_id=first.id).mission.state is S.PAUSED_INTAKE


@pytest.mark.proves("W-17", "C-59")
def test_nothing_of_a_paused_mission_is_started_and_a_resume_lets_it_go_on(
    standing: Standing,
) -> None:
    stage, task = standing.stage, standing.task()
    standing.act("pause")
    assert stage.step() and not stage.acts
    waits = stage.wakeup(task)
    assert (waits.status, waits.held_by) == (WakeupStatus.QUEUED, "mission_paused")
    assert not stage.step(), "it is not asked again and again"
    with stage.ground.reader.snapshot() as view:
        why = explain.of_wakeup(view, waits, stage.clock.now())
    assert "mission is paused" in sentence(why.code, why.values)
    standing.act("resume")
    run = stage.launch()
    assert run.task_id == task.id and run.status is RunStatus.RUNNING


@pytest.mark.proves("W-17")
def test_what_was_decided_before_a_pause_and_is_not_there_yet_is_not_started(
    standing: Standing,
) -> None:
    stage, task = standing.stage, standing.task()
    assert stage.step()
    standing.act("pause")
    stage.play()
    assert stage.launcher.orders == {}
    stage.consume(stage.run)
    stage.play()
    assert stage.wakeup(task).status is WakeupStatus.QUEUED
    standing.act("resume")
    stage.clock.forward(minutes=2)
    assert stage.launch().status is RunStatus.RUNNING


@pytest.mark.proves("C-56", "W-28", "W-29", "C-95 kept")
def test_a_stop_lets_what_runs_end_and_starts_nothing_more(standing: Standing) -> None:
    stage, task = standing.stage, standing.task()
    run = stage.launch()
    other = standing.task(title="Next")
    stopped = standing.act("stop", "k").mission
    assert stopped.state is S.DRAINING and stopped.ended_at is None
    waited = stage.wakeup(other)
    assert (waited.status, waited.outcome, waited.cancel_reason) == (
        WakeupStatus.CANCELLED,
        WakeupOutcome.MISSION_STOPPED,
        "mission_stopped",
    )
    standing.pass_time()
    assert standing.now.state is S.DRAINING and standing.act("stop").mission.state is S.DRAINING
    with stage.store.transaction() as tx:
        tasks.touch(tx, task)
    stage.ask_run(other)
    assert stage.step() and not stage.acts
    assert stage.wakeup(other).outcome is WakeupOutcome.MISSION_STOPPED
    stage.finish(run, result={"status": "completed"})
    standing.pass_time()
    over = standing.now
    assert (over.state, over.phase, over.reason) == (S.STOPPED, Phase.CANCELLED, "stopped")
    assert over.ended_at is not None and stage.ground.rows("leases") == []
    assert standing.act("stop", "k").mission == over, "a repeat answers with how it is now"


@pytest.mark.proves("W-28", "C-56")
def test_what_fails_while_it_drains_is_not_tried_again(standing: Standing) -> None:
    stage, task = standing.stage, standing.task()
    run = stage.launch()
    standing.act("stop")
    stage.finish(run, "silence", -9)
    waited = stage.wakeup(task)
    assert (waited.status, waited.outcome) == (
        WakeupStatus.CANCELLED,
        WakeupOutcome.MISSION_STOPPED,
    )
    standing.pass_time()
    assert standing.now.state is S.STOPPED


@pytest.mark.proves("C-56", "W-29", "W-30")
def test_a_force_stop_ends_its_runs_and_no_others_and_tells_it_twice(standing: Standing) -> None:
    stage, task = standing.stage, standing.task()
    run = stage.launch()
    loose = stage.task(standing.home, stage.agent(standing.home, name="Bob"))
    other = stage.launch()
    assert other.task_id == loose.id
    stage.spool(run).end("interrupted", None)  # as its runner does when it hears of it
    acted = standing.act("force-stop", "k")
    assert acted.mission.state is S.STOPPED and acted.mission.ended_at is not None
    assert stage.launcher.swept == [run.id], "nobody else's"
    (killed,) = [one for one in standing.told() if one.kind == "mission.killed"]
    assert set(killed.data) >= {"killed", "survivors", "action", "key", "request_id"}
    again = standing.act("force-stop", "k")
    assert (again.mission, again.ended) == (acted.mission, acted.ended)
    assert len([one for one in standing.told() if one.kind == "mission.killed"]) == 1
    stage.consume(run)
    stage.play()
    assert stage.wakeup(task).outcome is WakeupOutcome.MISSION_STOPPED
    with stage.ground.reader.snapshot() as view:
        assert tasks.get(view, task.id).status is TaskStatus.INTERRUPTED  # type: ignore[union-attr]
    assert stage.ground.get_run(other.id).status is RunStatus.RUNNING


@pytest.mark.proves("W-28", "C-56")
@pytest.mark.parametrize("before", ["_end_all_of", "end_runs"])
def test_a_force_stop_that_was_broken_off_is_finished_by_the_next_owner(
    standing: Standing, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    stage, _ = standing.stage, standing.task()
    run = stage.launch()

    def dies(*_: object) -> None:
        raise RuntimeError("the power is gone")

    with monkeypatch.context() as broken:
        broken.setattr(missions_control, before, dies)
        with pytest.raises(RuntimeError):
            standing.act("force-stop", "k")
    assert standing.now.state is S.STOPPING
    stage.restart()
    stage.play()
    assert (run.id, "cancel") in stage.launcher.heard
    stage.finish(run, "interrupted", None)
    standing.pass_time()
    assert standing.now.state is S.STOPPED


@pytest.mark.proves("C-57")
@pytest.mark.parametrize("state", list(MissionState))
def test_a_mission_is_opened_again_from_its_ends_but_not_from_completed(
    standing: Standing, state: S
) -> None:
    stage, task = standing.stage, standing.task()
    coordinator = stage.agent(standing.home, name="Cora")
    standing.put(state)
    with stage.store.transaction() as tx:
        root = tasks.get(tx, standing.mission.root_task_id)
        assert root is not None
        tasks.assign(tx, root, coordinator.id, JOAN)
        set_columns(tx, "tasks", task.id, status=TaskStatus.INTERRUPTED)
        set_columns(tx, "missions", standing.mission.id, consecutive_errors=5, reason="why")
    asked = Asked(JOAN, "k", "print", request_id="r-2")
    if state not in (S.BLOCKED, S.FAILED, S.STOPPED):
        with pytest.raises(Illegal, match="mission_not_reopened"):
            missions_control.reopen(stage.desk, asked, standing.mission.id)
        return
    for _ in range(2):
        opened = missions_control.reopen(stage.desk, asked, standing.mission.id)
        assert (opened.state, opened.reason, opened.consecutive_errors) == (S.ACTIVE, None, 0)
    assert opened.ended_at is None
    moves = [one for one in standing.told() if one.kind == "mission.moved"]
    assert (moves[-1].data["action"], moves[-1].data["request_id"]) == ("reopen", "r-2")
    with stage.ground.reader.snapshot() as view:
        assert tasks.get(view, task.id).status is TaskStatus.TODO  # type: ignore[union-attr]
    woken = stage.wakeup(root)
    assert (woken.reason, woken.agent_id) == ("mission_reopened", coordinator.id)


@pytest.mark.proves("W-22", "W-18", "W-20", "R-23")
def test_what_cannot_be_found_out_is_unknown_and_never_none_at_all(
    standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, _ = standing.stage, standing.task()
    stage.launch()
    reader = stage.ground.reader

    def refuses(*_: Any) -> Any:
        raise Busy("database_busy")

    def silent(_: Any) -> bool:
        raise PermissionError("/proc")

    seen = LookMissionControl(reader, lambda process: True).status(standing.home)
    assert (seen.live, seen.claimed, seen.silent, seen.degraded) == (1, 1, 0, False)
    seen = LookMissionControl(reader, lambda process: False).status(standing.home)
    assert (seen.live, seen.claimed, seen.degraded) == (0, 1, False)
    seen = LookMissionControl(reader, silent).status(standing.home)
    assert (seen.live, seen.claimed, seen.degraded) == (None, 1, True)
    monkeypatch.setattr(counts, "of_workspace", refuses)
    seen = LookMissionControl(reader, lambda process: True).status(standing.home)
    assert seen.mission == standing.now and seen.counts is seen.live is None and seen.degraded
    monkeypatch.setattr(missions, "newest", refuses)
    with pytest.raises(Busy):
        LookMissionControl(reader, lambda process: True).status(standing.home)


@pytest.mark.proves("W-28")
def test_a_stop_leaves_nobody_waiting_for_a_turn(standing: Standing) -> None:
    stage, _ = standing.stage, standing.task()
    run = stage.launch()
    with stage.store.transaction() as tx:
        mine = {"scope": standing.mission.id, "mission_id": standing.mission.id}
        turns.request(tx, run, id=stage.ids.new(), reason="to merge", **mine)
    standing.act("stop")
    stage.finish(run, result={"status": "completed"})
    standing.pass_time()
    assert standing.now.state is S.STOPPED
    with stage.ground.reader.snapshot() as view:
        assert turns.every_open(view) == []
