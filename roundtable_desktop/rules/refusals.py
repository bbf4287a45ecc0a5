"""What a failed run amounts to when its provider refused it or was out of reach: neither is a
fault of the work."""

from dataclasses import replace
from datetime import datetime, tzinfo

from roundtable_desktop.model.messages import End
from roundtable_desktop.model.states import ErrorKind, RunOutcome, TaskStatus
from roundtable_desktop.rules.limits import (
    NOTHING,
    Channel,
    Meaning,
    Said,
    Verdict,
    limit_verdict,
)
from roundtable_desktop.rules.network import unreachable
from roundtable_desktop.rules.results import Settlement, answer, went_wrong
from roundtable_desktop.rules.retry import Layer

REFUSED = (ErrorKind.RATE_LIMITED, ErrorKind.QUOTA_LIMITED, ErrorKind.OVERLOADED)
FAILED = (
    RunOutcome.CRASHED,
    RunOutcome.TASK_FAILED,
    RunOutcome.NO_RESULT,
    RunOutcome.TIMED_OUT,
)
"""What a refusal looks like before anybody reads why."""

UNEXPLAINED = (ErrorKind.CRASHED, ErrorKind.TASK_FAILED, ErrorKind.NO_RESULT)
"""Kinds that say no more than that it failed."""


def judged(
    settlement: Settlement, end: End, *, reported: bool, now: datetime, zone: tzinfo
) -> Settlement:
    """The settlement, as what the provider said makes it.

    reported: the agent gave a result of its own; then that counts, whatever else it printed (C-36).
    now: when the run ended; zone: of the machine, for times that name none.
    """
    if reported or end.why not in ("exited", "silence", "hard"):
        return settlement
    verdict = _heard(settlement, end, now, zone)
    if verdict.meaning is Meaning.INCURABLE:
        return replace(
            settlement,
            outcome=RunOutcome.LIMITED,
            layer=Layer.INCURABLE,
            task=TaskStatus.BLOCKED,
            kind=verdict.error,
            limit=verdict,
        )
    if verdict.meaning is Meaning.NOT_A_LIMIT:
        if settlement.kind not in REFUSED:
            return _out_of_reach(settlement, end)
        verdict = Verdict(Meaning.LIMIT, settlement.kind)  # the agent's own word for it
    return replace(
        settlement,
        outcome=RunOutcome.LIMITED,
        layer=Layer.WAKEUP,
        task=None,
        kind=verdict.error,
        limit=verdict,
    )


def _out_of_reach(settlement: Settlement, end: End) -> Settlement:
    """No fault of the work either: it is tried again when the network may be back, and takes
    nothing of the attempts (B-026)."""
    if settlement.kind not in UNEXPLAINED or not unreachable(end):
        return settlement
    return replace(
        settlement,
        outcome=RunOutcome.CRASHED,
        layer=Layer.WAKEUP,
        task=None,
        kind=ErrorKind.NETWORK,
    )


def _heard(settlement: Settlement, end: End, now: datetime, zone: tzinfo) -> Verdict:
    """The first of its words that is a limit: its error, as its protocol or its last line for
    programs has it, its error channel, its last lines."""
    if settlement.outcome in FAILED:
        said = [
            Said(end.error.text if end.error else "", Channel.ERROR),
            Said(answer(end) if went_wrong(end) else "", Channel.ERROR),
            Said(end.stderr, Channel.STDERR),
            Said(end.tail, Channel.RESULT if end.exit_code == 0 else Channel.TRANSCRIPT),
        ]
    elif settlement.outcome is RunOutcome.NO_CHANGES:  # "done", with nothing but the limit to say
        said = [Said(end.tail, Channel.RESULT)]
    else:
        said = []
    verdicts = (limit_verdict(one, now, zone) for one in said if one.text.strip())
    return next((one for one in verdicts if one.meaning is not Meaning.NOT_A_LIMIT), NOTHING)
