"""Ends the run of a task that a person took out of its agent's hands."""

from threading import Event

from roundtable_desktop.model.ports import Launcher, RunnerGone, SpoolState

PATIENCE = 5.0
"""Seconds for a runner that was born just now to open its control channel."""
CALLED_OFF = "cancelled"
"""In what is kept of a run's end: however it ends, it is not tried again."""
_STEP = 0.05


def call_off(launcher: Launcher, run_id: str, patience: float = PATIENCE) -> bool:
    """The runner is told and ends the tree; what has no runner yet gets none. False when it could
    not be told: then the mark that was committed before counts at its end."""
    if launcher.state(run_id) is SpoolState.ABSENT and launcher.void(run_id):
        return True
    pause = Event()
    while True:
        try:
            launcher.control(run_id, {"do": "cancel", "reason": "cancelled"})
        except RunnerGone:
            if patience <= 0 or launcher.state(run_id) is not SpoolState.LOCKED:
                return False
            pause.wait(_STEP)
            patience -= _STEP
        else:
            return True
