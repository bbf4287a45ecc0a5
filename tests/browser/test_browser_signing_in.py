"""The way in, as Chromium goes it."""

from collections.abc import Callable

import pytest
from chromium import Watch
from outside_house import House
from playwright.sync_api import BrowserContext, Page, expect

ELSEWHERE = "http://elsewhere.example"


@pytest.mark.proves("S-21")
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_the_link_leads_to_a_clean_address_and_leaves_nothing_behind(
    house: House, new_context: Callable[..., BrowserContext], scripts: bool
) -> None:
    link = house.cli("open", "--print").out.strip()
    code = link.partition("once=")[2].partition("&")[0]
    page = new_context(java_script_enabled=scripts).new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(str(request.headers)))
    page.goto(link)
    page.wait_for_url(house.facts["browser_url"] + "/")
    expect(page).to_have_title("Overview · Roundtable")
    history = page.context.new_cdp_session(page).send("Page.getNavigationHistory")
    assert code not in str(history["entries"])
    assert code not in str(asked) and "/login" not in str(asked)
    assert code not in page.content()
    if scripts:
        assert page.evaluate("document.referrer") == ""


@pytest.mark.proves("S-22")
def test_a_link_that_was_used_says_so(
    house: House, new_context: Callable[..., BrowserContext], watch: Watch
) -> None:
    link = house.post("/sign-in-links", {})["url"]
    first = new_context().new_page()
    first.goto(link)
    first.wait_for_url(house.facts["browser_url"] + "/")
    watch.statuses = {401}
    second = new_context().new_page()
    second.goto(link)
    expect(second.get_by_role("heading", level=1)).to_be_visible()
    second.goto(house.facts["browser_url"])
    expect(second).to_have_title("Signed out · Roundtable")


@pytest.mark.proves("S-21", "S-23")
def test_a_link_from_elsewhere_goes_on_by_the_page_that_offers_it(
    house: House, person: Page, watch: Watch
) -> None:
    """The cookie is strict: it does not come with a link of another site, nor is it looked at."""
    here = house.facts["browser_url"]
    watch.own.add(ELSEWHERE)
    watch.statuses = {401}
    body = f'<!doctype html><title>elsewhere</title><a href="{here}/runs?status=live">your runs</a>'
    person.route(f"{ELSEWHERE}/*", lambda route: route.fulfill(body=body, content_type="text/html"))
    person.goto(f"{ELSEWHERE}/mail")
    person.get_by_role("link", name="your runs").click()
    expect(person).to_have_title("Signed out · Roundtable")
    person.get_by_role("link", name="Open this page").focus()
    person.keyboard.press("Enter")
    expect(person).to_have_title("Runs · Roundtable")
    assert person.url == f"{here}/runs?status=live"


@pytest.mark.proves("S-23")
def test_signing_out_is_a_button(either: Page, watch: Watch) -> None:
    watch.statuses = {401}
    either.get_by_role("button", name="Sign out").click()
    expect(either).to_have_title("Signed out · Roundtable")
