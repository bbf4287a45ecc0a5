"""What a task must pass, as people and agents say it: checked, set, and let pass."""

from collections.abc import Sequence

from roundtable_desktop.engine import gates as flow
from roundtable_desktop.engine import panels
from roundtable_desktop.engine.desk import Asked, Desk
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.gates import Gate, GateKind, GateStatus, Wanted
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Actor, Agent, InboxItem, Json, Task
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    Adapter,
    AgentStatus,
    ApprovalStatus,
    ProposalStatus,
    Role,
    TaskStatus,
)
from roundtable_desktop.rules import reviews
from roundtable_desktop.rules.reviews import Policy
from roundtable_desktop.store import agents, approvals, gates, lists, proposals, tasks, verdicts
from roundtable_desktop.store.db import Tx, View

MOST, MOST_REVIEWERS = 8, 8
"""Gates of one task, and reviewers of one gate."""


def draw(tx: Tx, ids: Ids, task: Task, wanted: Sequence[Wanted]) -> None:
    """The gates of a new task, or its new ones, in the order in which they are asked."""
    for place, (one, reviewers) in enumerate(_checked(tx, task, wanted), 1):
        gates.add(
            tx,
            id=ids.new(),
            workspace_id=task.workspace_id,
            task_id=task.id,
            place=place,
            kind=one.kind,
            agents=[agent.id for agent in reviewers],
            needed=_needed(one, reviewers),
            policy=reviews.kept(_policy(one, reviewers)),
        )


def replace(tx: Tx, ids: Ids, task: Task, wanted: Sequence[Wanted], actor: Actor) -> None:
    """These and no others. What is in review is looked at anew by them."""
    checked = _checked(tx, task, wanted)
    known = gates.of_task(tx, task.id)
    if [_shape(one.kind, _policy(one, who)) for one, who in checked] == [
        _shape(one.kind, reviews.policy_of(one)) for one in known
    ]:
        return
    if task.status in TERMINAL_TASKS:
        raise Conflict("task_over", number=task.number, status=str(task.status))
    offered = proposals.of_task(tx, task.id)
    if offered and offered[-1].status is ProposalStatus.APPROVED:
        raise Conflict("delivery_under_way", number=task.number)
    for gate in known:
        gates.withdraw(tx, gate, actor)
        gates.move(tx, gate, GateStatus.DROPPED, actor=actor)
    _withdraw_question(tx, task, actor)
    draw(tx, ids, task, wanted)
    tasks.touch(tx, task)
    if task.status is TaskStatus.IN_REVIEW and not flow.begin(tx, ids, task, actor):
        flow.go_on(tx, ids, task, actor)  # nothing is left to pass


def check_assignee(view: View, task: Task, agent: Agent) -> None:
    """Nobody judges their own work (B-110)."""
    if any(agent.id in one.agents for one in gates.of_task(view, task.id)):
        raise Conflict("assignee_reviews", "/assignee_agent_id", agent=agent.name)


def _shape(kind: GateKind, policy: Policy) -> tuple[object, ...]:
    powers = None if policy.veto is None else frozenset(policy.veto)
    return kind, frozenset(policy.named), frozenset(policy.roles), policy.needed, powers


def _policy(one: Wanted, reviewers: Sequence[Agent]) -> Policy:
    named, roles = tuple(agent.id for agent in reviewers), tuple(Role(each) for each in one.roles)
    needed = one.needed if roles else _needed(one, reviewers)
    powers = None if one.veto is None else tuple(Role(each) for each in one.veto)
    return Policy(named, roles, needed, powers)


def _withdraw_question(tx: Tx, task: Task, actor: Actor) -> None:
    """Of the task itself: a yes to it would pass over the new gates. It is put again when they are
    passed."""
    for approval in approvals.open_of_task(tx, task.id):
        if approval.agent_id is None:
            approvals.settle(tx, approval, ApprovalStatus.WITHDRAWN, actor)


