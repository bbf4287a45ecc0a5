"""How agents come to an end that says little, or too much, and what a person is shown of it."""

import os
import shutil
import signal
import sys
import time
from typing import Any

import psutil
import pytest
from outside_house import Browser, House, Room, alive, until
from outside_talk import comment, demo, opened, script, status, wakeups


@pytest.fixture
def seen(shared: House) -> Browser:
    return Browser(shared)


def page(seen: Browser, path: str) -> str:
    answer = seen.ask("GET", path)
    assert answer.status == 200, answer.text
    return answer.text


def pid_of(run: Any, role: str = "agent") -> int:
    return int(next(one["pid"] for one in run["processes"] if one["role"] == role))


@pytest.mark.slow
@pytest.mark.proves("B-080")
@pytest.mark.parametrize("code", [143, 1])
def test_a_result_counts_and_the_odd_exit_after_it_is_noted(
    room: Room, seen: Browser, code: int
) -> None:
    words = '{"status": "completed", "summary": "All is well."}'
    told = f"echo x > x.txt; echo '{words}' > $ROUNDTABLE_RESULT_FILE; exit {code}"
    task = room.task("Odd", room.shell(told))
    run = room.ended(task)
    assert (run["status"], run["outcome"], run["exit_code"]) == ("finished", "done", code)
    until(lambda: status(room, task) == "in_review")
    events = room.house.get(f"/runs/{run['id']}/events")["items"]
    assert [one["data"]["exit_code"] for one in events if one["kind"] == "run.ended"] == [code]
    assert f"<dd>{code}</dd>" in page(seen, f"/runs/{run['id']}")
    log = (room.house.home / "logs/roundtable.log").read_text()
    assert f"run ended run={run['id']} outcome=done exit_code={code}" in log


FINAL = '{"type":"result","subtype":"success","is_error":false,"result":"It was fine already."}'


@pytest.mark.slow
@pytest.mark.proves("B-080")
def test_the_last_line_for_programs_is_such_a_result(room: Room, seen: Browser) -> None:
    told = f"echo '{{\"type\":\"system\"}}'; echo '{FINAL}'; kill -TERM $$"
    task = room.task("Final", room.shell(told))
    run = room.ended(task)
    assert (run["outcome"], run["exit_code"]) == ("no_changes", -signal.SIGTERM)
    assert run["output_summary"] == "It was fine already."
    assert "It was fine already." in page(seen, f"/tasks/{task['id']}")


LEAVE = "I need permission to run these commands. Please approve them and I will go on."
API = "Error when talking to Gemini API: fetch failed"


@pytest.mark.slow
@pytest.mark.proves("B-081")
def test_an_agent_that_may_not_work_is_no_success_and_its_words_are_on_the_task(
    room: Room, seen: Browser
) -> None:
    task = room.task("May I", room.shell(f"echo '{LEAVE}'"))
    assert room.ended(task)["outcome"] == "blocked"
    assert until(lambda: status(room, task)) == "blocked"
    assert f"It waits for you: {LEAVE}" in room.house.cli("explain", "task", "1", at=room.path).out
    assert LEAVE in room.house.cli("task", "show", "1", at=room.path).out
    shown = page(seen, f"/tasks/{task['id']}")
    assert "What its agent said last" in shown and LEAVE in shown
    assert room.house.cli("task", "run", "1", "--text", "You may.", at=room.path).code == 0
    assert room.ended(task, 2)["outcome"] == "blocked"


@pytest.mark.slow
@pytest.mark.proves("B-081")
@pytest.mark.parametrize("channel", ["1", "2"])
def test_an_error_with_exit_code_0_and_no_answer_has_failed(
    room: Room, seen: Browser, channel: str
) -> None:
    agent = room.shell(f"echo '{API}' >&{channel}")
    task = room.task("Talk", agent, retry_budget=0)
    run = room.ended(task)
    assert (run["status"], run["exit_code"]) == ("failed", 0)
    assert API in run["error"]["text"]
    assert status(room, task) in ("in_progress", "failed")
    assert API in page(seen, f"/tasks/{task['id']}")
    assert API in room.house.cli("task", "show", "1", at=room.path).out


@pytest.mark.proves("B-081")
def test_an_answer_without_a_change_is_still_one_and_is_shown(room: Room, seen: Browser) -> None:
    answer = "The permission check in guard.py needs approval of the owner: 3 places."
    task = room.task("Look", room.shell(f"echo '{answer}'"))
    assert room.ended(task)["outcome"] == "no_changes"
    assert until(lambda: status(room, task)) == "done"
    assert answer in page(seen, f"/tasks/{task['id']}")


@pytest.mark.proves("B-082")
def test_a_line_of_three_megabytes_is_cut_with_a_note_and_the_run_goes_on(
    room: Room, seen: Browser
) -> None:
    told = (
        "import json, os\n"
        "print(json.dumps({'type': 'tool_result', 'text': 'x' * 3 * 1024 * 1024}))\n"
        "print('and on')\n"
        "open(os.environ['ROUNDTABLE_RESULT_FILE'], 'w').write('{\"status\": \"completed\"}')\n"
    )
    task = room.task("Long", room.python(told))
    run = room.ended(task)
    assert (run["status"], run["error"]) == ("finished", None)
    first, second, _ = room.house.transcript(run["id"]).split("\n")
    assert first.startswith('{"type": "tool_result"') and first.endswith("xxx [cut]")
    assert len(first) >= 64 * 1024 and second == "and on"
    assert "[cut]" in page(seen, f"/runs/{run['id']}")


