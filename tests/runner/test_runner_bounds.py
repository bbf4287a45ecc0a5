"""An agent that starts processes without end is ended, and cannot fill the machine before."""

import json
import os
import time
from pathlib import Path

import pytest
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.model.messages import AgentBorn

SPAWNS = """
import os, sys, time
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        if sys.argv[2] == "escape": os.setsid()
        time.sleep(60); os._exit(0)
print("up", flush=True)
time.sleep(60)
"""
GOES_ON = """
import os, sys, time
end = time.monotonic() + 20
while time.monotonic() < end:
    try:
        os.fork()
    except OSError:
        pass
    time.sleep(0.1)
"""


def launched(bench: Bench, most: int, *command: str) -> str:
    """With a small limit, so that the test need not fill the machine either."""
    order = bench.order(*command)
    path = bench.prepare(order) / "launch.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "most_processes": most}))
    bench.start_runner(order.run)
    return order.run


@pytest.mark.slow
@pytest.mark.proves("F-36")
@pytest.mark.parametrize("words", [(SPAWNS, "60", "stay"), (SPAWNS, "60", "escape"), (GOES_ON,)])
def test_too_many_processes_end_the_run_with_all_of_them(
    bench: Bench, words: tuple[str, ...]
) -> None:
    run = launched(bench, 40, *PYTHON, *words)
    bench.first(run, AgentBorn)
    began = time.monotonic()
    end = bench.finish(run)
    assert (end.why, end.survivors) == ("processes", [])
    assert time.monotonic() - began < 15 and not bench.left(run)


@pytest.mark.slow
@pytest.mark.proves("F-36")
def test_the_kernel_bounds_the_tree_from_its_first_moment(bench: Bench) -> None:
    run = launched(bench, 40, *PYTHON, SPAWNS, "5", "stay")
    until(lambda: "up" in bench.printed(run))
    agent = bench.first(run, AgentBorn)
    for pid in [agent.pid, *children(agent.pid)]:
        rows = Path(f"/proc/{pid}/limits").read_text().splitlines()
        (soft, hard) = next(row.split()[2:4] for row in rows if row.startswith("Max processes"))
        assert soft == hard and int(soft) < 20_000
    assert Path(f"/proc/{agent.pid}/limits").read_text() != Path("/proc/self/limits").read_text()
    bench.kill_runner(run)
    bench.runners.sweep(run)
    assert not bench.left(run)


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert len(found) == 5 and os.getpid() not in map(int, found)
    return [int(one) for one in found]
