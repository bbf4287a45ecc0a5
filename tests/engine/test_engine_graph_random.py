"""Whatever is done to a graph of tasks: nothing starts too early, and nothing waits for ever."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, ScriptedLauncher
from ground import Ground
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from roundtable_desktop.engine import graph
from roundtable_desktop.engine.desk import Desk, board, edges, inbox
from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.records import SYSTEM, InboxItem, Run
from roundtable_desktop.model.states import (
    TERMINAL_TASKS,
    RunOutcome,
    RunStatus,
    TaskStatus,
    WakeupOutcome,
    WakeupStatus,
)
from roundtable_desktop.store import claims, dependencies, gathering, lists, runs, tasks, wakeups
from roundtable_desktop.store.db import Tx, View

TASKS = 5
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["edge", "edge", "drop", "move", "answer", "tick", "end", "end", "again"]),
        st.integers(0, TASKS - 1),
        st.integers(0, TASKS - 1),
    ),
    min_size=20,
    max_size=40,
)


class World:
    """Five tasks of one agent, without git and without runners."""

    def __init__(self, folder: Path) -> None:
        self.ground = Ground(folder)
        workspace = self.ground.workspace()
        agent = self.ground.agent(workspace, cooldown_sec=0, max_concurrent_sessions=99)
        nothing: Any = None
        launcher = ScriptedLauncher(folder / "runs")
        self.desk = Desk(
            self.ground.store,
            nothing,
            nothing,
            self.ground.ids,
            launcher,
            nothing,
            nothing,
            "UTC",
            nothing,
        )
        self.tasks = [self.ground.task(workspace, agent).id for _ in range(TASKS)]
        self.live: list[str] = []
        self.dispatcher = Dispatcher(self.ground.store, self.ground.ids, self.born)
        for task_id in self.tasks:
            board.move(self.desk, ASKED, task_id, TaskStatus.IN_PROGRESS)

    def born(self, run_id: str) -> None:
        """What was launched had nothing left to wait for."""
        with self.ground.reader.snapshot() as view:
            run = runs.get(view, run_id)
            assert run is not None and run.task_id is not None
            assert not dependencies.has_unresolved(view, run.task_id)
        self.live.append(run_id)

    def act(self, what: str, one: int, other: int) -> None:
        with contextlib.suppress(Refused):
            getattr(self, what)(one, other)

    def edge(self, one: int, other: int) -> None:
        with self.ground.store.transaction() as tx:
            task = tasks.get(tx, self.tasks[one])
            assert task is not None
            known = [one.depends_on_task_id for one in dependencies.of_task(tx, task.id)]
            wanted = [Edge(depends_on_task_id=each) for each in {*known, self.tasks[other]}]
            edges.replace(tx, self.desk.ids, task, wanted, ASKED.actor)

    def drop(self, one: int, other: int) -> None:
        with self.ground.store.transaction() as tx:
            edges.drop(tx, self.desk.ids, self.tasks[one], self.tasks[other], ASKED.actor)

    def move(self, one: int, other: int) -> None:
        board.move(self.desk, ASKED, self.tasks[one], board.BY_HAND[other])

    def answer(self, one: int, other: int) -> None:
        for item in self.items():
            inbox.act(self.desk, ASKED, item.id, graph.ANSWERS[one % 3])

    def tick(self, one: int, other: int) -> None:
        with self.ground.store.transaction() as tx:
            claims.promote_due(tx)
        while self.dispatcher.step():
            pass

    def end(self, one: int, other: int) -> None:
        """The run of the task ends: done, or failed for good."""
        for run_id in self.live:
            with self.ground.store.transaction() as tx:
                run = runs.get(tx, run_id)
                assert run is not None and run.task_id is not None
                if run.task_id == self.tasks[one]:
                    self._end(tx, run, TaskStatus.FAILED if other % 2 else TaskStatus.DONE)
        self.live = [run.id for run in self.ground.runs() if run.ended_at is None]

    def _end(self, tx: Tx, run: Run, to: TaskStatus) -> None:
        wakeup, task = wakeups.get(tx, run.wakeup_id), tasks.get(tx, str(run.task_id))
        assert wakeup is not None and task is not None
        runs.finish(tx, run, RunStatus.FAILED, outcome=RunOutcome.DONE, data={})
        wakeups.settle(tx, wakeup, WakeupStatus.FINISHED, outcome=WakeupOutcome.EXECUTED)
        if task.status is TaskStatus.IN_PROGRESS:
            graph.move(tx, self.desk.ids, task, to, actor=SYSTEM)

    def again(self, one: int, other: int) -> None:
        board.move(self.desk, ASKED, self.tasks[one], TaskStatus.TODO)

    def items(self) -> list[InboxItem]:
        with self.ground.reader.snapshot() as view:
            wanted = {"kind": graph.LOST, "status": "open"}
            return lists.page(view, lists.INBOX, after=None, limit=99, **wanted)

    def check(self) -> None:
        asked = {(item.subject_id, item.data["blocker_id"]) for item in self.items()}
        with self.ground.reader.snapshot() as view:
            assert asked == set(self.losses(view)), "each loss is asked about, and nothing else"
            for task_id in self.all(view):
                assert dependencies.way(view, task_id, task_id) == [task_id]
                held = gathering.held(view, task_id)
                task = tasks.get(view, task_id)
                assert task is not None
                if task.status not in TERMINAL_TASKS and held:
                    assert dependencies.has_unresolved(view, task_id), "held for nothing"
                if graph.is_lost(task):
                    assert any(task_id == waiting for waiting, _ in self.losses(view))

    def all(self, view: View) -> list[str]:
        """Those that were made anew in place of others, too."""
        return [str(row["id"]) for row in view.sql("SELECT id FROM tasks")]

    def is_open(self, view: View, task_id: str) -> bool:
        task = tasks.get(view, task_id)
        return task is not None and task.status not in TERMINAL_TASKS

    def losses(self, view: View) -> list[tuple[str, str]]:
        return [
            (task_id, one.id)
            for task_id in self.all(view)
            for one in dependencies.waiting_for(view, task_id)
            if one.status in graph.LOSSES and self.is_open(view, task_id)
        ]


@pytest.mark.slow
@pytest.mark.proves("C-42", "K-53", "B-104", "B-106", "A-03 hard")
@given(ACTS)
@settings(max_examples=10, deadline=None, phases=[Phase.generate])  # a smaller case costs minutes
def test_nothing_starts_too_early_and_every_loss_is_asked_about(
    acts: list[tuple[str, int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        try:
            for act in acts:
                world.act(*act)
                world.check()
        finally:
            world.ground.close()
