"""What follows a failed attempt, and whom it is brought to: each row of the tables."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wave_world import SOON, agents

from roundtable_desktop.model.attempts import (
    Cause,
    Change,
    Clash,
    Conflict,
    ConflictRoute,
    Failure,
    RetryAction,
    RetryDecision,
    Tried,
    Trigger,
)
from roundtable_desktop.model.states import ErrorKind, Severity
from roundtable_desktop.model.waves import ModelPolicy
from roundtable_desktop.rules.attempts import RECOVERABLE, decide
from roundtable_desktop.rules.routes import classify, conflict, route

MODELS = ("small",)


def failed(signature: str = "one", **more: Any) -> Failure:
    values: dict[str, Any] = {"kind": ErrorKind.TASK_FAILED, **more}
    return Failure(signature=signature, **values)


def tried(**more: Any) -> Tried:
    return Tried(**{"budget": 3, "spent": 0, **more})


@pytest.mark.proves("A-30", "A-31")
def test_the_first_time_only_the_context_is_another() -> None:
    full = tried(other_models=MODELS, beside_others=True, debugger=True)
    refs = ("run:1", "verdict:2")
    assert decide(failed(context_refs=refs), full) == RetryDecision(
        action=RetryAction.RETRY,
        reason="failed",
        cost=1,
        change=Change.CONTEXT,
        required_context_refs=refs,
    )


@pytest.mark.proves("A-30")
@pytest.mark.parametrize(
    ("changed", "same", "has", "change", "action"),
    [
        ("c", False, "msd", Change.MODEL, "retry"),
        ("c", True, "msd", Change.DEBUGGER, "debug"),
        ("c", True, "ms", Change.MODEL, "retry"),
        ("c", False, "sd", Change.COMMANDS, "retry"),
        ("cm", False, "msd", Change.COMMANDS, "retry"),
        ("cmo", False, "msd", Change.SERIALIZATION, "retry_serial"),
        ("cmo", False, "d", Change.DEBUGGER, "debug"),
        ("cmosd", False, "msd", Change.CONTEXT, "retry"),
        ("cd", True, "msd", Change.MODEL, "retry"),
    ],
)
def test_later_one_thing_is_changed_that_was_not_yet(
    changed: str, same: bool, has: str, change: Change, action: str
) -> None:
    letters = {
        "c": Change.CONTEXT,
        "m": Change.MODEL,
        "o": Change.COMMANDS,
        "s": Change.SERIALIZATION,
        "d": Change.DEBUGGER,
    }
    one = decide(
        failed("one"),
        tried(
            budget=9,
            last_signature="one" if same else "other",
            changed=tuple(letters[letter] for letter in changed),
            other_models=MODELS if "m" in has else (),
            beside_others="s" in has,
            debugger="d" in has,
        ),
    )
    assert (one.change, one.action, one.cost) == (change, action, 2 if same else 1)
    assert one.reason == ("same_failure" if same else "failed")
    forced = ModelPolicy.SCHEDULER_FORCED, "small"
    assert (one.next_model_policy, one.model) == (
        forced if change is Change.MODEL else (None, None)
    )


@pytest.mark.proves("A-30")
@pytest.mark.parametrize(
    ("spent", "last", "alike", "again"),
    [
        (0, None, False, True),
        (2, "other", False, True),
        (3, "other", False, False),
        (1, "one", False, True),
        (2, "one", False, False),  # the same again costs two
        (1, "other", True, True),
        (2, "other", True, False),
    ],
)
def test_the_budget(spent: int, last: str | None, alike: bool, again: bool) -> None:
    one = decide(failed(alike=alike), tried(spent=spent, last_signature=last, debugger=True))
    assert (one.action is not RetryAction.BLOCK) is again
    if not again:
        assert (one.reason, one.trigger) == ("budget_spent", Trigger.REPEATED_FAILURE)
        assert one.recoverable


@pytest.mark.proves("A-30", "A-31")
@pytest.mark.parametrize("kind", [kind for kind in ErrorKind if kind not in RECOVERABLE])
def test_what_cannot_be_cured_is_not_tried_again(kind: ErrorKind) -> None:
    one = decide(failed(kind=kind), tried(debugger=True))
    denied = kind is ErrorKind.PERMISSION_DENIED
    assert one.action is RetryAction.BLOCK
    assert one.cost == 0
    assert one.trigger is (Trigger.PERMISSION if denied else Trigger.ENVIRONMENT)
    assert not one.recoverable


@pytest.mark.proves("A-30")
@pytest.mark.parametrize(
    ("cause", "trigger"),
    [
        (Cause.INTERFACE, Trigger.ARCHITECTURE),
        (Cause.ENVIRONMENT, Trigger.ENVIRONMENT),
        (Cause.CHOICE, Trigger.PRODUCT_CHOICE),
    ],
)
def test_a_cause_that_another_attempt_does_not_mend(cause: Cause, trigger: Trigger) -> None:
    one = decide(failed(cause=cause), tried())
    assert (one.action, one.trigger, one.cost) == (RetryAction.BLOCK, trigger, 0)


@pytest.mark.proves("A-30", "A-32")
def test_a_model_that_is_not_to_be_had_is_replaced_and_it_is_said() -> None:
    gone = failed(kind=ErrorKind.MODEL_UNAVAILABLE)
    one = decide(gone, tried(spent=3, other_models=MODELS))
    assert (one.action, one.change, one.cost) == (RetryAction.RETRY, Change.MODEL, 0)
    assert (one.reason, one.model) == ("model_unavailable", "small")


@pytest.mark.proves("A-30")
def test_only_what_nobody_needs_is_skipped_and_what_is_not_wanted_is_called_off() -> None:
    used_up = {"spent": 3, "optional": True}
    assert decide(failed(), tried(**used_up)).action is RetryAction.SKIP
    assert decide(failed(context_refs=("run:1",)), tried(**used_up)).required_context_refs
    needed = decide(failed(), tried(**used_up, needed_by_others=True))
    assert needed.action is RetryAction.BLOCK
    assert decide(failed(), tried(optional=True)).action is RetryAction.RETRY
    called_off = decide(failed(), tried(wanted=False))
    assert (called_off.action, called_off.reason) == (RetryAction.CANCEL, "not_wanted")


@pytest.mark.proves("A-30", "A-31")
@given(st.lists(st.sampled_from("abc"), min_size=12, max_size=12), st.integers(0, 5), st.data())
def test_every_row_of_failures_comes_to_an_end(
    signatures: list[str], budget: int, data: st.DataObject
) -> None:
    """Nothing is changed twice before all that can be changed was, and no more attempts are made
    than the budget has."""
    has = {
        "other_models": data.draw(st.sampled_from([(), ("m1",), ("m1", "m2")])),
        "beside_others": data.draw(st.booleans()),
        "debugger": data.draw(st.booleans()),
    }
    spent, last, changed = 0, None, []
    for signature in signatures:
        one = decide(
            failed(signature),
            tried(budget=budget, spent=spent, last_signature=last, changed=tuple(changed), **has),
        )
        spent, last = spent + one.cost, signature
        if one.change is None:
            break
        changed.append(one.change)
    assert one.action is RetryAction.BLOCK
    assert len(changed) <= budget
    others = [change for change in changed[1:] if change is not Change.CONTEXT]
    assert len(others) == len(set(others))
    assert changed[:1] in ([], [Change.CONTEXT])


# --- conflicts -----------------------------------------------------------------------------------


@pytest.mark.proves("A-27")
@pytest.mark.parametrize(
    ("clash", "kind", "action", "role", "trigger"),
    [
        ({}, "trivial", "debug", "debugger", None),
        ({"repairs": 1}, "trivial", "retry_serial", None, None),
        ({"repairs": 2}, "semantic", "debug", "debugger", None),
        ({"repairs": 3}, "semantic", "block", None, Trigger.ARCHITECTURE),
        ({"checks_failed": True}, "semantic", "debug", "debugger", None),
        ({"deleted_or_binary": True}, "semantic", "debug", "debugger", None),
        ({"said": Conflict.ARCHITECTURE}, "architecture", "block", None, Trigger.ARCHITECTURE),
        ({"requirement_changed": True}, "requirement", "block", None, Trigger.PRODUCT_CHOICE),
        ({"said": Conflict.REQUIREMENT}, "requirement", "block", None, Trigger.PRODUCT_CHOICE),
        ({"checks_failed": True, "said": Conflict.TRIVIAL}, "trivial", "debug", "debugger", None),
    ],
)
def test_each_conflict_has_its_way(
    clash: dict[str, Any], kind: str, action: str, role: str | None, trigger: Trigger | None
) -> None:
    one = Clash(paths=("a.py",), **clash)
    assert classify(one) == kind
    assert conflict(one) == ConflictRoute(
        conflict=Conflict(kind),
        action=RetryAction(action),
        role=role,
        reviewed=kind == "semantic" and action == "debug",
        trigger=trigger,
    )


# --- escalation ----------------------------------------------------------------------------------

EVERYBODY = (
    *agents(1),
    *agents(1, "debugger"),
    *agents(1, "architect"),
    *agents(1, "coordinator"),
    *agents(1, "reviewer"),
)


@pytest.mark.proves("A-34", "C-66")
@pytest.mark.parametrize(
    ("trigger", "more", "everybody", "coordinator_only"),
    [
        (Trigger.PRODUCT_CHOICE, {}, "coordinator", "coordinator"),
        (Trigger.ARCHITECTURE, {}, "architect", "coordinator"),
        (Trigger.PERMISSION, {}, "", ""),
        (Trigger.ENVIRONMENT, {}, "coordinator", "coordinator"),
        (Trigger.REPEATED_FAILURE, {}, "coordinator", "coordinator"),
        (Trigger.REPEATED_FAILURE, {"recoverable": True}, "debugger", "coordinator"),
        (Trigger.REVIEW_FINDING, {}, "coordinator", "coordinator"),
        (Trigger.REVIEW_FINDING, {"of_design": True}, "coordinator architect", "coordinator"),
    ],
)
def test_each_trigger_has_its_way(
    trigger: Trigger, more: dict[str, bool], everybody: str, coordinator_only: str
) -> None:
    one = route(trigger, EVERYBODY, **more)
    assert [woken.role for woken in one.woken] == everybody.split()
    one = route(trigger, agents(1, "coordinator"), **more)
    assert [woken.role for woken in one.woken] == coordinator_only.split()
    alone = route(trigger, (), **more)
    assert (alone.woken, alone.severity) == ((), Severity.ATTENTION)
    assert alone.evidence == (("doctor",) if trigger is Trigger.ENVIRONMENT else ())


@pytest.mark.proves("A-34")
def test_a_person_is_disturbed_unless_an_agent_can_settle_it() -> None:
    quiet = {one for one in Trigger if route(one, EVERYBODY).severity is Severity.INFO}
    assert quiet == {Trigger.ARCHITECTURE, Trigger.REPEATED_FAILURE}


@pytest.mark.proves("A-34", "C-66")
def test_nobody_is_asked_about_their_own_failure_or_when_they_may_not_work() -> None:
    ask = Trigger.REPEATED_FAILURE
    crew = (*agents(2), *agents(1, "coordinator"))
    one = route(ask, crew, recoverable=True, failed_agent="worker-1")
    assert [woken.agent_id for woken in one.woken] == ["worker-2"]
    one = route(ask, crew[:1], recoverable=True, failed_agent="worker-1")
    assert one.woken == ()
    paused = agents(1, "coordinator", refused="paused", until=SOON)
    assert route(ask, paused).woken == ()
    busy = (*agents(1, active=1), agents(2)[1])
    one = route(ask, busy, recoverable=True)
    assert [woken.agent_id for woken in one.woken] == ["worker-2"]
