"""A run that judges somebody's work: what it looks at, and whether it is still wanted (C-51)."""

from collections.abc import Sequence
from dataclasses import dataclass

from roundtable_desktop.engine.told_routines import told_task
from roundtable_desktop.model.gates import (
    PARTICIPANT_CHANGED,
    Gate,
    GateStatus,
    Verdict,
    VerdictStatus,
)
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Actor, Agent, Run, Task, Wakeup, Workspace
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.model.verdicts import Answer, Cancel, Go
from roundtable_desktop.rules.review_prompt import Looked, review_prompt
from roundtable_desktop.store import (
    agents,
    gates,
    merged_reviews,
    proposals,
    runs,
    tasks,
    verdicts,
)
from roundtable_desktop.store.db import Tx, View

VOTE = '@demo tool vote_cast {"verdict": "approve", "note": "It does what it should."}'
"""What the built-in agent says of work for which nobody wrote down what it is to say."""
_OPEN = (VerdictStatus.ASKED, VerdictStatus.MISSING)


@dataclass(frozen=True, slots=True)
class Review:
    """verdict: the one that is to be given. proposal: None where the work changed nothing."""

    task: Task
    gate: Gate
    verdict: Verdict
    proposal: Proposal | None


def gate_of(wakeup: Wakeup) -> str | None:
    found = wakeup.payload.get("gate_id")
    return str(found) if found else None


def of_wakeup(view: View, wakeup: Wakeup) -> Review | None:
    """None: nobody waits for its verdict any more, or ever did."""
    gate = gates.get(view, gate_of(wakeup) or "")
    if gate is None or gate.workspace_id != wakeup.workspace_id:
        return None
    if wakeup.payload.get("round") not in (None, gate.round):
        return None
    return of_agent(view, gate, wakeup.agent_id)


def of_run(view: View, run: Run) -> Review | None:
    """As `of_wakeup`, of one that is at work."""
    gate = gates.get(view, run.gate_id or "")
    if gate is None or run.payload.get("round") != gate.round:
        return None
    return of_agent(view, gate, run.agent_id)


def of_agent(view: View, gate: Gate, agent_id: str) -> Review | None:
    if gate.status is not GateStatus.ASKED or agent_id not in gate.agents:
        return None
    verdict = verdicts.of_author(view, gate, Actor("agent", agent_id))
    task = tasks.get(view, gate.task_id)
    if task is None or task.status is not TaskStatus.IN_REVIEW:
        return None
    if verdict is None or verdict.status not in _OPEN or agent_id == task.assignee_agent_id:
        return None
    proposal = proposals.get(view, gate.proposal_id) if gate.proposal_id else None
    return Review(task, gate, verdict, proposal)


def stage(review: Review | None, wakeup: Wakeup) -> Answer:
    """Whether the wake is about the stage that the work is in; the assignee has no part in it."""
    if review is None:
        about: dict[str, object] = {"gate_id": gate_of(wakeup), "task_id": wakeup.about}
        return Cancel(PARTICIPANT_CHANGED, about)
    return Go({"round": review.gate.round, "task_id": review.task.id})


def prompt_of(tx: Tx, review: Review, wakeup: Wakeup, agent: Agent, workspace: Workspace) -> str:
    proposal = review.proposal
    run = runs.get(tx, proposal.run_id) if proposal and proposal.run_id else None
    names = {one.id: one.name for one in agents.every(tx, workspace.id)}
    task, sent = told_task(tx, review.task)
    looked = Looked(
        wakeup=wakeup,
        agent=agent,
        workspace=workspace,
        task=task,
        sent=sent,
        proposal=proposal,
        author=names.get(run.agent_id, "") if run else "",
        summary=run.output_summary if run else "",
        earlier=_earlier(tx, review),
        snapshot=review.gate.snapshot,
        names=names,
    )
    return review_prompt(looked)


def models_of(view: View, review: Review) -> frozenset[str]:
    """By which the work was made, as far as its agents were told which to use (A-32)."""
    merged = merged_reviews.of_task(view, review.task.id)
    if merged is not None:
        ids = [str(one["delivery_id"]) for one in merged.merged]
        return merged_reviews.models_of(view, ids)
    run_id = review.proposal.run_id if review.proposal else None
    run = runs.get(view, run_id) if run_id else None
    return frozenset(filter(None, [run.model if run else None]))


def _earlier(view: View, review: Review) -> Sequence[Verdict]:
    """What was said of the work before, at this gate and at others; not of this round: everybody
    looks for themselves."""
    own = (review.gate.id, review.gate.round)
    return [
        one
        for one in verdicts.of_task(view, review.task.id)
        if one.status is VerdictStatus.GIVEN and (one.gate_id, one.round) != own
    ]


def payload_of(review: Review, wakeup: Wakeup) -> dict[str, object]:
    """Of the run: what it looks at, whatever the gate is asked about later."""
    proposal_id = review.proposal.id if review.proposal else ""
    known = {"task_id": review.task.id, "round": review.gate.round, "proposal_id": proposal_id}
    return {**wakeup.payload, **known}


def snapshot_of(view: View, run: Run) -> tuple[str, str | None]:
    """(branch, the commit that it looks at); None: the newest of the branch (A-15)."""
    task = tasks.get(view, str(run.payload.get("task_id")))
    proposal = proposals.get(view, str(run.payload.get("proposal_id") or ""))
    gate = gates.get(view, run.gate_id or "")
    assert task is not None, "tasks stay"
    if gate is not None and gate.snapshot is not None:
        return task.base_branch, str(gate.snapshot["head"])
    return task.base_branch, proposal.head_commit if proposal else None


def script_of(view: View, run: Run) -> str:
    """The `@demo` lines of what the task is judged by. Those after `once` count in the first round
    only; where none counts, the built-in agent approves."""
    task = tasks.get(view, str(run.payload.get("task_id")))
    given = task.acceptance if task is not None else ""
    counts = given if run.payload.get("round") == 1 else given.partition("@demo once")[0]
    return given if "@demo " in counts else VOTE
