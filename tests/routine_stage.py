"""Routines on the engine's stage: a clock to move, and runs that begin and end when told to."""

from datetime import datetime
from typing import Any

from engine_stage import ASKED, Spool, Stage
from ground import JOAN, NOW

from roundtable_desktop.engine import routines as firing_due
from roundtable_desktop.engine.desk import Asked, routines
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.model.records import Run, Wakeup
from roundtable_desktop.model.routines import Firing, Routine, Template, Trigger
from roundtable_desktop.model.states import ConcurrencyPolicy, TriggerKind
from roundtable_desktop.store import firings as stored_firings
from roundtable_desktop.store import routines as stored
from roundtable_desktop.store import wakeups

EVERY_FIVE = "*/5 * * * *"
HEAVY = Template("Daily Dep Update - {{date}}", "Look at {{what}}.")


class Routines:
    """`stage` with a workspace and an agent that may have many runs at once."""

    def __init__(self, stage: Stage, **agent: Any) -> None:
        self.stage = stage
        self.workspace = stage.workspace()
        many = {"max_concurrent_sessions": 64, "skip_idle_wakeups": False}
        self.agent = stage.agent(self.workspace, **{**many, **agent})
        self.build()

    def build(self) -> None:
        self.born: list[str] = []
        self.claimed = False
        self.stage.dispatcher._launch = self.born.append
        self.due = firing_due.Routines(self.stage.store, self.stage.ids, lambda: 0.5)

    # --- commands ------------------------------------------------------------------------------

    def add(self, cron: str | None = EVERY_FIVE, zone: str = "UTC", **changes: Any) -> Routine:
        schedule = Wanted(TriggerKind.SCHEDULE, cron_expression=cron, timezone=zone)
        values: dict[str, Any] = {
            "workspace_id": self.workspace.id,
            "name": "Look around",
            "assignee_agent_id": self.agent.id,
            "triggers": [schedule] if cron else [],
        }
        return routines.create(self.stage.desk, ASKED, NewRoutine(**{**values, **changes}))

    def edit(self, routine: Routine, **changes: Any) -> Routine:
        return routines.edit(self.stage.desk, ASKED, routine.id, **changes)

    def fire(self, routine: Routine, key: str | None = None, **variables: object) -> Firing:
        asked = Asked(JOAN, key, "print")
        return routines.fire_now(self.stage.desk, asked, routine.id, variables)

    def remove(self, routine: Routine) -> None:
        routines.remove(self.stage.desk, ASKED, routine.id)

    # --- what happens --------------------------------------------------------------------------

    def pass_time(self, **span: float) -> None:
        self.stage.clock.forward(**span)
        self.due.fire_due()

    def until(self, moment: datetime) -> None:
        self.pass_time(seconds=(moment - self.stage.clock.now()).total_seconds())

    def start(self) -> Run | None:
        """The next wakeup's run, whose pretended runner has said hello; None where there is
        none, or a gate answered."""
        self.born.clear()
        self.claimed = self.stage.step()
        if not self.born:
            return None
        run = self.stage.ground.get_run(self.born[-1])
        spool = self.stage.launcher.spools[run.id] = Spool(run.fence)
        spool.hello()
        self.stage.consume(run)
        return self.stage.ground.get_run(run.id)

    def work(self) -> Run:
        run = self.start()
        assert run is not None
        return run

    def finish(self, run: Run, status: str = "completed", **words: Any) -> Run:
        result = {"status": status, "summary": "Done.", **words}
        return self.stage.finish(run, result=result)

    def work_all(self) -> int:
        """Everything that waits runs to its end, one after the other; how many runs that was."""
        done = 0
        while (run := self.start()) is not None or self.claimed:
            if run is not None:
                self.finish(run)
                done += 1
        return done

    # --- what there is -------------------------------------------------------------------------

    def get(self, routine: Routine) -> Routine:
        with self.stage.ground.reader.snapshot() as view:
            found = stored.get(view, routine.id)
        assert found is not None
        return found

    def firings(self, routine: Routine) -> list[Firing]:
        """Oldest first."""
        with self.stage.ground.reader.snapshot() as view:
            return stored_firings.of_routine(view, routine.id, 10_000)[::-1]

    def states(self, routine: Routine) -> list[str]:
        return [str(one.status) for one in self.firings(routine)]

    def triggers(self, routine: Routine) -> list[Trigger]:
        with self.stage.ground.reader.snapshot() as view:
            return stored.triggers_of(view, [routine.id])[routine.id]

    def schedule(self, routine: Routine) -> Trigger:
        return next(one for one in self.triggers(routine) if one.kind is TriggerKind.SCHEDULE)

    def wakeup_of(self, firing: Firing) -> Wakeup:
        assert firing.wakeup_id is not None
        with self.stage.ground.reader.snapshot() as view:
            found = wakeups.get(view, firing.wakeup_id)
        assert found is not None
        return found


__all__ = ["EVERY_FIVE", "HEAVY", "NOW", "Routines"]


def never_stick(
    routines: Routines, policy: ConcurrencyPolicy, template: Template | None, firings: int
) -> None:
    """Runs of all lengths and ends; afterwards nothing is open and the next one fires."""
    routine = routines.add("* * * * *", concurrency_policy=policy, template=template)
    live: list[Run] = []
    for number in range(firings):
        routines.pass_time(minutes=1)
        while (run := routines.start()) is not None:
            live.append(run)
        while live and number % 3 == 0:
            routines.finish(live.pop(), "failed" if number % 49 == 0 else "completed")
    while live:
        routines.finish(live.pop())
        routines.work_all()
    routines.work_all()
    found = routines.firings(routine)
    assert len(found) == firings
    assert not [one for one in found if one.completed_at is None]
    routines.pass_time(minutes=1)
    assert routines.states(routine)[-1] in ("received", "task_created")
