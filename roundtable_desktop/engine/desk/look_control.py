"""What the faces may see of control: whether work is taken up, and who is really at work."""

from collections.abc import Callable, Mapping, Sequence

from roundtable_desktop.engine.checkpoints import hearing
from roundtable_desktop.engine.intake import LEAVING
from roundtable_desktop.model.checkpoints import NOTHING, Checkpoint, Rest
from roundtable_desktop.model.glance import AtWork
from roundtable_desktop.model.records import Process, Run
from roundtable_desktop.store import agents, events, proposals, runs, settings, tasks, wakeups
from roundtable_desktop.store.db import Reader, View

Lives = Callable[[Process], bool]
"""Whether that very process is there now."""
OfRuns = Callable[[], Mapping[str, Sequence[int]]]
"""Living processes by the run whose mark they bear, of any home."""


class LookLeaving:
    """A part of `Look`: what is between a person who leaves and the closed lid."""

    def __init__(self, reader: Reader, of_runs: OfRuns) -> None:
        self._reader, self._of_runs = reader, of_runs

    def checkpoints(self) -> list[Checkpoint]:
        """Of the runs that are still at work; of nobody unless somebody leaves."""
        with self._reader.snapshot() as view:
            leaves = settings.of_home(view).intake == LEAVING
            return [_checkpoint(view, run) for run in runs.live(view)] if leaves else []

    def rest(self, view: View) -> Rest:
        """What is under way besides runs. Asked of the machine only when nothing else is: it looks
        at every process."""
        if settings.of_home(view).intake != LEAVING or runs.count_live(view):
            return NOTHING
        deliveries = len(proposals.intended(view))
        left = self._of_runs() if not deliveries else {}
        pids = [pid for run, found in left.items() if runs.get(view, run) for pid in found]
        return Rest(deliveries, tuple(sorted(pids)))


def _checkpoint(view: View, run: Run) -> Checkpoint:
    agent, task = agents.get(view, run.agent_id), tasks.get(view, run.task_id or "")
    assert agent is not None, "foreign keys hold"
    number = task.number if task is not None else None
    return Checkpoint(run.id, agent.name, number, hearing(agent, run))


def at_work(view: View, lives: Lives) -> AtWork:
    """Counted from three sides that may differ: rows, processes, and what runners have told."""
    known = runs.processes_of_live(view)
    alive = [one for one in runs.live(view) if any(map(lives, known.get(one.id, ())))]
    return AtWork(claimed=len(wakeups.claimed(view)), live=len(alive), silent=_silent(view, alive))


def _silent(view: View, found: Sequence[Run]) -> int:
    """Who waits for a person is not silent: it is our turn."""
    asking = {run.id for run in found if run.waiting_since is not None}
    return len(events.silent(view, [run.id for run in found]) - asking)
