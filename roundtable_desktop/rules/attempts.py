"""What follows a failed attempt: once more and how, a debugger, without it, or a person (A-30).

The two layers below answer what their own means can cure (`rules.retry`, C-04): what arrives here
is the work's failure, or what they gave up.
"""

from collections.abc import Iterator

from roundtable_desktop.model.attempts import (
    Cause,
    Change,
    Failure,
    RetryAction,
    RetryDecision,
    Tried,
    Trigger,
)
from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.model.waves import ModelPolicy
from roundtable_desktop.rules.retry import attempt_retry

RECOVERABLE = (ErrorKind.TASK_FAILED, ErrorKind.NO_RESULT)
"""Of all others waiting and trying again have been tried, or cannot help."""

BY_CAUSE = {
    Cause.INTERFACE: ("interface_mismatch", Trigger.ARCHITECTURE),
    Cause.ENVIRONMENT: ("environment", Trigger.ENVIRONMENT),
    Cause.CHOICE: ("choice_needed", Trigger.PRODUCT_CHOICE),
}
"""Why no other attempt mends it, and as what it is escalated."""

_ACTIONS = {
    Change.SERIALIZATION: RetryAction.RETRY_SERIAL,
    Change.DEBUGGER: RetryAction.DEBUG,
}


def decide(failure: Failure, tried: Tried) -> RetryDecision:
    """First match wins. A budget is spent by failures of the work alone (C-04)."""
    if not tried.wanted:
        return RetryDecision(action=RetryAction.CANCEL, reason="not_wanted")
    if failure.kind is ErrorKind.MODEL_UNAVAILABLE and tried.other_models:
        return _again(failure, tried, Change.MODEL, "model_unavailable", cost=0)
    if failure.cause in BY_CAUSE:
        reason, trigger = BY_CAUSE[failure.cause]
        return _without(failure, tried, reason, trigger)
    if failure.kind is ErrorKind.PERMISSION_DENIED:
        return _without(failure, tried, "permission", Trigger.PERMISSION)
    if failure.kind not in RECOVERABLE:
        return _without(failure, tried, str(failure.kind), Trigger.ENVIRONMENT)
    verdict = attempt_retry(
        budget=tried.budget,
        spent=tried.spent,
        signature=failure.signature,
        last_signature=tried.last_signature,
        alike=failure.alike,
    )
    if not verdict.again:
        trigger = Trigger.REPEATED_FAILURE
        return _without(failure, tried, "budget_spent", trigger, cost=verdict.cost)
    same = failure.signature == tried.last_signature
    change = next(_changes(tried, same), Change.CONTEXT)
    reason = "same_failure" if same else "failed"
    return _again(failure, tried, change, reason, cost=verdict.cost)


def _changes(tried: Tried, same: bool) -> Iterator[Change]:
    """What is left to be changed, the best first: the first time only what it is told. A failure
    that came again asks for somebody else's eyes first."""
    if not tried.changed:
        yield Change.CONTEXT
    order = [Change.MODEL, Change.COMMANDS, Change.SERIALIZATION]
    order.insert(0 if same else len(order), Change.DEBUGGER)
    possible = {
        Change.MODEL: bool(tried.other_models),
        Change.COMMANDS: True,
        Change.SERIALIZATION: tried.beside_others,
        Change.DEBUGGER: tried.debugger,
    }
    for change in order:
        if possible[change] and change not in tried.changed:
            yield change


def _again(failure: Failure, tried: Tried, change: Change, reason: str, cost: int) -> RetryDecision:
    other = change is Change.MODEL
    return RetryDecision(
        action=_ACTIONS.get(change, RetryAction.RETRY),
        reason=reason,
        cost=cost,
        change=change,
        next_model_policy=ModelPolicy.SCHEDULER_FORCED if other else None,
        model=tried.other_models[0] if other else None,
        required_context_refs=failure.context_refs,
    )


def _without(
    failure: Failure, tried: Tried, reason: str, trigger: Trigger, cost: int = 0
) -> RetryDecision:
    """The mission goes on without it where it can; else somebody is asked. What others depend on is
    never skipped: a failed dependency satisfies nothing (C-42)."""
    if tried.optional and not tried.needed_by_others:
        return RetryDecision(
            action=RetryAction.SKIP,
            reason=reason,
            cost=cost,
            required_context_refs=failure.context_refs,
        )
    mendable = trigger is Trigger.REPEATED_FAILURE and Change.DEBUGGER not in tried.changed
    return RetryDecision(
        action=RetryAction.BLOCK,
        reason=reason,
        cost=cost,
        required_context_refs=failure.context_refs,
        trigger=trigger,
        recoverable=mendable and tried.debugger,
    )
