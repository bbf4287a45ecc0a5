"""A scheduled wake that is worth nothing costs nothing, and whoever asks is told so before."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from routine_stage import HEAVY, Routines

from roundtable_desktop.engine import explain_routines
from roundtable_desktop.engine.desk import agents, control, pausing
from roundtable_desktop.engine.desk import routines as desk_routines
from roundtable_desktop.engine.heartbeat import NAME
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.states import Adapter, Probe, Role, RoutineStatus, WakeupOutcome
from roundtable_desktop.store import routines as stored
from roundtable_desktop.store import tasks


def idle_agent(stage: Stage) -> Routines:
    """Its role decides: a worker is not woken by time alone while it has nothing to do."""
    return Routines(stage, skip_idle_wakeups=None)


@pytest.mark.proves("K-26", "K-28")
def test_time_alone_wakes_nobody_without_a_task(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """Failure 4 of the first systems: the skip asked for a reason that no wakeup had."""
    here = idle_agent(stage)
    routine = here.add()
    with caplog.at_level(logging.INFO):
        here.pass_time(minutes=5)
        assert here.start() is None
    (firing,) = here.firings(routine)
    assert (firing.status, firing.reason) == ("skipped", "idle_skipped")
    wakeup = here.wakeup_of(firing)
    assert (wakeup.status, wakeup.outcome) == ("finished", WakeupOutcome.IDLE_SKIPPED)
    (told,) = [one for one in stage.ground.events() if one.kind == "wakeup_idle_skipped"]
    names = {"wakeup_id", "agent_id", "agent_name", "reason"}
    told_of = {name: told.data[name] for name in names}
    assert told_of == {
        "wakeup_id": wakeup.id,
        "agent_id": here.agent.id,
        "agent_name": here.agent.name,
        "reason": "no_actionable_tasks",
    }
    assert f"wakeup_id={wakeup.id}" in caplog.text and "no_actionable_tasks" in caplog.text


@pytest.mark.proves("K-26")
def test_a_fire_by_hand_is_never_skipped_also_when_it_joins_a_scheduled_one(
    stage: Stage,
) -> None:
    here = idle_agent(stage)
    routine = here.add()
    here.fire(routine)
    here.finish(here.work())
    here.pass_time(minutes=5)
    here.fire(routine)
    here.finish(here.work())
    assert here.states(routine) == ["done", "done", "coalesced"]


@pytest.mark.proves("K-26", "K-72")
@pytest.mark.parametrize(
    ("moves", "woken"),
    [
        ("todo", True),
        ("in_progress", True),
        ("in_progress in_review", False),
        ("in_progress done", False),
        ("cancelled", False),
    ],
)
def test_what_is_to_be_done_or_under_way_counts(stage: Stage, moves: str, woken: bool) -> None:
    here = idle_agent(stage)
    task = stage.ground.task(here.workspace, here.agent)
    for to in moves.split():
        with stage.store.transaction() as tx:
            now = tasks.get(tx, task.id)
            assert now is not None
            if to != now.status:
                tasks.move(tx, now, type(now.status)(to), actor=ASKED.actor)
    here.add()
    here.pass_time(minutes=5)
    assert (here.start() is not None) == woken


@pytest.mark.proves("K-26")
def test_a_heavy_routine_brings_its_task_along(stage: Stage) -> None:
    here = idle_agent(stage)
    here.add(template=HEAVY)
    here.pass_time(minutes=5)
    assert here.start() is not None


@pytest.mark.proves("K-27", "C-89 roles")
@pytest.mark.parametrize("role", list(Role))
def test_who_is_skipped_follows_the_role_and_can_be_set(stage: Stage, role: Role) -> None:
    workspace = stage.workspace()
    made = stage.agent(workspace, role=role)
    assert made.skip_idle_wakeups is (role is not Role.COORDINATOR)
    other = stage.agent(workspace, role=role, name="Other", skip_idle_wakeups=False)
    assert not other.skip_idle_wakeups
    changed = agents.edit(stage.desk, ASKED, other.id, skip_idle_wakeups=True)
    assert changed.skip_idle_wakeups


def probed(stage: Stage, adapter: Adapter = Adapter.COMMAND) -> tuple[Routines, Routine]:
    """A routine with the coordinator's probe, which has run once."""
    here = Routines(stage)
    if adapter is not Adapter.COMMAND:
        made = agents.add(
            stage.desk,
            ASKED,
            here.workspace.id,
            name="Demo",
            adapter=adapter,
            command=[],
            skip_idle_wakeups=False,
            cooldown_sec=0,
        )
        here.agent = made
    routine = here.edit(here.add(), probe=Probe.WORKSPACE_EVENTS)
    here.pass_time(minutes=5)
    here.finish(here.work())
    return here, routine


@pytest.mark.proves("C-106")
def test_the_probe_lets_nothing_through_while_nothing_happened(stage: Stage) -> None:
    here, routine = probed(stage)
    for _ in range(3):
        here.pass_time(minutes=5)
        assert here.start() is None
    assert here.states(routine) == ["done", *["skipped"] * 3]
    assert {one.reason for one in here.firings(routine)[1:]} == {"probe_false"}
    stage.ground.task(here.workspace)
    here.pass_time(minutes=5)
    assert here.start() is not None, "somebody made a task"


