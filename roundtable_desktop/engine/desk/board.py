"""What a person does with a task on the board: moves, sends back, blocks, cancels (K-09)."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from roundtable_desktop.engine import gates as flow
from roundtable_desktop.engine import graph, stale, straying
from roundtable_desktop.engine.asking import ask_approval
from roundtable_desktop.engine.calling_off import CALLED_OFF, call_off
from roundtable_desktop.engine.desk import Asked, Desk, check_revision, once, tasks
from roundtable_desktop.engine.desk.edges import check_unblocked
from roundtable_desktop.engine.pipeline import decision
from roundtable_desktop.model.errors import Blocked, Conflict, Illegal, Invalid
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Json, Run, Subject, Task, Wakeup
from roundtable_desktop.model.states import (
    LIVE_RUNS,
    TASK,
    ApprovalStatus,
    ProposalStatus,
    Source,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.model.verdicts import Cancel
from roundtable_desktop.rules import admission
from roundtable_desktop.store import (
    approvals,
    comments,
    gates,
    missions,
    proposals,
    runs,
    verdicts,
    wakeups,
)
from roundtable_desktop.store import tasks as rows
from roundtable_desktop.store.db import Tx, View

SENT_BACK = "This was looked at and is not accepted as it is."
"""What the agent reads when a person sends work back without a word."""
BY_HAND = (
    TaskStatus.TODO,
    TaskStatus.IN_PROGRESS,
    TaskStatus.IN_REVIEW,
    TaskStatus.DONE,
    TaskStatus.CANCELLED,
)
"""Where a person may put a task; `block` says more than a move does."""
_TAKEN_BACK = (TaskStatus.TODO, TaskStatus.IN_PROGRESS)
"""Between these a move and its opposite leave nothing behind; elsewhere work was judged."""


def move(desk: Desk, asked: Asked, task_id: str, to: TaskStatus, note: str = "") -> Task:
    """By the machine's moves and no other. Who takes a task out of In progress ends the run that
    works on it: its runner is told, and it is not tried again."""
    return _done(desk, asked, task_id, lambda tx, task: move_now(tx, desk, asked, task, to, note))


def placing(desk: Desk, asked: Asked, to: TaskStatus) -> Callable[[Tx, Task], None]:
    """For `tasks.create`: the new task begins there, by the moves that lead there. It has no run
    that they could end."""
    first = [TaskStatus.IN_PROGRESS] if to in (TaskStatus.IN_REVIEW, TaskStatus.DONE) else []
    steps = [] if to is TaskStatus.TODO else [*first, to]

    def put(tx: Tx, task: Task) -> None:
        for step in steps:
            move_now(tx, desk, asked, tasks.get(tx, task.id), step)

    return put


def block(desk: Desk, asked: Asked, task_id: str, *, reason: str, owner: str, action: str) -> Task:
    """C-24: who has to do what. Nothing works on it until somebody opens it again."""

    def act(tx: Tx, task: Task) -> list[str]:
        return block_now(tx, desk, asked, task, reason=reason, owner=owner, action=action)

    return _done(desk, asked, task_id, act)


def block_now(
    tx: Tx, desk: Desk, asked: Asked, task: Task, *, reason: str, owner: str, action: str
) -> list[str]:
    """`block` as a part of a larger decision; the runs that are to be called off after it."""
    _check_move(task, TaskStatus.BLOCKED)
    ended = _take_away(tx, task)
    _drop_wakeups(tx, asked, task, TaskStatus.BLOCKED)
    blocked = {"owner": owner, "action": action, "reason": reason}
    graph.move(tx, desk.ids, task, TaskStatus.BLOCKED, actor=asked.actor, blocked=blocked)
    return ended


def _done(desk: Desk, asked: Asked, task_id: str, act: Callable[[Tx, Task], list[str]]) -> Task:
    """The decision first, then the runs that it ends."""
    ended: list[str] = []

    def decide() -> Subject:
        task = tasks.get(tx, task_id)
        check_revision(asked, task.revision)
        ended.extend(act(tx, task))
        return Subject("task", task.id)

    with desk.store.transaction() as tx:
        task = once(tx, asked, decide, rows.get)
    for run_id in ended:
        call_off(desk.launcher, run_id)
    return task


def move_now(
    tx: Tx, desk: Desk, asked: Asked, task: Task, to: TaskStatus, note: str = ""
) -> list[str]:
    """`move` as a part of a larger decision; the runs that are to be called off after it."""
    if to not in BY_HAND:
        raise Invalid("not_moved_by_hand", "/status", status=str(to))
    _check_move(task, to)
    if to is TaskStatus.IN_PROGRESS:
        check_unblocked(tx, task)
        if task.status is TaskStatus.IN_REVIEW:
            ended = _reviewing(tx, task)
            send_back(tx, desk, asked, task, note)
            return ended
    _check_proposals(tx, task, to)
    ended = _take_away(tx, task) if task.status is TaskStatus.IN_PROGRESS else _reviewing(tx, task)
    _drop_wakeups(tx, asked, task, to)
    if note:
        comments.add(tx, task, desk.ids.new(), asked.actor, note, None)
    if to is TaskStatus.CANCELLED:
        _give_up_proposals(tx, asked, task, note)
    if to is TaskStatus.DONE:
        for one in approvals.open_of_task(tx, task.id):
            if one.agent_id is None:
                approvals.settle(tx, one, ApprovalStatus.APPROVED, asked.actor, note or None)
    graph.move(tx, desk.ids, task, to, actor=asked.actor, data={"by": "hand"})
    _after(tx, desk, asked, task, to)
    return ended


def send_back(tx: Tx, desk: Desk, asked: Asked, task: Task, note: str) -> None:
    """In review → in progress: the work is not accepted as it is. The note is a comment, which
    wakes the agent with it; it goes on with its own copy (K-09)."""
    _check_not_delivering(tx, task)
    for proposal in proposals.of_task(tx, task.id):
        if proposal.status in proposals.OPEN:
            to, data = ProposalStatus.REVISION_REQUESTED, {"note": note}
            proposals.move(tx, proposal, to, actor=asked.actor, data=data)
        elif proposal.status is ProposalStatus.APPROVED:  # its delivery was held
            to = ProposalStatus.CONFLICTED
            proposals.move(tx, proposal, to, actor=asked.actor, data={"note": note})
    graph.move(tx, desk.ids, task, TaskStatus.IN_PROGRESS, actor=asked.actor, data={"by": "hand"})
    rows.fresh_budget(tx, task)
    tasks.add_comment(tx, desk, asked.actor, tasks.get(tx, task.id), note or SENT_BACK)


def moves(view: View, task: Task) -> list[TaskStatus]:
    """Where a person can move it now."""
    return [to for to in BY_HAND if _is_possible(view, task, to)]


def wakes(task: Task, to: TaskStatus) -> bool:
    """Whether the move would wake the task's agent."""
    put_back = task.status is TaskStatus.IN_PROGRESS
    wanted = to is TaskStatus.IN_PROGRESS or (to is TaskStatus.TODO and not put_back)
    return wanted and task.assignee_agent_id is not None


