"""What becomes of a mission's work that does not fit its branch any more (A-27)."""

from collections.abc import Sequence

from roundtable_desktop.engine import escalating, graph, helping, panels, wakers
from roundtable_desktop.model.attempts import Change, Clash, Conflict, RetryAction, Trigger
from roundtable_desktop.model.gates import GateKind
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import PLANNING, Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import SYSTEM, Json, Subject, Task
from roundtable_desktop.model.states import (
    DeliveryStatus,
    InboxKind,
    ProposalStatus,
    Severity,
    TaskStatus,
)
from roundtable_desktop.rules import routes
from roundtable_desktop.rules.retry import attempt_retry
from roundtable_desktop.rules.reviews import Policy, kept
from roundtable_desktop.rules.signature import signature
from roundtable_desktop.store import (
    comments,
    gates,
    inbox,
    missions,
    proposals,
    retries,
    runs,
    standing,
    tasks,
    wakeups,
)
from roundtable_desktop.store.db import Tx, View

REWORK = (
    "This does not fit onto {branch} as it is{paths}. Your copy has been brought to the newest "
    "state of {branch}, with your changes on top of it; where both changed the same lines, the "
    "files have git's conflict marks. Settle those, and report again."
)
"""What the agent reads when its work is to be brought onto the branch anew."""
REPAIR = (
    "What T-{number} ({title}) changed does not fit onto {branch} as that is now{paths}. Your copy "
    "has the newest state of {branch} with those changes on top of it; where both changed the same "
    "lines, the files have git's conflict marks. Settle them so that both intentions hold, and "
    "report. This is what the task asks for:\n\n{words}"
)
FILES = 100
"""Paths of what did not fit that a repair is bound to; one of more is bound as its task is."""
NAMED = 20
"""Paths that are named in it."""
CONFLICT = "merge_conflict"
SETTLE = "settle_conflict"
"""What a person is to do, when nobody else can."""


def named(paths: Sequence[str]) -> str:
    return f" ({', '.join(paths[:NAMED])})" if paths else ""


def settles(view: View, proposal: Proposal, task: Task) -> Mission | None:
    """The mission that settles it by itself; None where a person is asked."""
    mission = missions.get(view, task.mission_id) if task.mission_id else None
    if mission is None or proposal.run_id is None or task.id == mission.root_task_id:
        return None
    return mission if task.status is TaskStatus.IN_REVIEW else None


def settle(
    tx: Tx, ids: Ids, mission: Mission, delivery: Delivery, proposal: Proposal, reason: Json
) -> None:
    """Its delivery is over; the work is repaired by somebody else, done again on the new head, or
    waits for a person, each as the rule says."""
    kind, held = Kind.MERGE_CONFLICTED, DeliveryStatus.HELD
    proposals.end_delivery(tx, delivery, held, kind=kind, reason=reason)
    to = ProposalStatus.CONFLICTED
    proposals.move(tx, proposal, to, data={"paths": reason["paths"]})
    task = _get(tx, proposal.task_id)
    given = reason["paths"]
    paths = [str(one) for one in given] if isinstance(given, list) else []
    way = routes.conflict(_clash(tx, mission, task, proposal, paths))
    known = {
        "paths": paths[:NAMED],
        "conflict": str(way.conflict),
        "command": reason.get("command"),
        "trigger": way.trigger and str(way.trigger),
    }
    about = _About(tx, ids, mission, task, proposal, paths, known)
    other = helping.helper(tx, task) if task.purpose is not Purpose.REPAIR else None
    if way.action is RetryAction.BLOCK:
        changed = way.conflict is Conflict.REQUIREMENT
        about.block("requirement_changed" if changed else "conflict_again", way.trigger)
    elif way.action is RetryAction.DEBUG and other is not None:
        about.repair(other.id, reviewed=way.reviewed)
    else:
        about.again(alone=way.action is RetryAction.RETRY_SERIAL, reviewed=way.reviewed)


def _clash(
    view: View, mission: Mission, task: Task, proposal: Proposal, paths: Sequence[str]
) -> Clash:
    """As deep as its own rows say that it is."""
    about_other = task.about_task_id not in (None, mission.root_task_id)
    chain = [task.id, *([str(task.about_task_id)] if about_other else [])]
    gone = [
        str(one["path"])
        for one in proposal.files
        if one.get("status") == "D" or one.get("added") is None
    ]
    return Clash(
        paths=tuple(paths),
        deleted_or_binary=any(one in gone for one in paths),
        requirement_changed=task.id in standing.paused(view, mission.id),
        repairs=retries.conflicts_of(view, chain),
    )


