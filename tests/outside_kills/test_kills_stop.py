"""An orderly stop while git takes for ever: it ends in time, and nothing of the work is lost."""

import ctypes
import json
import signal
import time
from pathlib import Path

import pytest
from git_on_path import path_with_git
from kills import working
from kills.campaign import BRANCH, Site
from kills.counting import count
from kills.owners import belonging, until

SECONDS = 8.0
"""Three for the acts under way, one for git, and the rest for a slow machine."""
LIBC = ctypes.CDLL(None)
ACTS = {"launch": "read-tree", "settle": "pack-objects", "deliver": "merge-tree"}


@pytest.mark.slow
@pytest.mark.proves("C-101", "C-58")
@pytest.mark.parametrize("act", ACTS)
def test_a_stop_during_a_slow_act_ends_in_time_and_loses_nothing(
    made: Site, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    made.owners.stop()
    slow = made.home.parent / "slow"
    with monkeypatch.context() as patched:
        held_up = f"touch {slow}/begun; sleep 600"
        patched.setenv("PATH", path_with_git(slow, ACTS[act], held_up))
        made.owners.start()
    # Two, so that one of them finds the branch gone on and has to be merged.
    tasks = [
        made.post(f"key-{n}", f"@work 0.3 write key-{n}.txt", n, delivery="auto") for n in range(2)
    ]
    assert until((slow / "begun").exists, 20)
    began = time.monotonic()
    made.owners.stop()
    assert time.monotonic() - began < SECONDS
    assert not [pid for pid in belonging(made.home) if b"git" in comm(pid)]
    made.owners.start()
    assert until(lambda: [made.status(task) for task in tasks] == ["done", "done"], 30)
    assert made.told("SELECT max(retry_count) FROM agent_wakeup_requests") == 0
    assert len(made.starts()) == 2
    made.owners.stop()
    counters = count(made.home, made.acks, made.ledger)
    assert counters.zero() == {}, counters.told
    assert working.faults(made.home, made.repository, BRANCH) == []


def comm(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
@pytest.mark.proves("C-101")
@pytest.mark.skipif(not hasattr(LIBC, "tgkill"), reason="the C library cannot signal a thread")
@pytest.mark.parametrize("thread", ["act-0", "scheduler", "http", "MainThread"])
def test_the_signal_to_stop_is_heard_whichever_thread_gets_it(made: Site, thread: str) -> None:
    """The kernel may give it to any; the main thread waits in a system call meanwhile."""
    threads = json.loads((made.home.parent / "threads").read_text())
    LIBC.tgkill(made.owners.life.process.pid, threads[thread], signal.SIGTERM)
    assert made.owners.wait_dead(SECONDS)
    assert made.owners.life.process.returncode == 0
