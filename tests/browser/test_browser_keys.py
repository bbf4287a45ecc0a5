"""What keys do on every page, and what the palette finds and does, without a mouse."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest
from chromium import violations
from outside_house import House, Room
from outside_routines import made
from outside_talk import demo
from playwright.sync_api import BrowserContext, Locator, Page, expect

_number = itertools.count(1)


@pytest.fixture
def room(house: House) -> Room:
    return house.room(f"keys-{next(_number)}")


def heading(page: Page, words: str) -> None:
    expect(page.locator("main h1")).to_contain_text(words)


def keys(page: Page, *presses: str) -> None:
    page.wait_for_load_state()  # a key that comes before the page's scripts is the browser's
    for one in presses:
        page.keyboard.press(one)


@pytest.mark.proves("E-keys")
def test_every_row_of_the_sheet_is_obeyed(person: Page) -> None:
    """The sheet is the map: each place that it names is reached by the keys that it shows."""
    rows = person.locator("#keys [data-go]").evaluate_all(
        "all => all.map(one => [one.dataset.keys, one.dataset.go])"
    )
    assert len(rows) > 3
    for pressed, path in rows:
        person.goto("/control")
        keys(person, *pressed.split(" "))
        person.wait_for_url(lambda url, path=path: url.split("/", 3)[3] == path[1:])
    acts = person.locator("#keys [data-act]").evaluate_all("all => all.map(one => one.dataset.act)")
    assert sorted(acts) == sorted(
        ["down", "up", "open", "select", "behind", "before", "back", "search", "palette", "sheet"]
    )


@pytest.mark.proves("E-keys")
def test_a_list_is_gone_through_and_its_things_one_after_the_other(
    room: Room, person: Page
) -> None:
    agent = demo(room)
    for name in ("Alpha", "Beta", "Gamma"):
        made(room, agent, name=f"{name} {room.id[-5:]}")
    person.goto("/routines")
    keys(person, "j")
    first = person.locator(".row a.strong").first
    expect(first).to_be_focused()
    keys(person, "j", "j", "k")
    second = person.locator(".row a.strong").nth(1)
    expect(second).to_be_focused()
    name = second.inner_text()
    after = person.locator(".row a.strong").nth(2).inner_text()
    keys(person, "Enter")
    heading(person, name)
    keys(person, "]")
    heading(person, after)
    keys(person, "[")
    heading(person, name)
    keys(person, "g", "t")
    heading(person, "Routines")
    person.locator(".row a.strong").nth(1).click()
    heading(person, name)
    keys(person, "Escape")
    heading(person, "Routines")


@pytest.mark.proves("E-keys")
def test_x_ticks_the_box_of_the_row_that_one_is_in(room: Room, person: Page) -> None:
    room.task(f"Boxed {room.id[-5:]}")
    person.goto(f"/search?q=boxed+{room.id[-5:]}")  # this list is not renewed: the box stays
    person.evaluate(
        "document.querySelector('.row').insertAdjacentHTML('beforeend', '<input type=checkbox>')"
    )
    box = person.locator(".row input[type=checkbox]")
    keys(person, "x")
    expect(box).not_to_be_checked()
    keys(person, "j", "x")
    expect(box).to_be_checked()


@pytest.mark.proves("E-keys")
def test_keys_rest_where_one_types_and_with_modifiers(
    room: Room, person: Page, house: House
) -> None:
    task = room.task("Talk")
    person.goto(f"/tasks/{task['id']}")
    field = person.get_by_label("Your comment")
    field.press_sequentially("g o / ? j k x [ ]")
    expect(field).to_have_value("g o / ? j k x [ ]")
    heading(person, "Talk")
    keys(person, "Escape")
    expect(field).not_to_be_focused()
    keys(person, "Alt+j", "Control+o", "Control+Shift+?")
    expect(person.locator("dialog[open]")).to_have_count(0)
    keys(person, "?")
    sheet = person.get_by_role("dialog", name="Keys")
    expect(sheet).to_be_visible()
    assert violations(person) == []
    keys(person, "g", "o")
    expect(sheet).to_be_visible()
    keys(person, "Escape")
    expect(sheet).to_be_hidden()
    heading(person, "Talk")


@pytest.mark.proves("E-keys")
def test_single_keys_switched_off_leave_the_palette(
    new_context: Callable[..., BrowserContext], sign_in: Callable[..., Page]
) -> None:
    page = sign_in(new_context())
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("button", name="Switch single keys off").click()
    heading(page, "Overview")
    keys(page, "g", "r", "?")
    expect(page.locator("dialog[open]")).to_have_count(0)
    heading(page, "Overview")
    keys(page, "Control+k")
    expect(page.locator("dialog[open]")).to_have_count(1)


# --- the palette ---------------------------------------------------------------------------------


def palette(page: Page) -> Any:
    keys(page, "Control+k")
    field = page.get_by_role("combobox", name="Search or do something")
    expect(field).to_be_focused()
    return field


def options(page: Page) -> Locator:
    """A page has options of its own, behind it."""
    return page.locator("#palette").get_by_role("option")


@pytest.mark.proves("E-palette")
def test_the_palette_leads_to_things_and_pages_by_name(room: Room, person: Page) -> None:
    task = room.task(f"Wallpaper {room.id[-5:]}")
    palette(person).fill(f"wallpaper {room.id[-5:]}")
    option = options(person)
    expect(option).to_have_count(1)
    expect(option).to_have_attribute("aria-selected", "true")
    assert violations(person) == []
    keys(person, "Enter")
    heading(person, task["title"])
    palette(person).fill("routin")
    expect(options(person).first).to_contain_text("Routines")
    keys(person, "Enter")
    heading(person, "Routines")
    palette(person).fill("")
    expect(options(person).filter(has_text=re.compile("Wallpaper")).first).to_be_visible()
    options(person).filter(has_text=re.compile(f"Wallpaper {room.id[-5:]}")).click()
    heading(person, task["title"])


@pytest.mark.proves("E-palette")
def test_the_palette_is_a_combobox_that_keeps_the_focus_and_gives_it_back(
    room: Room, person: Page
) -> None:
    room.task("One"), room.task("Two")
    stop = person.get_by_role("link", name="Stop all…")
    stop.focus()
    field = palette(person)
    expect(options(person).filter(has_text=re.compile("Task")).first).to_be_visible()
    count = options(person).count()
    assert count > 3

    def active() -> str:
        at = field.get_attribute("aria-activedescendant")
        chosen = person.locator("[role=option][aria-selected=true]")
        expect(chosen).to_have_count(1)
        assert chosen.get_attribute("id") == at
        return str(at)

    first = active()
    keys(person, "ArrowDown", "ArrowDown")
    assert active() == "palette-2" != first
    keys(person, "ArrowUp", "ArrowUp", "ArrowUp")
    assert active() == f"palette-{count - 1}"
    for _ in range(6):
        keys(person, "Tab")
        inside = (
            "document.activeElement === document.body || "
            "Boolean(document.activeElement.closest('#palette'))"
        )
        assert person.evaluate(inside), "nothing behind it is reached"
    keys(person, "Escape")
    expect(stop).to_be_focused()
    palette(person).fill("nothing has this name")
    expect(person.get_by_text("Nothing is called so.")).to_be_visible()
    person.mouse.click(3, 3)
    expect(person.locator("dialog[open]")).to_have_count(0)


@pytest.mark.proves("E-palette")
def test_the_palette_does_what_the_page_can_and_only_goes_to_what_ends_something(
    room: Room, person: Page, house: House
) -> None:
    routine = made(room, demo(room), name=f"Daily {room.id[-5:]}")
    person.goto(f"/routines/{routine['id']}")
    palette(person).fill("pause")
    expect(options(person)).to_have_count(2)
    options(person).last.click()
    expect(person.locator("main").get_by_role("button", name="Resume")).to_be_visible()
    person.goto("/control")
    palette(person).fill("end all of it")
    keys(person, "Enter")
    button = person.get_by_role("button", name="End all of it now")
    expect(button).to_be_focused()
    assert house.get("/control")["intake"] == "open"


@pytest.mark.proves("E-palette")
def test_without_an_answer_the_palette_says_so_and_still_does_the_rest(
    person: Page, watch: Any
) -> None:
    person.route("**/api/v1/search*", lambda route: route.abort())
    palette(person).fill("inbox")
    expect(person.get_by_text("The search was not answered")).to_be_visible()
    keys(person, "Enter")
    heading(person, "Inbox")
    watch.faults[:] = [one for one in watch.faults if "net::ERR_FAILED" not in one]


@pytest.mark.proves("E-palette")
def test_without_scripts_the_search_is_a_page(
    room: Room,
    new_context: Callable[..., BrowserContext],
    sign_in: Callable[..., Page],
) -> None:
    task = room.task(f"Lantern {room.id[-5:]}")
    page = sign_in(new_context(java_script_enabled=False))
    page.get_by_role("link", name="Search or do something").click()
    page.get_by_role("searchbox", name="What it is called").fill(f"lantern {room.id[-5:]}")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name=task["title"]).click()
    heading(page, task["title"])
    expect(page.get_by_role("button", name="Keys")).to_have_count(0)
