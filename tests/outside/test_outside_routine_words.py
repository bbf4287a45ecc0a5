"""What people are told of routines, at the command line and on pages."""

import re
from pathlib import Path

import pytest
from outside_house import Browser, Room, until
from outside_pages import got, sent
from outside_routines import fired, made, schedule
from outside_talk import Stalls, demo, office


@pytest.mark.slow
@pytest.mark.proves("K-58")
def test_a_name_is_one_routines_alone_while_that_one_may_fire(room: Room) -> None:
    house, at, agent = room.house, room.path, demo(room)
    first = made(room, agent)
    body = {"workspace_id": room.id, "name": "Look", "assignee_agent_id": agent}
    refused = office(house, "POST", "", body)
    assert (refused.status, refused.json["code"]) == (409, "name_taken")
    other = made(room, agent, name="Other")
    renamed = office(house, "PATCH", f"/{other['id']}", {"name": "Look"})
    assert (renamed.status, renamed.json["code"]) == (409, "name_taken")
    assert office(house, "PATCH", f"/{first['id']}", {"name": "Look"}).status == 200
    assert "archived" in house.cli("routine", "archive", "Look", at=at).out
    second = made(room, agent)
    puzzled = house.cli("routine", "pause", "Look", at=at)
    assert puzzled.code == 2
    for one in (first, second):
        assert one["id"][-8:] in puzzled.err
    assert "paused" in house.cli("routine", "pause", second["id"][-8:], at=at).out


@pytest.mark.slow
@pytest.mark.proves("K-25")
def test_each_coordinator_of_a_workspace_has_a_heartbeat_with_a_name_of_its_own(room: Room) -> None:
    demo(room, "chair", role="coordinator")
    second = demo(room, "vice", role="coordinator")
    words = ("--adapter", "demo", "--name", "third", "--role", "coordinator")
    added = room.house.cli("agent", "add", *words, at=room.path)
    assert "“Coordinator heartbeat (third)”" in added.out and "288 times a day" in added.out
    here = f"?workspace_id={room.id}"
    names = {one["name"] for one in office(room.house, "GET", here).json["items"]}
    others = {f"Coordinator heartbeat ({name})" for name in ("vice", "third")}
    assert names == {"Coordinator heartbeat"} | others
    there = office(room.house, "POST", "/heartbeat", {"agent_id": second})
    assert (there.status, there.json["code"]) == (409, "heartbeat_there")


@pytest.mark.slow
@pytest.mark.proves("K-58", "K-23")
def test_the_command_line_warns_of_what_would_come_to_nothing(room: Room) -> None:
    house, at = room.house, room.path
    demo(room, "ada")
    cron = ("--cron", "0 9 * * *", "--tz", "UTC")
    words = ("--description", "See {{missing}} of {{there}}.", "--var", "there=here")
    added = house.cli("routine", "add", "Look", *cron, *words, "--require", "branch", at=at)
    assert "New variables, which its texts use: missing" in added.out, added.err
    assert "there" not in added.out
    assert "gives no value to branch" in added.err
    assert "agent edit ada --no-skip-idle" in added.err
    mended = house.cli("routine", "edit", "Look", "--var", "branch=main", at=at)
    assert "New variables" not in mended.out and "gives no value" not in mended.err
    found = office(house, "GET", f"?workspace_id={room.id}").json["items"][0]["variables"]
    assert {"name": "branch", "default": "main", "required": True}.items() <= found[1].items()
    assert house.cli("agent", "edit", "ada", "--no-skip-idle", at=at).code == 0
    assert house.cli("routine", "edit", "Look", "--priority", "3", at=at).err == ""
    added = house.cli("agent", "add", "--adapter", "demo", "--name", "bob", "--no-skip-idle", at=at)
    assert added.code == 0, added.err
    agents = house.get("/agents", workspace_id=room.id)["items"]
    assert {one["name"]: one["skip_idle_wakeups"] for one in agents} == {"ada": False, "bob": False}


