"""Comments wake, conversations go on, and what agents ask and report is taken as it was said."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from outside_files import holders
from outside_house import House, Room, alive, until
from outside_talk import (
    Stalls,
    comment,
    demo,
    item_of,
    opened,
    resolved,
    script,
    status,
    wakeups,
)


@pytest.fixture
def stalls(room: Room, tmp_path: Path) -> Stalls:
    return Stalls(room, tmp_path / "stalls")


# --- comments -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("K-04")
def test_a_comment_wakes_the_assignee_once_and_a_repeat_is_the_same(room: Room) -> None:
    task = room.task("Talk", demo(room), description=script("write a.txt one"))
    room.ended(task)
    key = "0c5a9e3e-comment"
    first = comment(room, task, script("append a.txt two"), Idempotency_Key=key)
    again = comment(room, task, script("append a.txt two"), Idempotency_Key=key)
    assert again["id"] == first["id"]
    run = room.ended(task, 2)
    assert run["outcome"] == "done"
    said = room.house.get(f"/tasks/{task['id']}/comments")["items"]
    assert [(one["author_type"], one["id"]) for one in said] == [("person", first["id"])]
    woken = until(
        lambda: (found := wakeups(room, task, "comment"))[0]["status"] == "finished" and found
    )
    assert len(woken) == 1 and woken[0]["run_id"] == run["id"]
    different = room.house.program(
        "POST", f"/tasks/{task['id']}/comments", {"text": "other"}, Idempotency_Key=key
    )
    assert (different.status, different.json["code"]) == (409, "key_reused")


@pytest.mark.slow
@pytest.mark.proves("K-04")
def test_an_agents_own_comment_wakes_nobody_and_anothers_does(stalls: Stalls) -> None:
    room = stalls.room
    task = room.task("Talk", stalls.agent("ada"))
    seat = stalls.seat(task)
    made = seat.call("task_comment", text="Half of it is there.")
    assert len(wakeups(room, task)) == 1
    bert = demo(room, "bert")
    room.house.program("PATCH", f"/tasks/{task['id']}", {"assignee_agent_id": bert})
    seat.call("task_comment", text="Mind the second half.")
    (woken,) = wakeups(room, task, "comment")
    assert woken["agent_id"] == bert
    said = room.house.get(f"/tasks/{task['id']}/comments")["items"]
    assert said[0]["id"] == made["comment_id"] and said[0]["run_id"] == seat.run
    seat.leave()


@pytest.mark.slow
@pytest.mark.proves("K-04")
@pytest.mark.parametrize(
    ("lines", "stands"), [(["block Which one?"], "blocked"), (["fail task_failed no"], "failed")]
)
def test_a_comment_opens_a_task_again_that_stood_still(
    room: Room, lines: list[str], stands: str
) -> None:
    task = room.task("Stuck", demo(room), description=script(*lines), retry_budget=0)
    room.ended(task)
    until(lambda: status(room, task) == stands)
    comment(room, task, script("write answer.txt blue"))
    assert room.ended(task, 2)["outcome"] == "done"
    until(lambda: status(room, task) == "in_review")


def test_a_comment_is_at_most_16_kb(room: Room) -> None:
    task = room.task("Long")
    for text, code in (("x" * 16_384, 201), ("x" * 16_385, 422), ("é" * 8_193, 422), ("", 422)):
        answer = room.house.program("POST", f"/tasks/{task['id']}/comments", {"text": text})
        assert answer.status == code, len(text)


# --- conversations ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("K-48")
def test_the_second_run_goes_on_with_the_first_ones_session(room: Room) -> None:
    task = room.task("Go on", demo(room), description=script("write a.txt one"))
    first = room.ended(task)
    assert opened(room, first) == {**opened(room, first), "loaded": False, "note": ""}
    assert "# Your task" in first["assembled_prompt"]
    comment(room, task, "Please go on.\n" + script("append a.txt two"))
    second = room.ended(task, 2)
    assert second["session_id"] == first["session_id"]
    assert opened(room, second)["loaded"] is True
    assert "# Your task" not in second["assembled_prompt"]
    assert "Please go on." in second["assembled_prompt"]
    assert "Going on after" in room.house.transcript(second["id"])


@pytest.mark.slow
@pytest.mark.proves("K-48")
def test_a_session_that_is_gone_is_replaced_and_that_is_recorded(room: Room) -> None:
    task = room.task("Forget", demo(room), description=script("write a.txt one"))
    first = room.ended(task)
    state = room.house.home / "demo/roundtable-demo-agent"
    kept = state / f"{first['session_id']}.json"
    kept.unlink()
    comment(room, task, script("append a.txt two"))
    second = room.ended(task, 2)
    told = opened(room, second)
    assert told["loaded"] is False and "no such session" in told["note"]
    assert second["session_id"] == told["session"] != first["session_id"]
    assert "# Your task" in second["assembled_prompt"]
    assert second["outcome"] == "done"


# --- questions ----------------------------------------------------------------------------------


def asking(room: Room, **more: object) -> Any:
    return room.task("Ask", demo(room, **more), description=script("ask May I?", "write a.txt b"))


def act(room: Room, item: Any, action: str) -> Any:
    return room.house.program("POST", f"/inbox/{item['id']}/act", {"action": action})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "taken", "told"),
    [("allow_once", "yes", "allowed"), ("no", "no", "refused")],
)
def test_a_question_waits_for_the_person_and_is_answered_once(
    room: Room, action: str, taken: str, told: str
) -> None:
    task = asking(room)
    item = item_of(room, task)
    run = room.house.run(item["data"]["run_id"])
    assert item["kind"] == "permission" and "May I?" in item["sentence"]
    assert run["status"] == "running" and run["waiting_since"] is not None
    seen = room.house.get(f"/tasks/{task['id']}/explain")["more"][0]
    assert seen["code"] == "waits_for_person"
    assert "waits for your answer" in room.house.cli("status", at=room.path).out
    unknown = act(room, item, "allow_everything")
    assert (unknown.status, unknown.json["code"]) == (422, "unknown_action")
    assert act(room, item, action).status == 202
    until(lambda: act(room, item, action).status == 409)
    done = resolved(room, item)
    assert done["resolution"] == {"by": "person", "option": taken}
    ended = room.ended(task)
    assert told in ended["result_json"]["summary"] and ended["waiting_since"] is None
    second = act(room, item, action)
    assert (second.status, second.json["code"]) == (409, "already_resolved")


@pytest.mark.slow
def test_a_question_is_answered_by_the_command_line(room: Room) -> None:
    task = asking(room)
    item = item_of(room, task)
    assert room.house.cli("inbox", "act", item["id"], "perhaps").code == 2
    said = room.house.cli("inbox", "act", item["id"], "reject_once")
    assert said.code == 0 and "Answered: reject_once" in said.out
    assert "refused" in room.ended(task)["result_json"]["summary"]
    assert room.house.cli("inbox", "act", item["id"], "allow_once").code == 1


@pytest.mark.slow
@pytest.mark.parametrize("who", ["runner", "agent"])
def test_a_question_ends_with_its_run(room: Room, who: str) -> None:
    task = asking(room)
    item = item_of(room, task)
    run = room.house.run(item["data"]["run_id"])
    pid = next(one["pid"] for one in run["processes"] if one["role"] == who)
    os.kill(pid, signal.SIGKILL)
    ended = room.ended(task)
    assert resolved(room, item)["resolution"]["by"] == "end"
    assert ended["waiting_since"] is None
    assert act(room, item, "allow_once").status == 409


@pytest.mark.slow
def test_a_question_survives_the_death_of_the_owner(running: House) -> None:
    room = running.room()
    task = asking(room)
    item = item_of(room, task)
    running.end(signal.SIGKILL)
    running.start()
    assert item_of(room, task)["id"] == item["id"]
    assert running.run(item["data"]["run_id"])["waiting_since"] is not None
    assert until(lambda: act(room, item, "allow_once")).status == 202
    ended = room.ended(task)
    assert ended["id"] == item["data"]["run_id"] and ended["outcome"] == "done"
    assert len(running.get(f"/tasks/{task['id']}/attempts")["items"]) == 1


@pytest.mark.parametrize(("policy", "told"), [("allow", "allowed"), ("deny", "refused")])
def test_a_rule_answers_without_the_person(room: Room, policy: str, told: str) -> None:
    task = asking(room, permission_policy=policy)
    ended = room.ended(task)
    assert told in ended["result_json"]["summary"] and ended["waiting_since"] is None
    asked = {"workspace_id": room.id, "status": "open", "kind": "permission"}
    assert room.house.get("/inbox", **asked)["items"] == []


# --- how it ends --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("C-90", "B-081", "C-44")
def test_without_a_result_changes_go_to_review_and_their_lack_is_a_failure(room: Room) -> None:
    agent = demo(room, max_concurrent_sessions=2)
    left = room.task("Left", agent, description=script("write a.txt b", "noresult"))
    none = room.task("None", agent, description=script("fail no_result"), retry_budget=1)
    run = room.ended(left)
    assert (run["status"], run["outcome"], run["result_json"]) == ("finished", "no_result", {})
    until(lambda: status(room, left) == "in_review")
    run = room.ended(none)
    assert (run["status"], run["error"]["kind"]) == ("failed", "no_result")
    again = room.ended(none, 2)
    assert wakeups(room, none)[1]["reason"] == "attempt_retry"
    assert again["error"]["kind"] == "no_result"
    until(lambda: status(room, none) == "failed")


ENDS = [
    ("fail auth_required Sign in", "auth_required", "Authentication required: Sign in", None),
    ("fail network no route", None, "no route", 1),
    ("limit Rate limit reached, try again in 50 minutes", None, "again in 50 minutes", 1),
    ("crash 3", "crashed", "", 1),
]


@pytest.mark.proves("A-20", "K-34")
@pytest.mark.parametrize(
    ("line", "kind", "text", "retry"), ENDS, ids=["auth", "network", "limit", "crash"]
)
def test_an_error_blocks_or_is_tried_again_by_its_kind(
    room: Room, line: str, kind: str | None, text: str, retry: int | None
) -> None:
    task = room.task("Fail", demo(room), description=script(line))
    run = room.ended(task)
    assert run["status"] == "failed" and text in (run["error"]["text"] or "")
    assert kind in (None, run["error"]["kind"])
    (wakeup,) = wakeups(room, task)
    if retry is None:
        assert status(room, task) == "blocked"
        assert (wakeup["status"], wakeup["outcome"]) == ("failed", "incurable")
        why = room.house.get(f"/tasks/{task['id']}/explain")
        assert why["code"] == "task_blocked_log_in" and "is not logged in" in why["sentence"]
        assert room.house.get(f"/runs/{run['id']}/explain")["code"] == "run_not_logged_in"
    else:
        stated = "again in" in text  # a limit that says when it ends, at any hour of the day
        assert (wakeup["status"], wakeup["held_by"]) == ("queued", "limit" if stated else "retry")
        assert (wakeup["retry_count"], wakeup["scheduled_retry_at"] is None) == (retry, False)
        assert status(room, task) == "in_progress"


@pytest.mark.slow
@pytest.mark.proves("A-22", "C-71", "F-42")
def test_an_agent_that_hangs_is_ended_by_the_limit_of_silence(room: Room) -> None:
    agent = demo(room, silence_limit_sec=1)
    task = room.task("Hang", agent, description=script("spawn 2", "hang"))
    run = room.live(task)
    began = time.monotonic()
    ended = room.ended(task, seconds=25)
    assert time.monotonic() - began < 17
    assert (ended["outcome"], ended["error"]["kind"]) == ("timed_out", "timed_out")
    assert wakeups(room, task)[0]["held_by"] == "retry"
    processes = room.house.run(run["id"])["processes"]  # the runner leaves after its last word
    until(lambda: not any(alive(one["pid"]) for one in processes), 2)


def test_what_was_used_is_summed(room: Room) -> None:
    task = room.task("Spend", demo(room), description=script("usage 100 20", "usage 10 5"))
    usage = room.ended(task)["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (110, 25)


# --- results through /mcp -----------------------------------------------------------------------

BLOCK = "```roundtable-result\n" + json.dumps({"status": "failed", "summary": "no"}) + "\n```\n"


def test_a_reported_result_counts_before_a_block_and_the_last_of_two(stalls: Stalls) -> None:
    room = stalls.room
    task = room.task("Report", stalls.agent())
    seat = stalls.seat(task)
    assert seat.call("task_get")["title"] == "Report"
    for summary in ("First", "Second"):
        assert seat.call("task_result", status="completed", summary=summary)["accepted"] is True
    (kept,) = room.house.query(f"SELECT ended FROM runs WHERE id = '{seat.run}'")[0]
    assert json.loads(kept)["mcp_changed"] is True
    seat.leave(BLOCK)
    run = room.ended(task)
    assert (run["result_json"]["status"], run["result_json"]["summary"]) == ("completed", "Second")
    assert run["outcome"] == "no_changes"


def test_a_block_counts_where_no_result_was_reported(stalls: Stalls) -> None:
    task = stalls.room.task("Block", stalls.agent(), retry_budget=0)
    stalls.seat(task).leave(BLOCK)
    run = stalls.room.ended(task)
    assert (run["outcome"], run["result_json"]["summary"]) == ("task_failed", "no")


@pytest.mark.proves("F-13")
def test_a_token_ends_with_its_run_and_opens_no_other_door(stalls: Stalls) -> None:
    room, house = stalls.room, stalls.room.house
    task = room.task("Key", stalls.agent())
    seat = stalls.seat(task)
    assert seat.ask("task_get", token=house.token).status == 401
    assert seat.ask("task_get", token="").status == 401
    bearer = {"Authorization": f"Bearer {seat.token}"}
    for method, path in (("GET", "/tasks"), ("GET", "/inbox"), ("GET", "/control")):
        assert house.ask(method, f"/api/v1{path}", headers=bearer).status == 401, path
    run = room.live(task)
    os.kill(next(p["pid"] for p in run["processes"] if p["role"] == "runner"), signal.SIGKILL)
    assert room.ended(task)["outcome"] == "lost"
    until(lambda: seat.ask("task_result", status="completed", summary="late").status == 401, 1)
    assert house.run(seat.run)["result_json"] == {}


def test_another_task_is_as_if_it_were_not_there(stalls: Stalls) -> None:
    room = stalls.room
    task, other = room.task("Mine", stalls.agent()), room.task("Theirs")
    seat = stalls.seat(task)
    theirs = seat.call("task_get", task_id=other["id"])
    nothing = seat.call("task_get", task_id=other["id"][:-6] + "zzzzzz")
    assert theirs == nothing and theirs["code"] == "unknown_task"
    seat.leave()


@pytest.mark.slow
@pytest.mark.proves("K-01 sources")
def test_a_subtask_hangs_below_its_task_and_wakes_its_assignee(stalls: Stalls) -> None:
    room = stalls.room
    task = room.task("Above", stalls.agent())
    helper = demo(room, "helper")
    seat = stalls.seat(task)
    words = {"title": "Below", "description": script("write b.txt c")}
    made = seat.call("task_create", **words, assignee_agent="helper")
    assert made["parent_id"] == task["id"]
    run = room.ended(made)
    assert (run["outcome"], run["agent_id"]) == ("done", helper)
    assert [one["source"] for one in wakeups(room, made)] == ["task_assigned"]
    below = seat.call("task_get")["subtasks"]
    assert [one["id"] for one in below] == [made["id"]]
    assert seat.call("task_create", title="No", assignee_agent="nobody")["code"] == "unknown_agent"
    seat.leave()


@pytest.mark.slow
@pytest.mark.proves("S-71")
def test_no_secret_of_an_agent_enters_the_database_by_its_tools(
    running: House, tmp_path: Path
) -> None:
    """In a home of its own: every file of it is read."""
    room = running.room()
    stalls = Stalls(room, tmp_path / "stalls")
    secret = "sk-CANARY-TALK-0123456789"
    task = room.task("Leak", stalls.agent(env={"API_KEY": secret}))
    seat = stalls.seat(task)
    for word in (secret, seat.token, room.house.token, "ghp_16C7e42F292c6912E7710c838347Ae178B4a"):
        seat.call("task_comment", text=f"\x1b[1mThe key\x1b[0m is {word}.")
        seat.call("task_create", title=f"Use {word}", description=word)
        seat.call("task_result", status="completed", summary=f"I used {word}.")
    seat.leave(f"Also {secret}.")
    run = room.ended(task)
    assert "[redacted]" in run["result_json"]["summary"]
    said = room.house.get(f"/tasks/{task['id']}/comments")["items"]
    assert {one["text"] for one in said} == {"The key is [redacted]."}
    assert holders(room.house.home, [secret.encode(), seat.token.encode()]) == [
        path for path in (room.house.home / "secrets").rglob("*") if secret in path.read_text()
    ]
