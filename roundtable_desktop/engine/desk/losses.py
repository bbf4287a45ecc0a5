"""A person's answer to the loss of a blocker: drop the edge, cancel the task, or do it again."""

from roundtable_desktop.engine import graph
from roundtable_desktop.engine.desk import Asked, Desk, board, check_revision, edges, once, tasks
from roundtable_desktop.model.errors import Illegal
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.records import InboxItem, Subject, Task
from roundtable_desktop.model.states import Source, TaskStatus
from roundtable_desktop.store import dependencies, missions, workspaces
from roundtable_desktop.store import tasks as rows
from roundtable_desktop.store.db import Tx


def answer(tx: Tx, desk: Desk, asked: Asked, item: InboxItem, action: str) -> list[str]:
    """One decision (C-42); the runs that are to be called off after it."""
    task = tasks.get(tx, str(item.data["task_id"]))
    blocker = tasks.get(tx, str(item.data["blocker_id"]))
    if action == "drop_edge":
        edges.drop(tx, desk.ids, task.id, blocker.id, asked.actor)
    elif action == "cancel":
        return board.move_now(tx, desk, asked, task, TaskStatus.CANCELLED)
    elif blocker.status is TaskStatus.FAILED:
        board.move_now(tx, desk, asked, blocker, TaskStatus.TODO)
    elif blocker.status is TaskStatus.CANCELLED:
        _do_anew(tx, desk, asked, blocker)
    return []


def restore(desk: Desk, asked: Asked, task_id: str) -> Task:
    """It is to be done after all. What was cancelled stays so, and a new task takes its place."""

    def act() -> Subject:
        task = tasks.get(tx, task_id)
        check_revision(asked, task.revision)
        if task.status is TaskStatus.CANCELLED:
            return Subject("task", _do_anew(tx, desk, asked, task))
        if task.status not in (TaskStatus.DONE, *tasks.STANDING_STILL):
            expect, to = str(task.status), str(TaskStatus.TODO)
            raise Illegal("illegal_move", machine="task", expect=expect, to=to)
        board.move_now(tx, desk, asked, task, TaskStatus.TODO)
        return Subject("task", task.id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, rows.get)


def _do_anew(tx: Tx, desk: Desk, asked: Asked, blocker: Task) -> str:
    """What was cancelled stays so: a new task takes its place for all that wait for it. Its id."""
    anew = rows.add(
        tx,
        asked.actor,
        id=desk.ids.new(),
        workspace_id=blocker.workspace_id,
        number=workspaces.next_task_number(tx, blocker.workspace_id),
        title=blocker.title,
        description=blocker.description,
        parent_id=blocker.parent_id,
        base_branch=blocker.base_branch,
        delivery=blocker.delivery,
        retry_budget=blocker.retry_budget,
        project=blocker.project,
        model=blocker.model,
        workspace_strategy=blocker.workspace_strategy,
        requires_approval=blocker.requires_approval,
        mission_id=blocker.mission_id,
        write_area=list(blocker.write_area),
        priority=blocker.priority,
        optional=blocker.optional,
        model_policy=blocker.model_policy,
        purpose=blocker.purpose,
        about_task_id=blocker.about_task_id,
    )
    before = [
        Edge(depends_on_task_id=one.depends_on_task_id, dependency_type=one.dependency_type)
        for one in dependencies.of_task(tx, blocker.id)
        if not one.inferred
    ]
    edges.draw(tx, anew, before, asked.actor)
    for waiting in dependencies.dependents(tx, blocker.id):
        edges.draw(tx, waiting, [Edge(depends_on_task_id=anew.id)], asked.actor)
        edges.drop(tx, desk.ids, waiting.id, blocker.id, asked.actor)
    if blocker.assignee_agent_id is not None:
        given = rows.assign(tx, anew, blocker.assignee_agent_id, asked.actor)
        if not missions.is_planned(tx, given):
            graph.wake(tx, desk.ids, given, Source.TASK_ASSIGNED, "assigned", asked.actor)
    return anew.id
