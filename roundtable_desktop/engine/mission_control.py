"""What a pause, a stop or an end of a mission means for its wakeups and its runs (W-17, W-28)."""

from roundtable_desktop.engine.pipeline import Case
from roundtable_desktop.model.missions import PHASE, Mission, MissionState, Phase
from roundtable_desktop.model.records import SYSTEM, Actor, Json, Run, Wakeup
from roundtable_desktop.model.states import WakeupOutcome, WakeupStatus
from roundtable_desktop.model.verdicts import Answer, Go
from roundtable_desktop.rules import admission
from roundtable_desktop.store import mission_work, missions, turns, wakeups
from roundtable_desktop.store.db import Tx, View

ENDING = (MissionState.DRAINING, MissionState.STOPPING)
"""What runs may end; then it is `stopped`."""


def mission_standing(tx: Tx, case: Case) -> Answer:
    """The step of the pipeline: nothing of a mission that was paused or stopped is started."""
    return admission.mission(mission_work.state_of(tx, case.wakeup.about), tx.now)


def may_start(view: View, run: Run) -> bool:
    """Asked at the very start of a process, after the copy was made, which takes its time."""
    state = mission_work.state_of(view, run.task_id or run.judged_task_id)
    return isinstance(admission.mission(state, run.created_at), Go)


def is_stopped(view: View, wakeup: Wakeup) -> bool:
    """Whether it is not to be tried again, whatever became of its run."""
    return mission_work.state_of(view, wakeup.about) in admission.STOPPED_MISSIONS


def cancel(tx: Tx, wakeup: Wakeup, actor: Actor = SYSTEM) -> None:
    wakeups.settle(
        tx,
        wakeup,
        WakeupStatus.CANCELLED,
        outcome=WakeupOutcome.MISSION_STOPPED,
        cancel_reason=admission.MISSION_STOPPED,
        actor=actor,
    )


def cancel_waiting(tx: Tx, mission: Mission, actor: Actor = SYSTEM) -> None:
    """All that waits for it; what was said stays said, and is heard after a reopening."""
    for wakeup in mission_work.queued(tx, mission.id):
        cancel(tx, wakeup, actor)


def settle(tx: Tx, mission: Mission, actor: Actor = SYSTEM, data: Json | None = None) -> bool:
    """The end of a stop (W-28): state, phase, `ended_at` and event in one transaction, its waves
    over, its turns lapsed and nothing of it left in the queue. Copies stay, with the work in them.
    False when somebody was faster."""
    if not missions.move(
        tx, mission, MissionState.STOPPED, actor=actor, data=data, reason="stopped", outcome=None
    ):
        return False
    if PHASE.allows(mission.phase, Phase.CANCELLED):
        missions.enter(tx, mission, Phase.CANCELLED)
    over = [wave.id for wave in missions.waves(tx, mission.id) if wave.ended_at is None]
    missions.end_waves(tx, over)
    for turn in turns.open_in(tx, mission.id):
        turns.lapse(tx, turn, admission.MISSION_STOPPED)
    cancel_waiting(tx, mission, actor)
    return True


def pass_time(tx: Tx) -> None:
    """At each look of the loop: of what drains, the last run may have ended (C-56)."""
    for mission in missions.alive(tx):
        if mission.state in ENDING and not mission_work.live(tx, mission.id):
            settle(tx, mission)
