"""What a mission's task cannot settle is brought to who can, and a person hears of it always."""

import json
from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage
from ground import set_columns
from test_engine_conflicts import decided

from roundtable_desktop.engine import escalating
from roundtable_desktop.engine.desk import pausing
from roundtable_desktop.model.attempts import Trigger
from roundtable_desktop.model.ports import LaunchFailed
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import AgentStatus, ErrorKind, Role, TaskStatus
from roundtable_desktop.phrases import SENTENCES

STUCK = {"status": "blocked", "blocked": {"owner": "user", "action": "Say which colour"}}
FAILED: dict[str, Any] = {"result": {"status": "failed", "summary": "It does not build."}}


def led(stage: Stage) -> Crew:
    """With a coordinator, whose own turn about the goal is over."""
    crew = Crew(stage, agents=1, coordinated=True)
    crew.open()
    crew.task("Do it", retry_budget=0)
    crew.turn()
    assert crew.chair is not None
    return crew


def brought(crew: Crew) -> list[Wakeup]:
    rows = crew.stage.ground.rows("agent_wakeup_requests")
    found = [crew.stage.ground.get_wakeup(one["id"]) for one in rows]
    return [one for one in found if one.reason == "escalated"]


def items(crew: Crew) -> list[dict[str, Any]]:
    return [one for one in crew.stage.ground.rows("inbox_items") if one["status"] == "open"]


def work_of(crew: Crew) -> Any:
    return next(one for one in crew.live() if one.agent_id == crew.agents[0].id)


@pytest.mark.proves("A-34", "C-29", "C-66")
def test_a_failure_that_repeats_is_brought_to_the_coordinator_and_a_person(stage: Stage) -> None:
    crew = led(stage)
    run = work_of(crew)
    stage.finish(run, **FAILED)
    (woken,) = brought(crew)
    assert crew.chair is not None and woken.agent_id == crew.chair.id
    assert (woken.payload["trigger"], woken.payload["run_id"]) == ("repeated_failure", run.id)
    assert "It does not build." in str(woken.payload["error"])
    assert len(items(crew)) == 1


@pytest.mark.proves("A-34", "C-29")
def test_a_question_of_what_is_wanted_is_brought_to_the_coordinator_and_a_person(
    stage: Stage,
) -> None:
    crew = led(stage)
    stage.finish(work_of(crew), result=STUCK)
    (woken,) = brought(crew)
    assert (woken.payload["trigger"], woken.payload["error"]) == (
        "product_choice",
        "Say which colour",
    )
    (item,) = items(crew)
    assert item["kind"] == "blocked" and item["severity"] == "attention"


CAUSES = {
    "interface": ("architecture", "interface_mismatch", Role.ARCHITECT),
    "environment": ("environment", "environment", Role.COORDINATOR),
    "choice": ("product_choice", "choice_needed", Role.COORDINATOR),
}


@pytest.mark.proves("A-30", "A-34", "C-66")
@pytest.mark.parametrize("cause", CAUSES)
def test_what_no_other_try_mends_is_blocked_at_once_and_brought_to_who_can(
    stage: Stage, cause: str
) -> None:
    """By its worker's own word: nothing of its budget is spent on trying the same again."""
    crew = led(stage)
    stage.agent(crew.home, name="Archie", role=Role.ARCHITECT)
    run = work_of(crew)
    task = crew.now(str(run.task_id))
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, retry_budget=3)
    report = {"status": "failed", "error": {"kind": cause, "text": "No way."}}
    stage.finish(run, result=report)
    trigger, reason, role = CAUSES[cause]
    now = crew.now(task.id)
    assert (now.status, now.attempts_spent) == (TaskStatus.BLOCKED, 0)
    (kept,) = decided(stage, task)
    assert (kept.action, kept.reason) == ("block", reason)
    (woken,) = brought(crew)
    assert woken.payload["trigger"] == trigger
    known = {row["id"]: row["role"] for row in stage.ground.rows("agents")}
    assert known[woken.agent_id] == role
    (item,) = items(crew)
    told = json.loads(item["data"])
    assert told["cause"]["code"] == f"cause_{cause}"
    assert {told["cause"]["code"], told["cure"]["code"]} <= set(SENTENCES)
    assert f"task_blocked_cause_{cause}" in SENTENCES


@pytest.mark.proves("A-34", "C-29")
def test_a_coordinators_own_failure_or_question_wakes_no_coordinator(stage: Stage) -> None:
    crew = led(stage)
    deputy = stage.agent(crew.home, name="Deputy", role=Role.COORDINATOR)
    own = next(one for one in crew.live() if one.task_id == crew.root.id)
    stage.finish(own, result=STUCK)
    assert brought(crew) == [] and crew.root.status is TaskStatus.BLOCKED
    assert [one["subject_id"] for one in items(crew)] == [crew.root.id] and deputy.id


@pytest.mark.proves("A-34", "C-29")
def test_without_anybody_who_could_a_person_hears_of_it_alone(stage: Stage) -> None:
    crew = led(stage)
    assert crew.chair is not None
    run = work_of(crew)
    pausing.pause(stage.desk, ASKED, crew.chair.id)
    with stage.store.transaction() as tx:
        set_columns(tx, "agents", crew.chair.id, status=AgentStatus.STOPPED)
    stage.finish(run, **FAILED)
    assert brought(crew) == [] and len(items(crew)) == 1


@pytest.mark.proves("A-34", "C-29")
def test_what_was_not_allowed_is_a_persons_to_allow(stage: Stage) -> None:
    crew = led(stage)
    task = crew.task("Another")
    stage.finish(work_of(crew), result={"status": "completed"})
    stage.launcher.refuse = LaunchFailed("permission_denied", "not here")
    crew.turn()
    assert crew.now(task).status is TaskStatus.BLOCKED
    assert brought(crew) == [] and [one["subject_id"] for one in items(crew)] == [task.id]


@pytest.mark.proves("A-34")
@pytest.mark.parametrize(
    ("kind", "trigger"),
    [
        (ErrorKind.TASK_FAILED, Trigger.REPEATED_FAILURE),
        (ErrorKind.NO_RESULT, Trigger.REPEATED_FAILURE),
        (None, Trigger.REPEATED_FAILURE),
        (ErrorKind.PERMISSION_DENIED, Trigger.PERMISSION),
        (ErrorKind.CLI_MISSING, Trigger.ENVIRONMENT),
        (ErrorKind.AUTH_REQUIRED, Trigger.ENVIRONMENT),
        (ErrorKind.CRASHED, Trigger.ENVIRONMENT),
    ],
)
def test_each_kind_of_failure_has_its_way(kind: ErrorKind | None, trigger: Trigger) -> None:
    assert escalating.trigger_of(kind) is trigger


@pytest.mark.proves("A-34")
def test_no_agent_is_woken_for_ever_by_what_others_cannot_settle(stage: Stage) -> None:
    crew = led(stage)
    run, task = work_of(crew), crew.now(str(work_of(crew).task_id))
    for number in range(escalating.MOST + 5):
        with stage.store.transaction() as tx:
            escalating.tell(
                tx,
                stage.ids,
                Trigger.REPEATED_FAILURE,
                task=task,
                text="no",
                key=str(number),
                run=run,
                failed_agent=run.agent_id,
            )
    assert len(brought(crew)) == escalating.MOST
