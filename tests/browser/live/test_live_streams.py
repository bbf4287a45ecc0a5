"""The one stream behind all pages of a browser: in how many tabs, and what they say without it."""

import re
import signal
import time
from collections.abc import Callable

import pytest
from chromium import Watch
from living_pages import HIDE, live, streams_open
from outside_house import House, until
from playwright.sync_api import Page, expect
from streaming import Stream

SOON = 5_000  # milliseconds that a page may take to be live again
TABS = 8  # more than the connections that a browser makes to one server; fifty: tests/faults


@pytest.mark.slow
@pytest.mark.proves("F-48")
def test_many_tabs_share_one_stream(
    mortal: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = mortal.room()
    first = live(enter())
    tabs = [first]
    for _ in range(TABS - 1):
        tab = first.context.new_page()
        tab.goto(mortal.facts["browser_url"] + "/", wait_until="commit")
        expect(tab.locator("h1")).to_be_visible()
        tabs.append(tab)
    for tab in tabs:
        live(tab)
    assert streams_open(mortal) == 1
    room.task("Seen everywhere")
    for tab in tabs:
        expect(tab.get_by_text("Seen everywhere")).to_be_visible()
    watch.check()


@pytest.mark.proves("F-49")
def test_a_killed_owner_that_is_back_is_followed_again(
    mortal: House, enter: Callable[..., Page], watch: Watch
) -> None:
    room = mortal.room()
    page = live(enter())
    port = mortal.port
    mortal.end(signal.SIGKILL)
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    page.wait_for_timeout(1000)
    mortal.start("--port", str(port))
    began = time.monotonic()
    room.task("Made while nobody listened")
    expect(page.get_by_text("Made while nobody listened")).to_be_visible(timeout=SOON)
    live(page)
    assert time.monotonic() - began < 5
    # The browser says on its console that nobody answered.
    assert [one for one in watch.faults if "net::ERR_" not in one] == []


@pytest.mark.slow
@pytest.mark.proves("E-live")
def test_a_page_without_an_answer_says_since_when_and_is_grey(
    mortal: House, enter: Callable[..., Page]
) -> None:
    page = live(enter())
    page.clock.install()
    page.reload()
    live(page)
    port = mortal.port
    mortal.end(signal.SIGKILL)
    words = page.locator("#connection")
    expect(words).to_have_text("Reconnecting…")
    grey = "getComputedStyle(document.querySelector('main')).filter"
    assert "grayscale" in page.evaluate(grey)
    page.clock.run_for(8500)
    expect(words).to_have_text(re.compile(r"No answer since \d\d[:.]\d\d"))
    mortal.start("--port", str(port))
    live(page)
    assert page.evaluate(grey) == "none"
    page.evaluate("document.querySelector('.state').dataset.health = 'dead'")
    assert "grayscale" in page.evaluate(grey)


@pytest.mark.proves("S-27", "F-49")
def test_a_page_that_was_signed_out_says_so_and_asks_no_more(
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    other = page.context.new_page()
    other.goto(house.facts["browser_url"] + "/")
    live(other)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    watch.statuses.add(401)
    other.get_by_role("button", name="Sign out").click()
    expect(page.locator("#connection")).to_have_text("Signed out")
    asked.clear()
    page.wait_for_timeout(4000)  # longer than it waits between two tries otherwise
    assert [url for url in asked if "/static/" not in url] == []
    old = page.locator("meta[name=csrf]").get_attribute("content")
    page.route(page.url, lambda route: route.abort(), times=1)
    enter(context=page.context)
    live(page)
    house.room()  # the look that nobody answered is made up for
    until(lambda: page.locator("meta[name=csrf]").get_attribute("content") != old)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="not signed in")).to_be_visible()
    assert [one for one in watch.faults if "net::ERR_FAILED" not in one] == []


@pytest.mark.slow
@pytest.mark.proves("S-61")
def test_a_page_without_a_place_asks_from_time_to_time(
    mortal: House, enter: Callable[..., Page], watch: Watch
) -> None:
    headers = {"Authorization": f"Bearer {mortal.token}"}
    taken = [Stream(mortal.port, headers) for _ in range(8)]
    assert {one.status for one in taken} == {200}
    watch.statuses.add(503)
    room = mortal.room()
    page = enter()
    expect(page.locator("#connection")).to_have_text("Updates every 5 s")
    room.task("Seen without a place")
    expect(page.get_by_text("Seen without a place")).to_be_visible(timeout=7000)
    for one in taken:
        one.vanish()
    live(page)
    watch.check()


IN_THE_PAGE = "delete window.SharedWorker"


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "own"])
def test_a_page_that_nobody_looks_at_holds_no_stream(
    mortal: House, enter: Callable[..., Page], shared: bool, watch: Watch
) -> None:
    page = enter()
    if not shared:
        page.context.add_init_script(IN_THE_PAGE)
        page.reload()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    live(page)
    until(lambda: streams_open(mortal) == 1)
    mortal.room("before")
    page.evaluate(HIDE, True)
    until(lambda: streams_open(mortal) == 0, step=0.5)
    mortal.room().task(f"Made meanwhile: {shared}")
    page.evaluate(HIDE, False)
    expect(page.get_by_text(f"Made meanwhile: {shared}")).to_be_visible(timeout=SOON)
    live(page)
    streams = {url.split("/")[-1] for url in asked if "/events/" in url}
    assert streams == (set() if shared else {"stream"}), "what was missed is not told one by one"
    watch.check()


NOT_LOADED = """
    const Shared = SharedWorker;
    window.SharedWorker = function (address, name) { return new Shared("/static/none.js", name) }
"""


def test_a_page_whose_shared_worker_is_not_loaded_does_without(
    house: House, enter: Callable[..., Page], watch: Watch
) -> None:
    watch.statuses.add(404)
    page = enter()
    page.context.add_init_script(NOT_LOADED)
    page.reload()
    live(page)
    house.room().task("Seen all the same")
    expect(page.get_by_text("Seen all the same")).to_be_visible()
    watch.check()


@pytest.mark.slow
@pytest.mark.proves("S-61")
def test_a_page_that_crashed_holds_no_stream(
    mortal: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = enter()
    page.context.add_init_script(IN_THE_PAGE)
    page.clock.install()
    page.reload()
    live(page)
    page.evaluate(
        """() => {
            window.crashed = new MessageChannel();
            onconnect({ ports: [crashed.port2] });
            crashed.port1.postMessage("looking");
        }"""
    )
    page.clock.run_for(190_000)
    assert streams_open(mortal) == 1, "this page says from time to time that it is here"
    page.evaluate("crashed.port1.postMessage('looking')")
    page.evaluate(HIDE, True)
    page.clock.run_for(60_000)
    assert streams_open(mortal) == 1
    page.clock.run_for(190_000)
    until(lambda: streams_open(mortal) == 0, step=0.5)
    watch.check()


def test_a_person_may_ask_for_more_while_the_page_reconnects(
    mortal: House, enter: Callable[..., Page], watch: Watch
) -> None:
    page = live(enter())
    mortal.end(signal.SIGKILL)
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    page.evaluate(
        """() => {
            document.querySelector("main").insertAdjacentHTML("beforeend",
                `<p id="tail" hx-get="/by-itself" hx-trigger="every 50ms"></p>
                 <a href="/more" hx-get="/more" hx-swap="outerHTML">More</a>`);
            htmx.process(document.querySelector("main"));
        }"""
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(500)
    with page.expect_request("**/more"):
        page.get_by_role("link", name="More").click()
    assert not [url for url in asked if "by-itself" in url]
