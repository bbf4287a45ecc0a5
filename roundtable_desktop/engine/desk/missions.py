"""Commands about missions."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from roundtable_desktop.engine.desk import Asked, Desk, once
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.errors import Absent, Invalid
from roundtable_desktop.model.missions import Mission, MissionState
from roundtable_desktop.model.records import Actor, Agent, Subject, Workspace
from roundtable_desktop.model.states import DeliveryMode
from roundtable_desktop.store import agents, missions, settings, tasks, workspaces
from roundtable_desktop.store.db import Tx, View

BRANCHES = "roundtable/m/"
TITLE = 80
"""Characters of the goal's first line that name its root task."""
SLUG = 40


def create(
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    *,
    goal: str,
    base_branch: str | None = None,
    coordinator_agent_id: str | None = None,
    delivery: DeliveryMode | None = None,
) -> Mission:
    """A mission, active at once (W-24), with its root task. Its integration branch is made by the
    engine, and nothing of it starts before."""
    from_here = prepare(desk, workspace_id, goal, base_branch)

    def act() -> Subject:
        made = begin_from(tx, desk, asked.actor, from_here, coordinator_agent_id, delivery)
        return Subject("mission", made.id)

    with desk.store.transaction() as tx:
        made = once(tx, asked, act, missions.get)
    return made


@dataclass(frozen=True, slots=True)
class Prepared:
    """What git was asked for before a mission begins: within a transaction it is not."""

    workspace: Workspace
    goal: str
    slug: str
    base_branch: str
    base_commit: str


def prepare(desk: Desk, workspace_id: str, goal: str, base_branch: str | None = None) -> Prepared:
    if not goal.strip():
        raise Invalid("goal_needed", "/goal")
    with desk.store.transaction() as tx:
        workspace = _workspace(tx, workspace_id)
    branch = base_branch or workspace.base_branch
    if branch.removeprefix("refs/heads/").startswith(BRANCHES):
        raise Invalid("base_of_a_mission", "/base_branch", branch=branch)
    base = desk.git.commit_of(repository_of(workspace), branch)
    if base is None:
        raise Invalid("unknown_branch", "/base_branch", branch=branch)
    return Prepared(workspace, goal, _free_slug(desk, workspace, goal), branch, base)


def begin_from(
    tx: Tx,
    desk: Desk,
    actor: Actor,
    given: Prepared,
    coordinator_agent_id: str | None = None,
    delivery: DeliveryMode | None = None,
) -> Mission:
    workspace = given.workspace
    return begin(
        tx,
        desk,
        actor,
        workspace,
        slug=_still_free(tx, given),
        goal=given.goal,
        base_branch=given.base_branch,
        base_commit=given.base_commit,
        coordinator=_coordinator(tx, workspace.id, coordinator_agent_id),
        delivery=delivery or workspace.delivery,
    )


def begin(
    tx: Tx,
    desk: Desk,
    actor: Actor,
    workspace: Workspace,
    *,
    slug: str,
    goal: str,
    base_branch: str,
    base_commit: str,
    coordinator: Agent | None,
    delivery: DeliveryMode,
) -> Mission:
    """Mission and root task in one transaction, `starting` and then `active` (R-27, W-24)."""
    mission_id, integration = desk.ids.new(), f"{BRANCHES}{slug}"
    first_line = goal.strip().splitlines()[0]
    root = tasks.add(
        tx,
        actor,
        id=desk.ids.new(),
        workspace_id=workspace.id,
        number=workspaces.next_task_number(tx, workspace.id),
        title=first_line[:TITLE],
        description=goal,
        base_branch=integration,
        delivery=DeliveryMode.AUTO,
        mission_id=mission_id,
        workspace_strategy=settings.strategy_of(tx, workspace.id),
    )
    if coordinator is not None:
        root = tasks.assign(tx, root, coordinator.id, actor)
    mission = missions.add(
        tx,
        actor,
        id=mission_id,
        workspace_id=workspace.id,
        slug=slug,
        goal=goal,
        base_branch=base_branch,
        base_commit=base_commit,
        integration_branch=integration,
        root_task_id=root.id,
        coordinator_agent_id=coordinator.id if coordinator else None,
        delivery=delivery,
    )
    missions.move(tx, mission, MissionState.ACTIVE, actor=actor)
    tx.nudge("queue")
    begun = missions.get(tx, mission_id)
    assert begun is not None
    return begun


def _workspace(view: View, workspace_id: str) -> Workspace:
    workspace = workspaces.get(view, workspace_id)
    if workspace is None:
        raise Absent("unknown_workspace", "/workspace_id")
    return workspace


def _coordinator(view: View, workspace_id: str, agent_id: str | None) -> Agent | None:
    """The one that is named, else the workspace's first coordinator; without one a person plans."""
    if agent_id is None:
        return agents.coordinator(view, workspace_id)
    agent = agents.get(view, agent_id)
    if agent is None or agent.workspace_id != workspace_id:
        raise Absent("unknown_agent", "/coordinator_agent_id")
    return agent


def _free_slug(desk: Desk, workspace: Workspace, goal: str) -> str:
    """In words of its first line that a branch may be named after; of two alike the later is
    numbered."""
    first_line = goal.strip().splitlines()[0]
    plain = unicodedata.normalize("NFKD", first_line).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SLUG].strip("-") or "mission"
    with desk.store.transaction() as tx:
        taken = _taken(tx, workspace)
    repository = repository_of(workspace)
    for slug in _numbered(words):
        if slug not in taken and desk.git.commit_of(repository, f"{BRANCHES}{slug}") is None:
            return slug
    raise AssertionError("there are more numbers than branches")


def _still_free(tx: Tx, given: Prepared) -> str:
    """Another mission may have taken it since git was asked; should the next one's branch be there
    already, the mission's opening says so."""
    taken = _taken(tx, given.workspace)
    return next(slug for slug in _numbered(given.slug) if slug not in taken)


def _taken(view: View, workspace: Workspace) -> set[str]:
    return {one.slug for one in missions.of_workspace(view, workspace.id)}


def _numbered(words: str) -> Iterator[str]:
    yield words
    yield from (f"{words}-{number}" for number in count(2))
