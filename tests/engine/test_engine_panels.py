"""Gates of roles: who sits in judgement follows from who is there when they are asked."""

from typing import Any

import pytest
from engine_reviews import FINDING, Reviews
from engine_stage import ASKED, Stage
from ground import JOAN, set_columns

from roundtable_desktop.engine.desk import Asked, inbox, pausing, tasks
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.gates import GateKind, Wanted
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import AgentStatus, Role, TaskStatus


def of_roles(*roles: str, **more: Any) -> Wanted:
    return Wanted(kind=GateKind.REVIEW, roles=roles, **more)


@pytest.fixture
def reviews(stage: Stage) -> Reviews:
    made = Reviews(stage)
    with_role(made, made.first, Role.REVIEWER)
    with_role(made, made.second, Role.ARCHITECT)
    return made


def with_role(reviews: Reviews, agent: Agent, role: Role) -> None:
    with reviews.stage.store.transaction() as tx:
        set_columns(tx, "agents", agent.id, role=role)


@pytest.mark.proves("C-26", "C-66")
def test_whoever_has_the_role_when_it_is_asked_is_asked_and_no_other(reviews: Reviews) -> None:
    task = reviews.task(of_roles("reviewer"))
    with_role(reviews, reviews.third, Role.REVIEWER)  # came after the gate was set
    reviews.worked(task, a="one")
    (gate,) = reviews.gates(task)
    assert (gate.agents, gate.needed) == ((reviews.first.id, reviews.third.id), 2)
    reviews.go()
    reviews.vote(reviews.first, "revise", "Look again.", [FINDING])
    with_role(reviews, reviews.first, Role.WORKER)
    reviews.vote(reviews.third, "approve")
    assert reviews.now(task).status is TaskStatus.IN_PROGRESS
    reviews.worked(task, a="two")
    (gate,) = reviews.gates(task)
    assert (gate.agents, gate.needed, gate.round) == ((reviews.third.id,), 1, 2)


@pytest.mark.proves("C-26", "C-66", "B-110")
def test_whose_work_it_is_is_not_asked_for_the_role_and_the_number_stays(reviews: Reviews) -> None:
    with_role(reviews, reviews.third, Role.REVIEWER)
    task = reviews.stage.task(
        reviews.workspace, reviews.third, gates=[of_roles("reviewer", needed=2)]
    )
    reviews.go()
    (run,) = reviews.live()
    reviews.stage.leave(run, a="one")
    reviews.stage.finish(run, result={"status": "completed"})
    reviews.go()
    (gate,) = reviews.gates(task)
    assert (gate.agents, gate.needed) == ((reviews.first.id,), 2)
    reviews.vote(reviews.first, "approve")
    assert reviews.states(task) == "asked", "one of two is too few"
    (item,) = reviews.items()
    assert item.code == "inbox_gate_too_few" and item.data["missing"] == []


@pytest.mark.proves("C-26", "C-66")
def test_where_nobody_has_the_role_a_person_is_asked_who_may_ask_again(reviews: Reviews) -> None:
    pausing.pause(reviews.stage.desk, ASKED, reviews.worker.id)
    task = reviews.task(of_roles("debugger"))
    pausing.resume(reviews.stage.desk, ASKED, reviews.worker.id)
    reviews.worked(task, a="one")
    (item,) = reviews.items()
    assert item.data["why"] == {"why": "nobody", "code": "missing_nobody"}
    with_role(reviews, reviews.third, Role.DEBUGGER)
    inbox.act(reviews.stage.desk, Asked(JOAN), item.id, "ask_again")
    reviews.go()
    assert not reviews.items()
    reviews.vote(reviews.third, "approve")
    assert reviews.states(task) == "passed"


@pytest.mark.proves("C-26", "C-66")
def test_a_veto_of_one_without_the_power_waits_for_the_others(reviews: Reviews) -> None:
    task = reviews.handed_in(of_roles("reviewer", "architect", veto=("architect",)))
    reviews.vote(reviews.first, "veto", "Never.")
    assert reviews.states(task) == "asked", "it is a rejection, and the architect is heard"
    reviews.vote(reviews.second, "approve")
    assert reviews.states(task) == "returned"
    reviews.worked(task, a="two")
    reviews.go()
    reviews.vote(reviews.second, "veto", "Not so.", end=False)
    assert reviews.states(task) == "returned", "at once"


@pytest.mark.proves("C-26")
def test_those_who_cannot_vote_are_not_asked_for_their_role(reviews: Reviews) -> None:
    plain = reviews.stage.agent(reviews.workspace, name="Plain", role=Role.REVIEWER)
    with_role(reviews, reviews.third, Role.REVIEWER)
    with reviews.stage.store.transaction() as tx:
        set_columns(tx, "agents", reviews.third.id, status=AgentStatus.STOPPED)
    task = reviews.handed_in(of_roles("reviewer"))
    (gate,) = reviews.gates(task)
    assert gate.agents == (reviews.first.id,) and plain.id not in gate.agents


@pytest.mark.proves("C-26", "C-79")
def test_the_same_roles_are_the_same_gate_and_others_are_asked_anew(reviews: Reviews) -> None:
    task = reviews.handed_in(of_roles("reviewer", "architect", needed=1))
    (before,) = reviews.gates(task)
    reviews.set_gates(task, of_roles("architect", "reviewer", needed=1))
    assert reviews.gates(task) == [before]
    reviews.set_gates(task, of_roles("architect", "reviewer", needed=1, veto=()))
    (after,) = reviews.gates(task)
    assert after.id != before.id


@pytest.mark.proves("C-26", "C-79")
@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (Wanted(kind=GateKind.REVIEW), "review_by_nobody"),
        (Wanted(kind=GateKind.APPROVAL, roles=("reviewer",)), "approval_is_a_persons"),
        (Wanted(kind=GateKind.APPROVAL, veto=()), "approval_is_a_persons"),
        (of_roles("reviewer", needed=9), "needs_too_many"),
    ],
)
def test_what_cannot_be_set_is_refused(reviews: Reviews, wanted: Wanted, code: str) -> None:
    with pytest.raises(Invalid, match=code):
        tasks.create(reviews.stage.desk, ASKED, reviews.workspace.id, title="No", gates=[wanted])
