"""Words of what waits: who asks, of which task, and which press answers it at once."""

from types import SimpleNamespace
from typing import Any

import pytest

from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.states import InboxKind, Severity
from roundtable_desktop.tray.shown import Waiting
from roundtable_desktop.tray.wording import of_item, of_proposal

pytestmark = pytest.mark.proves("D-05")


def nothing(_ref: str) -> Any:
    raise Absent("unknown")


LOOK: Any = SimpleNamespace(
    run=lambda _ref: SimpleNamespace(agent_id="a1", task_id="t1"),
    agent=lambda _ref: SimpleNamespace(name="demo"),
    task=lambda _ref: SimpleNamespace(number=3, title="Pour\nthe tea"),
)
GONE: Any = SimpleNamespace(run=nothing, agent=nothing, task=nothing)


def item(kind: InboxKind, about: str = "task", **data: object) -> Any:
    options = [{"id": one, "kind": one, "name": one} for one in data.pop("answers", ())]  # type: ignore[attr-defined]
    return SimpleNamespace(
        id="i1",
        kind=kind,
        code=f"inbox_{kind}",
        severity=Severity.ATTENTION,
        subject_type=about,
        subject_id="t1",
        data={"options": options, **data},
    )


def words(look: Any, kind: InboxKind, **data: Any) -> Waiting:
    return of_item(look, item(kind, **data))


@pytest.mark.parametrize(
    ("kind", "data", "title"),
    [
        (InboxKind.PERMISSION, {"run_id": "r1", "text": "May I?"}, "demo asks for permission"),
        (InboxKind.APPROVAL, {"run_id": "r1"}, "demo needs your approval"),
        (InboxKind.AGENT_ERROR, {"agent_id": "a1"}, "demo failed, and is not tried again"),
        (InboxKind.BLOCKED, {"agent": "cake", "action": "Buy tea"}, "cake cannot go on"),
        (InboxKind.DELIVERY_BLOCKED, {"about": "proposal", "task_id": "t1"}, "A delivery is held"),
        (InboxKind.BLOCKER_LOST, {}, "A task waits for one that does not come"),
        (InboxKind.CONFIG_CHANGED, {"about": "workspace"}, "Your repository changed"),
        (InboxKind.DOCTOR, {"about": "owner"}, "Roundtable needs you"),
        (InboxKind.BUDGET, {"about": "budget"}, "A budget is nearly used up"),
    ],
)
def test_each_kind_says_who_wants_what(kind: InboxKind, data: Any, title: str) -> None:
    found = words(LOOK, kind, **data)
    assert found.title == title and found.path == "/inbox#item-i1"
    of_task = data.get("about", "task") == "task" or "task_id" in data
    assert found.body.startswith("T-3 Pour the tea: ") is of_task


def test_a_budget_that_is_used_up_is_not_told_as_one_that_nearly_is() -> None:
    used_up = item(InboxKind.BUDGET, about="budget")
    used_up.code = "inbox_budget_reached"
    assert of_item(LOOK, used_up).title == "A budget is used up"


@pytest.mark.proves("A-37")
def test_a_mission_that_stands_still_is_no_agent_that_cannot_go_on() -> None:
    stands = item(InboxKind.BLOCKED, about="mission", owner="user", goal="Tea for all")
    stands.code = "inbox_mission_blocked"
    assert of_item(LOOK, stands).title == "A mission stands still"


def test_what_is_gone_keeps_nobody_from_being_told() -> None:
    for kind in InboxKind:
        found = words(GONE, kind, run_id="r1", agent_id="a1", task_id="t1")
        assert found.title and found.title.isprintable() and found.body and found.label


def test_only_a_new_try_is_a_press_away() -> None:
    """What an agent may do, and what goes onto a branch, is seen before it is answered."""
    offered = {
        InboxKind.PERMISSION: ("allow_once", "reject_once"),
        InboxKind.APPROVAL: ("approve", "reject"),
        InboxKind.AGENT_ERROR: ("retry", "mark_fixed", "pause_agent"),
        InboxKind.BLOCKED: ("retry", "dismiss"),
        InboxKind.DELIVERY_BLOCKED: ("retry", "discard"),
        InboxKind.CONFIG_CHANGED: ("accept", "keep"),
        InboxKind.BLOCKER_LOST: ("drop_edge", "cancel"),
        InboxKind.DOCTOR: ("resume",),
        InboxKind.BUDGET: ("raise", "resume"),
    }
    assert offered.keys() == set(InboxKind)
    pressed = {
        kind for kind, answers in offered.items() if words(LOOK, kind, answers=answers).answers
    }
    assert pressed == {InboxKind.AGENT_ERROR, InboxKind.BLOCKED}
    assert not words(LOOK, InboxKind.AGENT_ERROR, answers=("mark_fixed",)).answers


@pytest.mark.proves("D-05 proposals")
@pytest.mark.parametrize(
    ("held", "title"),
    [
        (None, "demo has finished something for you"),
        ({"code": "submodule"}, "demo proposes something that wants a look"),
    ],
)
def test_a_proposal_is_only_opened(held: Any, title: str) -> None:
    proposal = SimpleNamespace(id="p1", files=({}, {}), held=held)
    task = SimpleNamespace(number=3, title="Pour the tea")
    found: Any = SimpleNamespace(proposal=proposal, task=task, agent="demo")
    told = of_proposal(found)
    assert (told.title, told.body) == (title, "T-3 Pour the tea: 2 files are changed.")
    assert (told.path, told.answers, told.severity) == ("/proposals/p1", (), Severity.ATTENTION)
