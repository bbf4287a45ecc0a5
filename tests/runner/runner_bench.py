"""A bench on which real runners run real children; it ends all that it started."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.runners import LocalRunners, folder, own_program
from roundtable_desktop.model.messages import End, Hello, Message, read_message
from roundtable_desktop.model.ports import LaunchOrder, SpoolState

PYTHON = (sys.executable, "-I", "-S", "-c")
QUICK = {"cancel": 0.5, "stdin": 0.2, "term": 0.4}
"""A ladder for tests that are not about its figures."""
_numbers = itertools.count(1)


def until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """The first true value of `condition`; fails when it stays false."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError("it did not come true in time")


class Bench:
    def __init__(self, root: Path, sockets: Path) -> None:
        self.root = root
        self.runs = root / "runs"
        self.sockets = sockets
        self.cwd = root / "cwd"
        self.cwd.mkdir()
        self.runners = self.new_runners()
        self.started: list[str] = []
        self.children: list[subprocess.Popen[bytes]] = []

    def new_runners(self) -> LocalRunners:
        return LocalRunners(self.runs, self.sockets, sweep=processes.sweep)

    def order(self, *command: str, **changes: Any) -> LaunchOrder:
        run = f"run-{os.getpid()}-{next(_numbers)}"
        self.started.append(run)
        plain = LaunchOrder(
            run=run,
            task="task-1",
            attempt=1,
            fence="fence-1",
            control_key="key-of-the-test-bench",
            adapter="command",
            command=command,
            cwd=str(self.cwd),
            prompt="",
            environment={"PATH": os.environ["PATH"]},
        )
        return replace(plain, **changes)

    def launch(self, *command: str, **changes: Any) -> str:
        order = self.order(*command, **changes)
        self.runners.launch(order)
        return order.run

    def launch_quick(self, *command: str, **changes: Any) -> str:
        """By hand, as another launcher would: with a short ladder."""
        order = self.order(*command, **changes)
        self.prepare(order)
        self.start_runner(order.run)
        return order.run

    def prepare(self, order: LaunchOrder) -> Path:
        self.runs.mkdir(exist_ok=True)
        place = self.folder(order.run)
        folder.write_folder(place, order, folder.new_socket(self.sockets))
        path = place / "launch.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "agent_ladder": QUICK}))
        return place

    def start_runner(self, run: str) -> subprocess.Popen[bytes]:
        words = [*own_program("runner"), str(self.folder(run))]
        child = subprocess.Popen(words, start_new_session=True)
        self.children.append(child)
        return child

    def folder(self, run: str) -> Path:
        return self.runs / run

    def messages(self, run: str) -> list[Message]:
        found = [read_message(line) for line in self.runners.read(run, 0).splitlines()]
        assert None not in found
        known = [message for message in found if message]
        assert [message.seq for message in known] == list(range(1, len(known) + 1))
        return known

    def of_kind(self, run: str, kind: type[Message]) -> list[Any]:
        return [message for message in self.messages(run) if isinstance(message, kind)]

    def first(self, run: str, kind: type[Message], seconds: float = 60.0) -> Any:
        return until(lambda: self.of_kind(run, kind), seconds)[0]

    def finish(self, run: str, seconds: float = 20.0) -> End:
        """Follows the run as the app does, until its runner is gone."""
        self.runners.attach(run)
        limit = time.monotonic() + seconds
        while self.runners.state(run) is not SpoolState.FREE:
            assert time.monotonic() < limit, "the run did not end"
            self.runners.wait(1)
        self.runners.detach(run)
        last = self.messages(run)[-1]
        assert isinstance(last, End)
        return last

    def printed(self, run: str, stream: str = "out") -> str:
        return "".join(r["text"] for r in self.records(run) if r.get("stream") == stream)

    def records(self, run: str) -> list[dict[str, Any]]:
        files = sorted((self.folder(run) / "out").glob("*.ndjson"))
        return [json.loads(line) for file in files for line in file.open(encoding="utf-8")]

    def left(self, run: str) -> list[int]:
        return [one.pid for one in processes.marked(f"ROUNDTABLE_RUN={run}")]

    def kill_runner(self, run: str) -> None:
        hello: Hello = self.first(run, Hello)
        os.kill(hello.pid, signal.SIGKILL)
        until(lambda: self.runners.state(run) is SpoolState.FREE)

    def close(self) -> None:
        for run in self.started:
            if self.runners.state(run) is SpoolState.LOCKED:
                self.kill_runner(run)
            self.runners.sweep(run)
        for child in self.children:
            child.wait(10)
        self.runners.wait(0)
