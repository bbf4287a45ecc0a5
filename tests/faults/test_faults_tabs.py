"""Fifty tabs of one browser: live at once, renewed at once, and back soon after a killed owner."""

import signal
import time
from pathlib import Path

import chromium
import pytest
from living_pages import STATES, streams_open
from outside_house import House
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

pytestmark = pytest.mark.faults

TABS = 50
SOON, BACK = 2_000, 5_000  # milliseconds, as F-48 and F-49 have them


def tab_of(house: House, context: BrowserContext) -> Page:
    """Painted within a second, live within two."""
    tab = context.new_page()
    tab.goto(house.facts["browser_url"] + "/", wait_until="commit")
    began = time.monotonic()
    expect(tab.locator("h1")).to_be_visible(timeout=1_000)
    left = SOON - (time.monotonic() - began) * 1000
    expect(tab.locator(STATES.format("live"))).to_be_attached(timeout=max(1, left))
    return tab


def all_show(tabs: list[Page], text: str, milliseconds: float) -> None:
    """Each of them, once."""
    end = time.monotonic() + milliseconds / 1000
    for tab in tabs:
        left = max(1.0, (end - time.monotonic()) * 1000)
        expect(tab.get_by_text(text)).to_have_count(1, timeout=left)


@pytest.mark.proves("F-48", "F-49")
def test_fifty_tabs_are_live_and_back_after_a_kill(house: House, tmp_path: Path) -> None:
    house.start()
    room = house.room()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium.launch_arguments())
        context = browser.new_context(**chromium.CONTEXT)
        first = context.new_page()
        chromium.enter(house, first)
        tabs = [first, *(tab_of(house, context) for _tab in range(TABS - 1))]
        assert streams_open(house) == 1
        room.task("Seen everywhere")
        all_show(tabs, "Seen everywhere", SOON)
        port = house.port
        house.end(signal.SIGKILL)
        for tab in tabs:
            expect(tab.locator("#connection")).to_have_text("Reconnecting…")
        house.start("--port", str(port))
        room.task("Made meanwhile")
        all_show(tabs, "Made meanwhile", BACK)
        for tab in tabs:
            expect(tab.get_by_text("Seen everywhere")).to_have_count(1)
        assert streams_open(house) == 1
        browser.close()
