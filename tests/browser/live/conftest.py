"""A signed-in page of an owner for this folder, or of one that the test may kill."""

from collections.abc import Callable, Iterator
from pathlib import Path

import chromium
import pytest
from chromium import Watch
from outside_house import House, started
from playwright.sync_api import BrowserContext, Page


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One owner for all tests of this worker that leave it alive: a start costs seconds."""
    with started(tmp_path_factory.mktemp("live"), hurried=True) as house:
        yield house


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[House]:
    """For a test that kills it, or counts its streams."""
    with started(tmp_path, hurried=True) as house:
        yield house


@pytest.fixture
def house(request: pytest.FixtureRequest) -> House:
    """`mortal` where the test asks for it, else `quiet`. Others have left tasks there: what a test
    looks for is called as nothing else is."""
    name = "mortal" if "mortal" in request.fixturenames else "quiet"
    house: House = request.getfixturevalue(name)
    return house


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
