"""What the pages of agents show: what each does now, what wakes it next, whom nothing wakes."""

from datetime import timedelta

import pytest
from engine_stage import ASKED, Stage
from routine_stage import Routines

from roundtable_desktop.engine.desk import pausing
from roundtable_desktop.engine.desk.look_agents import AtWork, LookAgents
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import Role, RoutineStatus
from roundtable_desktop.store import agents


def look(stage: Stage) -> LookAgents:
    return LookAgents(stage.ground.reader, stage.ground.clock)


def seen(stage: Stage, agent: Agent) -> AtWork:
    now = next(one for one in _all(stage, agent.workspace_id) if one.id == agent.id)
    [found] = look(stage).at_work([now])
    return found


def _all(stage: Stage, workspace_id: str) -> list[Agent]:
    with stage.ground.reader.snapshot() as view:
        return agents.every(view, workspace_id)


@pytest.mark.proves("C-89 page")
def test_working_and_idle_are_told_from_live_runs(stage: Stage) -> None:
    task = stage.assigned()
    agent = _all(stage, task.workspace_id)[0]
    assert seen(stage, agent).state == "idle" and seen(stage, agent).waiting == 1
    run = stage.launch()
    stage.consume(run)
    assert seen(stage, agent).state == "working"
    assert [one.id for one in seen(stage, agent).live] == [run.id]
    pausing.pause(stage.desk, ASKED, agent.id)
    assert seen(stage, agent).state == "paused" and seen(stage, agent).live
    stage.finish(run)
    pausing.resume(stage.desk, ASKED, agent.id)
    assert seen(stage, agent).state == "idle" and not seen(stage, agent).live


@pytest.mark.proves("K-63 banner")
def test_only_a_coordinator_that_no_enabled_schedule_wakes_is_unscheduled(stage: Stage) -> None:
    routines = Routines(stage, role=Role.COORDINATOR)
    [made] = look(stage).around(routines.agent).routines
    assert made.name == "Coordinator heartbeat"
    assert not seen(stage, routines.agent).unscheduled
    by_hand = routines.add(None, name="By hand")
    routines.edit(made, status=RoutineStatus.PAUSED)
    assert seen(stage, routines.agent).unscheduled, "a person sets the other off, no clock"
    routines.edit(made, status=RoutineStatus.ACTIVE)
    pausing.pause(stage.desk, ASKED, routines.agent.id)
    assert not seen(stage, routines.agent).unscheduled
    routines.remove(made)
    assert seen(stage, routines.agent).unscheduled and by_hand
    worker = stage.agent(routines.workspace, name="worker", role=Role.WORKER)
    assert not seen(stage, worker).unscheduled


@pytest.mark.proves("C-89 page")
def test_the_next_wake_is_the_first_of_schedules_and_of_waits(stage: Stage) -> None:
    routines = Routines(stage)
    agent = routines.agent
    assert seen(stage, agent).next_wake is None
    made = routines.add()
    due = routines.schedule(made).next_run_at
    assert seen(stage, agent).next_wake == due and due is not None
    soon = stage.ground.clock.now() + timedelta(seconds=20)
    stage.wake(agent, "Look", at=soon)
    assert seen(stage, agent).next_wake == min(due, soon)
    pausing.pause(stage.desk, ASKED, agent.id)
    assert seen(stage, agent).next_wake is None, "nothing starts for it"


@pytest.mark.proves("C-89 page")
def test_a_page_has_what_woke_it_and_what_it_can_go_on_with(stage: Stage) -> None:
    task = stage.assigned()
    agent = _all(stage, task.workspace_id)[0]
    [waits] = look(stage).around(agent).wakeups
    assert waits.task is not None and waits.task.id == task.id
    assert waits.why is not None and waits.why.code.startswith("waits_")
    run = stage.launch()
    stage.spool(run).say("session", id="talk-1", loaded=False)
    stage.consume(run)
    stage.finish(run)
    around = look(stage).around(agent)
    assert [(talk.external_id, about.id) for talk, about in around.sessions] == [
        ("talk-1", task.id)
    ]
    assert [one.id for one in around.runs] == [run.id]
    assert around.wakeups[-1].wakeup.run_id == run.id and around.wakeups[-1].why is None
    assert [str(one.kind) for one in around.events] == ["agent.added"]
