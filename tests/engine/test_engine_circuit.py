"""An agent that cannot work is paused after five runs in a row, not after each of its tasks."""

from datetime import timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import NOW, Ground

from roundtable_desktop.engine.circuit import GIVES_UP_AFTER, OPENS_AFTER
from roundtable_desktop.engine.desk import inbox as desk_inbox
from roundtable_desktop.engine.desk import pausing
from roundtable_desktop.model.ports import LaunchFailed
from roundtable_desktop.model.records import Agent, InboxItem
from roundtable_desktop.model.states import InboxStatus
from roundtable_desktop.rules import admission
from roundtable_desktop.store import agents, lists


def about_agents(stage: Stage) -> list[InboxItem]:
    with stage.ground.reader.snapshot() as view:
        found = lists.page(view, lists.INBOX, after=None, limit=99)
    return [one for one in found if one.subject_type == "agent"]


def agent_of(stage: Stage, agent: Agent) -> Agent:
    with stage.ground.reader.snapshot() as view:
        now = agents.get(view, agent.id)
    assert now is not None
    return now


def fail(stage: Stage, kind: str = "cli_missing") -> None:
    stage.launcher.refuse = LaunchFailed(kind, "no such program")
    assert stage.step()
    stage.play()
    stage.launcher.refuse = None
    stage.clock.forward(seconds=3)  # it is slowed down


@pytest.fixture
def ten(stage: Stage) -> tuple[Agent, list[Any]]:
    room = stage.workspace()
    agent = stage.agent(room)
    return agent, [stage.task(room, agent) for _ in range(10)]


@pytest.mark.slow
@pytest.mark.proves("F-44")
def test_five_in_a_row_pause_it_and_what_waits_comes_back_when_it_is_mended(
    stage: Stage, ten: tuple[Agent, list[Any]]
) -> None:
    agent, tasks = ten
    for _ in range(OPENS_AFTER):
        assert agent_of(stage, agent).status == "active"
        fail(stage)
    paused = agent_of(stage, agent)
    assert (paused.status, paused.paused_reason) == ("paused", "circuit_open")
    while stage.step():
        assert stage.play() == []
    assert len(stage.ground.runs()) == OPENS_AFTER
    (item,) = about_agents(stage)
    assert item.code == "inbox_circuit_open" and item.data["error_kind"] == "cli_missing"
    desk_inbox.act(stage.desk, ASKED, item.id, "mark_fixed")
    for task in tasks[OPENS_AFTER:]:
        run = stage.launch()
        assert run.task_id == task.id
        stage.finish(run, result={"status": "completed"})
    assert agent_of(stage, agent).status == "active"


@pytest.mark.proves("F-44")
def test_resumed_and_failing_again_it_is_paused_at_once(
    stage: Stage, ten: tuple[Agent, list[Any]]
) -> None:
    agent, _ = ten
    for _ in range(OPENS_AFTER):
        fail(stage)
    pausing.resume(stage.desk, ASKED, agent.id)
    assert about_agents(stage)[0].status is InboxStatus.RESOLVED
    fail(stage, "auth_required")
    assert agent_of(stage, agent).status == "paused"
    assert [one.status for one in about_agents(stage)] == ["open", "resolved"]


@pytest.mark.slow
@pytest.mark.proves("F-44")
@pytest.mark.parametrize("code", [1, -11])
def test_a_program_that_ends_at_once_is_not_started_again_and_again(
    stage: Stage, code: int
) -> None:
    """Ten tasks, and each failure would be tried again at once: its agent rests in between."""
    room = stage.workspace()
    agent = stage.agent(room, cooldown_sec=10)
    for _ in range(10):
        stage.task(room, agent)
    for launched in range(1, 11):
        run = stage.launch()
        assert stage.finish(run, code=code, stderr="no such option").error_text == "no such option"
        for _ in range(3):
            stage.clock.forward(seconds=3)
            assert not stage.step() and len(stage.ground.runs()) == launched
        stage.clock.forward(seconds=2)


