"""What a person does at the pages: by mouse and by keyboard, with scripts and without."""

import itertools
from typing import Any

import pytest
from hands import button, by_keyboard
from outside_house import House, Room, until
from outside_routines import made, over
from outside_talk import demo, item_of, office, resolved, script
from playwright.sync_api import Page, expect

_number = itertools.count(1)


@pytest.fixture
def room(house: House) -> Room:
    return house.room(f"repo-{next(_number)}")


def lands(room: Room, proposal: dict[str, Any]) -> None:
    """It is delivered, and its file is on the branch."""
    until(lambda: room.house.get(f"/proposals/{proposal['id']}")["status"] == "delivered")
    assert proposal["files"][0]["path"] in room.git("ls-tree", "--name-only", "main")


@pytest.mark.proves("E-02")
def test_an_ask_is_answered_in_the_inbox(room: Room, either: Page) -> None:
    lines = ("ask May I delete the first?", "ask May I delete the second?", "write done.txt x")
    task = room.task("Clean up", demo(room), description=script(*lines))
    first = item_of(room, task)
    either.goto("/inbox")
    card = either.get_by_role("listitem").filter(has_text="May I delete the first?")
    button(card, "Reject").click()
    assert resolved(room, first)["resolution"]["option"] == "no"
    second = until(lambda: (one := item_of(room, task))["id"] != first["id"] and one)
    either.goto("/inbox")
    card = either.get_by_role("listitem").filter(has_text="May I delete the second?")
    by_keyboard(either, button(card, "Allow"))
    assert resolved(room, second)["resolution"]["option"] == "yes"
    assert room.ended(task)["outcome"] == "done"


@pytest.mark.proves("E-02")
def test_a_task_is_commented(room: Room, either: Page) -> None:
    task = room.task("Draw a new sign")
    either.goto(f"/tasks/{task['id']}")
    either.get_by_label("Your comment").fill("With a pretzel, <please>.")
    button(either, "Comment").click()
    expect(either.get_by_text("With a pretzel, <please>.")).to_be_visible()
    expect(either.get_by_label("Your comment")).to_have_value("")
    either.get_by_label("Your comment").press_sequentially("And not in brown.")
    by_keyboard(either, button(either, "Comment"))
    expect(either.get_by_text("And not in brown.")).to_be_visible()
    either.reload()
    expect(either.get_by_text("With a pretzel, <please>.")).to_have_count(1)
    assert either.url.endswith(f"/tasks/{task['id']}")


@pytest.mark.proves("E-02")
def test_a_proposal_is_delivered(room: Room, either: Page) -> None:
    agent = room.shell('echo one > "$(date +%N).txt"', max_concurrent_sessions=2)
    for task, hand in ((room.task("One", agent), "mouse"), (room.task("Two", agent), "keyboard")):
        proposal = room.proposal(task)
        either.goto(f"/proposals/{proposal['id']}")
        deliver = button(either, "Deliver")
        if hand == "mouse":
            deliver.click()
        else:
            by_keyboard(either, deliver)
        lands(room, proposal)
        expect(deliver).to_have_count(0)


@pytest.mark.proves("E-02")
def test_the_intake_is_paused_and_resumed(house: House, either: Page) -> None:
    def intake() -> str:
        return str(house.get("/control")["intake"])

    try:
        button(either, "Pause").click()
        expect(button(either, "Resume")).to_be_visible()
        assert intake() == "paused"
        either.reload()
        by_keyboard(either, button(either, "Resume"))
        expect(button(either, "Pause")).to_be_visible()
        assert intake() == "open"
    finally:
        house.post("/control", {"action": "resume"})


@pytest.mark.proves("E-02")
def test_the_way_leads_from_the_overview_to_everything(room: Room, either: Page) -> None:
    task = room.task("Write a line", room.shell("echo said aloud; echo x > line.txt"))
    room.proposal(task)
    either.goto("/")
    either.get_by_role("link", name="T-1 Write a line").last.click()
    expect(either.get_by_role("heading", level=1)).to_contain_text("Write a line")
    either.get_by_role("link", name="T-1", exact=True).click()
    either.get_by_role("link", name="Attempt 1").click()
    expect(either.get_by_text("said aloud")).to_be_visible()
    for part, text in (("Changes", "line.txt"), ("Prompt", "Write a line"), ("Why", "T-1")):
        either.get_by_role("link", name=part, exact=True).click()
        expect(either.get_by_text(text).first).to_be_visible()
    for place in ("Inbox", "Runs", "Overview"):
        either.get_by_role("link", name=place).first.click()
        expect(either.get_by_role("heading", level=1)).to_have_text(place)


@pytest.mark.proves("K-22", "K-62")
def test_a_routine_that_needs_a_value_asks_for_it_before_it_runs(room: Room, either: Page) -> None:
    """Above the list where there are scripts, else on the routine's own page."""
    wanted = [{"name": "reason", "required": True}]
    name = f"Sweep {room.id[-6:]}"
    routine = made(room, demo(room), name=name, description="For {{reason}}.", variables=wanted)
    either.goto("/routines")
    either.get_by_role("link", name=f"Run now… {name}").click()
    asked = either.get_by_role("dialog", name=f"Run now: {name}")
    place = asked if asked.count() else either.locator("main")
    button(place, "Run now").click()
    assert office(room.house, "GET", f"/{routine['id']}").json["recent_runs"] == []
    place.get_by_label("reason").fill("a new year")
    by_keyboard(either, button(place, "Run now"))
    expect(either.get_by_text("It was set off")).to_be_visible()
    firing = over(room.house, routine)
    assert firing["trigger_payload"]["reason"] == "a new year"
