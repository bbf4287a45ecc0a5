"""What a pause, a cancel or a switched-off trigger means for what a routine has set off already."""

import pytest
from engine_stage import ASKED, Stage
from routine_stage import Routines

from roundtable_desktop.engine.desk import control, pausing, tasks
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.routines import Template
from roundtable_desktop.model.states import (
    ConcurrencyPolicy,
    FiringStatus,
    RoutineStatus,
    TriggerKind,
)

PLAIN = Template("Look", "Around.")


@pytest.fixture
def routines(stage: Stage) -> Routines:
    return Routines(stage)


@pytest.mark.proves("C-22")
@pytest.mark.parametrize("template", [None, PLAIN], ids=["light", "heavy"])
@pytest.mark.parametrize("to", [RoutineStatus.PAUSED, RoutineStatus.ARCHIVED])
def test_what_a_routine_set_off_and_nobody_began_does_not_start_after_its_pause(
    routines: Routines, template: Template | None, to: RoutineStatus
) -> None:
    routine = routines.add(template=template)
    routines.pass_time(minutes=5)
    routines.edit(routine, status=to)
    assert routines.start() is None
    (firing,) = routines.firings(routine)
    wakeup = routines.wakeup_of(firing)
    assert firing.status is FiringStatus.CANCELLED
    assert (wakeup.status, wakeup.cancel_reason) == ("cancelled", f"routine_{to}")
    made = [row["status"] for row in routines.stage.ground.rows("tasks")]
    assert made == ([] if template is None else ["cancelled"])


@pytest.mark.proves("C-22")
def test_a_task_that_was_begun_or_that_a_person_wants_goes_on_under_the_pause(
    routines: Routines,
) -> None:
    routine = routines.add(template=PLAIN, concurrency_policy=ConcurrencyPolicy.ALWAYS_ENQUEUE)
    stage = routines.stage
    routines.pass_time(minutes=5)
    begun = routines.work()
    routines.pass_time(minutes=5)
    wanted = stage.ground.rows("tasks")[-1]["id"]
    routines.edit(routine, status=RoutineStatus.PAUSED)
    tasks.run(stage.desk, ASKED, wanted)
    stage.finish(begun, code=-9, why="crashed")
    stage.clock.forward(hours=1)
    assert {routines.work().task_id, routines.work().task_id} == {begun.task_id, wanted}


@pytest.mark.proves("C-22")
@pytest.mark.parametrize("word", ["assigned", "commented", "both"])
def test_a_person_who_took_up_the_task_meanwhile_keeps_it_under_the_pause(
    routines: Routines, word: str
) -> None:
    routine, stage = routines.add(template=PLAIN), routines.stage
    routines.pass_time(minutes=5)
    made = stage.ground.rows("tasks")[-1]["id"]
    routines.edit(routine, status=RoutineStatus.PAUSED)
    agent = routines.agent
    if word != "commented":
        agent = stage.agent(routines.workspace, name="Ben")
        tasks.assign(stage.desk, ASKED, made, agent.id)
    if word != "assigned":
        tasks.comment(stage.desk, ASKED, made, "Please do look.")
    run = routines.work()
    assert (run.task_id, run.agent_id) == (made, agent.id)


@pytest.mark.proves("C-22", "C-10")
def test_a_pause_of_its_agent_in_between_lets_it_start_no_more_than_before(
    routines: Routines,
) -> None:
    routine, stage = routines.add(template=PLAIN), routines.stage
    routines.pass_time(minutes=5)
    pausing.pause(stage.desk, ASKED, routines.agent.id)
    assert routines.start() is None
    routines.edit(routine, status=RoutineStatus.PAUSED)
    pausing.resume(stage.desk, ASKED, routines.agent.id)
    assert routines.start() is None
    assert [row["status"] for row in stage.ground.rows("tasks")] == ["cancelled"]


