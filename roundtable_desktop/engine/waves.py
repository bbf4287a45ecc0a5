"""Plans waves: the rows of a mission as the planner's picture, and its plan as wakeups (C-34)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from roundtable_desktop.engine import budgets, helping, wakers
from roundtable_desktop.engine.mission_gates import WAVE
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import SYSTEM, Agent, Json, Subject, Task
from roundtable_desktop.model.resources import Gauge, Resources
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    AgentStatus,
    DependencySource,
    DependencyType,
    Source,
    TaskStatus,
)
from roundtable_desktop.model.verdicts import Hold
from roundtable_desktop.model.waves import (
    ModelPolicy,
    PlanAgent,
    PlanEdge,
    PlanTask,
    Seen,
    WavePlan,
    Work,
    as_json,
)
from roundtable_desktop.rules import accounts
from roundtable_desktop.rules.admission import cooled_at
from roundtable_desktop.rules.areas import overlap
from roundtable_desktop.rules.models import weigh
from roundtable_desktop.store import (
    agents,
    comments,
    dependencies,
    events,
    holds,
    missions,
    resources,
    retries,
    runs,
    settings,
    standing,
    tasks,
    wakeups,
)
from roundtable_desktop.store.db import Tx, View

REQUIREMENT = "requirement"
"""Why a task is not dispatched while nobody knows what a change means for it (A-23)."""
REVIEW = "review"
"""Likewise while reviewers look at what was merged, or somebody decides about what they found."""
INSTEAD = "{before} may not work now, so {now} does this instead."
_WORK = {Purpose.DEBUG: Work.DEBUG, Purpose.VERIFY: Work.VERIFY}


@dataclass(frozen=True, slots=True)
class Picture:
    """tasks: all of the mission's but its root."""

    mission: Mission
    root: Task
    tasks: Sequence[Task]
    standing: standing.Standing
    seen: Seen

    def fresh(self, plan: WavePlan) -> list[PlanEdge]:
        """What was inferred between two of which nothing is written down yet."""
        known = {(one.task_id, one.depends_on_task_id) for one in self.seen.edges}
        return [one for one in plan.edges if (one.task_id, one.depends_on_task_id) not in known]


def picture(view: View, mission: Mission, now: datetime, gauge: Gauge) -> Picture:
    known = missions.tasks_of(view, mission.id)
    root = next(one for one in known if one.id == mission.root_task_id)
    below = [one for one in known if one.id != root.id]
    stands = standing.of_mission(view, mission)
    by_id = {one.id: one for one in below}
    most, tried = _most(view, mission), retries.of_mission(view, mission.id)
    kept = resources.every(view, mission.workspace_id)
    still = stands.open
    waits = still.merges or still.gates or still.approvals or stands.turn or stands.reviews
    works = root.id in stands.due or root.id in stands.live
    instead = _stand_ins(view, below, {**by_id, root.id: root}, stands)
    seen = Seen(
        now=now,
        tasks=tuple(
            _kept_apart(_tried(_task(one, by_id, stands, instead), tried), kept) for one in below
        ),
        edges=(*_edges(view, mission, root), *_below(below)),
        agents=tuple(_agents(view, mission, now)),
        resources=Resources(
            gauge=gauge,
            most=most,
            other_runs=standing.elsewhere(view, mission),
            active_commands=sum(wakers.checked(one.payload) is not None for one in runs.live(view)),
            locks=frozenset(one.resource for one in kept),
        ),
        outside=standing.outside(view, mission.id),
        busy=works or bool(waits),
    )
    return Picture(mission, root, below, stands, seen)