@pytest.mark.slow
@pytest.mark.proves("B-085")
def test_an_agent_killed_in_its_turn_is_lost_at_once_though_others_hold_its_pipes(
    room: Room,
) -> None:
    task = room.task("Turn", demo(room), description=script("spawn 1", "say on", "hang"))
    run = room.live(task)
    until(lambda: "on" in room.house.transcript(run["id"]))
    os.kill(pid_of(run), signal.SIGKILL)
    ended = room.ended(task, seconds=15)
    assert (ended["status"], ended["outcome"]) == ("failed", "crashed")
    (wakeup,) = wakeups(room, task)
    assert (wakeup["status"], wakeup["held_by"], wakeup["retry_count"]) == ("queued", "retry", 1)
    assert room.house.get(f"/tasks/{task['id']}")["checkout_agent_id"] is None


@pytest.mark.slow
@pytest.mark.proves("B-087")
@pytest.mark.parametrize("gone", ["session", "copy"])
def test_what_cannot_be_gone_on_with_is_begun_anew_and_that_is_shown(
    room: Room, seen: Browser, gone: str
) -> None:
    task = room.task("Go on", demo(room), description=script("write a.txt one"))
    first = room.ended(task)
    if gone == "session":
        state = room.house.home / "demo/roundtable-demo-agent"
        (state / f"{first['session_id']}.json").unlink()
    else:
        shutil.rmtree(_copy_of(room, task))
    comment(room, task, "Please go on.\n" + script("write b.txt two"))
    second = room.ended(task, 2)
    assert (second["outcome"], second["session_loaded"]) == ("done", False)
    assert "# Your task" in second["assembled_prompt"]
    assert "Please go on." in second["assembled_prompt"]
    assert opened(room, second)["session"] != first["session_id"]
    said = {"session": "could not be opened", "copy": "Its working copy was gone"}[gone]
    assert said in page(seen, f"/runs/{second['id']}")
    assert said in room.house.cli("runs", "show", second["id"], at=room.path).out
    assert said not in page(seen, f"/runs/{first['id']}")


def _copy_of(room: Room, task: Any) -> Any:
    number = room.house.query(f"SELECT number FROM workspaces WHERE id = '{room.id}'")[0][0]
    return room.house.home / f"copies/{number}/t{task['number']}"


@pytest.mark.slow
@pytest.mark.proves("B-089")
def test_an_agent_that_knows_its_error_and_stays_is_ended_with_its_last_lines(
    room: Room, seen: Browser
) -> None:
    event = '{"type":"error","error":{"name":"APIError"}}'
    agent = room.shell(f"echo '{event}'; sleep 600 & sleep 601", silence_limit_sec=1)
    task = room.task("Stay", agent)
    run = room.live(task)
    children = psutil.Process(pid_of(run)).children(recursive=True)
    ended = room.ended(task, seconds=20)
    assert (ended["status"], ended["outcome"]) == ("failed", "timed_out")
    assert ended["error"]["text"] == event
    assert not any(alive(one.pid) for one in children)
    assert wakeups(room, task)[0]["held_by"] == "retry"
    said = room.house.get(f"/runs/{run['id']}/explain")
    assert said["code"] == "run_silent"
    assert said["sentence"].startswith("Nothing came from it for ")
    for shown in (
        page(seen, f"/runs/{run['id']}"),
        room.house.cli("runs", "show", run["id"], at=room.path).out,
    ):
        assert said["sentence"] in shown and "APIError" in shown


SPEECH = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if 'id' not in message or 'method' not in message: continue
    if message['method'] == 'session/prompt':
        print(flush=True); time.sleep(600)
    result = {'protocolVersion': 1, 'sessionId': 's1'}
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
"""
WRAPPER = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-I', '-S', '-c', sys.argv[1]])
open('child.pid', 'w').write(str(child.pid))
os.close(0); os.close(1)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.proves("B-093")
def test_an_agent_that_its_wrapper_does_not_bury_is_dead(room: Room) -> None:
    """The wrapper stays and does not collect it: all that is left of the agent is a zombie."""
    agent = room.agent(sys.executable, "-c", WRAPPER, SPEECH, adapter="acp")
    task = room.task("Wrap", agent)
    run = room.live(task)
    note = _copy_of(room, task) / "child.pid"
    pid = int(until(lambda: note.exists() and note.read_text()))
    until(lambda: any(one["kind"] == "session.opened" for one in _events(room, run)))
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    ended = room.ended(task, seconds=15)
    assert time.monotonic() - began < 15
    assert (ended["status"], ended["outcome"]) == ("failed", "crashed")
    assert room.house.get(f"/tasks/{task['id']}")["checkout_agent_id"] is None
    assert not alive(pid_of(run)) and not psutil.pid_exists(pid)


def _events(room: Room, run: Any) -> Any:
    return room.house.get(f"/runs/{run['id']}/events")["items"]
