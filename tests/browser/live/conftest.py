"""A signed-in page of an owner that the test may kill."""

from collections.abc import Callable, Iterator
from pathlib import Path

import chromium
import pytest
from chromium import Watch
from outside_house import House, started
from playwright.sync_api import BrowserContext, Page


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with started(tmp_path) as house:
        yield house


@pytest.fixture
def watch(house: House) -> Watch:
    """What a page did wrong; each test looks at its end."""
    return Watch(house.facts["browser_url"])


@pytest.fixture
def enter(house: House, new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Opens a page that is signed in, in a browser of its own or in that of `context`."""

    def sign_in(context: BrowserContext | None = None) -> Page:
        page = (context or new_context()).new_page()
        chromium.enter(house, page)
        return page

    return sign_in
