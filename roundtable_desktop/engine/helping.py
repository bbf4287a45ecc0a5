"""Makes the tasks by which a mission mends its own: repairs of merges, searches for causes."""

from collections.abc import Sequence

from roundtable_desktop.engine import graph
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import SYSTEM, Agent, Task
from roundtable_desktop.model.states import (
    AgentStatus,
    DeliveryMode,
    DependencySource,
    DependencyType,
    Role,
    TaskStatus,
)
from roundtable_desktop.rules.routes import DEBUGGER
from roundtable_desktop.store import agents, dependencies, tasks, workspaces
from roundtable_desktop.store.db import Tx, View

TITLE = "{what}: {title}"
WHAT = {Purpose.REPAIR: "Repair", Purpose.DEBUG: "Find the cause"}
LONGEST = 200
_ABLE = (DEBUGGER, Role.WORKER, Role.SPECIALIST)


def helper(view: View, task: Task) -> Agent | None:
    """Another one than whoever did it: a debugger, else who has the least to do (C-66)."""
    able = [
        one
        for one in agents.every(view, task.workspace_id)
        if one.id != task.assignee_agent_id
        and one.status is AgentStatus.ACTIVE
        and one.role in _ABLE
    ]

    def order(one: Agent) -> tuple[bool, int, str]:
        return one.role != DEBUGGER, tasks.actionable(view, one.id), one.id

    return min(able, key=order, default=None)


def make(
    tx: Tx,
    ids: Ids,
    mission: Mission,
    task: Task,
    purpose: Purpose,
    agent: Agent | None,
    words: str,
    files: Sequence[str] = (),
    area: Sequence[str] | None = None,
) -> Task:
    """Below the mission's root, from its branch, where the task itself may write, and before others
    that are as important; of what the mission can do without it can do without the helper too. The
    planner wakes its agent, or names one where nobody else is there (C-96). files: what it changes
    besides. area: where it may write instead."""
    made = tasks.add(
        tx,
        SYSTEM,
        id=ids.new(),
        workspace_id=task.workspace_id,
        number=workspaces.next_task_number(tx, task.workspace_id),
        title=TITLE.format(what=WHAT[purpose], title=task.title)[:LONGEST],
        description=words,
        base_branch=mission.integration_branch,
        delivery=DeliveryMode.AUTO,
        retry_budget=task.retry_budget,
        project=task.project,
        workspace_strategy=task.workspace_strategy,
        acceptance=task.acceptance,
        mission_id=mission.id,
        parent_id=mission.root_task_id,
        write_area=list(task.write_area if area is None else area),
        expected_files=list(files),
        priority=task.priority + 1,
        optional=task.optional,
        purpose=purpose,
        about_task_id=task.id,
    )
    return made if agent is None else tasks.assign(tx, made, agent.id, SYSTEM)


def come_first(tx: Tx, task: Task, made: Task) -> None:
    """The task is tried again when that is done."""
    dependencies.add(
        tx,
        task,
        made,
        DependencyType.HARD,
        reason=f"T-{made.number} looks for what made it fail.",
        source=DependencySource.SYSTEM,
        actor=SYSTEM,
    )


def block(tx: Tx, ids: Ids, task: Task, blocked: dict[str, object]) -> None:
    """Also of one in review, whose work does not go in as it is."""
    if task.status is TaskStatus.IN_REVIEW:
        data = {"by": str(blocked["action"])}
        graph.move(tx, ids, task, TaskStatus.IN_PROGRESS, actor=SYSTEM, data=data)
        task = _get(tx, task.id)
    graph.move(tx, ids, task, TaskStatus.BLOCKED, actor=SYSTEM, blocked=blocked)


def _get(view: View, task_id: str) -> Task:
    task = tasks.get(view, task_id)
    assert task is not None, "foreign keys hold"
    return task
