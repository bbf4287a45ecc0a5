"""An agent that starts processes or takes memory without end cannot fill the machine."""

import json
import os
import re
import time
from pathlib import Path

import pytest
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.model.messages import AgentBorn, Hello
from roundtable_desktop.model.ports import Deadlines
from roundtable_desktop.runner import bounds

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


MB = 1 << 20
HOG = """
import os, sys, time
each, times, children = map(int, sys.argv[1:])
for _ in range(children):
    if os.fork() == 0: break
kept = [bytes([1]) * (each << 20) for _ in range(times)]
print("up", flush=True)
time.sleep(60)
"""
SHARING = """
import os, time
kept = bytes([1]) * (120 << 20)
for _ in range(3):
    if os.fork() == 0: time.sleep(1.5); os._exit(0)
for _ in range(3): os.wait()
"""


def launched(bench: Bench, most: int, *command: str) -> str:
    """With a small limit, so that the test need not fill the machine either."""
    return bounded(bench, command, most_processes=most)


def bounded(bench: Bench, command: tuple[str, ...], **limits: int) -> str:
    order = bench.order(*command, deadlines=Deadlines(silent=3))
    path = bench.prepare(order) / "launch.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **limits}))
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


@pytest.mark.proves("F-36", "F-37")
def test_an_agent_is_bounded_before_its_program_begins(bench: Bench) -> None:
    """What it does first is to say its own bounds; the runner may not have had a turn since."""
    order = bench.order("/bin/cat", "/proc/self/limits", "/proc/self/oom_score_adj")
    bench.prepare(order)
    bench.start_runner(order.run)
    bench.finish(order.run)
    printed = bench.printed(order.run)
    [(soft, hard)] = re.findall(r"Max processes +(\d+) +(\d+)", printed)
    assert soft == hard and int(soft) < 20_000
    assert int(printed.split()[-1]) >= bounds.FIRST_TO_GO


@pytest.mark.slow
@pytest.mark.proves("F-37")
@pytest.mark.parametrize("words", ["20 15 0", "150 1 0", "40 1 3"])
def test_too_much_memory_ends_the_run_with_all_of_it(bench: Bench, words: str) -> None:
    """Bit by bit, at once, and several together."""
    run = bounded(bench, (*PYTHON, HOG, *words.split()), most_memory=100 * MB)
    bench.first(run, AgentBorn)
    began = time.monotonic()
    end = bench.finish(run)
    assert (end.why, end.survivors, end.most_memory) == ("memory", [], 100 * MB)
    assert 100 * MB < end.memory < 400 * MB
    assert time.monotonic() - began < 15 and not bench.left(run)


@pytest.mark.slow
@pytest.mark.proves("F-37")
def test_memory_that_several_share_counts_once(bench: Bench) -> None:
    run = bounded(bench, (*PYTHON, SHARING), most_memory=200 * MB)
    end = bench.finish(run)
    assert (end.why, end.exit_code) == ("exited", 0)
    assert 100 * MB < end.memory < 200 * MB


@pytest.mark.proves("F-37")
def test_where_memory_ends_the_kernel_takes_agents_before_anything_else(bench: Bench) -> None:
    run = bounded(bench, (*PYTHON, SPAWNS, "5", "stay"))
    until(lambda: "up" in bench.printed(run))
    agent, runner = bench.first(run, AgentBorn).pid, bench.first(run, Hello).pid
    scores = {pid: int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in (agent, runner)}
    assert scores[agent] == bounds.FIRST_TO_GO > scores[runner]
    for child in children(agent):
        assert Path(f"/proc/{child}/oom_score_adj").read_text() == f"{bounds.FIRST_TO_GO}\n"
    bench.runners.control(run, {"do": "cancel"})
    bench.finish(run)


@pytest.mark.proves("F-37")
def test_the_machine_says_how_much_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bounds.most_memory(5) == 5 and bounds.most_memory(0) > 100 * MB
    assert bounds.room() > 100 * MB and bounds.kernel_kills() >= 0
    monkeypatch.setattr(bounds, "PROC", tmp_path)
    assert (bounds.most_memory(5), bounds.room(), bounds.kernel_kills()) == (0, 0, 0)
    (tmp_path / "meminfo").write_text("MemTotal: 8 kB\nMemAvailable: 3 kB\nSwapFree: 2 kB\n")
    (tmp_path / "vmstat").write_text("nr_free 7\noom_kill 2\n")
    assert (bounds.most_memory(0), bounds.room(), bounds.kernel_kills()) == (4096, 5120, 2)
    assert bounds.worth_a_look(1000 * MB, 200 * MB) == 400 * MB
    assert bounds.worth_a_look(1000 * MB, 990 * MB) == bounds.SMALLEST_FALL


@pytest.mark.proves("F-37")
def test_what_the_kernel_ended_long_before_is_not_this_agents_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its count is of the whole machine: a browser's page that it took this morning says nothing
    of an agent that somebody ends by hand now."""

    def counted(number: int) -> None:
        (tmp_path / "vmstat").write_text(f"oom_kill {number}\n")

    monkeypatch.setattr(bounds, "PROC", tmp_path)
    counted(3)
    kernel = bounds.Kernel()
    counted(4)
    assert kernel.struck(), "between the looks at the agent and its end"
    kernel.look()
    assert kernel.struck(), "the look may have come between the kernel's act and its being seen"
    kernel.look()
    assert not kernel.struck()
    counted(5)
    assert kernel.struck()
