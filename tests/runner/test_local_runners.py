"""The launcher: whose spool it is, and what happens when the runner or the app is killed."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from runner_bench import Bench, until

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.runners import LocalRunners, own_program
from roundtable_desktop.model.errors import Broken
from roundtable_desktop.model.messages import AgentBorn, Hello
from roundtable_desktop.model.ports import Launcher, LaunchFailed, SpoolState

MUTE = 6

APP = """
import json, sys, time
from pathlib import Path
from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.runners import LocalRunners
from roundtable_desktop.model.ports import Deadlines, LaunchOrder
order = json.loads(sys.argv[3])
order["deadlines"] = Deadlines(**order["deadlines"])
runners = LocalRunners(Path(sys.argv[1]), Path(sys.argv[2]), sweep=processes.sweep)
runners.launch(LaunchOrder(**order))
time.sleep(600)
"""


def test_it_is_a_launcher(bench: Bench) -> None:
    launcher: Launcher = bench.runners
    assert launcher.state("never-was") is SpoolState.ABSENT
    assert launcher.read("never-was", 0) == b""


@pytest.mark.slow
@pytest.mark.proves("A-35", "F-04")
def test_a_run_goes_on_when_the_app_is_killed_and_is_found_again(bench: Bench) -> None:
    order = bench.order("sh", "-c", "sleep 1.5; echo still here")
    words = [sys.executable, "-I", "-c", APP, str(bench.runs), str(bench.sockets)]
    app = subprocess.Popen([*words, json.dumps(asdict(order))])
    agent = bench.first(order.run, AgentBorn).pid
    app.kill()
    app.wait(5)
    bench.runners = bench.new_runners()
    assert bench.runners.state(order.run) is SpoolState.LOCKED
    assert until(lambda: _reachable(bench, order.run))
    end = bench.finish(order.run)
    assert (end.why, end.exit_code, end.tail) == ("exited", 0, "still here\n")
    assert bench.first(order.run, AgentBorn).pid == agent


@pytest.mark.slow
@pytest.mark.proves("F-06", "F-13")
def test_a_killed_runner_leaves_a_free_spool_and_the_sweep_leaves_nothing(bench: Bench) -> None:
    script = "setsid sh -c \"trap '' TERM; while :; do sleep 1; done\" & sleep 600"
    run = bench.launch("sh", "-c", script, secrets={"TOKEN": "hunter2hunter2"})
    bench.runners.attach(run)
    until(lambda: len(bench.left(run)) >= 3)
    hello = bench.first(run, Hello)
    os.kill(hello.pid, signal.SIGKILL)
    started = time.monotonic()
    until(lambda: run in bench.runners.wait(5) and bench.runners.state(run) is SpoolState.FREE)
    assert time.monotonic() - started < 5
    assert bench.left(run)
    assert list(bench.runners.sweep(run)) == []
    assert bench.left(run) == []
    assert not Path(hello.control).exists()


@pytest.mark.slow
@pytest.mark.proves("F-06")
def test_a_killed_agent_ends_its_run(bench: Bench) -> None:
    run = bench.launch("sleep", "600")
    os.kill(bench.first(run, AgentBorn).pid, signal.SIGKILL)
    end = bench.finish(run, seconds=5)
    assert (end.why, end.exit_code) == ("exited", -signal.SIGKILL)


@pytest.mark.proves("F-03")
def test_a_void_is_written_once_and_only_where_nobody_was_born(bench: Bench) -> None:
    bench.started.append("nobody")
    assert bench.runners.void("nobody")
    assert not bench.runners.void("nobody")
    assert bench.runners.state("nobody") is SpoolState.FREE
    assert json.loads(bench.runners.read("nobody", 0))["kind"] == "void"
    run = bench.launch_quick("sleep", "600")
    bench.first(run, Hello)
    assert not bench.runners.void(run)


@pytest.mark.slow
@pytest.mark.proves("F-03")
def test_a_spool_is_locked_and_greets_from_the_moment_it_is_there(bench: Bench) -> None:
    """Looked at as fast as possible while runners are born."""
    for _ in range(5):
        order = bench.order("true")
        bench.prepare(order)
        child = bench.start_runner(order.run)
        over = False
        while bench.runners.state(order.run) is SpoolState.ABSENT:
            assert not over
            over = child.poll() is not None  # then the next look is the one that counts
        assert b'"hello"' in bench.runners.read(order.run, 0)
        if bench.runners.state(order.run) is SpoolState.FREE:
            assert b'"end"' in bench.runners.read(order.run, 0)


def test_only_whole_lines_are_read_and_at_most_256_kib(bench: Bench) -> None:
    spool = bench.runs / "by-hand" / "spool.ndjson"
    spool.parent.mkdir(parents=True)
    line = b"x" * 999 + b"\n"
    spool.write_bytes(line * 500 + b"torn")
    first = bench.runners.read("by-hand", 0)
    assert len(first) == 262_000
    assert bench.runners.read("by-hand", len(first)) == line * 238
    assert bench.runners.read("by-hand", 500_000) == b""


def test_a_run_is_launched_once(bench: Bench) -> None:
    order = bench.order("true")
    bench.runners.launch(order)
    with pytest.raises(LaunchFailed) as refusal:
        bench.runners.launch(order)
    assert refusal.value.kind == "spawn_failed"
    bench.finish(order.run)


@pytest.mark.proves("A-20")
def test_a_launch_that_stumbles_before_its_runner_can_be_repeated(bench: Bench) -> None:
    order = bench.order("true", secrets={"TOKEN": "hunter2hunter2"})

    def may() -> bool:
        raise Broken("snapshot_kept_too_long")

    with pytest.raises(Broken):
        bench.runners.launch(order, may)
    assert bench.runners.state(order.run) is SpoolState.ABSENT
    bench.runners.launch(order)
    assert bench.finish(order.run).exit_code == 0


@pytest.mark.proves("F-44")
def test_a_launch_that_fails_leaves_no_secret_and_a_void(bench: Bench) -> None:
    runners = LocalRunners(
        bench.runs, bench.sockets, sweep=processes.sweep, program=lambda part: ["/no/such/program"]
    )
    order = bench.order("true", secrets={"TOKEN": "hunter2hunter2"})
    with pytest.raises(LaunchFailed):
        runners.launch(order)
    assert runners.state(order.run) is SpoolState.FREE
    assert not (bench.folder(order.run) / "env.json").exists()


def test_a_run_that_is_not_born_yet_is_told_of_when_it_is(bench: Bench) -> None:
    order = bench.order("sleep", "600")
    bench.prepare(order)
    bench.runners.attach(order.run)
    bench.runners.wait(0)
    assert bench.runners.wait(0.3) == set()
    bench.start_runner(order.run)
    assert bench.runners.wait(5) == {order.run}


@pytest.mark.slow
def test_a_stopped_runner_holds_up_no_other(bench: Bench) -> None:
    stuck, live = bench.launch_quick("sleep", "600"), bench.launch_quick("sleep", "600")
    pid = bench.first(stuck, Hello).pid
    bench.first(live, AgentBorn)
    until(lambda: _reachable(bench, live) and _reachable(bench, stuck))
    os.kill(pid, signal.SIGSTOP)
    try:
        bench.runners.attach(stuck)
        bench.runners.attach(live)
        until(lambda: not bench.runners.wait(0.2))
        bench.runners.control(live, {"do": "cancel"})
        started = time.monotonic()
        until(lambda: live in bench.runners.wait(5))
        assert time.monotonic() - started < 5
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.proves("C-101")
def test_a_close_does_not_wait_for_runners_that_do_not_answer(bench: Bench) -> None:
    """Each of them may take a second of every round."""
    mute = [socket.socket(socket.AF_UNIX) for _ in range(MUTE)]
    locks = []
    for line in mute:
        order = bench.order("true")
        place = bench.prepare(order)
        line.bind(json.loads((place / "launch.json").read_text())["control_address"])
        line.listen()
        locks.append(open(place / "spool.ndjson", "wb"))  # noqa: SIM115 -- closed below
        fcntl.flock(locks[-1], fcntl.LOCK_EX)
        bench.started.remove(order.run)
        bench.runners.attach(order.run)
    waiting = threading.Thread(target=bench.runners.wait, args=(60.0,))
    waiting.start()
    assert mute[0].accept()
    began = time.monotonic()
    bench.runners.close()
    waiting.join(10)
    assert time.monotonic() - began < MUTE / 2
    assert bench.runners.wait(60.0) == set()
    for one in (*mute, *locks):
        one.close()


def test_a_frozen_build_is_its_own_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_program("runner")[1:] == ["-I", "-m", "roundtable_desktop", "--part", "runner"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert own_program("runner") == [sys.executable, "--part", "runner"]


@pytest.mark.proves("S-72")
def test_the_runner_itself_has_no_secret_in_its_environment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-CANARY")
    run = bench.launch("sleep", "600")
    pid = bench.first(run, Hello).pid
    words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    names = {word.partition(b"=")[0].decode() for word in words if word}
    assert names <= {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"}


def _reachable(bench: Bench, run: str) -> bool:
    from roundtable_desktop.model.ports import RunnerGone

    try:
        return bool(bench.runners.control(run, {"do": "ping"})["ok"])
    except RunnerGone:
        return False


@pytest.mark.proves("A-20", "F-06")
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo no such module >&2; exit 3", "the runner ended (3) before it began. no such module"),
        ("kill -KILL $$", "the runner ended (-9) before it began."),
    ],
)
def test_who_started_a_runner_sees_that_it_will_never_be_born(
    bench: Bench, script: str, why: str
) -> None:
    runners = LocalRunners(
        bench.runs, bench.sockets, sweep=processes.sweep, program=lambda part: ["sh", "-c", script]
    )
    order = bench.order("true")
    assert runners.unborn(order.run) is None
    runners.launch(order)
    assert until(lambda: runners.unborn(order.run)) == why
    assert runners.state(order.run) is SpoolState.ABSENT
    runners.detach(order.run)
    assert runners.unborn(order.run) is None


@pytest.mark.proves("F-06")
def test_a_runner_that_was_born_is_not_called_unborn_when_it_ends(bench: Bench) -> None:
    run = bench.launch("true")
    bench.finish(run)
    until(lambda: not bench.runners._children)
    assert bench.runners.unborn(run) is None
