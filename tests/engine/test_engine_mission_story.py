"""A mission with its planner, from its first wave over a conflict and a failure to its delivery."""

import pytest
from engine_missions import Crew
from engine_stage import Stage
from mission_stage import offer

from roundtable_desktop.model.missions import MissionOutcome, MissionState
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DeliveryMode, ProposalStatus, TaskStatus
from roundtable_desktop.store import missions, retries


def repair_of(crew: Crew) -> Task:
    with crew.stage.ground.reader.snapshot() as view:
        known = missions.tasks_of(view, crew.id)
    [made] = [one for one in known if one.purpose is Purpose.REPAIR]
    return made


def by_itself(crew: Crew) -> None:
    with crew.stage.store.transaction() as tx:
        tx.write_sql("UPDATE missions SET delivery = ? WHERE id = ?", (DeliveryMode.AUTO, crew.id))


@pytest.mark.proves("A-26", "A-27", "A-29", "C-97 missions")
def test_two_that_clash_are_repaired_and_the_mission_is_delivered(stage: Stage) -> None:
    crew = Crew(stage, agents=3)
    by_itself(crew)
    crew.open()
    areas = {"One": ["b.txt"], "Two": ["c.txt"]}
    one, two = (
        crew.task(title, agent, write_area=area)
        for (title, area), agent in zip(areas.items(), crew.agents, strict=False)
    )
    crew.turn()
    first, second = crew.run_of(one), crew.run_of(two)
    crew.end(first, a="first\n")
    crew.end(second, a="second\n")  # outside of what it said that it would change
    assert crew.now(one).status is TaskStatus.DONE
    assert crew.now(two).status is TaskStatus.IN_REVIEW
    repair = repair_of(crew)
    assert repair.assignee_agent_id != crew.now(two).assignee_agent_id
    crew.turn()
    run = crew.run_of(repair)
    assert "<<<<<<<" in (stage.copy(run) / "a.txt").read_text()
    crew.end(run, a="both\n")
    crew.look()
    mission = crew.mission
    assert (mission.state, mission.outcome) == (MissionState.COMPLETED, MissionOutcome.COMPLETED)
    offer(stage)
    stage.deliver()
    assert stage.folders.shown("a.txt") == "both"
    assert stage.proposals(crew.root)[-1].status is ProposalStatus.DELIVERED


@pytest.mark.proves("A-27", "A-29", "A-26", "C-96")
@pytest.mark.parametrize("coordinated", [True, False])
def test_a_base_that_moved_is_taken_in_and_its_planner_has_it_settled(
    stage: Stage, coordinated: bool
) -> None:
    """Completed, active for the repair alone, and completed once more, all by itself."""
    crew = Crew(stage, agents=2, coordinated=coordinated)
    by_itself(crew)
    crew.open()
    if coordinated:
        crew.turn()
        crew.task("One", crew.agents[0], write_area=["a.txt"])
        stage.finish(crew.run_of(crew.root), result={"status": "completed"})
    else:
        crew.task("One", crew.agents[0], write_area=["a.txt"])
    crew.turn()
    [run] = crew.live()
    crew.end(run, a="mission\n")
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / "a.txt").write_text("user\n")
    user = stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    _until_over(crew)
    assert crew.mission.state is MissionState.COMPLETED
    offer(stage)
    stage.deliver()
    stage.deliver()
    assert crew.mission.state is MissionState.ACTIVE
    repair = repair_of(crew)
    crew.turn()
    run = crew.run_of(repair)
    assert "<<<<<<<" in (stage.copy(run) / "a.txt").read_text()
    assert [one.task_id for one in crew.live()] == [repair.id], "nobody else is woken for it"
    crew.end(run, a="both\n")
    _until_over(crew)
    mission = crew.mission
    assert (mission.state, mission.outcome) == (MissionState.COMPLETED, MissionOutcome.COMPLETED)
    offer(stage)
    stage.deliver()
    assert stage.folders.shown("a.txt") == "both"
    assert stage.folders.plain("merge-base", user, "main") == user
    assert crew.root.status is TaskStatus.DONE


def _until_over(crew: Crew) -> None:
    """Its coordinator, if it has one, hears that all below is over, and has nothing to add."""
    for _ in range(5):
        crew.turn()
        for run in crew.live():
            crew.stage.finish(run, result={"status": "completed"})


@pytest.mark.proves("A-30", "A-31", "C-96")
def test_a_retry_that_is_to_run_alone_waits_for_what_is_at_work(stage: Stage) -> None:
    crew = Crew(stage, agents=2)
    crew.open()
    one, two = (
        crew.task(title, agent, write_area=[f"{title}.txt"], retry_budget=9)
        for title, agent in zip(("b", "c"), crew.agents, strict=True)
    )
    crew.turn()
    other = crew.run_of(two)
    for _ in range(9):
        kept = _decided(crew, one)
        if kept and kept[-1].action == "retry_serial":
            break
        run = crew.run_of(one)
        crew.stage.finish(run, result={"status": "failed", "summary": "abcdefghij"[len(kept) :]})
        crew.turn()
    assert kept[-1].action == "retry_serial"
    assert crew.now(one).status is TaskStatus.TODO and crew.waiting(one) == []
    stage.clock.forward(seconds=60)  # its agent rests after so many failures
    crew.turn()
    assert [run.id for run in crew.live()] == [other.id]
    crew.end(other, c="c\n")
    crew.turn()
    assert crew.run_of(one).attempt_index == len(kept) + 1


def _decided(crew: Crew, task: Task) -> list[retries.Decided]:
    with crew.stage.ground.reader.snapshot() as view:
        return retries.of_task(view, task.id)
