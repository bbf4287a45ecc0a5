"""Commands about proposals."""

from collections.abc import Sequence

from roundtable_desktop.engine import catching_up, checks, graph, merges
from roundtable_desktop.engine import gates as flow
from roundtable_desktop.engine.conflicts import REWORK, named
from roundtable_desktop.engine.desk import Asked, Desk, board, check_revision, once
from roundtable_desktop.engine.desk import tasks as tasks_of_desk
from roundtable_desktop.model.errors import Absent, Blocked, Conflict
from roundtable_desktop.model.gates import VerdictStatus
from roundtable_desktop.model.missions import OVER, MissionState
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import Subject, Task
from roundtable_desktop.model.states import (
    TASK,
    TERMINAL_TASKS,
    AgentStatus,
    DeliveryStatus,
    ProposalStatus,
    TaskStatus,
)
from roundtable_desktop.store import agents, missions, proposals, tasks, verdicts
from roundtable_desktop.store.db import Tx, View

MARKED = (
    "These files still have git's conflict marks{paths}. Settle those so that both intentions "
    "hold, and report again."
)
"""What the agent reads whose repair left some."""


def can_deliver(proposal: Proposal, tries: Sequence[Delivery]) -> bool:
    """Whether a person's Deliver is what it waits for: nothing was decided, or a try was held."""
    in_hand = bool(tries) and tries[-1].status is DeliveryStatus.INTENDED
    approved = proposal.status is ProposalStatus.APPROVED
    return proposal.status in proposals.OPEN or (approved and not in_hand)


def deliver(
    desk: Desk, asked: Asked, proposal_id: str, *, override: bool = False, note: str = ""
) -> Proposal:
    """A person's Deliver approves and delivers (C-104). The delivery itself is done outside; its
    row tells how it went. What is held for a look needs `override` and a note."""

    def act() -> Subject:
        deliver_now(tx, desk, asked, proposal_id, override=override, note=note)
        return Subject("proposal", proposal_id)

    with desk.store.transaction() as tx:
        proposal = once(tx, asked, act, proposals.get)
    return proposal


def deliver_now(
    tx: Tx, desk: Desk, asked: Asked, proposal_id: str, *, override: bool = False, note: str = ""
) -> None:
    """`deliver` as a part of a larger decision."""
    proposal = _get(tx, asked, proposal_id)
    if (mission := catching_up.stuck(tx, proposal)) is not None:
        return catching_up.intend(tx, desk.ids, mission, proposal, asked.actor)
    if proposal.held and proposal.status in proposals.OPEN and not (override and note):
        facts = dict(proposal.held)
        raise Blocked("proposal_held", reason=facts.pop("code"), **facts)
    _check_gates(tx, proposal, overridden=bool(override and note))
    if not can_deliver(proposal, proposals.deliveries(tx, proposal.id)):
        if proposal.status is not ProposalStatus.APPROVED:
            raise Conflict("proposal_not_open", status=str(proposal.status))
        return
    if proposal.status is not ProposalStatus.APPROVED:
        flow.pass_over(tx, _task(tx, proposal), asked.actor, note)
        data = {"note": note, "override": override}
        proposals.move(tx, proposal, ProposalStatus.APPROVED, actor=asked.actor, data=data)
    proposals.intend(
        tx,
        proposal,
        asked.actor,
        id=desk.ids.new(),
        branch=merges.branch_of(tx, proposal, _task(tx, proposal)),
        into_checkout=True,
    )


def _check_gates(tx: Tx, proposal: Proposal, *, overridden: bool) -> None:
    """C-104: whose word is waited for is named; a gate of a person is answered by this one."""
    is_open = proposal.status in proposals.OPEN
    if is_open and not overridden and (names := checks.open_names(tx, proposal)):
        raise Blocked("checks_open", names=names)
    gate = flow.open_review(tx, proposal.task_id) if is_open else None
    if gate is not None and not overridden:
        left = [one for one in verdicts.of_round(tx, gate) if one.status is not VerdictStatus.GIVEN]
        known = agents.of_ids(tx, [one.author_id for one in left] or gate.agents)
        names = ", ".join(sorted(one.name for one in known.values()))
        raise Blocked("gate_open", place=gate.place, agents=names)


