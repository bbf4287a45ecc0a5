"""A workspace with a worker and reviewers, whose turns a test plays, for the tests of gates."""

from collections.abc import Sequence
from typing import Any

from engine_stage import ASKED, Stage

from roundtable_desktop.engine import unanswered
from roundtable_desktop.engine.desk import agents, gating, tasks
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.gates import Gate, GateKind, Verdict, Wanted, Word
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Agent, InboxItem, Run, Task
from roundtable_desktop.model.states import LIVE_RUNS, Adapter
from roundtable_desktop.store import gates, lists, verdicts
from roundtable_desktop.store import tasks as rows

DONE = {"status": "completed", "summary": "did it"}
FINDING = {"path": "a.txt", "line": 3, "text": "off by one", "severity": "major"}
__all__ = ["DONE", "FINDING", "Reviews", "approval", "gating", "review"]


def review(*who: Agent, needed: int | None = None) -> Wanted:
    return Wanted(kind=GateKind.REVIEW, agents=tuple(one.id for one in who), needed=needed)


def approval() -> Wanted:
    return Wanted(kind=GateKind.APPROVAL)


class Reviews:
    """`worker` does the work; `first`, `second` and `third` look at it."""

    def __init__(self, stage: Stage, **workspace: Any) -> None:
        self.stage = stage
        self.workspace = stage.workspace(**workspace)
        self.worker = stage.agent(self.workspace, max_concurrent_sessions=9)
        self.first, self.second, self.third = (
            self.reviewer(name) for name in ("First", "Second", "Third")
        )
        self.agency = Agency(stage.desk, stage.ground.reader)

    def reviewer(self, name: str) -> Agent:
        more = {"max_concurrent_sessions": 3, "cooldown_sec": 0, "command": ["true"]}
        return agents.add(
            self.stage.desk, ASKED, self.workspace.id, name=name, adapter=Adapter.ACP, **more
        )

    def task(self, *wanted: Wanted, **more: Any) -> Task:
        return self.stage.task(self.workspace, self.worker, gates=wanted, **more)

    def now(self, task: Task) -> Task:
        return self.stage.ground.get_task(task.id)

    def go(self) -> None:
        """All that can start has started, and who did not answer was seen to."""
        while True:
            while self.stage.step():
                pass
            self.stage.play()
            for run in self.live():
                self.stage.consume(run)
            if not self.settle():
                return

    def settle(self) -> int:
        with self.stage.store.transaction() as tx:
            return unanswered.settle(tx, self.stage.ids)

    def live(self) -> list[Run]:
        return [one for one in self.stage.ground.runs() if one.status in LIVE_RUNS]

    def worked(self, task: Task, result: Any = DONE, **files: str) -> Run:
        """The turn of the task's own agent, to its end."""
        self.go()
        (run,) = [one for one in self.live() if one.task_id == task.id]
        self.stage.leave(run, **files)
        return self.stage.finish(run, result=result)

    def handed_in(self, *wanted: Wanted, **more: Any) -> Task:
        """A task whose work was proposed; its first reviewers are at work."""
        task = self.task(*wanted, **more)
        self.worked(task, a="one")
        self.go()
        return task

    def reviewing(self, agent: Agent) -> Run:
        (run,) = [one for one in self.live() if one.gate_id and one.agent_id == agent.id]
        return run

    def holder(self, run: Run) -> Holder:
        return Holder(
            run_id=run.id,
            agent_id=run.agent_id,
            task_id=run.task_id if run.gate_id is None else str(run.payload["task_id"]),
            workspace_id=run.workspace_id,
            gate_id=run.gate_id,
        )

    def vote(
        self,
        agent: Agent,
        word: str,
        note: str = "",
        findings: Sequence[Any] = (),
        end: bool = True,
    ) -> Run:
        run = self.reviewing(agent)
        said = note or f"{agent.name} says {word}"
        self.agency.vote(self.holder(run), Word(word), said, findings, None)
        if end:
            self.stage.finish(run, result=DONE)
            self.go()
        return run

    def gates(self, task: Task) -> list[Gate]:
        with self.stage.ground.reader.snapshot() as view:
            return gates.of_task(view, task.id)

    def states(self, task: Task) -> str:
        return " ".join(str(one.status) for one in self.gates(task))

    def verdicts(self, task: Task) -> list[Verdict]:
        with self.stage.ground.reader.snapshot() as view:
            return verdicts.of_task(view, task.id)

    def proposal(self, task: Task) -> Proposal:
        return self.stage.proposals(task)[-1]

    def items(self, **filters: object) -> list[InboxItem]:
        with self.stage.ground.reader.snapshot() as view:
            found = lists.page(view, lists.INBOX, after=None, limit=50, status="open", **filters)
        return found

    def set_gates(self, task: Task, *wanted: Wanted) -> Task:
        return tasks.change(self.stage.desk, ASKED, task.id, gates=wanted)

    def stored(self, task: Task) -> Task:
        with self.stage.ground.reader.snapshot() as view:
            found = rows.get(view, task.id)
        assert found is not None
        return found
