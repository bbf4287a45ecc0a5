"""How runs are ended, and that nothing of them is left."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from runner_bench import PYTHON, Bench, until

from roundtable_desktop.model.messages import AgentBorn, Controlled, Deadline, Hello, Result, Silent
from roundtable_desktop.model.ports import Deadlines, SpoolState

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {then}
        for fd in range(3): os.close(fd)
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep({leader})
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True)\n"
SLEEPER = f"{DEAF}time.sleep(600)"


@pytest.mark.proves("F-35")
def test_a_double_forked_daemon_is_gone_after_the_agent(bench: Bench) -> None:
    run = bench.launch(*PYTHON, DAEMON.format(then="", leader=0.2))
    end = bench.finish(run)
    assert end.why == "exited"
    assert len(end.killed) == 1
    assert bench.left(run) == []


@pytest.mark.slow
@pytest.mark.proves("F-35")
def test_a_daemon_that_drops_its_mark_is_found_below_us(bench: Bench) -> None:
    then = f"os.execve({sys.executable!r}, ['hidden', '-c', 'import time; time.sleep(600)'], {{}})"
    run = bench.launch(*PYTHON, DAEMON.format(then=then, leader=0.2))
    end = bench.finish(run)
    assert len(end.killed) == 1
    assert not psutil.pid_exists(end.killed[0].pid)


@pytest.mark.proves("F-35")
def test_every_escapee_is_gone_after_a_cancel(bench: Bench) -> None:
    run = bench.launch_quick(*PYTHON, DAEMON.format(then=DEAF.replace("\n", ""), leader=600))
    until(lambda: bench.printed(run))
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run)
    assert (end.why, end.survivors) == ("cancelled", [])
    assert len(end.killed) == 2
    assert bench.left(run) == []


@pytest.mark.slow
@pytest.mark.proves("F-34")
def test_an_agent_that_ignores_sigterm_is_gone_in_15_s(bench: Bench) -> None:
    """With the real figures: TERM, 5 s, KILL."""
    run = bench.launch(*PYTHON, SLEEPER)
    until(lambda: bench.printed(run))
    started = time.monotonic()
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run)
    assert 4.5 < time.monotonic() - started < 15
    assert (end.why, end.exit_code) == ("cancelled", -signal.SIGKILL)
    assert bench.left(run) == []


@pytest.mark.slow
@pytest.mark.proves("F-45")
def test_a_child_that_keeps_the_pipe_does_not_keep_the_run(bench: Bench) -> None:
    """A deaf child in another session holds stdout; 15 s from the leader's exit."""
    code = f"import os, sys\nif os.fork(): sys.exit(7)\nos.setsid()\n{SLEEPER}"
    started = time.monotonic()
    run = bench.launch(*PYTHON, code)
    end = bench.finish(run)
    assert time.monotonic() - started < 15
    assert (end.why, end.exit_code, len(end.killed)) == ("exited", 7, 1)


@pytest.mark.proves("F-45")
def test_an_agent_that_closes_its_pipes_and_lives_is_still_followed(bench: Bench) -> None:
    run = bench.launch("sh", "-c", "exec <&- >&- 2>&-; sleep 0.5; exit 4")
    assert bench.finish(run).exit_code == 4


@pytest.mark.proves("F-45")
def test_an_agent_that_becomes_another_program_is_the_same(bench: Bench) -> None:
    run = bench.launch("sh", "-c", "exec sh -c 'exit 5'")
    assert bench.finish(run).exit_code == 5


@pytest.mark.slow
def test_a_forking_agent_cannot_outrun_the_kill(bench: Bench) -> None:
    """Each process of the chain lives 2 ms: less than a look at /proc takes."""
    chain = f"import os\n{DEAF}while True:\n    if os.fork(): os._exit(0)\n    time.sleep(0.002)\n"
    run = bench.launch_quick(
        *PYTHON, f"import os\nif os.fork() == 0: exec({chain!r})\nimport time; time.sleep(600)"
    )
    until(lambda: bench.printed(run))
    bench.runners.control(run, {"do": "cancel"})
    assert bench.finish(run).survivors == []
    for _ in range(5):
        assert bench.left(run) == []


def test_sigterm_to_the_runner_is_an_interruption(bench: Bench) -> None:
    run = bench.launch_quick("sleep", "600")
    bench.first(run, AgentBorn)
    os.kill(bench.first(run, Hello).pid, signal.SIGTERM)
    assert bench.finish(run).why == "interrupted"


@pytest.mark.slow
def test_sighup_and_sigint_do_not_end_a_run(bench: Bench) -> None:
    run = bench.launch_quick("sh", "-c", "read line; exit 6", prompt="")
    bench.finish(run)
    run = bench.launch_quick("sleep", "1")
    bench.first(run, AgentBorn)
    for number in (signal.SIGHUP, signal.SIGINT):
        os.kill(bench.first(run, Hello).pid, number)
    assert bench.finish(run).why == "exited"


def test_a_fault_of_the_runner_ends_its_agent(bench: Bench) -> None:
    """Here it cannot make the transcript's folder; no agent may live on without a runner."""
    order = bench.order(*PYTHON, SLEEPER)
    (bench.prepare(order) / "out").write_text("in the way")
    runner = bench.start_runner(order.run)
    assert runner.wait(60) == 1
    assert bench.runners.state(order.run) is SpoolState.FREE
    until(lambda: not bench.left(order.run))


