"""A workspace with one agent and tasks that wait for each other, for the tests of the graph."""

from typing import Any

from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import board
from roundtable_desktop.model.graph import Approval, Edge
from roundtable_desktop.model.records import Agent, InboxItem, Run, Task, Wakeup, Workspace
from roundtable_desktop.model.states import Source, TaskStatus, WakeupStatus
from roundtable_desktop.store import approvals, dependencies, lists
from roundtable_desktop.store.tables import Wakeups

DONE = {"status": "completed"}


class Work:
    """A workspace with one agent, and tasks by their names."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.workspace: Workspace = stage.workspace()
        self.agent: Agent = stage.agent(self.workspace, max_concurrent_sessions=9)

    def task(self, title: str = "It", *after: Task, agent: bool = True, **more: Any) -> Task:
        edges = [Edge(depends_on_task_id=one.id) for one in after]
        who = self.agent if agent else None
        return self.stage.task(self.workspace, who, title=title, depends_on=edges, **more)

    def now(self, task: Task) -> Task:
        return self.stage.ground.get_task(task.id)

    def move(self, task: Task, *to: TaskStatus, note: str = "") -> Task:
        for one in to:
            task = board.move(self.stage.desk, ASKED, task.id, one, note)
        return task

    def done(self, task: Task) -> Task:
        """By a person's hand: started and finished."""
        return self.move(task, TaskStatus.IN_PROGRESS, TaskStatus.DONE)

    def wakeups(self, task: Task, source: Source | None = None) -> list[Wakeup]:
        with self.stage.ground.reader.snapshot() as view:
            here = Wakeups.task_id == task.id
            found = view.all(Wakeup, Wakeups.select().where(here).order_by(Wakeups.id))
        return [one for one in found if source in (None, one.source)]

    def waiting_for(self, task: Task) -> list[int]:
        with self.stage.ground.reader.snapshot() as view:
            return [one.number for one in dependencies.waiting_for(view, task.id)]

    def items(self, **filters: object) -> list[InboxItem]:
        with self.stage.ground.reader.snapshot() as view:
            return lists.page(view, lists.INBOX, after=None, limit=50, **filters)

    def asked(self, task: Task) -> list[Approval]:
        """What waits for a yes or a no about it."""
        with self.stage.ground.reader.snapshot() as view:
            return approvals.open_of_task(view, task.id)

    def held(self, task: Task) -> Wakeup:
        """Its assignment, after it was taken up and put back."""
        while self.stage.step():
            pass
        (one,) = [each for each in self.wakeups(task) if each.status is WakeupStatus.QUEUED]
        return one

    def run(self, task: Task) -> Run:
        """Its run, launched with all else that can be."""
        while self.stage.step():
            pass
        self.stage.play()
        run = [one for one in self.stage.ground.runs() if one.task_id == task.id][-1]
        self.stage.consume(run)
        return self.stage.ground.get_run(run.id)
