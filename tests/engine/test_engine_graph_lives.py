"""What waits for another task outlives its owner, and so do a routine's task and the board."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from routine_stage import HEAVY, Routines
from simulated import World

from roundtable_desktop.engine.desk import board, tasks
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DeliveryMode, TaskStatus

DEATHS = 24
"""In as many places of the story; the last ones are after its end."""


@pytest.fixture
def routines(stage: Stage) -> Routines:
    return Routines(stage)


@pytest.mark.slow
@pytest.mark.proves("K-53", "K-06")
@pytest.mark.parametrize("after", [False, True])
def test_a_task_that_waits_is_begun_once_wherever_its_owner_dies(
    tmp_path: Path, after: bool
) -> None:
    kills = 0
    for place in range(1, DEATHS + 1):
        folder = tmp_path / str(place)
        folder.mkdir()
        world = World(folder)
        workspace = world.ground.workspace()
        agent = world.ground.agent(workspace, cooldown_sec=0, max_concurrent_sessions=2).id
        given: dict[str, Any] = {"assignee_agent_id": agent, "delivery": DeliveryMode.AUTO}
        first = tasks.create(world.desk, ASKED, workspace.id, title="A", **given)
        edges = [Edge(depends_on_task_id=first.id)]
        second = tasks.create(world.desk, ASKED, workspace.id, title="B", depends_on=edges, **given)
        world.die_in(place, after=after)
        world.run(timedelta(days=1))
        kills += world.kills
        ended = {run.task_id: run.ended_at for run in world.ground.runs() if run.task_id}
        own = [run for run in world.ground.runs() if run.task_id == second.id]
        of_first = ended[first.id]
        assert of_first is not None and all(run.created_at >= of_first for run in own), place
        assert [str(run.outcome) for run in own] == ["done"], place
        assert world.ground.get_task(second.id).status is TaskStatus.DONE, place
        statuses = [one["status"] for one in world.ground.rows("agent_wakeup_requests")]
        assert not {"queued", "claimed"} & set(statuses), place
        world.ground.close()
    assert kills >= DEATHS // 2


def waits_for(routines: Routines, task_id: str, blocker: Task) -> None:
    edges = [Edge(depends_on_task_id=blocker.id)]
    tasks.change(routines.stage.desk, ASKED, task_id, depends_on=edges)


def move(routines: Routines, task_id: str, *to: TaskStatus) -> None:
    for one in to:
        board.move(routines.stage.desk, ASKED, task_id, one)


@pytest.mark.proves("K-53", "K-16", "K-24")
def test_a_routines_task_waits_and_its_firing_has_the_run_that_it_got(routines: Routines) -> None:
    """Nothing fires beside it meanwhile, and its firing ends with it."""
    routine = routines.add("0 * * * *", template=HEAVY)
    blocker = routines.stage.task(routines.workspace, None, title="First")
    routines.pass_time(hours=1)
    (firing,) = routines.firings(routine)
    task_id = str(firing.linked_task_id)
    waits_for(routines, task_id, blocker)
    assert routines.start() is None
    routines.pass_time(hours=1)
    assert routines.states(routine) == ["task_created", "coalesced"]
    move(routines, blocker.id, TaskStatus.IN_PROGRESS, TaskStatus.DONE)
    run = routines.work()
    assert run.task_id == task_id and routines.firings(routine)[0].run_id == run.id
    routines.finish(run)
    assert routines.states(routine)[0] == "done"
    assert routines.start() is None


@pytest.mark.proves("K-09", "K-24")
@pytest.mark.parametrize(
    ("moves", "end"),
    [
        ((TaskStatus.IN_PROGRESS, TaskStatus.DONE), "done"),
        ((TaskStatus.CANCELLED,), "cancelled"),
    ],
)
def test_a_persons_move_of_a_routines_task_ends_its_firing(
    routines: Routines, moves: tuple[TaskStatus, ...], end: str
) -> None:
    """And lets the next one fire."""
    routine = routines.add("0 * * * *", template=HEAVY)
    routines.pass_time(hours=1)
    (firing,) = routines.firings(routine)
    move(routines, str(firing.linked_task_id), *moves)
    assert routines.states(routine) == [end]
    assert routines.start() is None
    routines.pass_time(hours=1)
    assert routines.states(routine) == [end, "task_created"]


@pytest.mark.proves("K-19", "K-54 approval")
def test_a_routines_task_that_requires_approval_is_asked_about(routines: Routines) -> None:
    routine = routines.add("0 * * * *", template=HEAVY)
    routines.pass_time(hours=1)
    (firing,) = routines.firings(routine)
    task_id = str(firing.linked_task_id)
    tasks.change(routines.stage.desk, ASKED, task_id, {"requires_approval": True})
    routines.finish(routines.work())
    assert routines.stage.ground.get_task(task_id).status is TaskStatus.IN_REVIEW
    assert routines.states(routine) == ["task_created"]
    move(routines, task_id, TaskStatus.DONE)
    assert routines.states(routine) == ["done"]
