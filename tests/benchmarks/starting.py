"""G10: from a person's word to the agent's first instruction, beside bare processes."""

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.table import MEMORY, Goal, measure
from roundtable_desktop import app
from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.runners import LocalRunners
from roundtable_desktop.engine.desk import Asked, agents, tasks, workspaces
from roundtable_desktop.engine.launching import Equipment
from roundtable_desktop.engine.scheduler import Scheduler
from roundtable_desktop.model.ports import LaunchOrder
from roundtable_desktop.model.records import PERSON, Workspace
from roundtable_desktop.model.states import Adapter

RUNS = 12
STAMP = "import sys, time; print(open(sys.argv[1], 'a').write(f'{time.monotonic()}\\n'))"


class Timed(LocalRunners):
    """Notes when the runner's exec had succeeded: that is when Popen returns."""

    born: list[float]

    def launch(self, order: LaunchOrder, may: Callable[[], bool] = lambda: True) -> None:
        super().launch(order)
        self.born.append(time.monotonic())


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[app.Ground, Timed, Workspace, str, Path]]:
    """The real one, with a repository and one agent that stamps a file as its first act."""
    ground = app.lay_ground(app.Home(folder / "home"))
    ground.git.make_sample(folder / "repository", {"README": "x\n"})
    workspace = workspaces.register(ground.desk, Asked(PERSON), str(folder / "repository"))
    stamps = folder / "stamps"
    stamps.touch()
    agent = agents.add(
        ground.desk,
        Asked(PERSON),
        workspace.id,
        name="stamp",
        adapter=Adapter.COMMAND,
        command=[sys.executable, "-I", "-c", STAMP, str(stamps)],
        cooldown_sec=0,
    )
    runners = Timed(ground.home.runs, ground.home.sockets, sweep=processes.sweep)
    runners.born = []
    whole = Scheduler(
        ground.store,
        ground.reader,
        ground.git,
        runners,
        ground.secrets,
        ground.ids,
        ground.clock,
        lambda: 0.5,
        copies=ground.home.copies,
        environ={"PATH": "/usr/bin:/bin"},
        zone="UTC",
        equipment=Equipment("", lambda: ("", ""), (), (), ""),
    )
    whole.start()
    yield ground, runners, workspace, agent.id, stamps
    whole.stop()
    ground.close()


def _until(count: int, done: list[float] | Path) -> None:
    pause = threading.Event()
    while (len(done) if isinstance(done, list) else len(done.read_text().split())) < count:
        pause.wait(0.002)


def ours() -> tuple[float, float]:
    """p95 of enqueue → runner's exec, median of enqueue → agent's first act, in seconds."""
    with (
        tempfile.TemporaryDirectory(dir=MEMORY) as folder,
        scheduler(Path(folder)) as (ground, runners, workspace, agent_id, stamps),
    ):
        asked = []
        for number in range(RUNS):
            task = tasks.create(ground.desk, Asked(PERSON), workspace.id, title="Stamp")
            asked.append(time.monotonic())
            tasks.assign(ground.desk, Asked(PERSON), task.id, agent_id)
            _until(number + 1, runners.born)
            _until(number + 1, stamps)
            threading.Event().wait(0.3)  # it ends and is settled: the next is alone
        acted = [float(line) for line in stamps.read_text().split()]
    to_runner = [born - at for born, at in zip(runners.born, asked, strict=True)]
    to_agent = [act - at for act, at in zip(acted, asked, strict=True)]
    return statistics.quantiles(to_runner, n=20)[-1], statistics.median(to_agent)


def bare(code: str, *flags: str) -> float:
    """Median of starting that Python and waiting for its end, in seconds."""
    spent = []
    for _ in range(RUNS):
        began = time.monotonic()
        subprocess.run([sys.executable, *flags, "-c", code], check=True)
        spent.append(time.monotonic() - began)
    return statistics.median(spent)


@pytest.mark.proves("G10")
def starting() -> bool:
    halves: list[tuple[float, float]] = []

    def runner() -> tuple[float, float]:
        halves.append(ours())
        return halves[-1][0] * 1000, bare("pass", "-I") * 1000

    def agent() -> tuple[float, float]:
        return halves.pop(0)[1] * 1000, bare("import asyncio") * 1000

    what = "enqueue to runner's exec, p95 / bare python"
    first = measure(Goal("G10", what, "{:.0f} ms", "{:.0f} ms", most=3.0), runner)
    what = "enqueue to agent's exec / import asyncio"
    return measure(Goal("G10", what, "{:.0f} ms", "{:.0f} ms", most=2.5), agent) and first
