"""Whatever happens in whatever order: each instant once, and no firing is left open."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from hypothesis import given, settings
from hypothesis import strategies as st
from routine_stage import HEAVY, Routines

from roundtable_desktop.engine.desk import pausing
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import (
    CatchUpPolicy,
    ConcurrencyPolicy,
    FiringSource,
    RoutineStatus,
)

ACTS = (
    *("minute", "minute", "five", "hour", "fire", "start", "start", "finish", "finish"),
    *("fail", "crash", "pause", "resume", "agent_off", "agent_on", "restart"),
)


class Story:
    """One routine, and what is done to it."""

    def __init__(self, stage: Stage, **routine: Any) -> None:
        self.stage, self.here = stage, Routines(stage)
        self.routine = self.here.add(**routine)
        self.live: list[Run] = []
        self.paused = False

    def act(self, name: str) -> None:
        match name:
            case "minute" | "five" | "hour":
                self.here.pass_time(minutes={"minute": 1, "five": 5, "hour": 60}[name])
            case "fire" if not self.paused:
                self.here.fire(self.routine)
            case "start" if (run := self.here.start()) is not None:
                self.live.append(run)
            case "finish" | "fail" if self.live:
                status = "completed" if name == "finish" else "failed"
                self.here.finish(self.live.pop(0), status)
            case "crash" if self.live:
                self.stage.finish(self.live.pop(0), why="crashed", code=1)
            case "pause" | "resume":
                self.paused = name == "pause"
                to = RoutineStatus.PAUSED if self.paused else RoutineStatus.ACTIVE
                self.here.edit(self.routine, status=to)
            case "agent_off":
                pausing.pause(self.stage.desk, ASKED, self.here.agent.id)
            case "agent_on":
                pausing.resume(self.stage.desk, ASKED, self.here.agent.id)
            case "restart" if not self.live:
                self.stage.restart()
                self.here.build()

    def end(self) -> None:
        """Everything that waits gets its turn, also what is tried again."""
        self.act("agent_on")
        for _ in range(8):
            while self.live:
                self.here.finish(self.live.pop())
            self.here.work_all()
            self.stage.clock.forward(hours=3)


@pytest.mark.slow
@pytest.mark.proves("K-24", "K-16", "W-33", "W-36")
@settings(max_examples=25, deadline=None)
@given(
    acts=st.lists(st.sampled_from(ACTS), max_size=25),
    policy=st.sampled_from(ConcurrencyPolicy),
    catch_up=st.sampled_from(CatchUpPolicy),
    heavy=st.booleans(),
)
def test_when_all_has_ended_no_firing_is_open(
    acts: list[str], policy: ConcurrencyPolicy, catch_up: CatchUpPolicy, heavy: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        try:
            story = Story(
                stage,
                concurrency_policy=policy,
                catch_up_policy=catch_up,
                template=HEAVY if heavy else None,
            )
            for name in acts:
                story.act(name)
            story.end()
            found = story.here.firings(story.routine)
            assert [one for one in found if one.completed_at is None] == []
            by_time = [one.scheduled_at for one in found if one.source is FiringSource.CRON]
            assert max(Counter(by_time).values(), default=0) <= 1
            waiting = [
                row
                for row in stage.ground.rows("agent_wakeup_requests")
                if row["status"] in ("queued", "claimed")
            ]
            assert waiting == []
        finally:
            stage.ground.close()
