"""A repair that the mission gave to an agent which may not work is done by somebody else."""

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import pausing
from roundtable_desktop.engine.desk import tasks as desk_tasks
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Agent, Task
from roundtable_desktop.model.states import Role, TaskStatus
from roundtable_desktop.rules import areas
from roundtable_desktop.store import missions


class Clashed:
    """Two of three workers changed the same line, and the third is to repair that."""

    def __init__(self, stage: Stage, agents: int = 3) -> None:
        self.crew = crew = Crew(stage, agents=agents)
        crew.open()
        first, second = (
            crew.task(name, agent, write_area=[f"{name}.txt"], expected_files=[f"{name}.md"])
            for name, agent in zip("xy", crew.agents, strict=False)
        )
        crew.turn()
        runs = [crew.run_of(one) for one in (first, second)]
        crew.end(runs[0], a="first\n")
        crew.end(runs[1], a="second\n")
        self.task = crew.now(second)
        with stage.ground.reader.snapshot() as view:
            every = missions.tasks_of(view, crew.id)
        [self.repair] = [one for one in every if one.purpose is Purpose.REPAIR]

    @property
    def chosen(self) -> Agent:
        given = self.repair.assignee_agent_id
        return next(one for one in self.crew.agents if one.id == given)

    def words(self, task: Task) -> list[str]:
        rows = self.crew.stage.ground.rows("comments")
        return [one["text"] for one in rows if one["task_id"] == task.id]


@pytest.mark.proves("A-27", "C-66")
def test_a_repair_whose_agent_was_paused_is_done_by_somebody_else_and_that_is_said(
    stage: Stage,
) -> None:
    here = Clashed(stage, agents=4)
    crew, chosen = here.crew, here.chosen
    pausing.pause(stage.desk, ASKED, chosen.id)
    crew.turn()
    run = crew.run_of(here.repair)
    others = {one.id for one in crew.agents} - {chosen.id, here.task.assignee_agent_id}
    assert run.agent_id in others, "and not by whoever did what is repaired"
    [said] = here.words(here.repair)
    assert said.startswith(f"{chosen.name} may not work now, so Worker")
    pausing.resume(stage.desk, ASKED, chosen.id)
    crew.turn()
    assert [one.agent_id for one in crew.live()] == [run.agent_id], "nobody does it twice"
    crew.end(run, a="both\n")
    assert {crew.now(one).status for one in (here.task, here.repair)} == {TaskStatus.DONE}


@pytest.mark.proves("A-27", "C-66")
def test_whoever_did_what_is_repaired_comes_last(stage: Stage) -> None:
    here = Clashed(stage)
    crew = here.crew
    for one in crew.agents:
        if one.id != here.task.assignee_agent_id:
            pausing.pause(stage.desk, ASKED, one.id)
    crew.look()
    assert crew.now(here.repair).assignee_agent_id == here.task.assignee_agent_id
    assert crew.waiting(here.repair), "nobody else is there"


@pytest.mark.proves("A-27", "C-66")
def test_a_debugger_goes_before_another_worker(stage: Stage) -> None:
    here = Clashed(stage, agents=4)
    debugger = stage.agent(here.crew.home, name="Dora", role=Role.DEBUGGER)
    pausing.pause(stage.desk, ASKED, here.chosen.id)
    here.crew.look()
    assert here.crew.now(here.repair).assignee_agent_id == debugger.id


@pytest.mark.proves("A-27")
def test_whom_a_person_named_stays_named(stage: Stage) -> None:
    here = Clashed(stage)
    crew = here.crew
    named = crew.agents[2]
    assert named.id != here.chosen.id
    desk_tasks.assign(stage.desk, ASKED, here.repair.id, named.id)
    pausing.pause(stage.desk, ASKED, named.id)
    crew.look()
    assert crew.now(here.repair).assignee_agent_id == named.id and not crew.waiting(here.repair)
    assert here.words(here.repair) == []


@pytest.mark.proves("A-14", "A-27")
def test_a_repair_may_write_whatever_its_task_may(stage: Stage) -> None:
    here = Clashed(stage)
    may = (*here.repair.write_area, *here.repair.expected_files)
    assert areas.strayed(["y.md", "y.txt", "a.txt", "else.txt"], may) == ("else.txt",)
