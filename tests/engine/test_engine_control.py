"""Who is at work, what a closed intake does by itself, and what a launch sees at its very start."""

from datetime import timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine import calling_off, intake
from roundtable_desktop.engine.desk import Asked, control, look_control, pausing, run_control
from roundtable_desktop.engine.explain import of_task
from roundtable_desktop.model.checkpoints import Rest
from roundtable_desktop.model.errors import Conflict, Illegal, Invalid
from roundtable_desktop.model.glance import AtWork, standing
from roundtable_desktop.model.records import BY_PERSON, Actor, Subject
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.phrases.foresight import WORDS
from roundtable_desktop.store import agents, events, runs, settings

TABLE = """
open      0 active
open      2 active
paused    0 paused
paused    2 paused
stopped   0 stopped
stopped   2 draining
leaving   0 left
leaving   1 leaving
"""
ACTIONS = {
    "pause": control.pause,
    "resume": control.resume,
    "stop": control.stop,
    "leave": control.leave,
    "force-stop": control.force_stop,
}
ENDS = {
    "pause": "paused",
    "resume": "open",
    "stop": "stopped",
    "leave": "leaving",
    "force-stop": "stopped",
}


@pytest.mark.proves("N-10 lid")
def test_what_is_left_keeps_the_lid_open_of_who_leaves_alone() -> None:
    for rest in (Rest(deliveries=1), Rest(pids=(7,))):
        assert standing("leaving", 0, rest) == "leaving"
        assert standing("stopped", 0, rest) == "stopped"


@pytest.mark.proves("F-54", "N-10 leave")
@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_how_it_stands_is_seen_from_the_intake_and_what_runs(row: str) -> None:
    of, running, state = row.split()
    assert standing(of, int(running)) == state


@pytest.mark.proves("R-24 control", "R-25 control", "R-26 control")
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("state", ["open", "paused", "stopped", "leaving"])
def test_every_action_in_every_state_moves_is_refused_or_changes_nothing(
    stage: Stage, state: str, action: str
) -> None:
    """Each move names who made it, in the transaction of the change; a refusal leaves no trace."""
    with stage.ground.store.transaction() as tx:
        settings.put_home(tx, intake=state)
        before = events.last_id(tx)
    act: Any = ACTIONS[action]
    if action == "pause" and state in ("stopped", "leaving"):
        with pytest.raises(Illegal, match="illegal_run_transition"):
            act(stage.desk, ASKED)
    else:
        act(stage.desk, ASKED)
    with stage.ground.store.transaction() as tx:
        now = settings.of_home(tx).intake
        told = [
            one
            for one in events.of(tx, intake.INTAKE)
            if one.id > before and one.kind == "control.changed"
        ]
    refused = action == "pause" and state in ("stopped", "leaving")
    assert now == (state if refused else ENDS[action])
    assert all((one.actor_type, one.actor_id) == (ASKED.actor.type, ASKED.actor.id) for one in told)
    changes = now != state or (action == "leave" and not refused)
    assert bool(told) == changes


@pytest.mark.proves("F-54")
def test_a_timed_pause_is_due_at_its_time_and_opens_once(stage: Stage) -> None:
    until = stage.clock.now() + timedelta(minutes=30)
    for past in (stage.clock.now(), stage.clock.now() + timedelta(days=400)):
        with pytest.raises(Invalid):
            control.pause(stage.desk, ASKED, past - timedelta(seconds=1) if past < until else past)
    control.pause(stage.desk, ASKED, until)
    task = stage.assigned()
    with stage.ground.store.transaction() as tx:
        assert intake.next_due(tx, tx.now) == until and intake.pass_time(tx) == []
    assert not stage.step()
    stage.clock.forward(minutes=30)
    with stage.ground.store.transaction() as tx:
        assert intake.pass_time(tx) == []
        assert settings.of_home(tx).intake == "open" and intake.next_due(tx, tx.now) is None
    assert stage.launch().task_id == task.id


