"""Kills at named moments of one run, through the real owner."""

import json
import os
import signal
import time
from typing import Any

import pytest
from kills.campaign import Site
from kills.counting import count
from kills.owners import is_corpse, runners, until

ENGINE = "roundtable_desktop.engine"
RUNNERS = "roundtable_desktop.adapters.runners"
MOMENTS = {
    "claim and decision": f"{ENGINE}.dispatcher:Dispatcher._judge:before:1",
    "decision and spawn": f"{ENGINE}.launching:Launching.launch:before:1",
    "folder and spawn": f"{RUNNERS}:LocalRunners._start:before:1",
    "spawn and hello": f"{RUNNERS}:LocalRunners._start:after:1",
    "hello and its record": f"{ENGINE}.spools:_hello:before:1",
    "hello and first message": f"{ENGINE}.spools:_agent:before:1",
}


def nothing_wrong(made: Site) -> None:
    """Ends the owner. Everything is at rest and every counter at 0."""
    assert until(made.at_rest, 20)
    made.owners.stop()
    counters = count(made.home, made.acks, made.ledger)
    assert counters.zero() == {}, counters.told


def gone(pid: int, seconds: float = 15.0) -> bool:
    return until(lambda: is_corpse(pid), seconds)


def row(made: Site, sql: str, *values: Any) -> Any:
    return made.told(f"SELECT {sql}", *values)


@pytest.mark.slow
@pytest.mark.proves("F-03", "C-58")
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_during_the_launch_is_resolved_in_ten_seconds(made: Site, moment: str) -> None:
    made.owners.stop()
    made.owners.start(MOMENTS[moment])
    task = made.post("key-1", "@work 0.3 write key-1.txt")
    assert made.owners.wait_dead(10), "the moment did not come"
    made.owners.start()
    first = "count(*) FROM runs WHERE status = 'starting' AND created_at < ?"
    born = int((made.owners.life.spawned) * 1e6)
    assert until(lambda: row(made, first, born) == 0, 10)
    assert until(lambda: made.status(task) == "in_review", 15)
    assert len(made.starts()) == 1
    nothing_wrong(made)


@pytest.mark.slow
@pytest.mark.proves("F-03", "C-58")
def test_a_runner_that_is_born_after_the_recovery_starts_nothing(made: Site) -> None:
    made.owners.stop()
    (made.home.parent / "doom").write_text("sleep 20")  # a start takes a while on a busy machine
    made.owners.start(MOMENTS["spawn and hello"])
    task = made.post("key-1", "@work 0.3 write key-1.txt")
    assert made.owners.wait_dead(30)
    made.owners.start()
    assert until(lambda: made.status(task) == "in_review", 60)
    outcomes = row(made, "group_concat(outcome) FROM (SELECT outcome FROM runs ORDER BY id)")
    assert outcomes == "lost,done"
    time.sleep(max(0.0, made.owners.lives[-2].died + 20.5 - time.time()))  # type: ignore[operator]
    assert len(made.starts()) == 1
    nothing_wrong(made)


@pytest.mark.slow
@pytest.mark.proves("F-06", "A-20")
def test_a_runner_killed_before_its_birth_is_replaced_at_once(made: Site) -> None:
    """Nobody waits for the time that it had, a minute of any other owner's."""
    made.owners.stop()
    (made.home.parent / "born").write_text("60")
    (made.home.parent / "doom").write_text("sleep 30")
    made.owners.start()
    task = made.post("key-1", "@work 0.1 write key-1.txt")
    unborn = until(lambda: runners(made.home), 10)
    until(lambda: all(os.getpgid(pid) == pid for pid in unborn), 10)  # not yet, just after a fork
    for pid in unborn:
        os.killpg(pid, signal.SIGKILL)
    assert until(lambda: made.status(task) == "in_review", 40)
    assert row(made, "group_concat(outcome) FROM (SELECT outcome FROM runs ORDER BY id)") == (
        "crashed,done"
    )
    nothing_wrong(made)


def text_of(made: Site, run: str) -> str:
    files = sorted((made.home / "runs" / run / "out").glob("*.ndjson"))
    records = [json.loads(line) for file in files for line in file.open(encoding="utf-8")]
    return "".join(record["text"] for record in records if record.get("stream") == "out")