@pytest.mark.slow
@pytest.mark.proves("F-44")
@pytest.mark.parametrize("code", [1, -11])
def test_one_that_ends_at_once_is_slowed_down_without_a_cooldown_too(
    stage: Stage, ten: tuple[Agent, list[Any]], code: int
) -> None:
    """The first few may be the work's own fault; then at most one in two seconds is started. What a
    person asks for goes at once, and one that worked ends it."""
    _, tasks = ten
    for _ in range(3):
        stage.finish(stage.launch(), code=code)
    for _ in range(4):
        assert not stage.step()
        stage.clock.forward(seconds=1.9)
        assert not stage.step()
        stage.clock.forward(seconds=0.2)
        stage.finish(stage.launch(), code=code)
    stage.ask_run(tasks[0])
    run = stage.launch()
    assert run.task_id == tasks[0].id
    stage.finish(run, result={"status": "completed"})
    stage.finish(stage.launch(), code=code)
    assert stage.step()


@pytest.mark.proves("F-44")
@pytest.mark.parametrize(
    ("lasted", "cooldown", "rests"),
    [
        ([0.1, 0.1, 0.1], 0, 2),
        ([0.1, 0.1, 0.1], 1, 1),
        ([0.1, 0.1, 0.1], 10, 0),
        ([0.1, 0.1], 0, 0),
        ([0.1, None, 0.1], 0, 0),
        ([0.1, 2.0, 0.1], 0, 0),
    ],
)
def test_how_long_it_rests(
    ground: Ground, lasted: list[float | None], cooldown: int, rests: int
) -> None:
    agent = ground.agent(ground.workspace(), cooldown_sec=cooldown)
    spans = [None if one is None else timedelta(seconds=one) for one in lasted]
    assert admission.rests_until(agent, spans, NOW) == NOW + timedelta(seconds=rests)


def test_one_that_worked_between_starts_the_count_anew(
    stage: Stage, ten: tuple[Agent, list[Any]]
) -> None:
    agent, _ = ten
    for _ in range(OPENS_AFTER - 1):
        fail(stage)
    stage.finish(stage.launch(), result={"status": "completed"})
    for _ in range(OPENS_AFTER - 1):
        fail(stage)
    assert agent_of(stage, agent).status == "active"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["spawn_failed", "crashed", "rate_limited"])
def test_what_waiting_may_cure_pauses_nobody(
    stage: Stage, ten: tuple[Agent, list[Any]], kind: str
) -> None:
    agent, _ = ten
    for _ in range(OPENS_AFTER + 1):
        fail(stage, kind)
    assert agent_of(stage, agent).status == "active"


# --- given up for good ---------------------------------------------------------------------------


def give_up(stage: Stage, agent: Agent) -> None:
    """One wakeup and all of its retries."""
    stage.wake(agent)
    for _ in range(5):
        stage.finish(stage.launch(), code=-11, stderr="no memory")
        stage.clock.forward(hours=3)


@pytest.mark.slow
@pytest.mark.proves("auto-pause")
def test_after_three_that_failed_for_good_it_waits_for_a_person(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    for _ in range(2):
        give_up(stage, agent)
        assert agent_of(stage, agent).status == "active"
    give_up(stage, agent)
    paused = agent_of(stage, agent)
    assert (paused.status, paused.paused_reason) == ("paused", "gave_up")
    item = next(one for one in about_agents(stage) if one.code == "inbox_gave_up")
    assert (item.data["count"], item.data["error_kind"], item.severity) == (
        *(GIVES_UP_AFTER, "crashed"),
        "attention",
    )
    stage.wake(agent)
    assert stage.step() and stage.play() == [], "it is held back"
    desk_inbox.act(stage.desk, ASKED, item.id, "mark_fixed")
    assert agent_of(stage, agent).paused_reason is None
    again = stage.launch()
    stage.finish(again, code=-11)
    assert agent_of(stage, agent).status == "active", "it is tried again, and has not failed yet"
    stage.clock.forward(hours=3)
    stage.finish(stage.launch(), result={"status": "completed"})
    give_up(stage, agent)
    assert agent_of(stage, agent).status == "active", "one that worked begins the count anew"
    resumed = [one for one in about_agents(stage) if one.code == "inbox_gave_up"]
    assert [one.status for one in resumed] == [InboxStatus.RESOLVED]


@pytest.mark.proves("auto-pause")
def test_a_person_who_resumes_it_has_answered(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    for _ in range(GIVES_UP_AFTER):
        give_up(stage, agent)
    pausing.resume(stage.desk, ASKED, agent.id)
    found = [one.status for one in about_agents(stage) if one.code == "inbox_gave_up"]
    assert found == [InboxStatus.RESOLVED]
