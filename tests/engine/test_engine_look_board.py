"""What the board shows: columns, cards with what waits, and what each move would do."""

from datetime import timedelta
from typing import Any

import pytest
from engine_graph_work import Work
from engine_stage import Stage
from ground import set_columns

from roundtable_desktop.engine.desk import board
from roundtable_desktop.engine.desk.look_board import COLUMNS, HIDDEN, Card, LookBoard, Wanted
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import Source, TaskStatus, WakeupStatus

S = TaskStatus


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


def look(work: Work) -> LookBoard:
    return LookBoard(work.stage.ground.reader, work.stage.ground.clock)


def numbers(work: Work, name: str, most: int = 30, **wanted: Any) -> tuple[list[int], int]:
    [column] = look(work).columns([name], Wanted(**wanted), most)
    return sorted(card.task.number for card in column.cards), column.left_out


def put(work: Work, task: Task, **values: Any) -> Card:
    with work.stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, **values)
    return look(work).card(work.now(task))


@pytest.mark.proves("K-09 page")
def test_every_status_has_one_column(work: Work) -> None:
    every = [status for one in (COLUMNS, HIDDEN) for held in one.values() for status in held]
    assert sorted(every) == sorted(S)
    for status in S:
        put(work, work.task(str(status), agent=False), status=status)
    found = look(work).columns(list(COLUMNS), Wanted(), 30)
    shown = {card.task.status: column.name for column in found for card in column.cards}
    assert shown.pop(S.BLOCKED) == shown.pop(S.FAILED) == shown.pop(S.INTERRUPTED) == "still"
    assert shown == {one: str(one) for one in (S.TODO, S.IN_PROGRESS, S.IN_REVIEW, S.DONE)}
    assert look(work).counted("cancelled", Wanted()) == 1


@pytest.mark.proves("K-09 page")
def test_filters_find_what_they_name_and_what_is_left_out_is_counted(work: Work) -> None:
    other = work.stage.agent(work.workspace, name="other")
    work.task("Bake rye", agent=False)
    work.task("Bake 100% spelt")
    work.stage.task(work.workspace, other, title="Sweep")
    mine = work.agent.id
    assert numbers(work, "todo") == ([1, 2, 3], 0)
    assert numbers(work, "todo", agent_id=mine) == ([2], 0)
    assert numbers(work, "todo", agent_id="") == ([1], 0)
    assert numbers(work, "todo", text="bake") == ([1, 2], 0)
    assert numbers(work, "todo", text="100%") == ([2], 0)
    assert numbers(work, "todo", text="%") == ([2], 0), "no wildcard"
    assert numbers(work, "todo", text="T-3") == numbers(work, "todo", text="3") == ([3], 0)
    assert numbers(work, "todo", workspace_id="elsewhere") == ([], 0)
    assert numbers(work, "todo", most=2)[1] == 1
    assert numbers(work, "done") == ([], 0)


@pytest.mark.proves("K-09 page")
def test_a_card_says_since_when_it_stands_there(work: Work) -> None:
    task = work.task("Later", agent=False)
    assert look(work).card(task).since == task.created_at
    work.stage.ground.clock.forward(hours=1)
    moved = work.move(task, S.IN_PROGRESS)
    work.stage.ground.clock.forward(hours=1)
    with work.stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, title="Another title")
    card = look(work).card(work.now(task))
    assert abs(card.since - moved.updated_at) < timedelta(seconds=1)


@pytest.mark.proves("K-09 page")
def test_a_card_counts_its_attempts_and_how_many_there_can_be(work: Work) -> None:
    task = work.task("Try", retry_budget=3)
    assert (look(work).card(task).attempt, look(work).card(task).most) == (0, None)
    run = work.run(task)
    card = look(work).card(work.now(task))
    assert card.live is not None and (card.attempt, card.most) == (1, 4)
    work.stage.finish(run, status="failed", error={"kind": "task_failed", "text": "no"})
    card = look(work).card(work.now(task))
    assert card.live is None and (card.attempt, card.most) == (1, 4)
    work.run(task)
    card = look(work).card(work.now(task))
    assert card.live is not None and (card.attempt, card.most) == (2, 4)


@pytest.mark.slow
@pytest.mark.proves("K-09 page")
def test_what_a_step_says_is_what_the_move_does(work: Work) -> None:
    """Of every status, with and without an agent: whom it wakes, and what it refuses."""
    for status in S:
        for agent in (True, False):
            task = work.task("Any", agent=agent)
            for step in put(work, task, status=status).steps:
                each = work.task("Each", agent=agent)
                put(work, each, status=status)
                before = {one.id for one in work.wakeups(each)}
                work.move(each, step.to)
                new = [one for one in work.wakeups(each) if one.id not in before]
                woken = [one for one in new if one.status is WakeupStatus.QUEUED]
                assert bool(woken) == step.wakes, (status, step)
                assert not step.ends


@pytest.mark.proves("K-09 page")
def test_a_move_that_ends_a_run_says_so_and_only_a_plain_one_is_taken_back(work: Work) -> None:
    task = work.task("Run")
    work.run(task)
    card = look(work).card(work.now(task))
    assert card.live is not None and card.steps and all(step.ends for step in card.steps)
    assert board.can_take_back(S.TODO, S.IN_PROGRESS) and board.can_take_back(S.IN_PROGRESS, S.TODO)
    for before, after in ((S.IN_PROGRESS, S.IN_REVIEW), (S.DONE, S.TODO), (S.TODO, S.TODO)):
        assert not board.can_take_back(before, after)


@pytest.mark.proves("K-09 page")
def test_a_card_says_what_it_waits_for_in_the_words_of_the_code_that_decides(work: Work) -> None:
    first = work.task("First", agent=False)
    second = work.task("Second", first)
    card = look(work).card(second)
    assert list(card.waiting_for) == [1] and card.why is not None
    assert card.why.nearest.code == "task_waits_for"
    assert S.IN_PROGRESS not in [step.to for step in card.steps]
    done = work.done(first)
    assert look(work).card(done).why is None
    assert look(work).card(work.now(second)).waiting_for == []
    (woken,) = work.wakeups(second, Source.TASK_BLOCKERS_RESOLVED)
    assert woken.status is WakeupStatus.QUEUED