@pytest.mark.slow
@pytest.mark.proves("F-04", "C-101", "A-35")
@pytest.mark.parametrize("end", ["kill", "stop"])
def test_three_agents_go_on_without_the_owner_and_are_followed_again(made: Site, end: str) -> None:
    tasks = [made.post(f"key-{n}", f"@work 25 say 200 write key-{n}.txt", n) for n in range(3)]
    assert until(lambda: len(made.starts()) == 3, 30)
    getattr(made.owners, end)()
    time.sleep(0.5)
    made.owners.start()
    assert row(made, "count(*) FROM events WHERE kind = 'run.adopted'") == 3
    made.owners.kill()
    made.owners.start()
    assert until(lambda: all(made.status(task) == "in_review" for task in tasks), 60)
    whole = "".join(f"line {number} of 200 \N{SNOWMAN}\n" for number in range(200))
    runs = {record.run: record.pid for record in made.starts()}
    assert [text_of(made, run) for run in runs] == [whole] * 3
    for run, pid in runs.items():
        assert row(made, "pid FROM agent_processes WHERE run_id = ? AND role = 'agent'", run) == pid
    nothing_wrong(made)


@pytest.mark.slow
@pytest.mark.proves("F-06")
@pytest.mark.parametrize(("role", "outcome"), [("runner", "lost"), ("agent", "crashed")])
def test_a_killed_process_is_settled_and_planned_again(made: Site, role: str, outcome: str) -> None:
    made.owners.stop()
    made.owners.retry_seconds = 120.0
    made.owners.start()
    made.post("key-1", "@work 60 escape")
    assert until(lambda: made.starts("ESCAPED"), 15)
    pids = [record.pid for record in made.starts() + made.starts("ESCAPED")]
    victim = f"pid FROM agent_processes WHERE role = '{role}'"
    assert until(lambda: row(made, f"count(*) FROM ({'SELECT ' + victim})"), 5)
    os.kill(row(made, victim), signal.SIGKILL)
    began = time.monotonic()
    planned = "count(*) FROM agent_wakeup_requests WHERE held_by = 'retry' AND status = 'queued'"
    assert until(lambda: row(made, planned), 10)
    assert time.monotonic() - began < 5
    assert row(made, "outcome FROM runs") == outcome
    assert all(gone(pid, 0) for pid in pids)
    nothing_wrong(made)


LATE = """
import fcntl, json, os, sys, time
folder = sys.argv[1]
spool = open(f"{folder}/spool.ndjson", "ab")
while True:
    try:
        fcntl.flock(spool, fcntl.LOCK_SH | fcntl.LOCK_NB)
        break
    except BlockingIOError:
        time.sleep(0.01)
fcntl.flock(spool, fcntl.LOCK_UN)
time.sleep(3)
words = {"status": "completed", "summary": "forged"}
open(f"{folder}/result.json", "w").write(json.dumps(words))
at = time.time_ns() // 1000
for seq, kind, more in (
    (3, "result", {"source": "file", "text": json.dumps(words)}),
    (4, "end", {"why": "exited", "exit_code": 0, "error": None, "output_bytes": 9, "tail": "",
                "stderr": "", "killed": [], "survivors": []}),
):
    line = json.dumps({"seq": seq, "at": at, "kind": kind, **more})
    spool.write(line.encode() + bytes([10]))
spool.flush()
open(sys.argv[2], "w").write("forged")
"""


@pytest.mark.slow
@pytest.mark.proves("F-13")
def test_what_an_escaped_child_writes_for_a_vanished_runner_is_not_taken(made: Site) -> None:
    """It has no mark, no parent of ours and the right numbers: the run is closed, that is all."""
    task = made.post("key-1", "@work 20 once write key-1.txt")
    (start,) = until(lambda: made.starts(), 15)
    folder, forged = made.home / "runs" / start.run, made.home.parent / "forged"
    runner = f"pid FROM agent_processes WHERE role = 'runner' AND run_id = '{start.run}'"
    assert until(lambda: row(made, f"count(*) FROM ({'SELECT ' + runner})"), 5)
    pid = os.posix_spawn(
        "/usr/bin/env",
        ["env", "-i", "python3", "-c", LATE, str(folder), str(forged)],
        {"PATH": os.environ["PATH"]},
    )
    time.sleep(0.3)
    os.kill(row(made, runner), signal.SIGKILL)
    assert until(lambda: made.status(task) == "in_review", 20)
    os.waitpid(pid, 0)
    assert forged.read_text() == "forged"
    made.owners.kill()
    made.owners.start()
    time.sleep(1)
    assert row(made, "outcome FROM runs WHERE id = ?", start.run) == "lost"
    assert row(made, "count(*) FROM proposals WHERE run_id = ?", start.run) == 0
    assert row(made, "count(*) FROM proposals") == 1
    nothing_wrong(made)
