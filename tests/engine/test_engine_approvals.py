"""What waits for a yes or a no: asked once, answered once, told to whom it concerns."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from engine_graph_work import DONE, Work
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine.desk import Asked, approvals, inbox, tasks, waking
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.model.graph import Approval
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import ApprovalStatus, ProposalStatus, Source, TaskStatus
from roundtable_desktop.store import approvals as stored
from roundtable_desktop.store import comments, settings

S = TaskStatus


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


def ready(work: Work, **more: Any) -> tuple[Task, Approval]:
    """Without a change, at its approval."""
    task = work.task("Spec", requires_approval=True, **more)
    work.stage.finish(work.run(task), result=DONE)
    (approval,) = work.asked(task)
    return task, approval


def kept(work: Work, approval: Approval) -> Approval:
    with work.stage.ground.reader.snapshot() as view:
        found = stored.get(view, approval.id)
    assert found is not None
    return found


def decide(work: Work, approval: Approval, yes: bool, note: str = "", **asked: Any) -> Approval:
    who = Asked(JOAN, **asked)
    return approvals.decide(work.stage.desk, who, approval.id, approved=yes, note=note)


@pytest.mark.proves("K-54 approval", "C-97")
def test_without_a_change_it_waits_in_review_and_approve_is_done(work: Work) -> None:
    task, approval = ready(work)
    assert work.now(task).status is S.IN_REVIEW and approval.agent_id is None
    (item,) = work.items(kind="approval", status="open")
    second = work.task("Build", task)
    assert work.held(second).held_by == "blockers"
    assert decide(work, approval, True, "Good").decision_note == "Good"
    assert work.now(task).status is S.DONE
    (answered,) = work.items(kind="approval")
    assert answered.resolution == {"by": "person", "option": "approve"} and answered.id == item.id
    assert work.run(second).status == "running"
    with pytest.raises(Conflict, match="approval_not_open"):
        decide(work, approval, True)


@pytest.mark.proves("K-54 approval")
def test_rejected_it_is_in_progress_again_and_its_agent_reads_the_note(work: Work) -> None:
    task, approval = ready(work)
    decide(work, approval, False, "Say what happens at 0")
    assert work.now(task).status is S.IN_PROGRESS
    assert kept(work, approval).status is ApprovalStatus.REJECTED
    (woken,) = work.wakeups(task, Source.COMMENT)
    run = work.run(task)
    assert run.wakeup_id == woken.id
    assert "Say what happens at 0" in run.assembled_prompt
    work.stage.finish(run, result=DONE)
    (again,) = work.asked(task)
    assert again.id != approval.id, "the next attempt asks anew"


@pytest.mark.proves("C-97", "K-54 approval")
def test_with_a_change_there_is_one_decision_and_that_is_the_delivery(work: Work) -> None:
    task = work.task("Spec", requires_approval=True, delivery="auto")
    proposal = work.stage.offered(task, made="one")
    assert work.now(task).status is S.IN_REVIEW and work.asked(task) == []
    assert proposal.status is ProposalStatus.PENDING, "no rule delivers what needs approval"
    work.stage.ask_deliver(proposal)
    work.stage.deliver()
    assert work.now(task).status is S.DONE


@pytest.mark.proves("K-54 approval")
def test_without_the_gate_it_is_done_at_once(work: Work) -> None:
    task = work.task("Spec")
    work.stage.finish(work.run(task), result=DONE)
    assert work.now(task).status is S.DONE and not work.items(kind="approval")


def test_the_question_is_withdrawn_when_the_task_moves_on(work: Work) -> None:
    task, approval = ready(work)
    work.stage.ask_run(task)
    assert kept(work, approval).status is ApprovalStatus.WITHDRAWN
    assert not work.items(kind="approval", status="open")
    with pytest.raises(Conflict, match="approval_not_open"):
        decide(work, approval, True)


def test_a_comment_that_wakes_it_withdraws_the_question_when_the_run_starts(work: Work) -> None:
    task, approval = ready(work)
    tasks.comment(work.stage.desk, ASKED, task.id, "One more thing")
    assert kept(work, approval).status is ApprovalStatus.REQUESTED
    work.run(task)
    assert kept(work, approval).status is ApprovalStatus.WITHDRAWN


def test_moved_to_done_by_hand_it_is_approved(work: Work) -> None:
    task, approval = ready(work)
    work.move(task, S.DONE, note="Fine")
    decided = kept(work, approval)
    assert (decided.status, decided.decision_note) == (ApprovalStatus.APPROVED, "Fine")


@pytest.mark.parametrize(("action", "stands"), [("approve", S.DONE), ("reject", S.IN_PROGRESS)])
def test_the_inbox_answers_it_in_one_decision(work: Work, action: str, stands: str) -> None:
    task, approval = ready(work)
    (item,) = work.items(kind="approval", status="open")
    answered = inbox.act(work.stage.desk, ASKED, item.id, action)
    assert answered.resolution == {"by": "person", "option": action}
    assert work.now(task).status == stands
    assert kept(work, approval).status in (ApprovalStatus.APPROVED, ApprovalStatus.REJECTED)


def test_an_answer_counts_once_and_only_for_who_saw_the_question(work: Work) -> None:
    _, approval = ready(work)
    with pytest.raises(Conflict, match="changed_meanwhile"):
        decide(work, approval, True, revision=approval.revision + 1)
    for _ in range(2):
        decide(work, approval, True, key="key", fingerprint="print")
    with pytest.raises(Absent, match="unknown_approval"):
        approvals.decide(work.stage.desk, ASKED, "nothing", approved=True)


# --- asked by an agent ---------------------------------------------------------------------------


def asks(work: Work, text: str = "May I drop the table?") -> tuple[Task, Approval]:
    task = work.task("Careful")
    run = work.run(task)
    who = {"run_id": run.id, "agent_id": run.agent_id, "task_id": task.id}
    holder = Holder(**who, workspace_id=run.workspace_id)
    agency = Agency(work.stage.desk, work.stage.ground.reader)
    for _ in range(2):
        answer = agency.request_approval(holder, text, "once")
    assert answer["status"] == "requested"
    blocked = {"owner": "user", "action": "answer"}
    work.stage.finish(run, result={"status": "blocked", "summary": "", "blocked": blocked})
    (approval,) = work.asked(task)
    assert (approval.id, approval.agent_id) == (answer["approval_id"], run.agent_id)
    return task, approval


@pytest.mark.proves("K-67", "C-63")
@pytest.mark.parametrize("yes", [True, False])
def test_the_answer_wakes_who_asked_and_nobody_else(work: Work, yes: bool) -> None:
    work.stage.agent(work.workspace, name="Bystander")
    task, approval = asks(work)
    assert work.now(task).status is S.BLOCKED
    before = len(work.stage.ground.rows("agent_wakeup_requests"))
    decide(work, approval, yes, "Because")
    (woken,) = work.wakeups(task, Source.APPROVAL_RESOLVED)
    assert len(work.stage.ground.rows("agent_wakeup_requests")) == before + 1
    assert woken.agent_id == approval.agent_id
    assert woken.idempotency_key == f"approval_resolved:{approval.id}"
    assert dict(woken.payload) == {
        "approval_id": approval.id,
        "status": "approved" if yes else "rejected",
        "decision_note": "Because",
        "task_id": task.id,
    }
    with work.stage.ground.reader.snapshot() as view:
        assert comments.of_task(view, task.id) == []
    run = work.run(task)
    assert run.wakeup_id == woken.id and work.now(task).status is S.IN_PROGRESS


def test_what_an_agent_asked_is_withdrawn_when_its_task_is_over(work: Work) -> None:
    task, approval = asks(work)
    work.move(task, S.CANCELLED)
    assert kept(work, approval).status is ApprovalStatus.WITHDRAWN
    assert not work.items(kind="approval", status="open")


def answered_meanwhile(work: Work, **more: Any) -> tuple[Task, Run, Approval]:
    """The question was put and answered while its agent goes on."""
    task = work.task("Careful", **more)
    run = work.run(task)
    who = {"run_id": run.id, "agent_id": run.agent_id, "task_id": task.id}
    agency = Agency(work.stage.desk, work.stage.ground.reader)
    agency.request_approval(Holder(**who, workspace_id=run.workspace_id), "May I?", "once")
    (approval,) = work.asked(task)
    decide(work, approval, False, "Never drop it")
    return task, run, approval


@pytest.mark.proves("K-67", "K-54 approval")
@pytest.mark.parametrize("ends", ["completed", "failed"])
def test_an_answer_to_an_agent_that_ends_its_task_meanwhile_is_heard(work: Work, ends: str) -> None:
    task, run, _ = answered_meanwhile(work, retry_budget=0)
    work.stage.finish(run, result={"status": ends, "summary": "As it was"})
    (woken,) = work.wakeups(task, Source.APPROVAL_RESOLVED)
    second = work.run(task)
    assert second.wakeup_id == woken.id and "Never drop it" in second.assembled_prompt
    work.stage.finish(second, result=DONE)
    assert work.now(task).status is S.DONE


@pytest.mark.proves("K-67")
def test_an_answer_and_words_survive_a_run_that_is_asked_for_anew(work: Work) -> None:
    task, run, _ = answered_meanwhile(work)
    work.stage.finish(run, result={"status": "blocked", "summary": "", "blocked": BLOCKED})
    for text in ("Mind the tests", None, "And the docs"):
        work.stage.ask_run(task, text)
    second = work.run(task)
    told = second.assembled_prompt
    for words in ("Never drop it", "Mind the tests", "And the docs"):
        assert told.count(words) == 1, told
    assert len(second.causes()) == 3


BLOCKED = {"owner": "user", "action": "answer"}
ROUNDS = 20


@pytest.mark.proves("B-039")
def test_answers_that_come_at_the_same_moment_are_one_run_with_all_of_them(work: Work) -> None:
    """Twenty times three answers, each by a thread of its own: none is a wake of its own."""
    with work.stage.store.transaction() as tx:
        settings.put_home(tx, coalescing_window_sec=5)
    task = work.task("Careful")
    asked = asks_often(work, task, 3 * ROUNDS)
    while asked:
        wanted = at_one_moment(work, [asked.pop() for _ in range(3)])
        woken = work.wakeups(task, Source.APPROVAL_RESOLVED)
        (waits,) = [one for one in woken if one.status == "queued"]
        assert (waits.coalesced_count, waits.held_by) == (3, "window")
        carried = [cause["payload"] for cause in waits.causes()]
        assert {one["approval_id"] for one in carried if isinstance(one, dict)} == wanted
        if asked:
            waking.cancel(work.stage.desk, ASKED, waits.id)
    before = len(work.stage.ground.runs())
    work.stage.clock.forward(seconds=6)
    run = work.run(task)
    assert len(work.stage.ground.runs()) == before + 1
    assert run.assembled_prompt.count("Because of") == 3, run.assembled_prompt


def asks_often(work: Work, task: Task, times: int) -> list[Approval]:
    run = work.run(task)
    who = {"run_id": run.id, "agent_id": run.agent_id, "task_id": task.id}
    holder = Holder(**who, workspace_id=run.workspace_id)
    agency = Agency(work.stage.desk, work.stage.ground.reader)
    for number in range(times):
        agency.request_approval(holder, f"May I drop table {number}?", str(number))
    blocked = {"owner": "user", "action": "answer"}
    work.stage.finish(run, result={"status": "blocked", "summary": "", "blocked": blocked})
    return work.asked(task)


def at_one_moment(work: Work, asked: list[Approval]) -> set[str]:
    """The ids of what was approved, by threads that go through one gate together."""
    gate = threading.Barrier(len(asked))

    def answer(one: Approval) -> str:
        gate.wait(60)
        return decide(work, one, True, f"Because of {one.id}").id

    with ThreadPoolExecutor(len(asked)) as threads:
        return set(threads.map(answer, asked))
