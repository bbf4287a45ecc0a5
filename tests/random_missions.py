"""Random missions with random failures, on a stage: order, write areas, one outcome each, and
restarts anywhere. The database is real; git and what agents do are pretended."""

import random
from pathlib import Path
from typing import Any

from engine_missions import Crew
from engine_stage import ASKED, Stage

from roundtable_desktop.adapters.pretend import PretendGit
from roundtable_desktop.engine.desk import board
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import OVER, MissionOutcome, MissionState
from roundtable_desktop.model.ports import Repository
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import TERMINAL_TASKS, DependencyType, TaskStatus

CHUNK = 25
"""Graphs in one database."""
STEPS = 900
AREAS: tuple[tuple[str, ...], ...] = (("a/",), ("a/x.py",), ("b/",), ("c.py",), ("b/", "d/"), ())
READY = ("same_area", "area_unknown", "serialized", "no_room", "agent_busy", "agent_rests")
"""Why a wave is without a task that could run by the graph."""
MEET = {"a/": {"a/x.py"}, "a/x.py": {"a/"}}
"""Which of them meet, besides each with itself; nobody knows what a task without any writes."""


class Branches(PretendGit):
    """Mission branches are there once they were begun."""

    def __init__(self) -> None:
        super().__init__()
        self._begun: dict[str, str] = {}

    def commit_of(self, repository: Repository, branch: str) -> str | None:
        mine = branch.startswith("roundtable/m/")
        return self._begun.get(branch) if mine else super().commit_of(repository, branch)

    def begin_branch(self, repository: Repository, branch: str, commit: str) -> str:
        return self._begun.setdefault(branch, commit)


