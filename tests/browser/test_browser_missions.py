"""A mission's page as a person uses it: by mouse and by the keyboard alone, live, at any width."""

import itertools
from typing import Any

import pytest
from chromium import too_wide, violations
from hands import button, by_keyboard, reach
from living_pages import live
from outside_house import House, Room, until
from outside_talk import demo, script
from playwright.sync_api import Page, expect

_number = itertools.count(1)


@pytest.fixture
def room(house: House) -> Room:
    return house.room(f"missions-{next(_number)}")


def mission(room: Room) -> Any:
    made = room.house.post("/missions", {"workspace_id": room.id, "goal": "Bake bread\n\nRye."})
    until(lambda: room.house.get(f"/missions/{made['id']}")["state"] == "active")
    return made


@pytest.mark.slow
@pytest.mark.proves("E-01", "A-03")
def test_a_mission_is_set_followed_and_stopped_by_mouse(room: Room, person: Page) -> None:
    person.goto("/missions")
    person.get_by_role("link", name="New mission").first.click()
    person.goto(f"/missions/new?workspace={room.id}")
    person.get_by_label("Goal").fill("Bake bread\n\nRye.")
    button(person, "Set the mission").click()
    expect(person.get_by_role("heading", level=1)).to_contain_text("Bake bread")
    live(person)
    why = person.locator("#mission .why").first
    button(person.locator("main"), "Pause").click()
    expect(why).to_contain_text("It is paused")
    made = room.house.get("/missions", workspace_id=room.id)["items"][0]
    first = room.task("Knead", mission_id=made["id"])
    edge = {"depends_on_task_id": first["id"], "dependency_type": "conflict"}
    second = room.task("Bake", mission_id=made["id"], depends_on=[edge])
    card = person.locator(f"#n-{second['id']}")
    expect(card).to_contain_text(f"not together with T-{first['number']}")
    card.get_by_role("link", name=f"T-{first['number']}", exact=True).click()
    expect(person.locator(f"#n-{first['id']}")).to_be_in_viewport()
    person.get_by_text("Stop at once…").click()
    person.get_by_label("End all of it now").check()
    button(person, "Stop it at once").click()
    expect(why).to_contain_text("It is stopped.")
    expect(button(person.locator("main"), "Reopen")).to_be_visible()
    for width in (1280, 360):
        person.set_viewport_size({"width": width, "height": 800})
        assert not violations(person) and not too_wide(person)


@pytest.mark.slow
@pytest.mark.proves("E-01", "A-03")
def test_a_mission_is_held_by_the_keyboard_alone(room: Room, person: Page) -> None:
    made = mission(room)
    person.goto(f"/missions/{made['id']}")
    why = person.locator("#mission .why").first
    by_keyboard(person, button(person.locator("main"), "Pause"))
    expect(why).to_contain_text("It is paused")
    by_keyboard(person, person.locator("details.sure > summary"))
    reach(person, person.get_by_label("End all of it now"))
    person.keyboard.press("Space")
    by_keyboard(person, button(person, "Stop it at once"))
    expect(why).to_contain_text("It is stopped.")


@pytest.mark.slow
@pytest.mark.proves("E-01", "A-28")
def test_a_lines_number_leads_to_the_field_for_a_comment_on_it(room: Room, person: Page) -> None:
    task = room.task("Bake", demo(room, "Ada"), description=script("write bread.txt rye"))
    proposal = room.proposal(task)
    room.ended(task)
    person.goto(f"/proposals/{proposal['id']}")
    number = person.locator(".diff td:nth-child(2)", has_text="1").first
    for said in ("Which rye?", "From where?", "And how much?"):
        number.click()
        field = person.locator("textarea:focus")
        assert field.get_attribute("name")
        person.keyboard.type(said)
    button(person, "Ask for these changes").click()
    expect(person.locator(".told")).to_contain_text("Changes are asked for.")
    prompt = room.ended(task, 2)["assembled_prompt"]
    assert all(f"bread.txt:1 (minor): {said}" in prompt for said in ("Which rye?", "And how much?"))
