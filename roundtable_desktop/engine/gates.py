"""What must be passed before a task is done: asked in order, weighed when all are in (C-26)."""

from collections.abc import Sequence

from roundtable_desktop.engine import (
    by_rule,
    graph,
    merged_reviews,
    merges,
    panels,
    returned,
    wakers,
)
from roundtable_desktop.engine.asking import ask_approval
from roundtable_desktop.model.gates import DEMANDS as WANTS_CHANGES
from roundtable_desktop.model.gates import (
    RETURNED,
    REVIEW_REQUESTED,
    Gate,
    GateKind,
    GateStatus,
    Verdict,
    VerdictStatus,
    Word,
)
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Change, Ids
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Run, Subject, Task
from roundtable_desktop.model.states import (
    ApprovalStatus,
    InboxKind,
    ProposalStatus,
    Severity,
    Source,
    TaskStatus,
)
from roundtable_desktop.rules.gates import MOST_RETURNS, Judged
from roundtable_desktop.rules.review_words import returned as words_of
from roundtable_desktop.store import (
    agents,
    approvals,
    comments,
    gates,
    inbox,
    journal,
    proposals,
    runs,
    tasks,
    verdicts,
    wakeups,
)
from roundtable_desktop.store.db import Tx, View

TOO_FEW, RETURNS = "gate_too_few", "gate_returns"
"""Why a person is asked: too few approve, or the work has come back too often (B-113)."""
ASK_AGAIN, PASS, SEND_BACK = "ask_again", "pass_gate", "send_back"
AUTHOR = "author"
"""Why a verdict is missing: the work is the reviewer's own (B-110)."""


def handed_in(
    tx: Tx,
    ids: Ids,
    run: Run,
    before: Task,
    task: Task,
    proposal: Proposal | None,
    changes: Sequence[Change],
) -> None:
    """Part of a settlement: its gates are asked, else its rule decides. before: the task as it was
    until then."""
    anew = proposal is not None or before.status is TaskStatus.IN_PROGRESS
    if task.status is TaskStatus.IN_REVIEW and anew and begin(tx, ids, task):
        return
    if proposal is not None:  # what was said was said of another commit
        _anew(tx, task, SYSTEM)
        by_rule.intend(tx, ids, run, task, proposal, changes)


def begin(tx: Tx, ids: Ids, task: Task, actor: Actor = SYSTEM) -> bool:
    """From the first gate on, whatever was said of earlier work: a verdict is of one commit
    (B-111). False: the task has none. While the agent is to hear something, nobody is asked: its
    next turn's work is what counts."""
    listed = _anew(tx, task, actor)
    if listed and not _word_waits(tx, task):
        go_on(tx, ids, task, actor)
    return listed


def _anew(tx: Tx, task: Task, actor: Actor) -> bool:
    """None of its gates is passed any more; whether it has any."""
    listed = gates.of_task(tx, task.id)
    for gate in listed:
        if gate.status is GateStatus.ASKED:
            gates.withdraw(tx, gate, actor)
        if gate.status is not GateStatus.WAITING:
            gates.move(tx, gate, GateStatus.WAITING, actor=actor)
    return bool(listed)


def go_on(tx: Tx, ids: Ids, task: Task, actor: Actor = SYSTEM, *, by_person: bool = False) -> None:
    """Asks at the next gate; behind the last one the work is delivered, or its task is done.
    by_person: somebody has just said yes at the last one."""
    left = [one for one in gates.of_task(tx, task.id) if one.status is not GateStatus.PASSED]
    if not left:
        return _conclude(tx, ids, task, actor if by_person else None)
    if left[0].kind is GateKind.APPROVAL:
        return _ask_person(tx, ids, task, left[0])
    _ask_agents(tx, ids, task, left[0], actor)


def offered(view: View, task_id: str) -> Proposal | None:
    """What is looked at; None where the work changed nothing."""
    found = proposals.of_task(view, task_id)
    return found[-1] if found and found[-1].status in proposals.OPEN else None


