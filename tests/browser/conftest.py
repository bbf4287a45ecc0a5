"""A signed-in Chromium for each test, in front of one real owner for each worker."""

from collections.abc import Callable, Iterator
from typing import Any

import chromium
import pytest
from chromium import Watch
from outside_house import House, started
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

# A busy machine may take that long; where a page promises less, its test says so.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """Not for the whole session: while it lives, no other test of this worker can have a loop."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(**chromium.launch_arguments())
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, Any]:
    return chromium.CONTEXT


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One running owner for all tests of this worker."""
    with started(tmp_path_factory.mktemp("browser"), hurried=True) as house:
        yield house


@pytest.fixture
def watch(house: House) -> Iterator[Watch]:
    """What a page did wrong fails the test at its end."""
    watch = Watch(house.facts["browser_url"])
    yield watch
    watch.check()


@pytest.fixture
def new_context(
    new_context: Callable[..., BrowserContext], watch: Watch, house: House
) -> Callable[..., BrowserContext]:
    """Every context is watched, and an address may begin with its path."""

    def make(**more: Any) -> BrowserContext:
        context = new_context(**{"base_url": house.facts["browser_url"], **more})
        watch.follow(context)
        return context

    return make


@pytest.fixture
def sign_in(house: House) -> Callable[[BrowserContext, str], Page]:
    """A page of the context that came in by a one-time link."""

    def enter(context: BrowserContext, path: str = "/") -> Page:
        page = context.new_page()
        chromium.enter(house, page, path)
        return page

    return enter


@pytest.fixture
def person(context: BrowserContext, sign_in: Callable[[BrowserContext], Page]) -> Page:
    """Signed in, with scripts."""
    return sign_in(context)


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def either(
    request: pytest.FixtureRequest,
    new_context: Callable[..., BrowserContext],
    sign_in: Callable[[BrowserContext], Page],
) -> Page:
    """Signed in, once with and once without scripts."""
    return sign_in(new_context(java_script_enabled=request.param))
