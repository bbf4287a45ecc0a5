"""Carries out what is decided about a failed attempt of a mission's task (A-29, A-30, A-31)."""

from roundtable_desktop.engine import graph, helping
from roundtable_desktop.engine.conflicts import next_attempt
from roundtable_desktop.model.attempts import (
    Cause,
    Change,
    Failure,
    RetryAction,
    RetryDecision,
    Tried,
)
from roundtable_desktop.model.missions import PLANNING, Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import SYSTEM, Agent, Run, Task
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    ErrorKind,
    Role,
    TaskStatus,
)
from roundtable_desktop.rules.attempts import decide
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.results import Settlement
from roundtable_desktop.store import (
    agents,
    comments,
    dependencies,
    missions,
    retries,
    runs,
    tasks,
)
from roundtable_desktop.store.db import Tx, View

OTHERWISE = (
    "The attempts so far failed in the same way of going about it. Choose another one this time: "
    "other commands, other tools, another order."
)
"""What the agent reads when its commands are what is to change."""
CAUSE = (
    "T-{number} ({title}) failed, {times} times so far; this is what its last run said:\n\n{text}\n"
    "\nFind what made it fail and mend that, on the mission's branch; T-{number} is tried again "
    "after you. Do not do its work. This is what it asks for:\n\n{words}"
)
TEXT = 500
"""Bytes of what the last run said."""
EXACT = "scheduler_forced"
_AT_WORK = (TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED, TaskStatus.INTERRUPTED)


def mission_of(view: View, run: Run) -> Mission | None:
    """Whose planner decides about the run's task; None of loose tasks, and of a mission's root,
    which is its coordinator's."""
    task = tasks.get(view, run.task_id) if run.task_id else None
    mission = missions.get(view, task.mission_id) if task and task.mission_id else None
    return mission if mission is not None and mission.root_task_id != run.task_id else None


def settled(
    tx: Tx, ids: Ids, mission: Mission, run: Run, settlement: Settlement, sign: str
) -> bool:
    """Part of a settlement. False: a person, or the coordinator, is to hear of it. What somebody
    put elsewhere meanwhile stays there."""
    assert run.task_id is not None
    task = _get(tx, run.task_id)
    if task.status not in _AT_WORK:
        return True
    agent = agents.get(tx, run.agent_id)
    assert agent is not None, "foreign keys hold"
    failure = Failure(
        kind=settlement.kind or ErrorKind.TASK_FAILED,
        signature=sign,
        cause=settlement.cause,
        alike=settlement.alike,
        context_refs=(f"run:{run.id}",),
    )
    decision = decide(failure, _tried(tx, mission, run, task, agent))
    return _Carrying(tx, ids, mission, run, task, agent, settlement, sign).out(decision)


def _tried(view: View, mission: Mission, run: Run, task: Task, agent: Agent) -> Tried:
    before = retries.of_task(view, task.id)
    after = dependencies.dependents(view, task.id)
    about = tasks.get(view, task.about_task_id) if task.about_task_id else None
    since = run.started_at or run.created_at
    return Tried(
        budget=task.retry_budget,
        spent=task.attempts_spent,
        last_signature=task.last_failure_signature,
        changed=tuple(one.change for one in before if one.change and one.run_id),
        other_models=_other_models(view, task, agent),
        beside_others=retries.was_beside(view, task, mission.root_task_id, since),
        debugger=task.purpose is Purpose.WORK and helping.helper(view, task) is not None,
        optional=task.optional,
        needed_by_others=any(one.status not in TERMINAL_TASKS for one in after),
        wanted=about is None or about.status is not TaskStatus.CANCELLED,
    )


def _other_models(view: View, task: Task, agent: Agent) -> tuple[str, ...]:
    """In order, what it may use and has not failed with. What a person asked for exactly has no
    other; whoever may choose does so among what the task allows."""
    policy = task.model_policy or {}
    if task.model is not None or policy.get("kind") == EXACT:
        return ()
    given = policy.get("models")
    allowed = [str(one) for one in given] if isinstance(given, list) else []
    failed = {one.model for one in runs.of_task(view, task.id) if one.error_kind}
    mine = [one for one in (agent.model, *agent.fallback_models) if one]
    may = [one for one in mine if one in allowed] if allowed else mine
    return tuple(one for one in dict.fromkeys(may) if one not in failed)


