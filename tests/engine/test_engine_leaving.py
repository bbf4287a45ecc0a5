"""Who leaves: agents are asked where they are, it is kept, and a lid that is said to be safe is."""

import os
import subprocess
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.adapters import processes
from roundtable_desktop.engine import checkpoints, intake
from roundtable_desktop.engine.desk import agents, control
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.ports import RunnerGone
from roundtable_desktop.model.records import Agent, Run, Task
from roundtable_desktop.model.states import Adapter, Health
from roundtable_desktop.rules import leaving
from roundtable_desktop.store import settings


class Departure:
    """An agent that speaks and one that does not, both at work, and somebody who leaves."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stage = stage
        self.room = stage.workspace()
        self.tasks: dict[str, Task] = {}
        self.runs: dict[str, Run] = {}
        self.asked: list[str] = []
        self.answer: Mapping[str, object] | None = {"ok": True}
        monkeypatch.setattr(stage.launcher, "control", self._control)

    def begin(self, name: str, adapter: Adapter) -> Run:
        words: dict[str, Any] = {"name": name, "command": ["true"], "cooldown_sec": 0}
        agent: Agent = agents.add(self.stage.desk, ASKED, self.room.id, adapter=adapter, **words)
        self.tasks[name] = self.stage.task(self.room, agent)
        self.runs[name] = self.stage.launch()
        if adapter is not Adapter.COMMAND:
            self.stage.spool(self.runs[name]).say("session", id=f"of {name}", loaded=False, note="")
            self.stage.consume(self.runs[name])
        return self.runs[name]

    def leave(self, **span: float) -> None:
        control.leave(self.stage.desk, ASKED, self.stage.clock.now() + timedelta(**span))

    def due(self) -> list[str]:
        with self.stage.store.transaction() as tx:
            found = checkpoints.due(tx)
        for run in found:
            checkpoints.ask(self.stage.store, self.stage.launcher, run)
        return found

    def said(self) -> dict[str, str]:
        return {one.agent: str(one.hearing) for one in self.look().leaving.checkpoints()}

    def look(self, of_runs: Callable[[], Any] = dict) -> Look:
        unasked: Any = None
        stage = self.stage
        here = (stage.ground.reader, stage.clock, stage.git, unasked, unasked, unasked)
        return Look(*here, stage.folders.copies, lambda _: True, of_runs)

    def tools(self, run: Run) -> tuple[Agency, Holder]:
        holder = Holder(
            run_id=run.id, agent_id=run.agent_id, task_id=run.task_id, workspace_id=run.workspace_id
        )
        return Agency(self.stage.desk, self.stage.ground.reader), holder

    def again(self, name: str) -> Run:
        """With one word, and a minute later at most."""
        control.resume(self.stage.desk, ASKED)
        while True:
            run = self.stage.launch()
            if run.task_id == self.tasks[name].id:
                return run

    def _control(self, run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        assert request["do"] == "checkpoint"
        if self.answer is None:
            raise RunnerGone(run)
        self.asked.append(str(request["text"]))
        return self.answer


@pytest.fixture
def departure(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Departure:
    return Departure(stage, monkeypatch)


@pytest.mark.proves("N-10 checkpoint")
@pytest.mark.parametrize(("span", "lead"), [(3600, 60), (600, 60), (90, 30), (3, 1)])
def test_agents_are_asked_in_time_and_not_too_early(span: int, lead: int, stage: Stage) -> None:
    now = stage.clock.now()
    until = now + timedelta(seconds=span)
    assert until - leaving.asks_at(now, until) == timedelta(seconds=lead)
    control.leave(stage.desk, ASKED, until)
    with stage.store.transaction() as tx:
        first = intake.next_due(tx, now)
        assert first is not None and intake.next_due(tx, first) == until
        assert round((until - first).total_seconds(), 3) == lead
    control.resume(stage.desk, ASKED)
    with stage.store.transaction() as tx:
        assert settings.of_home(tx).intake_asks_at is None and intake.next_due(tx, now) is None


@pytest.mark.proves("N-10 checkpoint")
def test_who_can_be_asked_is_asked_once_and_who_cannot_is_said(departure: Departure) -> None:
    spoken = departure.begin("Ada", Adapter.ACP)
    departure.begin("Bob", Adapter.COMMAND)
    departure.leave(minutes=10)
    assert departure.due() == [] and departure.said() == {"Ada": "waits", "Bob": "deaf"}
    departure.stage.clock.forward(minutes=9)
    departure.answer = None
    assert departure.due() == [spoken.id], "its runner did not answer"
    departure.answer = {"ok": False, "why": "not ready"}
    assert departure.due() == [spoken.id] and departure.said()["Ada"] == "waits"
    departure.answer = {"ok": True}
    assert departure.due() == [spoken.id] and departure.due() == []
    assert departure.said() == {"Ada": "asked", "Bob": "deaf"}
    assert "2026-03-01T12:10:0" in departure.asked[-1] and "# Checkpoint" in departure.asked[-1]
    control.resume(departure.stage.desk, ASKED)
    assert departure.said() == {}


@pytest.mark.proves("N-10 checkpoint")
@pytest.mark.parametrize("loads", [True, False], ids=["goes on", "begins anew"])
def test_what_it_says_is_its_resume_point_and_it_gets_it_back(
    departure: Departure, loads: bool
) -> None:
    run = departure.begin("Ada", Adapter.ACP)
    departure.leave(minutes=10)
    departure.stage.clock.forward(minutes=9, seconds=30)
    departure.due()
    ended = departure.stage.finish(run, "interrupted", checkpoint="The parser is half done.")
    assert (ended.outcome, ended.output_summary) == ("interrupted", "The parser is half done.")
    (point,) = [one for one in departure.stage.ground.events() if one.kind == "run.resume_point"]
    assert (point.data["session_id"], point.data["notes"]) == ("of Ada", ended.output_summary)
    wakeup = departure.stage.wakeup(departure.tasks["Ada"])
    assert (wakeup.status, wakeup.held_by, wakeup.retry_count) == ("queued", "interrupted", 0)
    again = departure.again("Ada")
    order = departure.stage.launcher.orders[again.id]
    assert order.session == "of Ada"
    told = order.resume_prompt if loads else order.prompt
    assert "Attempt 1 ended as interrupted. You were here, in your own words:" in told
    assert "The parser is half done." in told


@pytest.mark.proves("N-10 checkpoint")
def test_a_program_that_was_broken_off_is_told_what_it_said_last(departure: Departure) -> None:
    run = departure.begin("Bob", Adapter.COMMAND)
    departure.leave(minutes=1)
    ended = departure.stage.finish(run, "interrupted", None, tail="3 of 7 files\n")
    assert ended.output_summary == "3 of 7 files"
    again = departure.again("Bob")
    assert "3 of 7 files" in departure.stage.launcher.orders[again.id].prompt


@pytest.mark.proves("N-10 checkpoint")
@pytest.mark.parametrize(
    "end", [{"code": 1}, {"code": -9}, {"why": "silence", "code": None}], ids=str
)
def test_whatever_becomes_of_one_that_was_asked_costs_nothing(
    departure: Departure, end: dict[str, Any]
) -> None:
    run = departure.begin("Ada", Adapter.ACP)
    departure.leave(minutes=10)
    departure.stage.clock.forward(minutes=9, seconds=30)
    departure.due()
    ended = departure.stage.finish(run, **end, error={"kind": "crashed", "text": "gone"})
    task = departure.stage.ground.get_task(run.task_id or "")
    assert (ended.outcome, task.status, task.attempts_spent) == ("interrupted", "interrupted", 0)


@pytest.mark.proves("N-10 checkpoint")
def test_one_that_uses_a_tool_is_told_in_the_middle_of_its_turn(departure: Departure) -> None:
    run = departure.begin("Ada", Adapter.ACP)
    agency, holder = departure.tools(run)
    agency.progress(holder, "Begun.", None, None)
    assert agency.notice(holder) is None
    departure.leave(minutes=10)
    told = agency.notice(holder)
    assert told and "task_progress" in told and agency.notice(holder) is None
    assert departure.said() == {"Ada": "told"}
    control.resume(departure.stage.desk, ASKED)
    assert "stays after all" in (agency.notice(holder) or "") and agency.notice(holder) is None
    departure.leave(minutes=20)
    assert agency.notice(holder) is not None, "another time is news"
    agency.progress(holder, "The lexer is done; the parser is next.", None, None)
    assert departure.said() == {"Ada": "given"}
    ended = departure.stage.finish(run, "interrupted", checkpoint="")
    assert ended.output_summary == "The lexer is done; the parser is next."
    assert agency.notice(holder) is None, "it has ended"


@pytest.mark.proves("N-10 checkpoint")
def test_a_turn_without_a_task_gets_back_where_it_was(stage: Stage) -> None:
    agent = stage.agent(stage.workspace())
    stage.wake(agent, "Look around.")
    run = stage.launch()
    stage.finish(run, "interrupted", None, tail="I was in the cellar.\n")
    control.resume(stage.desk, ASKED)
    stage.clock.forward(minutes=2)
    again = stage.launch()
    told = stage.launcher.orders[again.id].prompt
    assert again.wakeup_id == run.wakeup_id
    assert "Your last turn ended as interrupted." in told and "I was in the cellar." in told


@pytest.mark.proves("N-10 lid")
def test_the_lid_is_not_safe_while_a_process_of_a_run_lives(
    departure: Departure, tmp_path: Path
) -> None:
    run = departure.begin("Bob", Adapter.COMMAND)
    departure.leave(minutes=1)
    look = departure.look(processes.Marked(tmp_path / "instance.lock").of_runs)

    def seen() -> tuple[str, tuple[int, ...]]:
        glance = look.glance(Health.OK)
        return str(glance.state), glance.rest.pids

    assert seen() == ("leaving", ())
    child = subprocess.Popen(["sleep", "600"], env={**os.environ, "ROUNDTABLE_RUN": run.id})
    stranger = subprocess.Popen(["sleep", "600"], env={**os.environ, "ROUNDTABLE_RUN": "x"})
    try:
        departure.stage.finish(run, "interrupted", None)
        assert seen() == ("leaving", (child.pid,))
    finally:
        for one in (child, stranger):
            one.kill()
            one.wait()
    assert seen() == ("left", ())


@pytest.mark.proves("N-10 lid")
def test_the_lid_is_not_safe_while_work_is_on_its_way_to_a_branch(stage: Stage) -> None:
    proposal = stage.offered(stage.assigned(), a="theirs\n")
    stage.ask_deliver(proposal)
    control.leave(stage.desk, ASKED)
    unasked: Any = None
    here = (stage.ground.reader, stage.clock, stage.git, unasked, unasked, unasked)
    look = Look(*here, stage.folders.copies, lambda _: True, dict)
    assert (look.glance(Health.OK).state, look.glance(Health.OK).rest.deliveries) == ("leaving", 1)
    stage.deliver()
    assert look.glance(Health.OK).state == "left"
