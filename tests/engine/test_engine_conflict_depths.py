"""A conflict of more than lines: who looks at its repair, and whom it is brought to."""

import pytest
from engine_stage import ASKED, Stage
from mission_stage import OnMission
from test_engine_conflicts import clashing, decided, repair_of, sentences
from user_commits import Moved

from roundtable_desktop.engine import conflicts
from roundtable_desktop.engine.desk import agents, requirements
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.gates import Gate
from roundtable_desktop.model.records import Agent, Run, Task, Wakeup
from roundtable_desktop.model.states import Adapter, Role, TaskStatus
from roundtable_desktop.store import gates, retries


def brought(stage: Stage) -> list[Wakeup]:
    rows = stage.ground.rows("agent_wakeup_requests")
    found = [stage.ground.get_wakeup(row["id"]) for row in rows]
    return [one for one in found if one.reason == "escalated"]


def gates_of(stage: Stage, task: Task) -> list[Gate]:
    with stage.ground.reader.snapshot() as view:
        return gates.of_task(view, task.id)


def binary(here: OnMission) -> Task:
    """Both changed what is no text."""
    first, second = here.task("First"), here.task("Second")
    begun = [here.begun(one) for one in (first, second)]
    for task, run, byte in ((first, begun[0], 1), (second, begun[1], 2)):
        (here.stage.copy(run) / "logo.bin").write_bytes(bytes([0, byte, 0]) * 50)
        here.worked(task, run)
        here.stage.deliver()
    return second


def with_reviewer(here: OnMission) -> Agent:
    desk, more = here.stage.desk, {"role": Role.REVIEWER, "cooldown_sec": 0}
    return agents.add(
        desk, ASKED, here.home.id, name="Rosa", adapter=Adapter.ACP, command=["true"], **more
    )


@pytest.mark.proves("A-27")
def test_a_repair_of_what_no_lines_can_settle_is_looked_at_before_it_is_merged(
    stage: Stage,
) -> None:
    here = OnMission(stage)
    stage.agent(here.home, name="Rita", role=Role.WORKER)
    rosa = with_reviewer(here)
    task = binary(here)
    repair = repair_of(here)
    assert decided(stage, task)[0].evidence["conflict"] == "semantic"
    (gate,) = gates_of(stage, repair)
    assert (gate.kind, gate.needed) == ("review", 1)
    run = here.begun(repair)
    (stage.copy(run) / "logo.bin").write_bytes(b"both")
    here.worked(repair, run)
    stage.deliver()
    assert here.now(repair).status is TaskStatus.IN_REVIEW and here.now(task).status == "in_review"
    looks = stage.launch()
    assert looks.agent_id == rosa.id
    vote(stage, looks)
    stage.finish(looks, result={"status": "completed"})
    stage.deliver()
    assert {here.now(one).status for one in (task, repair)} == {TaskStatus.DONE}


def vote(stage: Stage, run: Run) -> None:
    about = {"task_id": None, "workspace_id": run.workspace_id}
    holder = Holder(run_id=run.id, agent_id=run.agent_id, **about)
    Agency(stage.desk, stage.ground.reader).vote(holder, "approve", "", [], "k")


@pytest.mark.proves("A-27")
def test_a_repair_of_mere_lines_is_merged_as_it_is(stage: Stage) -> None:
    here = OnMission(stage)
    stage.agent(here.home, name="Rita", role=Role.WORKER)
    with_reviewer(here)
    task, _ = clashing(here)
    assert decided(stage, task)[0].evidence["conflict"] == "trivial"
    assert gates_of(stage, repair_of(here)) == []


@pytest.mark.proves("A-27")
def test_what_nobody_can_look_at_is_merged_as_any_other_repair(stage: Stage) -> None:
    here = OnMission(stage)
    stage.agent(here.home, name="Rita", role=Role.WORKER)
    task = binary(here)
    assert decided(stage, task)[0].evidence["conflict"] == "semantic"
    assert gates_of(stage, repair_of(here)) == []


@pytest.mark.proves("A-27", "A-34", "A-37")
@pytest.mark.parametrize("role", [Role.ARCHITECT, None])
def test_what_no_repair_settles_is_brought_to_who_knows_the_design(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, role: Role | None
) -> None:
    here = OnMission(stage)
    if role is not None:
        stage.agent(here.home, name="Archie", role=role)
    monkeypatch.setattr(retries, "conflicts_of", lambda *_: 3)
    task, _ = clashing(here)
    assert here.now(task).status is TaskStatus.BLOCKED
    (kept,) = decided(stage, task)
    assert (kept.action, kept.reason) == ("block", "conflict_again")
    assert kept.evidence["trigger"] == "architecture"
    (woken,) = brought(stage)
    roles = {row["id"]: row["role"] for row in stage.ground.rows("agents")}
    assert roles[woken.agent_id] == (role or Role.COORDINATOR)
    assert woken.payload["trigger"] == "architecture" and "(a.txt)" in str(woken.payload["error"])
    (item,) = stage.ground.rows("inbox_items")
    assert item["kind"] == "blocked"


@pytest.mark.proves("A-27", "A-23")
def test_a_conflict_of_what_is_asked_otherwise_by_now_is_nobodys_to_repair(stage: Stage) -> None:
    here = OnMission(stage)
    stage.agent(here.home, name="Rita", role=Role.WORKER)
    first, second = here.task("First"), here.task("Second")
    begun = [here.begun(one) for one in (first, second)]
    requirements.require(stage.desk, ASKED, here.id, "In blue.", [second.id])
    for task, run, words in ((first, begun[0], "first\n"), (second, begun[1], "second\n")):
        here.worked(task, run, a=words)
        stage.deliver()
    assert here.now(first).status is TaskStatus.DONE
    assert here.now(second).status is TaskStatus.BLOCKED
    assert sentences(stage, second) == [
        "Decision 1: somebody has to say how it goes on. What is asked for was changed meanwhile,"
        " and what that means is not said yet."
    ]
    (woken,) = brought(stage)
    assert (woken.agent_id, woken.payload["trigger"]) == (here.coordinator.id, "product_choice")


@pytest.mark.proves("A-14", "A-27")
def test_a_repair_of_more_than_it_is_bound_to_may_write_anywhere(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conflicts, "FILES", 1)
    here = Moved(stage)
    tasks = [here.task(name) for name in ("One", "Two")]
    runs = [here.begun(one) for one in tasks]
    here.worked(tasks[0], runs[0], a="one\n")
    stage.deliver()
    here.worked(tasks[1], runs[1], a="two\n", b="two\n")
    stage.deliver()
    [repair] = here.repairs()
    assert (repair.write_area, repair.expected_files) == ((), ())
