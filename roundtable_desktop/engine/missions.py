"""Looks at each mission that goes on: plans its next wave, or sees that it is over (R-01, A-09)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from roundtable_desktop.engine import (
    converging,
    ending,
    phases,
    review_waves,
    reviving,
    waves,
)
from roundtable_desktop.engine.dispatcher import NOT_ITS_FAULT
from roundtable_desktop.engine.waves import Picture
from roundtable_desktop.model.convergence import Converged, Convergence
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import PLANNING, Mission, MissionState, Pace, Phase
from roundtable_desktop.model.missions import MissionOutcome as Outcome
from roundtable_desktop.model.ports import Dice, Ids, RowClock
from roundtable_desktop.model.records import Json, Subject
from roundtable_desktop.model.resources import Gauge
from roundtable_desktop.model.states import TERMINAL_TASKS, TaskStatus
from roundtable_desktop.model.waves import Step, WavePlan, Why
from roundtable_desktop.rules.redact import clip, redact
from roundtable_desktop.rules.retry import tick_delay
from roundtable_desktop.rules.waves import plan as planned
from roundtable_desktop.store import events, journal, missions, sittings, standing
from roundtable_desktop.store.db import Reader, Store, Tx, View

log = logging.getLogger(__name__)

USUAL = Pace()
MEASURED = timedelta(seconds=5)
"""How soon it is looked again whether the machine has more to give; nothing tells of that."""
ERROR_BYTES = 4096
_ASKED = ("user", "cores")
NO_WORK = "no_work_planned"


@dataclass(frozen=True, slots=True)
class Thought:
    """What a look found, and what is to be done about it; nothing when all stays as it is.

    until: when the next thing falls due. phases: to be gone to in turn. reviews: what was merged
    is to be looked at first, for nothing is at work or to be merged now.
    """

    seen: Picture
    plan: WavePlan
    found: Convergence | None
    phases: tuple[Phase, ...]
    waves_over: tuple[str, ...]
    reviews: bool
    until: datetime | None
    last_event: int

    @property
    def idle(self) -> bool:
        mission = self.seen.mission
        return not (
            self.plan.runnable_task_ids
            or self.seen.fresh(self.plan)
            or self.waves_over
            or self.reviews
            or self.ends
            or (self.phases and self.phases != (mission.phase,))
            or mission.consecutive_errors
            or mission.look_at != self.until
        )

    @property
    def ends(self) -> bool:
        found = self.found
        over = found is not None and found.state is not Converged.ACTIVE
        return over or (found is not None and converging.has_no_work(self.seen, found))

    @property
    def measures(self) -> bool:
        """Whether only the machine is in the way."""
        whys = self.plan.tasks.values()
        return any(
            one.code is Why.NO_ROOM and one.values.get("limit") not in _ASKED for one in whys
        )


class Missions:
    """Called at each tick, on the scheduler's thread. gauge: what the machine has to give;
    `open(mission_id)` makes the branch of one that has none, and returns at once.

    Each is looked at in a transaction of its own, when something was told of its workspace, or its
    time has come. One that fails is tried again, and keeps no other from going on (R-02).
    """

    def __init__(
        self,
        store: Store,
        reader: Reader,
        clock: RowClock,
        ids: Ids,
        dice: Dice,
        gauge: Callable[[], Gauge],
        open: Callable[[str], None],
        pace: Pace = USUAL,
    ) -> None:
        self._store, self._reader, self._clock = store, reader, clock
        self._ids, self._dice, self._gauge, self._open = ids, dice, gauge, open
        self._usual = pace
        self._seen: dict[str, int] = {}
        self._again: dict[str, datetime] = {}
        self._looks: dict[str, int] = {}
        self.failing: set[str] = set()

    def look(self) -> int:
        """How many were looked at; what did not change costs one question each (R-06)."""
        now = self._clock.now()
        self._lose_silent(now)
        with self._reader.snapshot() as view:
            alive = missions.alive(view)
            due = [one for one in alive if self._is_due(view, one, now)]
            stuck = [one for one in missions.blocked(view) if reviving.stands_for_agents(one)]
            freed = [one for one in stuck if self._has_news(view, one)]
        for one in alive:
            if one.opened_at is None and one.state in PLANNING:
                self._open(one.id)
        self._forget({one.id for one in alive if one.state in PLANNING}, {one.id for one in stuck})
        for one in freed:
            self._revive(one.id, now)
        for one in due:
            self._one(one.id)
        return len(due)

    def _lose_silent(self, now: datetime) -> None:
        """Of a `roundtable run` that was killed neither its pace nor its presence stays. While the
        clock stands it says nothing of how long one was not heard."""
        if self._clock.stands:
            return
        with self._reader.snapshot() as view:
            there = sittings.every_present(view)
        for one in there:
            if sittings.silent_at(one) <= now:
                with self._store.transaction() as tx:
                    sittings.lose(tx, one.id)

    def next_due(self, view: View, now: datetime) -> datetime | None:
        """By the machine's own clock they are asked every second; one that goes from one due
        instant to the next is told when something will be."""
        there = [] if self._clock.stands else sittings.every_present(view)
        dues = [sittings.silent_at(one) for one in there]
        for one in missions.alive(view):
            if one.state not in PLANNING:
                continue
            if not self._clock.stands:
                dues.append(now + self._pace(view, one.id).interval)
            at = max(filter(None, (one.look_at, self._again.get(one.id))), default=None)
            if at is not None and one.opened_at is not None:
                dues.append(at)
        return min(dues, default=None)

    def _pace(self, view: View, mission_id: str) -> Pace:
        """Of the `roundtable run` that stays with it, if any does."""
        sitting = sittings.present(view, mission_id)
        return self._usual if sitting is None else sittings.pace(sitting.pace)

    def _is_due(self, view: View, mission: Mission, now: datetime) -> bool:
        if mission.opened_at is None or mission.state not in PLANNING:
            return False
        again = self._again.get(mission.id)
        if mission.consecutive_errors or mission.id in self.failing:
            return all(at is None or at <= now for at in (mission.look_at, again))
        if any(at is not None and at <= now for at in (mission.look_at, again)):
            return True
        return self._has_news(view, mission)

    def _has_news(self, view: View, mission: Mission) -> bool:
        seen = self._seen.get(mission.id, mission.seen_event)
        if standing.news(view, mission.workspace_id, seen) is not None:
            return True
        self._seen[mission.id] = events.last_id(view)  # nothing up to there is asked about again
        return False

    def _revive(self, mission_id: str, now: datetime) -> None:
        """One that was blocked for want of agents is looked at again when there are some."""
        try:
            gauge = self._gauge()
            with self._reader.snapshot() as view:
                last, able = events.last_id(view), reviving.may_go_on(view, mission_id, now, gauge)
            if able is not None:
                with self._store.transaction() as tx:
                    sure = reviving.may_go_on(tx, mission_id, tx.now, gauge)
                    if sure is not None:
                        reviving.go_on(tx, sure)
            self._seen[mission_id] = last
        except NOT_ITS_FAULT:
            raise
        except Exception:
            log.exception("blocked mission not looked at mission=%s", mission_id)

    def _forget(self, planning: set[str], stuck: set[str]) -> None:
        for known in (self._seen, self._again, self._looks):
            for one in set(known) - planning - stuck:
                del known[one]
        self.failing &= planning

    def _one(self, mission_id: str) -> None:
        self._looks[mission_id] = self._looks.get(mission_id, 0) + 1
        try:
            self._look(mission_id)
        except NOT_ITS_FAULT:
            raise
        except Exception as error:
            log.exception("mission not looked at mission=%s", mission_id)
            self._failed(mission_id, error)
        else:
            self.failing.discard(mission_id)

    def _look(self, mission_id: str) -> None:
        """Read first: mostly nothing is to be done, and others may write meanwhile."""
        gauge = self._gauge()
        with self._reader.snapshot() as view:
            thought = think(view, mission_id, self._clock.now(), gauge)
        if thought is None:
            return
        if not thought.idle:
            with self._store.transaction() as tx:
                thought = think(tx, mission_id, tx.now, gauge, self._ids.new())
                if thought is None:
                    return
                for decision in DECISIONS:
                    decision(tx, self._ids, thought)
                missions.note(tx, thought.seen.mission, seen_event=thought.last_event)
        self._seen[mission_id] = thought.last_event  # what was decided is looked at once more
        self._again.pop(mission_id, None)
        if thought.measures:
            self._again[mission_id] = self._clock.now() + MEASURED

    def _failed(self, mission_id: str, error: Exception) -> None:
        """W-08: that it cannot be told stops nothing."""
        text = clip(redact(f"{type(error).__name__}: {error}", ()), ERROR_BYTES)
        self._again[mission_id] = self._clock.now() + tick_delay(1, self._dice)
        self.failing.add(mission_id)
        try:
            with self._store.transaction() as tx:
                mission = missions.get(tx, mission_id)
                assert mission is not None
                if mission.state not in PLANNING:
                    return
                count, pace = mission.consecutive_errors + 1, self._pace(tx, mission_id)
                fault = {"class": type(error).__name__, "text": text}
                self._tell(tx, mission, fault, count, pace)
                self._again.pop(mission_id, None)
            if count < pace.max_errors:
                self.failing.discard(mission_id)
        except NOT_ITS_FAULT:
            raise
        except Exception:
            log.exception("retry not told mission=%s", mission_id)

    def _tell(self, tx: Tx, mission: Mission, fault: Json, count: int, pace: Pace) -> None:
        """C-84: degraded after so many in a row, given up after as many more; beside a
        `roundtable run` at the first of these."""
        delay, most = tick_delay(count, self._dice, pace.backoff), pace.most
        missions.note(tx, mission, consecutive_errors=count, error=fault, look_at=tx.now + delay)
        milliseconds = delay // timedelta(milliseconds=1)
        data = {
            "iteration": self._looks[mission.id],
            "attempt": count,
            "max": most,
            "error": fault,
            "next_delay_ms": milliseconds,
        }
        subject, where = Subject("mission", mission.id), mission.workspace_id
        journal.tell(tx, Kind.MISSION_RETRY, subject, workspace_id=where, data=data)
        if count >= most:
            ending.give_up(tx, self._ids, mission, fault)
        elif count >= pace.max_errors and mission.state is MissionState.ACTIVE:
            missions.move(tx, mission, MissionState.DEGRADED, data={"reason": ending.LOOK_FAILED})


def think(
    view: View, mission_id: str, now: datetime, gauge: Gauge, wave_id: str = ""
) -> Thought | None:
    """None: it is none that is planned any more."""
    mission = missions.get(view, mission_id)
    if mission is None or mission.state not in PLANNING or mission.opened_at is None:
        return None
    last = events.last_id(view)
    seen = waves.picture(view, mission, now, gauge)
    plan = planned(seen.seen, wave_id)
    quiet = not (seen.standing.open.merges or _at_work(seen))
    reviews = quiet and review_waves.wants(view, mission)
    plan = replace(plan, runnable_task_ids=()) if reviews else plan
    found = None if reviews or plan.runnable_task_ids else converging.judge(seen, plan)
    over = tuple(
        one
        for one, of_it in standing.open_waves(view, mission.id).items()
        if not any(_goes_on(task_id, status, seen) for task_id, status in of_it.items())
    )
    until = plan.until if plan.until is not None and plan.until > now else None
    phases_to = (Phase.REVIEWING_WAVE,) if reviews else _phases(seen, plan)
    return Thought(seen, plan, found, phases_to, over, reviews, until, last)


def _at_work(seen: Picture) -> bool:
    stands = seen.standing
    return any(one.id in stands.live or one.id in stands.due for one in seen.tasks)


def _goes_on(task_id: str, status: TaskStatus, seen: Picture) -> bool:
    at_work = task_id in seen.standing.live or task_id in seen.standing.due
    return at_work or status in (TaskStatus.IN_PROGRESS, TaskStatus.IN_REVIEW)


def _phases(seen: Picture, plan: WavePlan) -> tuple[Phase, ...]:
    """Where the mission is to go from where it is (A-12, A-24…A-29)."""
    stands = seen.standing
    if plan.runnable_task_ids:
        return (Phase.PLANNING_WAVE, Phase.DISPATCHING, Phase.MONITORING)
    if not seen.tasks:
        return (Phase.IDLE,)
    if _at_work(seen):
        return (Phase.MONITORING,)
    if stands.open.merges:
        return (Phase.MERGING,)
    reviewed = any(one.status is TaskStatus.IN_REVIEW for one in seen.tasks)
    if reviewed or stands.reviews or stands.open.gates or stands.open.approvals:
        return (Phase.REVIEWING_WAVE,)
    if plan.step is Step.WAITING and not all(one.status in TERMINAL_TASKS for one in seen.tasks):
        return (Phase.MONITORING,)
    return (Phase.REPAIRING_OR_CONTINUING,)


# --- what follows from a look, in this order (W-35) ----------------------------------------------


def recover(tx: Tx, ids: Ids, thought: Thought) -> None:
    """It could be looked at again: its errors do not count any more."""
    mission = thought.seen.mission
    if mission.consecutive_errors:
        missions.note(tx, mission, consecutive_errors=0, error=None)
    if mission.state is MissionState.DEGRADED:
        missions.move(tx, mission, MissionState.ACTIVE, data={"reason": "recovered"})


def review(tx: Tx, ids: Ids, thought: Thought) -> None:
    """A-28: between two waves, and before the end."""
    if thought.reviews:
        review_waves.after_merge(tx, ids, thought.seen.mission)


def dispatch(tx: Tx, ids: Ids, thought: Thought) -> None:
    waves.carry_out(tx, ids, thought.seen, thought.plan)


def end_waves(tx: Tx, ids: Ids, thought: Thought) -> None:
    if thought.waves_over:
        missions.end_waves(tx, thought.waves_over)


def wait(tx: Tx, ids: Ids, thought: Thought) -> None:
    if thought.seen.mission.look_at != thought.until:
        missions.note(tx, thought.seen.mission, look_at=thought.until)


def settle(tx: Tx, ids: Ids, thought: Thought) -> None:
    """R-32: the mission's end is one decision with its event."""
    found, seen = thought.found, thought.seen
    mission = missions.get(tx, seen.mission.id)
    assert mission is not None
    if found is None or not thought.ends:
        return phases.to(tx, mission.id, *thought.phases)
    done = found.state is Converged.COMPLETED
    deaf = reviving.deaf(tx, mission) if done else None
    if done and deaf is None:
        not_run = [one.id for one in review_waves.unrun(tx, mission.id)]
        outcome, report = Outcome(str(found.outcome)), converging.ended(seen, found, not_run)
        ending.complete(tx, ids, mission, outcome, str(found.reason), report)
        return
    code = "invalid" if thought.plan.faults else str(found.reason)
    code = NO_WORK if found.state is Converged.ACTIVE else code
    report = converging.blocked(seen, thought.plan, found)
    why: Json = {"code": code}
    if deaf is not None:
        why = {"code": reviving.COORDINATOR_PAUSED, "agent": deaf.name, "agent_id": deaf.id}
        decision = "resume_coordinator"
        report = {**report, "required_decision": decision, "next_step": decision}
    ending.block(tx, ids, mission, why, report)


Decision = Callable[[Tx, Ids, Thought], None]
DECISIONS: tuple[Decision, ...] = (recover, review, dispatch, end_waves, wait, settle)
