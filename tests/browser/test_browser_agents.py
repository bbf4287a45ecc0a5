"""The pages of agents as a person uses them: with scripts and without, by keyboard alone."""

import itertools
from typing import Any

import pytest
from chromium import Watch
from hands import button, by_keyboard
from outside_house import House, Room, until
from outside_talk import demo, office, script
from playwright.sync_api import Page, expect

UNSCHEDULED = (
    "This coordinator has no scheduled wake-ups. "
    "It will only fire on comments, errors, or manual triggers."
)
_number = itertools.count(1)


@pytest.fixture
def room(house: House) -> Room:
    return house.room(f"agents-{next(_number)}")


def agent(room: Room, name: str) -> Any:
    found = room.house.get("/agents", workspace_id=room.id)["items"]
    return next(one for one in found if one["name"] == name)


@pytest.mark.slow
@pytest.mark.proves("E-02")
def test_an_agent_is_added_changed_and_given_a_variable(
    room: Room, either: Page, watch: Watch
) -> None:
    watch.statuses.add(422)
    either.goto(f"/agents?workspace={room.id}")
    expect(either.get_by_role("heading", name="Nobody to work yet")).to_be_visible()
    either.get_by_role("link", name="Add an agent").first.click()
    either.get_by_label("How it is spoken to").select_option("command")
    either.get_by_label("Name", exact=True).fill("baker")
    either.get_by_label("Command").fill("sh -c 'echo \"it is")
    button(either, "Add the agent").click()
    expect(either.get_by_role("alert")).to_have_text("Command: a quote in it is not closed.")
    expect(either.get_by_label("Name", exact=True)).to_have_value("baker")
    either.get_by_label("Command").fill("sh -c 'echo \"$OVEN is warm\"'")
    either.get_by_text("A variable of its environment").click()
    either.get_by_label("Name of the variable").fill("OVEN")
    either.get_by_label("Its value").fill("the stone one")
    button(either, "Add the agent").click()
    expect(either.get_by_role("heading", level=1)).to_contain_text("baker")
    made = agent(room, "baker")
    assert made["command"] == ["sh", "-c", 'echo "$OVEN is warm"'] and made["env_names"] == ["OVEN"]
    assert "the stone one" not in either.content()
    either.get_by_text("Change it", exact=True).first.click()
    either.get_by_text("Limits", exact=True).click()
    either.get_by_label("Runs at once").fill("3")
    either.get_by_label("Role").select_option("reviewer")
    either.get_by_label("Model", exact=True).fill("big-1")
    button(either, "Change it").click()
    expect(either.get_by_text("It is changed.")).to_be_visible()
    changed = agent(room, "baker")
    kept = {name: changed[name] for name in ("role", "max_concurrent_sessions", "model", "command")}
    assert kept == {
        "role": "reviewer",
        "max_concurrent_sessions": 3,
        "model": "big-1",
        "command": made["command"],
    }
    either.get_by_text("Variables of its environment: 1").click()
    button(either, "Take away OVEN").click()
    expect(either.get_by_text("The variable is taken away")).to_be_visible()
    assert agent(room, "baker")["env_names"] == []


@pytest.mark.slow
@pytest.mark.proves("E-02")
def test_an_agent_is_woken_paused_and_resumed_by_the_keyboard(room: Room, either: Page) -> None:
    ada = demo(room, "Ada", cooldown_sec=0)
    either.goto(f"/agents?workspace={room.id}")
    by_keyboard(either, either.get_by_role("link", name="Ada"))
    either.get_by_label("What it is told").fill(script("say The oven is warm."))
    by_keyboard(either, button(either, "Wake"))
    expect(either.get_by_text("The agent is told.")).to_be_visible()
    runs = until(lambda: room.house.get("/runs", agent_id=ada, status="finished")["items"])
    either.reload()
    expect(either.locator(f"a[href='/runs/{runs[0]['id']}']").first).to_be_visible()
    by_keyboard(either, button(either, "Pause it"))
    expect(either.get_by_text("Nothing is started for it until it is resumed")).to_be_visible()
    assert agent(room, "Ada")["status"] == "paused"
    by_keyboard(either, button(either, "Resume it"))
    expect(either.get_by_text("It may work.")).to_be_visible()
    assert agent(room, "Ada")["status"] == "idle"


@pytest.mark.slow
@pytest.mark.proves("E-02")
def test_an_agent_is_tested_by_one_press(room: Room, either: Page) -> None:
    ada = demo(room, "Ida", cooldown_sec=0)
    either.goto(f"/agents/{ada}")
    expect(either.get_by_text("It was not tested yet.")).to_be_visible()
    by_keyboard(either, button(either, "Test it"))
    expect(either.get_by_text("It is started once, with a tiny prompt.")).to_be_visible()
    until(lambda: room.house.get(f"/agents/{ada}/test")["state"] == "passed")
    either.reload()
    expect(either.get_by_text("It starts and", exact=False)).to_be_visible()
    expect(either.get_by_role("link", name="See the run")).to_be_visible()


@pytest.mark.slow
@pytest.mark.proves("K-63 banner")
def test_a_coordinator_that_nothing_wakes_by_time_says_so(room: Room, either: Page) -> None:
    """WHEN the only routine of a coordinator is paused THEN its page shows the banner."""
    cora = demo(room, "Cora", role="coordinator")
    either.goto(f"/agents/{cora}")
    banner = either.locator(".banner")
    expect(either.get_by_role("link", name="Coordinator heartbeat")).to_be_visible()
    expect(banner).to_have_count(0)
    [routine] = office(room.house, "GET", f"?workspace_id={room.id}").json["items"]
    office(room.house, "PATCH", f"/{routine['id']}", {"status": "paused"})
    either.reload()
    expect(banner).to_contain_text(UNSCHEDULED)
    banner.get_by_role("link", name="Routines").click()
    expect(either.get_by_role("heading", level=1)).to_have_text("Routines")
    office(room.house, "PATCH", f"/{routine['id']}", {"status": "active"})
    either.goto(f"/agents/{cora}")
    expect(banner).to_have_count(0)
    demo(room, "Wim")
    either.goto(f"/agents/{agent(room, 'Wim')['id']}")
    expect(banner).to_have_count(0)
