"""Agents and runners that die, hang, hide or hold on, and what a person is told about it."""

import os
import signal
import sqlite3
import sys
import time
from datetime import datetime
from typing import Any

import psutil
import pytest
from outside_house import House, Room, alive, until


def process(run: Any, role: str) -> int:
    return int(next(one["pid"] for one in run["processes"] if one["role"] == role))


def all_gone(pids: list[int], seconds: float) -> None:
    until(lambda: not any(alive(pid) for pid in pids), seconds)


def explained(room: Room, task: Any) -> Any:
    return room.house.get(f"/tasks/{task['id']}/explain")


def marked(run_id: str) -> list[psutil.Process]:
    """Live processes that carry the run's mark."""
    found = []
    for one in psutil.process_iter():
        try:
            if one.environ().get("ROUNDTABLE_RUN") == run_id and alive(one.pid):
                found.append(one)
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
@pytest.mark.proves("F-06", "K-34", "N-03 why")
@pytest.mark.parametrize("who", ["agent", "runner"])
def test_a_killed_agent_or_runner_is_settled_and_a_retry_planned(room: Room, who: str) -> None:
    task = room.task("Die", room.shell("echo begun; sleep 61 & sleep 60"))
    run = room.live(task)
    pids = [one["pid"] for one in run["processes"]]
    os.kill(process(run, who), signal.SIGKILL)
    ended = room.ended(task, seconds=10)
    assert ended["status"] == "failed"
    assert ended["outcome"] == ("crashed" if who == "agent" else "lost")
    assert ended["error"]["kind"] == ended["outcome"]
    wakeup = until(
        lambda: (
            (seen := room.house.get(f"/wakeups/{run['wakeup_id']}"))["status"] == "queued" and seen
        )
    )
    assert (wakeup["held_by"], wakeup["retry_count"]) == ("retry", 1)
    planned = datetime.fromisoformat(wakeup["scheduled_retry_at"])
    delay = (planned - datetime.fromisoformat(ended["ended_at"])).total_seconds()
    assert 119 <= delay <= 151
    all_gone(pids, 15)
    assert not marked(run["id"])
    said = room.house.cli("explain", "task", "1", at=room.path).out
    assert "It is tried again at" in said and "(retry 1 of 4)." in said
    assert room.house.get(f"/tasks/{task['id']}")["checkout_agent_id"] is None


@pytest.mark.proves("F-35")
def test_a_daemon_that_left_its_session_is_ended_with_its_run(room: Room) -> None:
    script = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("daemon.pid", "w").write(str(os.getpid()))
        for number in range(3):
            os.close(number)
        time.sleep(600)
    os._exit(0)
while not os.path.exists("daemon.pid") or not open("daemon.pid").read():
    time.sleep(0.01)