@pytest.mark.slow
@pytest.mark.proves("K-22", "K-58")
def test_values_that_nobody_uses_are_not_taken_in_silence(room: Room, tmp_path: Path) -> None:
    house, at = room.house, room.path
    stalls = Stalls(room, tmp_path / "stalls")
    template = {"title": "Write {{what}}"}
    routine = made(room, stalls.agent(), task_template=template)
    refused = house.cli("routine", "fire", "Look", "--var", "nope=1", at=at)
    assert refused.code == 2 and "nope" in refused.err
    first = fired(house, routine, {"variables": {"what": "one"}})
    seat = stalls.seat({"id": first["linked_task_id"]})
    again = house.cli("routine", "fire", "Look", "--var", "what=two", at=at)
    assert "merged" in again.out and "was not over" in again.out
    assert "T-1 goes on as it began: the values that you gave are not used." in again.err
    assert house.cli("routine", "fire", "Look", at=at).err == ""
    seat.leave("Wrote.")
    until(lambda: house.run(seat.run)["ended_at"])


@pytest.mark.slow
@pytest.mark.proves("N-03", "K-58")
def test_show_tells_what_was_done_with_it_and_how_each_fire_went(room: Room) -> None:
    house, at = room.house, room.path
    demo(room, "ada")
    words = ("--task-title", "Deps {{date}}", "--var", "depth=3", "--policy", "skip_if_active")
    assert house.cli("routine", "add", "Deps", *words, "--require", "who", at=at).code == 0
    assert "paused" in house.cli("routine", "pause", "Deps", at=at).out
    house.cli("routine", "resume", "Deps", at=at)
    assert house.cli("routine", "edit", "Deps", "--priority", "2", at=at).code == 0
    gone = house.cli("routine", "fire", "Deps", "--var", "who=me", at=at)
    assert "Its task is there" in gone.out and "task_created" not in gone.out
    shown = house.cli("routine", "show", "Deps", at=at).out
    assert "ada" in shown and "depth=3" in shown and "who (needed)" in shown
    assert "Deps {{date}}" in shown and '"title"' not in shown
    assert "active → paused" in shown and "paused → active" in shown
    assert "changed: priority" in shown and "received" not in shown
    assert not re.search(r"\d\.\d{3,6}Z", shown)
    assert "It has no schedule" in house.cli("explain", "routine", "Deps", at=at).out


@pytest.mark.slow
@pytest.mark.proves("N-03")
def test_the_pages_say_what_was_done_and_keep_archived_routines_apart(
    room: Room, tmp_path: Path
) -> None:
    house, browser = room.house, Browser(room.house)
    stalls = Stalls(room, tmp_path / "stalls")
    agent = stalls.agent()
    weekly = [schedule("0 9 * * 1")]
    template = {"title": "Write {{what}}"}
    heavy = made(room, agent, name="Heavy", task_template=template, triggers=weekly)
    old = made(room, agent, name="Old")
    office(house, "PATCH", f"/{old['id']}", {"status": "archived"})
    here = f"/routines/{heavy['id']}"
    page = got(browser, here)
    ids = [found["id"] for tag, found in page.tags if "id" in found]
    assert len(ids) == len({*ids})
    assert "What was done with it" in page.text and "Made" in page.text
    first = sent(browser, page.form(f"{here}/fire"), var_what="one")
    assert "It was set off, and has a task of its own." in first.text
    assert "merged with that" in first.text and "nothing new is started" not in first.text
    assert "told=" not in first.raw
    assert "It was set off" not in got(browser, here).text
    newest = office(house, "GET", f"/{heavy['id']}").json["recent_runs"][0]
    seat = stalls.seat({"id": newest["linked_task_id"]})
    second = sent(browser, first.form(f"{here}/fire"), var_what="two")
    assert "your values are not used" in second.text
    seat.leave("Wrote.")
    assert "Own words" not in got(browser, f"{here}?told=Own+words").text
    listed = got(browser, f"/routines?workspace_id={room.id}").text
    assert listed.index("Heavy") < listed.index("Archived") < listed.index("Old")
    assert "Does not fire any more" in listed
