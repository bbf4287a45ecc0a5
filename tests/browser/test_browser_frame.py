"""The frame as people meet it: its colours, its bar in a narrow window, the forms of routines."""

import itertools
from collections.abc import Callable

import pytest
from outside_house import House, Room
from outside_talk import demo, office
from playwright.sync_api import BrowserContext, Page, expect

_number = itertools.count(1)
GROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture
def room(house: House) -> Room:
    return house.room(f"frame-{next(_number)}")


@pytest.mark.proves("E-frame")
def test_the_theme_is_chosen_by_a_form_and_follows_to_other_tabs(
    new_context: Callable[..., BrowserContext], sign_in: Callable[..., Page], house: House
) -> None:
    context = new_context(color_scheme="light")
    page = sign_in(context)
    other = context.new_page()
    other.goto("/runs")
    expect(other.locator("#connection")).to_have_text("Live")
    light = page.evaluate(GROUND)
    page.get_by_role("button", name="Dark", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = page.evaluate(GROUND)
    assert dark != light
    expect(page.get_by_role("button", name="Dark", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    house.room(f"renews-{next(_number)}").agent("true")
    house.post("/control", {"action": "pause"})
    house.post("/control", {"action": "resume"})
    expect(other.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="As the system").click()
    expect(page.locator("html[data-theme]")).to_have_count(0)  # a click waits for no new page
    assert page.evaluate(GROUND) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(GROUND) == dark


@pytest.mark.proves("E-02")
def test_the_first_link_leads_past_what_stands_on_every_page(person: Page) -> None:
    person.keyboard.press("Tab")
    expect(person.get_by_role("link", name="Skip to the content")).to_be_focused()
    person.keyboard.press("Enter")
    expect(person.locator("main")).to_be_focused()


@pytest.mark.proves("E-frame")
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_a_narrow_window_has_a_bar_and_more_opens_the_rest(
    new_context: Callable[..., BrowserContext], sign_in: Callable[..., Page], scripts: bool
) -> None:
    page = sign_in(new_context(java_script_enabled=scripts))
    page.set_viewport_size({"width": 360, "height": 740})
    bar = page.get_by_role("navigation", name="Main")
    box = bar.bounding_box()
    assert box is not None and box["y"] + box["height"] > 735 and box["width"] == 360
    expect(bar.get_by_role("link", name="Inbox")).to_be_visible()
    routines = bar.get_by_role("link", name="Routines")
    expect(routines).to_have_count(0)
    bar.get_by_role("button", name="More").click()
    expect(routines).to_be_visible()
    routines.click()
    expect(page.locator("main h1")).to_have_text("Routines")
    expect(bar.get_by_role("link", name="Routines")).to_have_count(0)


@pytest.mark.proves("N-20", "K-62")
def test_a_schedule_says_what_it_means_while_it_is_typed(room: Room, person: Page) -> None:
    agent = demo(room, "ada")
    person.goto("/routines/new")
    person.get_by_label("Name").first.fill("Typed")
    person.get_by_label("Agent", exact=True).select_option(agent)
    cron = person.get_by_label("Cron expression")
    preview = person.locator("[data-seen]")
    cron.press_sequentially("0 25 * * *")
    expect(preview).to_contain_text("is not an hour")
    cron.fill("30 2 * * *")
    expect(preview.get_by_role("listitem")).to_have_count(5)
    person.get_by_label("Time zone").fill("Europe/Berlin")
    expect(preview).to_contain_text("comes twice on")
    expect(preview).to_contain_text("does not exist on")
    cron.fill("")
    expect(preview).to_be_empty()
    cron.fill("0 9 * * 1-5")
    person.get_by_label("Name").first.press("Enter")
    expect(person.locator("main h1")).to_contain_text("Typed")
    (routine,) = office(room.house, "GET", f"?workspace_id={room.id}").json["items"]
    assert routine["triggers"][0]["cron_expression"] == "0 9 * * 1-5"


@pytest.mark.proves("K-62")
def test_a_routine_is_made_switched_and_taken_away_by_anybody(room: Room, either: Page) -> None:
    demo(room, "ada")
    either.goto("/routines")
    either.get_by_role("link", name="New routine").first.click()
    either.get_by_label("Name").first.fill(f"Daily {room.id[-5:]}")
    either.get_by_label("Agent", exact=True).select_option(label=f"ada · {room.shown['name']}")
    either.get_by_label("Cron expression").fill("0 25 * * *")
    either.get_by_role("button", name="Check").click()
    expect(either.get_by_text("is not an hour")).to_be_visible()
    either.get_by_label("Cron expression").fill("0 5 * * *")
    either.get_by_role("button", name="Make it").click()
    expect(either.get_by_text("It is made")).to_be_visible()
    either.goto("/routines")
    row = either.locator("li.row").filter(has_text=f"Daily {room.id[-5:]}")
    switch = row.get_by_role("switch")
    expect(switch).to_be_checked()
    switch.press("Enter")
    expect(switch).not_to_be_checked()
    row.get_by_role("link", name=f"Daily {room.id[-5:]}").first.click()
    either.get_by_role("link", name="Take it away…").click()
    either.get_by_role("button", name="Remove it").click()
    expect(either.get_by_text("It is gone")).to_be_visible()
    expect(row).to_have_count(0)