@pytest.mark.proves("N-10 leave", "F-08")
def test_what_a_leave_breaks_off_is_marked_first_and_the_next_owner_goes_on(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    control.leave(stage.desk, ASKED, stage.clock.now() + timedelta(minutes=5))
    stage.clock.forward(minutes=5)
    with stage.ground.store.transaction() as tx:
        assert intake.pass_time(tx) == [run.id] and intake.pass_time(tx) == []
    marked = stage.ground.get_run(run.id)
    assert calling_off.called_off(marked.ended) == "interrupted"


@pytest.mark.proves("C-101")
@pytest.mark.parametrize("goes_on", ["by time", "by a person"])
def test_the_end_of_a_session_gives_no_freed_place_away(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, goes_on: str
) -> None:
    told: list[object] = []
    monkeypatch.setattr(stage.launcher, "control", lambda run, request: told.append(request) or {})
    workspace = stage.workspace()
    first, second, third = (stage.agent(workspace, name=name) for name in ("Ada", "Bob", "Cid"))
    for agent in (first, second):
        stage.task(workspace, agent)
    run = stage.launch()
    assert stage.step(), "decided, and not born yet"
    control.end_session(stage.desk)
    assert told == [{"do": "cancel", "reason": "interrupted", "hurry": True}]
    stage.play()
    assert [one for one in stage.launcher.orders] == [run.id]
    stage.task(workspace, third)
    stage.finish(run, "interrupted", None)
    assert not stage.step()
    with stage.ground.store.transaction() as tx:
        assert settings.of_home(tx).intake == "open"
    if goes_on == "by time":
        stage.clock.forward(minutes=2, seconds=1)
    else:
        control.resume(stage.desk, ASKED)
    assert stage.step()
    stage.play()
    assert len(stage.launcher.orders) == 2


@pytest.mark.proves("C-101")
def test_what_was_decided_as_a_session_ends_is_not_started(stage: Stage) -> None:
    stage.assigned()
    assert stage.step()
    with stage.ground.store.transaction() as tx:
        stage.desk.parting.begin(tx.now)
    stage.play()
    assert not stage.launcher.orders


@pytest.mark.proves("W-20")
def test_claimed_live_and_silent_are_three_numbers(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()

    def seen(lives: bool) -> AtWork:
        with stage.ground.store.transaction() as tx:
            return look_control.at_work(tx, lambda _: lives)

    assert seen(True) == AtWork(claimed=1, live=1, silent=0)
    assert seen(False) == AtWork(claimed=1, live=0, silent=0), "its row says running"
    for word, silent in (("silent", 1), ("heard", 0), ("silent", 1)):
        stage.spool(run).say(word, **({"seconds": 60.0} if word == "silent" else {}))
        stage.consume(run)
        assert seen(True).silent == silent
    assert seen(False).silent == 0, "what is dead is not silent"


@pytest.mark.proves("W-17")
@pytest.mark.parametrize("what", ["all", "agent"])
def test_what_was_decided_before_a_pause_is_not_started_after_it(stage: Stage, what: str) -> None:
    task = stage.assigned()
    assert stage.step()
    if what == "all":
        control.pause(stage.desk, ASKED)
    else:
        assert task.assignee_agent_id is not None
        pausing.pause(stage.desk, ASKED, task.assignee_agent_id)
    stage.play()
    assert not stage.launcher.orders
    wakeup = stage.wakeup(task)
    assert wakeup.retry_count == 0 and wakeup.status in ("queued", "claimed")


@pytest.mark.proves("B-099", "W-30 control")
def test_a_stop_of_a_run_is_marked_told_and_nobodys_failure(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    once = Asked(Actor("person", "owner"), "key", "print")
    for _ in range(2):
        assert run_control.cancel(stage.desk, once, run.id).id == run.id
    assert set(stage.launcher.heard) == {(run.id, "cancel")}
    stage.finish(run, code=-9)
    ended = stage.ground.get_run(run.id)
    assert (ended.outcome, ended.error_kind) == ("cancelled", None)
    now = stage.ground.get_task(task.id)
    assert (now.status, now.attempts_spent) == (TaskStatus.INTERRUPTED, 0)
    assert stage.wakeup(task).outcome == "user_cancelled"
    with stage.ground.store.transaction() as tx:
        told = [one.kind for one in events.of(tx, Subject("run", run.id))]
        assert of_task(tx, now, tx.now).code == "task_stopped_by_you"
    assert told.count("run.stopping") == 1
    with pytest.raises(Conflict, match="run_has_ended"):
        run_control.cancel(stage.desk, ASKED, run.id)


@pytest.mark.proves("C-83", "W-30 control")
def test_a_stop_takes_what_waits_behind_the_run_and_leaves_what_is_for_later(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    with stage.ground.store.transaction() as tx:
        agent = agents.get(tx, run.agent_id)
    assert agent is not None
    tomorrow = stage.clock.now() + timedelta(days=1)
    later = stage.wake(agent, "Look again.", task_id=task.id, at=tomorrow)
    behind = stage.wake(agent, "And this.", task_id=task.id)
    run_control.cancel(stage.desk, ASKED, run.id)
    stage.finish(run, code=-9)
    gone, kept = stage.ground.get_wakeup(behind.id), stage.ground.get_wakeup(later.id)
    assert (gone.status, gone.cancel_reason) == ("cancelled", "run_stopped")
    assert gone.cancel_reason in WORDS
    assert (kept.status, kept.held_by) == ("queued", "not_before")
    assert not stage.step()
    stage.clock.forward(days=1)
    assert stage.launch().wakeup_id == later.id


@pytest.mark.proves("B-099")
def test_a_stop_of_an_agent_ends_what_lives_beside_what_has_just_ended(stage: Stage) -> None:
    """A run that has said its last word and is not settled yet keeps nothing from being stopped."""
    workspace = stage.workspace()
    agent = stage.agent(workspace, max_concurrent_sessions=2)
    for _ in range(2):
        stage.task(workspace, agent)
    over, lives = stage.launch(), stage.launch()
    with stage.ground.store.transaction() as tx:
        runs.keep_ended(tx, stage.ground.get_run(over.id), {"end": {"why": "exited"}})
    assert pausing.stop(stage.desk, ASKED, agent.id, now=True).status == "stopped"
    assert BY_PERSON in (stage.ground.get_run(lives.id).ended or {})
    assert BY_PERSON not in (stage.ground.get_run(over.id).ended or {})