def can_reject(proposal: Proposal, tries: Sequence[Delivery]) -> bool:
    """What could be delivered can be rejected as well."""
    return can_deliver(proposal, tries)


def reject(desk: Desk, asked: Asked, proposal_id: str, note: str = "") -> Proposal:
    """It will not go in as it is: its task is in progress again and its agent reads the note. What
    a mission offers stays on its integration branch, and the mission stays over."""

    def act() -> Subject:
        reject_now(tx, desk, asked, proposal_id, note)
        return Subject("proposal", proposal_id)

    with desk.store.transaction() as tx:
        proposal = once(tx, asked, act, proposals.get)
    return proposal


def request_changes(desk: Desk, asked: Asked, proposal_id: str, note: str) -> Proposal:
    """Something is to be done otherwise first. Of a task it is its rejection with the note; a
    mission is active again, and its coordinator reads it."""

    def act() -> Subject:
        request_changes_now(tx, desk, asked, proposal_id, note)
        return Subject("proposal", proposal_id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, proposals.get)


def request_changes_now(tx: Tx, desk: Desk, asked: Asked, proposal_id: str, note: str) -> None:
    """`request_changes` as a part of a larger decision."""
    proposal = _decidable(tx, asked, proposal_id)
    if merges.offered_by(tx, proposal) is None:
        reject_now(tx, desk, asked, proposal_id, note)
    else:
        _reopen(tx, desk, asked, proposal, note)


def reject_now(tx: Tx, desk: Desk, asked: Asked, proposal_id: str, note: str = "") -> None:
    """`reject` as a part of a larger decision."""
    proposal = _decidable(tx, asked, proposal_id, stuck=True)
    board.turn_down(tx, proposal, asked, {"note": note})
    task = _task(tx, proposal)
    mission = merges.offered_by(tx, proposal)
    if task.status is TaskStatus.IN_REVIEW and mission is None:
        board.send_back(tx, desk, asked, task, note)


def _reopen(tx: Tx, desk: Desk, asked: Asked, proposal: Proposal, note: str) -> None:
    """Its root is at work again, so that the word wakes the coordinator; where nobody hears it the
    mission is paused until its person has added what is to be done."""
    mission, root = merges.offered_by(tx, proposal), _task(tx, proposal)
    assert mission is not None
    if proposal.status is ProposalStatus.APPROVED:  # its delivery was held
        board.turn_down(tx, proposal, asked, {"note": note})
    else:
        to, data = ProposalStatus.REVISION_REQUESTED, {"note": note}
        proposals.move(tx, proposal, to, actor=asked.actor, data=data)
    if mission.state in OVER:
        missions.move(
            tx,
            mission,
            MissionState.ACTIVE,
            actor=asked.actor,
            data={"reason": "changes_requested"},
            outcome=None,
            reason=None,
            report=None,
        )
        leads = agents.get(tx, root.assignee_agent_id) if root.assignee_agent_id else None
        if leads is None or leads.status is not AgentStatus.ACTIVE:
            _let_plan(tx, asked, mission.id)
    if root.status in TERMINAL_TASKS and TASK.allows(root.status, TaskStatus.TODO):
        data = {"by": "changes_requested"}
        graph.move(tx, desk.ids, root, TaskStatus.TODO, actor=asked.actor, data=data)
    tasks_of_desk.add_comment(tx, desk, asked.actor, _task(tx, proposal), note or board.SENT_BACK)
    tx.nudge("queue")


