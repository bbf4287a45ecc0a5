"""A mission on a stage, without its planner: a test says which task runs when."""

from typing import Any

from engine_stage import ASKED, Stage

from roundtable_desktop.engine import merges
from roundtable_desktop.engine.desk import missions as desk_missions
from roundtable_desktop.engine.offering import Offering
from roundtable_desktop.model.missions import Mission, MissionOutcome, MissionState
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import Role, TaskStatus
from roundtable_desktop.store import missions, offers, tasks
from roundtable_desktop.store.db import Tx

DONE = {"status": "completed", "summary": "It works."}


def offer(stage: Stage) -> None:
    """What missions that are completed have for their base branches."""
    with stage.ground.reader.snapshot() as view:
        waiting = offers.intended(view)
    for one in waiting:
        Offering(stage.store, stage.ground.reader, stage.git, stage.ids).offer(one.id)


class OnMission:
    """A workspace with a coordinator and a worker, and a mission whose branch is there."""

    def __init__(self, stage: Stage, goal: str = "Make it better", **changes: Any) -> None:
        self.stage = stage
        self.home = stage.workspace()
        self.coordinator = stage.agent(self.home, name="Cleo", role=Role.COORDINATOR)
        self.worker = stage.agent(
            self.home, name="Wim", role=Role.WORKER, max_concurrent_sessions=3
        )
        made = desk_missions.create(stage.desk, ASKED, self.home.id, goal=goal, **changes)
        stage.folders.plain("branch", made.integration_branch, made.base_commit)
        with stage.store.transaction() as tx:
            missions.note(tx, made, opened_at=tx.now)
        self.id, self.branch = made.id, made.integration_branch

    @property
    def mission(self) -> Mission:
        with self.stage.ground.reader.snapshot() as view:
            found = missions.get(view, self.id)
        assert found is not None
        return found

    @property
    def root(self) -> Task:
        return self.now(self.mission.root_task_id)

    def now(self, task: Task | str) -> Task:
        with self.stage.ground.reader.snapshot() as view:
            found = tasks.get(view, task if isinstance(task, str) else task.id)
        assert found is not None
        return found

    def all_tasks(self) -> list[Task]:
        with self.stage.ground.reader.snapshot() as view:
            return missions.tasks_of(view, self.id)

    def task(self, title: str = "Do it", **changes: Any) -> Task:
        given = {"title": title, "mission_id": self.id, **changes}
        return self.stage.task(self.home, given.pop("agent", self.worker), **given)

    def begun(self, task: Task) -> Run:
        self.stage.ask_run(task)
        return self.stage.launch()

    def worked(self, task: Task, run: Run | None = None, **files: str) -> Proposal:
        """Its run changed these files and is settled; nothing is merged yet."""
        run = run or self.begun(task)
        self.stage.leave(run, **files)
        self.stage.finish(run, result=DONE)
        return self.stage.proposals(task)[-1]

    def merged(self, task: Task, **files: str) -> Proposal:
        made = self.worked(task, **files)
        self.stage.deliver()
        return self.stage.proposals_of(made)

    def complete(self, *, offer: bool = True) -> Proposal | None:
        """As the planner does when nothing is left to do; what was offered of it."""
        with self.stage.store.transaction() as tx:
            found = missions.get(tx, self.id)
            assert found is not None
            done = MissionOutcome.COMPLETED
            missions.move(tx, found, MissionState.COMPLETED, outcome=done)
            root = tasks.get(tx, found.root_task_id)
            assert root is not None
            if root.status is TaskStatus.TODO:
                tasks.move(tx, root, TaskStatus.IN_PROGRESS, actor=ASKED.actor)
            if root.status is not TaskStatus.DONE:
                tasks.move(tx, self.root_in(tx), TaskStatus.DONE, actor=ASKED.actor)
            merges.converged(tx, self.stage.ids, found)
        if not offer:
            return None
        self.offer()
        with self.stage.ground.reader.snapshot() as view:
            last = offers.of_mission(view, self.id)[-1]
        made = self.stage.proposals(self.root)
        return next((one for one in made if one.id == last.proposal_id), None)

    def offer(self) -> None:
        offer(self.stage)

    def root_in(self, tx: Tx) -> Task:
        mission = missions.get(tx, self.id)
        assert mission is not None
        found = tasks.get(tx, mission.root_task_id)
        assert found is not None
        return found

    def shown(self, path: str, branch: str | None = None) -> str:
        return str(self.stage.folders.shown(path, branch or self.branch))

    def files(self, branch: str | None = None) -> list[str]:
        listed = self.stage.folders.plain("ls-tree", "-r", "--name-only", branch or self.branch)
        return str(listed).splitlines()
