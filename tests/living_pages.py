"""Pages that renew themselves, as tests look at them: are they live, when did they look."""

import time

from outside_house import PATIENCE, House
from playwright.sync_api import Page, Request, expect
from streaming import Stream

STATES = "html[data-connection='{}']"


def live(page: Page, seconds: float = PATIENCE) -> Page:
    expect(page.locator(STATES.format("live"))).to_be_attached(timeout=seconds * 1000)
    expect(page.locator("#connection")).to_have_text("Live")
    return page


def is_look(request: Request) -> bool:
    """The page asks for itself."""
    return request.resource_type == "fetch" and request.url.split("/", 3)[3][:4] != "api/"


def looks_at(page: Page) -> list[float]:
    """When the page looked, from now on."""
    at: list[float] = []
    page.on("request", lambda request: at.append(time.monotonic()) if is_look(request) else None)
    return at


def streams_open(house: House) -> int:
    """How many of the eight places are taken: those that are left are counted and let go."""
    headers = {"Authorization": f"Bearer {house.token}"}
    got = [Stream(house.port, headers) for _ in range(8)]
    free = sum(one.status == 200 for one in got)
    for one in got:
        one.vanish()
    return 8 - free


HIDE = """hidden => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    document.dispatchEvent(new Event('visibilitychange'));
}"""
