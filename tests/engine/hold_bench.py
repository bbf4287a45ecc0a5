"""Agents of some accounts at their limits, on the engine's stage."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from engine_stage import Stage
from ground import NOW

from roundtable_desktop.engine import explain
from roundtable_desktop.model.holds import ProviderHold
from roundtable_desktop.model.records import Agent, Run, Task
from roundtable_desktop.store import holds

# The machine of this stage is in Berlin (UTC+1); NOW is noon in UTC.
UNTIL_FIVE = "You've hit your session limit · resets 6pm (Europe/Berlin)"
FIVE = NOW + timedelta(hours=5, seconds=30)
ONE = {"account": "one subscription"}
TWO = {"account": "another vendor"}


class Bench:
    """Some agents of one repository, each with a task of its own."""

    def __init__(self, stage: Stage, **accounts: Mapping[str, Any]) -> None:
        self.stage = stage
        self.workspace = stage.workspace()
        self.agents: dict[str, Agent] = {}
        self.tasks: dict[str, Task] = {}
        for name, words in accounts.items():
            self.agents[name] = stage.agent(self.workspace, name=name, **words)

    def give(self, *names: str) -> None:
        for name in names:
            self.tasks[name] = self.stage.task(self.workspace, self.agents[name])

    def start(self) -> list[str]:
        """All that may start now; the names of who did."""
        names = {agent.id: name for name, agent in self.agents.items()}
        before = {run.id for run in self.stage.ground.runs()}
        while self.stage.step():
            self.stage.play()
        born = [run for run in self.stage.ground.runs() if run.id not in before]
        for run in born:
            self.stage.consume(run)
        return [names[run.agent_id] for run in born]

    def run(self, name: str) -> Run:
        mine = self.agents[name].id
        return [run for run in self.stage.ground.runs() if run.agent_id == mine][-1]

    def limited(self, name: str, text: str = UNTIL_FIVE) -> None:
        self.stage.finish(self.run(name), code=1, stderr=text)

    def done(self, name: str) -> None:
        self.stage.finish(self.run(name), result={"status": "completed"})

    def at(self, moment: Any) -> None:
        self.stage.clock.forward(seconds=(moment - self.stage.clock.now()).total_seconds())

    def holds(self) -> list[ProviderHold]:
        with self.stage.ground.reader.snapshot() as view:
            return holds.every(view)

    def why(self, name: str) -> Any:
        wakeup = self.stage.wakeup(self.tasks[name])
        with self.stage.ground.reader.snapshot() as view:
            return explain.of_wakeup(view, wakeup, self.stage.clock.now())
