"""Where a task belongs: below which one, to which mission, and from which branch it starts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid
from roundtable_desktop.model.missions import OVER, Mission
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Json, Task, Workspace
from roundtable_desktop.model.states import TERMINAL_TASKS, DeliveryMode
from roundtable_desktop.store import lists, missions, tasks, workspaces
from roundtable_desktop.store.db import View


class Planned(TypedDict, total=False):
    """By what a task is judged and its mission plans it (`records.Task`). purpose, about_task_id:
    of what the engine makes for another task."""

    acceptance: str
    expected_files: Sequence[str]
    write_area: Sequence[str]
    priority: int
    optional: bool
    model_policy: Json | None
    purpose: Purpose
    about_task_id: str | None


@dataclass(frozen=True, slots=True)
class Belongs:
    """mission: None of a loose task."""

    parent_id: str | None = None
    mission: Mission | None = None

    @property
    def mission_id(self) -> str | None:
        return self.mission.id if self.mission else None

    @property
    def delivery(self) -> DeliveryMode | None:
        """Into the mission's own branch nobody is asked, unless it is said of the task."""
        return DeliveryMode.AUTO if self.mission else None


def belongs(
    view: View,
    workspace_id: str,
    parent_id: str | None,
    mission_id: str | None,
    base_branch: str | None,
) -> Belongs:
    """What is below a task of a mission is of that mission; what names no parent is below its
    root. All of it starts from the mission's own branch."""
    parent = _parent(view, workspace_id, parent_id) if parent_id else None
    if mission_id is None and parent is not None:
        mission_id = parent.mission_id
    if mission_id is None:
        return Belongs(parent.id if parent else None)
    mission = missions.get(view, mission_id)
    if mission is None or mission.workspace_id != workspace_id:
        raise Absent("unknown_mission", "/mission_id")
    check_open(mission)
    if parent is not None and parent.mission_id != mission.id:
        raise Invalid("parent_of_another_mission", "/parent_id", number=parent.number)
    if base_branch not in (None, mission.integration_branch):
        branch = mission.integration_branch
        raise Invalid("mission_has_its_branch", "/base_branch", branch=branch)
    return Belongs(parent.id if parent else mission.root_task_id, mission)


def starts_from(
    desk: Desk,
    workspace_id: str,
    parent_id: str | None,
    mission_id: str | None,
    base_branch: str | None,
) -> tuple[Workspace, str]:
    """The branch that a new task starts from; that of a mission may not be there yet."""
    with desk.store.transaction() as tx:
        workspace = _workspace(tx, workspace_id)
        of = belongs(tx, workspace_id, parent_id, mission_id, base_branch)
    if of.mission is not None:
        return workspace, of.mission.integration_branch
    branch = base_branch or workspace.base_branch
    if desk.git.commit_of(repository_of(workspace), branch) is None:
        raise Invalid("unknown_branch", "/base_branch", branch=branch)
    return workspace, branch


def check_open(mission: Mission) -> None:
    if mission.state in OVER:
        raise Conflict("mission_over", "/mission_id", state=str(mission.state))


def check_open_of(view: View, task: Task) -> None:
    """Refuses what would add to a mission that is over."""
    mission = missions.get(view, task.mission_id) if task.mission_id else None
    if mission is not None:
        check_open(mission)


def check_startable(view: View, task: Task) -> None:
    """Refuses to run what has no branch to start from yet, or none that counts any more."""
    check_open_of(view, task)
    mission = missions.get(view, task.mission_id) if task.mission_id else None
    if mission is not None and mission.opened_at is None:
        raise Blocked("mission_not_opened", number=task.number)


def _parent(view: View, workspace_id: str, given: str) -> Task:
    parent = tasks.get(view, given) or lists.by_suffix(view, lists.TASKS, given)
    if parent is None or parent.workspace_id != workspace_id:
        raise Absent("unknown_task", "/parent_id")
    if parent.status in TERMINAL_TASKS:
        raise Conflict("task_over", "/parent_id", number=parent.number, status=str(parent.status))
    return parent


def _workspace(view: View, workspace_id: str) -> Workspace:
    workspace = workspaces.get(view, workspace_id)
    if workspace is None:
        raise Absent("unknown_workspace", "/workspace_id")
    return workspace