class World(Crew):
    """A mission without files: its git pretends, and its runs end as the dice say."""

    def __init__(self, stage: Stage, dice: random.Random) -> None:
        self.stage, self.dice = stage, dice
        self.home, self.chair = stage.ground.workspace(), None
        number = dice.randint(1, 3)
        self.agents = [
            stage.ground.agent(
                self.home,
                cooldown_sec=dice.choice((0, 10)),
                max_concurrent_sessions=dice.randint(1, 2),
            )
            for _ in range(number)
        ]
        self.id = self.begin().id
        self.build()
        self.hard: dict[str, set[str]] = {}
        self.first: dict[str, set[str]] = {}
        self.areas: dict[str, tuple[str, ...]] = {}
        self.seen: set[str] = set()
        self.made = [self._task() for _ in range(dice.randint(1, 7))]

    def _task(self) -> Task:
        dice = self.dice
        earlier = list(self.areas)
        drawn = dice.sample(earlier, min(len(earlier), dice.choice((0, 0, 1, 2))))
        kinds = [dice.choice([*DependencyType, DependencyType.HARD]) for _ in drawn]
        area = dice.choice(AREAS)
        made = self.stage.task(
            self.home,
            dice.choice([None, *self.agents]),
            mission_id=self.id,
            write_area=area,
            priority=dice.randint(0, 2),
            optional=dice.random() < 0.3,
            retry_budget=dice.randint(0, 2),
            depends_on=[
                Edge(depends_on_task_id=one, dependency_type=kind)
                for one, kind in zip(drawn, kinds, strict=True)
            ],
        )
        self.areas[made.id] = area
        pairs = list(zip(drawn, kinds, strict=True))
        self.hard[made.id] = {one for one, kind in pairs if kind is DependencyType.HARD}
        self.first[made.id] = {one for one, kind in pairs if kind is DependencyType.SERIALIZATION}
        return made

    # --- what happens --------------------------------------------------------------------------

    def go(self) -> None:
        for _ in range(STEPS):
            self.act()
            self.check()
            if self.mission.state in OVER:
                return
        raise AssertionError(
            f"it never ends: {self.mission} {[self.now(one) for one in self.made]}"
        )

    def act(self) -> None:
        live = self.live()
        choices = ["look", "step", "step", "deliver", "restart", "time"]
        choices += ["end"] * 2 * len(live)
        match self.dice.choice(choices):
            case "look":
                self.look()
                self.stage.play()
            case "step":
                self.stage.step()
                self.crash()
                self.stage.play()
                for run in self.live():
                    self.stage.consume(run)
            case "end" if run := self.dice.choice(live):
                self.stage.consume(run)
                self.finish(run)
            case "deliver":
                self.stage.deliver()
            case "restart":
                self.restart()
                self.stage.play()
            case "time":
                self.stage.clock.forward(seconds=self.dice.choice((1, 30, 4000)))
                self.unblock()

    def crash(self) -> None:
        """The owner dies between a decision and what was to be done for it."""
        if self.dice.random() < 0.1:
            self.restart()

    def finish(self, run: Run) -> None:
        match self.dice.choices(("done", "failed", "blocked", "crashed"), (12, 2, 1, 1))[0]:
            case "done":
                self.stage.finish(run, result={"status": "completed"})
            case "failed":
                words = f"No {self.dice.randint(1, 2)}"
                self.stage.finish(run, result={"status": "failed", "summary": words})
            case "blocked":
                on = {"owner": "user", "action": "Say"}
                self.stage.finish(run, result={"status": "blocked", "blocked": on})
            case "crashed":
                self.stage.finish(run, "crashed", 1)

    def unblock(self) -> None:
        """Now and then a person sees to what stands."""
        for one in self.made:
            task = self.now(one)
            stands = task.status in (TaskStatus.BLOCKED, TaskStatus.FAILED, TaskStatus.INTERRUPTED)
            if stands and self.dice.random() < 0.2:
                board.move(self.stage.desk, ASKED, task.id, TaskStatus.TODO)

    # --- what must hold ------------------------------------------------------------------------

    def check(self) -> None:
        live = [run for run in self.live() if run.task_id in self.areas]
        for run in live:
            if run.id not in self.seen:
                self.seen.add(run.id)
                for blocker in self.hard[str(run.task_id)]:
                    status = self.now(blocker).status
                    assert status is TaskStatus.DONE, f"begun before what comes first: {status}"
        names = [str(run.task_id) for run in live]
        assert len(names) == len(set(names)), "a task is worked on twice"
        for place, one in enumerate(names):
            for other in names[place + 1 :]:
                assert not meet(self.area(one), self.area(other)), "two write the same at once"

    def area(self, task_id: str) -> tuple[str, ...]:
        """As it was declared; else what it has changed, which is always the same here."""
        known = any(one["task_id"] == task_id for one in self.stage.ground.rows("proposals"))
        return self.areas[task_id] or (("pretended",) if known else ())

    def judge(self) -> None:
        """It is over: in one way, told of once, and as its rows say."""
        mission, now = self.mission, [self.now(one) for one in self.made]
        ends = self.kinds("orchestrator.")
        mine = [
            one
            for one in self.stage.ground.events()
            if one.kind.startswith("orchestrator.") and one.subject_id == mission.id
        ]
        assert len(mine) == 1, ends
        if mission.state is MissionState.BLOCKED:
            assert mission.reason == "all_remaining_tasks_blocked" and mission.outcome is None
            assert any(one.status not in TERMINAL_TASKS for one in now)
            return
        assert mission.state is MissionState.COMPLETED
        assert all(one.status in TERMINAL_TASKS for one in now)
        failed = [one for one in now if one.status is TaskStatus.FAILED]
        done = any(one.status is TaskStatus.DONE for one in now)
        if any(not one.optional for one in failed) or not done:
            assert mission.outcome is MissionOutcome.FAILED
        elif failed:
            assert mission.outcome is MissionOutcome.WITH_FAILURES
        else:
            assert mission.outcome is MissionOutcome.COMPLETED
        plans: list[Any] = [wave.plan for wave in self.waves()]
        assert all(1 <= len(one["runnable_task_ids"]) <= 3 for one in plans)
        for task in now:
            passed_by = 0
            for one in plans:
                if task.id in one["runnable_task_ids"]:
                    break
                why = one["tasks"].get(task.id, {})
                goes_first = why.get("values", {}).get("task") in self.first[task.id]
                passed_by += why.get("code") in READY and not goes_first
            assert passed_by <= len(now), "others were begun before it again and again"
            if task.status is TaskStatus.DONE:
                assert any(task.id in one["runnable_task_ids"] for one in plans), "no wave woke it"


def meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if not one or not other:
        return True
    return any(a == b or b in MEET.get(a, ()) for a in one for b in other)


def live_out(folder: Path, seeds: range) -> None:
    """Each of these graphs until its end, all of them in one database."""
    folder.mkdir()
    stage = Stage(folder)
    stage.git = Branches()
    stage.build()
    for seed in seeds:
        world = World(stage, random.Random(seed))
        try:
            world.go()
            world.judge()
        except Exception as error:
            raise AssertionError(f"graph {seed}") from error
    stage.ground.close()
