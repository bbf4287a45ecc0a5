"""An agent that says that it cannot go on asks a person, once for the same want."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from routine_stage import Routines

from roundtable_desktop.engine import quarantine
from roundtable_desktop.engine.desk import inbox, pausing, tasks
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.records import Agent, Task
from roundtable_desktop.model.states import Role, TaskStatus
from roundtable_desktop.store import agents
from roundtable_desktop.store import inbox as items
from roundtable_desktop.store.tables import InboxItems

NEEDS = {"owner": "user", "action": "Choose a port."}


def blocked(stage: Stage, **on: str) -> None:
    result = {"status": "blocked", "blocked": {**NEEDS, **on}}
    stage.finish(stage.launch(), result=result)


def asked(stage: Stage, status: str = "open") -> list[Any]:
    with stage.ground.reader.snapshot() as view:
        rows = view.all(items.InboxItem, InboxItems.select().order_by(InboxItems.id))
    return [one for one in rows if one.status == status]


@pytest.mark.proves("C-24", "C-24 asked")
def test_a_blocked_task_asks_its_owner_and_goes_on_with_the_answer(stage: Stage) -> None:
    task = stage.assigned()
    blocked(stage)
    (item,) = asked(stage)
    assert (item.kind, item.code, item.severity) == ("blocked", "inbox_blocked", "attention")
    assert (item.subject_id, item.data["action"], item.data["agent"]) == (
        task.id,
        "Choose a port.",
        "Ada",
    )
    inbox.act(stage.desk, ASKED, item.id, "retry")
    assert stage.ground.get_task(task.id).status is TaskStatus.TODO and not asked(stage)
    assert stage.launch().task_id == task.id


@pytest.mark.proves("C-24", "C-24 asked")
def test_a_word_on_the_task_answers_it_as_well(stage: Stage) -> None:
    task = stage.assigned()
    blocked(stage)
    tasks.comment(stage.desk, ASKED, task.id, "Take 8080.")
    assert not asked(stage)
    blocked(stage, action="And the host?")
    assert [one.data["action"] for one in asked(stage)] == ["And the host?"]


@pytest.mark.proves("C-24", "C-24 asked")
def test_without_a_task_it_asks_as_well_and_is_tried_again(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    stage.wake(agent, "look around")
    blocked(stage, owner="coordinator")
    (item,) = asked(stage)
    assert (item.subject_type, item.subject_id) == ("agent", agent.id)
    assert item.code == "inbox_blocked_on_others"
    inbox.act(stage.desk, ASKED, item.id, "retry")
    run = stage.launch()
    assert "look around" in stage.launcher.orders[run.id].prompt
    stage.finish(run, result={"status": "blocked", "blocked": NEEDS})
    (item,) = asked(stage)
    inbox.act(stage.desk, ASKED, item.id, "dismiss")
    assert not asked(stage) and not stage.step()


@pytest.mark.proves("C-24", "C-24 asked", "B-081")
@pytest.mark.parametrize("of_task", [True, False])
def test_an_agent_that_only_asks_for_leave_asks_a_person(stage: Stage, of_task: bool) -> None:
    agent = stage.agent(stage.workspace())
    if of_task:
        stage.task(stage.workspace_of(agent), agent)
    else:
        stage.wake(agent, "look around")
    run = stage.finish(stage.launch(), tail="I need permission to run npm install.\n")
    assert run.outcome == "blocked"
    (item,) = asked(stage)
    assert (item.kind, item.data["owner"]) == ("blocked", "user")
    assert item.data["action"] == "I need permission to run npm install."
    inbox.act(stage.desk, ASKED, item.id, "retry")
    assert stage.launch().task_id == run.task_id and not asked(stage)


def the_agent(stage: Stage, task: Task) -> Agent:
    with stage.ground.reader.snapshot() as view:
        found = agents.get(view, str(task.assignee_agent_id))
    assert found is not None
    return found


def wakes_of(stage: Stage, agent: Agent) -> list[Any]:
    rows = stage.ground.rows("agent_wakeup_requests")
    return [one for one in rows if one["agent_id"] == agent.id]


@pytest.mark.proves("C-24 others", "C-66")
@pytest.mark.parametrize(
    ("owner", "there", "told"),
    [
        ("architect", ["coordinator", "architect"], "architect"),
        ("architect", ["worker", "coordinator"], "coordinator"),
        ("debugger", ["coordinator", "worker", "debugger"], "debugger"),
        ("debugger", ["coordinator", "worker"], "worker"),
        ("debugger", ["coordinator"], "coordinator"),
        ("architect", ["worker"], None),
        ("architect", ["paused architect"], None),
    ],
)
def test_a_role_that_it_waits_for_is_brought_to_whoever_stands_for_it(
    stage: Stage, owner: str, there: list[str], told: str | None
) -> None:
    home = stage.workspace_of(the_agent(stage, stage.assigned()))
    others = {}
    for word in there:
        role, rests = word.split()[-1], word.startswith("paused")
        others[role] = stage.agent(home, name=role.title(), role=Role(role))
        if rests:
            pausing.pause(stage.desk, ASKED, others[role].id)
    blocked(stage, owner=owner)
    (item,) = asked(stage)
    woken = [one for one in others if wakes_of(stage, others[one])]
    assert woken == ([told] if told else [])
    assert item.data["owner"] == (told.title() if told else owner)


@pytest.mark.proves("C-24 others")
@pytest.mark.parametrize("named", ["coordinator", "id", "name"])
def test_the_agent_that_it_waits_for_is_woken_and_its_comment_lets_it_go_on(
    stage: Stage, named: str
) -> None:
    role = Role.COORDINATOR if named == "coordinator" else Role.WORKER
    task = stage.assigned()
    other = stage.agent(stage.workspace_of(the_agent(stage, task)), name="Bob", role=role)
    owner = {"coordinator": named, "id": f"agent:{other.id}", "name": "agent:Bob"}[named]
    blocked(stage, owner=owner)
    (item,) = asked(stage)
    assert (item.code, item.data["owner"]) == ("inbox_blocked_on_others", "Bob")
    run = stage.launch()
    assert (run.agent_id, run.task_id) == (other.id, None)
    told = run.assembled_prompt
    assert "Agent Ada cannot go on with T-1 and waits for you." in told
    assert "Choose a port." in told and task.id in told
    holder = Holder(run_id=run.id, agent_id=other.id, task_id=None, workspace_id=other.workspace_id)
    agency = Agency(stage.desk, stage.ground.reader)
    assert agency.get_task(holder, task.id)["number"] == 1
    agency.comment(holder, "Take 8080.", task.id, "once")
    stage.finish(run, result={"status": "completed"})
    second = stage.launch()
    assert second.task_id == task.id and "Take 8080." in second.assembled_prompt
    assert not asked(stage)
    with pytest.raises(Absent, match="run_access_over"):
        agency.comment(holder, "And more.", task.id, "twice")


@pytest.mark.proves("C-24 others")
def test_a_task_that_waits_for_nobody_is_not_shown_to_others(stage: Stage) -> None:
    task = stage.assigned()
    other = stage.agent(stage.workspace_of(the_agent(stage, task)), name="Bob")
    blocked(stage)
    stage.wake(other, "look around")
    run = stage.launch()
    holder = Holder(run_id=run.id, agent_id=other.id, task_id=None, workspace_id=other.workspace_id)
    with pytest.raises(Absent, match="unknown_task"):
        Agency(stage.desk, stage.ground.reader).get_task(holder, task.id)


@pytest.mark.slow
@pytest.mark.proves("C-24 others")
def test_two_agents_that_wait_for_each_other_end_at_a_person(stage: Stage) -> None:
    workspace = stage.workspace()
    ada, bob = stage.agent(workspace), stage.agent(workspace, name="Bob")
    stage.wake(ada, "begin")
    turns = 0
    while stage.step() and turns < 50:
        stage.play()
        run = stage.run
        stage.consume(run)
        turns += 1
        owner = f"agent:{(bob if run.agent_id == ada.id else ada).id}"
        want = {"owner": owner, "action": f"Turn {turns}"}
        stage.finish(run, result={"status": "blocked", "blocked": want})
    assert turns == 1 + 2 * 6
    assert len(wakes_of(stage, bob)) == 6 and len(asked(stage)) >= 1


@pytest.mark.proves("C-24 others")
@pytest.mark.parametrize("owner", ["agent:Ada", "agent:Zoe", "coordinator", "user"])
def test_what_no_other_agent_can_do_wakes_nobody(stage: Stage, owner: str) -> None:
    """Its own want, nobody's, that of a coordinator that is not there, and a person's, after whom
    an agent may be called."""
    task = stage.assigned()
    stage.agent(stage.workspace_of(the_agent(stage, task)), name="user")
    blocked(stage, owner=owner)
    assert len(asked(stage)) == 1 and not stage.step()
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED


@pytest.fixture
def routines(stage: Stage) -> Routines:
    return Routines(stage)


@pytest.mark.proves("C-24 asked", "K-35")
def test_a_routine_that_wants_the_same_each_time_asks_once(routines: Routines) -> None:
    routines.add()
    for action in ("Log in.", "Log in.", "Choose."):
        routines.pass_time(minutes=5)
        run = routines.work()
        routines.finish(run, "blocked", blocked={"owner": "user", "action": action})
    assert [one.data["action"] for one in asked(routines.stage)] == ["Choose."]
    assert len(asked(routines.stage, "resolved")) == 1
    routines.pass_time(minutes=5)
    routines.finish(routines.work())
    assert not asked(routines.stage), "it went on by itself"


@pytest.mark.proves("F-10", "K-35")
def test_a_poisoned_routine_asks_once_and_its_answer_is_for_all_of_them(
    routines: Routines,
) -> None:
    stage, routine = routines.stage, routines.add()
    for _ in range(4):
        routines.pass_time(minutes=5)
        claimed = stage.ground.claim()
        assert claimed is not None
        with stage.store.transaction() as tx:
            quarantine.set_aside(tx, stage.ids, claimed, quarantine.OWNER_DIED)
    (item,) = asked(stage)
    assert (item.data["times"], item.severity, item.code) == (4, "critical", "inbox_quarantined")
    again = [one for one in stage.ground.events() if one.kind == "inbox.asked_again"]
    assert [(one.subject_id, one.data["times"]) for one in again] == [
        (item.id, times) for times in (2, 3, 4)
    ]
    inbox.act(stage.desk, ASKED, item.id, "retry")
    run = routines.work()
    told = {one["payload"]["firing_id"] for one in run.causes()}  # type: ignore[index, call-overload]
    assert told == {one.id for one in routines.firings(routine)}


@pytest.mark.proves("K-35")
def test_what_was_asked_goes_when_the_routine_works_again(routines: Routines) -> None:
    stage = routines.stage
    routines.add()
    routines.pass_time(minutes=5)
    claimed = stage.ground.claim()
    assert claimed is not None
    with stage.store.transaction() as tx:
        quarantine.set_aside(tx, stage.ids, claimed, quarantine.OWNER_DIED)
    assert len(asked(stage)) == 1
    routines.pass_time(minutes=5)
    routines.finish(routines.work())
    assert not asked(stage)