print("left", open("daemon.pid").read())
"""
    task = room.task("Hide", room.python(script))
    run = room.ended(task)
    assert run["status"] == "finished", run
    pid = int(room.house.transcript(run["id"]).split()[1])
    assert not alive(pid)
    assert not marked(run["id"])


@pytest.mark.slow
@pytest.mark.proves("F-34", "C-71", "A-22")
def test_an_agent_that_ignores_the_polite_signal_is_killed_with_its_tree(room: Room) -> None:
    script = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "subprocess.Popen(['sh', '-c', \"trap '' TERM INT; sleep 600 & wait; sleep 600\"])\n"
        "print('up', flush=True)\n"
        "time.sleep(600)\n"
    )
    task = room.task("Stubborn", room.python(script, hard_timeout_sec=2))
    run = room.live(task)
    began = time.monotonic()
    ended = room.ended(task, seconds=25)
    assert time.monotonic() - began < 17
    assert (ended["status"], ended["outcome"]) == ("failed", "timed_out")
    assert not marked(run["id"])
    assert not any(alive(one["pid"]) for one in run["processes"])


@pytest.mark.slow
@pytest.mark.proves("F-45")
def test_a_child_that_keeps_the_pipes_does_not_keep_the_run(room: Room) -> None:
    task = room.task("Leave", room.shell("echo out > out.txt; echo said; sleep 600 & exit 0"))
    began = time.monotonic()
    run = room.ended(task)
    assert time.monotonic() - began < 15
    assert run["outcome"] == "done" and not marked(run["id"])


@pytest.mark.slow
@pytest.mark.proves("F-45")
def test_an_agent_that_closes_its_pipes_and_one_replaced_by_exec_are_followed(room: Room) -> None:
    closer = "exec 0<&- 1>&- 2>&-; sleep 1; echo still > still.txt"
    closing = room.task("Close", room.shell(closer, "closer"))
    replaced = room.task("Exec", room.shell("exec sh -c 'sleep 0.5; echo e > e.txt'", "exec"))
    for task in (closing, replaced):
        run = room.ended(task)
        assert run["outcome"] == "done" and run["exit_code"] == 0
        assert not marked(run["id"])


@pytest.mark.slow
@pytest.mark.proves("A-20", "N-03 why")
def test_a_program_that_is_not_there_blocks_the_task_and_says_so(room: Room) -> None:
    task = room.task("Nobody", room.agent("/no/such/program-at-all"))
    run = room.ended(task)
    assert run["status"] == "failed" and run["error"]["kind"] == "cli_missing"
    assert room.house.get(f"/tasks/{task['id']}")["status"] == "blocked"
    said = room.house.cli("explain", "task", "1", at=room.path).out
    assert said.startswith(
        "It is blocked: its agent cannot work. The agent's program was not found."
    )
    assert "fix_agent" not in said
    assert room.house.get(f"/runs/{run['id']}/explain")["code"] == "run_not_started"
    shown = room.house.cli("runs", "show", run["id"], at=room.path).out
    assert "/no/such/program-at-all" in shown


@pytest.mark.slow
@pytest.mark.proves("N-03 why", "K-43", "C-98")
def test_what_waits_says_what_it_waits_for(room: Room) -> None:
    agent = room.shell("sleep 60", "slow", cooldown_sec=300)
    first, second = room.task("First", agent), room.task("Second", agent)
    run = room.live(first)
    assert explained(room, first)["more"][0]["code"] == "wakeup_claimed"
    assert room.house.get(f"/runs/{run['id']}/explain")["code"] == "run_running"
    waiting = explained(room, second)["more"][0]
    assert waiting["code"] == "waits_capacity"
    assert "slow, who works on something else" in waiting["sentence"]
    status = room.house.cli("status", at=room.path).out
    assert "T-1 First" in status and "at work now" in status and "works on something else" in status
    os.kill(process(run, "agent"), signal.SIGKILL)
    room.ended(first)
    rests = until(
        lambda: (seen := explained(room, second)["more"][0])["code"] == "waits_cooldown" and seen
    )
    assert "rests 300 s between runs" in rests["sentence"]
    assert [one["gate"] for one in rests["gates"]][-1] == "cooldown"
    retried = explained(room, first)["more"][0]
    assert retried["code"] in ("waits_retry", "waits_cooldown")
    held = room.house.get("/wakeups", task_id=second["id"])["items"][0]
    assert held["status"] == "queued"


@pytest.mark.proves("N-03 why")
def test_a_report_that_it_is_blocked_is_shown_with_who_has_to_do_what(room: Room) -> None:
    script = (
        'printf \'{"status":"blocked","summary":"No key","blocked":{"owner":"user",'
        '"action":"Give me the key"}}\' > "$ROUNDTABLE_RESULT_FILE"'
    )
    task = room.task("Ask", room.shell(script))
    assert room.ended(task)["outcome"] == "blocked"
    said = room.house.cli("explain", "task", "T-1", at=room.path).out
    assert "It waits for you: Give me the key" in said


@pytest.mark.slow
@pytest.mark.proves("K-55", "C-53")
def test_a_person_runs_a_task_that_failed_anew(room: Room) -> None:
    script = "if [ -e again ]; then echo ok; else touch again; exit 3; fi"
    task = room.task("Fail once", room.shell(script), retry_budget=0)
    first = room.ended(task)
    assert first["outcome"] == "task_failed" and first["exit_code"] == 3
    until(lambda: room.house.get(f"/tasks/{task['id']}")["status"] == "failed")
    assert "Every attempt failed" in room.house.cli("explain", "task", "1", at=room.path).out
    assert room.house.cli("task", "run", "1", "--text", "Once more", at=room.path).code == 0
    again = room.ended(task, 2)
    assert again["outcome"] == "done" and "Once more" in again["assembled_prompt"]
    wakeup = room.house.get(f"/wakeups/{again['wakeup_id']}")
    assert (wakeup["source"], wakeup["reason"]) == ("user", "user_run")


@pytest.mark.proves("C-90", "C-44")
@pytest.mark.parametrize("script", ["exit 0", ": > /dev/null"])
def test_silence_without_a_change_is_no_success(room: Room, script: str) -> None:
    task = room.task("Silent", room.shell(script), retry_budget=0)
    run = room.ended(task)
    assert (run["status"], run["outcome"]) == ("failed", "no_result")


@pytest.mark.proves("W-10")
def test_an_endless_error_is_bounded_and_its_secret_redacted(room: Room) -> None:
    secret = "sk-CANARY-ERR-0123456789"
    script = (
        "import os, sys\n"
        "for _ in range(2000): print('boom ' * 20, file=sys.stderr)\n"
        "raise RuntimeError('key ' + os.environ['API_KEY_X'])\n"
    )
    agent = room.python(script, env={"API_KEY_X": secret})
    task = room.task("Boom", agent, retry_budget=0)
    run = room.ended(task)
    assert run["outcome"] == "task_failed"
    assert "RuntimeError: key [redacted]" in run["error"]["text"]
    assert len(run["error"]["text"].encode()) <= 4096
    assert secret not in str(run)


@pytest.mark.slow
@pytest.mark.proves("D-03", "C-91", "S-73")
def test_a_process_with_a_borrowed_number_is_left_alone(house: House) -> None:
    """The runner is killed while no owner looks; its identity then names an innocent process."""
    house.start()
    room = house.room()
    task = room.task("Live", room.shell("sleep 600"))
    run = room.live(task)
    agent, runner = process(run, "agent"), process(run, "runner")
    house.end()
    for pid in (runner, agent):
        os.kill(pid, signal.SIGKILL)
    innocent = psutil.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        database = sqlite3.connect(house.home / "roundtable.db")
        with database:
            database.execute("UPDATE agent_processes SET pid = ?", (innocent.pid,))
        database.close()
        house.start()
        ended = room.ended(task)
        assert ended["outcome"] == "lost"
        assert innocent.is_running() and innocent.status() != psutil.STATUS_ZOMBIE
        shown = house.run(run["id"])["processes"]
        assert not any(one["alive"] for one in shown)
    finally:
        innocent.kill()
        innocent.wait()