def _word_waits(view: View, task: Task) -> bool:
    agent_id = task.assignee_agent_id
    return agent_id is not None and wakeups.word_waits(view, task.id, agent_id)


def _ask_person(tx: Tx, ids: Ids, task: Task, gate: Gate) -> None:
    proposal = _in_review(tx, task)
    run_id = proposal.run_id if proposal else None
    approval_id = ask_approval(tx, ids, task, run_id=run_id)
    gates.move(
        tx,
        gate,
        GateStatus.ASKED,
        round=gate.round + 1,
        proposal_id=proposal.id if proposal else None,
        approval_id=approval_id,
    )


def _ask_agents(tx: Tx, ids: Ids, task: Task, gate: Gate, actor: Actor) -> None:
    """Each reviewer is woken in this transaction (W-16); whose work it is judges nothing."""
    proposal = _in_review(tx, task)
    authors = authors_of(tx, task, proposal)
    who, needed = panels.seated(tx, gate, authors)
    asked = gates.move(
        tx,
        gate,
        GateStatus.ASKED,
        actor=actor,
        round=gate.round + 1,
        proposal_id=proposal.id if proposal else None,
        agents=list(who),
        needed=needed,
    )
    about = Subject("proposal", proposal.id) if proposal else Subject("task", task.id)
    where = {"task_id": task.id, "number": task.number, "gate_id": gate.id, "round": asked.round}
    journal.tell(
        tx,
        Kind.REVIEW_REQUESTED,
        about,
        workspace_id=task.workspace_id,
        actor=actor,
        data={**where, "agents": list(who)},
    )
    for agent_id in who:
        verdict = verdicts.ask(tx, asked, Actor("agent", agent_id), id=ids.new())
        if agent_id in authors:
            verdicts.miss(tx, verdict, AUTHOR)
        else:
            request(tx, ids, asked, verdict, 1, actor)
    weigh(tx, ids, asked)


def authors_of(view: View, task: Task, proposal: Proposal | None) -> set[str]:
    """Agents whose own work it is."""
    run = runs.get(view, proposal.run_id) if proposal and proposal.run_id else None
    return {one for one in (task.assignee_agent_id, run and run.agent_id) if one}


def _in_review(tx: Tx, task: Task) -> Proposal | None:
    proposal = offered(tx, task.id)
    if proposal is None or proposal.status is ProposalStatus.IN_REVIEW:
        return proposal
    proposals.move(tx, proposal, ProposalStatus.IN_REVIEW)
    return proposals.get(tx, proposal.id)


def request(tx: Tx, ids: Ids, gate: Gate, verdict: Verdict, times: int, actor: Actor) -> None:
    """times: how often it is asked now, in this round. About no task: whoever reviews it neither
    takes it nor tries it (C-51). Where a wake for it waits already, that one's end counts."""
    cause = wakeups.Cause(
        workspace_id=gate.workspace_id,
        agent_id=verdict.author_id,
        source=Source.TASK_ASSIGNED,
        reason=REVIEW_REQUESTED,
        payload={
            "task_id": gate.task_id,
            "gate_id": gate.id,
            "round": gate.round,
            "role": "reviewer",
        },
        key=f"review:{gate.id}:{gate.round}:{verdict.author_id}:{times}",
        actor=actor,
    )
    made = wakeups.get(tx, wakers.wake(tx, ids.new(), cause))
    assert made is not None, "it was made in this transaction"
    verdicts.bind_wakeup(tx, verdict, made.coalesced_into or made.id, times)


# --- what the verdicts amount to ----------------------------------------------------------------


