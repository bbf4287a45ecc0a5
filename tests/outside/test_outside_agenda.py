"""What is due, at the API, on the command line and on its page: the same, and as it stands now."""

import itertools
import re
from typing import Any

import pytest
from outside_clock import advance, move, start
from outside_house import Browser, House, Room
from outside_pages import got
from outside_routines import made, schedule
from outside_talk import demo, office
from test_outside_routine_pages import filled, tried


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


@pytest.mark.slow
@pytest.mark.proves("N-04 edit")
def test_what_an_edit_changes_is_shown_and_nothing_is_saved(shared: House, room: Room) -> None:
    agent = demo(room, "ann", skip_idle_wakeups=False)
    routine = made(room, agent, name="Daily", triggers=[schedule("0 9 * * *")])
    draft = {"routine_id": routine["id"], "change": {"triggers": [schedule("0 * * * *")]}}
    asked = {"days": 1, "play": False, "draft": draft}
    seen = shared.program("POST", "/simulate", asked).json["difference"]
    assert (seen["before"]["fires"], seen["before"]["runs"]) == (1, 1)
    assert (seen["after"]["fires"], seen["after"]["runs"]) == (24, 24)
    assert seen["after"]["loads"] == [
        {"agent": "ann", "fires": 24, "runs": 24, "late": 0, "seconds": 24 * 300}
    ]
    played = shared.program("POST", "/simulate", {**asked, "play": True}).json
    starts = [one for one in played["items"] if one["code"] == "foreseen_starts_taskless"]
    assert len([one for one in starts if one["values"]["cause"] == "Daily"]) == 24

    change = {"routine_id": routine["id"], "change": {"triggers": [schedule("61 * * * *")]}}
    refused = shared.program("POST", "/simulate", {**asked, "draft": change})
    assert (refused.status, refused.json["code"]) == (422, "cron_bad_minute")
    for wrong in ({}, {"routine_id": routine["id"]}, {"change": {}}):
        assert shared.program("POST", "/simulate", {"draft": wrong}).status == 422

    words = ("routine", "edit", "Daily", "--cron", "0 * * * *", "--workspace", room.shown["name"])
    said = shared.cli(*words, "--preview").out
    assert "Nothing is saved" in said and "168 runs, 840 min" in said
    assert shared.cli(*words, "--preview", "--json").json["after"]["runs"] == 168
    now = office(shared, "GET", f"/{routine['id']}").json
    assert now["revision"] == routine["revision"] and now["triggers"] == routine["triggers"]


@pytest.mark.slow
@pytest.mark.proves("N-04 edit")
def test_the_form_shows_it_before_it_is_saved(shared: House, room: Room) -> None:
    agent = demo(room, "ann", skip_idle_wakeups=False)
    routine = made(room, agent, name="Daily", triggers=[schedule("0 9 * * *")])
    browser, place = Browser(shared), f"/routines/{routine['id']}/edit"
    form = filled(got(browser, place), place)
    status, page = tried(browser, form, cron_0="0 * * * *", do="check")
    at = page.raw.index('id="difference"')
    cells = re.findall(r"<td>(\d+)</td>", page.raw[at:])
    assert cells == ["7", "168", "7", "168"], "fires and runs, as it is and if it is saved"
    again = filled(page, place)
    assert again.fields["cron_0"] == "0 * * * *"
    assert status == 200
    status, page = tried(browser, again, cron_0="61 * * * *", do="check")
    assert status == 200 and 'id="difference"' not in page.raw and "minute" in page.text
    assert office(shared, "GET", f"/{routine['id']}").json["revision"] == routine["revision"]


@pytest.mark.slow
@pytest.mark.proves("N-20 asleep")
def test_a_schedule_that_is_slept_through_says_so_once_enough_was_seen(house: House) -> None:
    """Two weeks, each day awake from six to midnight."""
    start(house, "2026-04-06T06:00:00Z")
    room = house.room()
    agent = demo(room, "ann", skip_idle_wakeups=False)
    night = made(room, agent, name="Night", triggers=[schedule("30 3 * * *", "UTC")])
    office(house, "PATCH", f"/{night['id']}", {"status": "paused"})

    def asleep() -> Any:
        seen = made(room, agent, name=f"N{next(number)}", triggers=[schedule("30 3 * * *", "UTC")])
        office(house, "DELETE", f"/{seen['id']}")
        return seen["usually_asleep"]

    number = itertools.count()
    for day in range(8):
        advance(house, 18 * 3600)
        move(house, sleep=6 * 3600)
        assert day > 5 or asleep() == []
    (told,) = asleep()
    assert (told["count"], told["days"], told["better"]) == (8, 8, "06:30")
    assert "on 8 of the last 8 days, and rarely at 06:30" in told["sentence"]
    office(house, "PATCH", f"/{night['id']}", {"status": "active"})
    items = house.get("/agenda", days=2)["items"]
    assert [one["asleep"]["count"] for one in items] == [8, 8]
    name = room.shown["name"]
    assert "asleep at that hour" in house.cli("routine", "show", "Night", "--workspace", name).out
    assert "asleep at that hour" in got(Browser(house), f"/routines/{night['id']}").text
    asked = "/routines/preview?cron=30+3+*+*+*&zone=UTC"
    assert "rarely at 06:30" in Browser(house).ask("GET", asked).text
