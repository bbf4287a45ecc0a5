"""Work that does not fit its mission's branch is repaired, done anew, or brought to a person."""

import json
from pathlib import Path

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns
from mission_stage import OnMission

from roundtable_desktop.dashboard.api.explanations import explained
from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import agents, board, inbox
from roundtable_desktop.model.gates import Gate
from roundtable_desktop.model.merges import Decided
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import Adapter, ProposalStatus, Role, TaskStatus
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import gates, retries


def decided(stage: Stage, task: Task) -> list[Decided]:
    with stage.ground.reader.snapshot() as view:
        return retries.of_task(view, task.id)


def sentences(stage: Stage, task: Task) -> list[str]:
    now = stage.ground.get_task(task.id)
    with stage.ground.reader.snapshot() as view:
        why = explain.of_task(view, now, stage.clock.now())
    return [one.sentence for one in explained(why).gates]


def text(stage: Stage, run: Run) -> str:
    return (stage.copy(run) / "a.txt").read_text()


def gates_of(stage: Stage, task: Task) -> list[Gate]:
    with stage.ground.reader.snapshot() as view:
        return gates.of_task(view, task.id)


def clashing(here: OnMission) -> tuple[Task, Proposal]:
    """Two that began at the same commit and changed the same line; the second one's."""
    first, second = here.task("First"), here.task("Second", description="Say hello")
    begun = [here.begun(one) for one in (first, second)]
    here.worked(first, begun[0], a="first\n")
    here.stage.deliver()
    made = here.worked(second, begun[1], a="second\n")
    here.stage.deliver()
    return second, here.stage.proposals_of(made)


def repair_of(here: OnMission) -> Task:
    [made] = [one for one in here.all_tasks() if one.purpose is Purpose.REPAIR]
    return made


def again(here: OnMission, words: str) -> None:
    """Another task is merged, so that what is offered next does not fit either."""
    run = here.begun(here.task("Between"))
    here.worked(here.now(str(run.task_id)), run, a=words)
    here.stage.deliver()


@pytest.mark.proves("A-27", "C-66", "A-40")
def test_a_conflict_is_repaired_by_somebody_else_and_both_are_done(stage: Stage) -> None:
    here = OnMission(stage)
    other = stage.agent(here.home, name="Rita", role=Role.SPECIALIST)
    task, made = clashing(here)
    assert made.status is ProposalStatus.CONFLICTED
    assert here.now(task).status is TaskStatus.IN_REVIEW, "its work waits for the repair"
    assert here.shown("a.txt") == "first", "nothing of it was merged"
    assert "workspace.merge.conflicted" in stage.ground.kinds()
    repair = repair_of(here)
    assert (repair.about_task_id, repair.parent_id) == (task.id, here.mission.root_task_id)
    assert repair.assignee_agent_id == other.id and repair.status is TaskStatus.TODO
    [kept] = decided(stage, task)
    assert (kept.action, kept.change, kept.helper_task_id) == ("debug", "debugger", repair.id)
    assert kept.proposal_id == made.id and kept.evidence["paths"] == ["a.txt"]
    assert sentences(stage, task) == [
        f"Decision 1: T-{repair.number} was made to mend it. What it changed did not fit onto its"
        " branch any more."
    ]
    run = here.begun(repair)
    assert "Say hello" in run.assembled_prompt and "a.txt" in run.assembled_prompt
    marked = text(stage, run)
    assert "<<<<<<<" in marked and "first" in marked and "second" in marked
    here.worked(repair, run, a="both\n")
    stage.deliver()
    assert here.shown("a.txt") == "both"
    assert {here.now(one).status for one in (task, repair)} == {TaskStatus.DONE}


@pytest.mark.proves("A-27")
def test_without_anybody_else_its_agent_does_it_again_on_the_new_head(stage: Stage) -> None:
    here = OnMission(stage)
    task, _ = clashing(here)
    [kept] = decided(stage, task)
    assert (kept.action, kept.change, kept.cost) == ("retry", "context", 1)
    assert here.now(task).attempts_spent == 1
    assert stage.wakeup(task).idempotency_key == f"attempt:{task.id}:1"
    run = stage.launch()
    assert run.task_id == task.id and "git's conflict marks" in run.assembled_prompt
    assert "Roundtable" in run.assembled_prompt and "<<<<<<<" in text(stage, run)
    here.worked(task, run, a="both\n")
    stage.deliver()
    assert here.shown("a.txt") == "both" and here.now(task).status is TaskStatus.DONE
    found = [one.status for one in stage.proposals(task)]
    assert found == [ProposalStatus.CONFLICTED, ProposalStatus.MERGED]


