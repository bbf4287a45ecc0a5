"""Commands about tasks."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Unpack

from roundtable_desktop.engine import graph, stale, wakers
from roundtable_desktop.engine.desk import (
    Asked,
    Desk,
    answers_before,
    belonging,
    check_revision,
    edges,
    gating,
    once,
)
from roundtable_desktop.engine.desk.belonging import Planned
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.errors import Absent, Blocked, Conflict
from roundtable_desktop.model.gates import Wanted
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.records import Actor, Agent, Comment, Json, Subject, Task
from roundtable_desktop.model.states import (
    TASK,
    AgentStatus,
    DeliveryMode,
    Rank,
    Source,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.model.times import micros
from roundtable_desktop.model.verdicts import Go
from roundtable_desktop.rules import admission
from roundtable_desktop.rules.woken import asked_for
from roundtable_desktop.store import (
    agents,
    comments,
    missions,
    runs,
    settings,
    tasks,
    wakeups,
    workspaces,
)
from roundtable_desktop.store.db import Tx, View

STANDING_STILL = (TaskStatus.BLOCKED, TaskStatus.INTERRUPTED, TaskStatus.FAILED)
"""Nothing happens with these until somebody starts them anew."""


@answers_before(tasks.get)
def create(
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    *,
    title: str,
    description: str = "",
    assignee_agent_id: str | None = None,
    base_branch: str | None = None,
    delivery: DeliveryMode | None = None,
    retry_budget: int = 3,
    project: str | None = None,
    model: str | None = None,
    parent_id: str | None = None,
    depends_on: Sequence[Edge] = (),
    requires_approval: bool = False,
    workspace_strategy: WorkspaceStrategy | None = None,
    gates: Sequence[Wanted] = (),
    mission_id: str | None = None,
    then: Callable[[Tx, Task], None] = lambda _tx, _task: None,
    **planned: Unpack[Planned],
) -> Task:
    """A task, numbered in its workspace. With an assignee it wakes it (K-05), held while something
    must come first (K-53); one of a mission is planned (C-96). then: decided in the same act."""
    where = (workspace_id, parent_id, mission_id, base_branch)
    workspace, branch = belonging.starts_from(desk, *where)

    def act() -> Subject:
        of = belonging.belongs(tx, *where)
        task = tasks.add(
            tx,
            asked.actor,
            id=desk.ids.new(),
            workspace_id=workspace_id,
            number=workspaces.next_task_number(tx, workspace_id),
            title=title,
            description=description,
            base_branch=branch,
            delivery=delivery or of.delivery or workspace.delivery,
            retry_budget=retry_budget,
            project=project,
            model=model,
            parent_id=of.parent_id,
            requires_approval=requires_approval,
            workspace_strategy=workspace_strategy or settings.strategy_of(tx, workspace_id),
            mission_id=of.mission_id,
            **planned,
        )
        edges.draw(tx, task, depends_on, asked.actor)
        if assignee_agent_id is not None:
            given = _agent(tx, workspace_id, assignee_agent_id)
            task = assign_now(tx, desk, asked.actor, task, given)
        gating.draw(tx, desk.ids, task, gates)
        then(tx, task)
        return Subject("task", task.id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, tasks.get)


def add_below(
    tx: Tx,
    desk: Desk,
    actor: Actor,
    parent: Task,
    title: str,
    description: str,
    agent: Agent | None,
    depends_on: Sequence[Edge] = (),
    **judged: object,
) -> Task:
    """A subtask, in the same place and with the same rules as its parent."""
    belonging.check_open_of(tx, parent)
    task = tasks.add(
        tx,
        actor,
        id=desk.ids.new(),
        workspace_id=parent.workspace_id,
        number=workspaces.next_task_number(tx, parent.workspace_id),
        title=title,
        description=description,
        parent_id=parent.id,
        base_branch=parent.base_branch,
        delivery=parent.delivery,
        retry_budget=parent.retry_budget,
        project=parent.project,
        model=parent.model,
        workspace_strategy=_strategy_below(tx, parent),
        mission_id=parent.mission_id,
        **judged,
    )
    edges.draw(tx, task, depends_on, actor)
    return task if agent is None else assign_now(tx, desk, actor, task, agent)


def _strategy_below(tx: Tx, parent: Task) -> WorkspaceStrategy:
    """Work below what is only to look is work as any other."""
    if parent.workspace_strategy is WorkspaceStrategy.MAIN:
        return settings.strategy_of(tx, parent.workspace_id)
    return parent.workspace_strategy


def assign(desk: Desk, asked: Asked, task_id: str, agent_id: str) -> Task:
    """Sets or changes the assignee and wakes it; the one before is not woken any more (K-30)."""
    return change(desk, asked, task_id, {}, agent_id)


def change(
    desk: Desk,
    asked: Asked,
    task_id: str,
    values: Mapping[str, object] | None = None,
    agent_id: str | None = None,
    depends_on: Sequence[Edge] | None = None,
    gates: Sequence[Wanted] | None = None,
) -> Task:
    """All of it or nothing. values: title, description, project and model, which hold from its next
    run on, by what it is judged, and by what its mission plans it. agent_id: as `assign`;
    depends_on, gates: all that it waits for and must pass from now on; None leaves a thing as it
    is."""

    def act() -> Subject:
        task = get(tx, task_id)
        check_revision(asked, task.revision)
        agent = None if agent_id is None else _agent(tx, task.workspace_id, agent_id)
        change_now(tx, desk, asked, task, values or {}, agent, depends_on, gates)
        return Subject("task", task.id)

    with desk.store.transaction() as tx:
        task = once(tx, asked, act, tasks.get)
    return task


def change_now(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    task: Task,
    values: Mapping[str, object],
    agent: Agent | None,
    depends_on: Sequence[Edge] | None,
    gates: Sequence[Wanted] | None = None,
) -> None:
    """`change` as a part of a larger decision."""
    if values:
        task = tasks.change(tx, task, asked.actor, **values)
    if depends_on is not None:
        edges.replace(tx, desk.ids, task, depends_on, asked.actor)
    if gates is not None:
        gating.replace(tx, desk.ids, get(tx, task.id), gates, asked.actor)
    if agent is not None:
        task = get(tx, task.id)
        check_assignable(task)
        if agent.id != task.assignee_agent_id:
            _hand_over(tx, desk, asked, task, agent)


def _hand_over(tx: Tx, desk: Desk, asked: Asked, task: Task, agent: Agent) -> None:
    for waiting in wakeups.waiting_for_task(tx, task.id):
        of_retry = waiting.retry_count > 0
        reason = admission.RETRY_STALE_ASSIGNEE if of_retry else "assignee_changed"
        wakeups.settle(
            tx,
            waiting,
            WakeupStatus.CANCELLED,
            outcome=WakeupOutcome.STALE,
            cancel_reason=reason,
            kind=stale.kind_of(reason),
            actor=asked.actor,
            data=stale.told(waiting, reason),
        )
    _open_again(tx, desk, asked.actor, task)
    tasks.fresh_budget(tx, task)
    assign_now(tx, desk, asked.actor, task, agent)


def run(desk: Desk, asked: Asked, task_id: str, text: str | None = None) -> Task:
    """ "Run this now": a `user` wakeup of the highest class (C-53). What was tried before does
    not count any more, and a task that stood still is open again."""
    with desk.store.transaction() as tx:
        act = partial(run_now, tx, desk, asked, task_id, text)
        task = once(tx, asked, act, tasks.get)
    return task


def run_now(
    tx: Tx,
    desk: Desk,
    asked: Asked,
    task_id: str,
    text: str | None = None,
    carries: Sequence[Json] = (),
) -> Subject:
    """`run` as a part of a larger decision. carries: what the agent was to be told before, and was
    not."""
    task = get(tx, task_id)
    check_revision(asked, task.revision)
    check_runnable(tx, task)
    assert task.assignee_agent_id is not None
    untold = [*carries, *_reopen(tx, desk, asked, task)]
    tasks.fresh_budget(tx, task)
    context = {"task_id": task.id, **({"text": text} if text else {})}
    wakeup_id = desk.ids.new()
    payload = {"user_id": asked.actor.id, "context": context}
    if text and untold:
        own = {"wakeup_id": wakeup_id, "source": Source.USER, "payload": payload}
        untold.append({**own, "at": micros(tx.now)})
    cause = wakeups.Cause(
        workspace_id=task.workspace_id,
        agent_id=task.assignee_agent_id,
        task_id=task.id,
        source=Source.USER,
        reason="user_run",
        payload=payload,
        # Not the client's key: that is `once`'s, for a day; after it the ask is a new one.
        key=f"user:{wakeup_id}",
        rank=Rank.USER,
        actor=asked.actor,
        carries=untold,
    )
    wakers.wake(tx, wakeup_id, cause)
    return Subject("task", task.id)


def check_runnable(view: View, task: Task) -> None:
    """Refuses what nobody could work on now."""
    if task.assignee_agent_id is None:
        raise Blocked("task_not_assigned", number=task.number)
    if runs.lease_holder(view, task.id) is not None:
        raise Conflict("task_is_running", number=task.number)
    check_assignable(task)
    belonging.check_startable(view, task)
    edges.check_unblocked(view, task)


def check_assignable(task: Task) -> None:
    if task.status is TaskStatus.CANCELLED:
        raise Conflict("task_cancelled", number=task.number)


def wakes_somebody(task: Task) -> bool:
    """Whether a person's word does; what stands still it opens again."""
    agent = task.assignee_agent_id
    if agent is None or task.status in STANDING_STILL:
        return agent is not None
    return isinstance(admission.staleness(agent, task.id, task, by_person=False), Go)