class _Carrying:
    """One decision, with what it is about."""

    def __init__(
        self,
        tx: Tx,
        ids: Ids,
        mission: Mission,
        run: Run,
        task: Task,
        agent: Agent,
        settlement: Settlement,
        sign: str,
    ) -> None:
        self._tx, self._ids, self._mission = tx, ids, mission
        self._run, self._task, self._agent = run, task, agent
        self._settlement, self._sign = settlement, sign

    def out(self, decision: RetryDecision) -> bool:
        if decision.cost:
            tasks.spend_attempt(self._tx, self._task, cost=decision.cost, signature=self._sign)
        made = self._helper() if decision.action is RetryAction.DEBUG else None
        self._keep(decision, made)
        match decision.action:
            case RetryAction.RETRY:
                self._again(decision)
            case RetryAction.RETRY_SERIAL | RetryAction.DEBUG:
                if made is not None:
                    helping.come_first(self._tx, self._task, made)
                self._move(TaskStatus.TODO)
            case RetryAction.SKIP:
                self._move(TaskStatus.FAILED)
            case RetryAction.BLOCK:
                return self._block(decision)
            case RetryAction.CANCEL:
                self._move(TaskStatus.CANCELLED)
        self._tx.nudge("queue")
        return True

    def _again(self, decision: RetryDecision) -> None:
        """By the same agent at once, unless the mission rests: then its planner takes it up."""
        tx = self._tx
        if decision.change is Change.COMMANDS:
            comments.add(tx, self._task, self._ids.new(), SYSTEM, OTHERWISE, None)
        mine = self._task.assignee_agent_id == self._agent.id
        at_once = mine and self._task.status is TaskStatus.IN_PROGRESS and decision.cost
        if at_once and self._mission.state in PLANNING:
            next_attempt(tx, self._ids, _get(tx, self._task.id))
        else:
            self._move(TaskStatus.TODO)

    def _helper(self) -> Task:
        task, agent = self._task, helping.helper(self._tx, self._task)
        assert agent is not None, "the rule asks for one only where there is one"
        words = CAUSE.format(
            number=task.number,
            title=task.title,
            times=task.attempt_wakeups,
            text=clip(self._settlement.text.strip(), TEXT),
            words=task.description or task.title,
        )
        mission, purpose = self._mission, Purpose.DEBUG
        return helping.make(self._tx, self._ids, mission, task, purpose, agent, words)

    def _block(self, decision: RetryDecision) -> bool:
        if self._task.status is TaskStatus.IN_PROGRESS:
            owner = "user" if self._agent.role is Role.COORDINATOR else "coordinator"
            kind = str(self._settlement.kind)
            blocked = {"owner": owner, "action": "attempts_spent", "kind": kind}
            if self._settlement.cause is not Cause.WORK:
                blocked["action"] = f"cause_{self._settlement.cause}"
            helping.block(self._tx, self._ids, self._task, {**blocked, "agent_id": self._agent.id})
        return False

    def _move(self, to: TaskStatus) -> None:
        """One that stands still is opened before it can fail."""
        stands = self._task.status in (TaskStatus.BLOCKED, TaskStatus.INTERRUPTED)
        opening = (TaskStatus.TODO, TaskStatus.IN_PROGRESS)
        for step in (*(opening if stands and to is TaskStatus.FAILED else ()), to):
            self._step(_get(self._tx, self._task.id), step)

    def _step(self, task: Task, to: TaskStatus) -> None:
        data = {"run_id": self._run.id, "by": "attempts"}
        graph.move(self._tx, self._ids, task, to, actor=SYSTEM, data=data)

    def _keep(self, decision: RetryDecision, made: Task | None) -> None:
        """With what was known: a skipped one names what the mission goes on without (A-30)."""
        evidence: dict[str, object] = {
            "kind": str(self._settlement.kind),
            "signature": self._sign,
            "text": clip(self._settlement.text.strip(), TEXT),
            "refs": list(decision.required_context_refs),
            "policy": decision.next_model_policy and str(decision.next_model_policy),
            "trigger": decision.trigger and str(decision.trigger),
        }
        if decision.action is RetryAction.SKIP:
            evidence["risk"] = "left_out"
        retries.keep(
            self._tx,
            self._task,
            id=self._ids.new(),
            run_id=self._run.id,
            action=decision.action,
            change=decision.change,
            reason=decision.reason,
            cost=decision.cost,
            model=decision.model,
            helper_task_id=made.id if made else None,
            evidence=evidence,
        )


def _get(view: View, task_id: str) -> Task:
    task = tasks.get(view, task_id)
    assert task is not None, "foreign keys hold"
    return task
