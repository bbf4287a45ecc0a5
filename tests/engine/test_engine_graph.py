"""What a task waits for: held until it is done, asked about when it is lost, never a circle."""

import threading
from datetime import timedelta

import pytest
from engine_graph_work import DONE, Work
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine.desk import Asked, inbox, tasks
from roundtable_desktop.engine.desk.edges import MOST
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid, Refused
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.records import InboxItem, Task
from roundtable_desktop.model.states import (
    DependencyType,
    Source,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.store import dependencies, wakeups
from roundtable_desktop.store.tables import Wakeups


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


@pytest.mark.proves("K-53", "C-65", "A-03 hard")
def test_an_assignment_waits_for_blockers_and_costs_nothing(work: Work) -> None:
    first = work.task("First", agent=False)
    second = work.task("Second", first)
    held = work.held(second)
    assert (held.held_by, held.retry_count, held.source) == ("blockers", 0, Source.TASK_ASSIGNED)
    assert work.now(second).status is TaskStatus.TODO and work.waiting_for(second) == [1]
    assert not work.stage.ground.runs()
    before = len(work.stage.ground.events())
    work.stage.clock.forward(hours=5)
    assert not work.stage.step()
    assert len(work.stage.ground.events()) == before, "it is not looked at again and again"


@pytest.mark.proves("K-06", "C-63")
def test_the_last_blocker_of_three_releases_it_as_one_run(work: Work) -> None:
    blockers = [work.task(f"B{n}", agent=False) for n in range(3)]
    waiting = work.task("Last", *blockers)
    held = work.held(waiting)
    for blocker in blockers[:2]:
        work.done(blocker)
        assert not work.wakeups(waiting, Source.TASK_BLOCKERS_RESOLVED)
    work.done(blockers[2])
    (woken,) = work.wakeups(waiting, Source.TASK_BLOCKERS_RESOLVED)
    resolved = [one.id for one in blockers]
    assert woken.payload == {"task_id": waiting.id, "resolved_blocker_ids": resolved}
    assert str(woken.idempotency_key).startswith(f"task_blockers_resolved:{waiting.id}:")
    merged = work.stage.ground.get_wakeup(held.id)
    assert (merged.status, merged.coalesced_into) == (WakeupStatus.COALESCED, woken.id)
    assert [one["source"] for one in woken.causes()] == ["task_assigned", "task_blockers_resolved"]
    run = work.run(waiting)
    assert run.wakeup_id == woken.id and "Done before it: T-1: B0" in run.assembled_prompt
    assert len(work.stage.ground.runs()) == 1


@pytest.mark.proves("K-06")
def test_an_assignment_that_nobody_took_up_yet_is_no_second_run(work: Work) -> None:
    first = work.task("First", agent=False)
    second = work.task("Second", first)
    work.done(first)
    run = work.run(second)
    work.stage.finish(run, result=DONE)
    assert not work.stage.step() and len(work.stage.ground.runs()) == 1
    assert work.now(second).status is TaskStatus.DONE


@pytest.mark.proves("K-06", "K-53")
def test_retries_that_were_spent_stay_spent_when_it_is_released(work: Work) -> None:
    first, second = work.task("First", agent=False), work.task("Second", agent=False)
    tasks.assign(work.stage.desk, ASKED, second.id, work.agent.id)
    run = work.run(second)
    work.stage.finish(run, why="crashed", code=-9)
    waiting = work.wakeups(second)[-1]
    assert waiting.retry_count == 1
    edges = [Edge(depends_on_task_id=first.id)]
    tasks.change(work.stage.desk, ASKED, second.id, depends_on=edges)
    work.stage.clock.forward(minutes=5)
    assert work.held(second).retry_count == 1
    work.done(first)
    (woken,) = work.wakeups(second, Source.TASK_BLOCKERS_RESOLVED)
    assert woken.retry_count == 1


@pytest.mark.proves("K-53")
def test_a_limit_goes_on_though_the_blockers_are_done(work: Work) -> None:
    first = work.task("First", agent=False)
    second = work.task("Second", first)
    held = work.held(second)
    later = work.stage.clock.now() + timedelta(hours=4)
    with work.stage.store.transaction() as tx:
        values = {"held_by": "limit", "scheduled_retry_at": later}
        tx.write(Wakeups.update(**values).where(Wakeups.id == held.id))
    work.done(first)
    (woken,) = work.wakeups(second, Source.TASK_BLOCKERS_RESOLVED)
    assert (woken.held_by, woken.scheduled_retry_at) == ("limit", later)


@pytest.mark.proves("K-53", "C-53")
def test_a_person_is_told_what_it_waits_for_and_their_own_wake_is_kept(work: Work) -> None:
    first, second = work.task("First", agent=False), work.task("Second", agent=False)
    tasks.assign(work.stage.desk, ASKED, second.id, work.agent.id)
    work.stage.ask_run(second)
    edges = [Edge(depends_on_task_id=first.id)]
    tasks.change(work.stage.desk, ASKED, second.id, depends_on=edges)
    with pytest.raises(Blocked) as refused:
        work.stage.ask_run(second)
    assert refused.value.code == "task_waits_for_others" and refused.value.values["tasks"] == [
        "T-1"
    ]
    assert work.held(second).source is Source.USER
    work.done(first)
    assert work.run(second).status == "running"


@pytest.mark.proves("K-06", "C-97")
def test_a_change_lets_dependents_go_on_when_it_is_on_its_branch(work: Work) -> None:
    first = work.task("First")
    second = work.task("Second", first)
    proposal = work.stage.offered(first, made="first")
    assert work.now(first).status is TaskStatus.IN_REVIEW
    assert work.held(second).held_by == "blockers"
    work.stage.ask_deliver(proposal)
    work.stage.deliver()
    assert work.now(first).status is TaskStatus.DONE
    run = work.run(second)
    assert (work.stage.copy(run) / "made.txt").read_text() == "first"


# --- edges that lead nowhere, or round ----------------------------------------------------------


def set_edges(work: Work, task: Task, *after: Task, asked: Asked = ASKED) -> Task:
    edges = [Edge(depends_on_task_id=one.id) for one in after]
    return tasks.change(work.stage.desk, asked, task.id, depends_on=edges)


@pytest.mark.proves("A-03 hard", "B-106")
@pytest.mark.parametrize("length", [1, 2, 20])
def test_a_circle_is_refused_with_its_path_and_nothing_is_kept(work: Work, length: int) -> None:
    chain = [work.task("T-1", agent=False)]
    for number in range(1, length):
        chain.append(work.task(f"T-{number + 1}", chain[-1], agent=False))
    with pytest.raises(Invalid) as refused:
        set_edges(work, chain[0], chain[-1])
    names = ["T-1", *(f"T-{number}" for number in range(length, 0, -1))]
    assert refused.value.code == "dependency_circle"
    assert refused.value.values["path"] == " → ".join(names)
    assert work.waiting_for(chain[0]) == []


@pytest.mark.proves("B-106")
def test_two_at_once_do_not_close_a_circle_together(work: Work) -> None:
    one, other = work.task("One", agent=False), work.task("Other", agent=False)
    start, refused = threading.Barrier(2), []

    def draw(task: Task, after: Task) -> None:
        start.wait()
        try:
            set_edges(work, task, after)
        except Refused as error:
            refused.append(error.code)

    both = [threading.Thread(target=draw, args=pair) for pair in ((one, other), (other, one))]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert refused == ["dependency_circle"]
    assert sorted([work.waiting_for(one), work.waiting_for(other)]) in ([[], [1]], [[], [2]])


@pytest.mark.proves("A-03 hard", "K-64")
def test_edges_to_nothing_elsewhere_or_over_are_refused_with_their_place(work: Work) -> None:
    task, gone = work.task("Task", agent=False), work.task("Gone", agent=False)
    work.move(gone, TaskStatus.CANCELLED)
    other = work.stage.ground.task(work.stage.ground.workspace())
    for given, error, code in (
        ("nowhere", Absent, "unknown_task"),
        (other.id, Absent, "unknown_task"),
        (gone.id, Conflict, "blocker_over"),
    ):
        edge = Edge(depends_on_task_id=given, pointer="/blocked_by/0")
        with pytest.raises(error) as refused:
            tasks.change(work.stage.desk, ASKED, task.id, depends_on=[edge])
        assert (refused.value.code, refused.value.pointer) == (code, "/blocked_by/0")
    soft = Edge(depends_on_task_id=gone.id, dependency_type=DependencyType.SOFT)
    with pytest.raises(Invalid, match="dependency_type_unused"):
        tasks.change(work.stage.desk, ASKED, task.id, depends_on=[soft])
    many = [Edge(depends_on_task_id="x") for _ in range(MOST + 1)]
    with pytest.raises(Invalid, match="too_many_blockers"):
        tasks.change(work.stage.desk, ASKED, task.id, depends_on=many)


@pytest.mark.proves("A-03 hard")
def test_a_subtask_does_not_wait_for_the_task_that_waits_for_it(work: Work) -> None:
    whole = work.task("Whole", agent=False)
    with pytest.raises(Invalid, match="dependency_circle"):
        work.task("Part", whole, agent=False, parent_id=whole.id)


@pytest.mark.proves("A-03 hard", "W-26")
def test_dropping_the_last_edge_lets_it_go_on(work: Work) -> None:
    first = work.task("First", agent=False)
    second = work.task("Second", first)
    held = work.held(second)
    changed = set_edges(work, second, asked=Asked(JOAN, revision=work.now(second).revision))
    assert changed.revision > second.revision and work.waiting_for(second) == []
    assert work.run(second).wakeup_id == held.id
    with pytest.raises(Conflict, match="changed_meanwhile"):
        set_edges(work, second, first, asked=Asked(JOAN, revision=second.revision))


@pytest.mark.proves("K-53")
@pytest.mark.parametrize("how", ["dropped", "done"])
def test_a_word_to_work_in_review_goes_on_when_nothing_holds_it(work: Work, how: str) -> None:
    first, second = work.task("First", agent=False), work.task("Second", agent=False)
    tasks.assign(work.stage.desk, ASKED, second.id, work.agent.id)
    work.stage.offered(second, made="one")
    set_edges(work, second, first)
    tasks.comment(work.stage.desk, ASKED, second.id, "One more thing")
    assert work.held(second).source is Source.COMMENT
    if how == "dropped":
        set_edges(work, second)
    else:
        work.done(first)
        assert not work.wakeups(second, Source.TASK_BLOCKERS_RESOLVED), "it is not begun anew"
    assert work.run(second).attempt_index == 2


def test_other_edges_in_one_go_release_nothing_in_between(work: Work) -> None:
    first, other = work.task("First", agent=False), work.task("Other", agent=False)
    second = work.task("Second", first)
    held = work.held(second)
    set_edges(work, second, other)
    kept = work.stage.ground.get_wakeup(held.id)
    assert kept.held_by == "blockers" and work.waiting_for(second) == [2]
    assert not work.stage.step()


# --- what is lost -------------------------------------------------------------------------------


def lost(work: Work) -> tuple[Task, Task, InboxItem]:
    """A task whose only blocker was cancelled, and the question about it."""
    first = work.task("First")
    second = work.task("Second", first)
    while work.stage.step():
        pass
    work.stage.launcher.control = lambda run, request: {"ok": True}  # type: ignore[method-assign]
    work.move(first, TaskStatus.CANCELLED)
    (item,) = work.items(kind="blocker_lost", status="open")
    return first, second, item


@pytest.mark.proves("C-42", "C-62", "B-104", "C-24")
def test_a_cancelled_blocker_satisfies_nothing_and_asks_once(work: Work) -> None:
    first, second, item = lost(work)
    assert (item.subject_id, item.data["blocker_id"]) == (second.id, first.id)
    stands = work.now(second)
    assert stands.status is TaskStatus.BLOCKED and stands.blocked is not None
    assert stands.blocked["owner"] == "user" and stands.blocked["blocker"] == first.number
    assert not work.wakeups(second, Source.TASK_BLOCKERS_RESOLVED)
    work.stage.clock.forward(days=2)
    assert work.held(second).held_by == "blockers" and len(work.items(kind="blocker_lost")) == 1
    tasks.comment(work.stage.desk, ASKED, second.id, "Hurry")
    assert work.now(second).status is TaskStatus.BLOCKED, "a word is no answer to that"
    assert work.items(kind="blocker_lost", status="open") == [item]


@pytest.mark.proves("C-42", "B-104", "C-52")
def test_a_blocker_that_failed_asks_too_and_the_question_goes_when_it_is_tried_again(
    work: Work,
) -> None:
    first = work.task("First", retry_budget=0)
    second = work.task("Second", first)
    work.stage.finish(work.run(first), result={"status": "failed", "summary": "no"})
    assert work.now(first).status is TaskStatus.FAILED
    assert work.now(second).status is TaskStatus.BLOCKED
    (item,) = work.items(kind="blocker_lost", status="open")
    work.stage.ask_run(first)
    assert work.now(second).status is TaskStatus.TODO
    (answered,) = work.items(kind="blocker_lost")
    assert answered.id == item.id and answered.resolution == {"by": "cause"}
    work.stage.finish(work.run(first), result=DONE)
    assert work.run(second).status == "running"


@pytest.mark.proves("C-42")
def test_drop_edge_starts_it_without_the_lost_one(work: Work) -> None:
    _, second, item = lost(work)
    assert inbox.act(work.stage.desk, ASKED, item.id, "drop_edge").status == "resolved"
    assert work.waiting_for(second) == []
    assert work.run(second).status == "running"


@pytest.mark.proves("C-42")
def test_cancel_ends_it_and_asks_those_that_wait_for_it(work: Work) -> None:
    _, second, item = lost(work)
    third = work.task("Third", second)
    inbox.act(work.stage.desk, ASKED, item.id, "cancel")
    assert work.now(second).status is TaskStatus.CANCELLED
    (next_one,) = work.items(kind="blocker_lost", status="open")
    assert next_one.subject_id == third.id
    assert work.now(third).status is TaskStatus.BLOCKED


@pytest.mark.proves("C-42")
def test_redo_puts_a_new_task_in_the_place_of_the_cancelled_one(work: Work) -> None:
    first, second, item = lost(work)
    inbox.act(work.stage.desk, ASKED, item.id, "redo")
    assert work.now(first).status is TaskStatus.CANCELLED
    assert work.waiting_for(second) == [3] and work.now(second).status is TaskStatus.TODO
    with work.stage.ground.reader.snapshot() as view:
        (anew,) = dependencies.waiting_for(view, second.id)
        assert anew.title == "First" and wakeups.waiting_for_task(view, anew.id)
    work.stage.finish(work.run(anew), result=DONE)
    assert work.run(second).status == "running"


# --- subtasks -----------------------------------------------------------------------------------


@pytest.mark.proves("K-06", "C-52", "C-62", "B-068")
def test_the_parent_wakes_once_when_all_subtasks_are_over(work: Work) -> None:
    whole = work.task("Whole")
    parts = [work.task(f"Part {n}", agent=False, parent_id=whole.id) for n in range(3)]
    work.stage.finish(work.run(whole), result=DONE)
    assert work.now(whole).status is TaskStatus.IN_PROGRESS, "its subtasks are open"
    work.done(parts[0])
    work.move(parts[1], TaskStatus.CANCELLED)
    assert not work.wakeups(whole, Source.TASK_CHILDREN_COMPLETED)
    work.done(parts[2])
    (woken,) = work.wakeups(whole, Source.TASK_CHILDREN_COMPLETED)
    assert dict(woken.payload) == {"task_id": whole.id}
    work.stage.finish(work.run(whole), result=DONE)
    assert work.now(whole).status is TaskStatus.DONE
    assert len(work.wakeups(whole, Source.TASK_CHILDREN_COMPLETED)) == 1


@pytest.mark.proves("B-068")
def test_a_limited_subtask_is_not_over(work: Work) -> None:
    whole = work.task("Whole", agent=False)
    tasks.assign(work.stage.desk, ASKED, whole.id, work.agent.id)
    part = work.task("Part", parent_id=whole.id)
    work.stage.finish(work.run(whole), result=DONE)
    limit = "You've hit your session limit · resets 3pm (UTC)"
    work.stage.finish(work.run(part), code=1, stderr=limit)
    assert work.now(part).status is TaskStatus.IN_PROGRESS
    assert not work.wakeups(whole, Source.TASK_CHILDREN_COMPLETED)


def test_what_it_carries_is_settled_as_merged(work: Work) -> None:
    first = work.task("First", agent=False)
    second = work.task("Second", first)
    held = work.held(second)
    tasks.comment(work.stage.desk, ASKED, second.id, "Mind the gap")
    while work.stage.step():
        pass
    work.done(first)
    merged = work.stage.ground.get_wakeup(held.id)
    assert merged.outcome is WakeupOutcome.MERGED
    (woken,) = work.wakeups(second, Source.TASK_BLOCKERS_RESOLVED)
    sources = [one["source"] for one in woken.causes()]
    assert sources == ["task_assigned", "comment", "task_blockers_resolved"]