def _stand_ins(
    view: View, below: Sequence[Task], by_id: Mapping[str, Task], stands: standing.Standing
) -> dict[str, str]:
    """By ids of repairs and searches that the mission gave to an agent which may not work now: who
    does it instead, as if it were given away now: of the mission's own branch no coordinator does.
    Whom a person named stays named. by_id: also the root, whose repairs those are."""
    found = {}
    for task in below:
        about = by_id.get(task.about_task_id or "")
        rests = task.status not in TERMINAL_TASKS and task.id not in stands.live
        if about is None or task.purpose is Purpose.WORK or not rests:
            continue
        given = agents.get(view, task.assignee_agent_id) if task.assignee_agent_id else None
        if given is None or given.status is AgentStatus.ACTIVE or not _is_ours(view, task):
            continue
        other = helping.helper(view, about)
        if other is None and about.assignee_agent_id is not None and about in below:
            other = agents.get(view, about.assignee_agent_id)
        if other is not None and other.status is AgentStatus.ACTIVE:
            found[task.id] = other.id
    return found


def _is_ours(view: View, task: Task) -> bool:
    last = events.newest_of(view, Subject("task", task.id), Kind.TASK_ASSIGNED)
    return last is None or last.actor_type == SYSTEM.type


def _task(
    task: Task,
    by_id: Mapping[str, Task],
    stands: standing.Standing,
    instead: Mapping[str, str],
) -> PlanTask:
    live = task.id in stands.live or task.id in stands.due
    held = REQUIREMENT if task.id in stands.held else stands.ended.get(task.id)
    held = REVIEW if stands.reviews and held is None else held
    about = by_id.get(task.about_task_id or "")
    policy = task.model_policy or {}
    forced = policy.get("kind") == ModelPolicy.SCHEDULER_FORCED
    wanted = cast(Sequence[str], policy.get("models") or ())
    work, attempts = _WORK.get(task.purpose, Work.EXECUTE), stands.attempts.get(task.id, 0)
    area = (*task.write_area, *task.expected_files)
    return PlanTask(
        id=task.id,
        number=task.number,
        status=task.status,
        work=work,
        live=live,
        due_at=stands.due.get(task.id),
        held_by=held,
        assignee_agent_id=instead.get(task.id, task.assignee_agent_id),
        priority=task.priority,
        attempts=attempts,
        write_area=tuple(task.write_area),
        expected_files=tuple(task.expected_files),
        learned=tuple(sorted(stands.learned.get(task.id, ()))),
        failure_surface=_surface(task, about, stands),
        workspace_strategy=task.workspace_strategy,
        mends=task.about_task_id if task.purpose is Purpose.REPAIR else None,
        model=task.model or (wanted[0] if forced and wanted else None),
        policy=ModelPolicy(str(policy["kind"])) if "kind" in policy else None,
        weight=weigh(work=work, optional=task.optional, area=area, attempts=attempts),
    )


def _most(view: View, mission: Mission) -> int:
    return settings.of_workspace(view, mission.workspace_id).mission_max_parallel


def _tried(task: PlanTask, tried: Mapping[str, retries.Way]) -> PlanTask:
    """As it was decided that it goes on after a failed attempt (A-31)."""
    way = tried.get(task.id)
    return replace(task, serial=way.alone, failed_models=way.failed_models) if way else task


def _kept_apart(task: PlanTask, kept: Sequence[resources.Claim]) -> PlanTask:
    """What another run keeps for itself, and the task may write or says that it uses, is not to be
    had until that lets go (A-33)."""
    area = (*task.write_area, *task.expected_files, *task.learned)
    others = [one.resource for one in kept if one.task_id != task.id]
    met = tuple(one for one in others if area and overlap(area, [one]) is not None)
    return replace(task, locks=met) if met else task


def _surface(task: Task, about: Task | None, stands: standing.Standing) -> tuple[str, ...]:
    """Where what it works on has failed (A-16)."""
    if task.purpose is not Purpose.DEBUG or about is None:
        return ()
    return (*about.write_area, *about.expected_files, *sorted(stands.learned.get(about.id, ())))


def _edges(view: View, mission: Mission, root: Task) -> list[PlanEdge]:
    return [
        PlanEdge(
            task_id=one.task_id,
            depends_on_task_id=one.depends_on_task_id,
            dependency_type=one.dependency_type,
            source=one.source,
            reason=one.reason,
        )
        for one in dependencies.of_mission(view, mission.id)
        if one.task_id != root.id
    ]


