"""A stage for the engine: real database, real git, and a launcher whose runners are scripted."""

import itertools
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine_folders import Folders, RunFolders
from ground import JOAN, NOW, CountingIds, Ground, StandingClock

from roundtable_desktop.adapters import processes
from roundtable_desktop.engine.calling_off import break_off
from roundtable_desktop.engine.completion import Completion
from roundtable_desktop.engine.delivery import Deliveries
from roundtable_desktop.engine.desk import Asked, Desk, agents, proposals, tasks, waking, workspaces
from roundtable_desktop.engine.dispatcher import Dispatcher
from roundtable_desktop.engine.follower import Follower
from roundtable_desktop.engine.launching import Equipment, Launching
from roundtable_desktop.engine.recovery import Found, Hands, recover
from roundtable_desktop.model.ports import LaunchHeld, LaunchOrder, RunnerGone, SpoolState
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import Agent, Run, Task, Workspace
from roundtable_desktop.model.states import Adapter, DeliveryMode, ErrorKind
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import claims, settings, wakeups
from roundtable_desktop.store import proposals as stored_proposals
from roundtable_desktop.store import workspaces as stored_workspaces

ASKED = Asked(JOAN)
_tokens = itertools.count(1)
EQUIPMENT = Equipment(
    mcp_url="http://127.0.0.1:7117/mcp",
    issue=lambda: ("token", f"hash-{next(_tokens)}"),
    bridge=["bridge"],
    demo=["demo"],
    demo_state="state",
)


class Spool:
    """What one scripted runner has written; `locked` while it lives."""

    def __init__(self, fence: str) -> None:
        self.fence, self.locked, self.seq, self.text = fence, True, 0, b""

    def say(self, kind: str, **words: object) -> None:
        self.seq += 1
        line = {"seq": self.seq, "at": micros(NOW), "kind": kind, **words}
        self.text += json.dumps(line).encode() + b"\n"

    def hello(self, **changes: object) -> None:
        words: dict[str, object] = {
            "protocol": 1,
            "pid": 4711,
            "boot": "boot",
            "ticks": 5,
            "fence": self.fence,
            "control": "",
        }
        self.say("hello", **{**words, **changes})

    def end(self, why: str = "exited", code: int | None = 0, **words: object) -> None:
        self.say("end", why=why, exit_code=code, **words)
        self.locked = False