class _About:
    """One conflict, with what can be done about it."""

    def __init__(
        self,
        tx: Tx,
        ids: Ids,
        mission: Mission,
        task: Task,
        proposal: Proposal,
        paths: list[str],
        known: Json,
    ) -> None:
        self._tx, self._ids, self._mission = tx, ids, mission
        self._task, self._proposal, self._paths = task, proposal, paths
        self._known = known

    def repair(self, agent_id: str, *, reviewed: bool) -> None:
        """The task stays in review until that is merged. reviewed: not before others say yes."""
        task, purpose = self._task, Purpose.REPAIR
        words = REPAIR.format(
            number=task.number,
            title=task.title,
            branch=self._mission.integration_branch,
            paths=named(self._paths),
            words=task.description or task.title,
        )
        agent = helping.helper(self._tx, task)
        assert agent is not None and agent.id == agent_id, "nothing came in between"
        changed = [str(one["path"]) for one in self._proposal.files]
        known = list(dict.fromkeys([*changed, *task.expected_files]))
        files = known if len(changed) <= FILES else []
        made = helping.make(self._tx, self._ids, self._mission, task, purpose, agent, words, files)
        if reviewed:
            self._review(made)
        self._keep(RetryAction.DEBUG, Change.DEBUGGER, CONFLICT, helper=made.id)

    def _review(self, task: Task) -> None:
        """What text alone does not settle is looked at by whoever may judge it, before it is merged
        (A-27); of a task that is reviewed anyhow, by those. Where nobody may, it is merged as any
        other."""
        own = (task.assignee_agent_id, self._task.assignee_agent_id)
        able = panels.able(self._tx, task.workspace_id)
        if not any(role in routes.SEMANTIC and one not in own for one, role in able):
            return
        if any(one.kind is GateKind.REVIEW for one in gates.of_task(self._tx, task.id)):
            return
        gates.add(
            self._tx,
            id=self._ids.new(),
            workspace_id=task.workspace_id,
            task_id=task.id,
            place=len(gates.of_task(self._tx, task.id)) + 1,
            kind=GateKind.REVIEW,
            agents=[],
            needed=1,
            policy=kept(Policy((), routes.SEMANTIC, 1)),
        )

    def again(self, *, alone: bool, reviewed: bool = False) -> None:
        """By its own agent, on the newest head, for one of its attempts."""
        tx, task = self._tx, self._task
        sign = signature(CONFLICT, "git merge-tree", "\n".join(sorted(self._paths)))
        verdict = attempt_retry(
            budget=task.retry_budget,
            spent=task.attempts_spent,
            signature=sign,
            last_signature=task.last_failure_signature,
        )
        if task.assignee_agent_id is None or not verdict.again:
            return self.block("budget_spent", Trigger.REPEATED_FAILURE)
        if reviewed:
            self._review(task)
        tasks.spend_attempt(tx, task, cost=verdict.cost, signature=sign)
        action = RetryAction.RETRY_SERIAL if alone else RetryAction.RETRY
        change = Change.SERIALIZATION if alone else Change.CONTEXT
        self._keep(action, change, CONFLICT, cost=verdict.cost)
        words = REWORK.format(branch=task.base_branch, paths=named(self._paths))
        comments.add(tx, task, self._ids.new(), SYSTEM, words, None)
        data = {"by": CONFLICT, "proposal_id": self._proposal.id}
        graph.move(tx, self._ids, task, TaskStatus.IN_PROGRESS, actor=SYSTEM, data=data)
        task = _get(tx, task.id)
        if alone or self._mission.state not in PLANNING:
            graph.move(tx, self._ids, task, TaskStatus.TODO, actor=SYSTEM, data=data)
        else:
            next_attempt(tx, self._ids, task)
        tx.nudge("queue")

    def block(self, reason: str, trigger: Trigger | None) -> None:
        """A person says how it goes on, and whoever knows the design, or leads, hears of it."""
        tx, task = self._tx, self._task
        self._keep(RetryAction.BLOCK, None, reason)
        blocked: dict[str, object] = {"owner": "user", "action": SETTLE, "kind": SETTLE}
        blocked |= {"branch": task.base_branch, "paths": ", ".join(self._paths[:NAMED])}
        helping.block(tx, self._ids, task, blocked)
        last = wakeups.latest_for_task(tx, task.id)
        inbox.open_item(
            tx,
            self._ids.new(),
            InboxKind.BLOCKED,
            Severity.ATTENTION,
            key=f"conflict:{self._proposal.id}",
            subject=Subject("task", task.id),
            workspace_id=task.workspace_id,
            data={
                "says": CONFLICT,
                "number": task.number,
                "task_id": task.id,
                "proposal_id": self._proposal.id,
                "wakeup_id": last.id if last else "",
                **blocked,
                "by_hand": {"code": "by_hand", "command": self._known["command"]},
                "options": inbox.options(("retry",) if task.assignee_agent_id else ()),
            },
        )
        run = runs.get(tx, self._proposal.run_id or "")
        if run is not None and trigger is not None:
            branch, where = task.base_branch, named(self._paths)
            escalating.tell(
                tx,
                self._ids,
                trigger,
                task=task,
                text=f"T-{task.number} does not fit onto {branch} as that is now{where}.",
                key=f"conflict:{self._proposal.id}",
                run=run,
                failed_agent=run.agent_id,
            )

    def _keep(
        self,
        action: RetryAction,
        change: Change | None,
        reason: str,
        cost: int = 0,
        helper: str | None = None,
    ) -> None:
        retries.keep(
            self._tx,
            self._task,
            id=self._ids.new(),
            proposal_id=self._proposal.id,
            action=action,
            change=change,
            reason=reason,
            cost=cost,
            helper_task_id=helper,
            evidence=self._known,
        )


def next_attempt(tx: Tx, ids: Ids, task: Task) -> None:
    """The wakeup of the attempt that was booked last (house, Causes)."""
    assert task.assignee_agent_id is not None
    cause = wakers.attempt(task, task.assignee_agent_id, task.attempt_wakeups)
    wakers.wake(tx, ids.new(), cause)


def _get(view: View, task_id: str) -> Task:
    task = tasks.get(view, task_id)
    assert task is not None, "foreign keys hold"
    return task
