"""An account at its limit, seen and lifted from outside."""

from typing import Any

import pytest
from outside_house import Browser, Room, until
from outside_pages import got, send
from outside_talk import comment, demo, script, status, wakeups

FAR = "429 Too Many Requests. Retry-After: 18000"


def limited(room: Room, agent: str) -> Any:
    """A task whose first attempt met a limit of five hours; the second one works."""
    lines = script("write limited.txt done", "once", f"limit {FAR}")
    task = room.task("Meet the limit", agent, description=lines)
    until(lambda: wakeups(room, task)[0]["held_by"] == "limit")
    return task


def explained(room: Room, task: Any) -> Any:
    (wakeup, *_) = wakeups(room, task)
    return room.house.get(f"/wakeups/{wakeup['id']}/explain")


def held_here(room: Room, agent: str) -> list[Any]:
    """Others may hold accounts of theirs: the owner is shared."""
    every = room.house.get("/status")["held"]
    return [one for one in every if agent in [whose["id"] for whose in one["agents"]]]


@pytest.mark.slow
@pytest.mark.proves("B-045", "B-069", "C-37")
def test_one_account_waits_together_and_is_seen_everywhere(room: Room) -> None:
    one = demo(room, "one", account="shared")
    two = demo(room, "two", account="shared")
    other = demo(room, "other")
    task = limited(room, one)
    waiting, free = room.task("Wait", two), room.task("Go on", other)
    room.ended(free)
    assert status(room, free) == "in_review"
    why = explained(room, waiting)
    assert why["code"] == "waits_account" and "the limit of shared" in why["sentence"]
    assert not room.house.get("/runs", task_id=waiting["id"])["items"]

    seen = room.house.get(f"/agents/{two}")
    assert (seen["account"], seen["held_by"]) == ("shared", "account")
    assert seen["held_until"] == explained(room, waiting)["values"]["until"]
    assert room.house.get(f"/agents/{other}")["held_until"] is None
    (held,) = held_here(room, one)
    assert [agent["name"] for agent in held["agents"]] == ["one", "two"]
    assert "Retry-After: 18000" in held["told"]
    told = room.house.cli("status", at=room.path)
    assert "shared is at its limit; next try" in told.out
    assert "Waiting: one, two." in told.out and "roundtable agent try-now one" in told.out
    end = wakeups(room, waiting)[0]["id"][-8:]
    told = room.house.cli("explain", "wakeup", end, at=room.path)
    assert "roundtable agent try-now two" in told.out
    listed = room.house.cli("agent", "list", at=room.path)
    assert "shared" in listed.out and seen["held_until"][:10] in listed.out

    browser = Browser(room.house)
    page = got(browser, f"/tasks/{waiting['id']}")
    assert "It waits for the limit of shared; next try" in page.text
    front = got(browser, "/")
    assert "shared is at its limit" in front.text and "Limits of providers" in front.text
    sent = send(browser, front.form(f"/agents/{one}/try-now"))
    assert sent["Location"].endswith("?told=account_tries_now")
    assert sent.status == 303
    room.ended(task, 2)
    room.ended(waiting)
    assert (status(room, task), status(room, waiting)) == ("in_review", "in_review")
    first = wakeups(room, task)[0]
    assert (first["status"], first["retry_count"]) == ("finished", 1)
    until(lambda: not held_here(room, one))
    assert send(browser, front.form(f"/agents/{one}/try-now")).status in (303, 409)


@pytest.mark.slow
@pytest.mark.proves("B-044")
def test_what_comes_while_it_waits_is_one_run_afterwards(room: Room) -> None:
    agent = demo(room, "patient", account="patience")
    task = room.task("Talk", agent)
    room.ended(task)
    lines = script("write again.txt done", "once", f"limit {FAR}")
    other = room.task("Meet the limit", agent, description=lines)
    until(lambda: wakeups(room, other)[0]["held_by"] == "limit")
    for number in range(5):
        comment(room, task, f"Word {number}.")
    (said,) = [one for one in wakeups(room, task, "comment") if one["status"] == "queued"]
    assert said["coalesced_count"] == 5
    until(lambda: explained_of(room, said)["code"] == "waits_account")
    assert len(room.house.get("/runs", task_id=task["id"])["items"]) == 1
    done = room.house.cli("agent", "try-now", "patient", at=room.path)
    assert done.code == 0 and "One run of patience tries now" in done.out
    run = room.ended(task, 2)
    assert all(f"Word {number}." in run["assembled_prompt"] for number in range(5))
    room.ended(other, 2)
    again = room.house.cli("agent", "try-now", "patient", at=room.path)
    assert again.code == 1 and "waits for no limit" in again.said


def explained_of(room: Room, wakeup: Any) -> Any:
    return room.house.get(f"/wakeups/{wakeup['id']}/explain")


@pytest.mark.slow
@pytest.mark.proves("C-37", "N-03")
def test_nothing_is_said_to_try_while_all_is_paused(room: Room) -> None:
    agent = demo(room, "patient", account="patience")
    limited(room, agent)
    assert room.house.cli("agent", "pause", "patient", at=room.path).code == 0
    told = room.house.cli("agent", "try-now", "patient", at=room.path)
    assert told.code == 0 and "patient itself is paused" in told.out
    assert room.house.cli("agent", "resume", "patient", at=room.path).code == 0
    until(lambda: len(room.house.get("/runs", agent_id=agent)["items"]) == 2)


@pytest.mark.proves("C-37")
def test_who_pays_can_be_said_and_changed(room: Room) -> None:
    made = room.house.cli(
        "agent", "add", "--adapter", "command", "--name", "payer", "--", "/opt/codex", at=room.path
    )
    assert made.code == 0, made.err
    shown = room.house.cli("agent", "show", "payer", "--json", at=room.path).json
    assert shown["account"] == "codex"
    changed = room.house.cli("agent", "edit", "payer", "--account", "ours", at=room.path)
    assert changed.code == 0 and "account" in changed.out
    shown = room.house.cli("agent", "show", "payer", "--json", at=room.path).json
    assert shown["account"] == "ours"
    body = {"workspace_id": room.id, "name": "x", "adapter": "demo", "account": "a\nb"}
    assert room.house.program("POST", "/agents", body).status == 422
