"""A coordinator's heartbeat is told of the one before, and people see what that is."""

import hashlib
import json
import signal
from typing import Any

import pytest
from outside_clock import advance, start
from outside_house import Browser, House, Room, until
from outside_pages import got
from outside_routines import fired, made, over
from outside_talk import demo, office, script

HEADS = ["## Active focus", "## Open blockers", "## Recent decisions", "## Next action"]


def beat(room: Room, agent: str, number: int) -> Any:
    """Five minutes later; the run that came of it, once it is over."""
    room.task(f"Something new {number}")
    advance(room.house, 300)

    def look() -> Any:
        found = room.house.get("/runs", agent_id=agent)["items"]
        return len(found) == number and found[0]["ended_at"] and room.house.run(found[0]["id"])

    return until(look)


@pytest.mark.slow
@pytest.mark.proves("K-73", "K-49", "K-50", "S-36")
def test_a_heartbeat_is_told_of_the_one_before_also_after_a_restart(house: House) -> None:
    start(house, TZ="UTC")
    room = house.room()
    agent = demo(room, "chair", role="coordinator")
    (heartbeat,) = office(house, "GET", f"?workspace_id={room.id}").json["items"]
    lines = script("write <b>first</b>.txt #one", "say Looked.")
    office(house, "PATCH", f"/{heartbeat['id']}", {"description": lines})
    first = beat(room, agent, 1)
    assert first["summary_injected"] == "" and "# What you know" not in first["assembled_prompt"]
    (kept,) = house.get(f"/agents/{agent}/summaries")["items"]
    assert kept["routine_id"] == heartbeat["id"] and kept["updated_by_run_id"] == first["id"]
    assert kept["scope"] == f"routine:{heartbeat['id']}"
    assert kept["routine_name"] == "Coordinator heartbeat" and kept["content_tokens"] > 0
    assert [one for one in kept["content"].split("\n") if one.startswith("##")] == HEADS
    assert "wrote <b>first</b>.txt" in kept["content"]

    second = beat(room, agent, 2)
    assert second["summary_injected"] == kept["content"]
    assert "# What you know\n\n" in second["assembled_prompt"]
    assert kept["content"] in second["assembled_prompt"]
    seen_by_people(house, room, agent, second)

    assert house.end()[0] == 0
    start(house, now=None, TZ="UTC")
    (later,) = house.get(f"/agents/{agent}/summaries")["items"]
    assert later["updated_by_run_id"] == second["id"]
    third = beat(room, agent, 3)
    assert third["summary_injected"] == later["content"] and "first" in later["content"]


def seen_by_people(house: House, room: Room, agent: str, run: Any) -> None:
    browser = Browser(house)
    (kept,) = house.get(f"/agents/{agent}/summaries")["items"]
    page = got(browser, f"/agents/{agent}")
    flat = " ".join(kept["content"].split())
    assert flat in page.text, "as text, also what looks like a page"
    raw = browser.ask("GET", f"/agents/{agent}").text
    assert "<b>first" not in raw and f"/runs/{kept['updated_by_run_id']}" in page.links
    assert not any(flat in str(form.fields) for form in page.forms)
    prompt = got(browser, f"/runs/{run['id']}?part=prompt").text
    assert prompt.count(" ".join(run["summary_injected"].split())) == 2
    shown = house.cli("agent", "show", "chair", at=room.path).out
    assert "What it knows of “Coordinator heartbeat”" in shown
    assert f"after run {kept['updated_by_run_id'][-8:]}:" in shown
    assert all(f"  {line}".rstrip() in shown for line in kept["content"].splitlines())
    told = json.loads(house.cli("agent", "show", "chair", "--json", at=room.path).out)
    assert told["summaries"] == [kept] and told["id"] == agent


@pytest.mark.slow
@pytest.mark.proves("prompt", "K-68")
def test_the_prompt_that_is_shown_is_what_was_sent_byte_for_byte(room: Room) -> None:
    words = "Ä 漢 🐦 e\u0301\ttab\r\nline\u2028 ```\n` \\ {prompt} $HOME 'quoted'"
    agent = room.agent("sh", "-c", "sha256sum | cut -d ' ' -f 1 > sum.txt", name="sum")
    task = room.task("Write it down", agent, description=words)
    run = room.house.run(room.ended(task)["id"])
    assert words in run["assembled_prompt"]
    sent = room.git("show", f"{room.proposal(task)['head_commit']}:sum.txt")
    assert sent == hashlib.sha256(run["assembled_prompt"].encode()).hexdigest()


@pytest.mark.proves("K-49", "C-85")
def test_summaries_are_listed_page_by_page_and_cannot_be_written(room: Room) -> None:
    house, agent = room.house, demo(room)
    found = [made(room, agent, name=name, description="Look.") for name in ("One", "Two")]
    assert house.get(f"/agents/{agent}/summaries") == {"items": [], "next_cursor": None}
    for routine in found:
        fired(house, routine)
        assert over(house, routine)["status"] == "done"
    path = f"/agents/{agent}/summaries"
    first = house.get(path, limit=1)
    second = house.get(path, limit=1, cursor=first["next_cursor"])
    names = [one["routine_name"] for page in (first, second) for one in page["items"]]
    assert names == ["Two", "One"] and second["next_cursor"] is None
    assert house.get(f"/agents/{agent[-8:]}/summaries", limit=2)["items"][0] == first["items"][0]
    for method in ("POST", "PATCH", "PUT", "DELETE"):
        assert house.program(method, path, {}).status == 405
    assert house.program("GET", "/agents/zzzzzzzz/summaries").status == 404
    assert house.program("GET", f"{path}?content=x").status == 422


@pytest.mark.slow
@pytest.mark.proves("K-68 follow-ups", "K-51")
def test_what_a_turn_asks_for_counts_once_though_the_owner_dies_before_its_end(
    running: House,
) -> None:
    room = running.room()
    agent = demo(room)
    note = '{"reason": "look again", "in": "8h"}'
    lines = script(f"tool wake_self {note}", 'tool task_create {"title": "Oil it"}', "sleep 4")
    routine = made(room, agent, description=f"{lines}\n{script('write a.txt one')}")
    fired(running, routine)
    own = {"source": "self", "agent_id": agent}
    until(lambda: running.get("/tasks", workspace_id=room.id)["items"])
    running.end(signal.SIGKILL)
    running.start()
    assert over(running, routine)["status"] == "done"
    (kept,) = running.get(f"/agents/{agent}/summaries")["items"]
    assert kept["content"].count("called wake_self; called task_create; wrote a.txt") == 1
    (waits,) = running.get("/wakeups", **own)["items"]
    assert waits["status"] == "queued" and waits["payload"] == {"reason": "look again"}
    assert [one["title"] for one in running.get("/tasks", workspace_id=room.id)["items"]] == [
        "Oil it"
    ]
    (run,) = running.get("/runs", agent_id=agent)["items"]
    assert kept["updated_by_run_id"] == run["id"]