def weigh(tx: Tx, ids: Ids, gate: Gate, actor: Actor = SYSTEM) -> None:
    """After each change of what is known: it is passed, goes back, waits, or asks a person."""
    current = gates.get(tx, gate.id)
    if current is None or current.status is not GateStatus.ASKED:
        return
    match panels.judged(tx, current):
        case Judged.RETURNED if current.snapshot is not None:
            merged_reviews.judged(tx, ids, current)
        case Judged.TOO_FEW if current.snapshot is not None and _unsure(tx, current):
            merged_reviews.judged(tx, ids, current)
        case Judged.PASSED:
            pass_now(tx, ids, current, actor)
        case Judged.RETURNED if current.returns + 1 >= MOST_RETURNS:
            gates.withdraw(tx, current, actor)  # after a veto nobody else is waited for
            _stick(tx, ids, current, RETURNS, (SEND_BACK, PASS))
        case Judged.RETURNED:
            send_back(tx, ids, current, actor)
        case Judged.TOO_FEW:
            _stick(tx, ids, current, TOO_FEW, _answers(tx, current))
        case Judged.OPEN if current.stuck is not None:
            gates.stick(tx, current, None)


def _unsure(view: View, gate: Gate) -> bool:
    return merged_reviews.unsure(verdicts.of_round(view, gate))


def pass_now(tx: Tx, ids: Ids, gate: Gate, actor: Actor, data: Json | None = None) -> None:
    """It is passed, and whoever has not answered need not any more."""
    gates.withdraw(tx, gate, actor)
    gates.move(tx, gate, GateStatus.PASSED, actor=actor, data=data, returns=0)
    if gate.snapshot is not None:
        merged_reviews.passed(tx, gate, actor, waived=data is not None)
    go_on(tx, ids, _task(tx, gate), actor)


def send_back(tx: Tx, ids: Ids, gate: Gate, actor: Actor, *, returns: int | None = None) -> None:
    """Once, with all that was found: the author is woken with it (K-09). returns: to count from."""
    task, said = _task(tx, gate), verdicts.of_round(tx, gate)
    count = gate.returns + 1 if returns is None else returns
    gates.withdraw(tx, gate, actor)
    gates.move(tx, gate, GateStatus.RETURNED, actor=actor, returns=count)
    proposal = offered(tx, task.id)
    data = {"by": "gate", "gate_id": gate.id}
    if proposal is not None:
        to = ProposalStatus.REVISION_REQUESTED
        proposals.move(tx, proposal, to, actor=actor, data=data)
    graph.move(tx, ids, task, TaskStatus.IN_PROGRESS, actor=actor, data=data)
    given = [one for one in said if one.status is VerdictStatus.GIVEN]
    first = next(one for one in given if one.word in WANTS_CHANGES)
    by, comment_id = Actor(first.author_type, first.author_id), ids.new()
    names = {one.id: one.name for one in agents.of_ids(tx, gate.agents).values()}
    comments.add(tx, task, comment_id, by, words_of(given, names), first.run_id)
    if task.assignee_agent_id is not None:
        cause = wakers.commented(task, task.assignee_agent_id, comment_id, by, RETURNED)
        wakers.wake(tx, ids.new(), cause)
    returned.ask(tx, ids, _task(tx, gate))


def _answers(view: View, gate: Gate) -> tuple[str, ...]:
    """What a person can do where too few approve."""
    again = (ASK_AGAIN,) if to_ask_again(view, gate) or panels.is_empty(gate) else ()
    return (*again, PASS)


def to_ask_again(view: View, gate: Gate) -> list[Verdict]:
    """Those that are missing and could still come."""
    missing = [
        one for one in verdicts.outstanding(view, gate) if one.status is VerdictStatus.MISSING
    ]
    return [one for one in missing if one.why != AUTHOR]


def _stick(tx: Tx, ids: Ids, gate: Gate, code: str, answers: Sequence[str]) -> None:
    """A person is asked, once for each time that it comes to this."""
    if gate.stuck is not None and gate.stuck.get("code") == code:
        return
    task, missing = _task(tx, gate), panels.missing(tx, gate)
    stuck = {"code": code, "missing": missing}
    first = missing[0] if missing else {"why": "nobody" if panels.is_empty(gate) else "none"}
    gates.stick(tx, gate, stuck)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.BLOCKED,
        Severity.ATTENTION,
        key=f"gate:{gate.id}:{gate.round}:{gate.revision}",
        subject=Subject("gate", gate.id),
        workspace_id=gate.workspace_id,
        data={
            "says": code,
            "owner": "user",
            "number": task.number,
            "task_id": task.id,
            "proposal_id": gate.proposal_id,
            "needed": gate.needed,
            "returns": gate.returns + 1,
            "missing": missing,
            "why": {**first, "code": f"missing_{first['why'] or 'none'}"},
            "options": inbox.options(answers),
        },
    )


