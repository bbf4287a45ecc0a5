"""The gates, one by one, on values that were never saved."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from ground import NOW

from roundtable_desktop.model.records import Agent, Task
from roundtable_desktop.model.states import (
    Adapter,
    AgentStatus,
    DeliveryMode,
    Role,
    TaskStatus,
    WakeupOutcome,
)
from roundtable_desktop.model.verdicts import Answer, Cancel, Finish, Go, Hold
from roundtable_desktop.rules import admission
from roundtable_desktop.rules.admission import Waiting


def agent(**changes: Any) -> Agent:
    values: dict[str, Any] = {
        "id": "a1",
        "workspace_id": "w1",
        "name": "Ada",
        "role": Role.WORKER,
        "adapter": Adapter.COMMAND,
        "command": ("true",),
        "env_names": (),
        "status": AgentStatus.ACTIVE,
        "paused_reason": None,
        "permission_policy": "ask",
        "max_concurrent_sessions": 1,
        "cooldown_sec": 10,
        "silence_limit_sec": 600,
        "soft_timeout_sec": 1800,
        "hard_timeout_sec": 14400,
        "last_wakeup_finished_at": None,
        "created_at": NOW,
        "updated_at": NOW,
        "revision": 1,
        "account": "one",
        "model": None,
        "skip_idle_wakeups": False,
    }
    return Agent(**{**values, **changes})


def task(**changes: Any) -> Task:
    values: dict[str, Any] = {
        "id": "t1",
        "workspace_id": "w1",
        "number": 7,
        "title": "Mend the clock",
        "description": "",
        "status": TaskStatus.TODO,
        "assignee_agent_id": "a1",
        "assignment_seq": 1,
        "base_branch": "main",
        "delivery": DeliveryMode.APPROVAL,
        "retry_budget": 3,
        "attempts_spent": 0,
        "parent_id": None,
        "attempt_wakeups": 0,
        "last_failure_signature": None,
        "blocked": None,
        "checkout_agent_id": None,
        "checkout_at": None,
        "created_at": NOW,
        "updated_at": NOW,
        "revision": 1,
        "afresh_at": NOW,
        "project": None,
        "model": None,
        "routine_id": None,
        "requires_approval": False,
    }
    return Task(**{**values, **changes})


def asked(
    now: datetime = NOW, by_person: bool = False, claimed: int = 0, **changes: Any
) -> dict[str, Answer]:
    due = changes.pop("due", None)
    waiting = Waiting(agent(**changes), claimed, by_person, due, "retry" if due else None)
    return dict(admission.before_claim(waiting, now))


def test_the_gates_before_the_claim_come_in_one_order() -> None:
    assert list(asked()) == ["intake", "scheduled_retry", "account", "cooldown", "capacity"]
    assert all(isinstance(answer, Go) for answer in asked().values())


@pytest.mark.proves("K-43")
@pytest.mark.parametrize(
    ("gate", "until", "facts"),
    [
        ("scheduled_retry", NOW + timedelta(hours=1), {"due": NOW + timedelta(hours=1)}),
        (
            "cooldown",
            NOW + timedelta(seconds=6),
            {"last_wakeup_finished_at": NOW - timedelta(seconds=4)},
        ),
        ("capacity", NOW, {"claimed": 1}),
    ],
)
def test_each_gate_alone_holds(gate: str, until: datetime, facts: dict[str, Any]) -> None:
    answers = asked(**facts)
    held = {name: answer for name, answer in answers.items() if not isinstance(answer, Go)}
    assert list(held) == [gate]
    answer = held[gate]
    assert isinstance(answer, Hold) and answer.until == until


@pytest.mark.parametrize("seconds", [10, 11])
def test_the_cooldown_is_over_when_it_is_over(seconds: int) -> None:
    last = NOW - timedelta(seconds=seconds)
    assert isinstance(asked(last_wakeup_finished_at=last)["cooldown"], Go)


@pytest.mark.proves("C-53")
def test_a_person_does_not_wait_for_the_cooldown_but_for_room() -> None:
    answers = asked(by_person=True, last_wakeup_finished_at=NOW, claimed=1)
    assert isinstance(answers["cooldown"], Go)
    assert isinstance(answers["capacity"], Hold)


@pytest.mark.proves("C-49")
@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (AgentStatus.PAUSED, WakeupOutcome.AGENT_PAUSED),
        (AgentStatus.STOPPED, WakeupOutcome.AGENT_STOPPED),
        (AgentStatus.RETIRED, WakeupOutcome.AGENT_STOPPED),
    ],
)
def test_an_agent_that_may_not_run_ends_its_wakeup_with_the_reason(
    status: AgentStatus, outcome: WakeupOutcome
) -> None:
    assert list(asked(status=status, last_wakeup_finished_at=NOW)) == ["intake", "scheduled_retry"]
    answer = admission.agent_status(agent(status=status))
    assert answer == Finish(outcome, {"status": str(status)})


def test_an_active_agent_passes() -> None:
    assert isinstance(admission.agent_status(agent()), Go)


@pytest.mark.parametrize("status", TaskStatus)
def test_a_task_that_has_ended_is_nobodys_any_more(status: TaskStatus) -> None:
    answer = admission.staleness("a1", "t1", task(status=status), by_person=False)
    ended = status in (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)
    assert isinstance(answer, Cancel if ended else Go)
    if isinstance(answer, Cancel):
        assert answer.reason == "task_terminal"


def test_a_task_that_is_gone_or_another_agents_is_stale() -> None:
    gone = admission.staleness("a1", "t1", None, by_person=False)
    assert isinstance(gone, Cancel) and gone.reason == "task_not_found"
    given = task(assignee_agent_id="a2")
    moved = admission.staleness("a1", "t1", given, by_person=False)
    assert isinstance(moved, Cancel) and moved.reason == "assignee_changed"
    assert isinstance(admission.staleness("a1", "t1", given, by_person=True), Go)
    assert isinstance(admission.staleness("a1", None, None, by_person=False), Go)


@pytest.mark.proves("K-41", "C-11")
def test_the_loser_of_a_task_waits_a_minute() -> None:
    assert isinstance(admission.task_lease(None, NOW), Go)
    answer = admission.task_lease("r1", NOW)
    assert answer == Hold("checkout_contended", NOW + timedelta(seconds=60), {"run_id": "r1"})
