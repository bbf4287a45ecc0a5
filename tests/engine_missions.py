"""A mission on the stage: its tasks, its agents, and what becomes of them, step by step."""

from typing import Any

from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import missions as desk_missions
from roundtable_desktop.engine.missions import Missions
from roundtable_desktop.engine.opening import Openings
from roundtable_desktop.model.missions import Mission, Wave
from roundtable_desktop.model.records import Agent, Run, Task, Wakeup
from roundtable_desktop.model.resources import Gauge
from roundtable_desktop.model.states import LIVE_RUNS, Role, WakeupStatus
from roundtable_desktop.store import missions, runs, tasks, wakeups


class Crew:
    """coordinated: with a coordinator, else a person plans."""

    def __init__(self, stage: Stage, *, agents: int = 2, coordinated: bool = False) -> None:
        self.stage = stage
        self.home = stage.workspace()
        self.chair = (
            stage.agent(self.home, name="Chair", role=Role.COORDINATOR) if coordinated else None
        )
        self.agents = [stage.agent(self.home, name=f"Worker {n}") for n in range(agents)]
        self.id = self.begin().id
        self.build()

    def build(self) -> None:
        """Also anew: then nothing of what was in memory is left."""
        stage = self.stage
        self.openings = Openings(stage.store, stage.ground.reader, stage.git, stage.ids)
        self.missions = Missions(
            stage.store,
            stage.ground.reader,
            stage.clock,
            stage.ids,
            lambda: 0.5,
            Gauge,
            lambda mission: stage.later("open", lambda: self.openings.open(mission)),
        )

    def restart(self) -> None:
        self.stage.restart()
        self.build()

    def begin(self, goal: str = "Go", **changes: Any) -> Mission:
        return desk_missions.create(self.stage.desk, ASKED, self.home.id, goal=goal, **changes)

    def open(self) -> None:
        """The first look, and the branch that it asks for."""
        self.look()
        self.stage.play()

    def task(self, title: str = "Do it", agent: Agent | None = None, **changes: Any) -> Task:
        return self.stage.task(
            self.home, agent, **{"mission_id": self.id, "title": title, **changes}
        )

    def look(self) -> int:
        return self.missions.look()

    def turn(self) -> None:
        """One tick: looks, claims and launches whatever can be."""
        self.look()
        while self.stage.step():
            pass
        self.stage.play()
        for run in self.live():
            self.stage.consume(run)

    def end(self, run: Run, status: str = "completed", **files: str) -> None:
        self.stage.leave(run, **files)
        self.stage.finish(
            run, result={"status": status, **({} if status != "blocked" else BLOCKED)}
        )
        self.stage.deliver()

    # --- what there is -------------------------------------------------------------------------

    @property
    def mission(self) -> Mission:
        with self.stage.store.transaction() as tx:
            found = missions.get(tx, self.id)
        assert found is not None
        return found

    @property
    def root(self) -> Task:
        return self.now(self.mission.root_task_id)

    def now(self, task: Task | str) -> Task:
        with self.stage.store.transaction() as tx:
            found = tasks.get(tx, task if isinstance(task, str) else task.id)
        assert found is not None
        return found

    def waves(self) -> list[Wave]:
        with self.stage.store.transaction() as tx:
            return missions.waves(tx, self.id)

    def live(self) -> list[Run]:
        with self.stage.store.transaction() as tx:
            return [one for one in runs.live(tx) if one.status in LIVE_RUNS]

    def run_of(self, task: Task) -> Run:
        return next(one for one in self.live() if one.task_id == task.id)

    def waiting(self, task: Task) -> list[Wakeup]:
        with self.stage.store.transaction() as tx:
            return wakeups.waiting_for_task(tx, task.id)

    def wakes(self) -> list[tuple[str | None, str]]:
        """(task, reason) of every wakeup that there was, oldest first."""
        rows = self.stage.ground.rows("agent_wakeup_requests")
        return [(one["task_id"], one["reason"]) for one in rows]

    def kinds(self, *starts: str) -> list[str]:
        return [one for one in self.stage.ground.kinds() if one.startswith(starts)]

    def queued(self) -> int:
        rows = self.stage.ground.rows("agent_wakeup_requests")
        return sum(one["status"] == WakeupStatus.QUEUED for one in rows)


BLOCKED = {"blocked": {"owner": "user", "action": "Say which colour"}}
