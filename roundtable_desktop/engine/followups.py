"""What was merged into a run that was already at work gets a run of its own after it (C-09)."""

from roundtable_desktop.engine import wakers
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Json, Run, Wakeup, stands_for
from roundtable_desktop.model.states import Source, WakeupStatus
from roundtable_desktop.store import firings, wakeups
from roundtable_desktop.store.db import Tx

FOLLOWUP = "followup"


def follow_up(tx: Tx, ids: Ids, wakeup: Wakeup, run: Run) -> None:
    """One wakeup with all that came meanwhile; where a person ended the work, with what a person
    asked for since. A wakeup that is tried again takes it along by itself.

    wakeup: as it was before it was settled.
    """
    settled = wakeups.get(tx, wakeup.id)
    assert settled is not None
    if settled.status is WakeupStatus.QUEUED or wakeup.source is not Source.ROUTINE:
        return
    unheard = _unheard(wakeup, run)
    if settled.status is WakeupStatus.CANCELLED:
        unheard = [cause for cause in unheard if not firings.by_time_alone(tx, [cause])]
    if not unheard:
        return
    cause = wakers.anew(wakeup, FOLLOWUP, f"{FOLLOWUP}:{run.id}", carries=unheard)
    wakers.wake(tx, ids.new(), cause)


def _unheard(wakeup: Wakeup, run: Run) -> list[Json]:
    """One that stands for others counts those alone that came since."""
    heard = {cause.get("wakeup_id") for cause in run.causes()}
    told = sum(stands_for(cause) for cause in run.causes() if "stands_for" in cause)
    return [
        {**cause, "stands_for": stands_for(cause) - told} if "stands_for" in cause else cause
        for cause in wakeup.causes()
        if cause.get("wakeup_id") not in heard
    ]