def _reopen(tx: Tx, desk: Desk, asked: Asked, task: Task) -> list[Json]:
    """A person starts it afresh; wakeups of before that still wait give way to theirs. What only
    they knew: words of a person, and answers; comments are told whoever wakes the agent."""
    untold: list[Json] = []
    for waiting in wakeups.waiting_for_task(tx, task.id):
        if waiting.agent_id == task.assignee_agent_id and waiting.source in _ONLY_THERE:
            untold += [cause for cause in waiting.causes() if _has_words(cause)]
        wakeups.settle(
            tx,
            waiting,
            WakeupStatus.CANCELLED,
            outcome=WakeupOutcome.USER_CANCELLED,
            actor=asked.actor,
            data={"reason": "user_run"},
        )
    to = TaskStatus.IN_PROGRESS if task.status is TaskStatus.IN_REVIEW else TaskStatus.TODO
    if TASK.allows(task.status, to) and task.status is not TaskStatus.IN_PROGRESS:
        graph.move(tx, desk.ids, task, to, actor=asked.actor)
    return untold


_ONLY_THERE = (Source.USER, Source.APPROVAL_RESOLVED)


def _has_words(cause: Json) -> bool:
    """A run that was asked for without a word says nothing more than the one that replaces it."""
    return cause.get("source") != Source.USER or bool(asked_for(cause))


