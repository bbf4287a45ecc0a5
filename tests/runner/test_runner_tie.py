"""Agents that are to end with the app do so, and not for an app that comes back."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.adapters.runners.tying import Tying
from roundtable_desktop.model.messages import AgentBorn
from roundtable_desktop.model.ports import SpoolState

HOLDER = """
import sys, time
from pathlib import Path
from roundtable_desktop.adapters.runners.tying import Tying
tying = Tying(Path(sys.argv[1]))
tying.tie(True)
print("held", flush=True)
time.sleep(60)
"""
SLEEPER = (*PYTHON, "import time; print('up', flush=True); time.sleep(60)")
DEAF = (
    *PYTHON,
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('up', flush=True); time.sleep(60)",
)


def owner(bench: Bench) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", HOLDER, str(bench.root / "tied.lock")]
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    bench.children.append(child)
    assert child.stdout is not None and child.stdout.readline() == b"held\n"
    return child


@pytest.mark.slow
@pytest.mark.proves("F-05")
@pytest.mark.parametrize("command", [SLEEPER, DEAF], ids=["polite", "deaf"])
def test_a_killed_app_that_does_not_come_back_takes_its_agents_along(
    bench: Bench, command: tuple[str, ...]
) -> None:
    app = owner(bench)
    run = bench.launch(*command)
    agent = bench.first(run, AgentBorn)
    until(lambda: "up" in bench.printed(run))
    os.kill(app.pid, signal.SIGKILL)
    began = time.monotonic()
    end = bench.finish(run)
    assert (end.why, end.survivors) == ("interrupted", [])
    assert time.monotonic() - began < 15 and not bench.left(run)
    assert not os.path.exists(f"/proc/{agent.pid}")


@pytest.mark.slow
@pytest.mark.proves("F-05")
def test_an_app_that_comes_back_in_time_or_does_not_want_it_finds_its_agents(bench: Bench) -> None:
    file = bench.root / "tied.lock"
    app = owner(bench)
    run = bench.launch(*SLEEPER)
    until(lambda: "up" in bench.printed(run))
    os.kill(app.pid, signal.SIGKILL)
    again = owner(bench)
    time.sleep(5)
    assert bench.runners.state(run) is SpoolState.LOCKED
    Tying(file).tie(False)
    os.kill(again.pid, signal.SIGKILL)
    time.sleep(5)
    assert bench.runners.state(run) is SpoolState.LOCKED and not file.exists()


@pytest.mark.slow
@pytest.mark.proves("F-47", "C-101")
@pytest.mark.parametrize("first", ["agent", "runner"])
def test_a_machine_that_goes_down_breaks_runs_off_whoever_hears_it_first(
    bench: Bench, first: str
) -> None:
    """Every process is told at once, and the kernel says in which order."""
    run = bench.launch(*SLEEPER)
    agent = bench.first(run, AgentBorn)
    until(lambda: "up" in bench.printed(run))
    runner = bench.messages(run)[0].pid  # type: ignore[attr-defined]
    pids = [agent.pid, runner] if first == "agent" else [runner, agent.pid]
    os.kill(pids[0], signal.SIGTERM)
    time.sleep(0.2)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pids[1], signal.SIGTERM)
    assert bench.finish(run).why == "interrupted"


@pytest.mark.slow
@pytest.mark.proves("F-47")
def test_there_is_no_time_for_the_whole_ladder(bench: Bench) -> None:
    run = bench.launch(*DEAF)
    until(lambda: "up" in bench.printed(run))
    runner = bench.messages(run)[0].pid  # type: ignore[attr-defined]
    began = time.monotonic()
    os.kill(runner, signal.SIGTERM)
    end = bench.finish(run)
    assert (end.why, end.survivors) == ("interrupted", []) and time.monotonic() - began < 9
