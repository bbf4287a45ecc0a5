"""How far a mission has come: the seed's tables word for word, and what makes them true."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.model.convergence import (
    Converged,
    ConvergedBy,
    Convergence,
    MissionOutcome,
    Open,
    ProposalFact,
    TaskClass,
    TaskFact,
)
from roundtable_desktop.model.states import ProposalStatus, TaskStatus
from roundtable_desktop.model.waves import as_json
from roundtable_desktop.rules.convergence import converge, is_active_proposal, task_class


def tasks(*words: str) -> list[TaskFact]:
    """`done`, `failed?` (optional), `todo!` (stands), `done_` (archived)."""
    return [
        TaskFact(
            id=str(number),
            status=word.rstrip("?!_"),
            optional="?" in word,
            stands="!" in word,
            archived=word.endswith("_"),
        )
        for number, word in enumerate(words)
    ]


def proposals(*words: str) -> list[ProposalFact]:
    return [ProposalFact(id=f"p{number}", status=word) for number, word in enumerate(words)]


def found(work: Sequence[str], offers: Sequence[str] = (), **more: Any) -> Convergence:
    return converge(tasks(*work), proposals(*offers), **more)


@pytest.mark.proves("R-12")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("open in_progress pending review", TaskClass.ACTIVE),
        ("todo in_review interrupted running", TaskClass.ACTIVE),
        ("blocked", TaskClass.BLOCKED),
        ("completed done closed cancelled canceled failed", TaskClass.TERMINAL),
        ("unheard_of DONE Blocked", TaskClass.ACTIVE),
    ],
)
def test_the_classes_of_tasks(words: str, expected: TaskClass) -> None:
    assert {task_class(word) for word in words.split()} == {expected}


@pytest.mark.proves("R-12", "C-52")
def test_each_status_of_ours_has_its_class() -> None:
    classes = {str(status): str(task_class(status)) for status in TaskStatus}
    assert classes == {
        "todo": "active",
        "in_progress": "active",
        "in_review": "active",
        "blocked": "blocked",
        "interrupted": "active",
        "done": "terminal",
        "failed": "terminal",
        "cancelled": "terminal",
    }


@pytest.mark.proves("R-13")
def test_the_classes_of_proposals() -> None:
    active = {"pending", "in_review", "revision_requested"}
    assert {one for one in ProposalStatus if is_active_proposal(one)} == active
    assert not is_active_proposal("unheard_of")


@pytest.mark.proves("R-14")
@pytest.mark.parametrize(
    ("work", "offers", "state", "reason"),
    [
        ([], [], "active", "awaiting_initial_work"),
        (["done", "cancelled"], [], "completed", "all_tasks_and_proposals_terminal"),
        (["done"], ["merged", "superseded", "rejected"], "completed", None),
        ([], ["delivered"], "completed", "all_tasks_and_proposals_terminal"),
        (["done", "blocked"], [], "blocked", "all_remaining_tasks_blocked"),
        (["blocked"], ["rejected"], "blocked", "all_remaining_tasks_blocked"),
        (["blocked"], ["pending"], "active", "work_remains"),
        (["blocked", "todo"], [], "active", "work_remains"),
        (["done"], ["revision_requested"], "active", "work_remains"),
        (["done", "interrupted"], [], "active", "work_remains"),
    ],
)
def test_the_outcomes_of_the_seed(
    work: list[str], offers: list[str], state: str, reason: str | None
) -> None:
    one = found(work, offers)
    assert (one.state, one.reason) == (state, reason or "all_tasks_and_proposals_terminal")
    assert one.basis == "state"


@pytest.mark.proves("R-15", "R-14")
@pytest.mark.parametrize("work", [[], ["done"], ["blocked"], ["todo"]])
def test_a_turn_that_is_not_over_comes_before_all(work: list[str]) -> None:
    one = found(work, turn=True)
    assert (one.state, one.reason) == ("active", "pending_agent_turn")


@pytest.mark.proves("W-37", "C-82")
@pytest.mark.parametrize(
    ("still", "of_done", "of_blocked"),
    [
        ({}, "completed", "blocked"),
        ({"runs": 1}, "active", "active"),
        ({"processes": 1}, "active", "active"),
        ({"leases": 1}, "active", "active"),
        ({"wakeups": 1}, "active", "active"),
        ({"merges": 1}, "active", "active"),
        ({"approvals": 1}, "active", "blocked"),
        ({"gates": 1}, "active", "blocked"),
    ],
)
def test_nothing_is_completed_while_something_of_it_is_open(
    still: dict[str, int], of_done: str, of_blocked: str
) -> None:
    assert found(["done"], still=Open(**still)).state == of_done
    assert found(["done", "blocked"], still=Open(**still)).state == of_blocked
    if of_done == "active":
        assert found(["done"], still=Open(**still)).reason is ConvergedBy.WORK_REMAINS


@pytest.mark.proves("W-05")
def test_a_word_that_nobody_knows_is_told_and_keeps_the_mission_open() -> None:
    one = found(["done", "unheard_of"])
    assert (one.state, one.unknown) == (Converged.ACTIVE, {"1": "unheard_of"})
    one = found(["done"], ["odd"])
    assert (one.state, one.unknown) == (Converged.ACTIVE, {"p0": "odd"})
    assert found(["blocked"], ["odd"]).state is Converged.ACTIVE
    assert found(["done", "closed", "canceled"], ["merged"]).unknown == {}


@pytest.mark.proves("W-06", "A-36")
@pytest.mark.parametrize(
    ("work", "outcome"),
    [
        (["done", "done"], "completed"),
        (["done", "cancelled"], "completed"),
        (["done", "todo_"], "completed"),
        (["done", "failed?"], "completed_with_failures"),
        (["done", "failed"], "failed"),
        (["done", "failed_"], "failed"),
        (["done", "failed", "failed?"], "failed"),
        (["failed?"], "failed"),
        (["cancelled", "canceled"], "failed"),
        (["todo_"], "failed"),
        (["done_"], "completed"),
    ],
)
def test_completed_says_how(work: list[str], outcome: str) -> None:
    assert found(work).outcome == outcome


@pytest.mark.proves("W-06", "A-36", "R-29")
def test_what_failed_was_skipped_or_not_run_is_named() -> None:
    work = ["done", "failed", "failed?", "cancelled", "in_progress_"]
    one = found(work, ["merged"], gates_not_run=["gate-1"])
    assert as_json(one) == {
        "state": "completed",
        "reason": "all_tasks_and_proposals_terminal",
        "outcome": "failed",
        "failed": ["1"],
        "skipped": ["2"],
        "cancelled": ["3", "4"],
        "blocked": [],
        "gates_not_run": ["gate-1"],
        "unknown": {},
        "basis": "state",
    }


def test_patches_without_a_task_can_complete_a_mission() -> None:
    assert found([], ["merged"]).outcome is MissionOutcome.COMPLETED
    assert found([], ["rejected"]).outcome is MissionOutcome.FAILED


@pytest.mark.proves("C-82")
def test_what_the_planner_cannot_get_going_counts_as_blocked() -> None:
    """Else a mission whose only agent is retired would say for ever that work remains."""
    one = found(["done", "todo!", "interrupted!"])
    assert (one.state, one.blocked) == (Converged.BLOCKED, ("1", "2"))
    assert found(["todo!", "todo"]).state is Converged.ACTIVE
    assert found(["done!"]).state is Converged.COMPLETED


WORDS = st.sampled_from([*TaskStatus, "open", "closed", "odd", "failed?", "todo!", "done_"])
OPEN = st.builds(Open, **{name: st.integers(0, 1) for name in Open.__dataclass_fields__})


@pytest.mark.proves("R-14", "A-36", "W-37")
@given(st.lists(WORDS, max_size=5), st.lists(st.sampled_from([*ProposalStatus])), OPEN)
def test_whatever_the_rows_say_there_is_one_answer_and_it_is_true(
    work: list[str], offers: list[str], still: Open
) -> None:
    one = found(work, offers, still=still)
    assert (one.outcome is None) == (one.state is not Converged.COMPLETED)
    if one.state is Converged.COMPLETED:
        assert not still.anything
        assert not any(is_active_proposal(offer) for offer in offers)
        words = [word for word in work if not word.endswith("_")]
        assert all(task_class(word.rstrip("?!")) is TaskClass.TERMINAL for word in words)
        if one.outcome is not MissionOutcome.FAILED:
            assert "failed" not in work
    if one.state is Converged.BLOCKED:
        assert one.blocked and not still.works
