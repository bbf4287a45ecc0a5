"""A person moves tasks on the board: whom it wakes, what it ends, and what it refuses."""

from collections.abc import Mapping
from typing import Any

import pytest
from engine_graph_work import DONE, Work
from engine_stage import ASKED, Stage
from ground import JOAN, set_columns

from roundtable_desktop.dashboard.badges import state_of
from roundtable_desktop.engine.calling_off import CALLED_OFF
from roundtable_desktop.engine.desk import Asked, board, proposals, tasks
from roundtable_desktop.model.errors import Blocked, Conflict, Illegal, Invalid, Refused
from roundtable_desktop.model.ports import RunnerGone, SpoolState
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import (
    TASK,
    ProposalStatus,
    Source,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.store import comments
from roundtable_desktop.store import tasks as rows

S = TaskStatus


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


@pytest.fixture
def told(work: Work, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Mapping[str, object]]]:
    """What runners are asked to do."""
    heard: list[tuple[str, Mapping[str, object]]] = []

    def control(run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        heard.append((run, request))
        return {"ok": True}

    monkeypatch.setattr(work.stage.launcher, "control", control)
    return heard


def said(work: Work, task: Task) -> list[str]:
    with work.stage.ground.reader.snapshot() as view:
        return [one.text for one in comments.of_task(view, task.id)]


def reviewed(work: Work, **more: Any) -> Task:
    """A task whose change waits in review."""
    task = work.task("Change", **more)
    work.stage.offered(task, made="one")
    assert work.now(task).status is S.IN_REVIEW
    return task


# --- moves ---------------------------------------------------------------------------------------


@pytest.mark.proves("K-09")
def test_to_in_progress_wakes_the_assignee(work: Work) -> None:
    task = work.task("Later")
    (first,) = work.wakeups(task)
    moved = work.move(task, S.IN_PROGRESS)
    assert moved.status is S.IN_PROGRESS
    assert work.stage.ground.get_wakeup(first.id).outcome is WakeupOutcome.USER_CANCELLED
    (woken,) = [one for one in work.wakeups(task) if one.status is WakeupStatus.QUEUED]
    assert (woken.source, woken.reason) == (Source.TASK_ASSIGNED, "moved")
    assert work.run(task).attempt_index == 1


@pytest.mark.proves("K-09")
def test_nobody_is_woken_for_a_task_without_an_assignee(work: Work) -> None:
    task = work.task("Nobody's", agent=False)
    work.move(task, S.IN_PROGRESS, S.IN_REVIEW, S.IN_PROGRESS, S.DONE)
    assert work.wakeups(task) == [] and work.now(task).status is S.DONE


@pytest.mark.proves("K-09", "B-073")
def test_sent_back_from_review_the_agent_reads_why(work: Work) -> None:
    task = reviewed(work)
    with work.stage.store.transaction() as tx:
        rows.spend_attempt(tx, work.now(task), cost=2, signature="s")
    moved = work.move(task, S.IN_PROGRESS, note="Handle empty input too")
    assert moved.status is S.IN_PROGRESS and work.now(task).attempts_spent == 0
    (proposal,) = work.stage.proposals(task)
    assert proposal.status is ProposalStatus.REVISION_REQUESTED
    (woken,) = work.wakeups(task, Source.COMMENT)
    assert woken.status is WakeupStatus.QUEUED
    run = work.run(task)
    assert "Handle empty input too" in run.assembled_prompt + run.resume_prompt
    assert (work.stage.copy(run) / "made.txt").exists(), "it goes on with its own copy"


@pytest.mark.proves("K-09")
def test_sent_back_without_a_word_it_is_told_that_it_is_not_accepted(work: Work) -> None:
    task = reviewed(work)
    work.move(task, S.IN_PROGRESS)
    assert said(work, task) == [board.SENT_BACK] and len(work.wakeups(task, Source.COMMENT)) == 1


@pytest.mark.proves("K-09", "C-62")
def test_done_releases_dependents_and_cancelled_does_not(work: Work) -> None:
    for end, released in ((S.DONE, 1), (S.CANCELLED, 0)):
        first = work.task("First", agent=False)
        second = work.task("Second", first)
        work.move(first, S.IN_PROGRESS, end)
        assert len(work.wakeups(second, Source.TASK_BLOCKERS_RESOLVED)) == released


@pytest.mark.slow
@pytest.mark.proves("K-09", "A-03 hard")
def test_the_machine_decides_and_nothing_else(work: Work) -> None:
    for status in TaskStatus:
        for to in board.BY_HAND:
            task = work.task("Any", agent=False)
            with work.stage.store.transaction() as tx:
                set_columns(tx, "tasks", task.id, status=status)
            if TASK.allows(status, to):
                assert work.move(task, to).status is to, (status, to)
                continue
            with pytest.raises(Illegal, match="illegal_move"):
                work.move(task, to)
            assert work.now(task).status is status
    for no_place in (S.BLOCKED, S.FAILED, S.INTERRUPTED):
        with pytest.raises(Invalid, match="not_moved_by_hand"):
            work.move(work.task("Any", agent=False), no_place)


@pytest.mark.proves("K-53")
def test_what_must_come_first_comes_first_on_the_board_too(work: Work) -> None:
    second = work.task("Second", work.task("First", agent=False))
    with pytest.raises(Blocked, match="task_waits_for_others"):
        work.move(second, S.IN_PROGRESS)
    with work.stage.ground.reader.snapshot() as view:
        assert board.moves(view, second) == [S.CANCELLED]


def test_a_move_counts_once_and_only_for_who_saw_the_task(work: Work) -> None:
    task = work.task("Once", agent=False)
    asked = Asked(JOAN, "key", "print", task.revision)
    for _ in range(2):
        assert board.move(work.stage.desk, asked, task.id, S.CANCELLED).status is S.CANCELLED
    stale = Asked(JOAN, revision=task.revision)
    with pytest.raises(Conflict, match="changed_meanwhile"):
        board.move(work.stage.desk, stale, task.id, S.TODO)


@pytest.mark.proves("B-073")
def test_each_move_of_a_failed_task_gives_a_fresh_count_and_only_that(work: Work) -> None:
    task = work.task("Fails", retry_budget=1)

    def fail() -> int:
        launches = 0
        while work.now(task).status is not S.FAILED:
            work.stage.clock.forward(seconds=3)  # one that fails at once is slowed down
            run = work.run(task)
            said = {"status": "failed", "summary": f"no {launches}", "evidence": []}
            work.stage.finish(run, result=said)
            launches += 1
        return launches

    assert fail() == 2
    for _ in range(2):
        work.move(task, S.TODO)
        assert fail() == 2
    assert not work.stage.step() and len(work.stage.ground.runs()) == 6


@pytest.mark.proves("B-073", "K-30")
def test_another_assignee_has_a_fresh_count_and_the_retry_of_the_one_before_is_over(
    work: Work,
) -> None:
    task = work.task("Handed over")
    work.stage.finish(work.run(task), result={"status": "failed", "summary": "no"})
    assert work.now(task).attempts_spent == 1
    (retry,) = [one for one in work.wakeups(task) if one.status is WakeupStatus.QUEUED]
    other = work.stage.agent(work.workspace, name="Bert")
    tasks.assign(work.stage.desk, ASKED, task.id, other.id)
    assert work.now(task).attempts_spent == 0
    settled = work.stage.ground.get_wakeup(retry.id)
    assert (settled.status, settled.cancel_reason) == (WakeupStatus.CANCELLED, "assignee_changed")


@pytest.mark.proves("K-29", "K-30")
@pytest.mark.parametrize(
    ("tried", "to", "reason", "badge"),
    [
        (False, S.CANCELLED, "task_terminal", "Cancelled - task cancelled"),
        (True, S.CANCELLED, "retry_task_cancelled", "Cancelled - task cancelled"),
        (True, S.DONE, "task_terminal", "Cancelled - task completed"),
    ],
)
def test_what_waits_for_a_task_that_a_person_ends_says_why_it_never_runs(
    work: Work, tried: bool, to: TaskStatus, reason: str, badge: str
) -> None:
    task = work.task("Ended")
    if tried:
        work.stage.finish(work.run(task), why="crashed", code=1)
    work.move(task, to)
    (wakeup,) = work.wakeups(task)
    assert (wakeup.outcome, wakeup.cancel_reason) == (WakeupOutcome.USER_CANCELLED, reason)
    assert state_of(wakeup)[1] == badge
    kind = "wakeup_retry_cancelled" if reason.startswith("retry") else "wakeup_stale_cancelled"
    (event,) = [one for one in work.stage.ground.events() if one.kind == kind]
    assert event.subject_id == wakeup.id
    asked = {"reason": reason, "task_id": task.id, "old_agent": task.assignee_agent_id}
    assert event.data.items() >= asked.items()


# --- while an agent works ------------------------------------------------------------------------


@pytest.mark.parametrize("to", [S.CANCELLED, S.DONE, S.TODO, S.IN_REVIEW])
def test_what_is_taken_from_an_agent_ends_its_run_and_stays_where_it_was_put(
    work: Work, told: list[tuple[str, Any]], to: TaskStatus
) -> None:
    task = work.task("At work")
    run = work.run(task)
    work.move(task, to)
    assert told == [(run.id, {"do": "cancel", "reason": "cancelled", "hurry": False})]
    ended = work.stage.finish(run, why="cancelled", code=-15)
    assert ended.outcome == "cancelled" and work.now(task).status is to
    (wakeup,) = work.wakeups(task)
    assert (wakeup.status, wakeup.outcome) == (
        WakeupStatus.CANCELLED,
        WakeupOutcome.USER_CANCELLED,
    )
    assert not work.stage.step(), "nothing is tried again"


@pytest.mark.parametrize("code", [0, 1, -9])
def test_one_that_ends_in_its_own_way_meanwhile_is_not_tried_again_either(
    work: Work, told: list[tuple[str, Any]], code: int
) -> None:
    task = work.task("At work", delivery="auto")
    run = work.run(task)
    work.stage.leave(run, made="one")
    work.move(task, S.CANCELLED)
    work.stage.finish(run, code=code)
    assert work.now(task).status is S.CANCELLED and not work.stage.step()
    assert all(one.status is ProposalStatus.PENDING for one in work.stage.proposals(task))
    work.stage.deliver()
    assert not (work.stage.folders.repo / "made.txt").exists(), "nothing is delivered by a rule"


def test_a_run_that_is_not_born_yet_never_is(work: Work) -> None:
    task = work.task("Just decided")
    assert work.stage.step()
    (run,) = work.stage.ground.runs()
    work.move(task, S.CANCELLED)
    assert work.stage.launcher.state(run.id) is SpoolState.FREE
    work.stage.play()
    work.stage.consume(run)
    work.stage.play()
    assert not work.stage.launcher.orders
    assert work.stage.ground.get_run(run.id).outcome == "cancelled"
    assert work.wakeups(task)[0].status is WakeupStatus.CANCELLED


def test_the_next_owner_calls_off_what_this_one_could_not(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = work.task("At work")
    run = work.run(task)
    monkeypatch.setattr(
        "roundtable_desktop.engine.desk.board.call_off", lambda launcher, run_id: False
    )
    work.move(task, S.CANCELLED)
    kept: Run = work.stage.ground.get_run(run.id)
    assert (kept.ended or {})[CALLED_OFF] is True
    heard: list[tuple[str, object]] = []
    deaf = 3

    def control(run_id: str, request: Mapping[str, object]) -> Mapping[str, object]:
        nonlocal deaf
        deaf -= 1
        if deaf >= 0:
            raise RunnerGone(run_id)
        heard.append((run_id, request["reason"]))
        return {"ok": True}

    monkeypatch.setattr(work.stage.launcher, "control", control)
    work.stage.restart()
    assert heard == [], "a channel that is not open yet is waited for beside the start"
    assert "break-off" in work.stage.play()
    assert heard == [(run.id, "cancelled")]


# --- what waits ----------------------------------------------------------------------------------


@pytest.mark.proves("C-97")
def test_a_change_that_waits_is_decided_before_its_task_is_done(work: Work) -> None:
    task = reviewed(work)
    with pytest.raises(Blocked, match="proposal_waits"):
        work.move(task, S.DONE)
    work.stage.ask_deliver(work.stage.proposals(task)[0])
    for to in (S.IN_PROGRESS, S.DONE, S.CANCELLED):
        with pytest.raises(Refused, match="delivery_under_way"):
            work.move(task, to)
    work.stage.deliver()
    assert work.now(task).status is S.DONE


def test_a_cancelled_task_proposes_nothing_any_more(work: Work) -> None:
    task = reviewed(work)
    work.move(task, S.CANCELLED, note="Not needed")
    assert work.stage.proposals(task)[0].status is ProposalStatus.REJECTED
    assert said(work, task) == ["Not needed"]


def test_a_rejected_proposal_goes_back_to_its_agent_with_the_note(work: Work) -> None:
    task = reviewed(work)
    (proposal,) = work.stage.proposals(task)
    rejected = proposals.reject(work.stage.desk, ASKED, proposal.id, "Wrong file")
    assert rejected.status is ProposalStatus.REJECTED
    assert work.now(task).status is S.IN_PROGRESS and said(work, task) == ["Wrong file"]
    assert len(work.wakeups(task, Source.COMMENT)) == 1
    with pytest.raises(Conflict, match="proposal_not_open"):
        proposals.reject(work.stage.desk, ASKED, proposal.id)


def test_one_whose_delivery_was_held_can_be_rejected(work: Work) -> None:
    task = reviewed(work)
    (proposal,) = work.stage.proposals(task)
    work.stage.ask_deliver(proposal)
    work.stage.folders.plain("branch", "-m", "main", "trunk")
    with pytest.raises(Conflict, match="proposal_not_open"):
        proposals.reject(work.stage.desk, ASKED, proposal.id)
    work.stage.deliver()
    assert work.stage.tries(proposal)[-1].status == "held"
    rejected = proposals.reject(work.stage.desk, ASKED, proposal.id, "Later")
    assert rejected.status is ProposalStatus.REJECTED
    assert work.now(task).status is S.IN_PROGRESS


# --- blocked -------------------------------------------------------------------------------------


@pytest.mark.proves("C-24")
def test_blocked_names_who_has_to_do_what_and_ends_the_run(
    work: Work, told: list[tuple[str, Any]]
) -> None:
    task = work.task("Needs a key")
    run = work.run(task)
    words = {"reason": "No key", "owner": "user", "action": "Buy one"}
    stands = board.block(work.stage.desk, ASKED, task.id, **words)
    assert stands.status is S.BLOCKED and stands.blocked == words
    assert [one for one, _ in told] == [run.id]
    work.stage.finish(run, why="cancelled", code=-15)
    assert work.now(task).status is S.BLOCKED and not work.stage.step()
    assert work.move(task, S.TODO).blocked is None
    assert work.run(task).attempt_index == 2


@pytest.mark.proves("C-24")
def test_only_what_is_open_can_be_blocked(work: Work) -> None:
    task = work.task("Over", agent=False)
    work.move(task, S.CANCELLED)
    with pytest.raises(Illegal, match="illegal_move"):
        board.block(work.stage.desk, ASKED, task.id, reason="", owner="user", action="x")


def test_done_by_hand_while_nothing_waits(work: Work) -> None:
    task = work.task("No change")
    work.stage.finish(work.run(task), result=DONE)
    assert work.now(task).status is S.DONE
    assert work.move(task, S.TODO).status is S.TODO
    assert work.run(task).attempt_index == 2, "who opens it again has it done again"
