"""What the faces may see of missions: how each stands, its graph, its waves, and who waits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.engine.converging import by_rows
from roundtable_desktop.engine.waves import REQUIREMENT
from roundtable_desktop.model.convergence import Convergence
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.graph import Dependency
from roundtable_desktop.model.missions import OVER, Mission, Snapshot, Wave
from roundtable_desktop.model.records import Agent, InboxItem, Json, Run, Task, Workspace
from roundtable_desktop.model.states import TERMINAL_TASKS, TaskStatus
from roundtable_desktop.model.waves import Why
from roundtable_desktop.store import (
    agents,
    lists,
    mission_sights,
    missions,
    sittings,
    standing,
    tasks,
    workspaces,
)
from roundtable_desktop.store.db import Reader, View
from roundtable_desktop.store.mission_sights import WaveHead
from roundtable_desktop.store.standing import Standing

__all__ = ["Detail", "LookMissions", "Node", "Told", "WaveHead"]

ASKS = 20
"""Of what waits for a person in one mission."""


@dataclass(frozen=True, slots=True)
class Told:
    """A mission with whose it is. counts: by status, its tasks but for the root."""

    mission: Mission
    workspace: Workspace
    coordinator: Agent | None
    counts: Mapping[str, int]

    @property
    def id(self) -> str:
        return self.mission.id

    @property
    def alive(self) -> bool:
        return self.mission.state not in OVER

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def over(self) -> int:
        """How many of them are."""
        return sum(self.counts.get(one, 0) for one in TERMINAL_TASKS)


@dataclass(frozen=True, slots=True)
class Node:
    """A task of the graph. wave: the newest that set it off. depth: how many tasks have to be done
    before it, one after the other. why: {code, values} of how it is now, or what the newest plan
    said as far as that still holds."""

    task: Task
    agent: Agent | None
    live: Run | None
    wave: int | None
    depth: int
    edges: Sequence[Dependency]
    why: Json | None


@dataclass(frozen=True, slots=True)
class Detail:
    """nodes: by their numbers; newest: the last wave with its plan. names: of agents, by ids.
    converged: by its rows as they are now. held: ids of tasks that wait until somebody says what a
    change of requirements means for them. snapshots: how it stood when a `roundtable run` came or
    went."""

    told: Told
    root: Task
    nodes: Sequence[Node]
    waves: Sequence[WaveHead]
    newest: Wave | None
    asks: Sequence[InboxItem]
    names: Mapping[str, str]
    converged: Convergence
    held: frozenset[str]
    snapshots: Sequence[Snapshot]

    @property
    def numbers(self) -> dict[str, int]:
        """Of its tasks, by their ids."""
        return {one.task.id: one.task.number for one in self.nodes}


class LookMissions:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def page(self, after: str | None, limit: int, **filters: object) -> list[Told]:
        """Newest first."""
        with self._reader.snapshot() as view:
            found = lists.page(view, lists.MISSIONS, after=after, limit=limit, **filters)
            return _told(view, found)

    def alive(self, workspace_id: str | None = None) -> list[Told]:
        """Those that are not over, oldest first."""
        with self._reader.snapshot() as view:
            found = [
                one for one in missions.alive(view) if workspace_id in (None, one.workspace_id)
            ]
            return _told(view, found)

    def mission(self, ref: str) -> Mission:
        with self._reader.snapshot() as view:
            found = missions.get(view, ref) or lists.by_suffix(view, lists.MISSIONS, ref)
        if found is None:
            raise Absent("unknown_mission")
        return found

    def told(self, mission: Mission) -> Told:
        with self._reader.snapshot() as view:
            return _told(view, [mission])[0]

    def of_tasks(self, found: Sequence[Task]) -> dict[str, Mission]:
        """By the missions' ids, those that these tasks belong to."""
        with self._reader.snapshot() as view:
            return mission_sights.of_ids(view, [one.mission_id for one in found])

    def detail(self, mission: Mission) -> Detail:
        """In as many statements, however many tasks it has."""
        with self._reader.snapshot() as view:
            return _detail(view, mission)

    def named(self, mission: Mission) -> tuple[dict[str, int], dict[str, str]]:
        """By ids: the numbers of its tasks, and the names of those who can have them."""
        with self._reader.snapshot() as view:
            numbers = {one.id: one.number for one in missions.tasks_of(view, mission.id)}
            people = agents.every(view, mission.workspace_id)
        return numbers, {one.id: one.name for one in people}

    def waves(self, mission: Mission, after: str | None, limit: int) -> list[Wave]:
        """Newest first, each with its plan."""
        with self._reader.snapshot() as view:
            return mission_sights.wave_page(view, mission.id, after, limit)

    def wave(self, mission: Mission, number: int) -> Wave:
        with self._reader.snapshot() as view:
            found = mission_sights.newest_wave(view, mission.id, number)
        if found is None:
            raise Absent("unknown_wave")
        return found


