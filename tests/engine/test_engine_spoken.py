"""What a person tells an agent at work is heard, or said not to have been, and not lost."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine import spoken
from roundtable_desktop.engine.desk import agents, run_control
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import RunnerGone
from roundtable_desktop.model.records import Agent, Comment, Event, Run, Task
from roundtable_desktop.model.states import Adapter, Source, TaskStatus
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store import comments, events
from roundtable_desktop.store.db import View

DONE = {"status": "completed"}


@pytest.fixture
def told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the runner took, by name."""
    names: list[str] = []

    def control(run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        if request["do"] == "message":
            names.append(str(request["id"]))
        return {"ok": True}

    monkeypatch.setattr(stage.launcher, "control", control)
    return names


def speaker(stage: Stage) -> Agent:
    workspace = stage.workspace()
    more = {"name": "Eve", "command": ["agent"], "cooldown_sec": 0}
    return agents.add(stage.desk, ASKED, workspace.id, adapter=Adapter.ACP, **more)


def at_work(stage: Stage) -> tuple[Task, Run]:
    agent = speaker(stage)
    task = stage.task(stage.workspace_of(agent), agent)
    return task, stage.launch()


def say(stage: Stage, run: Run, text: str = "Mind the tests") -> None:
    run_control.message(stage.desk, ASKED, run.id, text)


def seen(stage: Stage, run: Run) -> list[spoken.Said]:
    with stage.ground.reader.snapshot() as view:
        return spoken.to(view, run.id)


def commented(stage: Stage, task: Task) -> list[Comment]:
    with stage.ground.reader.snapshot() as view:
        return comments.of_task(view, task.id)


@pytest.mark.proves("B-037 messages")
def test_a_message_is_sent_and_then_heard(stage: Stage, told: list[str]) -> None:
    task, run = at_work(stage)
    say(stage, run)
    (one,) = seen(stage, run)
    assert (one.id, one.text, one.state, one.actor) == (told[0], "Mind the tests", "sent", JOAN)
    stage.spool(run).say("control", do="heard", message=told[0])
    stage.finish(run, result=DONE)
    assert [one.state for one in seen(stage, run)] == ["read"]
    assert commented(stage, task) == []
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.proves("B-037 messages")
def test_one_that_came_too_late_is_a_comment_that_is_heard_before_the_task_ends(
    stage: Stage, told: list[str]
) -> None:
    task, run = at_work(stage)
    for text in ("Heard", "Mind the tests"):
        say(stage, run, text)
    stage.spool(run).say("control", do="heard", message=told[0])
    stage.finish(run, result=DONE)
    (kept,) = commented(stage, task)
    assert (kept.text, kept.author_id) == ("Mind the tests", JOAN.id)
    assert [(one.state, one.comment_id) for one in seen(stage, run)] == [
        ("read", None),
        ("not_delivered", kept.id),
    ]
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_PROGRESS
    second = stage.launch()
    assert "Mind the tests" in second.assembled_prompt
    stage.finish(second, result=DONE)
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


def stop(stage: Stage, run: Run) -> None:
    run_control.cancel(stage.desk, ASKED, run.id)
    stage.finish(run, "cancelled", None)


def crash(stage: Stage, run: Run) -> None:
    stage.finish(run, code=-9)


@pytest.mark.proves("B-037 messages")
@pytest.mark.parametrize("ends", [stop, crash])
def test_of_a_run_that_broke_off_it_is_kept_and_wakes_nobody(
    stage: Stage, told: list[str], ends: Callable[[Stage, Run], None]
) -> None:
    """A stopped task stays stopped; a failed one is tried again in its own time, and told then."""
    task, run = at_work(stage)
    say(stage, run)
    ends(stage, run)
    assert [one.text for one in commented(stage, task)] == ["Mind the tests"]
    rows = stage.ground.rows("agent_wakeup_requests")
    waiting = [one for one in rows if one["status"] == "queued"]
    assert [one["source"] for one in waiting] == ([] if ends is stop else ["task_assigned"])
    stage.ask_run(task)
    assert "Mind the tests" in stage.launch().assembled_prompt


KEY = "ghp_" + "a1B2" * 10
"""A client may choose what looks like somebody's token."""


@pytest.mark.proves("B-037 messages")
def test_a_key_with_the_look_of_a_secret_names_its_message_all_the_same(
    stage: Stage, told: list[str]
) -> None:
    assert KEY not in redact(KEY, ())
    _, run = at_work(stage)
    keyed = replace(ASKED, key=KEY, fingerprint="f")
    for _ in range(2):
        run_control.message(stage.desk, keyed, run.id, "Mind the tests")
    (one,) = seen(stage, run)
    assert one.id == told[0] == redact(told[0], ()) and KEY not in one.id
    stage.spool(run).say("control", do="heard", message=told[0])
    stage.finish(run, result=DONE)
    assert [one.state for one in seen(stage, run)] == ["read"]


@pytest.mark.proves("B-037 messages")
def test_a_message_has_its_row_before_the_runner_has_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks when the runner tells of it sees it, and an owner that dies in between has
    lost nothing."""
    there: list[list[str]] = []

    def control(_: str, __: Mapping[str, object]) -> Mapping[str, object]:
        there.append([one.text for one in seen(stage, run)])
        raise KeyboardInterrupt

    task, run = at_work(stage)
    monkeypatch.setattr(stage.launcher, "control", control)
    with pytest.raises(KeyboardInterrupt):
        say(stage, run)
    assert there == [["Mind the tests"]]
    stage.finish(run, result=DONE)
    assert [one.text for one in commented(stage, task)] == ["Mind the tests"]


@pytest.mark.proves("B-037 messages")
def test_one_that_the_runner_refused_was_not_said(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [{"ok": False, "why": "too many"}, {"ok": True}]
    task, run = at_work(stage)
    monkeypatch.setattr(stage.launcher, "control", lambda *_: answers.pop(0))
    keyed = replace(ASKED, key="k", fingerprint="f")
    with pytest.raises(Conflict, match="too_many_messages"):
        run_control.message(stage.desk, keyed, run.id, "Mind the tests")
    assert seen(stage, run) == []
    run_control.message(stage.desk, keyed, run.id, "Mind the tests")
    assert [one.state for one in seen(stage, run)] == ["sent"]
    stage.finish(run, result=DONE)
    assert [one.text for one in commented(stage, task)] == ["Mind the tests"]


@pytest.mark.proves("B-037 messages")
def test_a_runner_that_does_not_listen_yet_is_asked_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its run was called over, a moment after it had begun."""
    asked: list[str] = []

    def control(run: str, _: Mapping[str, object]) -> Mapping[str, object]:
        asked.append(run)
        if len(asked) % 3:
            raise RunnerGone(run)
        return {"ok": True}

    _, run = at_work(stage)
    monkeypatch.setattr(stage.launcher, "control", control)
    monkeypatch.setattr(run_control, "_STEP", 0.001)
    say(stage, run)
    assert [one.state for one in seen(stage, run)] == ["sent"] and len(asked) == 3
    monkeypatch.setattr(run_control, "PATIENCE", 0.0)
    with pytest.raises(Conflict, match="run_not_ready"):
        say(stage, run, "And the docs")
    stage.spool(run).locked = False
    with pytest.raises(Conflict, match="run_has_ended"):
        say(stage, run, "And the docs")


@pytest.mark.proves("B-037 messages")
def test_without_a_task_it_is_said_to_be_lost(stage: Stage, told: list[str]) -> None:
    stage.wake(speaker(stage), "Look around")
    run = stage.launch()
    say(stage, run)
    stage.finish(run, result=DONE)
    assert [(one.state, one.comment_id) for one in seen(stage, run)] == [("not_delivered", None)]
    (lost,) = [one for one in stage.ground.events() if one.kind == "run.unheard"]
    assert (lost.subject_id, lost.data["comment_id"]) == (run.id, None)


@pytest.mark.proves("B-037 messages")
def test_one_that_the_runner_took_while_the_run_was_settled_is_not_lost(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settled(_: str, __: Mapping[str, object]) -> Mapping[str, object]:
        stage.finish(run, result={"status": "failed", "summary": "No"})
        return {"ok": True}

    task, run = at_work(stage)
    monkeypatch.setattr(stage.launcher, "control", settled)
    say(stage, run)
    assert [one.state for one in seen(stage, run)] == ["not_delivered"]
    assert [one.text for one in commented(stage, task)] == ["Mind the tests"]
    sources = {one["source"] for one in stage.ground.rows("agent_wakeup_requests")}
    assert Source.COMMENT in sources


@pytest.mark.proves("B-037 messages")
def test_words_that_were_refused_are_not_read_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each told all that came before it: five hundred long ones took 160 MB of the owner."""
    _, run = at_work(stage)
    taken = 2

    def control(run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        nonlocal taken
        taken -= 1
        return {"ok": True} if taken >= 0 else {"ok": False, "why": "too many"}

    read: list[int] = []
    these = events.these

    def seen_reading(view: View, ids: Sequence[int]) -> list[Event]:
        read.extend(ids)
        return these(view, ids)

    monkeypatch.setattr(stage.launcher, "control", control)
    monkeypatch.setattr(events, "these", seen_reading)
    for number in range(12):
        with contextlib.suppress(Conflict):
            run_control.message(stage.desk, replace(ASKED, key=f"key {number}"), run.id, "w" * 7000)
    assert read == []
    assert [(one.text[:1], one.state) for one in seen(stage, run)] == [("w", "sent")] * 2
    assert len(read) == 2
    with stage.ground.reader.snapshot() as view:
        found = events.told(view, run.id, Kind.RUN_TOLD)
    assert len(found) == 12 and all("www" not in str(one) for one in found)
