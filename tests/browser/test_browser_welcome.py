"""The page of the first ten minutes as a person meets it, with every step open."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import Watch, enter
from outside_house import House, started
from outside_talk import demo
from pictures.album import faults, page_rules
from playwright.sync_api import BrowserContext, expect

VIEWS = ((1280, "light"), (360, "dark"))
TITLE = "Passed over"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[House]:
    """Whose steps are open: other tests leave agents and routines with the shared owner."""
    with started(tmp_path) as house:
        yield house


@pytest.mark.slow
@pytest.mark.proves("E-01", "D-09")
def test_every_step_is_fit_for_everybody_and_the_test_tells_by_itself(
    own: House,
    new_context: Callable[..., BrowserContext],
    watch: Watch,
    tmp_path: Path,
) -> None:
    house, room, rules = own, own.room(), page_rules(tmp_path / "rules")
    demo(room, "Ada")
    assert "/welcome" in rules
    here = house.facts["browser_url"]
    watch.own.add(here)
    page = new_context(base_url=here).new_page()
    enter(house, page)
    page.goto("/welcome")
    assert page.locator("details[open]").count() == 1, "the next one alone"
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert list(faults(page, VIEWS)) == []
    page.get_by_role("button", name="Test Ada").click()
    expect(page.locator("#tests .chip").first).to_have_text("Works")
    page.locator("#step-notification summary").click()
    page.get_by_role("button", name="Pass over: A notification").press("Enter")
    chip = page.locator("#step-notification summary .chip")
    expect(chip).to_have_text(TITLE)
    page.locator("#step-notification summary").click()
    page.get_by_role("button", name="Not passed over any more: A notification").click()
    expect(chip).to_have_text("Open")