def can_take_back(before: TaskStatus, after: TaskStatus) -> bool:
    """Whether the opposite move undoes the move, and is not a decision of its own."""
    return before is not after and {before, after} <= {*_TAKEN_BACK}


def _is_possible(view: View, task: Task, to: TaskStatus) -> bool:
    try:
        _check_move(task, to)
        _check_proposals(view, task, to)
        if to is TaskStatus.IN_PROGRESS:
            check_unblocked(view, task)
    except (Illegal, Blocked, Conflict):
        return False
    return True


def _check_move(task: Task, to: TaskStatus) -> None:
    if not TASK.allows(task.status, to):
        raise Illegal("illegal_move", machine="task", expect=str(task.status), to=str(to))


def _after(tx: Tx, desk: Desk, asked: Asked, before: Task, to: TaskStatus) -> None:
    """Whom the move wakes, and whom it asks. Only a person's move counts the tries anew (B-073)."""
    task = tasks.get(tx, before.id)
    if to in (TaskStatus.TODO, TaskStatus.IN_PROGRESS):
        rows.fresh_budget(tx, task)
    if wakes(before, to) and not missions.is_planned(tx, task):
        graph.wake(tx, desk.ids, task, Source.TASK_ASSIGNED, "moved", asked.actor)
    if to is TaskStatus.IN_REVIEW and flow.begin(tx, desk.ids, task, asked.actor):
        return
    if to is TaskStatus.IN_REVIEW and task.requires_approval and not _open(tx, task):
        ask_approval(tx, desk.ids, task)