@pytest.mark.proves("C-09")
def test_a_run_now_outlives_the_run_that_it_was_merged_into(routines: Routines) -> None:
    routine = routines.add()
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.pass_time(minutes=5)
    asked = routines.fire(routine)
    assert asked.status is FiringStatus.COALESCED
    routines.stage.finish(run, why="cancelled", code=None)
    after = routines.work()
    (cause,) = after.causes()
    assert cause["payload"]["firing_id"] == asked.id  # type: ignore[index, call-overload]
    assert routines.stage.ground.get_wakeup(after.wakeup_id).rank == 0


@pytest.mark.proves("C-09")
def test_what_time_alone_merged_goes_with_the_run_that_a_person_ended(routines: Routines) -> None:
    routines.add()
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.pass_time(minutes=5)
    routines.stage.finish(run, why="cancelled", code=None)
    assert routines.start() is None


@pytest.mark.proves("C-69")
def test_a_manual_trigger_that_is_switched_off_lets_nobody_run_it(routines: Routines) -> None:
    off = Wanted(TriggerKind.MANUAL, enabled=False)
    routine = routines.add(None, triggers=[off])
    with pytest.raises(Conflict) as refused:
        routines.fire(routine)
    assert refused.value.code == "routine_not_by_hand" and routines.firings(routine) == []
    (manual,) = routines.triggers(routine)
    routines.edit(routine, triggers=[Wanted(id=manual.id, enabled=True)])
    assert routines.fire(routine).status is FiringStatus.RECEIVED


@pytest.mark.proves("C-10", "C-15")
def test_what_an_agents_pause_kept_starts_step_by_step_and_a_persons_word_at_once(
    routines: Routines,
) -> None:
    stage = routines.stage
    routines.add(concurrency_policy=ConcurrencyPolicy.ALWAYS_ENQUEUE)
    pausing.pause(stage.desk, ASKED, routines.agent.id)
    for _ in range(5):
        routines.pass_time(minutes=5)
    stage.wake(routines.agent, "look")
    while stage.step():
        pass
    pausing.resume(stage.desk, ASKED, routines.agent.id)
    started = []
    for _ in range(4):
        count = 0
        while routines.start() is not None:
            count += 1
        started.append(count)
        stage.clock.forward(seconds=3.1)
    assert started == [3, 2, 1, 0]


@pytest.mark.proves("B-076", "C-22")
def test_after_a_pause_of_everything_agents_begin_one_after_the_other(stage: Stage) -> None:
    workspace = stage.workspace()
    for number in range(5):
        stage.wake(stage.agent(workspace, name=f"A{number}"))
    control.pause(stage.desk, ASKED)
    assert not stage.step()
    control.resume(stage.desk, ASKED)
    started = []
    for _ in range(5):
        begun = len(stage.ground.runs())
        while stage.step():
            pass
        started.append(len(stage.ground.runs()) - begun)
        turn = stage.dispatcher.next_turn
        stage.clock.forward(seconds=1.1)
        assert (turn is None) == (sum(started) == 5 and started[-1] == 0)
    assert started == [2, 1, 1, 1, 0]
    for number in range(3):
        stage.wake(stage.agent(workspace, name=f"B{number}"))
    while stage.step():
        pass
    assert len(stage.ground.runs()) == 8, "what comes later comes at once"


@pytest.mark.proves("K-19", "C-16")
def test_a_heavy_task_that_waits_for_its_subtasks_is_at_work_while_they_are(
    routines: Routines,
) -> None:
    routine, stage = routines.add(template=PLAIN), routines.stage
    routines.pass_time(minutes=5)
    run = routines.work()
    assert run.task_id is not None
    below = stage.task(routines.workspace, routines.agent, title="Part", parent_id=run.task_id)
    routines.finish(run)
    assert stage.ground.get_task(run.task_id).status == "in_progress"
    routines.pass_time(minutes=5)
    assert routines.states(routine) == ["task_created", "coalesced"]
    part = routines.work()
    assert part.task_id == below.id
    routines.pass_time(minutes=5)
    routines.finish(part, "blocked", blocked={"owner": "user", "action": "Choose."})
    routines.pass_time(minutes=5)
    states = ["task_created", "coalesced", "coalesced", "task_created"]
    assert routines.states(routine) == states, "what stands still for a person holds nothing up"
