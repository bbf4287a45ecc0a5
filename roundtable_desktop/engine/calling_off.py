"""Has a live run end: its task was taken away, a person stopped it, or everything is stopped."""

from collections.abc import Sequence
from threading import Event

from roundtable_desktop.engine.intake import STOPPED
from roundtable_desktop.model.ports import Launcher, RunnerGone, SpoolState
from roundtable_desktop.model.records import BY_PERSON, Json

PATIENCE = 5.0
"""Seconds for a runner that was born just now to open its control channel."""
CALLED_OFF = "cancelled"
"""In what is kept of a run's end: however it ends, it is not tried again."""
OVER_BUDGET = "over_budget"
"""Likewise, with the budget: it is broken off for that, and goes on when there is room."""
LADDER = 14.0
"""Seconds for the ladder of one run, all of them at once (C-71: verified gone in 15 s)."""
_STEP = 0.05


def call_off(
    launcher: Launcher,
    run_id: str,
    patience: float = PATIENCE,
    *,
    reason: str = "cancelled",
    hurry: bool = False,
) -> bool:
    """The runner is told and ends the tree; what has no runner yet gets none. False when it could
    not be told: then the mark that was committed before counts at its end. hurry: there is no time
    for the whole ladder."""
    if launcher.state(run_id) is SpoolState.ABSENT and launcher.void(run_id):
        return True
    pause = Event()
    while True:
        try:
            launcher.control(run_id, {"do": "cancel", "reason": reason, "hurry": hurry})
        except RunnerGone:
            if patience <= 0 or launcher.state(run_id) is not SpoolState.LOCKED:
                return False
            pause.wait(_STEP)
            patience -= _STEP
        else:
            return True


def called_off(ended: Json | None) -> str | None:
    """The reason that a marked run is to be told, by whoever finds it alive; None for others."""
    marks = ended or {}
    if marks.get("end"):
        return None
    if marks.get(CALLED_OFF) or marks.get(BY_PERSON):
        return "cancelled"
    return "interrupted" if marks.get(STOPPED) or marks.get(OVER_BUDGET) else None


def break_off(
    launcher: Launcher, run_id: str, *, reason: str = "interrupted", hurry: bool = False
) -> None:
    """Raises RunnerGone while there is a runner that cannot be told: to be tried again."""
    told = call_off(launcher, run_id, reason=reason, hurry=hurry)
    if not told and launcher.state(run_id) is SpoolState.LOCKED:
        raise RunnerGone(run_id)


def end_tree(launcher: Launcher, run_id: str) -> Sequence[int]:
    """Its runner ends the tree; what has no runner is swept; what was not born is voided. The pids
    that are left."""
    if launcher.state(run_id) is SpoolState.ABSENT and launcher.void(run_id):
        return ()
    waiting, pause = LADDER, Event()
    try:
        launcher.control(run_id, {"do": "cancel", "reason": "interrupted"})
    except RunnerGone:
        waiting = 0.0
    while waiting > 0 and launcher.state(run_id) is SpoolState.LOCKED:
        pause.wait(_STEP)
        waiting -= _STEP
    return launcher.sweep(run_id)