# --- behind the last one ------------------------------------------------------------------------


def _conclude(tx: Tx, ids: Ids, task: Task, person: Actor | None) -> None:
    """One decision of a person is enough: whoever says yes at the last gate has it delivered,
    unless something in it is to be looked at first."""
    proposal = offered(tx, task.id)
    if proposal is None:
        asked = any(one.kind is GateKind.APPROVAL for one in gates.of_task(tx, task.id))
        if task.requires_approval and not asked:
            ask_approval(tx, ids, task)
        elif not _word_waits(tx, task):
            data = {"by": "gates"}
            graph.move(tx, ids, task, TaskStatus.DONE, actor=person or SYSTEM, data=data)
    elif person is not None and not proposal.held:
        to, data = ProposalStatus.APPROVED, {"by": "gate"}
        proposals.move(tx, proposal, to, actor=person, data=data)
        branch = merges.branch_of(tx, proposal, task)
        proposals.intend(tx, proposal, person, id=ids.new(), branch=branch, into_checkout=True)
    else:
        run = runs.get(tx, proposal.run_id) if proposal.run_id else None
        changes = [Change(**one) for one in proposal.files]  # type: ignore[arg-type]
        by_rule.intend(tx, ids, run, task, proposal, changes)


# --- a person's word ----------------------------------------------------------------------------


def decided(
    tx: Tx, ids: Ids, gate: Gate, task: Task, actor: Actor, *, approved: bool, note: str
) -> None:
    """What a person answered at a gate of theirs. Who says no sends the work back elsewhere."""
    if not approved:
        gates.move(tx, gate, GateStatus.RETURNED, actor=actor, data={"note": note})
        return
    gates.move(tx, gate, GateStatus.PASSED, actor=actor, data={"note": note})
    go_on(tx, ids, task, actor, by_person=True)


def open_review(view: View, task_id: str) -> Gate | None:
    """The first gate of agents that is not passed."""
    reviews = [one for one in gates.of_task(view, task_id) if one.kind is GateKind.REVIEW]
    return next((one for one in reviews if one.status is not GateStatus.PASSED), None)


def pass_over(tx: Tx, task: Task, actor: Actor, note: str) -> None:
    """A person's Deliver answers for all of them (C-104)."""
    for gate in gates.of_task(tx, task.id):
        if gate.status is GateStatus.PASSED:
            continue
        gates.withdraw(tx, gate, actor)
        if gate.status is GateStatus.RETURNED:
            gate = gates.move(tx, gate, GateStatus.WAITING, actor=actor)
        data = {"override": gate.kind is GateKind.REVIEW, "note": note}
        gates.move(tx, gate, GateStatus.PASSED, actor=actor, data=data, returns=0)
        approval = approvals.get(tx, gate.approval_id) if gate.approval_id else None
        if approval is not None and approval.status is ApprovalStatus.REQUESTED:
            approvals.settle(tx, approval, ApprovalStatus.APPROVED, actor, note or None)


def give(
    tx: Tx,
    ids: Ids,
    gate: Gate,
    verdict: Verdict,
    actor: Actor,
    *,
    word: Word,
    note: str,
    findings: Sequence[Json],
) -> None:
    verdicts.give(tx, verdict, actor, word=word, note=note, findings=findings)
    weigh(tx, ids, gate, actor if actor.type == "person" else SYSTEM)


def _task(tx: Tx, gate: Gate) -> Task:
    task = tasks.get(tx, gate.task_id)
    assert task is not None, "foreign keys hold"
    return task
