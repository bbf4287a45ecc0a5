"""What an agent sees and makes of tasks in a run that is about none."""

from dataclasses import dataclass
from typing import Any

import pytest
from engine_stage import Stage

from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.engine.desk.reach import LOOSE_TASKS
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked
from roundtable_desktop.model.records import Agent, Run, Workspace
from roundtable_desktop.model.states import Role, TaskStatus


@dataclass
class Office:
    stage: Stage
    workspace: Workspace
    chair: Agent
    worker: Agent

    @property
    def agency(self) -> Agency:
        return Agency(self.stage.desk, self.stage.ground.reader)

    def woken(self, agent: Agent) -> Holder:
        """The place of its run, which is about no task."""
        self.stage.wake(agent)
        return holder_of(self.stage.launch())

    def make(self, holder: Holder, title: str, assignee: str | None = None, *before: str) -> Any:
        return self.agency.create_task(holder, title, "", assignee, before, None)

    def seen(self, holder: Holder, **asked: Any) -> list[object]:
        answer: Any = self.agency.list_tasks(
            holder, asked.get("status"), asked.get("after"), asked.get("limit", 50)
        )
        return [one["title"] for one in answer["tasks"]]


def holder_of(run: Run) -> Holder:
    return Holder(
        run_id=run.id, agent_id=run.agent_id, task_id=run.task_id, workspace_id=run.workspace_id
    )


@pytest.fixture
def office(stage: Stage) -> Office:
    workspace = stage.workspace()
    chair = stage.agent(workspace, name="Chair", role=Role.COORDINATOR)
    return Office(stage, workspace, chair, stage.agent(workspace, name="Ada"))


@pytest.mark.proves("K-64 taskless", "K-05")
def test_a_coordinator_that_time_woke_makes_tasks_and_gives_them_out(office: Office) -> None:
    chair = office.woken(office.chair)
    first = office.make(chair, "First", "Ada")
    second = office.make(chair, "Second", None, first["id"])
    assert (first["status"], first["parent_id"], first["number"]) == ("todo", None, 1)
    made = office.stage.ground.get_task(first["id"])
    assert (made.assignee_agent_id, made.base_branch, made.status) == (
        office.worker.id,
        "main",
        TaskStatus.TODO,
    )
    born = office.stage.launch()
    assert (born.task_id, born.agent_id) == (made.id, office.worker.id)
    assert office.seen(chair) == ["Second", "First"]
    assert office.agency.get_task(chair, second["id"])["title"] == "Second"
    office.agency.comment(chair, "Mind the tests.", first["id"], None)
    (said,) = office.agency.get_task(chair, first["id"])["comments"]  # type: ignore[misc]
    assert said == {"author": "agent", "text": "Mind the tests."}
    assert office.stage.ground.rows("task_dependencies")[0]["task_id"] == second["id"]


@pytest.mark.proves("K-64 taskless")
def test_others_see_what_is_theirs_and_the_rest_is_as_if_it_were_not(office: Office) -> None:
    stage = office.stage
    hers = stage.task(office.workspace, office.worker, title="Hers")
    stage.finish(stage.launch(), result={"status": "completed"})
    alien = stage.task(office.workspace, title="Nobody's")
    ada = office.woken(office.worker)
    assert office.seen(ada) == [] and office.seen(ada, status=TaskStatus.DONE) == ["Hers"]
    assert office.agency.get_task(ada, hers.id)["title"] == "Hers"
    for task_id in (alien.id, "0" * 26):
        for act in (
            lambda one=task_id: office.agency.get_task(ada, one),
            lambda one=task_id: office.agency.comment(ada, "hello", one, None),
            lambda one=task_id: office.make(ada, "After it", None, one),
        ):
            with pytest.raises(Absent) as refused:
                act()
            assert refused.value.code == "unknown_task"
    with pytest.raises(Absent) as refused:
        office.agency.get_task(ada, None)
    assert refused.value.code == "no_own_task"
    with pytest.raises(Absent) as refused:
        office.make(ada, "Given away", "nobody")
    assert refused.value.code == "unknown_agent"
    assert len(stage.ground.rows("tasks")) == 2, "nothing of what was refused was made"


@pytest.mark.proves("K-64 taskless")
def test_a_run_about_a_task_reaches_no_further_than_before(office: Office) -> None:
    stage = office.stage
    office.stage.task(office.workspace, title="Nobody's")
    mine = stage.task(office.workspace, office.chair, title="Mine")
    own = holder_of(stage.launch())
    part = office.make(own, "Part")
    assert part["parent_id"] == mine.id
    assert office.seen(own) == ["Part", "Mine"]
    with pytest.raises(Absent):
        office.agency.comment(own, "hello", part["id"], None)
    office.agency.comment(own, "hello", mine.id, None)


@pytest.mark.proves("K-64 taskless")
def test_a_chain_of_runs_does_not_fill_the_board(office: Office) -> None:
    chair = office.woken(office.chair)
    for number in range(LOOSE_TASKS):
        office.make(chair, f"Task {number}")
    with pytest.raises(Blocked) as refused:
        office.make(chair, "One more")
    assert refused.value.code == "too_many_tasks"
    newest: Any = office.agency.list_tasks(chair, None, None, 15)
    older = office.seen(chair, after=newest["next_cursor"], limit=15)
    assert (len(newest["tasks"]), len(older)) == (15, LOOSE_TASKS - 15)
    office.stage.clock.forward(hours=1, seconds=1)
    assert office.make(chair, "An hour later")["status"] == "todo"


@pytest.mark.proves("W-30 keys")
def test_the_same_key_makes_one_task(office: Office) -> None:
    chair = office.woken(office.chair)
    made = [office.agency.create_task(chair, "Once", "", None, (), "k") for _ in range(2)]
    assert made[0] == made[1] and len(office.stage.ground.rows("tasks")) == 1


@pytest.mark.proves("A-40 told")
def test_how_far_it_is_is_told_and_no_loop_fills_the_feed(office: Office) -> None:
    stage = office.stage
    task = stage.task(office.workspace, office.worker)
    ada = holder_of(stage.launch())
    for percent in (10, 20, 30):
        office.agency.progress(ada, "Reading.", percent, None)
    stage.clock.forward(seconds=6)
    office.agency.progress(ada, "Writing.", None, None)
    told = [one for one in stage.ground.events() if one.kind == "task.progress"]
    assert [(one.subject_id, one.data["percent"], one.data["text"]) for one in told] == [
        (task.id, 10, "Reading."),
        (task.id, None, "Writing."),
    ]
    chair = office.woken(office.chair)
    with pytest.raises(Absent) as refused:
        office.agency.progress(chair, "Sitting.", None, None)
    assert refused.value.code == "no_own_task"


@pytest.mark.proves("A-40 told")
def test_a_run_that_was_cancelled_says_so_of_its_agent(office: Office) -> None:
    stage = office.stage
    stage.task(office.workspace, office.worker)
    run = stage.launch()
    stage.finish(run, why="cancelled", code=None)
    (told,) = [one for one in stage.ground.events() if one.kind == "agent.cancelled"]
    assert (told.subject_id, told.data["agent_id"]) == (run.id, office.worker.id)