def _below(below: Sequence[Task]) -> list[PlanEdge]:
    """What was begun and has open subtasks goes on when they are over (K-06)."""
    begun = {one.id for one in below if one.status is TaskStatus.IN_PROGRESS}
    return [
        PlanEdge(
            task_id=one.parent_id,
            depends_on_task_id=one.id,
            dependency_type=DependencyType.SERIALIZATION,
            source=DependencySource.SYSTEM,
            reason="subtask",
        )
        for one in below
        if one.parent_id in begun and one.status not in TERMINAL_TASKS
    ]


def _agents(view: View, mission: Mission, now: datetime) -> list[PlanAgent]:
    every = [
        one
        for one in agents.every(view, mission.workspace_id)
        if one.status is not AgentStatus.RETIRED
    ]
    busy, last = (
        standing.loads(view, mission.workspace_id),
        standing.assigned(view, mission.id),
    )
    spent = budgets.spent(view, every, now)
    found = []
    for agent in every:
        active, queued = busy.get(agent.id, (0, 0))
        refused, until = _refused(view, agent, spent, now)
        models = [agent.model, *agent.fallback_models]
        found.append(
            PlanAgent(
                id=agent.id,
                role=str(agent.role),
                capacity=agent.max_concurrent_sessions,
                active=active,
                queued=queued,
                refused=refused,
                until=until,
                last_assigned_seq=last.get(agent.id, 0),
                account=agent.account,
                models=tuple(model for model in models if model),
            )
        )
    return found


def _refused(
    view: View, agent: Agent, spent: Mapping[str, datetime | None], now: datetime
) -> tuple[str | None, datetime | None]:
    """W-15: why it is given nothing now, and until when if that ends by itself."""
    if agent.status is not AgentStatus.ACTIVE:
        return f"agent_{agent.status}", None
    if agent.id in spent:
        return "budget", spent[agent.id]
    held = accounts.free(holds.of_agent(view, agent), now)
    if isinstance(held, Hold):
        return "account", held.until
    rested = cooled_at(agent)
    if rested is not None and rested > now:
        return "cooldown", rested
    return None, None


def carry_out(tx: Tx, ids: Ids, seen: Picture, plan: WavePlan) -> None:
    """Who does what, the edges that were inferred, the wave, its wakeups: one decision (W-01)."""
    by_id = {one.id: one for one in seen.tasks}
    for edge in seen.fresh(plan):
        blocker, task = by_id[edge.depends_on_task_id], by_id[edge.task_id]
        kind, reason, by = edge.dependency_type, edge.reason, edge.source
        dependencies.add(tx, task, blocker, kind, reason=reason, source=by, actor=SYSTEM)
    if not plan.runnable_task_ids:
        return
    woken = []
    for task_id in plan.runnable_task_ids:
        task, agent_id = by_id[task_id], plan.agent_assignments[task_id]
        if task.assignee_agent_id != agent_id:
            _say_instead(tx, ids, task, agent_id)
            tasks.assign(tx, task, agent_id, SYSTEM)
        cause = wakeups.Cause(
            workspace_id=task.workspace_id,
            agent_id=agent_id,
            task_id=task.id,
            source=Source.TASK_ASSIGNED,
            reason=WAVE,
            payload={"task_id": task.id},
            key=f"wave:{plan.wave_id}:{task.id}",
        )
        woken.append((task_id, wakers.wake(tx, ids.new(), cause)))
    missions.plan(tx, seen.mission, plan.wave_id, cast(Json, as_json(plan)), woken)


def _say_instead(tx: Tx, ids: Ids, task: Task, agent_id: str) -> None:
    """Where it was given to somebody else before."""
    known = agents.of_ids(tx, [task.assignee_agent_id, agent_id])
    if task.assignee_agent_id in known and agent_id in known:
        names = {"before": known[task.assignee_agent_id].name, "now": known[agent_id].name}
        comments.add(tx, task, ids.new(), SYSTEM, INSTEAD.format(**names), None)
