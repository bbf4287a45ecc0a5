"""A mission whose agents may not work stands still, says so, and goes on when they may again."""

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import budgets, pausing
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.records import SYSTEM, Subject
from roundtable_desktop.model.states import AgentStatus, TaskStatus
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import agents
from roundtable_desktop.store import budgets as budget_rows
from roundtable_desktop.store import inbox as items

DONE = {"status": "completed"}
NEEDS = {"status": "blocked", "blocked": {"owner": "user", "action": "Say which colour"}}


@pytest.mark.proves("C-10", "A-37")
def test_a_mission_whose_agents_were_all_paused_goes_on_by_itself_when_one_is_resumed(
    stage: Stage,
) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    task = crew.task("Paint it", agent=crew.agents[0])
    stage.finish(crew.run_of(crew.root), result=DONE)
    for agent in (crew.chair, *crew.agents):
        assert agent is not None
        pausing.pause(stage.desk, ASKED, agent.id)
    crew.look()
    assert crew.mission.state is MissionState.BLOCKED and crew.root.status is TaskStatus.BLOCKED
    crew.restart()
    crew.look()
    pausing.resume(stage.desk, ASKED, crew.agents[1].id)
    crew.look()
    assert crew.mission.state is MissionState.BLOCKED, "it is another one's"
    pausing.resume(stage.desk, ASKED, crew.agents[0].id)
    crew.turn()
    mission = crew.mission
    assert (mission.state, mission.report, mission.reason) == (MissionState.ACTIVE, None, None)
    assert crew.root.status is TaskStatus.IN_PROGRESS and mission.ended_at is None
    with stage.store.transaction() as tx:
        assert items.open_about(tx, Subject("mission", crew.id)) == []
    crew.turn()
    crew.end(crew.run_of(task))
    assert crew.now(task).status is TaskStatus.DONE


@pytest.mark.proves("C-10", "A-37", "W-37")
def test_what_a_paused_coordinator_is_to_hear_waits_at_the_end_and_is_said(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    task = crew.task("Paint it", agent=crew.agents[0])
    stage.finish(crew.run_of(crew.root), result=DONE)
    crew.turn()
    assert crew.chair is not None
    pausing.pause(stage.desk, ASKED, crew.chair.id)
    crew.end(crew.run_of(task))
    for _ in range(3):
        crew.turn()
    mission = crew.mission
    assert (mission.state, mission.reason) == (MissionState.BLOCKED, "coordinator_paused")
    with stage.store.transaction() as tx:
        (item,) = items.open_about(tx, Subject("mission", crew.id))
    said = sentence(item.code, item.data)
    assert "its coordinator Chair may not work" in said and "{" not in said
    crew.restart()
    crew.turn()
    assert crew.mission.state is MissionState.BLOCKED
    pausing.resume(stage.desk, ASKED, crew.chair.id)
    assert crew.mission.state is MissionState.ACTIVE
    crew.turn()
    run = crew.run_of(crew.root)
    assert "T-2" in (run.assembled_prompt or ""), "it hears what is done"
    stage.finish(run, result=DONE)
    crew.look()
    assert crew.mission.state is MissionState.COMPLETED


@pytest.mark.proves("W-37")
def test_nobody_waits_for_what_a_retired_coordinator_did_not_hear(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    task = crew.task("Paint it", agent=crew.agents[0])
    stage.finish(crew.run_of(crew.root), result=DONE)
    crew.turn()
    assert crew.chair is not None
    pausing.pause(stage.desk, ASKED, crew.chair.id)
    crew.end(crew.run_of(task))
    for _ in range(3):
        crew.turn()
    assert crew.mission.state is MissionState.BLOCKED
    with stage.store.transaction() as tx:  # as the repository's file does that names it no more
        chair = agents.get(tx, crew.chair.id)
        assert chair is not None
        agents.move(tx, chair, AgentStatus.RETIRED, ASKED.actor, paused_reason=None)
    crew.look()
    assert crew.mission.state is MissionState.ACTIVE
    crew.look()
    assert crew.mission.state is MissionState.COMPLETED


@pytest.mark.proves("C-10", "A-37")
def test_a_mission_that_nobody_could_do_goes_on_when_somebody_comes(stage: Stage) -> None:
    crew = Crew(stage, agents=0)
    crew.open()
    task = crew.task("Paint it")
    crew.look()
    assert crew.mission.state is MissionState.BLOCKED
    crew.agents.append(stage.agent(crew.home, name="New"))
    crew.turn()
    crew.turn()
    assert crew.mission.state is MissionState.ACTIVE
    assert crew.run_of(task).agent_id == crew.agents[0].id


@pytest.mark.proves("A-37")
def test_what_a_person_is_to_decide_is_not_decided_by_resuming_an_agent(stage: Stage) -> None:
    crew = Crew(stage)
    crew.open()
    task = crew.task("Paint it", agent=crew.agents[0])
    crew.turn()
    pausing.pause(stage.desk, ASKED, crew.agents[1].id)
    stage.finish(crew.run_of(task), result=NEEDS)
    crew.look()
    assert crew.mission.state is MissionState.BLOCKED
    pausing.resume(stage.desk, ASKED, crew.agents[1].id)
    crew.turn()
    assert crew.mission.state is MissionState.BLOCKED


@pytest.mark.proves("C-81", "W-37")
def test_a_coordinator_that_a_budget_paused_hears_what_it_is_to_hear(stage: Stage) -> None:
    """Also when its wake is looked at before its mission is."""
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    task = crew.task("Paint it", agent=crew.agents[0])
    stage.finish(crew.run_of(crew.root), result=DONE)
    crew.turn()
    assert crew.chair is not None
    spent = {"scope": "agent", "scope_id": crew.chair.id, "action_on_exceed": "pause_agent"}
    most = {"meter": "tokens", "period": "day", "most": 10}
    budget = budgets.add(stage.desk, ASKED, crew.home.id, **spent, **most)
    with stage.store.transaction() as tx:
        chair = agents.get(tx, crew.chair.id)
        assert chair is not None
        agents.move(tx, chair, AgentStatus.PAUSED, SYSTEM, paused_reason="budget")
        budget_rows.pause(tx, budget.id, chair.id)
    crew.end(crew.run_of(task))
    for _ in range(3):
        crew.turn()
    assert crew.mission.reason == "coordinator_paused"
    budgets.edit(stage.desk, ASKED, budget.id, enabled=False)
    while stage.step():
        pass
    stage.play()
    run = crew.run_of(crew.root)
    assert "T-2" in (run.assembled_prompt or ""), "it hears what is done"
    stage.finish(run, result=DONE)
    crew.look()
    crew.look()
    assert crew.mission.state is MissionState.COMPLETED
