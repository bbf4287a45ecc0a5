"""Which tasks an agent may see, by what its run is about; all others are as if they were not."""

from collections.abc import Sequence

from roundtable_desktop.engine.desk import Desk, edges
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked, Conflict
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.records import Actor, Task
from roundtable_desktop.model.states import Role, TaskStatus
from roundtable_desktop.store import agents, lists, missions, settings, tasks, workspaces
from roundtable_desktop.store.db import Tx, View

LOOSE_TASKS = 20
"""That one agent makes within an hour: a chain of runs must not fill the board (A5)."""

MOST_SEEN = 500
"""Of its own tasks, the newest."""

_OVERSEE = (Role.COORDINATOR, Role.ARCHITECT)
"""They see all tasks of their workspace: what is to be decided there is brought to them."""

UNFINISHED = tuple(
    status for status in TaskStatus if status not in (TaskStatus.DONE, TaskStatus.CANCELLED)
)


def own(view: View, holder: Holder) -> Task:
    task = tasks.get(view, holder.task_id) if holder.task_id else None
    if task is None:
        raise Absent("no_own_task" if holder.task_id is None else "unknown_task")
    return task


def named(view: View, holder: Holder, given: str | None, pointer: str = "") -> Task:
    """None: the run's own."""
    if given is None:
        return own(view, holder)
    task = tasks.get(view, given)
    if task is None or not _sees(view, holder, task):
        raise Absent("unknown_task", pointer)
    return task


def spoken_of(view: View, holder: Holder, given: str | None) -> Task:
    """One that it may say something about: its own, of a mission's root also those below it; in a
    turn about none any that it may see."""
    task = named(view, holder, given, "/task_id")
    if holder.task_id in (None, task.id):
        return task
    if task.parent_id != holder.task_id or missions.of_root(view, own(view, holder)) is None:
        raise Absent("unknown_task", "/task_id")
    return task


def below(view: View, holder: Holder, given: str, pointer: str = "/task_id") -> Task:
    """One that it may change: below the task that it works on, or as a coordinator whose turn is
    about none any that it may see."""
    task = named(view, holder, given, pointer)
    if holder.task_id is None and _coordinates(view, holder):
        return task
    if task.parent_id is None or task.parent_id != holder.task_id:
        raise Conflict("not_below_yours", pointer, number=task.number)
    return task


def listed(
    view: View, holder: Holder, status: TaskStatus | None, after: str | None, limit: int
) -> list[Task]:
    """Newest first; without a status those that are not over."""
    wanted = UNFINISHED if status is None else (status,)
    if holder.task_id is not None:
        task = own(view, holder)
        above = tasks.get(view, task.parent_id) if task.parent_id else None
        near = [task, *([above] if above else []), *tasks.below(view, task.id)]
        older = [one for one in near if one.status in wanted and (after is None or one.id < after)]
        return sorted(older, key=lambda one: one.id, reverse=True)[:limit]
    whose = {"routine_id": lists.NOTHING}
    if not _coordinates(view, holder):
        whose = {"assignee_agent_id": holder.agent_id}
    where = {"workspace_id": holder.workspace_id, "status": wanted, **whose}
    return lists.page(view, lists.TASKS, after=after, limit=limit, **where)


def seen(view: View, holder: Holder) -> tuple[str, ...] | None:
    """Ids of the tasks that it may see; None: all of its workspace."""
    if holder.task_id is not None:
        task = own(view, holder)
        above = [task.parent_id] if task.parent_id else []
        return (task.id, *above, *(one.id for one in tasks.below(view, task.id)))
    if _coordinates(view, holder):
        return None
    where = {"workspace_id": holder.workspace_id, "assignee_agent_id": holder.agent_id}
    found = lists.page(view, lists.TASKS, after=None, limit=MOST_SEEN, **where)
    return tuple(one.id for one in found)


def before(tx: Tx, holder: Holder, given: Sequence[str]) -> list[Edge]:
    """What a new task waits for: subtasks of the same one, or any that the agent may see."""
    return [
        checked(tx, holder, Edge(depends_on_task_id=one, pointer=f"/blocked_by/{place}"))
        for place, one in enumerate(given)
    ]


def checked(tx: Tx, holder: Holder, edge: Edge) -> Edge:
    """To a task that the agent may name; others are as if they were not."""
    task = named(tx, holder, edge.depends_on_task_id, edge.pointer)
    if holder.task_id is not None and task.parent_id != holder.task_id:
        raise Absent("unknown_task", edge.pointer)
    return edge


def add_loose(
    tx: Tx,
    desk: Desk,
    holder: Holder,
    title: str,
    description: str,
    depends_on: Sequence[Edge],
    **judged: object,
) -> Task:
    """A task of its own, made in a run that is about none; it follows the workspace's rules."""
    if tasks.loose_by_agent(tx, holder.workspace_id, holder.agent_id) >= LOOSE_TASKS:
        raise Blocked("too_many_tasks", most=LOOSE_TASKS)
    workspace = workspaces.get(tx, holder.workspace_id)
    assert workspace is not None, "foreign keys hold"
    actor = Actor("agent", holder.agent_id)
    task = tasks.add(
        tx,
        actor,
        id=desk.ids.new(),
        workspace_id=workspace.id,
        number=workspaces.next_task_number(tx, workspace.id),
        title=title,
        description=description,
        base_branch=workspace.base_branch,
        delivery=workspace.delivery,
        workspace_strategy=settings.strategy_of(tx, workspace.id),
        **judged,
    )
    edges.draw(tx, task, depends_on, actor)
    return task


def _sees(view: View, holder: Holder, task: Task) -> bool:
    if task.workspace_id != holder.workspace_id:
        return False
    if holder.task_id is None:
        mine_or_all = task.assignee_agent_id == holder.agent_id or _coordinates(view, holder)
        return mine_or_all or _waits_for(view, task, holder.agent_id)
    mine = own(view, holder)
    return task.id in (mine.id, mine.parent_id) or task.parent_id == mine.id


def _waits_for(view: View, task: Task, agent_id: str) -> bool:
    """Whether its own agent has said that it cannot go on without this one."""
    agent = agents.get(view, agent_id)
    owner = (task.blocked or {}).get("owner")
    if agent is None or task.status is not TaskStatus.BLOCKED:
        return False
    return owner in (f"agent:{agent.id}", f"agent:{agent.name}")


def _coordinates(view: View, holder: Holder) -> bool:
    agent = agents.get(view, holder.agent_id)
    return agent is not None and agent.role in _OVERSEE