def _told(view: View, found: Sequence[Mission]) -> list[Told]:
    counts = mission_sights.counts(view, [one.id for one in found])
    known = agents.of_ids(view, [one.coordinator_agent_id for one in found])
    homes = {one.workspace_id: workspaces.get(view, one.workspace_id) for one in found}
    told = []
    for one in found:
        workspace = homes[one.workspace_id]
        assert workspace is not None, "foreign keys hold"
        coordinator = known.get(one.coordinator_agent_id or "")
        told.append(Told(one, workspace, coordinator, counts[one.id]))
    return told


def _detail(view: View, mission: Mission) -> Detail:
    (told,) = _told(view, [mission])
    root = tasks.get(view, mission.root_task_id)
    assert root is not None, "foreign keys hold"
    found = [one for one in missions.tasks_of(view, mission.id) if one.id != root.id]
    heads = mission_sights.waves(view, mission.id)
    newest = mission_sights.newest_wave(view, mission.id)
    people = {one.id: one for one in agents.every(view, mission.workspace_id)}
    stands = standing.of_mission(view, mission)
    planned: Any = newest.plan.get("blocked_task_ids", ()) if newest else ()
    return Detail(
        told,
        root,
        _nodes(view, mission, found, heads, newest, people, stands),
        heads,
        newest,
        mission_sights.asked(view, mission.workspace_id, mission.id, ASKS),
        {one.id: one.name for one in people.values()},
        by_rows(found, stands, set(planned)),
        stands.held,
        sittings.snapshots(view, mission.id),
    )


def _nodes(
    view: View,
    mission: Mission,
    found: Sequence[Task],
    heads: Sequence[WaveHead],
    newest: Wave | None,
    people: Mapping[str, Agent],
    stands: Standing,
) -> list[Node]:
    drawn = mission_sights.edges(view, [one.id for one in found])
    live = mission_sights.live_runs(view, mission.id)
    waves = {task: one.number for one in heads for task in one.task_ids}
    whys: Any = newest.plan.get("tasks", {}) if newest else {}
    over = {one.id for one in found if one.status in TERMINAL_TASKS}
    depths = depths_of(
        {one.id: _before(drawn[one.id]) for one in found if one.status not in TERMINAL_TASKS}
    )
    return [
        Node(
            one,
            people.get(one.assignee_agent_id or ""),
            live.get(one.id),
            waves.get(one.id),
            depths.get(one.id, 0),
            drawn[one.id],
            _why(one, one.id in live, _still(one, whys.get(one.id), over, stands)),
        )
        for one in found
    ]


_STANDS = {
    TaskStatus.BLOCKED: "blocked",
    TaskStatus.INTERRUPTED: "interrupted",
    TaskStatus.IN_REVIEW: "in_review",
}


def _why(task: Task, live: bool, planned: Json | None) -> Json | None:
    """What it is now goes before what the newest plan said of it."""
    if task.status in TERMINAL_TASKS:
        return None
    code = "at_work" if live else _STANDS.get(task.status)
    return {"code": code, "values": {}} if code else planned


def _still(
    task: Task, planned: Mapping[str, Any] | None, over: Collection[str], stands: Standing
) -> Json | None:
    """What the newest plan said, as far as it still holds: it may be from long ago, for a plan is
    kept only where it set something off."""
    by = REQUIREMENT if task.id in stands.held else stands.ended.get(task.id)
    if by is not None:
        return {"code": "held", "values": {"by": by}}
    if planned is None or (planned["code"] == Why.PLANNED and task.id not in stands.due):
        return None
    values: dict[str, Any] = dict(planned.get("values") or {})
    named = values.get("tasks") or [one for one in (values.get("task"),) if one]
    lost = planned["code"] == Why.BLOCKER_LOST
    left = [one for one in named if lost or one not in over]
    if named and not left:
        return None
    return {**planned, "values": {**values, **({"tasks": left} if "tasks" in values else {})}}


def _before(drawn: Sequence[Dependency]) -> list[str]:
    return [one.depends_on_task_id for one in drawn if one.dependency_type == "hard"]


def depths_of(before: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """before: by each task, those that must be done first. Without recursion, and a circle, which
    is refused where edges are drawn, ends it too."""
    behind: dict[str, list[str]] = {}
    open_ones = {}
    for task, blockers in before.items():
        inside = [one for one in blockers if one in before]
        open_ones[task] = len(inside)
        for one in inside:
            behind.setdefault(one, []).append(task)
    depths = dict.fromkeys(before, 0)
    ready = [one for one, count in open_ones.items() if not count]
    while ready:
        here = ready.pop()
        for task in behind.get(here, ()):
            depths[task] = max(depths[task], depths[here] + 1)
            open_ones[task] -= 1
            if not open_ones[task]:
                ready.append(task)
    return depths