def _checked(view: View, task: Task, wanted: Sequence[Wanted]) -> list[tuple[Wanted, list[Agent]]]:
    if len(wanted) > MOST:
        raise Invalid("too_many_gates", "/gates", most=MOST)
    return [(one, _reviewers(view, task, one)) for one in wanted]


def _reviewers(view: View, task: Task, wanted: Wanted) -> list[Agent]:
    at = f"{wanted.pointer}/agents"
    if wanted.kind is GateKind.APPROVAL:
        if wanted.agents or wanted.roles or wanted.needed is not None or wanted.veto is not None:
            raise Invalid("approval_is_a_persons", wanted.pointer)
        return []
    if not wanted.agents and not wanted.roles:
        raise Invalid("review_by_nobody", at)
    if len(wanted.agents) > MOST_REVIEWERS:
        raise Invalid("too_many_reviewers", at, most=MOST_REVIEWERS)
    found = [_reviewer(view, task, one, f"{at}/{n}") for n, one in enumerate(wanted.agents)]
    if len({one.id for one in found}) < len(found):
        raise Invalid("reviewer_twice", at)
    needed, most = wanted.needed, MOST_REVIEWERS if wanted.roles else len(found)
    if needed is not None and not 1 <= needed <= most:
        raise Invalid("needs_too_many", f"{wanted.pointer}/needed", most=most)
    return found


def _reviewer(view: View, task: Task, given: str, pointer: str) -> Agent:
    """By id, a unique end of it, or name; another workspace's is as if it did not exist (K-64)."""
    where = task.workspace_id
    agent = agents.get(view, given) or agents.named(view, where, given)
    agent = agent or lists.by_suffix(view, lists.AGENTS, given)
    if agent is None or agent.workspace_id != where:
        raise Absent("unknown_agent", pointer)
    if agent.status is AgentStatus.RETIRED:
        raise Invalid("reviewer_retired", pointer, agent=agent.name)
    if agent.adapter is Adapter.COMMAND:
        raise Invalid("reviewer_without_tools", pointer, agent=agent.name)
    if agent.id == task.assignee_agent_id:
        raise Invalid("reviewer_is_assignee", pointer, agent=agent.name)
    return agent


def _needed(wanted: Wanted, reviewers: Sequence[Agent]) -> int:
    if wanted.kind is GateKind.APPROVAL:
        return 1
    if wanted.roles:  # reckoned when it is asked
        return wanted.needed or max(len(reviewers), 1)
    return len(reviewers) if wanted.needed is None else wanted.needed


# --- what a person is asked about ---------------------------------------------------------------


def answer(tx: Tx, desk: Desk, by: Asked, item: InboxItem, action: str) -> None:
    """Of a gate that cannot be passed by itself."""
    gate = gates.get(tx, item.subject_id)
    if gate is None or gate.status is not GateStatus.ASKED:
        raise Conflict("already_resolved")
    if action == flow.PASS:
        data: Json = {"override": True}
        flow.pass_now(tx, desk.ids, gate, by.actor, data)
    elif action == flow.SEND_BACK:
        flow.send_back(tx, desk.ids, gate, by.actor, returns=0)
    else:
        ask_again(tx, desk.ids, gate, by.actor)


def ask_again(tx: Tx, ids: Ids, gate: Gate, actor: Actor) -> None:
    if panels.is_empty(gate):  # perhaps somebody has the role by now
        gates.move(tx, gate, GateStatus.WAITING, actor=actor)
        task = tasks.get(tx, gate.task_id)
        assert task is not None, "foreign keys hold"
        return flow.go_on(tx, ids, task, actor)
    missing = flow.to_ask_again(tx, gate)
    if not missing:
        raise Conflict("nobody_to_ask")
    gates.stick(tx, gate, None)
    for verdict in missing:
        verdicts.ask_again(tx, verdict, actor)
        flow.request(tx, ids, gate, verdict, verdict.times + 1, actor)