class ScriptedLauncher(RunFolders):
    """Fulfils `ports.Launcher` in memory. `refuse` is raised by the next launches."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.orders: dict[str, LaunchOrder] = {}
        self.spools: dict[str, Spool] = {}
        self.refuse: Exception | None = None
        self.silent = False
        self.dead: dict[str, str] = {}
        self.attached: set[str] = set()
        self.swept: list[str] = []
        self.news: set[str] = set()
        self.heard: list[tuple[str, object]] = []
        self._changed = threading.Condition()

    def launch(self, order: LaunchOrder, may: Callable[[], bool] = lambda: True) -> None:
        if not may():
            raise LaunchHeld(order.run)
        if self.refuse is not None:
            raise self.refuse
        assert order.run not in self.orders, "a run is launched once"
        self.orders[order.run] = order
        if not self.silent:
            self.spools[order.run] = Spool(order.fence)
            self.spools[order.run].hello()

    def state(self, run: str) -> SpoolState:
        spool = self.spools.get(run)
        if spool is None:
            return SpoolState.ABSENT
        return SpoolState.LOCKED if spool.locked else SpoolState.FREE

    def unborn(self, run: str) -> str | None:
        return self.dead.get(run)

    def void(self, run: str) -> bool:
        if run in self.spools:
            return False
        self.spools[run] = Spool("")
        self.spools[run].say("void")
        self.spools[run].locked = False
        return True

    def read(self, run: str, offset: int) -> bytes:
        spool = self.spools.get(run)
        return spool.text[offset:] if spool else b""

    def attach(self, run: str) -> None:
        self.attached.add(run)

    def detach(self, run: str) -> None:
        self.attached.discard(run)

    def wait(self, timeout: float) -> set[str]:
        with self._changed:
            if not self.news:
                self._changed.wait(min(timeout, 0.05))
            news, self.news = self.news & self.attached, set()
            return news

    def nudge(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        self.nudge()

    def tell(self, run: str) -> None:
        """As a runner's channel does: once."""
        with self._changed:
            self.news.add(run)
            self._changed.notify_all()

    def control(self, run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        """A living runner hears it; what it does then is the script's."""
        if self.state(run) is not SpoolState.LOCKED:
            raise RunnerGone(run)
        self.heard.append((run, request["do"]))
        return {"ok": True}

    def fence(self) -> None:
        """Everything here happens in turn."""

    def tie(self, tied: bool) -> None:
        """No runner of a script outlives its test."""

    def living(self) -> Sequence[str]:
        return [run for run, spool in self.spools.items() if spool.locked]

    def sweep(self, run: str) -> Sequence[int]:
        self.swept.append(run)
        return []


class Stage:
    """The parts of the engine joined as the scheduler joins them, without its threads: what
    would go to the pool waits in `acts` until `play`."""

    def __init__(self, root: Path) -> None:
        self.folders = Folders(root)
        self.clock, self.ids = StandingClock(), CountingIds()
        self.ground = Ground(root, self.clock, self.ids)
        self.git: Any = self.folders.git()
        self.launcher = ScriptedLauncher(root / "runs")
        self.acts: list[tuple[str, Callable[[], None]]] = []
        self.config: Any = None  # what looks at repositories' files, where a test brings it
        self.build()
        with self.store.transaction() as tx:
            # Bursts have tests of their own; here a comment wakes at once.
            settings.put_home(tx, coalescing_window_sec=0)

    def build(self) -> None:
        """Also anew: then nothing of what was in memory is left."""
        self.acts.clear()
        self.secrets = self.folders.secrets()
        store, reader, git, launcher = self.store, self.ground.reader, self.git, self.launcher
        copies, ids = self.folders.copies, self.ids
        measure, end = processes.facts, processes.end
        secrets, config = self.secrets, self.config
        self.desk = Desk(store, git, secrets, ids, launcher, measure, end, "UTC", config)
        self.completion = Completion(
            store, reader, git, launcher, ids, lambda: 0.0, copies, "Europe/Berlin"
        )
        self.deliveries = Deliveries(store, reader, git, ids, self._look_at)
        self.follower = Follower(
            store,
            reader,
            launcher,
            self.clock,
            self.ids,
            ended=lambda run: self.later("settle", lambda: self.completion.settle(run)),
            lost=lambda run: self.later("lost", lambda: self.completion.lost(run)),
            unborn=lambda run, why: self.later("unborn", lambda: self._never_came(run, why)),
            over=lambda run: self.later("over", lambda: break_off(self.launcher, run)),
        )
        self.launching = Launching(
            store,
            reader,
            git,
            launcher,
            self.secrets,
            self.ids,
            copies=copies,
            environ={"PATH": os.environ["PATH"], "SECRET_KEY": "s"},
            equipment=EQUIPMENT,
            follow=self.follower.follow,
            unborn=self.completion.unborn,
            parting=self.desk.parting,
            look_at=self._look_at,
        )
        self.dispatcher = Dispatcher(
            store,
            self.ids,
            lambda run: self.later("launch", lambda: self.launching.launch(run)),
            self.desk.parting,
        )

    def _look_at(self, workspace_id: str) -> None:
        if self.config is not None:
            self.config.pass_by(workspace_id)

    @property
    def store(self) -> Any:
        return self.ground.store

    def later(self, name: str, act: Callable[[], None]) -> None:
        self.acts.append((name, act))

    def _never_came(self, run: str, why: str) -> None:
        if not self.completion.unborn(run, ErrorKind.SPAWN_FAILED, why):
            self.follower.follow(run)

    # --- what happens --------------------------------------------------------------------------

    def step(self) -> bool:
        with self.store.transaction() as tx:
            claims.promote_due(tx)
        return self.dispatcher.step()

    def play(self) -> list[str]:
        """The acts that wait; their names."""
        acts, self.acts = self.acts, []
        for _, act in acts:
            act()
        return [name for name, _ in acts]

    def consume(self, run: Run) -> None:
        self.follower.consume(run.id)

    def launch(self) -> Run:
        """From the queue to a runner that has said hello."""
        assert self.step()
        self.play()
        run = self.run
        self.consume(run)
        return self.ground.get_run(run.id)

    def finish_later(self, run: Run, **words: Any) -> None:
        """The runner's last word, read and not settled."""
        self._say_end(run, **words)
        self.consume(run)

    def _say_end(
        self, run: Run, why: str = "exited", code: int | None = 0, **words: object
    ) -> None:
        result = words.pop("result", None)
        if result is not None:
            text = result if isinstance(result, str) else json.dumps(result)
            self.spool(run).say("result", source="file", text=text)
        self.spool(run).end(why, code, **words)

    def finish(self, run: Run, why: str = "exited", code: int | None = 0, **words: object) -> Run:
        """The runner's last word, read and settled."""
        self._say_end(run, why, code, **words)
        self.consume(run)
        self.play()
        return self.ground.get_run(run.id)

    def deliver(self) -> None:
        with self.ground.reader.snapshot() as view:
            waiting = stored_proposals.intended(view)
        for delivery in waiting:
            self.deliveries.deliver(delivery.id)

    def recover(self) -> Found:
        hands = Hands(
            follow=self.follower.follow,
            never_born=lambda run: self.later("void", lambda: self.completion.never_born(run)),
            settle=lambda run: self.later("settle", lambda: self.completion.settle(run)),
            deliver=lambda one: self.later("deliver", lambda: self.deliveries.deliver(one)),
            break_off=lambda run, reason: self.later(
                "break-off", lambda: break_off(self.launcher, run, reason=reason)
            ),
        )
        return recover(self.store, self.launcher, hands, self.ids)

    def restart(self) -> Found:
        self.ground.reopen()
        self.build()
        return self.recover()

    # --- what there is -------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        return self.ground.runs()[-1]

    def spool(self, run: Run) -> Spool:
        return self.launcher.spools[run.id]

    def copy(self, run: Run) -> Path:
        return Path(self.launcher.orders[run.id].cwd)

    def proposals(self, task: Task) -> list[Proposal]:
        with self.ground.reader.snapshot() as view:
            return stored_proposals.of_task(view, task.id)

    def proposals_of(self, proposal: Proposal) -> Proposal:
        """As it is now."""
        with self.ground.reader.snapshot() as view:
            found = stored_proposals.get(view, proposal.id)
        assert found is not None
        return found

    def tries(self, proposal: Proposal) -> list[Delivery]:
        with self.ground.reader.snapshot() as view:
            return stored_proposals.deliveries(view, proposal.id)

    # --- commands ------------------------------------------------------------------------------

    def workspace(self, **changes: Any) -> Workspace:
        return workspaces.register(
            self.desk, ASKED, str(self.folders.repo), **{"base_branch": "main", **changes}
        )

    def workspace_of(self, agent: Agent) -> Workspace:
        with self.ground.reader.snapshot() as view:
            found = stored_workspaces.get(view, agent.workspace_id)
        assert found is not None
        return found

    def agent(self, workspace: Workspace, **changes: Any) -> Agent:
        values: dict[str, Any] = {"name": "Ada", "command": ["true"], "cooldown_sec": 0, **changes}
        return agents.add(self.desk, ASKED, workspace.id, adapter=Adapter.COMMAND, **values)

    def task(self, workspace: Workspace, agent: Agent | None = None, **changes: Any) -> Task:
        assignee = agent.id if agent else None
        return tasks.create(
            self.desk,
            ASKED,
            workspace.id,
            **{"title": "Do it", "assignee_agent_id": assignee, **changes},
        )

    def assigned(self, delivery: DeliveryMode | None = None, **changes: Any) -> Task:
        """A workspace, its agent and a task for it."""
        workspace = self.workspace(delivery=delivery)
        return self.task(workspace, self.agent(workspace), **changes)

    def ask_run(self, task: Task, text: str | None = None, key: str | None = None) -> Task:
        return tasks.run(self.desk, Asked(JOAN, key, "print"), task.id, text)

    def wake(self, agent: Agent, text: str | None = None, **words: Any) -> Any:
        """By a person, without a task unless one is named."""
        return waking.wake(self.desk, ASKED, agent.id, text=text, **words)

    def ask_deliver(self, proposal: Proposal, **words: Any) -> Proposal:
        return proposals.deliver(self.desk, ASKED, proposal.id, **words)

    def wakeup(self, task: Task) -> Any:
        with self.ground.reader.snapshot() as view:
            return wakeups.latest_for_task(view, task.id)

    def leave(self, run: Run, **files: str) -> None:
        """What the agent does in its copy: NAME.txt with that text."""
        for name, text in files.items():
            (self.copy(run) / f"{name}.txt").write_text(text)

    def offered(self, task: Task, **files: str) -> Proposal:
        """The proposal of the task's next run."""
        run = self.launch()
        self.leave(run, **files)
        self.finish(run, result={"status": "completed"})
        return self.proposals(task)[-1]

    def everything(self) -> str:
        """All rows that a settlement may touch."""
        tables = "runs tasks agent_wakeup_requests agents proposals deliveries leases events"
        whole = {name: self.ground.rows(name) for name in tables.split()}
        return json.dumps(whole, sort_keys=True)
