"""What failed for good asks a person, once; a paused agent loses nothing."""

import re
from pathlib import Path
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import got, send
from outside_talk import comment, status, wakeups


def items(room: Room, **asked: str) -> list[Any]:
    found = room.house.get("/inbox", workspace_id=room.id, **asked)["items"]
    return [one for one in found if one["kind"] == "agent.error"]


def incurable(room: Room, tool: Path) -> Any:
    """A task whose agent's program is not there yet."""
    task = room.task("Try", room.agent(str(tool)))
    until(lambda: items(room))
    return task


def mend(tool: Path) -> None:
    tool.write_text("#!/bin/sh\ncat > note.txt\n")
    tool.chmod(0o755)


@pytest.mark.slow
@pytest.mark.proves("K-35", "C-38")
def test_what_trying_again_cannot_cure_is_asked_once_and_retry_runs_it(
    room: Room, tmp_path: Path
) -> None:
    tool = tmp_path / "tool"
    task = incurable(room, tool)
    (item,) = items(room, status="open")
    assert (item["severity"], item["subject_type"]) == ("attention", "task")
    assert item["subject_id"] == task["id"] and item["data"]["outcome"] == "incurable"
    said = item["sentence"]
    assert "program was not found" in said and "It was tried once" in said and "_" not in said
    assert f"T-{task['number']}" in said and "agent edit" in said
    assert [one["id"] for one in item["data"]["options"]] == ["retry", "mark_fixed", "pause_agent"]
    listed = room.house.cli("inbox", "list", at=room.path).out
    assert f"T-{task['number']}" in listed and "retry, mark_fixed, pause_agent" in listed
    shown = room.house.cli("inbox", "show", item["id"][-8:], at=room.path).out
    assert item["sentence"] in shown and "{" not in shown
    (agent,) = room.house.get("/agents", workspace_id=room.id)["items"]
    assert agent["name"] in shown and f"inbox act {item['id'][-8:]} ANSWER" in shown
    mend(tool)
    done = room.house.cli("inbox", "act", item["id"], "retry", at=room.path)
    assert done.code == 0, done.err
    until(lambda: status(room, task) == "in_review")
    (resolved,) = items(room)
    assert resolved["status"] == "resolved"
    again = room.house.program("POST", f"/inbox/{item['id']}/act", {"action": "retry"})
    assert (again.status, again.json["code"]) == (409, "already_resolved")


@pytest.mark.slow
@pytest.mark.proves("N-12 snooze", "N-12 note")
def test_an_item_is_put_off_on_its_page_and_at_the_command_line(room: Room, tmp_path: Path) -> None:
    house, tool = room.house, tmp_path / "tool"
    task = incurable(room, tool)
    (item,) = items(room, status="open")
    end = item["id"][-8:]
    browser = Browser(house)
    put_off = got(browser, "/inbox").form(f"/inbox/{item['id']}/snooze")
    assert send(browser, put_off, span="4h").status == 303
    (first,) = items(room, status="snoozed")
    assert first["snoozed_until"] > item["created_at"] and items(room, status="open") == []
    listed = house.cli("inbox", "list", at=room.path).out
    assert end not in listed and "1 is put off: roundtable inbox list --status snoozed" in listed
    assert end in house.cli("inbox", "list", "--status", "snoozed", at=room.path).out
    page = got(browser, "/inbox?status=snoozed")
    assert "You put it off until" in page.text and page.has_form(f"/inbox/{item['id']}/act")
    said = house.cli("inbox", "snooze", end, "--until", "1d").out
    (second,) = items(room, status="snoozed")
    until_then = second["snoozed_until"]
    assert until_then > first["snoozed_until"] and until_then[11:19] in said
    assert until_then[11:19] in house.cli("inbox", "show", end).out
    late = house.cli("inbox", "snooze", end, "--until", "2020-01-01T00:00")
    assert late.code == 2 and "passed" in late.err
    refused = house.cli("inbox", "act", end, "pause_agent", "--note", "Why?")
    assert refused.code == 2 and "Nobody would read a note" in refused.err
    mend(tool)
    assert house.cli("inbox", "act", end, "retry", "--note", "Mind C-42").code == 0
    assert "Mind C-42" in room.ended(task, 2)["assembled_prompt"]
    assert room.house.get(f"/inbox/{item['id']}")["snoozed_until"] is None


MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ")
RAW = re.compile(r"T\d\d:\d\d:\d\d|task_assigned|user_run|no_changes|agent_status")


@pytest.mark.slow
@pytest.mark.proves("K-61 words")
def test_what_ran_and_why_is_said_in_words_at_the_command_line(room: Room, tmp_path: Path) -> None:
    """Codes and exact instants are for programs, which take --json."""
    house = room.house
    task = room.task("Say", room.shell("echo nothing"))
    run = room.ended(task)
    asked = ("runs", "list"), ("runs", "show", run["id"]), ("wakeup", "list")
    for words in (*asked, ("wakeup", "show", run["wakeup_id"])):
        said = house.cli(*words, at=room.path).out
        assert MOMENT.search(said), words
        shown = said.partition("context snapshot")[0]
        assert not RAW.search(shown), (words, RAW.search(shown))
    assert "it was assigned" in said and "What it was asked for still holds." in said
    done = house.cli("task", "edit", "1", "--title", "Said", "--description", "-", at=room.path)
    assert done.code == 0 and "description, title" in done.out
    changed = house.get(f"/tasks/{task['id']}")
    assert (changed["title"], changed["description"]) == ("Said", "")
    assert house.cli("task", "edit", "1", "--title", "", at=room.path).code == 2


