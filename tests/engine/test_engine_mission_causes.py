"""What wakes a task of a mission, what does not, and what else its mission waits for (C-96)."""

from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage
from ground import set_columns

from roundtable_desktop.engine import explain
from roundtable_desktop.engine import missions as looks
from roundtable_desktop.engine.desk import agents as desk_agents
from roundtable_desktop.engine.desk import board, losses, missions_control
from roundtable_desktop.engine.desk import settings as desk_settings
from roundtable_desktop.engine.desk import tasks as desk_tasks
from roundtable_desktop.engine.sweeps import Sweep
from roundtable_desktop.model.convergence import ConvergedBy
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import MissionState, Phase
from roundtable_desktop.model.resources import Gauge
from roundtable_desktop.model.run_actions import RunAction
from roundtable_desktop.model.states import Adapter, Role, TaskStatus
from roundtable_desktop.phrases import SENTENCES
from roundtable_desktop.store import turns, wakeups


@pytest.fixture
def crew(stage: Stage) -> Crew:
    made = Crew(stage)
    made.open()
    return made


def hold_back(crew: Crew) -> None:
    """Nobody looks: what is woken now is woken by something else than a wave."""
    missions_control.on(crew.stage.desk, ASKED, crew.id, RunAction.PAUSE)


@pytest.mark.proves("C-96", "A-10")
def test_no_move_no_end_of_a_blocker_and_no_dropped_edge_wakes_it(crew: Crew) -> None:
    first, second = crew.agents
    one = crew.task("One", first)
    other = crew.task("Other", second, depends_on=[Edge(depends_on_task_id=one.id)])
    hold_back(crew)
    desk = crew.stage.desk
    board.move(desk, ASKED, one.id, TaskStatus.IN_PROGRESS)
    board.move(desk, ASKED, one.id, TaskStatus.TODO)
    desk_tasks.change(desk, ASKED, other.id, depends_on=[])
    desk_tasks.change(desk, ASKED, other.id, depends_on=[Edge(depends_on_task_id=one.id)])
    board.move(desk, ASKED, one.id, TaskStatus.IN_PROGRESS)
    board.move(desk, ASKED, one.id, TaskStatus.DONE)
    board.move(desk, ASKED, other.id, TaskStatus.CANCELLED)
    anew = losses.restore(desk, ASKED, other.id)
    assert anew.mission_id == crew.id and crew.wakes() == []