@pytest.mark.proves("A-27", "A-30")
def test_a_second_conflict_is_tried_alone_and_the_budget_ends_it(stage: Stage) -> None:
    here = OnMission(stage)
    task, _ = clashing(here)
    run = stage.launch()
    again(here, "third\n")
    here.worked(task, run, a="second again\n")
    stage.deliver()
    assert [one.action for one in decided(stage, task)] == ["retry", "retry_serial"]
    assert here.now(task).status is TaskStatus.TODO, "its planner starts it, alone"
    with stage.ground.reader.snapshot() as view:
        assert retries.of_mission(view, here.id)[task.id].alone
    assert here.now(task).attempts_spent == 3, "the same costs two"
    run = here.begun(task)
    assert "third" in text(stage, run)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, attempts_spent=3)
    again(here, "fourth\n")
    here.worked(task, run, a="second still\n")
    stage.deliver()
    assert decided(stage, task)[-1].action == "block"
    now = here.now(task)
    assert now.status is TaskStatus.BLOCKED and here.shown("a.txt") == "fourth"
    [item] = [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"]
    assert item["kind"] == "blocked"
    assert "a.txt" in sentence("inbox_merge_conflict", json.loads(item["data"]))
    inbox.act(stage.desk, ASKED, item["id"], "retry", "Theirs counts")
    run = stage.launch()
    assert "Theirs counts" in run.assembled_prompt and "fourth" in text(stage, run)
    here.worked(task, run, a="settled\n")
    stage.deliver()
    assert here.shown("a.txt") == "settled" and here.now(task).status is TaskStatus.DONE


@pytest.mark.proves("A-27")
def test_the_repair_of_what_text_does_not_settle_is_reviewed_before_it_is_merged(
    stage: Stage,
) -> None:
    here = OnMission(stage)
    stage.agent(here.home, name="Rita", role=Role.WORKER)
    more = {"name": "Rex", "role": Role.REVIEWER, "command": ["rex"]}
    judge = agents.add(stage.desk, ASKED, here.home.id, adapter=Adapter.ACP, **more)
    clashing(here)
    repair = repair_of(here)
    for words in ("third\n", "fourth\n"):
        assert gates_of(stage, repair) == [], "text may settle it yet"
        run = here.begun(repair)
        again(here, words)
        here.worked(repair, run, a=f"not {words}")
        stage.deliver()
    [gate] = gates_of(stage, repair)
    assert (gate.kind, gate.status) == ("review", "waiting")
    made = here.worked(repair, stage.launch(), a="settled\n")
    stage.deliver()
    [gate] = gates_of(stage, repair)
    assert (gate.status, gate.agents) == ("asked", (judge.id,)) and gate.proposal_id == made.id
    assert here.shown("a.txt") == "fourth" and here.now(repair).status is TaskStatus.IN_REVIEW
    stage.ask_deliver(stage.proposals_of(made), override=True, note="I looked at it myself")
    stage.deliver()
    assert here.shown("a.txt") == "settled" and here.now(repair).status is TaskStatus.DONE


@pytest.mark.proves("A-27", "A-37")
@pytest.mark.parametrize("end", ["cancelled", "without a change"])
def test_a_task_whose_repair_does_not_come_needs_somebody(stage: Stage, end: str) -> None:
    here = OnMission(stage)
    stage.agent(here.home, name="Rita", role=Role.WORKER)
    task, _ = clashing(here)
    repair = repair_of(here)
    if end == "cancelled":
        board.move(stage.desk, ASKED, repair.id, TaskStatus.CANCELLED)
    else:
        run = here.begun(repair)
        (stage.copy(run) / "a.txt").write_text("first\n")
        stage.finish(run, result={"status": "completed"})
        assert here.now(repair).status is TaskStatus.DONE
    now = here.now(task)
    assert now.status is TaskStatus.BLOCKED and now.blocked is not None
    assert now.blocked["kind"] == "repair_lost"
    with stage.ground.reader.snapshot() as view:
        why = explained(explain.of_task(view, now, stage.clock.now()))
    assert f"T-{repair.number}" in why.sentence


@pytest.mark.proves("A-27")
def test_a_conflict_of_a_loose_task_still_asks_a_person(stage: Stage) -> None:
    here = OnMission(stage)
    task = stage.task(here.home, here.worker, delivery="auto")
    run = stage.launch()
    stage.folders.plain("checkout", "-q", "main")
    Path(stage.folders.repo, "a.txt").write_text("mine\n")
    stage.folders.commit()
    here.worked(task, run, a="theirs\n")
    stage.deliver()
    assert here.now(task).status is TaskStatus.IN_REVIEW and decided(stage, task) == []
    [item] = stage.ground.rows("inbox_items")
    assert item["kind"] == "delivery_blocked"
