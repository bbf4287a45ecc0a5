"""What stands around every page: where one is, how it looks, and a search without scripts."""

import re
from urllib.parse import urlencode

import pytest
from outside_house import Browser, House, Room
from outside_pages import got, send
from outside_routines import made
from outside_talk import demo


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


@pytest.mark.proves("E-frame")
@pytest.mark.parametrize("theme", ["light", "dark", "system"])
def test_the_theme_is_the_persons_and_stays(browser: Browser, theme: str) -> None:
    answer = send(browser, got(browser, "/runs?status=live").form("/logout"), csrf="wrong")
    assert answer.status == 403, "the frame's forms are guarded as all are"
    page = got(browser, "/runs?status=live")
    chosen = next(one for one in page.forms if ("theme", theme) in one.choices)
    answer = send(browser, chosen, theme=theme)
    assert answer.status == 303 and answer["Location"] == "/runs?status=live"
    cookie = answer["Set-Cookie"]
    assert cookie.startswith(f"roundtable-theme={theme};") and "HttpOnly" in cookie
    shown = browser.ask("GET", "/", Cookie=f"{browser.cookie}; roundtable-theme={theme}").text
    expected = "" if theme == "system" else f' data-theme="{theme}"'
    assert f'<html lang="en"{expected}>' in shown
    content = "light dark" if theme == "system" else theme
    assert f'<meta name="color-scheme" content="{content}">' in shown


def test_another_value_of_the_cookie_changes_nothing(browser: Browser) -> None:
    for value in ('"><script>', "blue", ""):
        cookie = f"{browser.cookie}; roundtable-theme={value}; roundtable-keys={value}"
        assert '<html lang="en">' in browser.ask("GET", "/", Cookie=cookie).text
    page = got(browser, "/")
    form = next(one for one in page.forms if ("theme", "dark") in one.choices)
    assert send(browser, form, theme="blue").status == 422
    assert send(browser, form, theme="dark", back="//elsewhere.example")["Location"] == "/"


def test_a_signed_out_page_has_the_theme_too(shared: House) -> None:
    headers = {"Cookie": "roundtable-theme=dark"}
    answer = shared.ask("GET", "/", headers=headers, host=shared.browser_host)
    assert answer.status == 401 and 'data-theme="dark"' in answer.text


@pytest.mark.proves("C-88")
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("/office/routines", "/routines"),
        ("/office/routines/01k7m3zq8v", "/routines/01k7m3zq8v"),
        ("/office/agents/01k7m3zq8w/runs/01k7m3zq8x", "/runs/01k7m3zq8x"),
        ("/office/routines/a%3Fb%5Cc", "/routines/a%3Fb%5Cc"),
    ],
)
def test_the_seeds_addresses_of_pages_lead_to_ours(
    browser: Browser, theirs: str, ours: str
) -> None:
    answer = browser.ask("GET", theirs)
    assert (answer.status, answer["Location"]) == (303, ours)


@pytest.mark.proves("E-keys")
def test_single_keys_can_be_switched_off(browser: Browser) -> None:
    page = got(browser, "/")
    form = next(one for one in page.forms if ("keys", "off") in one.choices)
    answer = send(browser, form, keys="off")
    assert answer["Set-Cookie"].startswith("roundtable-keys=off;")
    off = browser.ask("GET", "/", Cookie=f"{browser.cookie}; roundtable-keys=off").text
    assert '<html lang="en" data-keys="off">' in off and 'name="keys" value="on"' in off


@pytest.mark.proves("E-keys")
def test_every_place_of_the_rail_is_there_and_has_a_key_of_its_own(browser: Browser) -> None:
    page = got(browser, "/")
    rows = [found for tag, found in page.tags if tag == "div" and "data-keys" in found]
    keys = [found["data-keys"] for found in rows]
    assert len(set(keys)) == len(keys) > 10
    for found in rows:
        if path := found.get("data-go"):
            assert path in page.links and got(browser, path).text
    icons = re.findall(r'<svg class="icon"[^>]*><path d="([^"]+)"></path></svg>', page.raw)
    assert len(icons) >= len(set(icons)) > 8


# --- the search ----------------------------------------------------------------------------------


def names(browser: Browser, words: str) -> list[str]:
    found = browser.house.get("/search", q=words)["items"]
    page = got(browser, f"/search?{urlencode({'q': words})}")
    for one in found:
        assert one["path"] in page.links and one["name"] in page.text
    rows = [found for tag, found in page.tags if tag == "li" and found.get("class") == "row"]
    assert len(rows) >= len(found), "the page finds what the palette finds"
    return [f"{one['kind']} {one['name']}" for one in found]


@pytest.mark.slow
@pytest.mark.proves("E-palette")
def test_things_are_found_by_words_of_their_names(room: Room, browser: Browser) -> None:
    agent = demo(room, "Zebra the painter")
    task = room.task("Paint the Größe of a 100%_zebra", agent)
    run = room.ended(task)
    made(room, agent, name="Zebra crossing")
    title = task["title"]
    assert sorted(names(browser, "zebra")) == [
        "agent Zebra the painter",
        "routine Zebra crossing",
        f"run {title}",
        f"task {title}",
    ]
    assert sorted(names(browser, "ZEBRA paint")) == [
        "agent Zebra the painter",
        f"run {title}",
        f"task {title}",
    ]
    assert f"task {title}" in names(browser, "größe")
    assert names(browser, "%_") and not names(browser, "0_%"), "they are no signs of a pattern"
    for number in (f"T-{task['number']}", str(task["number"])):
        assert f"task {title}" in names(browser, number)
    assert names(browser, run["id"][-8:]) == [f"run {title}"]
    assert names(browser, "nothing-has-this-name") == []
    assert "Nothing is called so" in got(browser, "/search?q=nothing-has-this-name").text
    assert "/routines" in got(browser, "/search?q=routin").links


@pytest.mark.slow
@pytest.mark.proves("E-palette")
def test_at_most_twenty_come_the_newest_first_and_nothing_is_changed(
    room: Room, browser: Browser
) -> None:
    house = room.house
    last = house.get("/status")["last_event"]
    for number in range(12):
        house.post("/tasks", {"workspace_id": room.id, "title": f"Quokka {number}"})
        room.agent("true", name=f"quokka-{number}")
    told = house.get("/status")["last_event"]
    assert told > last
    found = house.get("/search", q="quokka")["items"]
    assert [one["name"] for one in found if one["kind"] == "task"] == [
        f"Quokka {number}" for number in range(11, 3, -1)
    ]
    assert len(found) == 16 and len(house.get("/search")["items"]) <= 20
    assert house.get("/status")["last_event"] == told
    assert house.program("GET", "/search?q=" + "x" * 201).status == 422
    assert house.program("POST", "/search", {"q": "x"}).status == 405
    assert house.ask("GET", "/api/v1/search?q=x").status == 401
