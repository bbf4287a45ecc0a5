"""An item is seen, put off, asked again at its time, and closed: by its page, the API, the CLI."""

from typing import Any

import pytest
from outside_clock import advance, start
from outside_house import Browser, House
from outside_pages import got, sent
from outside_talk import demo, script


def item(house: House, **of: str) -> Any:
    (found,) = house.get("/inbox", **of)["items"]
    return found


@pytest.mark.slow
@pytest.mark.proves("N-12 snooze")
def test_it_waits_aside_until_its_time_and_then_it_is_counted_again(house: House) -> None:
    start(house)
    room = house.room()
    lines = script("block Which port shall it be?")
    task = room.task("Stuck", demo(room), description=lines)
    room.ended(task)
    browser, one = Browser(house), item(house, status="open")
    assert house.get("/status")["needs_you"] == 1

    page = sent(browser, got(browser, "/inbox").form(f"/inbox/{one['id']}/put-away"), how="ack")
    assert "You have seen it" in page.text and "I have seen it" not in page.text
    assert item(house, status="open")["acked_at"] is not None

    form = got(browser, "/inbox").form(f"/inbox/{one['id']}/snooze")
    sent(browser, form, span="4h")
    assert house.get("/status")["needs_you"] == 0 and house.get("/inbox", status="open") == {
        "items": [],
        "next_cursor": None,
    }
    page = got(browser, "/inbox?status=snoozed")
    assert "You put it off until" in page.text
    advance(house, 4 * 3600 - 60)
    assert item(house, status="snoozed")["id"] == one["id"]
    advance(house, 60)
    assert item(house, status="open")["snoozed_until"] is None
    assert house.get("/status")["needs_you"] == 1
    kinds = [it["kind"] for it in house.get("/events", kind="inbox.snoozed")["items"]]
    assert kinds == ["inbox.snoozed"]

    assert house.cli("inbox", "snooze", one["id"][-8:], "--until", "1h").code == 0
    advance(house, 3600)
    page = sent(browser, got(browser, "/inbox").form(f"/inbox/{one['id']}/put-away"), how="resolve")
    assert "It is closed. Nothing else was done." in page.text
    assert "You closed it." in got(browser, "/inbox?status=resolved").text
    assert room.house.get(f"/tasks/{task['id']}")["status"] == "blocked"
