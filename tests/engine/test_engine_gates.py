"""Gates: reviewers are asked at once, all are heard before the work goes back, and no task waits
in silence."""

from datetime import timedelta
from typing import Any

import pytest
from engine_reviews import DONE, FINDING, Reviews, approval, review
from engine_stage import ASKED, Stage
from ground import JOAN, NOW

from roundtable_desktop.engine import retention, unanswered
from roundtable_desktop.engine.desk import (
    Asked,
    approvals,
    board,
    inbox,
    pausing,
    tasks,
    verdicts,
)
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid
from roundtable_desktop.model.gates import GateKind, Wanted, Word
from roundtable_desktop.model.states import (
    AgentStatus,
    DeliveryMode,
    ProposalStatus,
    Source,
    TaskStatus,
)
from roundtable_desktop.store import agents as stored_agents
from roundtable_desktop.store import approvals as stored_approvals
from roundtable_desktop.store import comments, counts

S, P = TaskStatus, ProposalStatus


@pytest.fixture
def reviews(stage: Stage) -> Reviews:
    return Reviews(stage)


@pytest.mark.proves("W-16", "R-20", "C-51")
def test_reviewers_are_woken_in_the_settlements_own_transaction(reviews: Reviews) -> None:
    task = reviews.task(review(reviews.first, reviews.second))
    run = reviews.worked(task, a="one")
    ground = reviews.stage.ground
    rows = ground.rows("events")
    (asked,) = [one for one in rows if one["kind"] == "proposal.review_requested"]
    proposal = reviews.proposal(task)
    assert asked["subject_id"] == proposal.id and proposal.status is P.IN_REVIEW
    (ended,) = [one for one in rows if one["kind"] == "run.ended" and one["subject_id"] == run.id]
    assert asked["at"] == ended["at"], "one transaction, one instant"
    woken = [
        one for one in ground.rows("agent_wakeup_requests") if one["reason"] == "review_requested"
    ]
    assert {one["agent_id"] for one in woken} == {reviews.first.id, reviews.second.id}
    assert {(one["source"], one["task_id"], one["status"]) for one in woken} == {
        ("task_assigned", None, "queued")
    }
    assert len({one["idempotency_key"] for one in woken}) == 2
    assert reviews.now(task).status is S.IN_REVIEW


@pytest.mark.proves("A-15 snapshot", "C-51")
def test_reviewers_work_side_by_side_at_the_proposals_commit_and_change_nothing(
    reviews: Reviews,
) -> None:
    task = reviews.handed_in(review(reviews.first, reviews.second))
    runs = [reviews.reviewing(one) for one in (reviews.first, reviews.second)]
    folders = {reviews.stage.copy(run) for run in runs}
    assert len(folders) == 2
    assert all((folder / "a.txt").read_text() == "one" for folder in folders)
    assert all(run.task_id is None and run.attempt_index is None for run in runs)
    assert all(run.base_commit == reviews.proposal(task).head_commit for run in runs)
    assert reviews.now(task).checkout_agent_id is None, "nobody has taken the task"
    reviews.stage.leave(runs[0], a="mine now")
    reviews.vote(reviews.first, "approve")
    (told,) = [
        one for one in reviews.stage.ground.rows("events") if one["kind"] == "run.changes_discarded"
    ]
    assert told["subject_id"] == runs[0].id and "a.txt" in told["data"]
    assert len(reviews.stage.proposals(task)) == 1
    assert reviews.stage.ground.get_run(runs[0].id).left_commit is None


@pytest.mark.proves("C-26", "K-54 gates")
def test_who_wants_changes_is_heard_with_the_others_and_the_author_is_woken_once(
    reviews: Reviews,
) -> None:
    task = reviews.handed_in(review(reviews.first, reviews.second, reviews.third))
    reviews.vote(reviews.first, "revise", "Look again.", [FINDING])
    assert reviews.now(task).status is S.IN_REVIEW, "the others have not spoken"
    reviews.vote(reviews.second, "approve_with_notes", "Nice names.")
    assert reviews.states(task) == "asked"
    reviews.vote(reviews.third, "reject", "Not so.")
    assert reviews.now(task).status is S.IN_PROGRESS and reviews.states(task) == "returned"
    assert reviews.proposal(task).status is P.REVISION_REQUESTED
    (run,) = reviews.live()
    assert run.task_id == task.id and run.attempt_index == 2
    wakeup = reviews.stage.wakeup(task)
    assert (wakeup.source, wakeup.reason) == (Source.COMMENT, "review_returned")
    prompt = run.assembled_prompt
    assert "not accepted as it is" in prompt and "New since your last turn" in prompt
    assert all(one in prompt for one in ("Look again.", "Nice names.", "Not so."))
    assert "a.txt:3 (major): off by one" in prompt
    with reviews.stage.ground.reader.snapshot() as view:
        assert len(comments.of_task(view, task.id)) == 1


