"""Missions whose tasks change what they like and fail as they like end, and say truly how."""

import random
from collections.abc import Iterator

import pytest
from engine_missions import Crew
from engine_stage import Stage
from mission_stage import offer

from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import OVER, MissionOutcome, MissionState
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import DeliveryMode, ProposalStatus, TaskStatus
from roundtable_desktop.store import dependencies, missions, proposals

FILES = ("a", "b", "c")
TURNS = 120


class Anything:
    """A mission that its agents work on as the dice say. Its owner dies now and then."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.stage, self.dice = stage, random.Random(seed)
        self.crew = Crew(stage, agents=self.dice.choice((1, 2, 3)))
        with stage.store.transaction() as tx:
            values = (DeliveryMode.AUTO, self.crew.id)
            tx.write_sql("UPDATE missions SET delivery = ? WHERE id = ?", values)
        self.crew.open()
        self.main = stage.folders.plain("rev-parse", "main")
        made: list[Task] = []
        for number in range(self.dice.randint(2, 5)):
            first = [Edge(depends_on_task_id=self.dice.choice(made).id)] if made else []
            made.append(
                self.crew.task(
                    f"Task {number}",
                    self.dice.choice(self.crew.agents),
                    depends_on=first if self.dice.random() < 0.4 else (),
                    write_area=[f"{self.dice.choice(FILES)}.txt"],
                    optional=self.dice.random() < 0.3,
                    retry_budget=self.dice.randint(0, 5),
                )
            )

    def live_through(self) -> None:
        for _ in range(TURNS):
            self.crew.turn()
            self.check()
            live = self.crew.live()
            if self.crew.mission.state in OVER:
                return
            if live:
                self.work(self.dice.choice(live))
            self.stage.clock.forward(seconds=30)
            if self.dice.random() < 0.1:
                self.crew.restart()
                self.stage.play()
        raise AssertionError(f"it stands still: {[(t.number, t.status) for t in self.tasks()]}")

    def work(self, run: Run) -> None:
        what = self.dice.random()
        for name in FILES:
            path = self.stage.copy(run) / f"{name}.txt"
            if path.exists() and "<<<<<<<" in path.read_text():
                path.write_text(f"{name} settled in {run.id}\n")
        if what < 0.4:
            words = {"status": "failed", "summary": self.dice.choice(("it burns", "it leaks"))}
        else:
            words = {"status": "completed", "summary": "Done"}
            for name in self.dice.sample(FILES, self.dice.choice((0, 1, 1, 2))):
                self.stage.leave(run, **{name: f"{name} by {run.id}\n"})
        self.stage.finish(run, result=words)
        if self.dice.random() < 0.8:
            self.stage.deliver()

    def check(self) -> None:
        """No task before what it waits for, and nobody touches the base branch."""
        with self.stage.ground.reader.snapshot() as view:
            for run in self.crew.live():
                assert run.task_id is None or not dependencies.waiting_for(view, run.task_id)
        assert self.stage.folders.plain("rev-parse", "main") == self.main

    def tasks(self) -> list[Task]:
        with self.stage.ground.reader.snapshot() as view:
            known = missions.tasks_of(view, self.crew.id)
        return [one for one in known if one.id != self.crew.mission.root_task_id]

    def offered(self, task: Task) -> list[Proposal]:
        with self.stage.ground.reader.snapshot() as view:
            return proposals.of_task(view, task.id)


def ended(here: Anything) -> Iterator[str]:
    """What is wrong with how it ended."""
    mission, tasks = here.crew.mission, here.tasks()
    for task in tasks:
        there = [one.status for one in here.offered(task)]
        mended = [one for one in tasks if one.about_task_id == task.id]
        done = task.status is TaskStatus.DONE
        if done and there and ProposalStatus.MERGED not in there and not mended:
            yield f"T-{task.number} is done and nothing of it is merged: {there}"
        if ProposalStatus.APPROVED in there:
            yield f"T-{task.number} still waits for its merge"
    blocked = [one for one in tasks if one.status is TaskStatus.BLOCKED]
    if mission.state is MissionState.BLOCKED and not blocked:
        yield "it is blocked by nothing"
    if mission.outcome is MissionOutcome.COMPLETED and any(
        one.status is not TaskStatus.DONE for one in tasks if not one.optional
    ):
        yield "it is completed without all that it needs"


@pytest.mark.proves("A-26", "A-29", "A-36", "C-97 missions")
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_any_mission_ends(stage: Stage, seed: int) -> None:
    here = Anything(stage, seed)
    here.live_through()
    assert list(ended(here)) == []
    mission = here.crew.mission
    branch = stage.folders.plain("rev-parse", mission.integration_branch)
    if mission.state is not MissionState.COMPLETED:
        return
    offer(stage)
    stage.deliver()
    tree = stage.folders.plain("rev-parse", f"{branch}^{{tree}}")
    assert stage.folders.plain("rev-parse", "main^{tree}") == tree, "all of it, and nothing else"
