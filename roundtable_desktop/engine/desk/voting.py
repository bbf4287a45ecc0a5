"""What agents see of proposals, and how a reviewer says what it thinks of one."""

from collections.abc import Mapping, Sequence

from roundtable_desktop.engine import gates as flow
from roundtable_desktop.engine import reviewing
from roundtable_desktop.engine.desk import reach
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.gates import DEMANDS, VerdictStatus, Word
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Actor, Json, Run, Subject
from roundtable_desktop.model.states import ProposalStatus
from roundtable_desktop.rules.capabilities import may, purpose_of
from roundtable_desktop.store import agents, gates, lists, proposals, verdicts
from roundtable_desktop.store.db import Tx, View

Answer = Mapping[str, object]


def check_may(holder: Holder, tool: str) -> None:
    """K-71: refused by name, before anything else is looked at."""
    purpose = purpose_of(holder.task_id, holder.gate_id)
    if not may(tool, purpose):
        raise Conflict("tool_not_allowed", tool=tool, purpose=str(purpose))


def cast(tx: Tx, ids: Ids, run: Run, word: Word, note: str, findings: Sequence[Json]) -> Subject:
    """In the run that was asked for it, about the commit that it was asked about, and once."""
    review = reviewing.of_run(tx, run)
    if review is None:
        gate = gates.get(tx, run.gate_id or "")
        actor = Actor("agent", run.agent_id)
        given = verdicts.of_author(tx, gate, actor) if gate else None
        if given is not None and given.status is VerdictStatus.GIVEN and given.run_id == run.id:
            raise Conflict("already_voted")
        raise Conflict("review_over")
    if run.agent_id in flow.authors_of(tx, review.task, review.proposal):
        raise Conflict("own_work")
    if word in DEMANDS and not note and not findings:
        raise Invalid("verdict_without_reason", "/note")
    actor = Actor("agent", run.agent_id)
    flow.give(tx, ids, review.gate, review.verdict, actor, word=word, note=note, findings=findings)
    return Subject("verdict", review.verdict.id)


def proposal(view: View, holder: Holder, proposal_id: str | None) -> Answer:
    """None: the one that it reviews, or the newest of its own task."""
    if proposal_id is None:
        task = reach.own(view, holder)
        found = proposals.of_task(view, task.id)
        if not found:
            raise Absent("unknown_proposal")
        one = _looked_at(view, holder, found)
    else:
        known = proposals.get(view, proposal_id)
        if known is None:
            raise Absent("unknown_proposal", "/proposal_id")
        try:
            reach.named(view, holder, known.task_id)
        except Absent:
            raise Absent("unknown_proposal", "/proposal_id") from None
        one = known
    names = {agent.id: agent.name for agent in agents.every(view, holder.workspace_id)}
    given = [
        {
            "by": "developer" if each.author_type == "person" else names.get(each.author_id),
            "verdict": each.word,
            "note": each.note,
            "findings": [dict(finding) for finding in each.findings],
        }
        for each in verdicts.of_proposal(view, one.id)
        if each.status is VerdictStatus.GIVEN
        and not _of_this_round(view, holder, each.gate_id, one)
    ]
    more = {"files": [dict(each) for each in one.files], "verdicts": given}
    return {**_shown(one), **more}


def _looked_at(view: View, holder: Holder, found: Sequence[Proposal]) -> Proposal:
    gate = gates.get(view, holder.gate_id) if holder.gate_id else None
    wanted = gate.proposal_id if gate else None
    return next((one for one in found if one.id == wanted), found[-1])


def _of_this_round(view: View, holder: Holder, gate_id: str, one: Proposal) -> bool:
    """Whoever reviews looks for themselves: the others' verdicts of the same round come later."""
    gate = gates.get(view, gate_id)
    return holder.gate_id == gate_id and gate is not None and gate.proposal_id == one.id


def listed(
    view: View,
    holder: Holder,
    status: ProposalStatus | None,
    after: str | None,
    limit: int,
) -> Answer:
    """Of the tasks that it may see, newest first."""
    seen = reach.seen(view, holder)
    where: dict[str, object] = {"workspace_id": holder.workspace_id}
    if seen is not None:
        where["task_id"] = seen or lists.NOTHING
    if status is not None:
        where["status"] = status
    found = lists.page(view, lists.PROPOSALS, after=after, limit=limit + 1, **where)
    told = [_shown(one) for one in found[:limit]]
    return {
        "proposals": told,
        "next_cursor": found[limit - 1].id if len(found) > limit else None,
    }


def _shown(one: Proposal) -> dict[str, object]:
    return {
        "id": one.id,
        "task_id": one.task_id,
        "status": str(one.status),
        "base_commit": one.base_commit,
        "head_commit": one.head_commit,
        "held": dict(one.held) if one.held else None,
    }