@pytest.mark.proves("C-26", "B-111")
def test_a_new_proposal_is_looked_at_anew_and_the_old_no_does_not_count(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first), delivery=DeliveryMode.AUTO)
    reviews.vote(reviews.first, "revise", "Look again.", [FINDING])
    before = reviews.proposal(task)
    reviews.worked(task, a="two")
    reviews.go()
    assert reviews.proposal(task).id != before.id
    (gate,) = reviews.gates(task)
    assert gate.round == 2 and gate.proposal_id == reviews.proposal(task).id
    run = reviews.reviewing(reviews.first)
    assert "a.txt:3 (major): off by one" in run.assembled_prompt, "what was said before"
    reviews.vote(reviews.first, "approve")
    assert reviews.proposal(task).status is P.APPROVED, "by rule, after its gates"
    reviews.stage.deliver()
    assert reviews.now(task).status is S.DONE


@pytest.mark.proves("C-26")
def test_a_veto_sends_it_back_at_once_and_nobody_else_is_waited_for(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first, reviews.second))
    second = reviews.reviewing(reviews.second)
    reviews.vote(reviews.first, "veto", "Never.", end=False)
    assert reviews.now(task).status is S.IN_PROGRESS
    with pytest.raises(Conflict, match="review_over"):
        reviews.agency.vote(reviews.holder(second), Word.APPROVE, "", [], None)


def deliberated_on(reviews: Reviews) -> int:
    with reviews.stage.ground.reader.snapshot() as view:
        workspaces = view.sql("SELECT id FROM workspaces")
        return sum(counts.of_workspace(view, one["id"]).active_deliberations for one in workspaces)


@pytest.mark.proves("C-26", "C-51", "C-76")
def test_enough_of_many_pass_and_the_wake_of_the_rest_is_stale(reviews: Reviews) -> None:
    task = reviews.task(review(reviews.first, reviews.second, needed=1))
    assert deliberated_on(reviews) == 0
    reviews.worked(task, a="one")
    assert deliberated_on(reviews) == 1, "one gate, however many are asked"
    rows = reviews.stage.ground.rows("agent_wakeup_requests")
    assert {one["status"] for one in rows if one["reason"] == "review_requested"} == {"queued"}
    verdict = verdicts.cast(
        reviews.stage.desk, ASKED, reviews.proposal(task).id, Word.APPROVE, "Mine."
    )
    assert verdict.author_type == "person" and reviews.states(task) == "passed"
    assert deliberated_on(reviews) == 0
    cancelled = [
        one
        for one in reviews.stage.ground.rows("agent_wakeup_requests")
        if one["reason"] == "review_requested"
    ]
    assert {one["cancel_reason"] for one in cancelled} == {"review_participant_changed"}
    reviews.go()
    assert not reviews.live()
    assert reviews.now(task).status is S.IN_REVIEW, "it waits for a person's Deliver"


@pytest.mark.proves("C-51")
def test_a_reviewers_wake_follows_the_stage_and_never_the_assignee(reviews: Reviews) -> None:
    task = reviews.task(review(reviews.first))
    reviews.worked(task, a="one")
    other = reviews.stage.agent(reviews.workspace, name="Other")
    pausing.pause(reviews.stage.desk, ASKED, other.id)
    tasks.assign(reviews.stage.desk, ASKED, task.id, other.id)
    reviews.go()
    run = reviews.reviewing(reviews.first)
    assert run.payload["task_id"] == task.id, "the work is in the same stage, whoever has the task"
    pausing.resume(reviews.stage.desk, ASKED, other.id)
    reviews.go()
    assert reviews.now(task).status is S.IN_PROGRESS and reviews.states(task) == "waiting"
    with pytest.raises(Conflict, match="review_over"):
        reviews.agency.vote(reviews.holder(run), Word.APPROVE, "late", [], None)


@pytest.mark.proves("C-26")
def test_gates_are_asked_in_their_order_and_a_persons_yes_delivers(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first), approval())
    assert reviews.states(task) == "asked waiting" and not reviews.items(kind="approval")
    reviews.vote(reviews.first, "approve")
    assert reviews.states(task) == "passed asked"
    (item,) = reviews.items(kind="approval")
    inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "approve")
    assert reviews.states(task) == "passed passed"
    reviews.stage.deliver()
    assert reviews.now(task).status is S.DONE and reviews.proposal(task).status is P.DELIVERED


