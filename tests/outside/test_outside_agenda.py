"""What is due, at the API, on the command line and on its page: the same, and as it stands now."""

from typing import Any

import pytest
from outside_house import Browser, House, Room
from outside_pages import got
from outside_routines import made, schedule
from outside_talk import demo, office


def due(house: House, room: Room, **more: object) -> list[Any]:
    found: list[Any] = house.get("/agenda", workspace_id=room.id, **more)["items"]
    return found


@pytest.mark.slow
@pytest.mark.proves("N-04 agenda")
def test_it_says_the_same_everywhere_and_follows_what_is_done(shared: House, room: Room) -> None:
    agent = demo(room, "ann", skip_idle_wakeups=False)
    routine = made(room, agent, name="Daily", triggers=[schedule("0 9 * * *")])
    other = demo(room, "bob", skip_idle_wakeups=False)
    made(room, other, name="Beat", triggers=[schedule("*/5 * * * *")])
    daily = [one for one in due(shared, room) if one["routine_id"] == routine["id"]]
    wanted = [one["at"] for one in routine["next_fires"]]
    assert [one["at"] for one in daily][:5] == wanted and len(daily) == 7
    assert {(one["will_run"], one["sentence"]) for one in daily} == {(True, "ann runs.")}
    assert len(due(shared, room, days=1)) in (289, 290)
    few = due(shared, room, days=1, each="false")
    assert sum(one["times"] for one in few if one["name"] == "Beat") in (288, 289) and len(few) < 8
    at = "2099-01-01T00:00:00Z"
    assert shared.program("POST", f"/agents/{agent}/wake", {"at": at}).status == 422
    assert shared.program("GET", "/agenda?days=32").status == 422
    assert shared.program("GET", "/agenda?workspace_id=nothere").status == 404

    name = room.shown["name"]
    said = shared.cli("agenda", "--days", "2", "--workspace", name).out
    assert "Daily, by its schedule: ann runs." in said and "times), by its schedule" in said
    browser = Browser(shared)
    page = got(browser, f"/agenda?workspace={room.id}")
    assert "Daily" in page.text and "Will run" in page.text and "Tomorrow" in page.text

    shared.post(f"/agents/{agent}/pause", {})
    its = [one for one in due(shared, room) if one["agent"] == "ann"]
    assert {(one["will_run"], one["reason"]) for one in its} == {(False, "agent_paused")}
    page = got(browser, f"/agenda?workspace={room.id}&days=1")
    assert "Will not run" in page.text and "it is paused" in page.text
    shared.post(f"/agents/{agent}/resume", {})
    office(shared, "PATCH", f"/{routine['id']}", {"status": "paused"})
    reasons = {one["reason"] for one in due(shared, room) if one["name"] == "Daily"}
    assert reasons == {"routine_paused"}
