"""What runs and restarts leave behind: no process, no descriptor, no broken run."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kills.campaign import Site
from kills.counting import count
from kills.owners import belonging, is_corpse, until
from kills.sequence import in_sequence

CHILD = Path(__file__).parents[1] / "kills" / "restarting_child.py"


@pytest.mark.slow
@pytest.mark.proves("F-38")
def test_thirty_runs_leave_nothing_in_the_owner(made: Site) -> None:
    before, after = in_sequence(made, 30)
    assert after.zombies == 0
    assert abs(after.descriptors - before.descriptors) <= 5, (before, after)
    assert abs(after.threads - before.threads) <= 5, (before, after)
    assert list((made.home / "s").iterdir()) == []
    made.owners.stop()
    assert count(made.home, made.acks, made.ledger).zero() == {}


@pytest.mark.slow
@pytest.mark.proves("F-35")
@pytest.mark.parametrize("killed", ["", "runner"])
def test_twenty_escapees_are_gone_with_their_run(made: Site, killed: str) -> None:
    """At the agent's own end by its runner; after a killed runner by the owner's sweep."""
    task = made.post("key-1", f"@work {30 if killed else 1} once {'escape ' * 20}write key-1.txt")
    assert until(lambda: len(made.starts("ESCAPED")) == 20, 15)
    if killed:
        sql = "SELECT pid FROM agent_processes WHERE role = 'runner'"
        os.kill(until(lambda: made.told(sql), 5), 9)
    assert until(lambda: made.status(task) == "in_review", 20)
    assert all(is_corpse(record.pid) for record in made.starts("ESCAPED"))
    made.owners.stop()
    assert belonging(made.home) == []


@pytest.fixture
def restarting(made: Site) -> Iterator[subprocess.Popen[str]]:
    """The owner of `made`, as a program that can build its owner anew."""
    made.owners.stop()
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(made.home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield child
    child.communicate(timeout=20)


def built(made: Site, child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    made.owners.life.url = json.loads(child.stdout.readline())["url"]


@pytest.mark.slow
@pytest.mark.proves("F-46")
def test_a_new_scheduler_in_the_same_process_goes_on_with_the_runs(
    made: Site, restarting: subprocess.Popen[str]
) -> None:
    built(made, restarting)
    tasks = [made.post(f"key-{n}", f"@work 3 write key-{n}.txt", n) for n in range(3)]
    assert until(lambda: len(made.starts()) == 3, 15)
    assert restarting.stdin is not None
    for _ in range(2):
        restarting.stdin.write("again\n")
        restarting.stdin.flush()
        built(made, restarting)
    assert until(lambda: all(made.status(task) == "in_review" for task in tasks), 20)
    assert len(made.starts()) == len(made.starts("END")) == 3
    assert made.told("SELECT count(*) FROM events WHERE kind = 'run.adopted'") >= 3


BOMB = """
import os, resource, sys, time
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(int(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_NPROC, (int(sys.argv[2]),) * 2)
end = time.monotonic() + 30
while time.monotonic() < end:
    try:
        os.fork()
    except OSError:
        pass
    time.sleep(0.02)
"""


def ours() -> int:
    """Processes and threads of this user, which the limit counts."""
    folders = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    total = 0
    for folder in folders:
        try:
            if folder.stat().st_uid == os.getuid():
                total += len(os.listdir(folder / "task"))
        except OSError:
            continue
    return total


@pytest.mark.slow
@pytest.mark.proves("F-36")
def test_a_bounded_fork_bomb_is_gone_in_fifteen_seconds(made: Site) -> None:
    """The bound is the system's, for an ordinary user; the end of all of it is ours. Its runner is
    killed, so that nothing but the owner's sweep is left to end it."""
    root = os.getuid() == 0
    user, most = 60_000 + os.getpid() % 5_000, 60 if root else ours() + 60
    command = [sys.executable, "-I", "-S", "-c", BOMB, str(user), str(most)]
    made.agents.append(made.add_agent("bomb", command, 1))
    made.owners.stop()
    made.owners.retry_seconds = 120.0
    made.owners.start()
    made.post("key-1", "go", -1)
    assert until(lambda: len(belonging(made.home)) > 40, 15)
    os.kill(made.told("SELECT pid FROM agent_processes WHERE role = 'runner'"), 9)
    began = time.monotonic()
    assert until(lambda: made.told("SELECT outcome FROM runs") == "lost", 15)
    made.owners.kill()
    assert belonging(made.home) == []
    assert time.monotonic() - began < 15