@pytest.mark.proves("C-26", "K-54 gates")
def test_a_persons_no_sends_it_back_with_the_note(reviews: Reviews) -> None:
    task = reviews.handed_in(approval(), review(reviews.first))
    with reviews.stage.ground.reader.snapshot() as view:
        (one,) = stored_approvals.open_of_task(view, task.id)
    approvals.decide(reviews.stage.desk, Asked(JOAN), one.id, approved=False, note="Shorter.")
    assert reviews.now(task).status is S.IN_PROGRESS and reviews.states(task) == "returned waiting"
    reviews.go()
    (run,) = reviews.live()
    assert "Shorter." in run.assembled_prompt


@pytest.mark.proves("K-54 gates")
def test_work_without_a_change_passes_its_gates_too(reviews: Reviews) -> None:
    task = reviews.task(review(reviews.first), title="Spec")
    reviews.worked(task)
    assert reviews.now(task).status is S.IN_REVIEW
    reviews.go()
    assert "changed no file" in reviews.reviewing(reviews.first).assembled_prompt
    reviews.vote(reviews.first, "approve")
    assert reviews.now(task).status is S.DONE


@pytest.mark.proves("B-109")
def test_what_was_approved_is_not_looked_at_again(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first))
    reviews.vote(reviews.first, "approve")
    with reviews.stage.store.transaction() as tx:
        unanswered.ask_left(tx, reviews.stage.ids)
    reviews.go()
    assert not reviews.live() and reviews.gates(task)[0].round == 1


@pytest.mark.proves("S-69 verdicts", "B-110")
def test_nobody_judges_their_own_work(reviews: Reviews) -> None:
    author = reviews.reviewer("Author")
    task = reviews.stage.task(reviews.workspace, author, gates=[review(reviews.first)])
    reviews.go()
    (run,) = reviews.live()
    with pytest.raises(Conflict, match="tool_not_allowed"):
        reviews.agency.check_may(reviews.holder(run), "vote_cast")
    with pytest.raises(Conflict, match="review_over"):
        reviews.agency.vote(reviews.holder(run), Word.APPROVE, "mine", [], None)
    with pytest.raises(Conflict, match="assignee_reviews"):
        tasks.assign(reviews.stage.desk, ASKED, task.id, reviews.first.id)
    reviews.stage.leave(run, a="one")
    tasks.assign(reviews.stage.desk, ASKED, task.id, reviews.worker.id)
    reviews.set_gates(task, review(author, reviews.second, needed=1))
    reviews.stage.finish(run, result=DONE)
    kept = {one.author_id: (str(one.status), one.why) for one in reviews.verdicts(task)}
    assert kept[author.id] == ("missing", "author") and kept[reviews.second.id][0] == "asked"


@pytest.mark.proves("C-104 gates", "C-27")
def test_delivering_past_an_open_gate_needs_a_note(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first), approval())
    proposal = reviews.proposal(task)
    for words in ({}, {"override": True}, {"note": "I looked"}):
        with pytest.raises(Blocked) as refused:
            reviews.stage.ask_deliver(proposal, **words)
        assert refused.value.code == "gate_open" and refused.value.values["agents"] == "First"
    reviews.stage.ask_deliver(proposal, override=True, note="I looked")
    assert reviews.states(task) == "passed passed"
    reviews.stage.deliver()
    assert reviews.now(task).status is S.DONE
    with pytest.raises(Conflict, match="review_over"):
        reviews.vote(reviews.first, "revise", "late")


@pytest.mark.proves("K-09 review")
def test_a_move_to_in_review_wakes_reviewers_and_back_wakes_the_worker(reviews: Reviews) -> None:
    task = reviews.task(review(reviews.first))
    reviews.go()
    desk = reviews.stage.desk
    board.move(desk, ASKED, task.id, S.IN_REVIEW)
    reviews.go()
    assert reviews.reviewing(reviews.first).payload["role"] == "reviewer"
    board.move(desk, ASKED, task.id, S.IN_PROGRESS, "Not yet.")
    assert reviews.states(task) == "waiting"
    assert reviews.stage.wakeup(task).source is Source.COMMENT
    with reviews.stage.ground.reader.snapshot() as view:
        assert [one.text for one in comments.of_task(view, task.id)] == ["Not yet."]


