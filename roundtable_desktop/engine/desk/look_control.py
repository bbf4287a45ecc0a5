"""What the faces may see of control: whether work is taken up, and who is really at work."""

from collections.abc import Callable, Sequence

from roundtable_desktop.model.glance import AtWork
from roundtable_desktop.model.records import Process, Run
from roundtable_desktop.store import events, runs, wakeups
from roundtable_desktop.store.db import View

Lives = Callable[[Process], bool]
"""Whether that very process is there now."""


def at_work(view: View, lives: Lives) -> AtWork:
    """Counted from three sides that may differ: rows, processes, and what runners have told."""
    found = runs.live(view)
    alive = [run for run in found if _lives(view, run, lives)]
    return AtWork(claimed=len(wakeups.claimed(view)), live=len(alive), silent=_silent(view, alive))


def _lives(view: View, run: Run, lives: Lives) -> bool:
    return any(lives(process) for process in runs.processes(view, run.id))


def _silent(view: View, found: Sequence[Run]) -> int:
    """Who waits for a person is not silent: it is our turn."""
    asking = {run.id for run in found if run.waiting_since is not None}
    return len(events.silent(view, [run.id for run in found]) - asking)