@pytest.mark.proves("C-106")
def test_the_probe_is_not_asked_where_a_run_costs_nothing_or_a_person_asks(stage: Stage) -> None:
    here, routine = probed(stage)
    here.fire(routine)
    assert here.start() is not None


@pytest.mark.proves("C-106")
def test_the_built_in_agent_is_not_probed(stage: Stage) -> None:
    here, _ = probed(stage, Adapter.DEMO)
    here.pass_time(minutes=5)
    assert here.start() is not None


def coordinator(stage: Stage, **more: Any) -> Agent:
    return stage.agent(stage.workspace(), role=Role.COORDINATOR, **more)


def heartbeats(stage: Stage, agent: Agent) -> list[Routine]:
    with stage.ground.reader.snapshot() as view:
        return [one for one in stored.of_agent(view, agent.id) if one.name == NAME]


@pytest.mark.proves("K-25")
def test_a_coordinator_comes_without_its_routine_rather_than_not_at_all(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr("roundtable_desktop.engine.heartbeat.add_trigger", fail)
    agent = coordinator(stage)
    assert heartbeats(stage, agent) == [], "half a routine is none"
    assert "coordinator heartbeat not installed" in caplog.text
    monkeypatch.undo()
    desk_routines.install_heartbeat(stage.desk, ASKED, agent.id)
    (made,) = heartbeats(stage, agent)
    assert made.probe is Probe.WORKSPACE_EVENTS
    with pytest.raises(Conflict):
        desk_routines.install_heartbeat(stage.desk, ASKED, agent.id)


@pytest.mark.proves("K-25")
def test_another_role_later_brings_no_routine(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    agents.edit(stage.desk, ASKED, agent.id, role=Role.COORDINATOR)
    assert heartbeats(stage, agent) == []


def why(here: Routines, routine: Routine) -> str:
    now, seen = here.stage.clock.now(), here.get(routine)
    with here.stage.ground.reader.snapshot() as view:
        return explain_routines.of_routine(view, seen, now).code


@pytest.mark.proves("N-03")
def test_what_is_said_beforehand_is_what_happens(stage: Stage) -> None:
    """Each reason that a routine will not run, said by the gates that decide then."""
    here = idle_agent(stage)
    routine = here.add()
    assert why(here, routine) == "routine_not_idle_skip"
    here.pass_time(minutes=5)
    assert here.start() is None
    assert here.firings(routine)[-1].reason == "idle_skipped"

    agents.edit(stage.desk, ASKED, here.agent.id, skip_idle_wakeups=False)
    assert why(here, routine) == "routine_next_start"
    here.pass_time(minutes=5)
    run = here.work()
    assert why(here, routine) == "routine_next_merge"
    here.pass_time(minutes=5)
    assert here.states(routine)[-1] == "coalesced"
    here.finish(run)
    here.work_all()

    here.edit(routine, probe=Probe.WORKSPACE_EVENTS)
    here.fire(routine)
    here.work_all()
    assert why(here, routine) == "routine_not_probe"
    here.pass_time(minutes=5)
    assert here.start() is None
    assert here.firings(routine)[-1].reason == "probe_false"

    pausing.pause(stage.desk, ASKED, here.agent.id)
    assert why(here, routine) == "routine_not_agent_status"
    here.pass_time(minutes=5)
    assert here.start() is None
    assert here.firings(routine)[-1].reason == "agent_paused"

    here.edit(routine, status=RoutineStatus.PAUSED)
    assert why(here, routine) == "routine_paused"
    assert why(here, here.add(None, name="By hand")) == "routine_by_hand_only"
    here.pass_time(hours=1)
    assert len(here.firings(routine)) == 6


@pytest.mark.slow
@pytest.mark.proves("F-14")
def test_a_thousand_that_are_due_at_once_fire_once_each_in_bounded_steps(stage: Stage) -> None:
    here = Routines(stage)
    made = [here.add(name=f"Routine {number}") for number in range(1000)]
    stage.clock.forward(minutes=5)
    steps = 0
    while any_due(stage):
        here.due.fire_due()
        steps += 1
    assert steps == 5, "each step takes its share, and others come in between"
    rows = stage.ground.rows("office_routine_runs")
    assert len(rows) == 1000
    assert {row["routine_id"] for row in rows} == {one.id for one in made}
    late = {row["started_at"] - row["scheduled_at"] for row in rows}
    assert max(late) < timedelta(seconds=5) / timedelta(microseconds=1)


def any_due(stage: Stage) -> bool:
    with stage.ground.reader.snapshot() as view:
        due = stored.next_due(view)
    return due is not None and due <= stage.clock.now()


@pytest.mark.proves("N-03")
def test_a_pause_of_all_and_a_limit_are_said_beforehand(stage: Stage) -> None:
    here = Routines(stage)
    routine = here.add()
    control.pause(stage.desk, ASKED)
    assert why(here, routine) == "routine_not_intake"
    here.pass_time(minutes=5)
    assert here.start() is None
    control.resume(stage.desk, ASKED)
    run = here.work()
    stage.finish(run, code=1, stderr="429 Too Many Requests. Retry-After: 3600")
    assert why(here, routine) == "routine_not_account"
    here.pass_time(minutes=5)
    assert here.start() is None