@pytest.mark.parametrize("reason", ["cancelled", "interrupted"])
def test_a_cancel_says_why(bench: Bench, reason: str) -> None:
    run = bench.launch_quick("sleep", "600")
    bench.first(run, AgentBorn)
    until(lambda: bench.runners.state(run) == "locked")
    assert until(lambda: _cancel(bench, run, reason)) == {"ok": True}
    assert bench.finish(run).why == reason
    assert bench.of_kind(run, Controlled)[0].do == "cancel"


def test_a_cancelled_agent_may_still_report(bench: Bench) -> None:
    script = "trap 'echo \"{}\" > $ROUNDTABLE_RESULT_FILE; exit 0' TERM; echo; sleep 600 & wait"
    run = bench.launch("sh", "-c", script)
    until(lambda: bench.printed(run))
    bench.runners.control(run, {"do": "cancel"})
    end = bench.finish(run)
    assert (end.why, end.exit_code) == ("cancelled", 0)
    assert len(bench.of_kind(run, Result)) == 1


@pytest.mark.slow
@pytest.mark.proves("F-42")
def test_a_silent_idle_agent_is_ended(bench: Bench) -> None:
    limits = Deadlines(silent=0.3, silence_limit=1.0, soft=60, hard=60)
    run = bench.launch_quick("sleep", "600", deadlines=limits)
    end = bench.finish(run)
    assert end.why == "silence"
    assert len(bench.of_kind(run, Silent)) == 1
    assert [m.which for m in bench.of_kind(run, Deadline)] == ["silence"]


@pytest.mark.slow
@pytest.mark.proves("F-42")
def test_a_silent_busy_agent_is_left_to_work(bench: Bench) -> None:
    limits = Deadlines(silent=0.2, silence_limit=0.5, soft=60, hard=60)
    code = "import time\nend = time.time() + 1.5\nwhile time.time() < end: pass"
    run = bench.launch_quick(*PYTHON, code, deadlines=limits)
    assert bench.finish(run).why == "exited"


@pytest.mark.slow
@pytest.mark.proves("F-42")
def test_an_agent_that_only_prints_dots_meets_the_hard_limit(bench: Bench) -> None:
    limits = Deadlines(silent=60, silence_limit=60, soft=0.5, hard=1.2)
    script = "while :; do printf .; sleep 0.05; done"
    run = bench.launch_quick("sh", "-c", script, deadlines=limits)
    assert bench.finish(run).why == "hard"
    assert [m.which for m in bench.of_kind(run, Deadline)] == ["soft", "hard"]


@pytest.mark.slow
@pytest.mark.proves("F-38")
def test_no_zombie_and_no_descriptor_is_left_of_twenty_runs(bench: Bench) -> None:
    bench.finish(bench.launch("true"))
    before, dead = len(os.listdir("/proc/self/fd")), _zombies()
    for _ in range(5):
        runs = [bench.launch("true") for _ in range(4)]
        for run in runs:
            bench.finish(run)
    until(lambda: not bench.runners.wait(0) and not _zombies() - dead)
    assert abs(len(os.listdir("/proc/self/fd")) - before) <= 5
    assert list(bench.sockets.iterdir()) == []


def test_the_runner_reaps_the_orphans_of_a_living_agent(bench: Bench) -> None:
    limits = Deadlines(silent=0.5, silence_limit=60, soft=60, hard=60)
    script = "(sh -c 'sleep 0.1' & ) ; sleep 600"
    run = bench.launch_quick("sh", "-c", script, deadlines=limits)
    runner = psutil.Process(bench.first(run, Hello).pid)
    time.sleep(0.5)
    agent = bench.first(run, AgentBorn).pid
    until(lambda: [child.pid for child in runner.children()] == [agent])


@pytest.mark.proves("S-73", "B-094")
def test_a_pid_with_another_start_time_is_left_alone() -> None:
    from roundtable_desktop.adapters import processes
    from roundtable_desktop.runner import identity

    innocent = subprocess.Popen(["sleep", "600"])
    try:
        started = identity.ticks(innocent.pid)
        identity.send(innocent.pid, started - 1, signal.SIGKILL)
        stranger = processes.Identity(processes.boot_id(), innocent.pid, started - 1)
        processes.send(stranger, signal.SIGKILL)
        processes.send(processes.Identity("a boot", innocent.pid, started), signal.SIGKILL)
        time.sleep(0.05)
        assert innocent.poll() is None
        identity.send(innocent.pid, started, signal.SIGKILL)
        assert innocent.wait(60) == -signal.SIGKILL
        assert not processes.is_alive(stranger)
    finally:
        innocent.kill()
        innocent.wait(5)


def _cancel(bench: Bench, run: str, reason: str) -> object:
    from roundtable_desktop.model.ports import RunnerGone

    try:
        return bench.runners.control(run, {"do": "cancel", "reason": reason})
    except RunnerGone:  # it listens only after its agent has started
        return None


def _zombies() -> set[int]:
    """Of this process; another test's, which ran here before, are not this one's."""
    found = set()
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if child.status() == psutil.STATUS_ZOMBIE:
                found.add(child.pid)
    return found