@pytest.mark.proves("K-35")
def test_an_item_goes_when_its_cause_goes(room: Room, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    task = incurable(room, tool)
    mend(tool)
    room.house.post(f"/tasks/{task['id']}/run", {})
    until(lambda: status(room, task) == "in_review")
    (item,) = items(room)
    assert (item["status"], item["resolution"]["by"]) == ("resolved", "cause")


@pytest.mark.slow
@pytest.mark.proves("K-35", "K-40")
def test_the_agent_can_be_paused_from_there_and_mark_fixed_lets_it_work(
    room: Room, tmp_path: Path
) -> None:
    tool = tmp_path / "tool"
    incurable(room, tool)
    (item,) = items(room, status="open")
    room.house.post(f"/inbox/{item['id']}/act", {"action": "pause_agent"})
    agent = room.house.get(f"/agents/{item['data']['agent_id']}")
    assert (agent["status"], agent["paused_reason"]) == ("paused", "person")
    assert not items(room, status="open")
    refused = room.house.program("POST", f"/inbox/{item['id']}/act", {"action": "explode"})
    assert refused.status in (409, 422)


@pytest.mark.slow
@pytest.mark.proves("K-40", "C-10")
def test_a_pause_finishes_what_comes_and_the_resume_brings_all_of_it_back(room: Room) -> None:
    """Failure 10 of the first systems: what a pause finished was lost."""
    house: House = room.house
    agent = room.shell("cat > note.txt", name="pausable")
    paused = house.cli("agent", "pause", "pausable", at=room.path)
    assert paused.code == 0 and "is paused" in paused.out
    task = room.task("Write", agent)
    other = room.task("Write too", agent)
    comment(room, other, "Mind the margins.")

    def outcomes(one: Any) -> list[tuple[str, str | None]]:
        return [(each["status"], each["outcome"]) for each in wakeups(room, one)]

    until(lambda: outcomes(task) == [("finished", "agent_paused")])
    until(lambda: outcomes(other) == [("finished", "agent_paused")] * 2)
    assert not house.get("/runs", task_id=task["id"])["items"]
    resumed = house.cli("agent", "resume", "pausable", at=room.path)
    assert resumed.code == 0 and "may work again" in resumed.out
    assert room.ended(task)["outcome"] == "done" and room.ended(other)["outcome"] == "done"
    back = [one for one in wakeups(room, task) if one["reason"] == "agent_resumed"]
    assert [one["source"] for one in back] == ["task_assigned"]
    sources = {one["source"] for one in wakeups(room, other) if one["reason"] == "agent_resumed"}
    assert sources == {"task_assigned", "comment"}

    # Nothing comes back a second time.
    before = len(wakeups(room, task)) + len(wakeups(room, other))
    for act in ("pause", "resume", "resume"):
        assert house.program("POST", f"/agents/{agent}/{act}", {}).status == 200
    assert len(wakeups(room, task)) + len(wakeups(room, other)) == before


@pytest.mark.proves("C-10", "W-30 keys")
def test_a_late_repeat_of_a_pause_does_not_pause_again(room: Room) -> None:
    agent = room.shell("true", name="repeated")
    ask = room.house.program
    assert ask("POST", f"/agents/{agent}/pause", {}, Idempotency_Key=f"one:{agent}").status == 200
    assert ask("POST", f"/agents/{agent}/resume", {}, Idempotency_Key=f"two:{agent}").status == 200
    again = ask("POST", f"/agents/{agent}/pause", {}, Idempotency_Key=f"one:{agent}")
    assert (again.status, again.json["status"]) == (200, "idle")
    other = ask("POST", f"/agents/{agent}/resume", {}, Idempotency_Key=f"one:{agent}")
    assert (other.status, other.json["code"]) == (409, "key_reused")
    assert ask("POST", f"/agents/{agent}/pause", {}, Idempotency_Key="x" * 10_000).status == 400


@pytest.mark.proves("C-10")
def test_a_pause_asks_for_the_revision_that_it_was_told(room: Room) -> None:
    agent = room.shell("true", name="revised")
    late = room.house.program("POST", f"/agents/{agent}/pause", {}, If_Match='"9"')
    assert late.status == 412
    assert room.house.get(f"/agents/{agent}")["status"] == "idle"


@pytest.mark.proves("K-35")
def test_the_page_says_what_failed_and_its_buttons_do_what_they_say(
    room: Room, tmp_path: Path
) -> None:
    tool, browser = tmp_path / "tool", Browser(room.house)
    task = incurable(room, tool)
    (item,) = items(room, status="open")
    page = got(browser, "/inbox")
    assert "The agent's program was not found" in page.text
    assert {f"/tasks/{task['id']}", f"/runs/{item['data']['run_id']}"} <= set(page.links)
    form = page.form(f"/inbox/{item['id']}/act")
    assert [value for _, value in form.choices] == ["retry", "mark_fixed", "pause_agent"]
    mend(tool)
    assert send(browser, form, action="retry").status == 303
    until(lambda: status(room, task) == "in_review")
    assert "Try again" in got(browser, "/inbox?status=resolved").text