def _let_plan(tx: Tx, asked: Asked, mission_id: str) -> None:
    """Nobody but the person plans it: it waits for that, or it would be over again at once and
    offer the same."""
    active = missions.get(tx, mission_id)
    assert active is not None
    data = {"reason": "changes_requested"}
    missions.move(tx, active, MissionState.PAUSED_INTAKE, actor=asked.actor, data=data)


def rebase(desk: Desk, asked: Asked, proposal_id: str, note: str = "") -> Proposal:
    """Its agent is woken to bring the work onto the branch as it is now; it goes on in its copy,
    which knows the branch's newest state, and a new proposal comes of it. A mission takes its base
    in, has settled what clashes, and is offered again."""

    def act() -> Subject:
        rebase_now(tx, desk, asked, proposal_id, note)
        return Subject("proposal", proposal_id)

    with desk.store.transaction() as tx:
        proposal = once(tx, asked, act, proposals.get)
    return proposal


def rebase_now(tx: Tx, desk: Desk, asked: Asked, proposal_id: str, note: str = "") -> None:
    """`rebase` as a part of a larger decision."""
    proposal = _decidable(tx, asked, proposal_id, stuck=True)
    task = _task(tx, proposal)
    if (mission := merges.offered_by(tx, proposal)) is not None:
        return catching_up.intend(tx, desk.ids, mission, proposal, asked.actor, note)
    if task.status is not TaskStatus.IN_REVIEW:
        raise Conflict("not_in_review", number=task.number, status=str(task.status))
    if task.assignee_agent_id is None:
        raise Conflict("task_not_assigned")
    tries = proposals.deliveries(tx, proposal.id)
    if proposal.status is not ProposalStatus.APPROVED:  # nobody has tried it, and it is to wait
        to, data = ProposalStatus.CONFLICTED, {"note": note}
        proposals.move(tx, proposal, to, actor=asked.actor, data=data)
    marks = bool(tries) and (tries[-1].reason or {}).get("code") == catching_up.MARKS
    words = MARKED if marks else REWORK
    words = words.format(branch=task.base_branch, paths=named(_conflicts(tries)))
    board.send_back(tx, desk, asked, task, f"{words}\n\n{note}".strip())


def discard_now(tx: Tx, desk: Desk, asked: Asked, proposal_id: str) -> None:
    """It is not wanted any more, and nobody is asked to do it again: the task that waits for it is
    cancelled. The commit stays under its ref."""
    proposal = _decidable(tx, asked, proposal_id, stuck=True)
    board.turn_down(tx, proposal, asked, {"by": "discard"})
    task = _task(tx, proposal)
    if task.status is TaskStatus.IN_REVIEW and merges.offered_by(tx, proposal) is None:
        to, data = TaskStatus.CANCELLED, {"by": "discard"}
        graph.move(tx, desk.ids, task, to, actor=asked.actor, data=data)


def _get(tx: Tx, asked: Asked, proposal_id: str) -> Proposal:
    proposal = proposals.get(tx, proposal_id)
    if proposal is None:
        raise Absent("unknown_proposal")
    check_revision(asked, proposal.revision)
    return proposal


def _decidable(tx: Tx, asked: Asked, proposal_id: str, *, stuck: bool = False) -> Proposal:
    """stuck: also one whose mission could not take its base in."""
    proposal = _get(tx, asked, proposal_id)
    if stuck and catching_up.stuck(tx, proposal) is not None:
        return proposal
    if not can_reject(proposal, proposals.deliveries(tx, proposal.id)):
        raise Conflict("proposal_not_open", status=str(proposal.status))
    return proposal


def _task(view: View, proposal: Proposal) -> Task:
    task = tasks.get(view, proposal.task_id)
    assert task is not None, "foreign keys hold"
    return task


def _conflicts(tries: Sequence[Delivery]) -> list[str]:
    """The paths that the last try met."""
    reason = (tries[-1].reason if tries else None) or {}
    paths = reason.get("paths")
    known = paths if isinstance(paths, list) else [reason["path"]] if "path" in reason else []
    return [str(path) for path in known]
