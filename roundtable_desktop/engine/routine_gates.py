"""The gates that only a routine's wakes meet: is it still wanted, is it worth a run (K-26)."""

import logging

from roundtable_desktop.engine import graph
from roundtable_desktop.engine.pipeline import Case
from roundtable_desktop.model.records import SYSTEM, Agent, Task, Wakeup
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.states import Probe, RoutineStatus, Source, TaskStatus, WakeupOutcome
from roundtable_desktop.model.verdicts import Answer, Cancel, Finish, Go
from roundtable_desktop.rules import idle
from roundtable_desktop.rules.idle import Periodic
from roundtable_desktop.store import events, firings, routines, runs, tasks, wakeups
from roundtable_desktop.store.db import Tx, View

log = logging.getLogger(__name__)


def routine_standing(tx: Tx, case: Case) -> Answer:
    """What was paused or archived meanwhile starts nothing any more: neither a wake, nor a task
    that is only assigned yet, which is cancelled with it."""
    if case.wakeup.source is Source.ROUTINE:
        return standing(_routine(tx, case.wakeup))
    task = case.task
    if task is None or task.routine_id is None or not _only_assigned(tx, case.wakeup, task):
        return Go()
    answer = standing(routines.get(tx, task.routine_id))
    if isinstance(answer, Cancel):
        data = {"reason": answer.reason, "routine_id": task.routine_id}
        graph.move(tx, case.ids, task, TaskStatus.CANCELLED, actor=SYSTEM, data=data)
    return answer


def _only_assigned(view: View, wakeup: Wakeup, task: Task) -> bool:
    """Nobody worked on it, the firing is all that wakes its agent now, and no person's word waits:
    what a person assigned by hand, or has something to say about, is theirs."""
    alone = all(cause.get("source") == Source.TASK_ASSIGNED for cause in wakeup.causes())
    fresh = wakeup.source is Source.TASK_ASSIGNED and task.status is TaskStatus.TODO and alone
    return (
        fresh
        and firings.set_off(view, wakeup.id)
        and not wakeups.word_waits(view, task.id, wakeup.agent_id)
        and not runs.of_task(view, task.id)
    )


def standing(routine: Routine | None) -> Answer:
    if routine is None:
        return Cancel("routine_removed")
    detail: dict[str, object] = {"routine_id": routine.id, "name": routine.name}
    if routine.deleted_at is not None:
        return Cancel("routine_removed", detail)
    if routine.status is RoutineStatus.ACTIVE:
        return Go(detail)
    return Cancel(f"routine_{routine.status}", detail)


def idle_skip(tx: Tx, case: Case) -> Answer:
    wake = _periodic(tx, case.wakeup, case.agent)
    answer = idle.idle(wake) if wake is not None else Go()
    if isinstance(answer, Finish):
        log.info(
            "wakeup_idle_skipped wakeup_id=%s agent_id=%s agent_name=%s reason=%s",
            case.wakeup.id,
            case.agent.id,
            case.agent.name,
            idle.NO_TASKS,
        )
        return Finish(WakeupOutcome.IDLE_SKIPPED, told(case.wakeup, case.agent, answer))
    return answer


def told(wakeup: Wakeup, agent: Agent, answer: Finish) -> dict[str, object]:
    """K-28: what its entry in the activity names."""
    return {"wakeup_id": wakeup.id, "agent_name": agent.name, **answer.detail}


def probe(tx: Tx, case: Case) -> Answer:
    wake = _periodic(tx, case.wakeup, case.agent)
    return idle.probe(wake) if wake is not None else Go()


def _periodic(tx: Tx, wakeup: Wakeup, agent: Agent) -> Periodic | None:
    """None for every wake that is not a schedule's alone."""
    if wakeup.source is not Source.ROUTINE or wakeup.task_id is not None:
        return None
    routine = _routine(tx, wakeup)
    if routine is None or not firings.all_scheduled(tx, wakeup):
        return None
    return periodic(tx, routine, agent)


def periodic(view: View, routine: Routine, agent: Agent) -> Periodic:
    """The same facts for `explain`."""
    asks = routine.probe is Probe.WORKSPACE_EVENTS
    before = firings.last_run(view, routine.id) if asks else None
    happened = events.anything_since(view, before) if before is not None else None
    return Periodic(agent, routine.probe, tasks.actionable(view, agent.id), happened)


def _routine(view: View, wakeup: Wakeup) -> Routine | None:
    return routines.get(view, str(wakeup.payload.get("routine_id")))