def _take_away(tx: Tx, task: Task) -> list[str]:
    """The live runs of it, each with the mark that it was called off."""
    return _mark(tx, runs.of_task(tx, task.id))


def _reviewing(tx: Tx, task: Task) -> list[str]:
    """Likewise of its reviewers whose verdict nobody waits for then; others end by themselves."""
    gate = gates.asked(tx, task.id)
    waited_for = verdicts.outstanding(tx, gate) if gate is not None else []
    found = (runs.get(tx, one.run_id) for one in waited_for if one.run_id)
    return _mark(tx, filter(None, found))


def _mark(tx: Tx, found: Iterable[Run]) -> list[str]:
    live = [run for run in found if run.status in LIVE_RUNS]
    for run in live:
        if not (run.ended or {}).get("end"):
            runs.keep_ended(tx, run, {CALLED_OFF: True})
    return [run.id for run in live]


def _drop_wakeups(tx: Tx, asked: Asked, task: Task, to: TaskStatus) -> None:
    """Wakeups of before the person's word, with the retries that they had left. Where the task is
    over with that, they are told of as if they had been looked at after it (K-29, K-30)."""
    after = replace(task, status=to)
    for waiting in wakeups.waiting_for_task(tx, task.id):
        seen = admission.staleness(waiting.agent_id, task.id, after, by_person=True)
        seen = admission.of_retry(seen) if waiting.retry_count else seen
        if isinstance(seen, Cancel):
            _drop(tx, asked, waiting, seen)
        else:
            _settle(tx, asked, waiting, data={"reason": "moved"})


def _drop(tx: Tx, asked: Asked, waiting: Wakeup, seen: Cancel) -> None:
    told = decision("staleness", seen, rfc3339(tx.now))
    wakeups.keep_decisions(tx, waiting.id, [*map(dict, waiting.decisions), told])
    kind, data = stale.kind_of(seen.reason), stale.told(waiting, seen.reason)
    _settle(tx, asked, waiting, cancel_reason=seen.reason, kind=kind, data=data)


def _settle(tx: Tx, asked: Asked, waiting: Wakeup, **more: Any) -> None:
    outcome = WakeupOutcome.USER_CANCELLED
    wakeups.settle(tx, waiting, WakeupStatus.CANCELLED, outcome=outcome, actor=asked.actor, **more)


def _open(view: View, task: Task) -> bool:
    return any(one.status in proposals.OPEN for one in proposals.of_task(view, task.id))


def _check_not_delivering(view: View, task: Task) -> None:
    """That one waits for a run may take hours, and is said with that run's task."""
    for one in proposals.of_task(view, task.id):
        if proposals.in_hand(view, one):
            after = straying.goes_first(view, proposals.deliveries(view, one.id)[-1])
            if after is not None:
                raise Conflict("delivery_waits", number=task.number, other=after.number)
            raise Conflict("delivery_under_way", number=task.number)


def _check_proposals(view: View, task: Task, to: TaskStatus) -> None:
    """C-97: done is what is on its branch; a change that waits is delivered or rejected first."""
    if to in (TaskStatus.DONE, TaskStatus.CANCELLED, TaskStatus.IN_PROGRESS):
        _check_not_delivering(view, task)
    if to is TaskStatus.DONE and _open(view, task):
        raise Blocked("proposal_waits", number=task.number)


def _give_up_proposals(tx: Tx, asked: Asked, task: Task, note: str) -> None:
    for proposal in proposals.of_task(tx, task.id):
        if proposal.status in (*proposals.OPEN, ProposalStatus.APPROVED):
            turn_down(tx, proposal, asked, {"note": note, "by": "task_cancelled"})


def turn_down(tx: Tx, proposal: Proposal, asked: Asked, data: Json) -> None:
    """One whose delivery was held could not be brought to its branch; that goes first."""
    if proposal.status is ProposalStatus.APPROVED:
        proposals.move(tx, proposal, ProposalStatus.CONFLICTED, actor=asked.actor)
        found = proposals.get(tx, proposal.id)
        assert found is not None
        proposal = found
    proposals.move(tx, proposal, ProposalStatus.REJECTED, actor=asked.actor, data=data)