def _open_again(tx: Tx, desk: Desk, actor: Actor, task: Task) -> bool:
    """What stands still is to be done again, unless a blocker was lost: that is not answered by
    what is said or assigned here."""
    if task.status not in STANDING_STILL or graph.is_lost(task):
        return False
    return graph.move(tx, desk.ids, task, TaskStatus.TODO, actor=actor)


def assign_now(tx: Tx, desk: Desk, actor: Actor, task: Task, agent: Agent) -> Task:
    gating.check_assignee(tx, task, agent)
    assigned = tasks.assign(tx, task, agent.id, actor)
    if missions.is_planned(tx, task) or not missions.is_open(tx, task):
        tx.nudge("queue")
        return assigned
    wakers.wake(tx, desk.ids.new(), wakers.assignment(assigned, agent.id, actor))
    return assigned


def get(tx: Tx, task_id: str) -> Task:
    task = tasks.get(tx, task_id)
    if task is None:
        raise Absent("unknown_task")
    return task


def _agent(tx: Tx, workspace_id: str, agent_id: str) -> Agent:
    """Of the same workspace; another one's is as if it did not exist (K-64)."""
    agent = agents.get(tx, agent_id)
    if agent is None or agent.workspace_id != workspace_id:
        raise Absent("unknown_agent", "/assignee_agent_id")
    if agent.status is AgentStatus.RETIRED:
        raise Conflict("agent_retired", "/assignee_agent_id", agent=agent.name)
    return agent


def comment(desk: Desk, asked: Asked, task_id: str, text: str, via: str | None = None) -> Comment:
    """Says something about a task and wakes its assignee, unless it said it itself (K-04). via:
    the channel that brought it (C-94); a key counts for all that the same one asks."""
    actor = asked.actor if via is None else Actor(asked.actor.type, via)

    def act() -> Subject:
        comment_id = add_comment(tx, desk, actor, get(tx, task_id), text)
        return Subject("comment", comment_id)

    with desk.store.transaction() as tx:
        made = once(tx, asked, act, comments.get)
    return made


def add_comment(
    tx: Tx, desk: Desk, actor: Actor, task: Task, text: str, run_id: str | None = None
) -> str:
    """A person's word to a task that stands still opens it again: it is what was waited for."""
    comment_id = desk.ids.new()
    comments.add(tx, task, comment_id, actor, text, run_id)
    if actor.type == "person" and _open_again(tx, desk, actor, task):
        tasks.fresh_budget(tx, task)
    assignee = task.assignee_agent_id
    if missions.is_planned(tx, get(tx, task.id)) and get(tx, task.id).status is TaskStatus.TODO:
        return comment_id  # it is told when the task is begun (C-96)
    if assignee is not None and actor != Actor("agent", assignee):
        wakers.wake(tx, desk.ids.new(), wakers.commented(task, assignee, comment_id, actor))
    return comment_id