@pytest.mark.proves("C-79")
@pytest.mark.parametrize(
    ("wanted", "code", "pointer"),
    [
        (Wanted(kind=GateKind.REVIEW, pointer="/gates/0"), "review_by_nobody", "/gates/0/agents"),
        (
            Wanted(kind=GateKind.REVIEW, agents=("nobody",), pointer="/gates/0"),
            "unknown_agent",
            "/gates/0/agents/0",
        ),
        (
            Wanted(kind=GateKind.REVIEW, agents=("First",), needed=2, pointer="/gates/0"),
            "needs_too_many",
            "/gates/0/needed",
        ),
        (
            Wanted(kind=GateKind.REVIEW, agents=("First", "First"), pointer="/gates/0"),
            "reviewer_twice",
            "/gates/0/agents",
        ),
        (
            Wanted(kind=GateKind.REVIEW, agents=("Ada",), pointer="/gates/0"),
            "reviewer_without_tools",
            "/gates/0/agents/0",
        ),
        (
            Wanted(kind=GateKind.APPROVAL, agents=("First",), pointer="/gates/0"),
            "approval_is_a_persons",
            "/gates/0",
        ),
    ],
)
def test_what_no_gate_can_be_is_refused(
    reviews: Reviews, wanted: Wanted, code: str, pointer: str
) -> None:
    with pytest.raises((Invalid, Absent)) as refused:
        reviews.task(wanted)
    assert (refused.value.code, refused.value.pointer) == (code, pointer)
    with pytest.raises(Invalid, match="reviewer_is_assignee"):
        reviews.stage.task(reviews.workspace, reviews.first, gates=[review(reviews.first)])


@pytest.mark.proves("C-26")
def test_other_gates_have_it_looked_at_anew(reviews: Reviews) -> None:
    task = reviews.handed_in(review(reviews.first))
    reviews.set_gates(task, review(reviews.second))
    reviews.go()
    assert reviews.states(task) == "asked"
    with pytest.raises(Conflict, match="review_over"):
        reviews.vote(reviews.first, "approve")
    reviews.vote(reviews.second, "approve")
    assert reviews.states(task) == "passed"
    reviews.set_gates(task)
    assert reviews.states(task) == ""


@pytest.mark.proves("K-71")
def test_who_is_woken_never_depends_on_what_it_may_do(reviews: Reviews) -> None:
    reviews.handed_in(review(reviews.first))
    holder = reviews.holder(reviews.reviewing(reviews.first))
    refused: dict[str, Any] = {}
    for tool in ("task_comment", "task_create", "approval_request", "wake_self", "task_progress"):
        with pytest.raises(Conflict) as one:
            reviews.agency.check_may(holder, tool)
        refused[tool] = one.value.values["tool"]
    assert refused == {tool: tool for tool in refused}
    for tool in ("vote_cast", "proposal_get", "task_get", "task_result"):
        reviews.agency.check_may(holder, tool)
    told = reviews.agency.get_proposal(holder, None)
    assert told["status"] == "in_review" and told["verdicts"] == []
    assert [
        one["id"] for one in reviews.agency.list_proposals(holder, None, None, 5)["proposals"]
    ] == [told["id"]]


@pytest.mark.proves("A-15 snapshot")
def test_what_a_review_left_keeps_no_copy(reviews: Reviews) -> None:
    reviews.handed_in(review(reviews.first))
    run = reviews.reviewing(reviews.first)
    reviews.stage.leave(run, mine="scratch")
    reviews.vote(reviews.first, "approve")
    with reviews.stage.store.transaction() as tx:
        stored_agents.move(tx, reviews.first, AgentStatus.RETIRED, JOAN, paused_reason=None)
        copies = reviews.stage.folders.copies
        found = retention.copies_of(tx, copies, reviews.workspace, tx.now + timedelta(days=99))
    (copy,) = [one for one in found if one.agent == "First"]
    assert copy.discards and copy.is_due(NOW + timedelta(days=99))


@pytest.mark.proves("C-26")
def test_work_in_review_whose_gates_are_taken_away_does_not_stay_there(reviews: Reviews) -> None:
    plain = reviews.task(review(reviews.first))
    reviews.worked(plain)
    assert reviews.now(plain).status is S.IN_REVIEW
    reviews.set_gates(plain)
    assert reviews.now(plain).status is S.DONE
    changed = reviews.handed_in(review(reviews.first), approval(), delivery=DeliveryMode.AUTO)
    reviews.set_gates(changed)
    assert reviews.proposal(changed).status is P.APPROVED, "its rule decides"
    with pytest.raises(Conflict, match="delivery_under_way"):
        reviews.set_gates(changed, approval())
