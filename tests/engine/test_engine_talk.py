"""What is said to agents and what they answer, at the edges that are hard to reach from outside."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from engine_stage import ASKED, JOAN, Stage

from roundtable_desktop.engine.desk import Asked, control, tasks
from roundtable_desktop.engine.desk import inbox as questions
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Subject, Task
from roundtable_desktop.model.states import InboxStatus, RunStatus
from roundtable_desktop.store import inbox


def stop(stage: Stage) -> control.Stopped:
    return control.force_stop(stage.desk, ASKED)


def say(stage: Stage, task: Task, text: str) -> None:
    tasks.comment(stage.desk, ASKED, task.id, text)


class Before:
    """A store that does something once, before its transaction number `number`."""

    def __init__(self, store: Any, number: int, act: Callable[[], object]) -> None:
        self._store, self._left, self._act = store, number, act

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        self._left -= 1
        if self._left == 0:
            self._act()
        with self._store.transaction() as tx:
            yield tx


def test_what_was_claimed_when_all_was_stopped_is_not_launched(stage: Stage) -> None:
    task = stage.assigned()
    stage.dispatcher._store = Before(stage.store, 2, lambda: stop(stage))  # type: ignore[assignment]
    stage.step()
    assert stage.acts == [] and stage.ground.runs() == []
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.retry_count) == ("queued", 0)
    stage.build()
    assert not stage.step()
    control.resume(stage.desk, ASKED)
    assert stage.launch().status is RunStatus.RUNNING


@pytest.mark.proves("W-30 keys")
@pytest.mark.parametrize("resumed", [False, True])
def test_a_stop_that_was_broken_off_goes_on_but_not_after_a_resume(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, resumed: bool
) -> None:
    def broken(left: object) -> Any:
        raise OSError("the machine is out of memory")

    stage.assigned()
    run = stage.launch()
    once = Asked(JOAN, "stop-1", "print")
    with monkeypatch.context() as patch, pytest.raises(OSError, match="memory"):
        patch.setattr(stage.desk, "end_left", broken)
        control.force_stop(stage.desk, once)
    if resumed:
        control.resume(stage.desk, ASKED)
    first = control.force_stop(stage.desk, once)
    assert control.force_stop(stage.desk, once) == first
    assert stage.launcher.swept == [run.id] * (1 if resumed else 2)


def test_a_run_that_is_stopped_while_its_copy_is_made_costs_no_retry(stage: Stage) -> None:
    task = stage.assigned()
    make_copy = stage.git.make_copy

    def slow(*words: Any) -> None:
        stop(stage)
        make_copy(*words)

    stage.git.make_copy = slow
    assert stage.step()
    stage.play()
    assert stage.launcher.orders == {}
    run = stage.run
    stage.consume(run)
    stage.play()
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.retry_count, wakeup.held_by) == ("queued", 0, None)
    stage.git.make_copy = make_copy
    control.resume(stage.desk, ASKED)
    assert stage.launch().id != run.id


def test_what_was_broken_off_goes_on_at_once_when_a_person_says_so(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), why="interrupted", code=None)
    assert stage.wakeup(task).held_by == "interrupted" and not stage.step()
    control.resume(stage.desk, ASKED)
    assert stage.launch().status is RunStatus.RUNNING


@pytest.mark.proves("C-71")
@pytest.mark.parametrize("resumed", [False, True])
def test_a_resume_that_comes_before_the_end_is_settled_counts_for_it_too(
    stage: Stage, resumed: bool
) -> None:
    """Else what was stopped would wait a minute though a person had it go on."""
    task = stage.assigned()
    run = stage.launch()
    stop(stage)
    if resumed:
        control.resume(stage.desk, ASKED)
    stage.finish(run, why="interrupted", code=None)
    assert stage.wakeup(task).held_by == (None if resumed else "interrupted")
    if not resumed:
        control.resume(stage.desk, ASKED)
    assert stage.launch().status is RunStatus.RUNNING


def test_a_process_that_a_sweep_could_not_end_is_named(stage: Stage) -> None:
    stage.assigned()
    stage.launch()
    stage.launcher.sweep = lambda run: [4712]  # type: ignore[method-assign]
    stopped = stop(stage)
    assert [(one.pid, one.role) for one in stopped.survivors] == [(4712, "child")]


@pytest.mark.proves("K-04")
@pytest.mark.parametrize("how", ["lost", "interrupted", "silence"])
def test_a_comment_that_no_run_came_to_read_is_told_again(stage: Stage, how: str) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), result={"status": "blocked", "blocked": BLOCKED})
    say(stage, task, "Blue, please")
    run = stage.launch()
    assert "Blue, please" in run.resume_prompt
    if how == "lost":
        stage.spool(run).locked = False
        stage.consume(run)
        stage.play()
    else:
        stage.finish(run, why=how, code=None)
    stage.clock.forward(minutes=5)
    again = stage.launch()
    assert again.id != run.id
    assert "Blue, please" in again.resume_prompt and "Blue, please" in again.assembled_prompt
    stage.finish(again, result={"status": "blocked", "blocked": BLOCKED})
    say(stage, task, "And green")
    last = stage.launch()
    assert "And green" in last.resume_prompt and "Blue, please" not in last.resume_prompt


@pytest.mark.proves("K-04")
def test_comments_that_have_no_room_are_not_passed_over_in_silence(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), result={"status": "blocked", "blocked": BLOCKED})
    for number in range(6):
        say(stage, task, f"Word {number}. " + "x" * 15_000)
    prompt = stage.launch().resume_prompt
    assert [number for number in range(6) if f"Word {number}." in prompt] == [2, 3, 4, 5]
    assert "2 earlier comments have no room here" in prompt and "task_get" in prompt


BLOCKED = {"owner": "user", "action": "choose"}
OPTIONS = [{"id": "yes", "name": "Allow", "kind": "allow_once"}]


def test_a_run_that_vanished_waits_for_nobody(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    stage.spool(run).say("ask", ask="1", text="May I?", options=OPTIONS)
    stage.consume(run)
    assert stage.ground.get_run(run.id).waiting_since is not None
    stage.spool(run).locked = False
    stage.consume(run)
    stage.play()
    ended = stage.ground.get_run(run.id)
    assert (ended.outcome, ended.waiting_since) == ("lost", None)
    with stage.store.transaction() as tx:
        assert inbox.open_about(tx, Subject("run", run.id)) == []


def test_an_answer_to_a_run_that_is_over_is_refused(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    stage.spool(run).say("ask", ask="1", text="May I?", options=OPTIONS)
    stage.consume(run)
    (item,) = stage.ground.rows("inbox_items")
    stage.spool(run).locked = False
    with pytest.raises(Conflict) as refused:
        questions.act(stage.desk, ASKED, item["id"], "yes")
    assert refused.value.code == "run_is_over"


def test_an_answer_that_the_runner_told_resolves_the_item_with_who_gave_it(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    for number in ("1", "2"):
        stage.spool(run).say("ask", ask=number, text="May I?", options=OPTIONS)
    stage.consume(run)
    stage.spool(run).say("answer", ask="1", option="yes", by="policy")
    stage.consume(run)
    assert stage.ground.get_run(run.id).waiting_since is not None, "the other one is open"
    stage.spool(run).say("answer", ask="2", option="yes", by="person")
    stage.consume(run)
    assert stage.ground.get_run(run.id).waiting_since is None
    rows = stage.ground.rows("inbox_items")
    assert [row["status"] for row in rows] == [InboxStatus.RESOLVED] * 2


@pytest.mark.proves("C-94", "W-30")
def test_a_key_means_one_word_by_whatever_channel_it_comes(stage: Stage) -> None:
    task = stage.task(stage.workspace(), None)
    by_chat = replace(ASKED, key="chat-17", fingerprint="telegram")
    first = tasks.comment(stage.desk, by_chat, task.id, "Go on", via="telegram")
    assert tasks.comment(stage.desk, by_chat, task.id, "Go on", via="telegram").id == first.id
    assert (first.author_type, first.via) == ("person", "telegram")
    by_mail = replace(by_chat, fingerprint="mail")
    with pytest.raises(Conflict, match="key_reused"):
        tasks.comment(stage.desk, by_mail, task.id, "Go on", via="mail")
