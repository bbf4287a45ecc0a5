"""When a run goes on with the agent's earlier conversation, and when it begins a new one."""

import shutil
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import agents
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import Adapter, RunOutcome


class Talks:
    """A task of an agent that has spoken about it once."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        room = stage.workspace()
        words: dict[str, Any] = {"name": "Ada", "command": ["true"], "cooldown_sec": 0}
        agent = agents.add(stage.desk, ASKED, room.id, adapter=Adapter.ACP, **words)
        self.task: Task = stage.task(room, agent)
        self.open("s1", loaded=False)

    def open(self, session: str, *, loaded: bool) -> Run:
        """A run that opens this conversation and comes to its end."""
        run = self.stage.launch()
        self.stage.spool(run).say("session", id=session, loaded=loaded, note="")
        result = {"status": "blocked", "blocked": {"owner": "user", "action": "Say on."}}
        return self.stage.finish(run, result=result)

    def next(self) -> Run:
        """The next run, launched; a person asks for it."""
        self.stage.ask_run(self.task)
        return self.stage.launch()

    def told(self, run: Run) -> str | None:
        return self.stage.launcher.orders[run.id].session

    def dropped(self, run: Run) -> list[object]:
        return [
            event.data["reason"]
            for event in self.stage.ground.events()
            if event.kind == "session.dropped" and event.subject_id == run.id
        ]


@pytest.fixture
def talks(stage: Stage) -> Talks:
    return Talks(stage)


@pytest.mark.proves("W-32")
def test_a_later_run_is_told_the_conversation_to_go_on_with(talks: Talks) -> None:
    run = talks.next()
    assert (talks.told(run), talks.dropped(run)) == ("s1", [])


@pytest.mark.proves("B-087")
def test_one_whose_copy_is_gone_begins_anew_also_after_a_broken_launch(talks: Talks) -> None:
    """Its agent would look for what it remembers in a copy that has nothing of it."""
    stage = talks.stage
    shutil.rmtree(stage.copy(stage.run))
    made, broken = stage.git.make_copy, [OSError("no memory")]

    def once(*words: Any) -> None:
        made(*words)
        if broken:
            raise broken.pop()

    stage.git.make_copy = once
    run = talks.next()
    assert run.outcome is RunOutcome.CRASHED
    stage.clock.forward(hours=1)
    again = stage.launch()
    assert (talks.dropped(run), talks.told(again)) == (["copy_gone"], None)
    assert again.id != run.id


@pytest.mark.proves("B-087")
@pytest.mark.parametrize("why", ["exited", "silence"])
def test_an_agent_that_breaks_on_its_old_conversation_gets_a_new_one(
    talks: Talks, why: str
) -> None:
    stage = talks.stage
    run = talks.next()
    assert talks.told(run) == "s1"
    error = {"kind": "crashed", "text": "the agent ended before it had answered"}
    stage.finish(run, why, -9, error=error)
    stage.clock.forward(hours=1)
    again = stage.launch()
    assert (talks.told(again), talks.dropped(again)) == (None, ["load_failed"])
    stage.spool(again).say("session", id="s2", loaded=False, note="")
    stage.finish(again, "silence", -9)
    stage.clock.forward(hours=1)
    third = stage.launch()
    assert (talks.told(third), talks.dropped(third)) == ("s2", [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [("You've hit your usage limit. Try again at 1:00 PM.", "crashed"), ("", "overloaded")],
)
def test_a_provider_that_refused_is_no_reason_for_a_new_one(
    talks: Talks, text: str, kind: str
) -> None:
    stage = talks.stage
    stage.finish(talks.next(), code=1, error={"kind": kind, "text": text})
    stage.clock.forward(hours=30)
    again = stage.launch()
    assert (talks.told(again), talks.dropped(again)) == ("s1", [])


def test_a_vanished_runner_is_none_either(talks: Talks) -> None:
    stage = talks.stage
    run = talks.next()
    stage.spool(run).locked = False
    stage.consume(run)
    stage.play()
    stage.clock.forward(hours=1)
    again = stage.launch()
    assert (talks.told(again), talks.dropped(again)) == ("s1", [])


@pytest.mark.proves("W-32", "K-48")
def test_another_program_is_not_told_of_a_conversation_that_it_never_had(talks: Talks) -> None:
    agent_id = str(talks.task.assignee_agent_id)
    agents.edit(talks.stage.desk, ASKED, agent_id, cooldown_sec=1, command=["true"])
    run = talks.next()
    assert talks.told(run) == "s1", "it is the same program"
    talks.stage.finish(run, result={"status": "failed", "summary": "No."})
    agents.edit(talks.stage.desk, ASKED, agent_id, command=["other"])
    talks.stage.clock.forward(minutes=1)
    again = talks.stage.launch()
    assert talks.told(again) is None
    assert "Do it" in again.assembled_prompt, "it is told all of it"


@pytest.mark.proves("W-32", "K-48")
def test_what_the_program_before_opens_after_the_change_is_not_gone_on_with(talks: Talks) -> None:
    stage, agent_id = talks.stage, str(talks.task.assignee_agent_id)
    run = talks.next()
    agents.edit(stage.desk, ASKED, agent_id, command=["other"])
    stage.spool(run).say("session", id="s2", loaded=False, note="")
    stage.finish(run, result={"status": "failed", "summary": "No."})
    assert stage.ground.runs()[-1].session_id == "s2", "that it had one is told of it"
    stage.clock.forward(minutes=1)
    again = stage.launch()
    assert talks.told(again) is None and "Do it" in again.assembled_prompt
