"""Delivers by a task's rule, and stands back where a person is to say it, or has said something."""

from collections.abc import Sequence
from datetime import datetime

from roundtable_desktop.engine import blocked, merges
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Change, Ids
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import SYSTEM, Run, Subject, Task
from roundtable_desktop.model.states import ProposalStatus, TaskStatus
from roundtable_desktop.rules.changes import telling
from roundtable_desktop.store import events, proposals, wakeups
from roundtable_desktop.store.db import Tx, View

RESTORED, COPIED = "restored", "copied"
"""Why a person is asked: what the database knows was of an earlier time, or is another home's."""
_PASTS = {RESTORED: Kind.DATABASE_RESTORED, COPIED: Kind.DATABASE_COPIED}


def intend(
    tx: Tx, ids: Ids, run: Run | None, task: Task, proposal: Proposal, changes: Sequence[Change]
) -> None:
    """Part of what proposes it: of a run's settlement, or without one of a mission's end. What is
    to be looked at first waits for a person."""
    if not merges.by_rule(tx, proposal, task) or proposal.held or telling(changes):
        return
    of_routine = task.routine_id is not None and task.status is TaskStatus.DONE
    in_review = of_routine or task.status is TaskStatus.IN_REVIEW
    if not (in_review or merges.lasts(tx, proposal, task)):
        return
    if run is not None and wakeups.word_waits(tx, task.id, run.agent_id):
        return  # the next run's proposal takes its place
    proposals.move(tx, proposal, ProposalStatus.APPROVED, data={"rule": "auto"})
    branch = merges.branch_of(tx, proposal, task)
    delivery = proposals.intend(
        tx, proposal, SYSTEM, id=ids.new(), branch=branch, into_checkout=False
    )
    mission = merges.offered_by(tx, proposal)
    begun = run.created_at if run else mission.started_at if mission else proposal.created_at
    if code := _of_a_past(tx, begun):
        blocked.hold(tx, ids, delivery, {"code": code})


def stand_back_all(tx: Tx, ids: Ids, code: str) -> int:
    """After a restore, or in a copy: whether they were delivered since nobody knows, nor what the
    user did with it. Also those that a person had asked for. How many."""
    waiting = proposals.intended(tx)
    for delivery in waiting:
        blocked.hold(tx, ids, delivery, {"code": code})
    return len(waiting)


def overtaken(view: View, delivery: Delivery, proposal: Proposal, task: Task) -> bool:
    """Whether something was said, begun anew, or proposed anew since the rule decided: what a newer
    proposal took back would come with the older one. A person's own Deliver stands."""
    if delivery.into_checkout or merges.lasts(view, proposal, task):
        return False
    if proposals.of_task(view, task.id)[-1].id != proposal.id:
        return True
    at_work = task.status not in (TaskStatus.IN_REVIEW, TaskStatus.DONE)
    return at_work or said_since(view, delivery, task)


def said_since(view: View, delivery: Delivery, task: Task) -> bool:
    """Whether the assignee is to hear something that came after the decision to deliver; what is
    said about a task that is over wakes nobody."""
    agent_id = task.assignee_agent_id
    if agent_id is None or task.status is not TaskStatus.IN_REVIEW:
        return False
    return wakeups.word_waits(view, task.id, agent_id, since=delivery.created_at)


def _of_a_past(view: View, begun: datetime) -> str | None:
    """Its work may be on the branch already, and may have been taken away again since."""
    for code, kind in _PASTS.items():
        last = events.newest_of(view, Subject("owner", "database"), kind)
        if last is not None and begun < last.at:
            return code
    return None
