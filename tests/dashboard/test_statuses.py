"""The statuses of tasks by the names that other systems have for them, on each face that takes
one."""

from typing import get_args

import pytest
from pydantic import ValidationError

from roundtable_desktop.dashboard.api.board import Move
from roundtable_desktop.dashboard.api.other_names import StatusWord
from roundtable_desktop.dashboard.api.tasks import NewTask, TasksAsked
from roundtable_desktop.mcp.tools import tasks as tools
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.model.statuses import ALIASES, by_own_name

OF_OTHERS = {
    "todo": "open pending TODO",
    "in_progress": "running IN_PROGRESS",
    "in_review": "review IN_REVIEW",
    "blocked": "BLOCKED",
    "done": "completed closed DONE Done",
    "failed": "FAILED",
    "cancelled": "canceled CANCELLED Canceled",
    "interrupted": "INTERRUPTED",
}
PAIRS = [(given, ours) for ours, names in OF_OTHERS.items() for given in names.split()]


@pytest.mark.proves("C-01 names")
@pytest.mark.parametrize(("given", "ours"), PAIRS)
def test_another_systems_status_is_taken_for_ours_and_never_kept(given: str, ours: str) -> None:
    assert by_own_name(given) == ours in set(TaskStatus)
    assert TasksAsked(status=given).status == ours  # type: ignore[arg-type]
    assert tools.TasksAsked(status=given).status == ours  # type: ignore[arg-type]
    if ours in ("blocked", "failed", "interrupted"):  # nobody moves a task there
        with pytest.raises(ValidationError):
            Move(status=given)  # type: ignore[arg-type]
    else:
        assert Move(status=given).status == ours  # type: ignore[arg-type]
    if ours == "todo":
        made = NewTask(workspace_id="w" * 26, title="Bake", status=given)  # type: ignore[arg-type]
        assert made.status == "todo"


@pytest.mark.proves("C-01 names")
@pytest.mark.parametrize("wrong", ["", "archived", "starting", "to do", 3, ["todo"]])
def test_what_is_no_status_is_refused(wrong: object) -> None:
    for body in (TasksAsked, tools.TasksAsked, Move):
        with pytest.raises(ValidationError):
            body(status=wrong)  # type: ignore[arg-type]


@pytest.mark.proves("C-01 names")
def test_what_others_say_is_no_word_of_ours() -> None:
    assert set(get_args(StatusWord)) == set(TaskStatus) and not set(ALIASES) & set(TaskStatus)