@pytest.mark.proves("C-96", "K-36")
def test_the_sweep_makes_up_for_the_root_alone(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    sweep = Sweep(stage.store, stage.ground.reader, stage.clock, stage.ids)
    sweep.look()
    assert crew.wakes() == [], "it has no branch yet"
    crew.open()
    crew.turn()
    crew.end(crew.run_of(crew.root), status="blocked")
    task = crew.task("Do it", crew.agents[0])
    hold_back(crew)
    stage.clock.forward(seconds=40)
    sweep.look()
    assert [one for one in crew.wakes() if one[0] == task.id] == []


@pytest.mark.proves("C-96")
def test_a_wake_that_no_wave_made_begins_nothing(crew: Crew) -> None:
    agent = crew.agents[0]
    task = crew.task("Do it", agent)
    other = crew.stage.ground.wakeup(agent, task, key="by another door")
    assert crew.stage.step()
    settled = crew.stage.ground.get_wakeup(other.id)
    assert (settled.status, settled.cancel_reason) == ("cancelled", "not_planned")
    crew.turn()
    assert crew.run_of(task), "its wave comes all the same"


@pytest.mark.proves("C-96", "N-03")
def test_it_can_say_that_its_mission_begins_it(crew: Crew) -> None:
    task = crew.task("Do it")
    planned, first = crew.now(task), crew.root
    with crew.stage.store.transaction() as tx:
        told = explain.of_task(tx, planned, tx.now)
        root = explain.of_task(tx, first, tx.now)
    assert told.code == "task_planned" and told.code in SENTENCES
    assert root.code == "task_unassigned"
    for action, code in (
        (RunAction.PAUSE, "task_mission_paused"),
        (RunAction.RESUME, "task_planned"),
        (RunAction.STOP, "task_mission_over"),
    ):
        missions_control.on(crew.stage.desk, ASKED, crew.id, action)
        with crew.stage.store.transaction() as tx:
            assert explain.of_task(tx, planned, tx.now).code == code and code in SENTENCES


@pytest.mark.proves("C-96", "C-53")
def test_a_person_may_begin_it(crew: Crew) -> None:
    task = crew.task("Do it", crew.agents[0])
    hold_back(crew)
    missions_control.on(crew.stage.desk, ASKED, crew.id, RunAction.RESUME)
    desk_tasks.run(crew.stage.desk, ASKED, task.id)
    crew.turn()
    assert crew.run_of(task) and crew.waves() == []


@pytest.mark.proves("C-96", "K-06")
def test_what_was_begun_goes_on_when_its_subtasks_are_over(crew: Crew) -> None:
    above = crew.task("Above", crew.agents[0], write_area=["a/"])
    crew.turn()
    below = crew.task("Below", crew.agents[1], write_area=["b/"], parent_id=above.id)
    crew.end(crew.run_of(above))
    assert crew.now(above).status is TaskStatus.IN_PROGRESS
    crew.turn()
    assert [run.task_id for run in crew.live()] == [below.id]
    crew.end(crew.run_of(below))
    crew.turn()
    assert crew.wakes()[-1] == (above.id, "children_completed")
    crew.end(crew.run_of(above))
    crew.look()
    assert crew.mission.state is MissionState.COMPLETED


@pytest.mark.proves("C-54", "R-15")
def test_a_turn_that_was_asked_for_keeps_it_active(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    crew.open()
    crew.turn()
    run = crew.run_of(crew.root)
    with stage.store.transaction() as tx:
        scope: dict[str, Any] = {"scope": crew.id, "mission_id": crew.id, "reason": "integrate"}
        turns.request(tx, run, id=stage.ids.new(), **scope)
        thought = looks.think(tx, crew.id, tx.now, Gauge())
    assert thought is not None and thought.found is not None
    assert thought.found.reason is ConvergedBy.PENDING_AGENT_TURN


@pytest.mark.proves("A-28", "A-09", "W-37")
def test_merged_work_is_looked_at_before_it_is_over(crew: Crew) -> None:
    stage = crew.stage
    words: Any = {"name": "Rita", "role": Role.REVIEWER, "command": ["true"], "cooldown_sec": 0}
    reviewer = desk_agents.add(stage.desk, ASKED, crew.home.id, adapter=Adapter.ACP, **words)
    desk_settings.change_in(stage.desk, ASKED, crew.home.id, {"mission_review": "always"})
    task = crew.task("Do it")
    crew.turn()
    crew.end(crew.run_of(task), a="1")
    crew.look()
    assert crew.mission.state is MissionState.ACTIVE
    crew.look()
    assert crew.mission.phase is Phase.REVIEWING_WAVE
    crew.turn()
    assert [run.agent_id for run in crew.live()] == [reviewer.id]


@pytest.mark.proves("A-33")
def test_what_other_missions_of_the_workspace_do_counts(stage: Stage) -> None:
    crew = Crew(stage, agents=4)
    crew.open()
    desk_settings.change_in(stage.desk, ASKED, crew.home.id, {"mission_max_parallel": 2})
    for number in range(3):
        crew.task(f"T{number}", write_area=[f"d{number}/"])
    crew.turn()
    assert len(crew.live()) == 2
    crew.id = crew.begin("Another").id
    crew.open()
    other = crew.task("Elsewhere")
    crew.turn()
    assert crew.waiting(other) == [] and len(crew.live()) == 2
    crew.end(crew.live()[0])
    crew.turn()
    assert len(crew.live()) == 2


@pytest.mark.proves("A-32")
def test_a_run_uses_the_model_that_its_wave_says(crew: Crew) -> None:
    agent = crew.agents[0]
    with crew.stage.store.transaction() as tx:
        set_columns(tx, "agents", agent.id, model="small")
    policy = {"kind": "scheduler_forced", "models": ["large"]}
    forced = crew.task("Forced", agent, model_policy=policy)
    crew.turn()
    run = crew.run_of(forced)
    assert (run.model, str(run.model_from)) == ("large", "task")
    crew.end(run)
    plain = crew.task("Plain", agent)
    crew.turn()
    run = crew.run_of(plain)
    assert (run.model, str(run.model_from)) == ("small", "agent")


@pytest.mark.proves("W-35")
def test_the_order_of_a_look_is_data_and_its_actor_is_who_it_is(crew: Crew) -> None:
    named = [one.__name__ for one in looks.DECISIONS]
    assert named == ["recover", "review", "dispatch", "end_waves", "wait", "settle"]
    task = crew.task("Do it")
    crew.look()
    (told,) = [one for one in crew.stage.ground.events() if one.kind == "task.assigned"]
    assert (told.actor_type, told.subject_id) == ("system", task.id)
    with crew.stage.store.transaction() as tx:
        assert wakeups.waiting_for_task(tx, task.id)[0].reason == "wave"
